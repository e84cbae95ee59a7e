//! V4: of a block exactly the outer layer is on the surface, and at rest it stays the same.

use thixo_surface::{Detection, Vec3, detect};

use super::samplings::lattice;
use super::{conditions, single};
use crate::experiment::{CaseError, Experiment};
use crate::row::Row;

const TANK: &str = include_str!("../../../scenes/tank_at_rest.toml");

/// Steps that are watched.
const STEPS: u32 = 40;

/// Both parts.
pub(crate) fn block_and_tank() -> Result<Vec<Row>, CaseError> {
    const SPACING: f32 = 0.1;
    let block = lattice(SPACING, 0.8, |_| true);
    let found = detect(&block, 2.0 * SPACING, &Detection::default(), None)?;
    let wrong = block.iter().zip(&found).filter(|(at, found)| (at.abs().max_element() > 0.74) != **found).count();
    let outer = found.iter().filter(|&&found| found).count();
    let row = Row::at_most("particles of a block taken for surface, or not, by mistake", wrong as f64, 0.0);
    let row = row.reporting("on the surface", outer).under(&conditions(block.len(), 2.0));
    Ok(vec![row, flicker()?])
}

/// Share of the surface that comes or goes in a step, while water settles.
fn flicker() -> Result<Row, CaseError> {
    let mut tank = Experiment::new("tank_at_rest", TANK, &[])?;
    tank.run_to(tank.scene.time.end)?;
    let reach = 2.0 * tank.scene.world.spacing as f32;
    let places = |tank: &Experiment| -> Vec<Vec3> {
        let movable = tank.simulation.matter().len();
        let mut rows: Vec<usize> = (0..movable).collect();
        // Memory is sorted anew now and then: by name, a row is one particle.
        rows.sort_unstable_by_key(|&row| tank.simulation.particles().id[row]);
        let place = |&row: &usize| tank.simulation.particles().position[row];
        rows.iter().map(place).map(single).collect()
    };
    let plain = Detection { leave: Detection::default().come, ..Detection::default() };
    let mut changes = [0.0_f64; 2];
    let mut before: [Option<Vec<bool>>; 2] = [None, None];
    for _ in 0..STEPS {
        tank.simulation.step()?;
        let places = places(&tank);
        for ((detection, before), changes) in [Detection::default(), plain].iter().zip(&mut before).zip(&mut changes) {
            let now = detect(&places, reach, detection, before.as_deref())?;
            if let Some(before) = before.as_ref() {
                let changed = before.iter().zip(&now).filter(|(before, now)| before != now).count();
                let surface = now.iter().filter(|&&found| found).count();
                *changes = changes.max(changed as f64 / surface.max(1) as f64);
            }
            *before = Some(now);
        }
    }
    let row = Row::at_most("part of the surface that changes in a step, at most [-]", changes[0], 0.01);
    Ok(row.reporting("without hysteresis", changes[1]).under(&tank.conditions()))
}

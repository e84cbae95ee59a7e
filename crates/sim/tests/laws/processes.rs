//! A process of the caller owns columns that go with particles wherever these go.

use std::collections::BTreeMap;

use thixo_sim::{
    Dfsph, NewBody, OwnColumn, OwnValues, Pressure, Process, Real, Simulation, StepContext, StepError, Wcsph,
};

use crate::dye::Dye;
use crate::suite::bits::assert_same_bits;
use crate::suite::worlds::{Tank, lattice};
use crate::suite::{View, simulation};

/// Water that collapses, and dye that spreads in it; nothing is coloured yet.
fn clear_water(pressure: Pressure, diffusivity: Real) -> Simulation {
    let tank = Tank { cavity: [24, 16, 0], fluid: [12, 12, 0], pressure, ..Tank::default() };
    let mut simulation = simulation(&tank.recipe()).unwrap();
    simulation.add_process(Box::new(Dye::new(diffusivity)));
    simulation
}

/// The same with a stain in the middle.
fn coloured_water(pressure: Pressure, diffusivity: Real) -> Simulation {
    let mut simulation = clear_water(pressure, diffusivity);
    let position = simulation.particles().position.clone();
    let dye = simulation.own_column_mut("dye").unwrap();
    for (dye, x) in dye.iter_mut().zip(position) {
        *dye = if (x.x - 0.3).abs().max((x.y - 0.3).abs()) < 0.1 { 1.0 } else { 0.0 };
    }
    simulation
}

fn dye(simulation: &Simulation) -> &[Real] {
    &simulation.particles().own[0].values
}

/// How much dye there is [m^2], and how much where there is most.
fn amount(simulation: &Simulation) -> (f64, Real) {
    let volume = &simulation.particles().rest_volume;
    let total = dye(simulation).iter().zip(volume).map(|(c, v)| f64::from(*c) * f64::from(*v)).sum();
    (total, dye(simulation).iter().copied().fold(0.0, Real::max))
}

#[test]
fn dye_spreads_and_none_is_lost() {
    for pressure in [Pressure::Wcsph(Wcsph::default()), Pressure::Dfsph(Dfsph::default())] {
        let mut simulation = coloured_water(pressure, 0.02);
        let (before, mut most) = amount(&simulation);
        assert!(before > 0.0 && most == 1.0);
        for _ in 0..10 {
            simulation.advance(0.05).unwrap();
            let (total, worst) = amount(&simulation);
            assert!((total / before - 1.0).abs() < 1e-5, "{total} of {before}");
            assert!(worst < most && dye(&simulation).iter().all(|dye| *dye >= 0.0), "{worst} after {most}");
            most = worst;
        }
        assert!(most < 0.3, "{most}");
        assert!(simulation.world().kinds.walls().all(|i| dye(&simulation)[i] == 0.0));
    }
}

/// Steps are as long as the process allows, where nothing else asks for shorter ones; frames may ask for a twentieth more.
#[test]
fn a_process_limits_the_step() {
    let mut simulation = coloured_water(Pressure::Dfsph(Dfsph::default()), 2.0);
    let limit = Dye::new(2.0).limit(simulation.pairs().kernel().support());
    let report = simulation.step().unwrap();
    assert_eq!(report.dt, limit);
    let free = coloured_water(Pressure::Dfsph(Dfsph::default()), 1e-6).step().unwrap().dt;
    assert!(free > 2.0 * limit, "{free} {limit}");
}

#[test]
fn a_restarted_process_equals_an_unbroken_one() {
    let mut unbroken = coloured_water(Pressure::default(), 0.02);
    for steps in [0, 1, 98, 57] {
        (0..steps).for_each(|_| assert!(unbroken.step().is_ok()));
        let mut restarted = clear_water(Pressure::default(), 0.02);
        restarted.restore(unbroken.snapshot()).unwrap();
        for _ in 0..30 {
            unbroken.step().unwrap();
            restarted.step().unwrap();
        }
        assert_same_bits(View::of(&restarted), View::of(&unbroken), &format!("{steps} steps on"));
        assert_eq!(dye(&restarted), dye(&unbroken));
    }
    let mut without = simulation(&Tank::default().recipe()).unwrap();
    assert!(without.restore(unbroken.snapshot()).is_err(), "a snapshot with columns that nobody owns");
}

#[test]
fn bodies_come_and_go_with_their_columns() {
    let mut simulation = coloured_water(Pressure::default(), 0.02);
    let by_id = |simulation: &Simulation| -> BTreeMap<u32, Real> {
        simulation.particles().id.iter().copied().zip(dye(simulation).iter().copied()).collect()
    };
    simulation.advance(0.1).unwrap();
    let before = by_id(&simulation);
    let position = lattice(0.05, [16, 8, 0], [4, 4, 0]);
    let drop = simulation.add_body(NewBody { name: "drop".into(), position, ..NewBody::default() }).unwrap();
    // Memory is put in order, too.
    simulation.prepare().unwrap();
    let with_drop = by_id(&simulation);
    assert!(simulation.particles().is_consistent() && with_drop.len() == before.len() + 16);
    assert!(with_drop.iter().all(|(id, dye)| before.get(id).copied().unwrap_or(0.0) == *dye));

    let (total, _) = amount(&simulation);
    simulation.advance(0.1).unwrap();
    assert!((amount(&simulation).0 / total - 1.0).abs() < 1e-5);
    let before = by_id(&simulation);
    simulation.remove_body(drop).unwrap();
    simulation.prepare().unwrap();
    let without = by_id(&simulation);
    assert!(simulation.particles().is_consistent() && without.len() == before.len() - 16);
    assert!(without.iter().all(|(id, dye)| before[id] == *dye));
    simulation.advance(0.1).unwrap();
}

/// Ends in nonsense.
struct Explosion;

impl Process for Explosion {
    fn columns(&self) -> Vec<OwnColumn> {
        vec![OwnColumn::new("heat", "K", 1.0)]
    }

    fn advance(&mut self, _: &StepContext<'_>, own: &mut OwnValues<'_>) {
        own[0][7] /= 0.0;
    }
}

#[test]
fn no_infinite_value_of_a_process_leaves_a_step() {
    let mut simulation = clear_water(Pressure::default(), 0.02);
    simulation.add_process(Box::new(Explosion));
    assert!(matches!(simulation.step(), Err(StepError::Diverged(_))));
    assert!(simulation.particles().own.iter().flat_map(|column| &column.values).all(|value| value.is_finite()));
}

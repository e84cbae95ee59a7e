//! Scenes in individual time steps: what DG96 shows, with fewer evaluations of forces than particles and steps.

use thixo_scene::{BuiltScene, Scene, gallery};
use thixo_sim::{Real, Simulation, Vec3};

/// Runs a scene and looks at it ten times on the way and at both ends; the mean share of particles whose forces are found in a step.
fn watch(name: &str, settings: &[&str], mut look: impl FnMut(&Simulation)) -> f64 {
    let entry = gallery().iter().find(|entry| entry.name == name).unwrap();
    let settings: Vec<_> = settings.iter().map(ToString::to_string).collect();
    let scene = Scene::read(name, entry.text, &settings).unwrap_or_else(|problems| panic!("{problems}"));
    let BuiltScene { mut simulation, .. } = scene.build().unwrap();
    simulation.prepare().unwrap();
    look(&simulation);
    let mut evaluations = 0;
    for moment in 1..=11 {
        let time = scene.time.end * f64::from(moment) / 11.0;
        while simulation.time() < time {
            evaluations +=
                simulation.step_until(time).unwrap_or_else(|error| panic!("{name}: {error}")).force_evaluations;
        }
        look(&simulation);
    }
    evaluations as f64 / (simulation.matter().len() as f64 * simulation.steps() as f64)
}

/// The area within which matter in the plane is more than half as dense as at rest, over that of its particles.
fn area(simulation: &Simulation) -> f64 {
    let places: Vec<Vec3> = simulation.matter().map(|i| simulation.particles().position[i]).collect();
    let (spacing, kernel) = (simulation.settings().spacing, *simulation.pairs().kernel());
    let (support, cell) = (kernel.support(), 0.25 * spacing);
    let low = places.iter().fold(Vec3::INFINITY, |low, x| low.min(*x)) - Vec3::splat(support);
    let high = places.iter().fold(Vec3::NEG_INFINITY, |high, x| high.max(*x)) + Vec3::splat(support);
    let columns = ((high.x - low.x) / cell) as usize + 1;
    let rows = ((high.y - low.y) / cell) as usize + 1;
    let mut density = vec![0.0; columns * rows];
    let reach = (support / cell) as usize + 1;
    for x in &places {
        let [column, row] = [(x.x - low.x) / cell, (x.y - low.y) / cell].map(|cells| cells as usize);
        for column in column - reach.min(column)..(column + reach).min(columns) {
            for row in row - reach.min(row)..(row + reach).min(rows) {
                let away = Vec3::new(low.x + column as Real * cell - x.x, low.y + row as Real * cell - x.y, 0.0);
                density[column * rows + row] += spacing * spacing * kernel.value(away.length());
            }
        }
    }
    let inside = density.iter().filter(|density| **density > 0.5).count();
    inside as f64 * f64::from(cell * cell) / (places.len() as f64 * f64::from(spacing * spacing))
}

#[test]
fn cut_in_two_leaves_two_halves_and_nobody_in_between() {
    let mut last = Vec::new();
    watch("cut-in-two", &[], |simulation| {
        last = simulation.matter().map(|i| simulation.particles().position[i].x).collect();
    });
    let left = last.iter().filter(|x| **x < -0.025).count();
    let right = last.iter().filter(|x| **x > 0.025).count();
    assert_eq!([left, right], [320, 320]);
}

#[test]
fn quasi_liquid_drop_spreads_and_keeps_its_area() {
    let (mut areas, mut width) = (Vec::new(), 0.0);
    watch("quasi-liquid-drop", &[], |simulation| {
        areas.push(area(simulation));
        width = simulation.matter().map(|i| simulation.particles().position[i].x).fold(0.0, Real::max);
    });
    let (least, most) =
        areas.iter().fold((f64::MAX, f64::MIN), |(least, most), area| (least.min(*area), most.max(*area)));
    let variation = 2.0 * (most - least) / (most + least);
    assert!(variation < 0.1, "DG96 finds up to ten per cent: {areas:?}");
    assert!(width > 0.2, "{width}");
}

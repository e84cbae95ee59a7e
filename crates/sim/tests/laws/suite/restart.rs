//! A run that is interrupted and goes on equals the unbroken run, bit for bit.

use thixo_sim::{
    Clamp, Cohesion, DensityMethod, Dfsph, Elastic, Iisph, Implicit, ImplicitViscosity, Interpolation, Keyframe,
    Material, NewBody, NewWall, Path, Pcisph, Penalty, PredictorCorrector, Pressure, Real, Rotation, StVenantKirchhoff,
    Vec3, Viscosity, Wcsph,
};

use super::bits::{assert_same_bits, difference};
use super::worlds::{Tank, dam, dam_with, incompressible, jellies, lattice, stiff_in_soft};
use super::{Recipe, Run, Stepper};

/// Pressures are where the next step starts: they are remembered.
pub(crate) fn restarted_run_with_a_solver_that_iterates_equals_unbroken_run<S: Stepper>() {
    for pressure in incompressible() {
        let dam = dam_with(pressure.clone());
        let mut unbroken: S = dam.make();
        for _ in 0..95 {
            unbroken.step().unwrap();
        }
        let mut restarted: S = dam.make();
        restarted.restore(unbroken.snapshot()).unwrap();
        for _ in 0..12 {
            unbroken.step().unwrap();
            restarted.step().unwrap();
        }
        assert_same_bits(restarted.view(), unbroken.view(), &format!("{pressure:?}"));
        let mut forgetful: S = dam.make();
        let mut snapshot = unbroken.snapshot();
        snapshot.particles.pressure.fill(0.0);
        forgetful.restore(snapshot).unwrap();
        unbroken.step().unwrap();
        forgetful.step().unwrap();
        assert!(difference(forgetful.view(), unbroken.view()).is_some(), "{pressure:?} starts from its pressures");
    }
}

pub(crate) fn restarted_run_equals_unbroken_run<S: Stepper>() {
    restarted_run_equals_unbroken::<S>(&dam());
}

/// Levels and the moment within a macro step are remembered.
pub(crate) fn restarted_run_with_individual_steps_equals_unbroken_run<S: Stepper>() {
    let world = stiff_in_soft(6);
    restarted_run_equals_unbroken::<S>(&world);
    let mut simulation: S = world.make();
    let evaluations = (0..60).map(|_| simulation.step().unwrap().force_evaluations);
    let [fewest, most] = evaluations.fold([usize::MAX, 0], |[few, many], count| [few.min(count), many.max(count)]);
    assert!(4 * fewest < most, "between macro steps few are due: {fewest} {most}");
}

/// Friction that is solved for starts from columns alone.
pub(crate) fn restarted_run_of_honey_equals_unbroken_run<S: Stepper>() {
    let viscosity = Viscosity::Implicit(ImplicitViscosity { dynamic_viscosity: 100.0 });
    let pressure = Pressure::Iisph(Iisph::default());
    let tank = Tank { cavity: [14, 12, 8], fluid: [7, 10, 8], viscosity, pressure, ..Tank::default() };
    restarted_run_equals_unbroken::<S>(&tank.recipe());
}

/// Bonds are found anew from the undeformed shapes.
pub(crate) fn restarted_run_of_elastic_bodies_equals_unbroken_run<S: Stepper>() {
    restarted_run_equals_unbroken::<S>(&jellies());
}

/// Densities by the continuity equation are remembered, not found anew.
pub(crate) fn restarted_run_with_carried_densities_equals_unbroken_run<S: Stepper>() {
    let wcsph = Wcsph { density: DensityMethod::Continuity, ..Wcsph::default() };
    restarted_run_equals_unbroken::<S>(&dam_with(Pressure::Wcsph(wcsph)));
}

/// A wall that turns and moves, and a field, are functions of time alone.
pub(crate) fn restarted_run_with_a_moving_wall_equals_unbroken_run<S: Stepper>() {
    let mut world = dam();
    let (centre, there) = ([1.0, 0.0, 0.0], [-0.1, 0.0, 0.0]);
    world.add(paddle([20, 0, 2], turning(centre, there, [0.4, 0.9])));
    restarted_run_equals_unbroken::<S>(&world);
}

/// To another place, turned by half a radian about z, and back: at these two times.
fn turning(centre: [f64; 3], there: [f64; 3], times: [f64; 2]) -> Path {
    let turned = |time: f64, translation: [f64; 3], angle: f64| Keyframe {
        time,
        translation,
        rotation: Some(Rotation { angle, centre, axis: [0.0, 0.0, 1.0] }),
    };
    let keyframes = vec![turned(0.0, [0.0; 3], 0.0), turned(times[0], there, 0.5), turned(times[1], [0.0; 3], 0.0)];
    Path { keyframes, interpolation: Interpolation::Smooth, repeat: true }
}

/// A plate of one layer in a tank, the corner of which is given in cells.
fn paddle(corner: [i32; 3], path: Path) -> NewWall {
    let position = lattice(0.05, corner, [1, 6, 4]);
    let to_surface = vec![Vec3::X * -0.025; position.len()];
    let (name, path) = ("paddle".into(), Some(path));
    NewWall { name, position, to_surface, path, no_slip: true, ..NewWall::default() }
}

fn restarted_run_equals_unbroken<S: Stepper>(world: &Recipe) {
    let mut unbroken: S = world.make();
    unbroken.prepare().unwrap();
    for step in 0..260 {
        if [0, 1, 57, 100, 203].contains(&step) {
            let mut restarted: S = world.make();
            restarted.restore(unbroken.snapshot()).unwrap();
            // One goes on with the memory of a fresh simulation, the other is the unbroken run itself.
            for _ in 0..30 {
                restarted.step().unwrap();
            }
            let mark = unbroken.snapshot();
            for _ in 0..30 {
                unbroken.step().unwrap();
            }
            assert_same_bits(restarted.view(), unbroken.view(), &format!("from step {step}"));
            unbroken.restore(mark).unwrap();
        }
        unbroken.step().unwrap();
    }
}

pub(crate) fn restarted_wcsph_equals_unbroken_run<S: Stepper>() {
    goes_on_from_anywhere::<S>(&Pressure::Wcsph(Wcsph::default()));
}

pub(crate) fn restarted_wcsph_with_continuity_equals_unbroken_run<S: Stepper>() {
    let wcsph = Wcsph { density: DensityMethod::Continuity, ..Wcsph::default() };
    goes_on_from_anywhere::<S>(&Pressure::Wcsph(wcsph));
}

pub(crate) fn restarted_pcisph_equals_unbroken_run<S: Stepper>() {
    goes_on_from_anywhere::<S>(&Pressure::Pcisph(Pcisph::default()));
}

pub(crate) fn restarted_iisph_equals_unbroken_run<S: Stepper>() {
    goes_on_from_anywhere::<S>(&Pressure::Iisph(Iisph::default()));
}

pub(crate) fn restarted_dfsph_equals_unbroken_run<S: Stepper>() {
    goes_on_from_anywhere::<S>(&Pressure::Dfsph(Dfsph::default()));
}

pub(crate) fn restarted_cohesion_equals_unbroken_run<S: Stepper>() {
    goes_on_from_anywhere::<S>(&Pressure::Cohesion(Cohesion::default()));
}

pub(crate) fn restarted_penalty_equals_unbroken_run<S: Stepper>() {
    goes_on_from_anywhere::<S>(&Pressure::Penalty(Penalty::default()));
}

pub(crate) fn restarted_predictor_corrector_equals_unbroken_run<S: Stepper>() {
    goes_on_from_anywhere::<S>(&Pressure::PredictorCorrector(PredictorCorrector::default()));
}

/// With fluid alone, with implicit and with explicit elastic bodies: each time other things limit the step. The step is
/// adaptive, a wall turns, and a clamp follows a path.
fn goes_on_from_anywhere<S: Stepper>(pressure: &Pressure) {
    let implicit = Elastic::Implicit(Implicit { young_modulus: Some(3e4), ..Implicit::default() });
    let explicit = Elastic::StVenantKirchhoff(StVenantKirchhoff { young_modulus: Some(3e4), ..Default::default() });
    let is_for_fluids = !matches!(pressure, Pressure::Penalty(_) | Pressure::PredictorCorrector(_));
    for (name, elastic) in [("fluid", None), ("implicit", Some(implicit)), ("explicit", Some(explicit))] {
        if is_for_fluids || elastic.is_some() {
            restarts_anywhere::<S>(&stirred(pressure.clone(), elastic, is_for_fluids), name);
        }
    }
}

/// A tank that is stirred, and into which a block falls beside one that a clamp drags about.
fn stirred(pressure: Pressure, elastic: Option<Elastic>, has_water: bool) -> Recipe {
    let fluid = if elastic.is_some() { [14, 3, 6] } else { [6, 8, 6] };
    let mut world = Tank { cavity: [14, 12, 6], fluid, pressure, ..Tank::default() }.recipe();
    if !has_water {
        world.things.remove(0);
    }
    world.add(paddle([11, 3, 1], turning([0.6, 0.3, 0.0], [-0.05, 0.05, 0.0], [0.05, 0.12])));
    if let Some(elastic) = elastic {
        world.materials.push(Material { elastic: Some(elastic), ..Material::default() });
        let velocity = vec![Vec3::new(0.2, -1.5, 0.1)];
        let position = lattice(0.05, [0, 3, 1], [3, 3, 3]);
        let name = "falling".into();
        world.add(NewBody { name, material: 1, position, velocity, ..NewBody::default() });
        let position = lattice(0.05, [5, 5, 1], [4, 3, 3]);
        let held = (0..position.len()).filter(|&i| position[i].x > 0.4).collect();
        let path = turning([0.4, 0.3, 0.1], [0.0, -0.04, 0.02], [0.04, 0.1]);
        let clamps = vec![(Clamp { path: Some(path) }, held)];
        let name = "dragged".into();
        world.add(NewBody { name, material: 1, position, clamps, ..NewBody::default() });
    }
    world
}

/// Restarts at several steps, and compares after every step from there.
fn restarts_anywhere<S: Stepper>(world: &Recipe, name: &str) {
    let mut unbroken: S = world.make();
    let mut restarted: Vec<(u64, S)> = Vec::new();
    let mut lengths = Vec::new();
    for step in 0..150 {
        if [0, 1, 38, 99, 100, 128].contains(&step) {
            let mut other: S = world.make();
            // Into a fresh simulation, or one that was elsewhere.
            for _ in 0..step % 2 {
                other.step().unwrap();
            }
            other.restore(unbroken.snapshot()).unwrap();
            restarted.push((step, other));
        }
        let report = unbroken.step().unwrap();
        lengths.push(report.dt);
        for (from, other) in &mut restarted {
            let again = other.step().unwrap();
            let when = format!("{name}, restarted at step {from}, after step {step}");
            assert_same_bits(other.view(), unbroken.view(), &when);
            assert_eq!(again, report, "{when}");
        }
        restarted.retain(|(from, _)| step < from + 20);
    }
    lengths.sort_by(Real::total_cmp);
    println!("{name}: steps between {:.1e} s and {:.1e} s", lengths[0], lengths[lengths.len() - 1]);
}

//! What must make no difference: names, what nothing is made of, other simulations, where the frame of reference is.

use thixo_sim::{
    Cohesion, DensityMethod, Dimension, Elastic, Laplacian, Material, NewBody, Penalty, PredictorCorrector, Pressure,
    Real, Settings, Vec3, Viscosity, Wcsph,
};

use super::bits::assert_same_bits;
use super::worlds::{dam, dam_with, incompressible, jellies, lattice};
use super::{Recipe, Run, Stepper, Thing};

/// Two recipes give the same bits after some steps.
fn same_bits<S: Stepper>(one: &Recipe, other: &Recipe, steps: usize, what: &str) {
    let [mut one, mut other] = [one, other].map(Recipe::make::<S>);
    for step in 0..steps {
        let report = one.step().unwrap();
        assert_eq!(other.step().unwrap(), report, "{what}: step {step}");
    }
    assert_same_bits(one.view(), other.view(), what);
}

pub(crate) fn renaming_bodies_changes_no_bit<S: Stepper>() {
    for world in [dam(), jellies()].into_iter().chain(incompressible().map(dam_with)) {
        let mut renamed = world.clone();
        for thing in &mut renamed.things {
            match thing {
                Thing::Body(body) => body.name = format!("another {}", body.name),
                Thing::Wall(wall) => wall.name.clear(),
            }
        }
        same_bits::<S>(&world, &renamed, 30, "renamed");
    }
}

/// Materials that nothing is made of, unlike all others in whatever they can be.
fn with_unused_materials(world: &Recipe) -> Recipe {
    let mut world = world.clone();
    let mut oil = Material { density: 3000.0, ..Material::default() };
    oil.fluid.viscosity = Viscosity::Laplacian(Laplacian { dynamic_viscosity: 1e6 });
    let rubber = Material { density: 20.0, elastic: Some(Elastic::default()), ..Material::default() };
    world.materials.extend([oil, rubber]);
    world
}

pub(crate) fn a_material_that_nothing_is_made_of_changes_no_bit<S: Stepper>() {
    let continuity = Wcsph { density: DensityMethod::Continuity, ..Wcsph::default() };
    let mut worlds = vec![
        ("wcsph", dam()),
        ("continuity", dam_with(Pressure::Wcsph(continuity))),
        ("cohesion", dam_with(Pressure::Cohesion(Cohesion::default()))),
        ("elastic", jellies()),
    ];
    for pressure in [Pressure::Penalty(Penalty::default()), Pressure::PredictorCorrector(PredictorCorrector::default())]
    {
        let mut world = jellies();
        world.settings.pressure = pressure;
        // No water: these solvers refuse it.
        world.things.remove(0);
        worlds.push(("contact", world));
    }
    for (name, world) in worlds {
        same_bits::<S>(&world, &with_unused_materials(&world), 60, name);
    }
}

pub(crate) fn a_material_that_nothing_is_made_of_changes_no_bit_to_solvers_that_iterate<S: Stepper>() {
    for pressure in incompressible() {
        let world = dam_with(pressure.clone());
        same_bits::<S>(&world, &with_unused_materials(&world), 60, &format!("{pressure:?}"));
    }
}

/// A drop in a world that repeats itself along x, after as many periods. All coordinates are exact.
fn repeated(pressure: Pressure, periods: Real) -> Recipe {
    let spacing = 0.0625;
    let periodic = [Some([0.0, 1.0]), None, None];
    let settings = Settings { spacing, periodic, pressure, dimension: Dimension::Three, ..Settings::default() };
    let mut world = Recipe::new(settings, vec![Material::default()]);
    let position = lattice(spacing, [0, 0, 0], [16, 6, 6]);
    let velocity = position.iter().map(|x| Vec3::new(0.5 - x.y, x.z, x.x - 0.5)).collect();
    let position = position.into_iter().map(|x| x + Vec3::X * periods).collect();
    world.add(NewBody { name: "drop".into(), position, velocity, ..NewBody::default() });
    world
}

pub(crate) fn a_frame_moved_by_whole_periods_changes_no_bit<S: Stepper>() {
    for pressure in incompressible().into_iter().chain([Pressure::default()]) {
        for periods in [-3.0, 1.0] {
            let [here, there] = [0.0, periods].map(|periods| repeated(pressure.clone(), periods));
            same_bits::<S>(&here, &there, 30, &format!("{pressure:?} {periods}"));
        }
    }
}

/// Elsewhere numbers are rounded otherwise and sums are in another order, so that no bits are equal. A place 4 m away is
/// known to 2e-7 m, distances of neighbours to 1e-5 of a spacing. By that compressions differ, c² times that over a spacing
/// are accelerations, 0.2 m/s² with the stiffness of the dam, and in the 15 ms of 40 steps they move matter by some 1e-5 m:
/// a thousandth of a spacing.
pub(crate) fn a_moved_frame_changes_nothing_but_rounding<S: Stepper>() {
    let shift = Vec3::new(1.3, -0.7, 2.1);
    let continuity = Wcsph { density: DensityMethod::Continuity, ..Wcsph::default() };
    for world in [dam(), dam_with(Pressure::Wcsph(continuity)), jellies()] {
        let mut moved = world.clone();
        for thing in &mut moved.things {
            let position = match thing {
                Thing::Body(body) => &mut body.position,
                Thing::Wall(wall) => &mut wall.position,
            };
            position.iter_mut().for_each(|x| *x += shift);
        }
        let places = |world: &Recipe| {
            let mut simulation: S = world.make();
            for _ in 0..40 {
                simulation.step().unwrap();
            }
            let particles = simulation.particles();
            let mut places: Vec<_> = particles.id.iter().copied().zip(particles.position.iter().copied()).collect();
            places.sort_by_key(|(id, _)| *id);
            places
        };
        let pairs = places(&world).into_iter().zip(places(&moved));
        let apart = pairs.map(|((_, here), (_, there))| (there - here - shift).length()).fold(0.0, Real::max);
        let spacings = f64::from(apart / world.settings.spacing);
        println!("moved by {spacings:.1e} spacings");
        assert!(spacings < 1e-3 * S::ROUNDING, "{spacings}");
    }
}

/// Worlds of several kinds, each of which has its own memory.
fn several() -> Vec<Recipe> {
    incompressible().map(dam_with).into_iter().chain([dam(), jellies()]).collect()
}

const STEPS: usize = 110;

fn alone<S: Stepper>(world: &Recipe) -> S {
    let mut simulation: S = world.make();
    for _ in 0..STEPS {
        simulation.step().unwrap();
    }
    simulation
}

pub(crate) fn interleaved_simulations_give_the_bits_of_each_alone<S: Stepper>() {
    let worlds = several();
    let mut together: Vec<S> = worlds.iter().map(Recipe::make).collect();
    for _ in 0..STEPS {
        for simulation in &mut together {
            simulation.step().unwrap();
        }
    }
    for (k, (world, interleaved)) in worlds.iter().zip(&together).enumerate() {
        assert_same_bits(interleaved.view(), alone::<S>(world).view(), &format!("world {k}"));
    }
}

/// Twice at once in threads of their own.
pub(crate) fn simulations_at_one_time_give_the_bits_of_each_alone<S: Stepper>() {
    for world in [dam(), jellies()] {
        let snapshot = alone::<S>(&world).snapshot();
        std::thread::scope(|scope| {
            let both = [(), ()].map(|()| scope.spawn(|| alone::<S>(&world).snapshot()));
            for thread in both {
                assert!(thread.join().unwrap() == snapshot);
            }
        });
    }
}

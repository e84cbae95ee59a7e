//! What matter loses, walls receive: momentum and angular momentum, whatever hands it over.

use glam::DVec3;
use thixo_sim::{
    Artificial, Cohesion, Dfsph, Elastic, Iisph, Implicit, Material, Morris, NewBody, NewWall, PairPressure, Pcisph,
    Penalty, PredictorCorrector, Pressure, Real, Settings, StVenantKirchhoff, Vec3, Viscosity, Wcsph, Xsph,
};

use super::impacts::totals_of;
use super::worlds::{lattice, shell};
use super::{Recipe, Run, Stepper, Thing};

const SPACING: Real = 0.05;
const CAVITY: [i32; 3] = [18, 14, 6];
const GRAVITY: Vec3 = Vec3::new(0.0, -9.81, 0.0);

/// An open tank: its floor, which is rough, and its sides, which are another wall.
fn add_tank(world: &mut Recipe) {
    let (position, to_surface) = shell(SPACING, CAVITY, 1);
    let all: Vec<_> = position.into_iter().zip(to_surface).collect();
    for (name, is_floor, friction) in [("floor", true, 0.4), ("sides", false, 0.1)] {
        let own = all.iter().filter(|(x, _)| (x.y < 0.0) == is_floor && x.y < CAVITY[1] as Real * SPACING);
        let (position, to_surface) = own.copied().unzip();
        world.add(NewWall { name: name.into(), position, to_surface, no_slip: true, friction, ..NewWall::default() });
    }
}

fn add(world: &mut Recipe, material: usize, position: Vec<Vec3>, velocity: Vec3) {
    let (name, velocity) = (format!("body {}", world.things.len()), vec![velocity]);
    world.add(NewBody { name, material, position, velocity, ..NewBody::default() });
}

/// Two cubes that are thrown into a corner.
fn add_cubes(world: &mut Recipe, material: usize) {
    add(world, material, lattice(SPACING, [13, 2, 1], [4, 4, 4]), Vec3::new(2.0, -2.0, 0.3));
    add(world, material, lattice(SPACING, [8, 6, 2], [3, 3, 3]), Vec3::new(3.0, -2.5, 0.0));
}

/// A dam breaks, drops are thrown at a wall, which they would pass through, and cubes fall.
fn flood(pressure: &Pressure, viscosity: &Viscosity, elastic: Elastic) -> Recipe {
    let settings = Settings { spacing: SPACING, pressure: pressure.clone(), gravity: GRAVITY, ..Settings::default() };
    let mut water = Material::default();
    water.fluid.viscosity = viscosity.clone();
    let mut world = Recipe::new(settings, vec![water, Material { elastic: Some(elastic), ..Material::default() }]);
    add(&mut world, 0, lattice(SPACING, [0, 0, 0], [6, 8, 6]), Vec3::ZERO);
    let drops = lattice(4.0 * SPACING, [1, 2, 0], [3, 1, 2]).into_iter().map(|x| x + Vec3::X * (0.3 * SPACING));
    add(&mut world, 0, drops.collect(), Vec3::new(0.5, 0.0, -7.0));
    add_cubes(&mut world, 1);
    add_tank(&mut world);
    world
}

/// How far momentum and angular momentum are from balanced, over all that walls received one way or the other; and what
/// each wall received of momentum.
fn imbalance<S: Stepper>(world: &Recipe, seconds: f64, is_leapfrog: bool) -> ([f64; 2], Vec<DVec3>) {
    let mut simulation: S = world.prepared();
    let received = |simulation: &S, of: fn(&thixo_sim::Account) -> thixo_sim::Impulse| {
        let walls = simulation.snapshot().state.bodies;
        let all = simulation.snapshot().state.memory.accounts;
        let own = all.into_iter().filter(|account| walls[account.body.slot as usize].kind.is_wall());
        own.map(|account| of(&account)).map(|i| [i.linear, i.angular].map(DVec3::from_array)).collect::<Vec<_>>()
    };
    let start = simulation.totals();
    let (mut turned, mut torque, mut last_dt) = (DVec3::ZERO, DVec3::ZERO, 0.0);
    let mut exchanged = [0.0; 2];
    let is_elastic = |slot: usize| match &world.things[slot] {
        Thing::Body(body) => world.materials[body.material].elastic.is_some(),
        _ => false,
    };
    let slots = world.things.iter().take_while(|thing| matches!(thing, Thing::Body(_))).count() as u32;
    while simulation.time() < seconds {
        let before = simulation.totals();
        let momenta: Vec<_> = (0..slots).map(|slot| totals_of(&simulation, slot).momentum).collect();
        let dt = f64::from(simulation.step_until(seconds).unwrap().dt);
        let gravity = DVec3::from_array(GRAVITY.to_array().map(f64::from));
        let now = before.first_moment.cross(gravity);
        let late = if is_leapfrog { 0.5 * last_dt } else { 0.0 };
        turned += dt * now + late * (now - torque);
        // Gravity draws elastic bodies where they are in the middle of the step.
        let vibrations = simulation.snapshot().state.memory.vibrations;
        let own = momenta.iter().zip(vibrations).enumerate().filter(|(slot, _)| is_elastic(*slot));
        for (_, (momentum, vibration)) in own {
            let ahead = (1.0 - f64::from(vibration.implicitness)) * dt;
            turned += (*momentum * ahead).cross(gravity) * dt;
        }
        (torque, last_dt) = (now, dt);
        for [force, torque] in received(&simulation, |account| account.force) {
            exchanged = [exchanged[0] + dt * force.length(), exchanged[1] + dt * torque.length()];
        }
    }
    let (end, all) = (simulation.totals(), received(&simulation, |account| account.received));
    let fallen = DVec3::from_array(GRAVITY.to_array().map(f64::from)) * (start.mass * simulation.time());
    let momentum = end.momentum - start.momentum - fallen + all.iter().map(|wall| wall[0]).sum::<DVec3>();
    let angular = end.angular_momentum - start.angular_momentum - turned + all.iter().map(|w| w[1]).sum::<DVec3>();
    let off = [momentum.length() / exchanged[0], angular.length() / exchanged[1]];
    (off, all.into_iter().map(|wall| wall[0]).collect())
}

/// Velocities and positions of the leapfrog have angular momentum to second order in the step.
fn angular_tolerance(is_leapfrog: bool) -> f64 {
    if is_leapfrog { 1e-4 } else { 1e-5 }
}

fn explicit() -> Elastic {
    Elastic::StVenantKirchhoff(StVenantKirchhoff { young_modulus: Some(1e5), ..StVenantKirchhoff::default() })
}

fn implicit() -> Elastic {
    Elastic::Implicit(Implicit { young_modulus: Some(1e5), ..Implicit::default() })
}

pub(crate) fn what_fluids_lose_walls_receive<S: Stepper>() {
    let central = Viscosity::Artificial(Artificial::default());
    let sticky = Viscosity::Morris(Morris { dynamic_viscosity: 2.0 });
    let smoothed = Viscosity::Xsph(Xsph { strength: 0.2 });
    let wcsph = || Pressure::Wcsph(Wcsph { density_error: 0.05, ..Wcsph::default() });
    let weighed = Iisph { pair_pressure: PairPressure::DensityWeighted, ..Iisph::default() };
    let cases = [
        ("wcsph", wcsph(), &central, explicit(), true),
        ("wcsph, sticky", wcsph(), &sticky, explicit(), true),
        ("wcsph, smoothed, sticky", wcsph(), &smoothed, explicit(), true),
        ("wcsph, implicit bodies", wcsph(), &central, implicit(), false),
        (
            "cohesion",
            Pressure::Cohesion(Cohesion { density_error: 0.05, ..Cohesion::default() }),
            &central,
            explicit(),
            true,
        ),
        ("pcisph", Pressure::Pcisph(Pcisph::default()), &central, implicit(), false),
        ("iisph", Pressure::Iisph(Iisph::default()), &central, implicit(), false),
        ("iisph, sticky", Pressure::Iisph(Iisph::default()), &sticky, implicit(), false),
        ("iisph, weighed", Pressure::Iisph(weighed), &central, implicit(), false),
        ("iisph, explicit bodies", Pressure::Iisph(Iisph::default()), &central, explicit(), false),
        ("dfsph", Pressure::Dfsph(Dfsph::default()), &central, implicit(), false),
    ];
    for (name, pressure, viscosity, elastic, is_leapfrog) in cases {
        let mut world = flood(&pressure, viscosity, elastic);
        if name.ends_with("weighed") {
            if let Some(Thing::Body(drops)) = world.things.get_mut(1) {
                drops.material = 2;
            }
            world.materials.push(Material { density: 200.0, ..world.materials[0].clone() });
        }
        let (off, walls) = imbalance::<S>(&world, 0.12, is_leapfrog);
        println!("{name}: momentum {:.1e}, angular momentum {:.1e}; floor and sides {walls:.3?}", off[0], off[1]);
        assert!(off[0] < 1e-5 * S::ROUNDING, "{name}: {off:?}");
        assert!(off[1] < angular_tolerance(is_leapfrog) * S::ROUNDING || name.ends_with("sticky"), "{name}: {off:?}");
        assert!(walls[0].y < 0.0 && walls[1].x > 0.0, "{name}: {walls:?}");
    }
}

pub(crate) fn what_bodies_in_contact_lose_walls_receive<S: Stepper>() {
    let penalty = Penalty { damping: 0.2, ..Penalty::default() };
    let impulses = PredictorCorrector::default();
    for (name, pressure) in
        [("penalty", Pressure::Penalty(penalty)), ("predictor-corrector", Pressure::PredictorCorrector(impulses))]
    {
        for (elastic, is_leapfrog) in [(explicit(), true), (implicit(), false)] {
            let settings =
                Settings { spacing: SPACING, pressure: pressure.clone(), gravity: GRAVITY, ..Settings::default() };
            let mut world = Recipe::new(settings, vec![Material { elastic: Some(elastic), ..Material::default() }]);
            add_cubes(&mut world, 0);
            add_tank(&mut world);
            let (off, walls) = imbalance::<S>(&world, 0.15, is_leapfrog);
            println!(
                "{name}, {is_leapfrog}: momentum {:.1e}, angular {:.1e}; floor and sides {walls:.3?}",
                off[0], off[1]
            );
            assert!(off[0] < 1e-5 * S::ROUNDING, "{name}: {off:?}");
            // Impulses along the line between predicted positions are not central.
            let tolerance = if name == "penalty" { angular_tolerance(is_leapfrog) } else { 3e-3 };
            assert!(off[1] < tolerance * S::ROUNDING, "{name}: {off:?}");
            assert!(walls[0].y < 0.0 && walls[1].x > 0.0, "{name}: {walls:?}");
        }
    }
}

/// A body has received what its momentum has changed by.
pub(crate) fn what_a_body_receives_is_its_change_of_momentum<S: Stepper>() {
    let world = flood(&Pressure::default(), &Viscosity::default(), explicit());
    let mut simulation: S = world.prepared();
    let start = simulation.totals().momentum;
    simulation.advance(0.05).unwrap();
    let accounts = simulation.snapshot().state.memory.accounts;
    let bodies = accounts.iter().filter(|account| (account.body.slot as usize) < 4);
    let received: DVec3 = bodies.map(|account| DVec3::from_array(account.received.linear)).sum();
    let change = simulation.totals().momentum - start;
    assert!((received - change).length() < 1e-9 * change.length(), "{received} {change}");
}

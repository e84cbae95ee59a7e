use std::collections::BTreeSet;

use super::*;
use crate::elasticity::{Elastic, Implicit};
use crate::fields::{Region, RegionBox};
use crate::heat::{Course, Heat, Heater, HeaterTarget, Supply};
use crate::measure::Totals;
use crate::pressure::{Iisph, Pressure};
use crate::real::{Dimension, Real, Vec3};
use crate::settings::Settings;
use crate::world::{BodyId, Material, NewBody};

const SPACING: Real = 0.01;

fn wax() -> Material {
    let heat =
        Heat { conductivity: 2.0, capacity: 2000.0, latent: 1e4, melts: Some([50.0, 60.0]), freezes: Some(55.0) };
    let elastic = Elastic::Implicit(Implicit { young_modulus: Some(1e5), ..Implicit::default() });
    Material { density: 900.0, heat: Some(heat), elastic: Some(elastic), ..Material::default() }
}

/// A lattice of so many particles whose first is in the first cell after a corner.
fn block(corner: [Real; 2], count: [usize; 2]) -> Vec<Vec3> {
    let place = |x: usize, y: usize| {
        Vec3::new(corner[0] + (x as Real + 0.5) * SPACING, corner[1] + (y as Real + 0.5) * SPACING, 0.0)
    };
    (0..count[0]).flat_map(|x| (0..count[1]).map(move |y| place(x, y))).collect()
}

/// Blocks of wax, so hot each, that float.
fn blocks(pressure: Pressure, all: &[([Real; 2], [usize; 2], Real)]) -> (Simulation, Vec<BodyId>) {
    let settings =
        Settings { spacing: SPACING, dimension: Dimension::Two, gravity: Vec3::ZERO, pressure, ..Settings::default() };
    let mut simulation = Simulation::new(settings, vec![wax()]).unwrap();
    let add = |(k, &(corner, count, temperature)): (usize, &([Real; 2], [usize; 2], Real))| {
        let (name, position) = (format!("block {k}"), block(corner, count));
        simulation.add_body(NewBody { name, position, temperature: Some(temperature), ..NewBody::default() }).unwrap()
    };
    let ids = all.iter().enumerate().map(add).collect();
    (simulation, ids)
}

/// Particles in a strip.
fn between(simulation: &Simulation, low: Real, high: Real) -> Vec<usize> {
    let position = &simulation.particles().position;
    simulation.matter().filter(|&i| position[i].x > low && position[i].x < high).collect()
}

/// The bodies of solid particles.
fn solids(simulation: &Simulation) -> BTreeSet<u32> {
    simulation.world().kinds.segment(KindId::ELASTIC).map(|i| simulation.particles().body[i]).collect()
}

/// Is every body counted rightly, and bonded only within?
fn assert_sound(simulation: &Simulation) {
    let world = simulation.world();
    for (slot, body) in world.bodies.iter().enumerate() {
        let count = world.particles.body.iter().filter(|owner| **owner as usize == slot).count();
        assert_eq!((body.particles, body.is_removed), (count, count == 0), "{slot}");
    }
    for i in world.kinds.bonded() {
        assert!(simulation.bonds_of(i).all(|j| world.particles.body[j] == world.particles.body[i] && j != i));
    }
    assert!(world.loose_parts(|_| true).is_empty());
    assert!(world.particles.is_consistent());
}

#[test]
fn what_merely_touches_stays_apart_and_what_melts_there_and_cools_is_one() {
    for pressure in [Pressure::default(), Pressure::Iisph(Iisph::default())] {
        let (mut simulation, _) = blocks(pressure, &[([0.0, 0.0], [8, 6], 20.0), ([0.08, 0.0], [8, 6], 20.0)]);
        simulation.advance(0.05).unwrap();
        assert_eq!(solids(&simulation).len(), 2, "cold solids that touch are two");
        let seam = between(&simulation, 0.06, 0.10);
        simulation.set_temperature(seam, 90.0);
        simulation.advance(0.02).unwrap();
        let liquid = simulation.world().kinds.segment(KindId::FLUID).len();
        assert!((20..=28).contains(&liquid), "{liquid}");
        assert_eq!(solids(&simulation).len(), 2);
        assert_sound(&simulation);
        simulation.set_temperature(simulation.matter(), 20.0);
        simulation.advance(0.05).unwrap();
        assert_eq!((solids(&simulation).len(), simulation.world().kinds.flowing().len()), (1, 0));
        assert_sound(&simulation);
    }
}

#[test]
fn what_melts_in_the_middle_is_two_and_stays_two_when_its_ends_cool() {
    let (mut simulation, ids) = blocks(Pressure::default(), &[([0.0, 0.0], [20, 6], 20.0)]);
    simulation.advance(0.01).unwrap();
    simulation.set_temperature(between(&simulation, 0.07, 0.13), 90.0);
    simulation.step().unwrap();
    assert_eq!(solids(&simulation).len(), 2);
    assert_sound(&simulation);
    // One end keeps the name and the identifier; the other is called the same.
    assert!(simulation.body(ids[0]).is_some());
    assert!(solids(&simulation).iter().all(|slot| simulation.bodies()[*slot as usize].name == "block 0"));
    // Each moves away with what sticks to it.
    for i in simulation.matter() {
        let side = (simulation.particles().position[i].x - 0.1).signum();
        simulation.world_mut().particles.velocity[i] = Vec3::X * (side * 1.0);
    }
    simulation.advance(0.1).unwrap();
    simulation.set_temperature(simulation.matter(), 20.0);
    simulation.advance(0.02).unwrap();
    assert_eq!(simulation.world().kinds.flowing().len(), 0);
    assert!(solids(&simulation).len() >= 2);
    assert_sound(&simulation);
    let sides: Vec<BTreeSet<u32>> = [(-9.0, 0.1), (0.1, 9.0)]
        .map(|(low, high)| between(&simulation, low, high).iter().map(|&i| simulation.particles().body[i]).collect())
        .into();
    assert!(sides[0].is_disjoint(&sides[1]), "{sides:?}");
}

#[test]
fn what_sets_far_from_any_solid_is_a_new_body_that_may_melt_and_set_again() {
    let (mut simulation, ids) = blocks(Pressure::default(), &[([0.0, 0.0], [20, 6], 20.0)]);
    simulation.advance(0.01).unwrap();
    simulation.set_temperature(between(&simulation, 0.1, 0.2), 90.0);
    simulation.step().unwrap();
    let liquid = simulation.world().kinds.segment(KindId::FLUID);
    assert_eq!(liquid.len(), 60);
    for i in liquid {
        simulation.world_mut().particles.velocity[i] = Vec3::X;
    }
    simulation.advance(0.1).unwrap();
    for round in 0..3 {
        let away = between(&simulation, 0.13, 9.0);
        simulation.set_temperature(away.iter().copied(), 20.0);
        simulation.step().unwrap();
        assert_sound(&simulation);
        let away = between(&simulation, 0.13, 9.0);
        let bodies: BTreeSet<_> = away.iter().map(|&i| simulation.particles().body[i]).collect();
        assert!(!bodies.contains(&ids[0].slot) && simulation.bodies().len() < 8, "{round}: {bodies:?}");
        assert!(away.iter().all(|i| simulation.world().kinds.bonded().contains(i)));
        simulation.set_temperature(away, 90.0);
        simulation.step().unwrap();
        assert_sound(&simulation);
    }
}

/// A strip whose middle is heated and cooled again and again.
fn pulsing() -> Simulation {
    let (mut simulation, _) = blocks(Pressure::default(), &[([0.0, 0.0], [20, 6], 40.0)]);
    let region = Region::Box(RegionBox { min: [0.05, -1.0, 0.0], max: [0.15, 1.0, 0.0] });
    let points = (0..200).map(|k| [f64::from(k) * 0.01, if k % 2 == 0 { 20.0 } else { 100.0 }]).collect();
    let supply = Supply::Temperature(Course { points });
    simulation.add_heater(Heater { target: HeaterTarget::Region(region), supply, from: 0.0, until: None }).unwrap();
    simulation
}

#[test]
fn a_thousand_flips_keep_mass_momentum_and_enthalpy() {
    let mut simulation = pulsing();
    simulation.prepare().unwrap();
    let start = (Totals::of(&simulation, None), simulation.heat(None).enthalpy);
    let mut flips = 0;
    while flips < 1000 {
        simulation.prepare().unwrap();
        let before = (Totals::of(&simulation, None), simulation.heat(None).enthalpy, simulation.heat_received().sum());
        let count = simulation.find_flips();
        flips += count.melting.len() + count.setting.len();
        simulation.change_phases().unwrap();
        let after = (Totals::of(&simulation, None), simulation.heat(None).enthalpy, simulation.heat_received().sum());
        let tiny = 1e-12 * before.0.momentum_scale;
        assert!(
            (after.0.momentum - before.0.momentum).length() <= tiny
                && (after.0.mass / before.0.mass - 1.0).abs() < 1e-12
        );
        assert!((after.0.angular_momentum - before.0.angular_momentum).length() <= tiny);
        assert!((after.0.kinetic - before.0.kinetic).abs() <= 1e-12 * before.0.kinetic);
        // What bonds had stored is heat now.
        let gained = after.1 - before.1;
        assert!((gained - (after.2 - before.2)).abs() < 1e-12 * after.1.abs());
        let energy = after.0.deformation + gained - before.0.deformation;
        assert!(energy.abs() < 1e-6 * before.0.deformation + 1e-12 * after.1, "{energy} {gained}");
        assert_sound(&simulation);
        simulation.step().unwrap();
        assert!(simulation.time() < 2.0, "{flips} flips");
    }
    let now = simulation.heat(None).enthalpy;
    assert!((now - simulation.heat_received().sum() - start.1).abs() < 1e-10 * now, "enthalpy");
    assert!((Totals::of(&simulation, None).mass / start.0.mass - 1.0).abs() < 1e-12);
}

#[test]
fn a_restart_amid_melting_goes_on_to_the_same_bits() {
    let mut unbroken = pulsing();
    let mut flips = 0;
    for _ in 0..6 {
        for _ in 0..37 {
            let count = unbroken.find_flips();
            flips += count.melting.len() + count.setting.len();
            unbroken.step().unwrap();
        }
        let mut restarted = pulsing();
        restarted.restore(unbroken.snapshot()).unwrap();
        for _ in 0..20 {
            unbroken.step().unwrap();
            restarted.step().unwrap();
        }
        assert_eq!(unbroken.particles(), restarted.particles());
        assert_eq!(unbroken.bodies(), restarted.bodies());
        assert_eq!(unbroken.heat_received(), restarted.heat_received());
    }
    assert!(flips > 100, "{flips}");
}

/// A block that turns, melts and freezes ten times. It is resumed after the fifth.
fn melt_and_freeze_ten_times(count: [usize; 2]) {
    let (mut simulation, _) = blocks(Pressure::Iisph(Iisph::default()), &[([0.0, 0.0], count, 20.0)]);
    let all = simulation.matter();
    let middle = 0.5 * SPACING * Vec3::new(count[0] as Real, count[1] as Real, 0.0);
    for i in all.clone() {
        let particles = &mut simulation.world_mut().particles;
        particles.velocity[i] = Vec3::Z.cross(particles.position[i] - middle) * 2.0;
    }
    simulation.prepare().unwrap();
    let start = Totals::of(&simulation, None);
    let mut resumed = None;
    for cycle in 0..10 {
        let both = [Some(&mut simulation), resumed.as_mut()];
        for simulation in both.into_iter().flatten() {
            simulation.set_temperature(all.clone(), 90.0);
            simulation.advance(0.01).unwrap();
            assert_eq!(simulation.world().kinds.bonded().len(), 0, "{cycle}");
            assert!(simulation.snapshot().state.bonds.is_empty(), "no pair is left behind");
            simulation.set_temperature(all.clone(), 20.0);
            simulation.advance(0.01).unwrap();
            assert_eq!(simulation.world().kinds.flowing().len(), 0, "{cycle}");
            assert_sound(simulation);
            let pairs: usize = all.clone().map(|i| simulation.bonds_of(i).count()).sum();
            let stored = simulation.snapshot().state.bonds;
            assert_eq!(stored.len(), pairs / 2);
            assert!(pairs < 48 * all.len() && simulation.bodies().len() < 4 + all.len() / 50, "memory does not grow");
        }
        if cycle == 4 {
            let mut again = blocks(Pressure::Iisph(Iisph::default()), &[([0.0, 0.0], count, 20.0)]).0;
            again.restore(simulation.snapshot()).unwrap();
            resumed = Some(again);
        }
    }
    let end = Totals::of(&simulation, None);
    assert_eq!((end.particles, end.mass), (start.particles, start.mass));
    assert!((end.momentum - start.momentum).length() < 1e-4 * start.momentum_scale);
    let resumed = resumed.unwrap();
    assert_eq!(simulation.particles(), resumed.particles());
    assert_eq!(simulation.snapshot().state.bonds, resumed.snapshot().state.bonds);
}

#[test]
fn ten_cycles_lose_nothing_and_leave_nothing_behind() {
    melt_and_freeze_ten_times([16, 12]);
}

#[test]
#[ignore = "takes minutes: 20000 particles"]
fn ten_cycles_of_twenty_thousand_particles_lose_nothing() {
    melt_and_freeze_ten_times([200, 100]);
}

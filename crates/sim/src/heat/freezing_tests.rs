use super::*;
use crate::elasticity::{Elastic, Implicit};
use crate::heat::Heat;
use crate::measure::Totals;
use crate::pressure::{Iisph, Pressure};
use crate::real::{Dimension, Mat3, Vec3};
use crate::settings::Settings;
use crate::world::{Material, NewBody};

const SPACING: Real = 0.01;
const YOUNG_MODULUS: Real = 1e5;

fn wax() -> Material {
    let heat = Heat { conductivity: 2.0, capacity: 2000.0, latent: 1e4, melts: Some([50.0, 60.0]), freezes: None };
    let elastic = Elastic::Implicit(Implicit { young_modulus: Some(YOUNG_MODULUS), ..Implicit::default() });
    Material { density: 900.0, heat: Some(heat), elastic: Some(elastic), ..Material::default() }
}

/// A lattice of so many particles around the origin.
fn lattice(count: [usize; 3]) -> Vec<Vec3> {
    let place = |x: usize, y: usize, z: usize| {
        let middle = |k: usize, axis: usize| k as Real - 0.5 * (count[axis] as Real - 1.0);
        SPACING * Vec3::new(middle(x, 0), middle(y, 1), middle(z, 2))
    };
    let [all_x, all_y, all_z] = count;
    (0..all_x).flat_map(|x| (0..all_y).flat_map(move |y| (0..all_z).map(move |z| place(x, y, z)))).collect()
}

/// Matter somewhere: as it was made, and as it has turned since.
struct Piece {
    shape: Vec<Vec3>,
    turn: Mat3,
    centre: Vec3,
    temperature: Real,
}

fn world(dimension: Dimension, pieces: &[Piece]) -> Simulation {
    let settings = Settings {
        spacing: SPACING,
        dimension,
        gravity: Vec3::ZERO,
        pressure: Pressure::Iisph(Iisph::default()),
        ..Settings::default()
    };
    let mut simulation = Simulation::new(settings, vec![wax()]).unwrap();
    for Piece { shape, turn, centre, temperature } in pieces {
        let position = shape.iter().map(|x| *centre + SPACING * (*turn * (*x / SPACING))).collect();
        let (undeformed, temperature) = (shape.clone(), Some(*temperature));
        simulation.add_body(NewBody { position, undeformed, temperature, ..NewBody::default() }).unwrap();
    }
    simulation
}

/// Everything freezes at once; the energy of deformation that solids have then, by what a strain of 1 costs all of them.
fn strain_energy_when_frozen(dimension: Dimension, pieces: &[Piece]) -> f64 {
    let mut simulation = world(dimension, pieces);
    simulation.prepare().unwrap();
    let before = Totals::of(&simulation, None);
    simulation.set_temperature(simulation.matter(), 20.0);
    simulation.change_phases().unwrap();
    let after = Totals::of(&simulation, None);
    assert_eq!(simulation.world().kinds.flowing().len(), 0);
    assert_eq!(simulation.bodies().iter().filter(|body| body.particles > 0).count(), 1, "they are one");
    assert!(before.deformation < 1e-6 * f64::from(YOUNG_MODULUS) * after.volume);
    after.deformation / (f64::from(YOUNG_MODULUS) * after.volume)
}

fn about_z(degrees: Real) -> Mat3 {
    Mat3::from_rotation_z(degrees.to_radians())
}

#[test]
fn a_pair_that_has_turned_takes_on_what_freezes_beside_it_with_little_stress() {
    for (dimension, tilt) in [(Dimension::Two, 0.0), (Dimension::Three, 50.0)] {
        for degrees in [0.0, 90.0, 135.0, 180.0, 290.0] {
            let turn = Mat3::from_rotation_x(Real::to_radians(tilt)) * about_z(degrees);
            let drop = Mat3::from_rotation_x(Real::to_radians(tilt)) * (Vec3::new(0.6, 0.9, 0.0) * SPACING);
            let pieces = [
                Piece { shape: lattice([2, 1, 1]), turn, centre: Vec3::ZERO, temperature: 20.0 },
                Piece { shape: vec![Vec3::ZERO], turn: Mat3::IDENTITY, centre: drop, temperature: 90.0 },
            ];
            let energy = strain_energy_when_frozen(dimension, &pieces);
            // A pair is a line: what tells how far it has turned does not see it bent, but its control of zero-energy modes does.
            assert!(energy < 2e-4, "{dimension:?}, {degrees}: {energy}");
        }
    }
}

#[test]
fn bodies_that_have_turned_apart_freeze_together_without_stress() {
    let skew = Mat3::from_axis_angle(Vec3::new(0.5, 0.4, 0.76).normalize(), 2.0);
    for (dimension, depth, turns) in [
        (Dimension::Two, 1, [about_z(70.0), about_z(-40.0)]),
        (Dimension::Two, 1, [about_z(0.0), about_z(180.0)]),
        (Dimension::Three, 4, [about_z(90.0), skew]),
    ] {
        let side = SPACING * 4.6;
        let [left, right] = turns;
        let pieces = [
            Piece { shape: lattice([5, 5, depth]), turn: left, centre: -Vec3::X * side, temperature: 20.0 },
            Piece { shape: lattice([4, 4, depth]), turn: right, centre: Vec3::X * side, temperature: 20.0 },
            Piece { shape: lattice([5, 4, depth]), turn: Mat3::IDENTITY, centre: Vec3::ZERO, temperature: 90.0 },
        ];
        let energy = strain_energy_when_frozen(dimension, &pieces);
        assert!(energy < 1e-8, "{dimension:?}: {energy}");
    }
}

#[test]
fn what_froze_to_bodies_that_had_turned_is_restored_to_the_same_bits() {
    let piece = |count, degrees, centre, temperature| Piece {
        shape: lattice(count),
        turn: about_z(degrees),
        centre: centre * SPACING,
        temperature,
    };
    let pieces = || {
        [
            piece([4, 4, 1], 70.0, Vec3::new(-4.0, 0.0, 0.0), 20.0),
            piece([3, 3, 1], -50.0, Vec3::new(4.0, 0.3, 0.0), 20.0),
            piece([3, 4, 1], 0.0, Vec3::ZERO, 90.0),
        ]
    };
    let mut unbroken = world(Dimension::Two, &pieces());
    unbroken.prepare().unwrap();
    unbroken.set_temperature(unbroken.matter(), 20.0);
    unbroken.advance(0.005).unwrap();
    let mut restarted = world(Dimension::Two, &pieces());
    restarted.restore(unbroken.snapshot()).unwrap();
    for i in 0..unbroken.matter().len() {
        let kick = Vec3::new(0.1 * (i % 3) as Real, 0.0, 0.0);
        unbroken.world_mut().particles.velocity[i] += kick;
        restarted.world_mut().particles.velocity[i] += kick;
    }
    for _ in 0..20 {
        unbroken.step().unwrap();
        restarted.step().unwrap();
    }
    assert_eq!(unbroken.particles(), restarted.particles());
    assert_eq!(unbroken.snapshot(), restarted.snapshot());
}

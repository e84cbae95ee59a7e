//! Contact of single particles, worked by hand: unequal masses, skew directions, walls.

use thixo_sim::{
    Corotated, Elastic, Material, NewBody, NewWall, Penalty, PredictorCorrector, Pressure, Real, Settings, StepSize,
    Vec3,
};

use super::worlds::lattice;
use super::{Recipe, Run, Stepper};

const SPACING: Real = 0.05;
const DT: Real = 1e-4;
const YOUNG: Real = 1e5;

/// Two bodies of a particle each, the second three times as dense.
const DENSITIES: [Real; 2] = [1000.0, 3000.0];

fn masses() -> [Real; 2] {
    DENSITIES.map(|density| density * SPACING.powi(3))
}

/// From the second particle to the first.
fn normal() -> Vec3 {
    Vec3::new(-0.6, 0.48, 0.64)
}

/// Particles at these places, each a body, that move so.
fn world(pressure: Pressure, places: &[Vec3], velocities: &[Vec3]) -> Recipe {
    let settings =
        Settings { spacing: SPACING, pressure, gravity: Vec3::ZERO, step: StepSize::Fixed(DT), ..Settings::default() };
    let elastic = Elastic::Corotated(Corotated { young_modulus: Some(YOUNG), ..Corotated::default() });
    let material = |density| Material { density, elastic: Some(elastic.clone()), ..Material::default() };
    let mut world = Recipe::new(settings, DENSITIES.map(material).to_vec());
    for (k, (place, velocity)) in places.iter().zip(velocities).enumerate() {
        let name = format!("particle {k}");
        let body =
            NewBody { name, material: k, position: vec![*place], velocity: vec![*velocity], ..NewBody::default() };
        world.add(body);
    }
    world
}

fn add_floor(world: &mut Recipe, friction: Real) {
    let position = lattice(SPACING, [-4, -1, -4], [8, 1, 8]);
    let to_surface = vec![Vec3::Y * (0.5 * SPACING)];
    world.add(NewWall { name: "floor".into(), position, to_surface, friction, ..NewWall::default() });
}

/// What the first step changed the velocities by, with which it moved, particle by particle.
fn changes<S: Stepper>(world: &Recipe, velocities: &[Vec3]) -> Vec<Vec3> {
    let mut simulation: S = world.prepared();
    let start = places(&simulation);
    simulation.step().unwrap();
    let moved = places(&simulation).into_iter().zip(start).map(|(end, start)| (end - start) / DT);
    moved.zip(velocities).map(|(moved, velocity)| moved - *velocity).collect()
}

fn places<S: Stepper>(simulation: &S) -> Vec<Vec3> {
    let particles = simulation.particles();
    let mut places: Vec<_> = particles.id.iter().zip(&particles.position).take(simulation.matter().len()).collect();
    places.sort_by_key(|(id, _)| **id);
    places.into_iter().map(|(_, place)| *place).collect()
}

#[track_caller]
fn assert_near(found: Vec3, expected: Vec3, what: &str) {
    // Velocities come from single-precision places: 1e-8 m in 1e-4 s.
    assert!((found - expected).length() < 1e-3 + 0.01 * expected.length(), "{what}: {found} {expected}");
}

/// Near each other by 0.8 d, they come nearer and slide along each other.
const VELOCITIES: [Vec3; 2] = [Vec3::new(1.5, -0.5, 0.4), Vec3::new(-0.6, 0.3, 0.0)];

pub(crate) fn penalty_pushes_two_particles_as_worked_by_hand<S: Stepper>() {
    let [light, heavy] = masses();
    let shared = light * heavy / (light + heavy);
    let apart = VELOCITIES[0] - VELOCITIES[1];
    let approach = -apart.dot(normal());
    assert!(approach > 0.0);
    let sliding = apart + normal() * approach;
    for (damping, friction) in [(0.0, 0.0), (0.3, 0.0), (0.3, 0.4)] {
        let spring = YOUNG * SPACING;
        let strength = spring * 0.2 * SPACING + 2.0 * damping * (spring * shared).sqrt() * approach;
        let force = normal() * strength - sliding.normalize() * friction * strength;
        let contact = Pressure::Penalty(Penalty { stiffness: Some(YOUNG), damping, friction });
        let places = [normal() * (0.8 * SPACING), Vec3::ZERO];
        let found = changes::<S>(&world(contact, &places, &VELOCITIES), &VELOCITIES);
        // Half a step of it, the first time.
        assert_near(found[0], force / light * (0.5 * DT), "light");
        assert_near(found[1], -force / heavy * (0.5 * DT), "heavy");
    }
}

/// Half a layer of each body, one behind the other.
pub(crate) fn penalty_is_as_stiff_as_both_bodies_in_series<S: Stepper>() {
    let at_rest = [Vec3::ZERO; 2];
    let places = [normal() * (0.8 * SPACING), Vec3::ZERO];
    for ratio in [1.0, 9.0] {
        let mut world = world(Pressure::Penalty(Penalty::default()), &places, &at_rest);
        let stiff = Corotated { young_modulus: Some(ratio * YOUNG), ..Corotated::default() };
        world.materials[1].elastic = Some(Elastic::Corotated(stiff));
        let force = normal() * (2.0 * YOUNG * ratio / (1.0 + ratio) * SPACING * 0.2 * SPACING);
        let found = changes::<S>(&world, &at_rest);
        assert_near(found[0], force / masses()[0] * (0.5 * DT), "light");
        assert_near(found[1], -force / masses()[1] * (0.5 * DT), "heavy");
    }
}

pub(crate) fn penalty_pushes_off_a_wall_as_worked_by_hand<S: Stepper>() {
    let mass = masses()[0];
    let velocity = [Vec3::new(1.0, -0.8, 0.5)];
    for (damping, friction) in [(0.0, 0.0), (0.3, 0.0), (0.3, 0.4)] {
        let spring = YOUNG * SPACING;
        let strength = spring * 0.2 * SPACING + 2.0 * damping * (spring * mass).sqrt() * 0.8;
        let force = (Vec3::Y - Vec3::new(1.0, 0.0, 0.5).normalize() * friction) * strength;
        let contact = Pressure::Penalty(Penalty { stiffness: Some(YOUNG), damping, friction: 0.0 });
        let mut world = world(contact, &[Vec3::Y * (0.3 * SPACING)], &velocity);
        add_floor(&mut world, friction);
        assert_near(changes::<S>(&world, &velocity)[0], force / mass * (0.5 * DT), "off the wall");
    }
}

pub(crate) fn predictor_corrector_stops_two_particles_as_worked_by_hand<S: Stepper>() {
    let [light, heavy] = masses();
    for (restitution, friction) in [(0.0, 0.0), (0.5, 0.0), (0.5, 0.3)] {
        let contact = Pressure::PredictorCorrector(PredictorCorrector { restitution, friction });
        // What overlaps is to part by a tenth of that in the step.
        let start = normal() * (0.99 * SPACING);
        let apart = VELOCITIES[0] - VELOCITIES[1];
        let predicted = start + apart * DT;
        let (along, overlap) = (predicted.normalize(), SPACING - predicted.length());
        let stop = (1.0 + restitution) * (0.1 * overlap / DT - apart.dot(along));
        let sliding = apart - along * apart.dot(along);
        let change = along * stop - sliding.normalize() * (friction * stop).min(sliding.length());
        let found = changes::<S>(&world(contact, &[start, Vec3::ZERO], &VELOCITIES), &VELOCITIES);
        assert_near(found[0], change * heavy / (light + heavy), "light");
        assert_near(found[1], -change * light / (light + heavy), "heavy");
    }
}

/// One particle falls between two that are bonded: each of the pairs does but its share.
pub(crate) fn predictor_corrector_shares_the_work_of_pairs_that_lean_the_same_way<S: Stepper>() {
    let [light, heavy] = masses();
    let contact = Pressure::PredictorCorrector(PredictorCorrector::default());
    let velocities = [Vec3::new(0.0, -1.0, 0.0), Vec3::ZERO, Vec3::ZERO];
    let mut world = world(contact, &[Vec3::Y * (0.94 * SPACING)], &velocities[..1]);
    let pair = [-0.3, 0.3].map(|x| Vec3::X * (x * SPACING));
    let body = NewBody { name: "pair".into(), material: 1, position: pair.to_vec(), ..NewBody::default() };
    world.add(body);
    let predicted = Vec3::Y * (0.94 * SPACING) + velocities[0] * DT;
    let normals = pair.map(|other| (predicted - other).normalize());
    let overlap = SPACING - (predicted - pair[0]).length();
    let crowding = (normals[0] + normals[1]).length_squared() / 2.0;
    assert!(crowding > 1.5);
    let stop = (0.1 * overlap / DT - velocities[0].dot(normals[0])) / crowding / (light + heavy);
    let found = changes::<S>(&world, &velocities);
    assert_near(found[0], (normals[0] + normals[1]) * (stop * heavy), "falling");
    assert_near(found[1], -normals[0] * (stop * light), "one of the pair");
    assert_near(found[2], -normals[1] * (stop * light), "the other");
}

pub(crate) fn predictor_corrector_stops_at_a_wall_as_worked_by_hand<S: Stepper>() {
    let velocity = [Vec3::new(1.0, -0.8, 0.5)];
    for (restitution, friction) in [(0.0, 0.0), (0.5, 0.3)] {
        let contact = Pressure::PredictorCorrector(PredictorCorrector { restitution, friction: 0.0 });
        let mut world = world(contact, &[Vec3::Y * (0.49 * SPACING)], &velocity);
        add_floor(&mut world, friction);
        let overlap = 0.01 * SPACING + 0.8 * DT;
        let stop = (1.0 + restitution) * (0.1 * overlap / DT + 0.8);
        let sliding = Vec3::new(1.0, 0.0, 0.5);
        let change = Vec3::Y * stop - sliding.normalize() * (friction * stop).min(sliding.length());
        assert_near(changes::<S>(&world, &velocity)[0], change, "off the wall");
    }
}

//! The system against what is worked by hand and by small motions.

use super::*;
use crate::elasticity::{Elastic, Implicit};
use crate::response::Alone;
use crate::settings::Settings;
use crate::simulation::Simulation;
use crate::simulation::test_worlds::three_particles;
use crate::world::{Material, NewBody, NewWall};

const DT: Real = 1e-3;
const OTHER_ACCELERATION: [Vec3; 3] = [Vec3::new(1.0, 2.0, 3.0), Vec3::new(-4.0, 0.0, 1.0), Vec3::ZERO];
const PRESSURE: [Real; 3] = [300.0, 500.0, 200.0];

const FORMS: [PairPressure; 3] = [PairPressure::DensityWeighted, PairPressure::OwnVolumes, PairPressure::BothVolumes];

fn system(simulation: &Simulation, dt: Real, form: PairPressure) -> System {
    let mut system = System::new(simulation.pairs().kernel(), simulation.world().spacing, form);
    system.expect(1e6);
    system.set_up(simulation.world(), simulation.pairs(), (&OTHER_ACCELERATION, &Alone), dt, Aim::Density);
    system
}

/// φ* + A P − 1 of all particles.
fn compressions(simulation: &Simulation, system: &mut System, pressure: [Real; 3]) -> [Real; 3] {
    let mut excess = [0.0; 3];
    system.accelerate(simulation.world(), simulation.pairs(), &pressure, &mut Alone);
    system.compression_to_first_order(simulation.world(), simulation.pairs(), &mut excess);
    excess
}

/// Column k of A: what a unit pressure of particle k does to all.
fn column(simulation: &Simulation, k: usize, form: PairPressure) -> [Real; 3] {
    let mut system = system(simulation, DT, form);
    let mut unit = [0.0; 3];
    unit[k] = 1e4;
    let (with, without) =
        (compressions(simulation, &mut system, unit), compressions(simulation, &mut system, [0.0; 3]));
    [0, 1, 2].map(|i| (with[i] - without[i]) / 1e4)
}

#[test]
fn the_product_is_the_change_of_densities_when_particles_move() {
    let simulation = three_particles();
    for pressure in [[0.0; 3], PRESSURE.map(|p| 10.0 * p)] {
        let mut system = system(&simulation, DT, PairPressure::OwnVolumes);
        let predicted = compressions(&simulation, &mut system, pressure);
        let mut moved = [0.0; 3];
        system.compression_after_moving(simulation.world(), simulation.pairs(), &mut moved);
        for i in 0..3 {
            let change = predicted[i] - (simulation.particles().compression(i) - 1.0);
            let found = moved[i] - (simulation.particles().compression(i) - 1.0);
            assert!((change - found).abs() < 0.05 * found.abs(), "{pressure:?} {i}: {change} {found}");
        }
    }
}

/// Weights say who gives way, in both predictions alike.
#[test]
fn both_predictions_weigh_alike() {
    let simulation = three_particles();
    for form in FORMS {
        let mut system = system(&simulation, 0.1 * DT, form);
        let first = compressions(&simulation, &mut system, PRESSURE.map(|p| 100.0 * p));
        let mut moved = [0.0; 3];
        system.compression_after_moving(simulation.world(), simulation.pairs(), &mut moved);
        for i in 0..3 {
            let (change, found) = [first[i], moved[i]].map(|c| c + 1.0 - simulation.particles().compression(i)).into();
            assert!((change - found).abs() < 0.05 * found.abs() + 1e-6, "{form:?} {i}: {change} {found}");
        }
    }
}

#[test]
fn the_system_is_symmetric_in_volumes_and_its_diagonal_is_the_one_divided_by() {
    let simulation = three_particles();
    let particles = simulation.particles();
    for form in FORMS {
        let system = system(&simulation, DT, form);
        let matrix = [0, 1, 2].map(|k| column(&simulation, k, form));
        let entry = |i: usize, j: usize| matrix[j][i] * particles.rest_volume[i];
        for i in 0..3 {
            for j in 0..i {
                let (a, b) = (entry(i, j), entry(j, i));
                assert!((a - b).abs() < 1e-3 * a.abs().max(b.abs()), "{form:?} {i} {j}: {a} {b}");
            }
            let used = -particles.rest_volume[i] / system.rows[i].inverse_diagonal;
            let found = entry(i, i).min(-particles.rest_volume[i] * least_diagonal(&simulation, &system, i));
            assert!((found / used - 1.0).abs() < 1e-3, "{form:?} {i}: {found} {used}");
        }
    }
}

fn least_diagonal(simulation: &Simulation, system: &System, i: usize) -> Real {
    let share = LEAST_DIAGONAL * system.rows[i].mean_weight.min(1.0);
    let least = share * system.lattice_spread / simulation.particles().rest_density[i];
    DT * DT / simulation.lattice_sum() * least
}

/// w_ij worked by hand.
fn weight(simulation: &Simulation, form: PairPressure, i: usize, j: usize) -> Real {
    let particles = simulation.particles();
    let (own, other) = (particles.rest_density[i], particles.rest_density[j]);
    match form {
        PairPressure::DensityWeighted => 2.0 * other / (own + other),
        PairPressure::OwnVolumes => 1.0,
        PairPressure::BothVolumes => particles.compression(i) / particles.compression(j),
    }
}

/// A_ii worked from its formula.
#[test]
fn the_diagonal_is_that_worked_by_hand() {
    let simulation = three_particles();
    let (particles, kernel) = (simulation.particles(), simulation.pairs().kernel());
    for (form, i) in FORMS.into_iter().flat_map(|form| (0..3).map(move |i| (form, i))) {
        let system = system(&simulation, DT, form);
        let (mut sum, mut spread) = (Vec3::ZERO, 0.0);
        for j in (0..3).filter(|&j| j != i) {
            let slope = kernel.gradient(particles.position[i] - particles.position[j]);
            let slope = slope * weight(&simulation, form, i, j);
            sum += particles.rest_volume[j] * slope;
            spread += particles.rest_volume[j] * slope.length_squared() / particles.rest_density[j];
        }
        let total = sum.length_squared() / particles.rest_density[i] + particles.rest_volume[i] * spread;
        let by_hand = (DT * DT / simulation.lattice_sum() * total).max(least_diagonal(&simulation, &system, i));
        let used = 1.0 / system.rows[i].inverse_diagonal;
        assert!((used / by_hand - 1.0).abs() < 1e-4, "{form:?} {i}: {used} {by_hand}");
    }
}

/// s_i (φ_i − 1) + rate, worked by hand.
#[test]
fn excess_compression_counts_by_the_mean_weight() {
    let simulation = three_particles();
    let (particles, kernel) = (simulation.particles(), simulation.pairs().kernel());
    for (form, i) in FORMS.into_iter().flat_map(|form| (0..3).map(move |i| (form, i))) {
        let system = system(&simulation, DT, form);
        let (mut rate, mut weighed, mut plain) = (0.0, 0.0, 0.0);
        for j in (0..3).filter(|&j| j != i) {
            let slope = kernel.gradient(particles.position[i] - particles.position[j]);
            let [own, other] = [i, j].map(|i| particles.velocity[i] + DT * OTHER_ACCELERATION[i]);
            let (volume, weight) = (particles.rest_volume[j], weight(&simulation, form, i, j));
            rate += volume * weight * (own - other).dot(slope);
            weighed += volume * weight * slope.length_squared();
            plain += volume * slope.length_squared();
        }
        let source = |recovery: Real| {
            let excess = particles.compression(i) - 1.0;
            let undone = if excess > 0.0 { recovery * excess } else { excess };
            weighed / plain * undone + DT / simulation.lattice_sum() * rate
        };
        let (found, by_hand) = (system.rows[i].source_term, source(1.0));
        assert!((found - by_hand).abs() < 1e-4 * by_hand.abs(), "{form:?} {i}: {found} {by_hand}");

        // In a step in which matter crosses a hundredth of a spacing, the least.
        let mut slow = system;
        slow.expect(0.01 / DT);
        slow.set_up(simulation.world(), simulation.pairs(), (&OTHER_ACCELERATION, &Alone), DT, Aim::Density);
        let (found, by_hand) = (slow.rows[i].source_term, source(if slow.is_weighted() { 0.03 } else { 0.1 }));
        assert!((found - by_hand).abs() < 1e-4 * by_hand.abs(), "{form:?} {i}: {found} {by_hand}");
    }
}

#[test]
fn compression_is_undone_no_faster_than_matter_moves() {
    for (spacings, expected) in [(2.0, 1.0), (0.1, 0.5), (0.04, 0.2), (2e-3, 0.1), (0.0, 0.1)] {
        let share = RECOVERY_WITHOUT_WEIGHTS.share(spacings);
        assert!((share - expected).abs() < 1e-6, "{spacings}: {share}");
    }
}

/// Light fluid between a wall and heavy fluid: a wall that counted less than the heavy fluid would answer its pressure
/// as much as the heavy fluid does, from the other side.
#[test]
fn pressure_frees_light_fluid_between_a_wall_and_heavy_fluid() {
    let settings = Settings { spacing: 0.1, ..Settings::default() };
    let materials = [2000.0, 100.0].map(|density| Material { density, ..Material::default() });
    let mut simulation = Simulation::new(settings, materials.to_vec()).unwrap();
    let layer = |y: Real| (-2..=2).flat_map(move |x| (-2..=2).map(move |z| Vec3::new(x as Real, y, z as Real) * 0.1));
    let light = Vec3::new(0.0, 0.05, 0.0);
    let heavy = layer(0.5).chain(layer(1.5)).filter(|x| x.distance(light) > 0.01).collect();
    let body = |material, position| NewBody { name: format!("{material}"), material, position, ..NewBody::default() };
    simulation.add_body(body(0, heavy)).unwrap();
    simulation.add_body(body(1, vec![light])).unwrap();
    let position: Vec<_> = layer(-0.4).collect();
    let to_surface = vec![Vec3::new(0.0, 0.04, 0.0); position.len()];
    simulation.add_wall(NewWall { name: "floor".into(), position, to_surface, ..NewWall::default() }).unwrap();
    simulation.prepare().unwrap();
    let particles = simulation.particles();
    let i = simulation.world().kinds.matter().find(|&i| particles.rest_density[i] == 100.0).unwrap();
    let count = simulation.world().kinds.matter().len();
    let mut system = System::new(simulation.pairs().kernel(), 0.1, PairPressure::DensityWeighted);
    system.expect(1e6);
    system.set_up(simulation.world(), simulation.pairs(), (&[], &Alone), DT, Aim::Divergence);
    let [without, with] = [0.0, 1e4].map(|p| {
        let (mut pressure, mut excess) = (vec![0.0; count], vec![0.0; count]);
        pressure[i] = p;
        system.accelerate(simulation.world(), simulation.pairs(), &pressure, &mut Alone);
        system.compression_to_first_order(simulation.world(), simulation.pairs(), &mut excess);
        excess[i]
    });
    let share = (without - with) / 1e4 * system.rows[i].inverse_diagonal;
    assert!((0.5..1.5).contains(&share), "{share}");
}

#[test]
fn accelerations_are_those_worked_by_hand_and_cancel() {
    let simulation = three_particles();
    let (particles, kernel) = (simulation.particles(), simulation.pairs().kernel());
    for form in FORMS {
        let mut system = system(&simulation, DT, form);
        system.accelerate(simulation.world(), simulation.pairs(), &PRESSURE, &mut Alone);
        system.accept(1.0);
        let mut total = Vec3::ZERO;
        for (i, pressure) in PRESSURE.into_iter().enumerate() {
            let mut by_hand = Vec3::ZERO;
            for j in (0..3).filter(|&j| j != i) {
                let [own, other] = [(i, j), (j, i)].map(|(i, j)| weight(&simulation, form, i, j));
                let slope = kernel.gradient(particles.position[i] - particles.position[j]);
                let volumes = particles.rest_volume[i] * particles.rest_volume[j];
                by_hand -= volumes * (own * pressure + other * PRESSURE[j]) * slope;
            }
            let found = system.acceleration(i) * particles.mass(i);
            assert!((found - by_hand).length() < 1e-4 * by_hand.length(), "{form:?} {i}: {found} {by_hand}");
            total += found;
        }
        assert!(total.length() < 1e-5 * (system.acceleration(0) * particles.mass(0)).length(), "{total}");
    }
}

/// Two fluids in a corner of two walls, out of order, and rubber beside them.
fn corner() -> Simulation {
    let rubber = Elastic::Implicit(Implicit::default());
    let rubber = Material { elastic: Some(rubber), ..Material::default() };
    let fluids = [1000.0, 100.0].map(|density| Material { density, ..Material::default() });
    let settings = Settings { spacing: 0.1, ..Settings::default() };
    let mut simulation = Simulation::new(settings, [vec![rubber], fluids.to_vec()].concat()).unwrap();
    let cells = |[x, y, z]: [i32; 3]| {
        (0..x * y * z).map(move |k| Vec3::new((k % x) as Real, (k / x % y) as Real, (k / (x * y)) as Real))
    };
    // Some disorder, of cosines.
    let place = |cell: Vec3| {
        (cell + Vec3::splat(0.5)) * 0.1 + 0.01 * (37.0 * cell + 11.0 * Vec3::new(cell.y, cell.z, cell.x)).map(Real::cos)
    };
    let mut add = |material: usize, size: [i32; 3], first: Vec3| {
        let position = cells(size).map(|cell| place(cell + first)).collect();
        simulation.add_body(NewBody { name: material.to_string(), material, position, ..NewBody::default() }).unwrap();
    };
    add(0, [2, 2, 2], Vec3::new(0.0, 0.0, 3.0));
    add(1, [3, 2, 3], Vec3::ZERO);
    add(2, [3, 2, 3], Vec3::new(0.0, 2.0, 0.0));
    let mut wall = |name: &str, size: [i32; 3], first: Vec3, to_surface: Vec3| {
        let position = cells(size).map(|cell| (cell + first + Vec3::splat(0.5)) * 0.1).collect();
        let to_surface = vec![to_surface * 0.05];
        simulation.add_wall(NewWall { name: name.into(), position, to_surface, ..NewWall::default() }).unwrap();
    };
    wall("floor", [6, 1, 8], Vec3::new(-1.0, -1.0, -1.0), Vec3::Y);
    wall("side", [1, 5, 8], Vec3::new(-1.0, 0.0, -1.0), Vec3::X);
    simulation.prepare().unwrap();
    simulation
}

/// −V0 A, column by column.
fn matrix(simulation: &Simulation, system: &mut System) -> Vec<Vec<f64>> {
    let (world, pairs) = (simulation.world(), simulation.pairs());
    let count = world.kinds.matter().len();
    let mut left = |pressure: &[Real]| {
        let mut excess = vec![0.0; count];
        system.accelerate(world, pairs, pressure, &mut Alone);
        system.compression_to_first_order(world, pairs, &mut excess);
        excess
    };
    let none = left(&vec![0.0; count]);
    let column = |k: usize| {
        let mut unit = vec![0.0; count];
        unit[k] = 1e5;
        let with = left(&unit);
        let of = |i: usize| 1e-5 * f64::from(none[i] - with[i]) * f64::from(world.particles.rest_volume[i]);
        (0..count).map(of).collect()
    };
    (0..count).map(column).collect()
}

/// Pressures of walls follow from those of matter by E, what walls read of compression goes back by its transpose.
#[test]
fn the_system_is_symmetric_with_walls_and_not_negative() {
    let simulation = corner();
    for (form, aim) in FORMS.into_iter().zip([Aim::Density, Aim::Divergence, Aim::Density]) {
        let mut system = System::new(simulation.pairs().kernel(), 0.1, form);
        system.expect(1e6);
        system.set_up(simulation.world(), simulation.pairs(), (&[], &Alone), DT, aim);
        let matrix = matrix(&simulation, &mut system);
        let count = matrix.len();
        let largest = (0..count).map(|i| matrix[i][i]).fold(0.0, f64::max);
        for (i, j) in (0..count).flat_map(|i| (0..i).map(move |j| (i, j))) {
            let (a, b) = (matrix[i][j], matrix[j][i]);
            assert!((a - b).abs() < 1e-4 * largest, "{form:?} {i} {j}: {a} {b}, largest {largest}");
        }
        // Some vectors, rough and smooth: none has a negative product with what the matrix makes of it.
        for wave in [0.1, 0.7, 2.0, 3.1] {
            let x: Vec<f64> = (0..count).map(|i| (wave * i as f64).cos()).collect();
            let product: f64 = (0..count).map(|j| x[j] * (0..count).map(|i| matrix[i][j] * x[i]).sum::<f64>()).sum();
            assert!(product > -1e-3 * largest, "{form:?} {wave}: {product}");
        }
        // The diagonal divided by is that of the matrix, but for what walls share between particles.
        for (i, column) in matrix.iter().enumerate() {
            let (found, used) = (column[i], f64::from(system.accelerated[i][3] / system.rows[i].inverse_diagonal));
            assert!(found < 1.5 * used, "{form:?} {i}: {found} {used}");
        }
    }
}

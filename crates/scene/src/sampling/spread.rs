//! What each sampling promises, measured: volumes, distances, neighbours, depths, and the same for any threads.

use glam::DVec3;

use super::{Arrangement, BodySample, Fill, Rows, Sampling, Seed};
use crate::document::Path;
use crate::fixtures::{around, ball, body, world};
use crate::near::Near;
use crate::shape::tests::{Known, known_shapes};
use crate::{Body, Shape, World};

fn cubic() -> Sampling {
    Sampling::Lattice(Arrangement::default())
}

fn hexagonal() -> Sampling {
    Sampling::Lattice(Arrangement { arrangement: Rows::Hexagonal })
}

fn poisson() -> Sampling {
    Sampling::PoissonDisk(Seed { seed: Some(3) })
}

fn relaxed() -> Sampling {
    Sampling::Relaxed(Seed { seed: Some(3) })
}

fn sample(shape: &Shape, fill: Fill, sampling: Sampling, world: &World) -> BodySample {
    let body = Body { fill, sampling: Some(sampling), ..body(shape) };
    BodySample::new(&body, around(world), &Path::default()).unwrap()
}

/// Volume of all particles [m^dimension].
fn volume(sample: &BodySample, world: &World) -> f64 {
    sample.count() as f64 * sample.rest_volume.unwrap_or(world.cell_volume())
}

/// Statistics of a cloud of points, in spacings.
#[derive(Debug)]
struct Spread {
    least_distance: f64,
    /// Mean and standard deviation of the number of points within two spacings of the inner ones.
    neighbours: (f64, f64),
    /// Mean of the kernel sum of the inner points, and its standard deviation, by the volume of each.
    density: (f64, f64),
}

impl Spread {
    fn of(sample: &BodySample, world: &World, is_inner: impl Fn(DVec3) -> bool) -> Spread {
        let points: Vec<_> = sample.positions().collect();
        let kernel = world.kernel.kernel(world.spacing as thixo_sim::Real, world.dimension());
        let reach = f64::from(kernel.support()).max(2.0 * world.spacing);
        let near = Near::of(points.iter().copied(), reach);
        let (mut least, mut counts, mut sums) = (f64::INFINITY, Vec::new(), Vec::new());
        for (k, &point) in points.iter().enumerate() {
            let (mut count, mut sum) = (0.0, 0.0);
            for (number, way) in near.around(point) {
                let distance = way.length();
                if number != k {
                    least = least.min(distance / world.spacing);
                    count += f64::from(u8::from(distance < 2.0 * world.spacing));
                }
                sum += f64::from(kernel.value(distance as thixo_sim::Real));
            }
            if is_inner(point) {
                counts.push(count);
                sums.push(sum * sample.rest_volume.unwrap_or(world.cell_volume()));
            }
        }
        Spread { least_distance: least, neighbours: moments(&counts), density: moments(&sums) }
    }
}

fn moments(values: &[f64]) -> (f64, f64) {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / values.len() as f64;
    (mean, variance.sqrt())
}

/// Every shape by every sampling: to half a percent in rows, from some 20 spacings across; where rows fit faces along
/// the axes, these are met exactly. Random and relaxed particles share the volume.
#[test]
fn volumes_of_known_shapes_are_kept_at_three_resolutions() {
    for Known { name, shape, volume: exact, .. } in known_shapes() {
        for (sampling, tolerance, spacings) in [
            (cubic(), 0.005, [0.05, 0.04, 0.025]),
            (hexagonal(), 0.005, [0.05, 0.04, 0.025]),
            (poisson(), 0.001, [0.15, 0.1, 0.07]),
            (relaxed(), 0.001, [0.2, 0.15, 0.12]),
        ] {
            for spacing in spacings {
                let world = world(3, spacing);
                let sample = sample(&shape, Fill::Volume, sampling.clone(), &world);
                let error = volume(&sample, &world) / exact - 1.0;
                assert!(error.abs() < tolerance, "{name} {sampling:?} at {spacing}: {error}");
            }
        }
    }
}

/// What a sampling is like inside a ball: least distance, neighbours within two spacings, density in units of the
/// lattice, volume of a particle in cells; means and deviations.
#[test]
fn every_sampling_has_its_distances_neighbours_and_densities() {
    for (dimension, spacing) in [(2, 0.02), (3, 0.06)] {
        let world = world(dimension, spacing);
        let of = |sampling: Sampling| {
            let sample = sample(&ball([0.0; 3], 0.6), Fill::Volume, sampling.clone(), &world);
            let spread = Spread::of(&sample, &world, |point| point.length() < 0.6 - 3.0 * spacing);
            let depth = sample.positions().map(|p| 0.6 - p.length()).fold(f64::INFINITY, f64::min) / spacing;
            let size = sample.rest_volume.unwrap_or(world.cell_volume()) / world.cell_volume();
            println!("{dimension}D {sampling:?} {} {spread:.4?} depth {depth:.3} size {size:.4}", sample.count());
            (spread, depth, size)
        };
        let (lattice, _, _) = of(cubic());
        assert!((lattice.least_distance - 1.0).abs() < 1e-9 && lattice.density.1 < 1e-6);
        let (packed, _, _) = of(hexagonal());
        assert!(packed.least_distance > 1.05 && packed.density.1 < 1e-6);
        assert!((packed.density.0 / lattice.density.0 - 1.0).abs() < 0.01);
        let (random, depth, size) = of(poisson());
        assert!(random.least_distance > 0.8 && (depth - 0.5).abs() < 0.02 && (size - 1.0).abs() < 0.05);
        assert!(random.density.1 < 0.12 && (random.density.0 / lattice.density.0 - 1.0).abs() < 0.08);
        let (even, depth, size) = of(relaxed());
        assert!(even.least_distance > 0.75 && (depth - 0.5).abs() < 0.02 && (size - 1.0).abs() < 0.001);
        assert!(even.density.1 < 0.02 && (even.density.0 / lattice.density.0 - 1.0).abs() < 0.01);
        assert!(even.neighbours.1 < 2.0, "{even:?}");
    }
}

/// The space of each particle of a ball [cells], and its depth [d]: the points of a fine grid are counted that are nearer
/// to it than to any other.
fn spaces(sample: &BodySample, world: &World, radius: f64) -> Vec<(f64, f64)> {
    let parts = if world.dimension == 2 { 24 } else { 9 };
    let points: Vec<_> = sample.positions().collect();
    let near = Near::of(points.iter().copied(), 1.6 * world.spacing);
    let fine = World { spacing: world.spacing / f64::from(parts), ..world.clone() };
    let bounds = crate::shape::Bounds::around(DVec3::ZERO, DVec3::splat(radius));
    let lattice = super::Lattice::over(bounds, &fine);
    let mut counts = vec![0; points.len()];
    for place in lattice.iter().map(|cell| lattice.centre(cell)).filter(|place| place.length() < radius) {
        let nearest = near.around(place).min_by(|a, b| a.1.length_squared().total_cmp(&b.1.length_squared()));
        counts[nearest.unwrap().0] += 1;
    }
    let cell = f64::from(parts).powi(i32::from(world.dimension));
    counts.iter().zip(&points).map(|(&n, p)| (f64::from(n) / cell, (radius - p.length()) / world.spacing)).collect()
}

/// To five percent, at the surface as well as inside: the deviation from the space of a cell, not of the mean.
#[test]
fn relaxed_particles_have_equal_space() {
    for (dimension, spacing) in [(2, 0.02), (3, 0.075)] {
        let world = world(dimension, spacing);
        let sample = sample(&ball([0.0; 3], 0.6), Fill::Volume, relaxed(), &world);
        let spaces = spaces(&sample, &world, 0.6);
        for (layer, depths) in [("outermost", -1.0..0.75), ("second", 0.75..1.75), ("inner", 1.75..1e9)] {
            let off = spaces.iter().filter(|(_, depth)| depths.contains(depth)).map(|(space, _)| space - 1.0);
            let off: Vec<_> = off.collect();
            let (mean, deviation) = moments(&off);
            let most = off.iter().fold(0.0_f64, |most, off| most.max(off.abs()));
            println!("{dimension}D {layer}: {} mean {mean:.3}, deviation {deviation:.3}, most {most:.3}", off.len());
            assert!(mean.hypot(deviation) < 0.05 && most < 0.2, "{dimension}D {layer}: {mean} {deviation} {most}");
        }
    }
}

#[test]
fn surfaces_and_lines_are_one_particle_thick() {
    let world = world(3, 0.06);
    let area = 4.0 * std::f64::consts::PI * 0.36;
    for (sampling, least, deviation) in [(poisson(), 0.8, 0.1), (relaxed(), 0.75, 0.04)] {
        let sample = sample(&ball([0.0; 3], 0.6), Fill::Surface, sampling, &world);
        assert!(sample.positions().all(|point| (point.length() - 0.6).abs() < 1e-4));
        let count = sample.count() as f64;
        assert!((count * 0.06 * 0.06 / area - 1.0).abs() < 0.05, "{count}");
        assert!((volume(&sample, &world) / (area * 0.06) - 1.0).abs() < 0.002);
        let spread = Spread::of(&sample, &world, |_| true);
        println!("surface {count} {spread:.4?}");
        assert!(spread.least_distance > least && spread.density.1 / spread.density.0 < deviation, "{spread:?}");
    }
    let flat = self::world(2, 0.01);
    let sample = sample(&ball([0.0; 3], 0.6), Fill::Surface, relaxed(), &flat);
    let length = 1.2 * std::f64::consts::PI;
    assert!((sample.count() as f64 * 0.01 / length - 1.0).abs() < 0.05, "{}", sample.count());
    assert!((volume(&sample, &flat) / (length * 0.01) - 1.0).abs() < 0.002);
    let curve: Shape =
        toml::from_str("curve = { points = [[0, 0, 0], [1, 0, 0], [1, 1, 0]], radii = [0.1], smooth = false }")
            .unwrap();
    let rod = self::sample(&curve, Fill::Line, cubic(), &world);
    let points: Vec<_> = rod.positions().collect();
    assert_eq!(points.len(), 33);
    assert!((volume(&rod, &world) - 2.0 * 0.06 * 0.06).abs() < 1e-12);
    assert!(points.windows(2).all(|pair| pair[0].distance(pair[1]) < 0.0607));
    assert!(points[0].distance(DVec3::new(1.0 / 33.0, 0.0, 0.0)) < 1e-9);
}

#[test]
fn any_number_of_threads_gives_the_same_particles() {
    let world = world(3, 0.1);
    for (fill, sampling) in [
        (Fill::Volume, cubic()),
        (Fill::Volume, hexagonal()),
        (Fill::Volume, poisson()),
        (Fill::Volume, relaxed()),
        (Fill::Surface, relaxed()),
    ] {
        let points = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                sample(&ball([0.1, 0.2, 0.3], 0.7), fill, sampling.clone(), &world).positions().collect::<Vec<_>>()
            })
        };
        let one = points(1);
        assert!(one.len() > 300 && one == points(3), "{sampling:?}");
    }
}

#[test]
fn another_seed_gives_other_particles() {
    let world = world(3, 0.1);
    for sampling in [|seed| Sampling::PoissonDisk(Seed { seed }), |seed| Sampling::Relaxed(Seed { seed })] {
        let first = |seed| sample(&ball([0.0; 3], 0.5), Fill::Volume, sampling(seed), &world).positions().next();
        assert_eq!(first(None), first(Some(0)), "the seed of the world is meant");
        assert_ne!(first(Some(1)), first(Some(2)));
    }
}

//! What sampling must keep: counts, volumes, distances, corners, and where surfaces are.

use std::collections::BTreeSet;

use glam::DVec3;

use super::{BodySample, WallCells, wall_layers};
use crate::document::Path;
use crate::fixtures::{around, ball, body, cuboid, wall, world};
use crate::shape::Bounds;
use crate::{BoxShape, Shape, World};

fn sample(shape: &Shape, world: &World) -> BodySample {
    BodySample::new(&body(shape), around(world), &Path::default()).unwrap()
}

fn positions(shape: &Shape, world: &World) -> Vec<DVec3> {
    sample(shape, world).positions().collect()
}

/// Distance of `point` to the nearest of `others`.
fn nearest(point: DVec3, others: &[DVec3]) -> f64 {
    others.iter().map(|other| other.distance(point)).fold(f64::INFINITY, f64::min)
}

#[test]
fn volumes_of_the_cells_add_up_to_that_of_the_box() {
    for (dimension, spacing) in [(3, 0.02), (3, 0.1), (2, 0.02), (2, 0.0125)] {
        let world = world(dimension, spacing);
        let cells = sample(&cuboid([-0.3, 0.1, 0.0], [0.7, 0.6, 1.0]), &world);
        let volume: f64 = cells.positions().map(|_| world.cell_volume()).sum();
        assert!((volume - 0.5).abs() < 0.5e-6, "{dimension} {spacing}: {volume}");
        assert_eq!(cells.count(), cells.positions().count() as u64);
    }
}

#[test]
fn balls_have_their_volume_and_their_centre() {
    for (dimension, volume) in [(2, std::f64::consts::PI), (3, 4.0 / 3.0 * std::f64::consts::PI)] {
        let world = world(dimension, 0.05);
        let centre = [0.3, -0.2, 0.7];
        let points = positions(&ball(centre, 1.0), &world);
        let sampled = points.len() as f64 * world.cell_volume();
        assert!((sampled / volume - 1.0).abs() < 0.003, "{dimension}: {sampled} {volume}");
        let mean = points.iter().sum::<DVec3>() / points.len() as f64;
        assert!(mean.distance(world.flat(centre)) < 1e-12);
    }
}

#[test]
fn bodies_lie_half_a_spacing_inside_their_surface() {
    let points = positions(&cuboid([1.0, 2.0, 3.0], [1.3, 2.2, 3.1]), &world(3, 0.1));
    assert_eq!(points.len(), 6);
    assert!(points[0].distance(DVec3::new(1.05, 2.05, 3.05)) < 1e-12);
    assert!(points[5].distance(DVec3::new(1.25, 2.15, 3.05)) < 1e-12);
}

#[test]
fn two_dimensions_have_one_layer_at_zero() {
    let world = world(2, 0.1);
    let shapes = [cuboid([0.0, 0.0, 5.0], [1.0, 1.0, -5.0]), ball([0.0, 0.0, 9.0], 0.5)];
    for shape in shapes {
        assert!(positions(&shape, &world).iter().all(|point| point.z == 0.0));
        for inside in [true, false] {
            let cells = WallCells::new(&wall(shape.clone(), inside), around(&world), Bounds::EVERYWHERE);
            assert!(cells.particles().all(|p| p.position.z == 0.0 && p.to_surface.z == 0.0));
        }
    }
    assert_eq!(positions(&cuboid([0.0, 0.0, 5.0], [1.0, 1.0, -5.0]), &world).len(), 100);
}

#[test]
fn fluid_meets_the_wall_of_its_tank_at_one_spacing() {
    for dimension in [2, 3] {
        let world = world(dimension, 0.1);
        let shape = cuboid([0.2, -0.3, 0.1], [0.8, 0.2, 0.5]);
        let fluid = positions(&shape, &world);
        let tank: Vec<_> = WallCells::new(&wall(shape, true), around(&world), Bounds::EVERYWHERE)
            .particles()
            .map(|p| p.position)
            .collect();
        let gap = fluid.iter().map(|&point| nearest(point, &tank)).fold(f64::INFINITY, f64::min);
        assert!((gap - 0.1).abs() < 1e-12, "{gap}");
        // With the wall the lattice goes on: every outer fluid particle has all its neighbours at one spacing.
        let all: Vec<_> = fluid.iter().chain(&tank).copied().collect();
        for point in &fluid {
            let near = all.iter().filter(|other| (other.distance(*point) - 0.1).abs() < 1e-9).count();
            assert_eq!(near, 2 * usize::from(dimension));
        }
    }
}

#[test]
fn walls_of_boxes_have_their_edges_and_corners() {
    for (dimension, inside) in [(2, true), (3, true), (2, false), (3, false)] {
        let world = world(dimension, 0.1);
        let layers = wall_layers(&world) as i64;
        assert_eq!(layers, if dimension == 2 { 2 } else { 1 });
        let cells =
            WallCells::new(&wall(cuboid([0.0; 3], [0.8, 0.7, 0.6]), inside), around(&world), Bounds::EVERYWHERE);
        let found: BTreeSet<_> =
            cells.particles().map(|p| (p.position / 0.1).floor().to_array().map(|x| x as i64)).collect();
        let depth = if dimension == 3 { 6 } else { 1 };
        let margin = if inside { layers } else { 0 };
        let mut expected = BTreeSet::new();
        for x in -margin..8 + margin {
            for y in -margin..7 + margin {
                for z in if dimension == 3 { -margin..depth + margin } else { 0..1 } {
                    let cell = [x, y, z];
                    let hole = if inside { 0 } else { layers };
                    let within = |axis: usize, size: i64| (hole..size - hole).contains(&cell[axis]);
                    if !(within(0, 8) && within(1, 7) && (dimension == 2 || within(2, 6))) {
                        expected.insert(cell);
                    }
                }
            }
        }
        assert_eq!(found, expected, "{dimension} {inside}");
        assert_eq!(cells.estimate(), expected.len() as f64);
        assert_eq!(cells.particles().count(), expected.len());
    }
}

#[test]
fn a_box_too_thin_for_a_hole_is_filled() {
    for dimension in [2, 3] {
        let world = world(dimension, 0.1);
        let cells = WallCells::new(&wall(cuboid([0.0; 3], [1.0, 0.1, 1.0]), false), around(&world), Bounds::EVERYWHERE);
        assert_eq!(cells.particles().count(), if dimension == 2 { 10 } else { 100 });
        assert_eq!(cells.estimate(), cells.particles().count() as f64);
    }
}

#[test]
fn every_wall_particle_knows_the_nearest_point_of_the_surface() {
    let shapes = [cuboid([0.0; 3], [0.8, 0.7, 0.6]), ball([0.1, 0.2, 0.3], 0.45)];
    for (dimension, inside, shape) in [2, 3]
        .into_iter()
        .flat_map(|d| [true, false].map(|i| (d, i)))
        .flat_map(|(d, i)| shapes.clone().map(|s| (d, i, s)))
    {
        let world = world(dimension, 0.1);
        let cells = WallCells::new(&wall(shape, inside), around(&world), Bounds::EVERYWHERE);
        let layers = wall_layers(&world) as f64;
        for particle in cells.particles() {
            let depth = cells.depth(particle.position);
            assert!((0.05 - 1e-9..layers * 0.1 * 1.8).contains(&depth), "{depth}");
            // As near to several faces, it points to the edge or corner they share.
            let ways = particle.to_surface.to_array().iter().filter(|way| way.abs() > 1e-9).count();
            let faces = if inside || matches!(cells, WallCells::Sphere(_)) { 1 } else { ways };
            let length = depth * (faces as f64).sqrt();
            assert!((particle.to_surface.length() - length).abs() < 1e-9, "{particle:?} {depth}");
            assert!(cells.depth(particle.position + particle.to_surface).abs() < 1e-9, "{particle:?}");
        }
    }
}

#[test]
fn spherical_walls_are_evenly_spread() {
    for dimension in [2, 3] {
        let world = world(dimension, 0.1);
        for inside in [true, false] {
            let cells = WallCells::new(&wall(ball([0.0; 3], 1.0), inside), around(&world), Bounds::EVERYWHERE);
            let points: Vec<_> = cells.particles().map(|p| p.position).collect();
            assert_eq!(cells.estimate(), points.len() as f64);
            for (k, &point) in points.iter().enumerate() {
                let others: Vec<_> = points.iter().enumerate().filter(|(j, _)| *j != k).map(|(_, p)| *p).collect();
                let gap = nearest(point, &others);
                assert!((0.06..0.13).contains(&gap), "{dimension} {inside} {gap}");
            }
        }
    }
}

/// V0 Σ W of a wall particle, with its own wall, is that of a flat lattice wall: 0.778 in 3D at 2 d, 0.732 in 2D
/// at 3 d.
#[test]
fn spherical_walls_weigh_as_much_as_flat_ones() {
    for (dimension, flat) in [(3, 0.778), (2, 0.732)] {
        let world = world(dimension, 0.1);
        let kernel = world.kernel.kernel(0.1, world.dimension());
        for layer in 0..wall_layers(&world) {
            let sum =
                super::wall_volume::flat_wall_sum(&kernel, 0.1, usize::from(dimension), (layer, wall_layers(&world)));
            assert!((sum * world.cell_volume() - flat).abs() < 5e-4, "{}", sum * world.cell_volume());
        }
        for inside in [true, false] {
            let cells = WallCells::new(&wall(ball([0.5, -0.2, 0.1], 0.83), inside), around(&world), Bounds::EVERYWHERE);
            let particles: Vec<_> = cells.particles().collect();
            let points: Vec<_> = particles.iter().map(|p| p.position).collect();
            let volumes = cells.rest_volumes(&particles, &world);
            assert_eq!(points.len(), volumes.len());
            for (&point, volume) in points.iter().zip(volumes) {
                let sum: f64 =
                    points.iter().map(|other| f64::from(kernel.value(other.distance(point) as thixo_sim::Real))).sum();
                assert!((volume * sum - flat).abs() < 5e-4, "{}", volume * sum);
                assert!((volume / world.cell_volume() - 1.0).abs() < 0.35, "{}", volume / world.cell_volume());
            }
        }
    }
}

#[test]
fn bodies_that_share_a_face_do_not_overlap_and_others_do() {
    let world = world(3, 0.1);
    let cells = |shape: &Shape| sample(shape, &world);
    let block = cells(&cuboid([0.0; 3], [1.0, 1.0, 1.0]));
    let apart = [
        cuboid([1.0, 0.0, 0.0], [2.0, 1.0, 1.0]),
        cuboid([1.0, 0.05, 0.03], [2.0, 1.0, 1.0]),
        cuboid([0.0, 1.0, 0.0], [1.0, 1.2, 1.0]),
        cuboid([0.0, -0.3, 0.0], [1.0, 0.0, 1.0]),
        ball([0.5, 1.4, 0.5], 0.4),
        ball([1.3, 1.3, 0.5], 0.4),
        cuboid([5.0, 5.0, 5.0], [6.0, 6.0, 6.0]),
    ];
    let over = [
        cuboid([0.9, 0.0, 0.0], [2.0, 1.0, 1.0]),
        cuboid([0.05, 0.05, 0.05], [0.95, 0.95, 0.95]),
        cuboid([-1.0, -1.0, -1.0], [2.0, 2.0, 2.0]),
        ball([0.5, 1.3, 0.5], 0.4),
        ball([0.5, 0.5, 0.5], 0.06),
    ];
    for shape in apart {
        assert_eq!(cells(&shape).first_overlap(&block), None, "{shape:?}");
        assert_eq!(block.first_overlap(&cells(&shape)), None, "{shape:?}");
    }
    for shape in over {
        let seen = [cells(&shape).first_overlap(&block), block.first_overlap(&cells(&shape))];
        assert!(seen.iter().any(Option::is_some), "{shape:?}");
    }
}

#[test]
fn a_channel_that_fills_its_period_is_open_at_its_ends() {
    for dimension in [2, 3] {
        let mut world = world(dimension, 0.1);
        world.periodic.x = Some([0.0, 1.0]);
        let shape = Shape::Box(BoxShape { min: [0.0, 0.0, 0.0], max: [1.0, 0.5, 0.4], rounding: 0.0 });
        for inside in [true, false] {
            let wall = wall(shape.clone(), inside);
            let cells = WallCells::new(&wall, around(&world), Bounds::EVERYWHERE);
            let particles: Vec<_> = cells.particles().collect();
            assert_eq!(particles.len() as f64, cells.estimate());
            for super::wall::WallParticle { position, to_surface } in &particles {
                assert!(position.x > 0.0 && position.x < 1.0, "no particle beyond the period");
                assert!(to_surface.x.abs() < 1e-9, "no face across the period");
                let nearest = *position + *to_surface;
                assert!(nearest.y.abs() < 1e-9 || (nearest.y - 0.5).abs() < 1e-9 || dimension == 3);
            }
        }
    }
}

#[test]
fn lattices_meet_the_flat_faces_of_any_shape() {
    let shapes = [
        "height_field = { min = [0.003, 0.001, 0.004], max = [0.303, 0.2, 0.304], height = \"0.109\" }",
        "union = [{ box = { min = [0.003, 0.001, 0], max = [0.2, 0.109, 0.3] } }, { box = { min = [0.1, 0.001, 0], max = [0.303, 0.109, 0.3] } }]",
        "intersection = [{ box = { min = [0.003, 0.001, 0], max = [0.5, 0.5, 0.3] } }, { plane = { point = [0, 0.109, 0], normal = [0.2, 1, 0] } }]",
        "cylinder = { from = [0, 0.001, 0], to = [0, 0.109, 0], radius = 0.15 }",
        "transform = { shape.box = { min = [-0.1, -0.1, -0.1], max = [0.1, 0.1, 0.1] }, translation = [0, 0.101, 0] }",
    ];
    for (dimension, text) in [2, 3].into_iter().flat_map(|dimension| shapes.map(|text| (dimension, text))) {
        let points = positions(&toml::from_str(text).unwrap(), &world(dimension, 0.02));
        let floor = points.iter().map(|point| point.y).fold(f64::INFINITY, f64::min);
        assert!((floor - 0.011).abs() < 1e-6, "{dimension} {text}: {floor}");
        let rows = points.iter().map(|point| ((point.y - floor) / 0.02 - ((point.y - floor) / 0.02).round()).abs());
        assert!(rows.fold(0.0, f64::max) < 1e-6, "{text}");
        // A flat top has whole rows.
        if text.contains("height_field") {
            let columns = points.iter().filter(|point| point.y < floor + 0.01).count();
            assert_eq!(points.len(), 5 * columns, "{dimension}");
        }
    }
}

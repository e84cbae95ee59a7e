//! What walls of any shape must keep: depth, distance, no gaps; and which of them hold matter.

use glam::DVec3;

use super::{WallCells, WallParticle, Walls, wall_layers};
use crate::fixtures::{around, solid, wall, world};
use crate::near::Near;
use crate::random::Random;
use crate::shape::tests::{Known, known_shapes};
use crate::shape::{Bounds, Shape, surface_point};
use crate::{Scene, World};

fn particles(shape: &Shape, inside: bool, world: &World) -> (WallCells, Vec<WallParticle>) {
    let cells = WallCells::new(&wall(shape.clone(), inside), around(world), Bounds::EVERYWHERE);
    let particles = cells.particles().collect();
    (cells, particles)
}

/// Shapes whose walls are no lattice and no shells, with and without a third dimension.
fn cases() -> impl Iterator<Item = (String, Shape, bool, World)> {
    // The turned box is not cut by z = 0.
    let solids = known_shapes().into_iter().filter(|known| !["box", "sphere", "turned box"].contains(&known.name));
    solids.flat_map(|Known { name, shape, .. }| {
        [(2, true), (2, false), (3, true), (3, false)].map(move |(dimension, inside)| {
            (format!("{name} {dimension} {inside}"), shape.clone(), inside, world(dimension, 0.05))
        })
    })
}

#[test]
fn layers_lie_half_a_spacing_and_more_behind_the_surface() {
    for (name, shape, inside, world) in cases() {
        let (cells, particles) = particles(&shape, inside, &world);
        let off = |particle: &&WallParticle| {
            let layer = (particle.to_surface.length() / 0.05 - 0.5).round();
            let wanted = (layer + 0.5) * 0.05;
            let is_flat = world.dimension == 3 || (particle.position.z == 0.0 && particle.to_surface.z.abs() < 1e-9);
            let is_on_surface = cells.depth(particle.position + particle.to_surface).abs() < 1e-6;
            let is_known = layer >= 0.0 && (layer as usize) < wall_layers(&world);
            assert!(is_flat && is_on_surface && is_known, "{name}: {particle:?}");
            (particle.to_surface.length() - wanted).abs() > 0.02 * wanted
        };
        // Only where the shape is too thin, and at the sharp edge of a cone, is there no room for this.
        let off = particles.iter().filter(off).count();
        assert!(off * 30 <= particles.len(), "{name}: {off} of {}", particles.len());
    }
}

#[test]
fn walls_have_no_gaps_and_no_clusters() {
    let mut random = Random::new(8);
    for (name, shape, inside, world) in cases() {
        let (_, particles) = particles(&shape, inside, &world);
        let near = Near::of(particles.iter().map(|particle| particle.position), 0.05);
        let closest = |particle: &WallParticle| {
            let others = near.around(particle.position).map(|(_, way)| way.length());
            others.filter(|gap| *gap > 0.0).fold(0.05, f64::min)
        };
        let gaps: Vec<_> = particles.iter().map(closest).collect();
        let (least, mean) = (gaps.iter().copied().fold(1.0, f64::min), gaps.iter().sum::<f64>() / gaps.len() as f64);
        assert!(least > 0.5 * 0.05 && mean > 0.85 * 0.05, "{name}: {least} {mean}");

        // From every point of the surface the next particle is hardly farther than from the middle of a lattice cell.
        let solid = solid(&shape, &world);
        let Bounds { min, max } = solid.bounds();
        let near = Near::of(particles.iter().map(|particle| particle.position), 0.08);
        // Behind the edge of an obstacle the layers of two sides meet half a spacing away from both.
        let farthest = if inside { 1.3 } else { 1.45 };
        for _ in 0..500 {
            let Some(point) = surface_point(&*solid, random.point(min, max), 1e-9) else { continue };
            let nearest = near.around(point).map(|(_, way)| way.length()).fold(f64::INFINITY, f64::min);
            // The point of a cone is too thin for any particle.
            assert!(nearest < farthest * 0.05 || name.starts_with("cone"), "{name}: {nearest} at {point}");
        }
    }
}

#[test]
fn a_wall_has_one_particle_for_each_square_of_the_spacing() {
    let text = "ellipsoid = { centre = [0, 0, 0], radii = [1, 1, 1] }";
    let shape: Shape = toml::from_str(text).unwrap();
    for inside in [true, false] {
        let (cells, particles) = particles(&shape, inside, &world(3, 0.1));
        let radius: f64 = if inside { 1.05 } else { 0.95 };
        let expected = 4.0 * std::f64::consts::PI * radius * radius / 0.01;
        let ratio = particles.len() as f64 / expected;
        assert!((ratio - 1.0).abs() < 0.08, "{inside}: {ratio}");
        assert!((cells.estimate() / expected - 1.0).abs() < 0.25, "{}", cells.estimate() / expected);
    }
}

#[test]
fn a_flat_face_keeps_its_lattice_beside_a_round_one() {
    let text = "difference = [{ box = { min = [0, 0, 0], max = [1, 1, 1] } }, { sphere = { centre = [1, 1, 1], radius = 0.5 } }]";
    let shape: Shape = toml::from_str(text).unwrap();
    let (_, particles) = particles(&shape, false, &world(3, 0.1));
    let face: Vec<_> = particles.iter().map(|particle| particle.position).filter(|x| x.y < 0.06).collect();
    // Where the ball cuts the upper corner off, the face below is whole.
    assert_eq!(face.len(), 100);
    let cell = |x: DVec3| ((x - 0.05) / 0.1 - ((x - 0.05) / 0.1).round()).abs().max_element();
    assert!(face.iter().all(|&x| cell(x) < 1e-3), "{face:?}");
}

fn scene(walls: &str, body: &str) -> Result<Scene, String> {
    let text = format!(
        "[world]\nspacing = 0.1\ndimension = 2\n[time]\nend = 1\n[materials.water]\ndensity = 1000\n\
         [[bodies]]\nname = \"water\"\nmaterial = \"water\"\nshape.box = {body}\n{walls}"
    );
    Scene::read("walls.toml", &text, &[]).map_err(|problems| problems.to_string())
}

fn tank(name: &str, min: [f64; 2], max: [f64; 2]) -> String {
    let ([a, b], [c, d]) = (min, max);
    format!("[[walls]]\nname = \"{name}\"\nshape.box = {{ min = [{a}, {b}, 0], max = [{c}, {d}, 0] }}\ninside = true\n")
}

#[test]
fn matter_is_in_any_of_several_tanks() {
    let tanks = tank("left", [0.0, 0.0], [1.0, 1.0]) + &tank("right", [2.0, 0.0], [3.0, 1.0]);
    assert!(scene(&tanks, "{ min = [0.0, 0.0, 0.0], max = [1.0, 0.5, 0.0] }").is_ok());
    assert!(scene(&tanks, "{ min = [2.0, 0.0, 0.0], max = [3.0, 0.5, 0.0] }").is_ok());
    let refused = scene(&tanks, "{ min = [0.5, 0.0, 0.0], max = [1.5, 0.5, 0.0] }").unwrap_err();
    assert!(refused.contains("inside none of the walls that hold matter"), "{refused}");
    assert!(refused.contains("matter stays inside `left` or `right`"), "{refused}");
}

#[test]
fn tanks_that_overlap_or_share_a_face_are_one() {
    let body = "{ min = [0.0, 0.0, 0.0], max = [2.0, 0.5, 0.0] }";
    let one = scene(&tank("all", [0.0, 0.0], [2.0, 1.0]), body).unwrap();
    let all = places(&one);
    for middle in [1.0, 0.7] {
        let two = tank("left", [0.0, 0.0], [1.0, 1.0]) + &tank("right", [middle, 0.0], [2.0, 1.0]);
        let mut found = places(&scene(&two, body).unwrap());
        // Where the tanks overlap, both have a floor.
        found.dedup();
        assert_eq!(found, all, "{middle}");
    }
}

/// Cells of all wall particles, sorted.
fn places(scene: &Scene) -> Vec<[i64; 3]> {
    let walls = Walls::of(scene);
    let sampled = (0..scene.walls.len()).flat_map(|wall| walls.sample(wall).particles);
    let mut cells: Vec<_> = sampled.map(|p| (p.position / 0.1).floor().to_array().map(|x| x as i64)).collect();
    cells.sort_unstable();
    cells
}

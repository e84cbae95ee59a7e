//! What every shape must keep: its volume, its signs, and distances that are never too large.

use std::f64::consts::PI;

use glam::DVec3;

use super::{Bounds, Shape, Solid};
use crate::fixtures::{self, world};
use crate::random::Random;
use crate::sampling::Lattice;

/// A shape whose volume is known.
pub(crate) struct Known {
    pub(crate) name: &'static str,
    pub(crate) shape: Shape,
    /// Its volume [m^3].
    pub(crate) volume: f64,
    /// Its distances are exact, and no low estimates.
    pub(crate) exact: bool,
}

fn read(text: &str) -> Shape {
    toml::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Shapes of about a metre with closed formulas for their volume.
pub(crate) fn known_shapes() -> Vec<Known> {
    let ball = |radius: f64| 4.0 / 3.0 * PI * radius.powi(3);
    let cap = |radius: f64, height: f64| PI * height * height * (3.0 * radius - height) / 3.0;
    let rounded = {
        let (a, b, c, r): (f64, f64, f64, f64) = (0.8, 0.6, 0.4, 0.1);
        a * b * c + 2.0 * r * (a * b + b * c + c * a) + PI * r * r * (a + b + c) + ball(r)
    };
    // A frustum between the circles where it touches the balls, and what is left of these.
    let taper = {
        let (l, first, second): (f64, f64, f64) = (1.0, 0.3, 0.1);
        let sine = (first - second) / l;
        let cosine = (1.0 - sine * sine).sqrt();
        let (a, b) = (first * cosine, second * cosine);
        PI / 3.0 * l * cosine * cosine * (a * a + a * b + b * b)
            + cap(first, first * (1.0 + sine))
            + cap(second, second * (1.0 - sine))
    };
    // The mean of a product of waves over whole periods is that of its constant.
    let hills = "height_field = { min = [0, 0, 0], max = [1.0, 0.9, 0.8], height = \"0.5 + 0.1 * sin(2 * pi * x) * cos(2.5 * pi * z)\" }";
    let rows = [
        ("hills", hills, 0.4, true),
        ("box", "box = { min = [0, 0, 0], max = [1.0, 0.8, 0.6] }", 0.48, true),
        ("rounded box", "box = { min = [0, 0, 0], max = [1.0, 0.8, 0.6], rounding = 0.1 }", rounded, true),
        ("sphere", "sphere = { centre = [0.1, 0.2, 0.3], radius = 0.5 }", ball(0.5), true),
        ("ellipsoid", "ellipsoid = { centre = [0, 1, 0], radii = [0.6, 0.4, 0.25] }", ball(1.0) * 0.06, true),
        (
            "cylinder",
            "cylinder = { from = [0, 0, 0], to = [0.5, 0.6, 0.2], radius = 0.4 }",
            PI * 0.16 * 0.65_f64.sqrt(),
            true,
        ),
        (
            "capsule",
            "capsule = { from = [0, 0, 0], to = [0, 0.3, 0.4], radius = 0.3 }",
            PI * 0.09 * 0.5 + ball(0.3),
            true,
        ),
        ("cone", "cone = { from = [0, 0, 0], to = [0, 1.0, 0], radius = 0.5 }", PI * 0.25 / 3.0, true),
        (
            "frustum",
            "cone = { from = [0, 0, 0], to = [0.8, 0, 0], radius = 0.5, end_radius = 0.2 }",
            PI * 0.8 / 3.0 * 0.39,
            true,
        ),
        (
            "torus",
            "torus = { centre = [0, 0, 0], axis = [1, 2, 0], radius = 0.5, tube_radius = 0.2 }",
            2.0 * PI * PI * 0.5 * 0.04,
            true,
        ),
        ("taper", "curve = { points = [[0, 0, 0], [0.6, 0, 0.8]], radii = [0.3, 0.1], smooth = false }", taper, true),
        (
            "shell",
            "shell = { shape.sphere = { centre = [0, 0, 0], radius = 0.6 }, thickness = 0.25 }",
            ball(0.6) - ball(0.35),
            true,
        ),
        (
            "half ball",
            "intersection = [{ sphere = { centre = [0, 0, 0], radius = 0.6 } }, { plane = { point = [0, 0, 0], normal = [1, 0.7, 0.31] } }]",
            0.5 * ball(0.6),
            false,
        ),
        (
            "two balls",
            "union = [{ sphere = { centre = [0, 0, 0], radius = 0.5 } }, { sphere = { centre = [0.6, 0, 0], radius = 0.5 } }]",
            2.0 * (ball(0.5) - cap(0.5, 0.2)),
            false,
        ),
        (
            "cube with a hole",
            "difference = [{ box = { min = [-0.5, -0.5, -0.5], max = [0.5, 0.5, 0.5] } }, { cylinder = { from = [0, -1, 0], to = [0, 1, 0], radius = 0.3 } }]",
            1.0 - PI * 0.09,
            false,
        ),
        (
            "turned box",
            "transform = { shape.box = { min = [-0.5, -0.4, -0.2], max = [0.5, 0.4, 0.2] }, scale = 0.9, rotation = { angle = 0.7, axis = [1, 1, 1] }, translation = [3, 2, 1] }",
            0.32 * 0.729,
            true,
        ),
        (
            "stretched ball",
            "transform = { shape.sphere = { centre = [0, 0, 0], radius = 0.5 }, stretch = [1.2, -0.8, 0.6] }",
            ball(0.5) * 0.576,
            false,
        ),
        (
            "grid of balls",
            "repeat.grid = { shape.sphere = { centre = [0, 0, 0], radius = 0.2 }, count = [3, 2, 2], step = [0.5, 0.55, 0.6] }",
            12.0 * ball(0.2),
            true,
        ),
    ];
    let known = |(name, text, volume, exact)| Known { name, shape: read(text), volume, exact };
    rows.into_iter().map(known).collect()
}

fn solid(shape: &Shape) -> Box<dyn Solid> {
    fixtures::solid(shape, &world(3, 0.01))
}

/// Points of the surface, found by nothing but the sign: where it changes along the edges of a fine lattice.
fn surface(solid: &dyn Solid, bounds: Bounds, spacing: f64) -> Vec<DVec3> {
    let lattice = Lattice::over(bounds, &world(3, spacing));
    let is_in = |point: DVec3| solid.distance(point) < 0.0;
    let mut found = Vec::new();
    for cell in lattice.iter() {
        let here = lattice.centre(cell);
        let inside = is_in(here);
        for way in DVec3::AXES {
            let (mut a, mut b) = (here, here + way * spacing);
            if is_in(b) != inside {
                for _ in 0..30 {
                    let middle = 0.5 * (a + b);
                    *(if is_in(middle) == inside { &mut a } else { &mut b }) = middle;
                }
                found.push(a);
            }
        }
    }
    found
}

#[test]
fn volumes_are_those_of_the_formulas() {
    for Known { name, shape, volume, .. } in known_shapes() {
        let solid = solid(&shape);
        let found = crate::sampling::volume(&*solid, 3, 2e-4);
        assert!((found / volume - 1.0).abs() < 1e-3, "{name}: {found} {volume}");
    }
}

#[test]
fn distances_are_those_to_the_nearest_point_of_the_surface() {
    let mut random = Random::new(1);
    for Known { name, shape, exact, .. } in known_shapes() {
        let solid = solid(&shape);
        let spacing = 0.03;
        let bounds = solid.bounds().grown(0.06);
        let surface = surface(&*solid, bounds, spacing);
        for _ in 0..200 {
            let point = random.point(bounds.grown(0.3).min, bounds.grown(0.3).max);
            let distance = solid.distance(point);
            let nearest = surface.iter().map(|other| other.distance(point)).fold(f64::INFINITY, f64::min);
            assert!(distance.abs() <= nearest + 1e-9, "{name} {point}: {distance} {nearest}");
            // No point of the surface is farther than this from one that was found.
            assert!(!exact || distance.abs() >= nearest - 1.8 * spacing, "{name} {point}: {distance} {nearest}");
        }
    }
}

#[test]
fn distances_change_no_faster_than_the_way_that_is_gone() {
    let mut random = Random::new(2);
    for Known { name, shape, .. } in known_shapes() {
        let solid = solid(&shape);
        let bounds = solid.bounds().grown(0.5);
        for _ in 0..3000 {
            let (a, b) = (random.point(bounds.min, bounds.max), random.point(DVec3::NEG_ONE, DVec3::ONE));
            let b = a + 0.2 * b;
            let change = (solid.distance(a) - solid.distance(b)).abs();
            assert!(change <= a.distance(b) * (1.0 + 1e-9) + 1e-12, "{name}: {a} {b}");
        }
    }
}

#[test]
fn shapes_lie_in_their_bounds_and_touch_them() {
    for Known { name, shape, .. } in known_shapes() {
        let solid = solid(&shape);
        let bounds = solid.bounds();
        for axis in 0..3 {
            let plane = |level: f64| {
                let mut slab = bounds.grown(0.05);
                (slab.min[axis], slab.max[axis]) = (level, level);
                slab
            };
            let deepest = |slab: Bounds| {
                let mut deepest = f64::INFINITY;
                for k in 0..=100 {
                    for j in 0..=100 {
                        let mut share = DVec3::splat(f64::from(k) / 100.0);
                        share[(axis + 1) % 3] = f64::from(j) / 100.0;
                        deepest = deepest.min(solid.distance(slab.min + share * (slab.max - slab.min)));
                    }
                }
                deepest
            };
            assert!(deepest(plane(bounds.min[axis])) >= -1e-9 && deepest(plane(bounds.max[axis])) >= -1e-9, "{name}");
            if !["half ball"].contains(&name) {
                assert!(deepest(plane(bounds.min[axis] + 0.03)) < 0.0, "{name} {axis}");
                assert!(deepest(plane(bounds.max[axis] - 0.03)) < 0.0, "{name} {axis}");
            }
        }
    }
}

#[test]
fn ellipsoids_are_exact_in_their_planes_of_symmetry_and_at_their_centre() {
    let egg = solid(&read("ellipsoid = { centre = [0, 0, 0], radii = [3, 2, 1] }"));
    for (point, expected) in [
        ([0.0, 0.0, 0.0], -1.0),
        ([4.0, 0.0, 0.0], 1.0),
        ([0.0, 0.0, 0.5], -0.5),
        ([0.0, -5.0, 0.0], 3.0),
        ([3.0, 0.0, 0.0], 0.0),
        // Beyond the centre of curvature, 9 - 1 = 8 thirds from the centre, the end is nearest.
        ([2.8, 0.0, 0.0], -0.2),
    ] {
        let found = egg.distance(DVec3::from_array(point));
        assert!((found - expected).abs() < 1e-7, "{point:?}: {found} {expected}");
    }
}

#[test]
fn a_smooth_union_fills_the_seam_and_nothing_else() {
    let balls = "{ sphere = { centre = [0, 0, 0], radius = 1 } }, { sphere = { centre = [2, 0, 0], radius = 1 } }";
    let blend = solid(&read(&format!("smooth_union = {{ shapes = [{balls}], radius = 0.4 }}")));
    let union = solid(&read(&format!("union = [{balls}]")));
    // Where the balls touch, both are at no distance: a quarter of the radius is filled.
    assert!((blend.distance(DVec3::X) + 0.1).abs() < 1e-12);
    let mut random = Random::new(3);
    for _ in 0..1000 {
        let point = random.point(DVec3::splat(-2.0), DVec3::new(4.0, 2.0, 2.0));
        let (smooth, sharp) = (blend.distance(point), union.distance(point));
        assert!(smooth <= sharp && smooth >= sharp - 0.1, "{point}");
        if (point.length() - point.distance(2.0 * DVec3::X)).abs() > 0.4 {
            assert_eq!(smooth, sharp);
        }
    }
}

#[test]
fn a_smooth_curve_goes_through_its_points() {
    let points = "[[0, 0, 0], [1, 0, 0], [1, 1, 0], [2, 1, 1]]";
    let curve = solid(&read(&format!("curve = {{ points = {points}, radii = [0.1, 0.2, 0.15, 0.05] }}")));
    for (point, radius) in [([0.0; 3], 0.1), ([1.0, 0.0, 0.0], 0.2), ([1.0, 1.0, 0.0], 0.15), ([2.0, 1.0, 1.0], 0.05)] {
        assert!((curve.distance(DVec3::from_array(point)) + radius).abs() < 0.02, "{point:?}");
    }
    // Between the second and the third it swings out.
    assert!(curve.distance(DVec3::new(1.1, 0.5, 0.0)) < -0.05);
}

#[test]
fn scattered_copies_keep_their_distance_and_stand_upright() {
    let text = "repeat.scatter = { shape.sphere = { centre = [0, 0.2, 0], radius = 0.01 }, count = 60, apart = 0.3, \
                on.sphere = { centre = [1, 0, 0], radius = 1 }, seed = 5 }";
    let scattered = solid(&read(text));
    // All copies are balls that lie 1.2 from the centre.
    let mut random = Random::new(4);
    for _ in 0..2000 {
        let way = (random.rotation() * DVec3::X) * 1.2;
        assert!(scattered.distance(DVec3::X + way) >= -0.01 - 1e-5);
        assert!((scattered.distance(DVec3::X + way * 0.9) - 0.12 + 0.01) > -1e-4);
    }
    assert_eq!(format!("{:?}", solid(&read(text))), format!("{scattered:?}"));
    assert_ne!(format!("{:?}", solid(&read(&text.replace("seed = 5", "seed = 6")))), format!("{scattered:?}"));
}

#[test]
fn shapes_in_two_dimensions_are_cut_by_the_plane_of_the_paper() {
    let world = world(2, 0.01);
    let flat = |text: &str| fixtures::solid(&read(text), &world);
    let rectangle = flat("box = { min = [0, 0, 3], max = [2, 1, 1] }");
    assert_eq!(rectangle.bounds(), Bounds { min: DVec3::ZERO, max: DVec3::new(2.0, 1.0, 0.0) });
    assert_eq!(rectangle.distance(DVec3::new(1.0, 0.25, 9.0)), -0.25);
    assert_eq!(rectangle.distance(DVec3::new(5.0, 5.0, 0.0)), 5.0);
    let disc = flat("sphere = { centre = [5, 0, 7], radius = 1 }");
    assert_eq!(disc.bounds(), Bounds { min: DVec3::new(4.0, -1.0, 0.0), max: DVec3::new(6.0, 1.0, 0.0) });
    assert_eq!(disc.distance(DVec3::new(5.0, 0.25, 1.0)), -0.75);
    let ring = flat("torus = { centre = [0, 0, 0], axis = [0, 0, 1], radius = 1, tube_radius = 0.25 }");
    assert!((ring.distance(DVec3::new(0.0, 1.5, 0.0)) - 0.25).abs() < 1e-12);
    let pipe = flat("cylinder = { from = [0, 0, -1], to = [0, 0, 1], radius = 0.5 }");
    assert!((pipe.distance(DVec3::new(0.0, 0.2, 0.0)) + 0.3).abs() < 1e-12);
    assert!(
        flat("torus = { centre = [0, 0, 9], axis = [0, 0, 1], radius = 1, tube_radius = 0.25 }").bounds().is_empty()
    );
}

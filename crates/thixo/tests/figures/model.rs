//! Points of a known surface, fewer than it deserves: levels of refinement, details restored, a texture kept.

use thixo::render::{Colour, ColourMap, MapName};
use thixo::surface::{PointCloud, Quantity, Refinement, Samples, refine};

use crate::Vec3;
use crate::gallery::{BLACK, BLUE, RED, Row, YELLOW};

/// Points of a ball with bumps, without order, and its exact normals.
fn bumpy(count: u32) -> (Vec<Vec3>, Vec<Vec3>) {
    // A sequence that fills the square evenly, but not on a lattice (additive recurrence).
    let angles = (0..count).map(|k| {
        let place = |step: f64| (f64::from(k) * step).fract() as f32;
        (place(0.754_877_666_2), place(0.569_840_290_9))
    });
    let place = |(u, v): (f32, f32)| {
        let (z, turn) = (1.0 - 2.0 * u, std::f32::consts::TAU * v);
        // Poles, where the sequence shows, are at the sides of the pictures.
        Vec3::new(0.0, turn.cos(), turn.sin()) * (1.0 - z * z).max(0.0).sqrt() + Vec3::X * z
    };
    angles.map(place).map(|at| (at * radius(at), normal(at))).unzip()
}

fn radius(direction: Vec3) -> f32 {
    1.0 + 0.1 * (5.0 * direction.x).sin() * (4.0 * direction.y).cos() * (3.0 * direction.z).cos()
}

/// The gradient of |x| − radius(x/|x|), by central differences.
fn normal(direction: Vec3) -> Vec3 {
    let at = direction * radius(direction);
    let level = |at: Vec3| at.length() - radius(at.normalize());
    let slope = |axis: Vec3| level(at + axis * 2e-3) - level(at - axis * 2e-3);
    Vec3::from_array(Vec3::AXES.map(slope)).normalize()
}

/// How far points of the model are from each other, if there are so many [m].
fn spacing(count: usize) -> f32 {
    (4.0 * std::f32::consts::PI / count as f32).sqrt()
}

/// How far the points of a model are from the nearest of a cloud, on average.
fn coverage(model: &[Vec3], cloud: &[Vec3]) -> f32 {
    let samples = Samples::new(cloud, 0.3).unwrap();
    let nearest = |&at: &Vec3| {
        let mut nearest = 0.3_f32.powi(2);
        samples.near(at, |_, _, squared| nearest = nearest.min(squared));
        nearest.sqrt()
    };
    model.iter().map(nearest).sum::<f32>() / model.len() as f32
}

fn refined(count: u32, steps: u32) -> ((Vec<Vec3>, Vec<Vec3>), PointCloud) {
    let (places, normals) = bumpy(count);
    let sight = 2.15 * spacing(places.len());
    let cloud = refine(&places, &normals, sight, &Refinement { steps, ..Refinement::default() }).unwrap();
    ((places, normals), cloud)
}

const AHEAD: Vec3 = Vec3::new(0.0, -0.15, -1.0);

/// Fig. 6.2: every step has its points, more than there were before.
#[test]
fn every_step_has_points_of_its_own() {
    let ((places, _), cloud) = refined(2500, 3);
    let made = |step: u8| cloud.step.iter().filter(|&&found| found == step).count();
    assert_eq!(made(0), places.len());
    for step in 1..=3 {
        let before: usize = (0..step).map(made).sum();
        assert!(made(step) > before, "step {step} made {} of {before}", made(step));
    }
    assert!(cloud.position[..places.len()].iter().zip(&places).all(|(now, given)| now.distance(*given) < 1e-3));

    let mut row = Row::new(2.4, AHEAD);
    let colours: Vec<Colour> = cloud.step.iter().map(|&step| [BLACK, BLUE, RED, YELLOW][usize::from(step)]).collect();
    for steps in 0..=3 {
        let count = cloud.step.partition_point(|&step| step <= steps);
        // What lies behind must not shine through.
        row.spheres(f32::from(steps), &[Vec3::ZERO], 0.9, &[Colour::splat(0.75)]);
        let (places, colours) = (&cloud.position[..count], &colours[..count]);
        row.spheres(f32::from(steps), places, 0.22 * spacing(count).max(0.035), colours);
    }
    row.draw("refinement-steps.png", [800, 215], false);
}

/// Fig. 6.10: of a model with 140 thousand points 9 thousand are left, and the surface is restored from them.
#[test]
fn a_thinned_cloud_is_restored() {
    let (model, model_normals) = bumpy(140_000);
    let ((places, normals), cloud) = refined(9000, 2);
    assert!(cloud.position.len() > 5 * places.len(), "{} points", cloud.position.len());
    let (before, after) = (coverage(&model, &places), coverage(&model, &cloud.position));
    assert!(after < 0.5 * before, "{after} m instead of {before} m");
    // New points lie on the model: bumps are 0.1 m high, and given points 0.04 m apart.
    let off = cloud.position.iter().map(|at| (at.length() - radius(at.normalize())).abs());
    let mean = off.sum::<f32>() / cloud.position.len() as f32;
    assert!(mean < 1e-3, "{mean} m off");

    let mut row = Row::new(2.4, AHEAD);
    let clouds = [[&model[..], &model_normals], [&places, &normals], [&cloud.position, &cloud.normal]];
    for (column, points) in clouds.into_iter().enumerate() {
        // Points without order leave holes unless discs are a little larger than their distance.
        row.discs(column as f32, points, 1.8 * spacing(points[0].len()), &[Colour::splat(0.5)]);
    }
    row.draw("thinned-restored.png", [800, 280], false);
}

/// Stripes that run across the model, in two colours.
fn texture(at: Vec3) -> Vec3 {
    let share = 0.5 + 0.5 * (10.0 * at.x + 4.0 * at.y).sin() * (9.0 * at.y - 3.0 * at.z).cos();
    BLUE.lerp(YELLOW, (8.0 * (share - 0.5)).clamp(-1.0, 1.0) * 0.5 + 0.5)
}

/// Fig. 6.13: a texture on the refined points is sharper than if each had that of the nearest given point.
#[test]
fn a_texture_is_kept() {
    let ((places, normals), cloud) = refined(12_000, 2);
    let colours: Vec<Colour> = places.iter().map(|&at| texture(at)).collect();
    let values: Vec<f32> = colours.iter().flat_map(|colour| colour.to_array()).collect();
    let carried = cloud.carry(&Quantity { name: "texture", components: 3, values: &values }).unwrap();
    let kept: Vec<Colour> = carried.values.as_chunks().0.iter().copied().map(Colour::from_array).collect();
    let samples = Samples::new(&places, 0.3).unwrap();
    let blurred = |at: Vec3| {
        let mut nearest = (f32::INFINITY, Vec3::ZERO);
        samples.near(at, |_, from, squared| {
            if squared < nearest.0 {
                nearest = (squared, texture(at - from));
            }
        });
        nearest.1.distance(texture(at))
    };
    let errors: Vec<[f32; 2]> =
        cloud.position.iter().zip(&kept).map(|(&at, kept)| [blurred(at), kept.distance(texture(at))]).collect();
    let mean = |side: usize| errors.iter().map(|error| error[side]).sum::<f32>() / errors.len() as f32;
    assert!(mean(1) < 0.5 * mean(0), "{} instead of {}", mean(1), mean(0));

    let mut row = Row::new(2.4, AHEAD);
    let fine = 1.2 * spacing(cloud.position.len());
    let fine_points = [&cloud.position[..], &cloud.normal];
    row.discs(0.0, [&places, &normals], 1.2 * spacing(places.len()), &colours);
    row.discs(1.0, fine_points, fine, &kept);
    // What is lost: dark where nothing is, yellow where much.
    let map = ColourMap::new(MapName::Ember);
    for side in 0..2 {
        let lost: Vec<Colour> = errors.iter().map(|error| map.colour(2.0 * error[side])).collect();
        row.discs(2.0 + side as f32, fine_points, fine, &lost);
    }
    row.draw("texture-kept.png", [800, 215], false);
}

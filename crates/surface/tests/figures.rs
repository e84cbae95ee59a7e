//! Figures of Sol09 chapter 6, as far as they can be told in numbers.

#![allow(clippy::unwrap_used, reason = "tests assert by unwrapping")]

use thixo_surface::{PointCloud, Quantity, Refinement, Samples, Vec3, refine};

/// Points of a ball with bumps, without order, and its exact normals.
fn bumpy(count: u32) -> (Vec<Vec3>, Vec<Vec3>) {
    // A sequence that fills the square evenly, but not on a lattice (additive recurrence).
    let angles = (0..count).map(|k| ((k as f32 * 0.754_877_7).fract(), (k as f32 * 0.569_840_3).fract()));
    let place = |(u, v): (f32, f32)| {
        let (z, turn) = (1.0 - 2.0 * u, std::f32::consts::TAU * v);
        Vec3::new(turn.cos(), turn.sin(), 0.0) * (1.0 - z * z).max(0.0).sqrt() + Vec3::Z * z
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

fn refined(steps: u32) -> (Vec<Vec3>, PointCloud) {
    let (places, normals) = bumpy(3000);
    let cloud = refine(&places, &normals, 0.14, &Refinement { steps, ..Refinement::default() }).unwrap();
    (places, cloud)
}

/// Fig. 6.10: of a model with 140 thousand points few are left, and the surface is restored from them.
#[test]
fn a_thinned_cloud_is_restored() {
    let (model, _) = bumpy(40_000);
    let (places, cloud) = refined(2);
    assert!(cloud.position.len() > 5 * places.len(), "{} points", cloud.position.len());
    let (before, after) = (coverage(&model, &places), coverage(&model, &cloud.position));
    assert!(after < 0.5 * before, "{after} m instead of {before} m");
    // New points lie on the model: bumps are 0.1 m high, and points 0.07 m apart.
    let off = cloud.position.iter().map(|at| (at.length() - radius(at.normalize())).abs());
    let mean = off.sum::<f32>() / cloud.position.len() as f32;
    assert!(mean < 2e-3, "{mean} m off");
}

/// Fig. 6.2: every step has its points, each about as many as there were, or more.
#[test]
fn every_step_has_points_of_its_own() {
    let (places, cloud) = refined(3);
    let made = |step: u8| cloud.step.iter().filter(|&&found| found == step).count();
    assert_eq!(made(0), places.len());
    for step in 1..=3 {
        let before: usize = (0..step).map(made).sum();
        assert!(made(step) > before, "step {step} made {} of {before}", made(step));
    }
    assert!(cloud.position[..places.len()].iter().zip(&places).all(|(now, given)| now.distance(*given) < 1e-3));
}

/// Fig. 6.13: a texture on the refined points is sharper than if each had that of the nearest particle.
#[test]
fn a_texture_is_kept() {
    let texture = |at: &Vec3| (9.0 * at.x).sin() * (9.0 * at.z).cos();
    let (places, cloud) = refined(2);
    let values: Vec<f32> = places.iter().map(texture).collect();
    let carried = cloud.carry(&Quantity { name: "texture", components: 1, values: &values }).unwrap();
    let samples = Samples::new(&places, 0.3).unwrap();
    let (mut kept, mut blurred) = (0.0, 0.0);
    for (at, value) in cloud.position.iter().zip(&carried.values) {
        let mut nearest = (f32::INFINITY, 0.0);
        samples.near(*at, |_, from, squared| {
            if squared < nearest.0 {
                nearest = (squared, texture(&(*at - from)));
            }
        });
        kept += (value - texture(at)).abs();
        blurred += (nearest.1 - texture(at)).abs();
    }
    assert!(kept < 0.5 * blurred, "{kept} instead of {blurred}");
}

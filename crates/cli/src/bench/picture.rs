//! The case that draws: a picture of many spheres, with shadows.

use std::time::Instant;

use serde::Serialize;
use thixo_render::{Bounds, Camera, ColourMap, Finish, Ground, Light, MapName, Picture, Size, Spheres, Vec3};

use crate::VERSION;
use crate::console::duration;
use crate::failure::Failure;
use crate::process;

/// What it is called.
pub(super) const NAME: &str = "render_spheres";

/// Particles along the three axes: 100 000.
const COUNTS: [usize; 3] = [80, 50, 25];

/// The figures of the case.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    scene: &'static str,
    particles: usize,
    threads: usize,
    width: u32,
    height: u32,
    /// Wall time to build the tree and draw.
    seconds: f64,
    /// Processor time of all threads, over the same work.
    cpu_seconds: Option<f64>,
    /// What it would take if the threads had a core each to themselves.
    seconds_undisturbed: Option<f64>,
    ns_per_pixel: f64,
    version: &'static str,
}

/// Draws the picture, once.
pub(super) fn measure(size: Size) -> Result<Row, Failure> {
    let (centres, colours) = block();
    let (started, processor) = (Instant::now(), process::processor_seconds());
    let mut picture = Picture::new(Light::studio(Vec3::new(-0.4, -0.4, -1.0), Vec3::Y));
    picture.ground = Some(Ground { point: Vec3::ZERO, normal: Vec3::Y, colour: Vec3::splat(0.56), is_endless: false });
    picture.add(Spheres::new(&centres, 0.5, &colours), Finish::Matte);
    let bounds = Bounds::around(centres.iter().copied());
    let camera = Camera::framing(&bounds, Vec3::new(-0.4, -0.4, -1.0), Vec3::Y, 30.0, size.aspect());
    picture.draw(&camera, size).map_err(|error| Failure::BadInput(error.to_string()))?;
    let seconds = started.elapsed().as_secs_f64();
    let cpu_seconds = process::processor_seconds().zip(processor).map(|(now, then)| now - then);
    let threads = rayon::current_num_threads();
    Ok(Row {
        scene: NAME,
        particles: centres.len(),
        threads,
        width: size.width,
        height: size.height,
        seconds,
        cpu_seconds,
        seconds_undisturbed: cpu_seconds.map(|cpu| cpu / threads as f64),
        ns_per_pixel: 1e9 * seconds / (f64::from(size.width) * f64::from(size.height)),
        version: VERSION,
    })
}

/// A block of spheres with a wave on top, not quite in order, coloured by height.
fn block() -> (Vec<Vec3>, Vec<Vec3>) {
    let map = ColourMap::new(MapName::Ocean);
    let [wide, high, deep] = COUNTS;
    let places = (0..wide * high * deep).map(|k| {
        let (x, y, z) = ((k % wide) as f32, (k / wide % high) as f32, (k / wide / high) as f32);
        let shift = |seed: f32| 0.3 * (12.9898 * x + 78.233 * y + 37.719 * z + seed).sin();
        let wave = 1.0 + 0.3 * (0.15 * x).sin() * (0.2 * z).cos();
        Vec3::new(x + shift(0.0), wave * (y + 0.5) + shift(1.0), z + shift(2.0))
    });
    let centres: Vec<Vec3> = places.collect();
    let colours = centres.iter().map(|centre| map.colour(centre.y / (1.3 * high as f32))).collect();
    (centres, colours)
}

impl Row {
    /// One line.
    pub(super) fn json(&self) -> String {
        let line = serde_json::to_string(self).unwrap_or_else(|error| format!("{{\"error\":\"{error}\"}}"));
        format!("{line}\n")
    }

    /// A line for people.
    pub(super) fn table(&self) -> String {
        let undisturbed = self
            .seconds_undisturbed
            .map_or(String::new(), |seconds| format!(", {} if nothing else ran on this machine", duration(seconds)));
        format!(
            "{}: {} spheres with shadows, {}x{} pixels, {} threads\n  {} for a picture{undisturbed}\n",
            self.scene,
            self.particles,
            self.width,
            self.height,
            self.threads,
            duration(self.seconds),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_a_small_picture_add_up() {
        let row = measure(Size { width: 32, height: 18 }).unwrap();
        assert_eq!((row.particles, row.scene), (100_000, NAME));
        assert!((row.ns_per_pixel * 576.0 - 1e9 * row.seconds).abs() < 1.0);
        assert!(row.json().contains("\"cpu_seconds\"") && row.table().contains("32x18"));
    }
}

//! The cases that make surfaces: a mesh of many particles, and points between those on the surface.

use std::time::Instant;

use serde::Serialize;
use thixo_surface::{
    Detection, IsoDensity, Normals, Refinement, SurfaceError, Vec3, detect, normals, refine, triangulate_volume,
};

use crate::VERSION;
use crate::console::duration;
use crate::failure::Failure;
use crate::process;

/// What they are called.
pub(super) const NAMES: [&str; 2] = [MESH, REFINE];

const MESH: &str = "surface_density";
const REFINE: &str = "surface_refine";

/// How often each is done.
const TIMES: u32 = 5;

/// Particles along the three axes: 100 000.
const COUNTS: [usize; 3] = [80, 50, 25];

/// Edge of a cell in spacings.
const CELL: f32 = 0.5;

/// Support of the kernel in spacings.
const SUPPORT: f32 = 2.0;

/// The figures of a case.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    scene: &'static str,
    particles: usize,
    threads: usize,
    /// What came out: triangles, or points.
    made: usize,
    /// Wall time.
    seconds: f64,
    /// Processor time of all threads, over the same work.
    cpu_seconds: Option<f64>,
    /// Triangles or points in a second, if the threads had a core each to themselves.
    made_per_second_undisturbed: Option<f64>,
    /// Processor time that splashsurf takes for the same particles, cells and support, if it was built in.
    splashsurf_cpu_seconds: Option<f64>,
    version: &'static str,
}

/// Measures a case.
pub(super) fn measure(name: &str) -> Result<Row, Failure> {
    let particles = block(COUNTS);
    let row = if name == MESH { mesh(&particles) } else { points(&particles) };
    row.map_err(|error| Failure::Failed(error.to_string()))
}

/// Time that some work takes, done so often: wall and processor [s], and what came out.
fn timed<T, E>(mut work: impl FnMut() -> Result<T, E>) -> Result<(f64, Option<f64>, T), E> {
    let mut made = work()?;
    let (started, processor) = (Instant::now(), process::processor_seconds());
    for _ in 0..TIMES {
        made = work()?;
    }
    let per_time = |seconds: f64| seconds / f64::from(TIMES);
    let cpu = process::processor_seconds().zip(processor).map(|(now, then)| per_time(now - then));
    Ok((per_time(started.elapsed().as_secs_f64()), cpu, made))
}

fn mesh(particles: &[Vec3]) -> Result<Row, SurfaceError> {
    let parameters = IsoDensity { support_over_spacing: SUPPORT, ..IsoDensity::default() };
    let (seconds, cpu, made) = timed(|| {
        let mut field = parameters.field(particles, 1.0)?;
        triangulate_volume(&mut field, CELL, particles.len() as f64).map(|mesh| mesh.triangles.len())
    })?;
    Ok(Row { splashsurf_cpu_seconds: splashsurf(particles)?, ..Row::new(MESH, particles.len(), seconds, cpu, made) })
}

#[cfg(feature = "splashsurf")]
fn splashsurf(particles: &[Vec3]) -> Result<Option<f64>, SurfaceError> {
    let parameters = thixo_surface::Splashsurf { support_over_spacing: SUPPORT, ..Default::default() };
    timed(|| parameters.mesh(particles, 1.0, CELL, 0)).map(|(_, cpu, _)| cpu)
}

#[cfg(not(feature = "splashsurf"))]
fn splashsurf(_: &[Vec3]) -> Result<Option<f64>, SurfaceError> {
    Ok(None)
}

fn points(particles: &[Vec3]) -> Result<Row, SurfaceError> {
    let is_outer = detect(particles, 2.0, &Detection::default(), None)?;
    let chosen: Vec<u32> = (0..particles.len() as u32).filter(|&i| is_outer[i as usize]).collect();
    let facing = normals(particles, &chosen, 2.0, Normals::ColourField)?;
    let places: Vec<Vec3> = chosen.iter().map(|&i| particles[i as usize]).collect();
    let (seconds, cpu, made) =
        timed(|| refine(&places, &facing, 2.0, &Refinement::default()).map(|cloud| cloud.position.len()))?;
    Ok(Row::new(REFINE, places.len(), seconds, cpu, made))
}

/// A block of particles one apart with a wave on top, not quite in order.
fn block([wide, high, deep]: [usize; 3]) -> Vec<Vec3> {
    let place = |k: usize| {
        let (x, y, z) = ((k % wide) as f32, (k / wide % high) as f32, (k / wide / high) as f32);
        let shift = |seed: f32| 0.15 * (12.9898 * x + 78.233 * y + 37.719 * z + seed).sin();
        Vec3::new(x + shift(0.0), y + 3.0 * (0.15 * x).sin() * (0.2 * z).cos() + shift(1.0), z + shift(2.0))
    };
    (0..wide * high * deep).map(place).collect()
}

impl Row {
    fn new(scene: &'static str, particles: usize, seconds: f64, cpu_seconds: Option<f64>, made: usize) -> Row {
        let threads = rayon::current_num_threads();
        let per_second = |cpu: f64| made as f64 * threads as f64 / cpu.max(f64::MIN_POSITIVE);
        Row {
            scene,
            particles,
            threads,
            made,
            seconds,
            cpu_seconds,
            made_per_second_undisturbed: cpu_seconds.map(per_second),
            splashsurf_cpu_seconds: None,
            version: VERSION,
        }
    }

    /// One line.
    pub(super) fn json(&self) -> String {
        let line = serde_json::to_string(self).unwrap_or_else(|error| format!("{{\"error\":\"{error}\"}}"));
        format!("{line}\n")
    }

    /// A line for people.
    pub(super) fn table(&self) -> String {
        let what = if self.scene == MESH { "triangles" } else { "points" };
        let rate = self.made_per_second_undisturbed.map_or(String::new(), |rate| {
            format!(", {:.2} million {what} in a second if nothing else ran on this machine", rate * 1e-6)
        });
        let ratio = self.cpu_seconds.zip(self.splashsurf_cpu_seconds).map_or(String::new(), |(own, other)| {
            format!("\n  splashsurf takes {:.2} times as long", other / own.max(f64::MIN_POSITIVE))
        });
        let (scene, particles, threads, made) = (self.scene, self.particles, self.threads, self.made);
        let seconds = duration(self.seconds);
        format!("{scene}: {made} {what} of {particles} particles, {threads} threads\n  {seconds}{rate}{ratio}\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_small_cases_add_up() {
        let particles = block([8, 6, 5]);
        for row in [mesh(&particles).unwrap(), points(&particles).unwrap()] {
            assert!(row.made > 500 && row.particles <= 240, "{row:?}");
            assert!(row.json().contains("\"made_per_second_undisturbed\"") && row.table().contains(row.scene));
        }
    }
}

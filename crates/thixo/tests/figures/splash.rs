//! A column of some three thousand particles that collapses: what is its surface, and how it looks when it is refined.

use std::sync::LazyLock;
use std::time::Instant;

use thixo::prelude::Scene;
use thixo::surface::{
    CentreOfMass, Detection, Method, Normals, PointCloud, Reconstruction, Refinement, Refining, Samples, detect,
    normals, refine,
};

use crate::Vec3;
use crate::gallery::{BLUE, RED, Row};

const SPACING: f32 = 0.05;

const COLUMN: &str = "
world = { spacing = 0.05, gravity = [0.0, -9.81, 0.0] }
time = { end = 0.7, fps = 10 }
pressure.wcsph = {}
[materials.water]
density = 1000.0
fluid.viscosity.xsph = { strength = 0.02 }
[[bodies]]
name = 'column'
material = 'water'
shape.box = { min = [0.0, 0.0, 0.0], max = [0.6, 1.05, 0.6] }
[[walls]]
name = 'tank'
shape.box = { min = [0.0, 0.0, 0.0], max = [1.6, 2.0, 0.6] }
inside = true
";

/// The particles at 0.5, 0.6 and 0.7 s, and how long a step takes [s].
static SPLASHES: LazyLock<([Vec<Vec3>; 3], f64)> = LazyLock::new(|| {
    let mut simulation = Scene::read("column", COLUMN, &[]).unwrap().build().unwrap().simulation;
    let (started, mut steps) = (Instant::now(), 0);
    let places = [0.5, 0.6, 0.7].map(|time| {
        while simulation.time() < time {
            simulation.step_until(time).unwrap();
            steps += 1;
        }
        simulation.particles().position[simulation.matter()].to_vec()
    });
    (places, started.elapsed().as_secs_f64() / f64::from(steps))
});

/// The particles on the surface, and points between them.
fn refined(places: &[Vec3], is_outer: &[bool], steps: u32) -> PointCloud {
    let chosen: Vec<u32> = (0..places.len() as u32).filter(|&i| is_outer[i as usize]).collect();
    let facing = normals(places, &chosen, 2.0 * SPACING, Normals::ColourField).unwrap();
    let outer: Vec<Vec3> = chosen.iter().map(|&i| places[i as usize]).collect();
    refine(&outer, &facing, 2.0 * SPACING, &Refinement { steps, ..Refinement::default() }).unwrap()
}

const AHEAD: Vec3 = Vec3::new(-0.25, -0.35, -1.0);

/// Fig. 6.1: particles on the surface are told from those within, splashes included.
#[test]
fn surface_particles_are_told_from_those_within() {
    let ([.., places], _) = &*SPLASHES;
    let is_outer = detect(places, 2.0 * SPACING, &Detection::default(), None).unwrap();
    let samples = Samples::new(places, 2.0 * SPACING).unwrap();
    let (mut lonely, mut missed, mut within, mut wrong) = (0, 0, 0, 0);
    for (&at, &is_outer) in places.iter().zip(&is_outer) {
        let mut neighbors = -1;
        samples.near(at, |_, _, _| neighbors += 1);
        // 32 of a full lattice are nearer than two spacings, 18 of half of one.
        lonely += usize::from(neighbors <= 14);
        missed += usize::from(neighbors <= 14 && !is_outer);
        within += usize::from(neighbors >= 28);
        wrong += usize::from(neighbors >= 28 && is_outer);
    }
    let found = is_outer.iter().filter(|&&is_outer| is_outer).count();
    println!("{found} of {} on the surface; {missed} of {lonely} missed, {wrong} of {within} wrong", places.len());
    assert!(lonely > 100 && missed * 20 < lonely, "{missed} of {lonely} missed");
    assert!(within > 500 && wrong * 10 < within, "{wrong} of {within} taken for the surface");

    let cloud = refined(places, &is_outer, 3);
    assert!(cloud.position.len() > 10 * found, "{} points", cloud.position.len());
    let mut row = Row::new(1.9, AHEAD);
    let colours: Vec<_> = is_outer.iter().map(|&is_outer| if is_outer { RED } else { BLUE }).collect();
    row.spheres(0.0, places, 0.5 * SPACING, &[BLUE]);
    row.spheres(1.0, places, 0.5 * SPACING, &colours);
    row.spheres(2.0, &cloud.position, 0.12 * SPACING, &[RED]);
    row.draw("detection.png", [800, 270], true);
}

/// Fig. 6.11: the surface of the refined points is smoother than that of the particles.
#[test]
fn surface_of_refined_points_is_smoother() {
    let (splashes, _) = &*SPLASHES;
    let mesh = |places: &[Vec3], refining: Option<Refining>| {
        let method = Method::CentreOfMass(CentreOfMass::default());
        let way = Reconstruction { method, smoothing: 0, refining, cell_over_spacing: 0.3 };
        way.surface(places, SPACING, &[]).unwrap().mesh
    };
    // How much neighbouring vertices disagree about what is ahead.
    let roughness = |mesh: &thixo::surface::Mesh| {
        let bends = mesh.triangles.iter().map(|&[a, b, _]| 1.0 - mesh.normal[a as usize].dot(mesh.normal[b as usize]));
        bends.sum::<f32>() / mesh.triangles.len() as f32
    };
    let (mut sum, mut sum_refined) = (0.0, 0.0);
    let pairs = splashes.each_ref().map(|places| (mesh(places, None), mesh(places, Some(Refining::default()))));
    for (plain, fine) in &pairs {
        println!("roughness {} and {}, area {} and {}", roughness(plain), roughness(fine), plain.area(), fine.area());
        assert!(fine.flaws().is_none() && plain.flaws().is_none());
        assert!(roughness(fine) < 0.9 * roughness(plain), "{} instead of {}", roughness(fine), roughness(plain));
        (sum, sum_refined) = (sum + roughness(plain), sum_refined + roughness(fine));
    }
    assert!(sum_refined < 0.85 * sum, "{sum_refined} instead of {sum}");
    let [.., (plain, fine)] = &pairs;
    let mut row = Row::new(1.9, AHEAD);
    row.mesh(0.0, plain);
    row.mesh(1.0, fine);
    row.draw("refined-surface.png", [800, 350], true);
}

/// Fig. 6.12: physics, refinement and splats at rates that one can watch.
#[test]
fn refined_points_are_cheap() {
    let ([.., places], step) = &*SPLASHES;
    let started = Instant::now();
    let is_outer = detect(places, 2.0 * SPACING, &Detection::default(), None).unwrap();
    let cloud = refined(places, &is_outer, 2);
    let seconds = started.elapsed().as_secs_f64();
    let given = cloud.step.partition_point(|&step| step == 0);
    println!("{given} points to {}: as long as {:.1} steps of physics", cloud.position.len(), seconds / step);
    assert!((6..20).contains(&(cloud.position.len() / given)), "{given} to {}", cloud.position.len());

    let mut row = Row::new(1.9, AHEAD);
    row.discs(0.0, [&cloud.position[..given], &cloud.normal[..given]], 0.75 * SPACING, &[BLUE]);
    row.discs(1.0, [&cloud.position, &cloud.normal], 0.4 * SPACING, &[BLUE]);
    row.draw("splats.png", [800, 350], true);
}

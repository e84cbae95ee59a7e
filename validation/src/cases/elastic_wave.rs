//! E6: a wave of compression runs along a bar as fast as theory says; E10: what no strain sees is held all the same.

use glam::DVec3;
use thixo_sim::measure::elastic_forces;
use thixo_sim::{Clamp, Dimension, Elastic, Interpolation, Keyframe, Path, Real, StVenantKirchhoff, StepSize};

use crate::experiment::{CaseError, Conditions};
use crate::plot::Plot;
use crate::row::Row;
use crate::solid::{Solid, block, particles_at, wide};

const YOUNG: f64 = 1.0e6;
const POISSON: f64 = 0.3;

fn material(control: f64, damping: f64) -> Elastic {
    Elastic::StVenantKirchhoff(StVenantKirchhoff {
        young_modulus: Some(YOUNG as Real),
        poisson_ratio: Some(POISSON as Real),
        zero_energy_control: control as Real,
        damping: damping as Real,
        ..StVenantKirchhoff::default()
    })
}

/// One end of a bar begins to move; when does a place three quarters along follow? Periodic across, or free.
pub(crate) fn arrival(cells: usize, is_confined: bool, tolerance: f64) -> Result<Vec<Row>, CaseError> {
    let (length, speed, across) = (1.0, 0.01, if is_confined { 8 } else { 6 });
    let spacing = length / cells as f64;
    let elastic = material(0.1, 0.0);
    let expected = if is_confined { f64::from(elastic.sound_speed(1000.0)) } else { (YOUNG / 1000.0).sqrt() };
    let rest: Vec<_> = block([cells, across, across], spacing, 0.0);
    let mut solid = Solid::new(elastic, Dimension::Three, spacing, rest);
    if is_confined {
        let half = (0.5 * across as f64 * spacing) as Real;
        solid.settings.periodic = [None, Some([-half, half]), Some([-half, half])];
    }
    let begin = -0.5 * length + 2.0 * spacing;
    let frame = |time: f64| Keyframe { time, translation: [speed * time, 0.0, 0.0], rotation: None };
    let path = Path { keyframes: vec![frame(0.0), frame(1.0)], interpolation: Interpolation::Linear, repeat: false };
    let held = (0..solid.rest.len()).filter(|&i| solid.rest[i].x < begin).collect();
    solid.clamps.push((Clamp { path: Some(path) }, held));
    let mut simulation = solid.deformed(|x| x)?;
    let far = begin + 0.75 * length;
    let layer = particles_at(&simulation, |x| (x.x - far).abs() < 0.51 * spacing);
    let distance = {
        let particles = simulation.particles();
        let own = simulation.matter().filter(|&i| layer.contains(&particles.id[i]));
        own.map(|i| wide(particles.anchor[i]).x - begin).sum::<f64>() / layer.len() as f64
    };
    let mut curve = vec![(0.0, 0.0)];
    while simulation.time() < 1.3 * distance / expected {
        simulation.step()?;
        let particles = simulation.particles();
        let own = simulation.matter().filter(|&i| layer.contains(&particles.id[i]));
        let mean = own.map(|i| f64::from(particles.velocity[i].x)).sum::<f64>() / layer.len() as f64;
        curve.push((simulation.time(), mean / speed));
    }
    let after = curve.iter().position(|point| point.1 > 0.5).ok_or(CaseError::Nothing("no wave came"))?;
    let [(t0, v0), (t1, v1)] = [curve[after - 1], curve[after]];
    let found = distance / (t0 + (0.5 - v0) / (v1 - v0) * (t1 - t0));
    let plot = Plot::new("A wave arrives", "time [s]", "velocity by that of the end").line("simulated", curve);
    let quantity = if is_confined { "speed of a confined wave [m/s]" } else { "speed of a wave in a free bar [m/s]" };
    Ok(vec![Row::relative(quantity, found, expected, tolerance).under(&Conditions::of(&simulation)).plotting(plot)])
}

/// +1 and −1 in turn from cell to cell.
fn checkerboard(x: DVec3, spacing: f64) -> f64 {
    let cell = (x / spacing).floor();
    if (cell.x + cell.y + cell.z).rem_euclid(2.0) < 0.5 { 1.0 } else { -1.0 }
}

/// E10: a block whose particles are set in motion against their neighbours.
pub(crate) fn zero_energy() -> Result<Vec<Row>, CaseError> {
    let (spacing, cells) = (0.1, 10);
    let sound = f64::from(material(0.0, 0.0).sound_speed(1000.0));
    let kick = 0.01 * sound;
    let is_inside = |x: DVec3| x.abs().max_element() < 2.1 * spacing;
    // How far, and how fast, the pattern is after a time; the greatest distance until then.
    let run = |control: f64, damping: f64, time: f64| {
        let rest = block([cells; 3], spacing, 0.0);
        let mut solid = Solid::new(material(control, damping), Dimension::Three, spacing, rest);
        solid.settings.step = StepSize::Fixed((0.1 * spacing / sound) as Real);
        let mut simulation = solid.start(|x| x, |x| DVec3::X * (kick * checkerboard(x, spacing)))?;
        let (mut most, mut end) = (0.0_f64, (0.0, 0.0));
        while simulation.time() < time {
            simulation.step_until(time)?;
            let particles = simulation.particles();
            let inside: Vec<_> = (0..particles.len()).filter(|&i| is_inside(wide(particles.anchor[i]))).collect();
            let mean = |value: &dyn Fn(usize) -> f64| {
                inside.iter().map(|&i| value(i) * checkerboard(wide(particles.anchor[i]), spacing)).sum::<f64>()
                    / inside.len() as f64
            };
            let distance = mean(&|i| f64::from(particles.position[i].x - particles.anchor[i].x));
            end = (distance, mean(&|i| f64::from(particles.velocity[i].x)));
            most = most.max(distance.abs());
        }
        Ok::<_, CaseError>((most, end, Conditions::of(&simulation)))
    };
    // The frequency of the pattern under control, from the force that a small one feels.
    let solid = Solid::new(material(0.1, 0.0), Dimension::Three, spacing, block([cells; 3], spacing, 0.0));
    let height = 1e-3 * spacing;
    let shifted = solid.deformed(|x| x + DVec3::X * (height * checkerboard(x, spacing)))?;
    let forces = elastic_forces(&shifted);
    let particles = shifted.particles();
    let inside: Vec<_> = (0..particles.len()).filter(|&i| is_inside(wide(particles.anchor[i]))).collect();
    let pull = |&i: &usize| -forces[i].x * checkerboard(wide(particles.anchor[i]), spacing);
    let stiffness = inside.iter().map(pull).sum::<f64>() / inside.len() as f64 / height;
    let frequency = (stiffness / (1000.0 * spacing.powi(3))).sqrt();
    let period = spacing / sound;

    let (free, _, conditions) = run(0.0, 0.0, 5.0 * period)?;
    let growth = Row::relative(
        "distance of the pattern without control by that of free flight [-]",
        free / (kick * 5.0 * period),
        1.0,
        0.1,
    );
    let (held, ..) = run(0.1, 0.0, 20.0 * period)?;
    let bounded =
        Row::at_most("greatest distance of the pattern with control, by v/ω [-]", held * frequency / kick, 2.0);
    let (_, (distance, speed), _) = run(0.1, 0.5 * period, 20.0 * period)?;
    let left = (speed * speed + (frequency * distance).powi(2)) / (kick * kick);
    let damped = Row::at_most("energy of the pattern that is left after 20 d/c with damping d/2c [-]", left, 0.1);
    Ok([growth, bounded, damped]
        .map(|row| {
            row.under(&conditions).reporting("frequency of the pattern with control, by c/d", frequency * period)
        })
        .to_vec())
}

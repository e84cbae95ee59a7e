//! F13, density part: two fluids that share a lattice read their own densities up to the interface.
//!
//! Volumes are summed, not masses (Sol09 Eq. 4.4 to 4.6). Summing masses, as for one fluid, smears the densities
//! over the interface: the heavy fluid reads too little there and the light one many times too much.

use thixo_sim::{Kernel, KernelChoice, Material, NewBody, Real, Settings, Simulation, Support, Vec3, Who, each, sum};

use crate::experiment::{CaseError, Conditions};
use crate::numerics::farthest;
use crate::row::Row;

const SPACING: f64 = 0.1;
const HEAVY: f64 = 1000.0;
/// Particles along the horizontal axes, and layers of each fluid.
const ACROSS: u32 = 8;
const LAYERS: u32 = 8;

/// The two fluids at rest, a heavy and a light one, in space that repeats itself.
fn lattice(light: f64) -> Result<Simulation, CaseError> {
    let half = 0.5 * SPACING * f64::from(ACROSS);
    let height = SPACING * f64::from(LAYERS);
    let period = |half: f64| Some([-half as Real, half as Real]);
    let support = Support { support_over_spacing: Some(2.0) };
    let settings = Settings {
        spacing: SPACING as Real,
        gravity: Vec3::ZERO,
        periodic: [period(half), period(height), period(half)],
        kernel: KernelChoice::Poly6(support),
        ..Settings::default()
    };
    let material = |density: f64| Material { density: density as Real, ..Material::default() };
    let mut simulation = Simulation::new(settings, vec![material(HEAVY), material(light)])?;
    for (material, name, bottom) in [(0, "heavy", -height), (1, "light", 0.0)] {
        let centre = |k: u32, low: f64| ((f64::from(k) + 0.5) * SPACING + low) as Real;
        let mut position = Vec::new();
        for y in 0..LAYERS {
            for x in 0..ACROSS {
                let places = (0..ACROSS).map(|z| Vec3::new(centre(x, -half), centre(y, bottom), centre(z, -half)));
                position.extend(places);
            }
        }
        simulation.add_body(NewBody { name: name.into(), material, position, ..NewBody::default() })?;
    }
    simulation.prepare()?;
    Ok(simulation)
}

/// Sums masses instead of volumes: Σ m_j W_ij / (ρ0_i φ_lattice) of every particle.
fn standard_summation(simulation: &Simulation, kernel: &Kernel) -> Vec<f64> {
    let particles = simulation.particles();
    let mass: Vec<Real> = (0..particles.len()).map(|i| particles.mass(i)).collect();
    let mut density = vec![0.0; simulation.matter().len()];
    each!(simulation.pairs(), Who::Matter, &mut density, |i, near, density| {
        *density = sum!(near, |j| j.get(&mass) * j.w()) + mass[i] * kernel.value(0.0 as Real);
    });
    let calibration = simulation.lattice_sum();
    density.iter().zip(&particles.rest_density).map(|(sum, rest)| f64::from(sum / rest / calibration)).collect()
}

/// Density ratios 1:10 and 1:100 with equal volumes.
pub(crate) fn densities() -> Result<Vec<Row>, CaseError> {
    let mut rows = Vec::new();
    for (light, predicted) in [(100.0, [Some(0.828), Some(2.72)]), (10.0, [None, Some(19.9)])] {
        let simulation = lattice(light)?;
        let conditions = Conditions::of(&simulation);
        let particles = simulation.particles();
        let worst = simulation.matter().map(|i| f64::from(particles.compression(i)));
        let worst = farthest(worst, 1.0);
        let quantity = format!("density by rest density, 1000:{light}, worst [-]");
        rows.push(Row::absolute(&quantity, worst, 1.0, 0.002).under(&conditions));
        let kernel = *simulation.pairs().kernel();
        let smeared = standard_summation(&simulation, &kernel);
        for (fluid, side, predicted) in [("heavy", -0.5, predicted[0]), ("light", 0.5, predicted[1])] {
            let is_first = |i: &usize| {
                let height = f64::from(particles.position[*i].y);
                simulation.world().name_of(*i) == fluid && (height - side * SPACING).abs() < 0.1 * SPACING
            };
            let first = simulation.matter().find(is_first).ok_or(CaseError::Nothing("no first layer"))?;
            let quantity = format!("density by rest density, 1000:{light}, first {fluid} layer, masses summed [-]");
            let row = Row::absolute(&quantity, smeared[first], 1.0, 0.002).under(&conditions).expected_to_fail();
            rows.push(row.reporting("computed independently", predicted));
        }
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use thixo_sim::{Dimension, Shape};

    /// With equal densities both sums are the same.
    #[test]
    fn one_fluid_reads_its_density_either_way() {
        let simulation = lattice(HEAVY).unwrap();
        let kernel = Kernel::new(Shape::Poly6, (2.0 * SPACING) as Real, Dimension::Three);
        assert!(standard_summation(&simulation, &kernel).iter().all(|d| (d - 1.0).abs() < 1e-5));
    }
}

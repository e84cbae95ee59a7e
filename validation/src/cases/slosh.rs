//! F4: a standing wave in a tank.
//!
//! ```text
//! ω² = g k tanh(k H),    a(t) ~ exp(−2 ν k² t)
//! ```
//!
//! The decay is that of a wave over a floor that does not drag: what friction takes is 2μ e:e, with the rates of strain e
//! of flow without rotation. Re = H √(gH)/ν.

use std::f64::consts::PI;

use thixo_sim::{
    Central, DensityMethod, Dimension, Fluid, Laplacian, Material, Morris, NewBody, NewWall, Pressure, Real, Settings,
    Simulation, Vec3, Viscosity, Wcsph,
};

use crate::experiment::{CaseError, Conditions};
use crate::numerics::fitted_slope;
use crate::plot::Plot;
use crate::row::Row;

const GRAVITY: f64 = 9.81;
const DENSITY: f64 = 1000.0;
const REYNOLDS: f64 = 500.0;

/// A tank with the first mode of a wave in it, half a wavelength wide.
#[derive(Clone, Copy)]
pub(crate) struct Tank {
    width: f64,
    depth: f64,
    amplitude: f64,
}

/// As deep as wide.
pub(crate) const DEEP: Tank = Tank { width: 1.0, depth: 1.0, amplitude: 0.05 };
/// Half as deep.
pub(crate) const SHALLOW: Tank = Tank { width: 1.0, depth: 0.5, amplitude: 0.025 };

/// How water of the default viscosity swings, so many particles deep.
pub(crate) fn first_mode(pressure: &Pressure, layers: i32, slack: f64) -> Result<Vec<Row>, CaseError> {
    let wave = Wave::measure(SHALLOW, pressure.clone(), Viscosity::default(), layers, 3.2)?;
    let row = wave.period_row(slack)?.reporting("amplitude after three periods", wave.amplitude_after(3.0));
    Ok(vec![row.under(&wave.conditions)])
}

/// How water of the default viscosity goes on swinging, densities following the motion; beside it, where they are summed.
pub(crate) fn inviscid(tank: Tank, layers: i32, slack: f64) -> Result<Vec<Row>, CaseError> {
    let measure = |density| {
        let pressure = Pressure::Wcsph(Wcsph { density, ..Wcsph::default() });
        Wave::measure(tank, pressure, Viscosity::default(), layers, 5.25)
    };
    let (wave, summed) = (measure(DensityMethod::Continuity)?, measure(DensityMethod::Summation)?);
    let kept = Row::relative("amplitude after five periods [-]", wave.amplitude_after(5.0), 1.0, slack * 0.3)
        .reporting("where densities are summed", summed.amplitude_after(5.0));
    Ok([wave.period_row(slack)?, kept].map(|row| row.under(&wave.conditions)).into())
}

/// How viscosity brakes a wave, by its central form; beside it the forms that are not central.
pub(crate) fn viscous(layers: i32, slack: f64) -> Result<Vec<Row>, CaseError> {
    let viscosity = DEEP.depth * (GRAVITY * DEEP.depth).sqrt() / REYNOLDS;
    let dynamic_viscosity = (DENSITY * viscosity) as Real;
    let measure = |viscosity| {
        let pressure = Pressure::Wcsph(Wcsph { density: DensityMethod::Continuity, ..Wcsph::default() });
        Wave::measure(DEEP, pressure, viscosity, layers, 5.25)
    };
    let wave = measure(Viscosity::Central(Central { dynamic_viscosity }))?;
    let morris = measure(Viscosity::Morris(Morris { dynamic_viscosity }))?;
    let laplacian = measure(Viscosity::Laplacian(Laplacian { dynamic_viscosity }))?;
    let rate = 2.0 * viscosity * DEEP.number().powi(2);
    let decay = Row::relative("rate of decay [1/s]", wave.decay(), rate, slack * 0.3)
        .reporting("by Morris' form", morris.decay())
        .reporting("by the Laplacian of the viscosity kernel", laplacian.decay());
    Ok([wave.period_row(slack)?, decay].map(|row| row.under(&wave.conditions)).into())
}

/// What a wave did.
struct Wave {
    tank: Tank,
    /// Times [s] and amplitudes by that at the start.
    curve: Vec<(f64, f64)>,
    /// When the amplitude is zero [s].
    crossings: Vec<f64>,
    conditions: Conditions,
}

impl Wave {
    fn measure(
        tank: Tank,
        pressure: Pressure,
        viscosity: Viscosity,
        layers: i32,
        periods: f64,
    ) -> Result<Wave, CaseError> {
        let mut simulation = tank.fill(pressure, viscosity, layers)?;
        let mode = |simulation: &Simulation| {
            let position = &simulation.particles().position[simulation.matter()];
            position.iter().map(|x| (tank.number() * f64::from(x.x)).cos()).sum::<f64>() / position.len() as f64
        };
        let start = mode(&simulation);
        let mut curve = vec![(0.0, 1.0)];
        let end = periods * tank.period();
        while simulation.time() < end {
            simulation.step_until(end)?;
            curve.push((simulation.time(), mode(&simulation) / start));
        }
        let crossings = curve
            .windows(2)
            .filter(|pair| pair[0].1.signum() != pair[1].1.signum())
            .map(|pair| pair[0].0 + (pair[1].0 - pair[0].0) * pair[0].1 / (pair[0].1 - pair[1].1))
            .collect();
        Ok(Wave { tank, curve, crossings, conditions: Conditions::of(&simulation) })
    }

    fn period_row(&self, slack: f64) -> Result<Row, CaseError> {
        let (Some(first), Some(last)) = (self.crossings.first(), self.crossings.last()) else {
            return Err(CaseError::Nothing("no wave came"));
        };
        let found = 2.0 * (last - first) / (self.crossings.len() as f64 - 1.0);
        let period = self.tank.period();
        let end = self.curve.last().map_or(0.0, |point| point.0);
        let swing = |k: i32| f64::from(k) * end / 200.0;
        let reference = (0..=200).map(swing).map(|t| (t, (2.0 * PI * t / period).cos())).collect();
        let plot = Plot::new("First mode of a tank", "time [s]", "amplitude by that at the start [-]");
        let plot = plot.line("simulated", self.curve.clone()).dots("inviscid", reference);
        Ok(Row::relative("period of the first mode [s]", found, period, slack * 0.02).plotting(plot))
    }

    /// The largest amplitude within half a period around a time, given in periods.
    fn amplitude_after(&self, periods: f64) -> f64 {
        let near = |t: f64| (t / self.tank.period() - periods).abs() <= 0.25;
        self.curve.iter().filter(|(t, _)| near(*t)).map(|(_, a)| a.abs()).fold(0.0, f64::max)
    }

    /// How fast the largest amplitudes between two crossings decay [1/s].
    fn decay(&self) -> f64 {
        let peak = |pair: &[f64]| {
            let within = self.curve.iter().filter(|(t, _)| *t > pair[0] && *t < pair[1]);
            within.map(|&(t, a)| (t, a.abs())).max_by(|a, b| a.1.total_cmp(&b.1))
        };
        let peaks: Vec<_> = self.crossings.windows(2).filter_map(peak).map(|(t, a)| (t, a.ln())).collect();
        -fitted_slope(&peaks)
    }
}

impl Tank {
    /// k [1/m].
    fn number(self) -> f64 {
        PI / self.width
    }

    /// 2π/ω [s].
    fn period(self) -> f64 {
        2.0 * PI / (GRAVITY * self.number() * (self.number() * self.depth).tanh()).sqrt()
    }

    /// Water under a cosine, so many particles deep, between walls that do not drag.
    fn fill(self, pressure: Pressure, viscosity: Viscosity, layers: i32) -> Result<Simulation, CaseError> {
        let Tank { width, depth, amplitude } = self;
        let spacing = depth / f64::from(layers);
        let settings =
            Settings { spacing: spacing as Real, dimension: Dimension::Two, pressure, ..Settings::default() };
        let material = Material { density: DENSITY as Real, fluid: Fluid { viscosity }, ..Material::default() };
        let mut simulation = Simulation::new(settings, vec![material])?;
        let centre = |k: i32| (f64::from(k) + 0.5) * spacing;
        let (wide, high) = ((width / spacing).round() as i32, layers + layers / 2);
        let cells = |from: i32, wide: i32, high: i32| {
            (from..high).flat_map(move |j| (from..wide).map(move |i| (centre(i), centre(j))))
        };
        let place = |x: f64, y: f64| Vec3::new(x as Real, y as Real, 0.0);
        let is_water = |&(x, y): &(f64, f64)| y < depth + amplitude * (PI * x / width).cos();
        let position = cells(0, wide, high).filter(is_water).map(|(x, y)| place(x, y)).collect();
        simulation.add_body(NewBody { name: "water".into(), position, ..NewBody::default() })?;
        let far = place(width, f64::from(high) * spacing);
        let outside = cells(-2, wide + 2, high + 2).map(|(x, y)| place(x, y));
        let outside = outside.map(|x| (x, x.clamp(Vec3::ZERO, far) - x));
        let (position, to_surface) = outside.filter(|(_, out)| out.length() > 0.1 * spacing as Real).unzip();
        simulation.add_wall(NewWall { name: "tank".into(), position, to_surface, ..NewWall::default() })?;
        Ok(simulation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periods_are_those_of_linear_waves() {
        assert!((DEEP.period() - 1.1339).abs() < 1e-4 && (SHALLOW.period() - 1.1818).abs() < 1e-4);
    }

    #[test]
    fn a_damped_cosine_has_its_own_period_amplitude_and_decay() {
        let (period, rate) = (0.97 * DEEP.period(), 0.1);
        let times = (0..=6000).map(|k| f64::from(k) * 0.001);
        let curve: Vec<_> = times.map(|t| (t, (-rate * t).exp() * (2.0 * PI * t / period).cos())).collect();
        let crossings = (0..10).map(|k| (0.25 + 0.5 * f64::from(k)) * period).collect();
        let wave = Wave { tank: DEEP, curve, crossings, conditions: Conditions::default() };
        assert!((wave.period_row(1.0).unwrap().measured - period).abs() < 1e-6);
        assert!((wave.decay() - rate).abs() < 1e-3, "{}", wave.decay());
        assert!((wave.amplitude_after(5.0) - (-rate * 5.0 * period).exp()).abs() < 1e-3);
    }
}

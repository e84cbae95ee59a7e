//! T1 to T4: heat in matter at rest, against solutions of the heat equation.
//!
//! Lattices of matter that nothing moves, so that nothing but heat is tested; α is the diffusivity k/(ρ c).

use thixo_sim::{
    Course, Dimension, Elastic, Heat, Heater, HeaterTarget, Iisph, Implicit, KindId, Material, NewBody, NewWall,
    Pressure, Real, Settings, Simulation, StepSize, Supply, Vec3,
};

use crate::experiment::{CaseError, Conditions, Experiment};
use crate::row::Row;

const SPHERE: &str = include_str!("../../scenes/heated_sphere.toml");

/// A material that conducts: k [W/m/K], ρ [kg/m^3], c [J/kg/K].
fn conductor([conductivity, density, capacity]: [f64; 3]) -> Material {
    let heat = Heat { conductivity: conductivity as Real, capacity: capacity as Real, ..Heat::default() };
    Material { density: density as Real, heat: Some(heat), ..Material::default() }
}

fn settings(spacing: f64, dimension: Dimension, step: f64) -> Settings {
    Settings {
        spacing: spacing as Real,
        dimension,
        gravity: Vec3::ZERO,
        step: StepSize::Fixed(step as Real),
        pressure: Pressure::Iisph(Iisph::default()),
        ..Settings::default()
    }
}

/// Cell centres of a strip, from one column of cells to another, so many cells high.
fn strip(spacing: f64, columns: std::ops::Range<i32>, height: i32) -> Vec<Vec3> {
    let place = |x: i32, y: i32| {
        Vec3::new(((f64::from(x) + 0.5) * spacing) as Real, ((f64::from(y) + 0.5) * spacing) as Real, 0.0)
    };
    columns.flat_map(|x| (0..height).map(move |y| place(x, y))).collect()
}

/// So many rows are as many as a period needs.
const ROWS: i32 = 12;

/// Strips of materials side by side from x = 0, each with its columns and temperature.
fn strips(spacing: f64, step: f64, all: &[(Material, i32, f64)]) -> Result<Simulation, CaseError> {
    let period = Some([0.0, (f64::from(ROWS) * spacing) as Real]);
    let settings = Settings { periodic: [None, period, None], ..settings(spacing, Dimension::Two, step) };
    let mut simulation = Simulation::new(settings, all.iter().map(|(material, ..)| material.clone()).collect())?;
    let mut first = 0;
    for (k, (_, columns, temperature)) in all.iter().enumerate() {
        let position = strip(spacing, first..first + columns, ROWS);
        let (name, temperature) = (format!("strip {k}"), Some(*temperature as Real));
        simulation.add_body(NewBody { name, material: k, position, temperature, ..NewBody::default() })?;
        first += columns;
    }
    Ok(simulation)
}

/// A wall at x = 0 of a temperature.
fn heat_from_left(simulation: &mut Simulation, spacing: f64, temperature: f64) -> Result<(), CaseError> {
    let position = strip(spacing, -4..0, ROWS);
    let to_surface = position.iter().map(|x| Vec3::X * -x.x).collect();
    let wall = simulation.add_wall(NewWall { name: "wall".into(), position, to_surface, ..NewWall::default() })?;
    let supply = Supply::Temperature(Course::constant(temperature));
    simulation.add_heater(Heater { target: HeaterTarget::Wall(wall), supply, from: 0.0, until: None })?;
    Ok(())
}

/// Mean temperatures of the columns of a strip, by x.
fn profile(simulation: &Simulation, spacing: f64) -> Vec<(f64, f64)> {
    let (position, temperatures) = (&simulation.particles().position, simulation.temperatures().unwrap_or_default());
    let mut columns = std::collections::BTreeMap::<i64, (f64, f64, f64)>::new();
    for i in simulation.matter() {
        let x = f64::from(position[i].x);
        let column = columns.entry((x / spacing).floor() as i64).or_default();
        *column = (column.0 + x, column.1 + f64::from(temperatures[i]), column.2 + 1.0);
    }
    columns.into_values().map(|(x, temperature, count)| (x / count, temperature / count)).collect()
}

/// Linear between the points of a profile.
fn value_at(profile: &[(f64, f64)], x: f64) -> f64 {
    let after = profile.iter().position(|point| point.0 > x).unwrap_or(profile.len() - 1).max(1);
    let ((from, low), (to, high)) = (profile[after - 1], profile[after]);
    low + (high - low) * (x - from) / (to - from)
}

/// T1: a sine decays at the rate α k².
pub(crate) fn sine() -> Result<Vec<Row>, CaseError> {
    let (count, conductivity) = (32, 100.0);
    let spacing = 1.0 / f64::from(count);
    let alpha = conductivity / 1e6;
    let wave = 2.0 * std::f64::consts::PI;
    let time = 1.0 / (alpha * wave * wave);
    let short = (8.0 * spacing) as Real;
    let periodic = [Some([0.0, 1.0]), Some([0.0, short]), Some([0.0, short])];
    let settings = Settings { periodic, ..settings(spacing, Dimension::Three, time / 100.0) };
    let mut simulation = Simulation::new(settings, vec![conductor([conductivity, 1000.0, 1000.0])])?;
    let centre = |k: i32| ((f64::from(k) + 0.5) * spacing) as Real;
    let cells = (0..count * 64).map(|k| Vec3::new(centre(k / 64), centre(k / 8 % 8), centre(k % 8)));
    simulation.add_body(NewBody { name: "sine".into(), position: cells.collect(), ..NewBody::default() })?;
    let phase = |simulation: &Simulation, i: usize| (wave * f64::from(simulation.particles().position[i].x)).sin();
    for i in simulation.matter() {
        let temperature = phase(&simulation, i) as Real;
        simulation.set_temperature([i], temperature);
    }
    let amplitude = |simulation: &Simulation| {
        let temperatures = simulation.temperatures().unwrap_or_default();
        let all = simulation.matter().map(|i| f64::from(temperatures[i]) * phase(simulation, i));
        2.0 * all.sum::<f64>() / simulation.matter().len() as f64
    };
    let before = amplitude(&simulation);
    simulation.advance(time)?;
    let rate = -(amplitude(&simulation) / before).ln() / time;
    let expected = alpha * wave * wave;
    Ok(vec![Row::relative("rate of decay [1/s]", rate, expected, 0.02).under(&Conditions::of(&simulation))])
}

/// T2: a slab whose surface is hot from the start.
pub(crate) fn slab(columns: i32) -> Result<Vec<Row>, CaseError> {
    let (length, alpha) = (0.1, 1e-5);
    let spacing = length / f64::from(columns);
    // 2 √(α t) is a quarter of the slab, and what is beyond stays cold.
    let time = (length / 8.0_f64).powi(2) / alpha;
    let mut simulation = strips(spacing, time / 200.0, &[(conductor([10.0, 1000.0, 1000.0]), columns, 0.0)])?;
    heat_from_left(&mut simulation, spacing, 100.0)?;
    simulation.advance(time)?;
    let profile = profile(&simulation, spacing);
    let conditions = Conditions::of(&simulation);
    let row = |(share, expected): (f64, f64)| {
        let found = value_at(&profile, share * length / 4.0) / 100.0;
        Row::absolute(&format!("temperature at x/(2 sqrt(alpha t)) = {share} [of the step]"), found, expected, 0.02)
            .under(&conditions)
    };
    Ok([(0.25, 0.7237), (0.5, 0.4795), (1.0, 0.1573)].map(row).into())
}

/// T2: a ball whose surface is hot from the start, so many spacings across.
pub(crate) fn sphere(across: i32) -> Result<Vec<Row>, CaseError> {
    let (radius, alpha) = (0.1, 1.4e-6);
    let spacing = format!("world.spacing={}", 2.0 * radius / f64::from(across));
    let mut experiment = Experiment::new("heated_sphere.toml", SPHERE, &[spacing])?;
    let mut rows = Vec::new();
    #[allow(clippy::approx_constant, reason = "a value of the series, not of a root")]
    for (fourier, cold) in [(0.05, 0.9660), (0.1, 0.7071), (0.2, 0.2771)] {
        experiment.run_to(fourier * radius * radius / alpha)?;
        let simulation = &experiment.simulation;
        let temperatures = simulation.temperatures().unwrap_or_default();
        let reach = 0.9 * simulation.settings().spacing;
        let near = |i: &usize| simulation.particles().position[*i].length() < reach;
        let middle: Vec<_> = simulation.matter().filter(near).map(|i| f64::from(temperatures[i])).collect();
        if middle.is_empty() {
            return Err(CaseError::Nothing("no particle is in the middle"));
        }
        let found = 1.0 - middle.iter().sum::<f64>() / middle.len() as f64 / 100.0;
        let quantity = format!("what the centre lacks at Fo = {fourier} [of the step]");
        rows.push(Row::absolute(&quantity, found, cold, 0.02).under(&experiment.conditions()));
    }
    Ok(rows)
}

/// k, ρ and c of two materials whose effusivities √(k ρ c) are as 2 to 1.
const UNEQUAL: [[f64; 3]; 2] = [[40.0, 2000.0, 500.0], [10.0, 1000.0, 1000.0]];

fn unequal(columns: i32, step: f64) -> Result<(Simulation, f64), CaseError> {
    let spacing = 0.1 / f64::from(columns);
    let [hot, cold] = UNEQUAL.map(conductor);
    Ok((strips(spacing, step, &[(hot, columns, 100.0), (cold, columns, 0.0)])?, spacing))
}

/// T3: two bodies of unlike materials in contact.
pub(crate) fn contact(columns: i32) -> Result<Vec<Row>, CaseError> {
    let (mut simulation, spacing) = unequal(columns, 0.1)?;
    simulation.prepare()?;
    let before = simulation.heat(None);
    simulation.advance(5.0)?;
    let profile = profile(&simulation, spacing);
    // Through the interface flows k₁ (T₁ − T)/(d/2) = k₂ (T − T₂)/(d/2).
    let [k1, k2] = UNEQUAL.map(|[conductivity, ..]| conductivity);
    let [t1, t2] = [columns - 1, columns].map(|column| profile[column as usize].1);
    let touching = (k1 * t1 + k2 * t2) / (k1 + k2);
    let conditions = Conditions::of(&simulation);
    let mut rows = vec![Row::relative("contact temperature [degC]", touching, 200.0 / 3.0, 0.02).under(&conditions)];
    let (mut simulation, _) = unequal(columns, 50.0)?;
    simulation.advance(20_000.0)?;
    let after = simulation.heat(None);
    let kept = (after.enthalpy / before.enthalpy - 1.0).abs();
    let all = &simulation.temperatures().unwrap_or_default()[simulation.matter()];
    let [low, high] = all.iter().fold([Real::MAX, Real::MIN], |[low, high], t| [low.min(*t), high.max(*t)]);
    let conditions = Conditions::of(&simulation);
    // Equal heat capacities: half of 100.
    let equilibrium = after.enthalpy / after.capacity;
    rows.push(Row::at_most("drift of the heat of both [-]", kept, 1e-10).under(&conditions));
    // Volumes are in single precision: what is to come out is made of the same.
    let expected = before.enthalpy / before.capacity;
    rows.push(Row::relative("temperature of equilibrium [degC]", equilibrium, expected, 1e-10).under(&conditions));
    rows.push(Row::at_most("range of temperatures then [K]", f64::from(high - low), 0.1).under(&conditions));
    Ok(rows)
}

/// T3 by Sol09 Eq. 5.12, each with its own diffusivity: dT_i/dt = α_i Σ_j m_j/ρ_j (T_j − T_i) ∇²W.
pub(crate) fn thesis(columns: i32) -> Result<Vec<Row>, CaseError> {
    let (mut simulation, _) = unequal(columns, 0.1)?;
    simulation.prepare()?;
    let (particles, matter, pairs) = (simulation.particles(), simulation.matter(), simulation.pairs());
    let diffusivity = UNEQUAL.map(|[conductivity, density, capacity]| conductivity / (density * capacity));
    let of = |i: usize| particles.material[i] as usize;
    let capacity = |i: usize| f64::from(particles.mass(i)) * UNEQUAL[of(i)][2];
    let domain = &simulation.world().domain;
    let mut temperature: Vec<f64> = matter.clone().map(|i| if of(i) == 0 { 100.0 } else { 0.0 }).collect();
    let heat = |temperature: &[f64]| -> f64 { matter.clone().map(|i| capacity(i) * temperature[i]).sum() };
    let before = heat(&temperature);
    for _ in 0..200 {
        let rate = |i: usize| -> f64 {
            let flow = |j: usize| {
                let r = domain.shortest(particles.position[i] - particles.position[j]).length();
                let laplacian = f64::from(pairs.kernel().viscosity_laplacian(r));
                f64::from(particles.rest_volume[j]) * (temperature[j] - temperature[i]) * laplacian
            };
            diffusivity[of(i)] * pairs.neighbors(i).map(flow).sum::<f64>()
        };
        let next: Vec<_> = matter.clone().map(|i| temperature[i] + 2e-3 * rate(i)).collect();
        temperature = next;
    }
    let drift = (heat(&temperature) / before - 1.0).abs();
    let row = Row::at_most("drift of the heat of both by Sol09 Eq. 5.12 [-]", drift, 1e-10);
    Ok(vec![row.under(&Conditions::of(&simulation)).expected_to_fail()])
}

/// Wax that melts at 50 degC at once, with α = 1e-4 m²/s and so much latent heat.
fn wax(latent: f64) -> Material {
    let elastic = Elastic::Implicit(Implicit { young_modulus: Some(1e5), ..Implicit::default() });
    let heat = Heat {
        conductivity: 100.0,
        capacity: 1000.0,
        latent: latent as Real,
        melts: Some([50.0, 50.0]),
        ..Heat::default()
    };
    Material { elastic: Some(elastic), heat: Some(heat), ..Material::default() }
}

/// T4: a front that melts its way into a solid, which becomes fluid behind it, with so many particles in 60 mm.
pub(crate) fn front(columns: i32, latent: bool) -> Result<Vec<Row>, CaseError> {
    let (length, alpha) = (0.06, 1e-4);
    let spacing = length / f64::from(columns);
    // St = c (100 − 50)/L = 1/2, from the melting temperature; or the isotherm halfway between 0 and 100.
    let (material, start, root) = if latent { (wax(1e5), 50.0, 0.46479) } else { (wax(0.0), 0.0, 0.47694) };
    let mut simulation = strips(spacing, 0.01, &[(material, columns, start)])?;
    heat_from_left(&mut simulation, spacing, 100.0)?;
    let mut rows = Vec::new();
    let times: &[f64] = if latent { &[1.0, 4.0, 9.0] } else { &[0.25, 1.0] };
    for &time in times {
        simulation.advance(time - simulation.time())?;
        let expected = 1e3 * 2.0 * root * (alpha * time).sqrt();
        let conditions = Conditions::of(&simulation);
        let found = if latent {
            // Per area of the front; what is half melted counts half.
            1e3 * simulation.heat(None).liquid / (1000.0 * f64::from(ROWS) * spacing)
        } else {
            let profile = profile(&simulation, spacing);
            let cold =
                profile.iter().position(|point| point.1 < 50.0).ok_or(CaseError::Nothing("there is no front"))?;
            let ((from, low), (to, high)) = (profile[cold.max(1) - 1], profile[cold.max(1)]);
            1e3 * (from + (to - from) * (low - 50.0) / (low - high))
        };
        rows.push(Row::relative(&format!("front at {time} s [mm]"), found, expected, 0.04).under(&conditions));
        let fluid = simulation.world().kinds.segment(KindId::FLUID).len();
        let reached = 1e3 * fluid as f64 / f64::from(ROWS) * spacing;
        let row = Row::absolute(&format!("what is fluid at {time} s [mm]"), reached, expected, 1.5e3 * spacing);
        rows.push(row.under(&conditions));
    }
    Ok(rows)
}

/// T4: a strip that is heated and cooled in the middle until a thousand particles have changed their phase.
pub(crate) fn flips() -> Result<Vec<Row>, CaseError> {
    let spacing = 0.001;
    let mut material = wax(1e4);
    material.heat = material.heat.map(|heat| Heat { melts: Some([50.0, 60.0]), freezes: Some(55.0), ..heat });
    let mut simulation = strips(spacing, 0.01, &[(material, 40, 40.0)])?;
    let region = thixo_sim::Region::Box(thixo_sim::RegionBox { min: [0.01, -1.0, 0.0], max: [0.03, 1.0, 0.0] });
    let points = (0..1000).map(|k| [f64::from(k) * 0.5, if k % 2 == 0 { 20.0 } else { 100.0 }]).collect();
    let supply = Supply::Temperature(Course { points });
    simulation.add_heater(Heater { target: HeaterTarget::Region(region), supply, from: 0.0, until: None })?;
    simulation.prepare()?;
    let mass = |simulation: &Simulation| -> f64 {
        simulation.matter().map(|i| f64::from(simulation.particles().mass(i))).sum()
    };
    let phases = |simulation: &Simulation| -> std::collections::BTreeMap<u32, u32> {
        let particles = simulation.particles();
        simulation.matter().map(|i| (particles.id[i], particles.phase[i])).collect()
    };
    let (first_mass, first_heat) = (mass(&simulation), simulation.heat(None).enthalpy);
    let (mut flips, mut before) = (0, phases(&simulation));
    while flips < 1000 {
        simulation.step()?;
        let now = phases(&simulation);
        flips += now.iter().filter(|(id, phase)| before.get(id) != Some(phase)).count();
        before = now;
        if simulation.time() > 400.0 {
            return Err(CaseError::Nothing("too few particles change their phase"));
        }
    }
    let conditions = Conditions::of(&simulation);
    let now = simulation.heat(None).enthalpy;
    let missing = (now - simulation.heat_received().sum() - first_heat).abs() / now;
    let momentum = thixo_sim::measure::Totals::of(&simulation, None);
    let row = |quantity: &str, drift: f64| Row::at_most(quantity, drift, 1e-10).under(&conditions);
    Ok(vec![
        row("drift of mass [-]", (mass(&simulation) / first_mass - 1.0).abs()),
        row("heat that nobody has booked [-]", missing),
        row("momentum [kg m/s]", momentum.momentum.length()).reporting("flips", flips as u64),
    ])
}

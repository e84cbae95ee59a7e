//! P3: bonds break at the stretch that they are said to (Sol09 5.2.4), and a notched bar parts at its notch.

use glam::DVec3;
use thixo_sim::measure::Totals;
use thixo_sim::{Breaks, Dimension, PRECISION, Real, Simulation, StepSize};

use crate::experiment::{CaseError, Conditions};
use crate::row::Row;
use crate::solid::{Solid, block, model, put, wide};

const YOUNG: f64 = 1.0e5;
const POISSON: f64 = 0.3;

/// A step of the load: by how much strain grows.
const LOAD: f64 = 0.002;

fn bonds(simulation: &Simulation) -> usize {
    simulation.matter().map(|i| simulation.bonds_of(i).count()).sum()
}

/// P3: a block is stretched along x, load by load, at so many particles in its height. No bond breaks before the strain is that of the
/// limit, and the first does in the load step in which it is reached.
pub(crate) fn first_break(layers: usize) -> Result<Vec<Row>, CaseError> {
    let (limit, spacing) = (1.1, 0.4 / layers as f64);
    let mut solid =
        Solid::new(model("implicit", YOUNG, POISSON), Dimension::Three, spacing, block([layers; 3], spacing, 0.0))
            .clamped(|_| true);
    solid.breaks = Some(Breaks { stretch: limit as Real });
    solid.settings.step = StepSize::Fixed(1e-4);
    let mut simulation = solid.deformed(|x| x)?;
    let whole = bonds(&simulation);
    let mut strain = 0.0;
    for load in 1..100 {
        strain = LOAD * f64::from(load);
        put(&mut simulation, |x| DVec3::new(x.x * (1.0 + strain), x.y, x.z))?;
        simulation.step()?;
        if bonds(&simulation) < whole {
            break;
        }
    }
    let conditions = Conditions::of(&simulation);
    // In the load step that passes the limit.
    let middle = limit - 1.0 + 0.5 * LOAD;
    Ok(vec![Row::absolute("strain at which the first bond breaks [-]", strain, middle, LOAD).under(&conditions)])
}

/// P3: a free bar with a notch, pulled apart by its own speed, at so many layers.
pub(crate) fn notched(layers: usize) -> Result<Vec<Row>, CaseError> {
    let (height, length) = (0.2, 0.8);
    let spacing = height / layers as f64;
    let cells = [(length / spacing).round() as usize, layers, 1];
    let in_notch = |x: &DVec3| x.x.abs() < 0.75 * spacing && x.y > 0.1 * height;
    let rest: Vec<_> = block(cells, spacing, 0.0).into_iter().filter(|x| !in_notch(x)).collect();
    let count = rest.len();
    let mut solid = Solid::new(model("implicit", YOUNG, POISSON), Dimension::Two, spacing, rest);
    solid.breaks = Some(Breaks { stretch: 1.3 });
    let mut simulation = solid.start(|x| x, |x| DVec3::new(0.3 + 10.0 * x.x, 0.2, 0.0))?;
    let before = Totals::of(&simulation, None);
    let (mut parted, mut strain) = (f64::NAN, f64::NAN);
    while simulation.time() < 0.2 && parted.is_nan() {
        simulation.step()?;
        if pieces(&simulation).len() > 1 {
            parted = simulation.time();
            let ends = |sign: f64| {
                let particles = simulation.particles();
                let of_end = simulation
                    .matter()
                    .map(|i| (sign * wide(particles.anchor[i]).x, sign * wide(particles.position[i]).x));
                of_end.fold((f64::MIN, 0.0), |most, end| if end.0 > most.0 { end } else { most }).1
            };
            strain = (ends(1.0) + ends(-1.0)) / (length - spacing) - 1.0;
        }
    }
    // Let the last bonds part.
    simulation.advance(0.02)?;
    let pieces_apart = pieces(&simulation);
    let apart = Totals::of(&simulation, None);
    let moving: Vec<_> = pieces_apart.iter().map(|piece| momentum(&simulation, piece)).collect();
    simulation.advance(0.05)?;
    let change =
        pieces_apart.iter().zip(&moving).map(|(piece, before)| (momentum(&simulation, piece) - *before).length());
    let change = change.fold(0.0, f64::max) / apart.momentum_scale;
    let exact = if PRECISION == "f32" { 1e-6 } else { 1e-12 };
    let conditions = Conditions::of(&simulation);
    let drift = (apart.momentum - before.momentum).length() / before.momentum_scale;
    // The two largest are on either side of the notch.
    let mut sizes: Vec<_> = pieces_apart.iter().map(Vec::len).collect();
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    let halves = sizes.get(1).map_or(0.0, |second| *second as f64) / (0.5 * count as f64);
    let crack = crack(&simulation, &pieces_apart);
    Ok(vec![
        Row::absolute("place of the crack, from the notch [m]", crack, 0.0, 2.0 * spacing)
            .under(&conditions)
            .reporting("time at which it parts [s]", parted)
            .reporting("strain of the bar when it parts [-]", strain)
            .reporting("pieces", pieces_apart.len() as u64),
        Row::relative("particles of the smaller half, by half of the bar [-]", halves, 1.0, 0.1).under(&conditions),
        Row::at_most("change of momentum, by the sum of |m v| [-]", drift, exact).under(&conditions),
        Row::at_most("what pieces do to each other afterwards, likewise [-]", change, exact).under(&conditions),
    ])
}

/// The particles of each piece, by identifier.
fn pieces(simulation: &Simulation) -> Vec<Vec<u32>> {
    let particles = simulation.particles();
    let mut of_body = vec![Vec::new(); simulation.bodies().len()];
    simulation.matter().for_each(|i| of_body[particles.body[i] as usize].push(particles.id[i]));
    of_body.retain(|piece| !piece.is_empty());
    of_body
}

fn momentum(simulation: &Simulation, piece: &[u32]) -> DVec3 {
    let particles = simulation.particles();
    let own = simulation.matter().filter(|&i| piece.contains(&particles.id[i]));
    own.map(|i| wide(particles.velocity[i]) * f64::from(particles.mass(i))).sum()
}

/// Where the undeformed bar parts between its two largest pieces: the middle between the end of one and the beginning of the other.
fn crack(simulation: &Simulation, pieces: &[Vec<u32>]) -> f64 {
    let particles = simulation.particles();
    let mut largest: Vec<_> = pieces.iter().collect();
    largest.sort_by_key(|piece| std::cmp::Reverse(piece.len()));
    let range = |piece: &[u32]| {
        let places =
            simulation.matter().filter(|&i| piece.contains(&particles.id[i])).map(|i| wide(particles.anchor[i]).x);
        places.fold([f64::MAX, f64::MIN], |[low, high], x| [low.min(x), high.max(x)])
    };
    match largest[..] {
        [one, other, ..] => {
            let ([a, b], [c, d]) = (range(one), range(other));
            if a < c { 0.5 * (b + c) } else { 0.5 * (d + a) }
        }
        _ => f64::NAN,
    }
}

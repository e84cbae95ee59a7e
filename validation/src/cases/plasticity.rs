//! P1: a block that is sheared to and fro, further than it springs back from (Sol09 5.2.4, after O'Brien 2002).
//!
//! With strains ε_xy of 0.04, 0, −0.04, 0, the elastic limit c₁ = 0.02 and the plastic limit c₂ = 0.05, what is left is algebra:
//! sheared alone, matter yields at ε_xy − ε_p = c₁/√2, so that ε_p is 0.025858, 0.014142, −0.025858, −0.014142, and the shear
//! stress over G ± 0.028284.

use glam::{DMat3, DVec3};
use thixo_sim::measure::Derived;
use thixo_sim::{Dimension, Elastic, Plastic, Simulation, StepSize, Values};

use crate::experiment::{CaseError, Conditions};
use crate::row::Row;
use crate::solid::{Solid, block, model, put, turn, wide};

const SPACING: f64 = 0.1;
const YOUNG: f64 = 1.0e5;
const POISSON: f64 = 0.3;
const SHEAR_MODULUS: f64 = YOUNG / (2.0 * (1.0 + POISSON));
const STRAIN: f64 = 0.04;
const LIMITS: Plastic = Plastic { yield_strain: 0.02, largest_strain: 0.05 };

/// ε_xy at the ends of the parts of the loop.
const ENDS: [f64; 4] = [STRAIN, 0.0, -STRAIN, 0.0];

fn solid(name: &str) -> Solid {
    let mut solid = Solid::new(model(name, YOUNG, POISSON), Dimension::Three, SPACING, block([7; 3], SPACING, 0.0));
    solid.plastic = Some(LIMITS);
    solid
}

fn sheared(strain: f64) -> DMat3 {
    DMat3::from_cols(DVec3::new(1.0, strain, 0.0), DVec3::new(strain, 1.0, 0.0), DVec3::Z)
}

/// The particle in the middle of a block about the origin.
fn middle(simulation: &Simulation) -> usize {
    let distance = |i: &usize| wide(simulation.particles().anchor[*i]).length();
    simulation.matter().min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or_default()
}

fn vector(simulation: &Simulation, derived: Derived, name: &str, i: usize) -> DVec3 {
    let columns = derived.columns(simulation);
    let column = columns.iter().find(|column| column.info.name == name);
    match column.map(|column| column.values()) {
        Some(Values::Vector(values)) => wide(values[i]),
        _ => DVec3::NAN,
    }
}

/// What a loop leaves at the end of each of its parts.
struct Loop {
    plastic: Vec<f64>,
    /// Shear stress in the frame of the body, over G.
    stress: Vec<f64>,
    /// Mean normal stress where there is no strain, over G.
    swelling: f64,
    conditions: Conditions,
}

/// Every particle is held where the strain puts it, in so many steps for each part of the loop, while the body turns so often.
fn run(name: &str, steps: usize, turns: f64) -> Result<Loop, CaseError> {
    let mut solid = solid(name).clamped(|_| true);
    solid.settings.step = StepSize::Fixed(1e-4);
    let mut simulation = solid.deformed(|x| x)?;
    let middle = middle(&simulation);
    let (mut plastic, mut stress, mut swelling) = (Vec::new(), Vec::new(), 0.0);
    let mut before = 0.0;
    for (part, end) in ENDS.into_iter().enumerate() {
        let mut turned = DMat3::IDENTITY;
        for step in 1..=steps {
            let share = step as f64 / steps as f64;
            turned = turn((part as f64 + share) / ENDS.len() as f64 * turns * std::f64::consts::TAU);
            let deformation = turned * sheared(before + share * (end - before));
            put(&mut simulation, |x| deformation * x)?;
            simulation.step()?;
        }
        before = end;
        let [normal, shear] =
            ["normal_stress", "shear_stress"].map(|name| vector(&simulation, Derived::Stress, name, middle));
        // yz, zx, xy.
        let tensor = DMat3::from_cols(
            DVec3::new(normal.x, shear.z, shear.y),
            DVec3::new(shear.z, normal.y, shear.x),
            DVec3::new(shear.y, shear.x, normal.z),
        );
        plastic.push(f64::from(simulation.plastic_strain_of(middle)[2]));
        stress.push((turned.transpose() * tensor * turned).y_axis.x / SHEAR_MODULUS);
        if end == 0.0 {
            swelling = f64::max(swelling, (normal.element_sum() / 3.0 / SHEAR_MODULUS).abs());
        }
    }
    Ok(Loop { plastic, stress, swelling, conditions: Conditions::of(&simulation) })
}

/// P1: the loop in so many steps and in ten times as many, at rest and while the body turns once.
pub(crate) fn sheared_to_and_fro(name: &str, steps: usize) -> Result<Vec<Row>, CaseError> {
    let elastic = f64::from(LIMITS.yield_strain) / 2.0_f64.sqrt();
    let expected = [STRAIN - elastic, elastic, elastic - STRAIN, -elastic];
    let mut rows = Vec::new();
    let (few, many, turning) = (run(name, steps, 0.0)?, run(name, 10 * steps, 0.0)?, run(name, steps, 1.0)?);
    for (what, found) in [("", &few), (" while it turns", &turning)] {
        for (part, expected) in expected.into_iter().enumerate() {
            let stress = 2.0 * (ENDS[part] - expected);
            rows.push(
                Row::relative(
                    &format!("plastic strain after part {}{what} [-]", part + 1),
                    found.plastic[part],
                    expected,
                    0.005,
                )
                .under(&found.conditions),
            );
            rows.push(
                Row::relative(
                    &format!("shear stress over G after part {}{what} [-]", part + 1),
                    found.stress[part],
                    stress,
                    0.005,
                )
                .under(&found.conditions),
            );
        }
    }
    let change = few.plastic.iter().zip(&many.plastic).map(|(a, b)| (a / b - 1.0).abs()).fold(0.0, f64::max);
    rows.push(Row::at_most("change by ten times as many steps [-]", change, 0.001).under(&many.conditions));
    let limit = 0.005 * 2.0 * elastic;
    rows.push(Row::at_most("mean normal stress over G without strain [-]", few.swelling, limit).under(&few.conditions));
    Ok(rows)
}

/// P1: let go at ε_xy = 0.04, a free block comes to rest at its plastic strain. It is damped more than critically: waves that are
/// reflected from its free faces would make it flow back.
pub(crate) fn released(name: &str, cells: usize) -> Result<Vec<Row>, CaseError> {
    let mut solid = solid(name);
    let (damping, dt) = (0.1, if name == "implicit" { 2e-3 } else { 2e-4 });
    match &mut solid.elastic {
        Elastic::Implicit(model) => model.damping = damping,
        Elastic::StVenantKirchhoff(model) => model.damping = damping,
        _ => return Err(CaseError::Nothing("this model is not damped here")),
    }
    solid.rest = block([cells; 3], SPACING, 0.0);
    solid.settings.step = StepSize::Fixed(dt);
    let mut simulation = solid.start(|x| sheared(STRAIN) * x, |_| DVec3::ZERO)?;
    let middle = middle(&simulation);
    simulation.advance(3.0)?;
    let [x, y] = ["deformation_x", "deformation_y"].map(|name| vector(&simulation, Derived::Deformation, name, middle));
    let expected = STRAIN - f64::from(LIMITS.yield_strain) / 2.0_f64.sqrt();
    let conditions = Conditions::of(&simulation);
    Ok(vec![Row::relative("strain at which it rests [-]", 0.5 * (x.y + y.x), expected, 0.02).under(&conditions)])
}

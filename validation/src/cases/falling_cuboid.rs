//! C5: a cuboid that falls on a plane tilted lies down flat; one whose model resists being turned does not (BIT09 Fig. 5).

use glam::{DMat3, DVec3};
use thixo_sim::{
    Corotated, Dimension, Elastic, Iisph, Implicit, NewWall, Penalty, PlainSph, Pressure, Real, Simulation, Vec3,
};

use crate::experiment::{CaseError, Conditions};
use crate::row::Row;
use crate::solid::{Solid, block, narrow, wide};

const SPACING: f64 = 0.1;
const CELLS: [usize; 3] = [5, 6, 7];

/// [Pa]. How far plain SPH stays tilted follows from stiffness over weight, which BIT09 does not tell. The least energy of
/// such a cuboid on a plane without friction (computed apart from this program, Poisson's ratio 0) is at 4.0 degrees for
/// 1e5 Pa, 7.9 for 1e6 and 18.9 for 1e7; with the volumes of BIT09 Eq. 5, larger at the surface, at 5.0, 15.5 and 19.6.
const YOUNG: Real = 1e7;

/// When it lies [s]. Rubber bounces: the cuboid rocks from edge to edge for three to four seconds, the longer the shorter its
/// steps are, which damp it.
const REST: f64 = 5.0;

/// How it is turned before it falls.
fn tilted() -> DMat3 {
    DMat3::from_rotation_z(20_f64.to_radians())
}

/// How far the face nearest to the ground is from lying flat [degrees].
fn tilt(simulation: &Simulation) -> f64 {
    let particles = simulation.particles();
    let direction = |axis: usize| {
        // From one end of the body to the other.
        let part = |i: usize| wide(particles.position[i]) * (tilted().transpose() * wide(particles.anchor[i]))[axis];
        simulation.matter().map(part).sum::<DVec3>().normalize()
    };
    let steepest = (0..3).map(|axis| direction(axis).y.abs()).fold(0.0, f64::max);
    steepest.min(1.0).acos().to_degrees()
}

/// Drops the cuboid, tilted by 20 degrees.
pub(crate) fn falls(name: &str) -> Result<Vec<Row>, CaseError> {
    let (young_modulus, damping) = (Some(YOUNG), 1e-3);
    let (elastic, pressure) = match name {
        "implicit" => (
            Elastic::Implicit(Implicit { young_modulus, damping, ..Implicit::default() }),
            Pressure::Iisph(Iisph::default()),
        ),
        "corotated" => (Elastic::Corotated(Corotated { young_modulus, damping, ..Corotated::default() }), contact()),
        _ => (Elastic::Sph(PlainSph { young_modulus, damping, ..PlainSph::default() }), contact()),
    };
    // Tilted in its undeformed shape: to lie flat it must turn.
    let rest = block(CELLS, SPACING, 0.0).into_iter().map(|x| tilted() * x).collect();
    let mut solid = Solid::new(elastic, Dimension::Three, SPACING, rest);
    (solid.settings.pressure, solid.settings.gravity) = (pressure, Vec3::new(0.0, -9.81, 0.0));
    let mut simulation = solid.deformed(|x| x + DVec3::Y * 0.6)?;
    let floor = block([24, 1, 24], SPACING, 0.0).into_iter().map(|x| narrow(x - DVec3::Y * 0.5 * SPACING)).collect();
    let to_surface = vec![Vec3::Y * (0.5 * SPACING) as Real];
    simulation.add_wall(NewWall {
        name: "floor".into(),
        position: floor,
        to_surface,
        friction: 0.3,
        ..NewWall::default()
    })?;
    simulation.advance(REST)?;
    let resists = name == "sph_green";
    let most = if resists { 10.0 } else { 2.0 };
    let row = Row::at_most("tilt of the cuboid at rest [degrees]", tilt(&simulation), most);
    let row = row.under(&Conditions::of(&simulation));
    Ok(vec![if resists { row.expected_to_fail() } else { row }])
}

fn contact() -> Pressure {
    Pressure::Penalty(Penalty { damping: 0.2, ..Penalty::default() })
}

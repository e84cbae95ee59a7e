//! V3: points between points of a sphere lie on it, are evenly spread, and leave no holes.

use thixo_surface::{
    DVec3, Displacement, Normals, Oriented, Refinement, Rule, Samples, Vec3, between, normals, refine, shrink,
};

use super::conditions;
use super::samplings::{Random, ball, sunflower};
use crate::experiment::CaseError;
use crate::row::Row;

/// All parts.
pub(crate) fn sphere() -> Result<Vec<Row>, CaseError> {
    let mut rows = vec![exact("outside", 1.0, true), exact("inside", -1.0, true)];
    rows.push(exact("inside, as printed", -1.0, false).expected_to_fail());
    let factor = f64::from(shrink(1.0));
    rows.push(Row::absolute("radius of a step by that of the one before [-]", factor, 0.5412, 1e-4));
    rows.extend(cloud()?);
    Ok(rows)
}

/// Children of pairs of points with exact normals, on the unit sphere seen from one side.
fn exact(name: &str, side: f64, is_signed: bool) -> Row {
    let mut random = Random::new(3);
    let mut point = || {
        let place = random.vector().as_dvec3().normalize_or(DVec3::X);
        Oriented { place, normal: place * side }
    };
    let rule = Rule { displacement: Displacement::Smaller, is_signed, limit: 1.0 };
    // Pairs up to a right angle apart.
    let pairs = (0..2000).map(|_| (point(), point())).filter(|(one, two)| one.place.dot(two.place) > 0.0);
    let off = pairs.filter_map(|(one, two)| between(&one, &two, &rule)).map(|child| (child.place.length() - 1.0).abs());
    Row::at_most(
        &format!("farthest child from a sphere seen from {name}, by its radius [-]"),
        off.fold(0.0, f64::max),
        1e-12,
    )
}

/// A ball whose outermost particles lie on the unit sphere, with normals by the colour field, refined three times.
fn cloud() -> Result<Vec<Row>, CaseError> {
    const SPACING: f32 = 0.1;
    let outer = (4.0 * std::f32::consts::PI / (SPACING * SPACING)) as usize;
    let mut places: Vec<Vec3> = sunflower(outer).collect();
    // Half a spacing of the layers below is taken by the outermost.
    places.extend(
        ball(SPACING)
            .into_iter()
            .map(|place| place * (1.0 - 0.5 * SPACING))
            .filter(|place| place.length() < 1.0 - 0.8 * SPACING),
    );
    let chosen: Vec<u32> = (0..outer as u32).collect();
    let radius = 2.0 * SPACING;
    let facing = normals(&places, &chosen, radius, Normals::ColourField)?;
    let refinement = Refinement::default();
    let cloud = refine(&places[..outer], &facing, radius, &refinement)?;
    let conditions = conditions(cloud.position.len(), 2.0);
    let off = cloud.position.iter().map(|place| (place.length() - 1.0).abs()).fold(0.0, f32::max) / SPACING;
    let last = shrink(shrink(radius));
    let samples = Samples::new(&cloud.position, last)?;
    let nearest = |at: Vec3, least: f32| {
        let mut nearest = f32::INFINITY;
        samples.near(at, |_, _, squared| {
            if squared > least {
                nearest = nearest.min(squared);
            }
        });
        nearest.sqrt()
    };
    let close = cloud.position.iter().filter(|at| nearest(**at, 0.0) < refinement.collision * last).count();
    let hole = sunflower(20_000).map(|at| nearest(at, -1.0)).fold(0.0, f32::max);
    Ok([
        Row::at_most(
            "farthest point from the sphere, normals by the colour field, in spacings [-]",
            f64::from(off),
            0.05,
        ),
        Row::at_most("points closer than 0.2 r to another [-]", close as f64 / cloud.position.len() as f64, 0.01),
        Row::at_most("largest hole by r [-]", f64::from(hole / last), 1.0),
    ]
    .map(|row| row.under(&conditions).reporting("points given", outer))
    .into())
}

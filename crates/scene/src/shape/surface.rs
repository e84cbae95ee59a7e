//! Where the surface of a solid is, by following its distances.

use glam::DVec3;

use super::Solid;

/// How the distance changes, by differences over `reach` to both sides [-]; a length of about one, or less where the
/// distance is a low estimate.
pub(crate) fn gradient(solid: &dyn Solid, point: DVec3, reach: f64) -> DVec3 {
    let change = |way: DVec3| solid.distance(point + way) - solid.distance(point - way);
    DVec3::from_array(DVec3::AXES.map(|axis| change(reach * axis))) / (2.0 * reach)
}

/// A point of the surface near `point`: the nearest one if distances are exact. None if following the distances does
/// not lead to the surface. `precision` is how well it is met [m].
pub(crate) fn surface_point(solid: &dyn Solid, point: DVec3, precision: f64) -> Option<DVec3> {
    let mut place = point;
    for _ in 0..MOST_STEPS {
        let distance = solid.distance(place);
        if distance.abs() <= precision {
            return Some(place);
        }
        let slope = gradient(solid, place, precision);
        // At a ridge the slopes of both sides cancel out: a low slope must not make a long step.
        place -= distance * slope / slope.length_squared().max(0.05);
        if !place.is_finite() {
            return None;
        }
    }
    None
}

const MOST_STEPS: usize = 50;

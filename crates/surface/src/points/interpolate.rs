//! A point between two points, on the sphere that their normals tell (Sol09 6.2.2, Eq. 6.2 to 6.13).
//!
//! With a = d/|d|, d = x1 − x2, and b the mean normal without its part along a, the new point is
//! (x1 + x2)/2 + h b. Each parent proposes h = (s/t) |d|/2, with s = n1·a or −n2·a and t = n·b + 1; on a sphere with
//! exact normals both are right. The printed s = |n·a| loses the sign, and puts points on the wrong side of a concave
//! surface; here the sign is kept. Where the two differ, the smaller (Eq. 6.4) or the mean (Eq. 6.3) is taken.

use glam::DVec3;

/// A place on a surface and the direction it faces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Oriented {
    /// Where [m].
    pub place: DVec3,
    /// Unit normal.
    pub normal: DVec3,
}

/// What becomes of two proposals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Displacement {
    /// The smaller: keeps edges and corners.
    #[default]
    Smaller,
    /// The mean: smooth.
    Mean,
}

/// How the point between two is found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rule {
    /// Which of the proposals counts.
    pub displacement: Displacement,
    /// Tell concave from convex. Without it, as printed, every pair is taken for convex.
    pub is_signed: bool,
    /// Largest displacement [m].
    pub limit: f64,
}

/// The point between two. None where normals tell nothing: parents on different surfaces, or on top of each other.
pub fn between(first: &Oriented, second: &Oriented, rule: &Rule) -> Option<Oriented> {
    let apart = first.place - second.place;
    let distance = apart.length();
    let a = apart.try_normalize()?;
    let sum = first.normal + second.normal;
    let across = sum - a * sum.dot(a);
    // Normals against each other, or both along the line between.
    if across.length_squared() < 1e-6 {
        return None;
    }
    let b = across.normalize();
    let propose = |s: f64, normal: DVec3| {
        let s = if rule.is_signed { s } else { s.abs() };
        // t is positive: b leans to the side of both normals, but one of them may be just opposite.
        (s / (normal.dot(b) + 1.0).max(1e-9)) * 0.5 * distance
    };
    let (one, two) = (propose(first.normal.dot(a), first.normal), propose(-second.normal.dot(a), second.normal));
    let height = match rule.displacement {
        Displacement::Smaller => {
            if one.abs() <= two.abs() {
                one
            } else {
                two
            }
        }
        Displacement::Mean => 0.5 * (one + two),
    };
    let place = 0.5 * (first.place + second.place) + b * height.clamp(-rule.limit, rule.limit);
    Some(Oriented { place, normal: b })
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: Rule = Rule { displacement: Displacement::Smaller, is_signed: true, limit: 1.0 };

    /// A point of the unit sphere, facing outwards or inwards.
    fn on_sphere(longitude: f64, latitude: f64, side: f64) -> Oriented {
        let place = DVec3::new(latitude.cos() * longitude.cos(), latitude.cos() * longitude.sin(), latitude.sin());
        Oriented { place, normal: place * side }
    }

    #[test]
    fn on_a_sphere_children_lie_on_it_seen_from_either_side() {
        for side in [1.0, -1.0] {
            for displacement in [Displacement::Smaller, Displacement::Mean] {
                let rule = Rule { displacement, ..RULE };
                let (one, two) = (on_sphere(0.3, 0.2, side), on_sphere(0.9, -0.4, side));
                let child = between(&one, &two, &rule).unwrap();
                assert!((child.place.length() - 1.0).abs() < 1e-12);
                assert!((child.normal - child.place * side).length() < 1e-12);
            }
        }
    }

    #[test]
    fn as_printed_children_of_a_hollow_sphere_are_far_off() {
        let rule = Rule { is_signed: false, ..RULE };
        let (one, two) = (on_sphere(0.0, 0.0, -1.0), on_sphere(1.0, 0.0, -1.0));
        let child = between(&one, &two, &rule).unwrap();
        // The displacement is right but for its sign: cos ½ less the height of the cap instead of more.
        let expected = 2.0 * 0.5_f64.cos() - 1.0;
        assert!((child.place.length() - expected).abs() < 1e-12, "{}", child.place.length());
    }

    #[test]
    fn edges_keep_and_different_surfaces_do_not_mix() {
        let flat = Oriented { place: DVec3::ZERO, normal: DVec3::Y };
        let leaning = Oriented { place: DVec3::X, normal: DVec3::new(0.6, 0.8, 0.0) };
        // One proposes nothing, the other a cap: the smaller is flat, the mean is not.
        assert_eq!(between(&flat, &leaning, &RULE).unwrap().place, DVec3::X * 0.5);
        let mean = Rule { displacement: Displacement::Mean, ..RULE };
        assert!((between(&flat, &leaning, &mean).unwrap().place.y - 0.5 * (0.6 / 1.8) * 0.5).abs() < 1e-12);
        let opposite = Oriented { place: DVec3::X, normal: DVec3::NEG_Y };
        assert_eq!(between(&flat, &opposite, &RULE), None);
        let along = Oriented { place: DVec3::X, normal: DVec3::X };
        assert_eq!(between(&Oriented { normal: DVec3::X, ..flat }, &along, &RULE), None);
        assert_eq!(between(&flat, &flat, &RULE), None);
        let limited = Rule { limit: 0.01, ..mean };
        assert!((between(&flat, &leaning, &limited).unwrap().place.y - 0.01).abs() < 1e-12);
    }
}

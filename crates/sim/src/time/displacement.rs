//! Compensated summation of displacements.
//!
//! In single precision a place one metre from the origin is known to 3e-8 m. What moves by less in a step does not move
//! at all, and neighbours 6 mm apart seem to be strained by 1e-5, differently in every step: that heats stiff matter,
//! which takes short steps. (A beam of rubber had twice the energy after 26 000.) So the rounding error of a position
//! is stored beside it: it is added to the next displacement (Kahan 1965), and elasticity takes it into account.

use crate::real::Vec3;
use crate::world::Domain;

/// Displaces a position, with the remainder of earlier displacements.
#[inline(always)]
pub(super) fn displace((position, remainder): (&mut Vec3, &mut Vec3), displacement: Vec3, domain: &Domain) {
    let whole = displacement + *remainder;
    let moved = *position + whole;
    *remainder = whole - (moved - *position);
    *position = domain.wrap(moved);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::real::Real;

    #[test]
    fn displacements_too_small_to_see_add_up() {
        let small = 0.1 * Real::EPSILON;
        let (mut position, mut remainder) = (Vec3::new(1.0, -3.0, 0.0), Vec3::ZERO);
        for _ in 0..10_000 {
            displace((&mut position, &mut remainder), Vec3::new(small, -small, small), &Domain::default());
        }
        let moved = position - Vec3::new(1.0, -3.0, 0.0);
        let expected = 10_000.0 * small;
        assert!((moved - Vec3::new(expected, -expected, expected)).length() < 1e-2 * expected, "{moved} {expected}");
        assert!(remainder.abs().max_element() < 2.0 * Real::EPSILON, "{remainder}");
    }

    #[test]
    fn a_place_that_leaves_on_one_side_comes_in_on_the_other() {
        let domain = Domain::new([Some([0.0, 2.0]), None, None]);
        let (mut position, mut remainder) = (Vec3::new(1.9, 0.0, 5.0), Vec3::ZERO);
        displace((&mut position, &mut remainder), Vec3::new(0.2, 0.0, 1.0), &domain);
        assert!((position - Vec3::new(0.1, 0.0, 6.0)).length() < 8.0 * Real::EPSILON, "{position}");
        assert!(remainder.abs().max_element() < 2.0 * Real::EPSILON, "{remainder}");
    }
}

//! The domain: unbounded, or periodic along some axes.
//!
//! On a periodic axis a particle that leaves on one side comes in on the other, and neighbours see each other
//! across: the vector between two particles is the shortest one there is.

use crate::real::{Dimension, Real, Vec3};

/// Where the world repeats itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Domain {
    low: Vec3,
    /// Length of the period, 0 along an axis that does not repeat.
    length: Vec3,
    /// 1 / length, 0 likewise.
    inverse: Vec3,
}

impl Default for Domain {
    fn default() -> Self {
        Domain { low: Vec3::ZERO, length: Vec3::ZERO, inverse: Vec3::ZERO }
    }
}

impl Domain {
    /// Repeats between the two coordinates given for each axis, or not at all.
    pub fn new(periods: [Option<[Real; 2]>; 3]) -> Self {
        let mut domain = Domain::default();
        for (axis, period) in periods.into_iter().enumerate() {
            if let Some([low, high]) = period {
                domain.low[axis] = low;
                domain.length[axis] = high - low;
                domain.inverse[axis] = 1.0 / (high - low);
            }
        }
        domain
    }

    /// Does it repeat along any axis?
    pub fn is_periodic(&self) -> bool {
        self.length != Vec3::ZERO
    }

    /// Does it repeat along every axis that exists in this dimension?
    pub fn repeats_along_all(&self, dimension: Dimension) -> bool {
        self.length.to_array()[..dimension.count()].iter().all(|&length| length > 0.0)
    }

    /// Where the period starts along each axis.
    pub fn low(&self) -> Vec3 {
        self.low
    }

    /// Length of the period along each axis; 0 where there is none.
    pub fn length(&self) -> Vec3 {
        self.length
    }

    /// 1 / length along each axis; 0 where there is none.
    pub fn inverse_length(&self) -> Vec3 {
        self.inverse
    }

    /// The same place within the first period.
    pub fn wrap(&self, position: Vec3) -> Vec3 {
        if !self.is_periodic() {
            return position;
        }
        let wrapped = position - self.length * ((position - self.low) * self.inverse).floor();
        // Rounding may put it on the far end itself, which is the near end.
        let outside = wrapped.cmpge(self.low + self.length) & self.length.cmpgt(Vec3::ZERO);
        Vec3::select(outside, self.low, wrapped)
    }

    /// The shortest vector that means the same as `difference`.
    pub fn shortest(&self, difference: Vec3) -> Vec3 {
        if !self.is_periodic() {
            return difference;
        }
        let whole = difference * self.inverse;
        let round = Vec3::new(whole.x.round_ties_even(), whole.y.round_ties_even(), whole.z.round_ties_even());
        difference - self.length * round
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_wrap_and_vectors_take_the_short_way() {
        let domain = Domain::new([Some([-1.0, 1.0]), None, Some([0.0, 0.5])]);
        let wrapped = domain.wrap(Vec3::new(1.25, 7.0, -0.1));
        assert!((wrapped - Vec3::new(-0.75, 7.0, 0.4)).length() < 1e-6);
        assert_eq!(domain.wrap(Vec3::new(1.0, 0.0, 0.5)), Vec3::new(-1.0, 0.0, 0.0));
        let shortest = domain.shortest(Vec3::new(1.5, 9.0, -0.3));
        assert!((shortest - Vec3::new(-0.5, 9.0, 0.2)).length() < 1e-6);
        assert!(!Domain::default().is_periodic());
        assert_eq!(Domain::default().shortest(Vec3::splat(1e6)), Vec3::splat(1e6));
    }
}

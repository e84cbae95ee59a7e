//! What brings heat into the world from outside, or takes it: heaters and the surroundings.

use crate::fields::Region;
use crate::parameters::{Limits, parameters};
use crate::real::Real;
use crate::world::BodyId;

parameters! {
    /// What is around the matter: free surfaces lose heat to it, or gain it.
    #[serde(deny_unknown_fields)]
    pub struct Surroundings {
        /// Its temperature [degC].
        temperature: Real, Limits::FINITE;
        /// How much heat passes through a free surface [W/m^2/K]. Still air takes 10, wind 100.
        exchange: Real, Limits::NOT_NEGATIVE;
    }
}

/// Something that holds a temperature or gives power. A wall without any is insulated.
#[derive(Clone, Debug, PartialEq)]
pub struct Heater {
    /// What it heats.
    pub target: HeaterTarget,
    /// What it does.
    pub supply: Supply,
    /// When it begins [s].
    pub from: f64,
    /// When it ends [s]; never unless given.
    pub until: Option<f64>,
}

/// What a heater heats.
#[derive(Clone, Debug, PartialEq)]
pub enum HeaterTarget {
    /// Matter in a piece of space.
    Region(Region),
    /// The surface of a wall, and through it matter that touches it.
    Wall(BodyId),
    /// A body.
    Body(BodyId),
}

/// What a heater does.
#[derive(Clone, Debug, PartialEq)]
pub enum Supply {
    /// Holds a temperature [degC].
    Temperature(Course),
    /// Gives power [W]; takes it if it is negative. In 2D per metre of depth.
    Power(Course),
}

/// A number that depends on time: linear between its points, constant before the first and after the last.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Course {
    /// Time [s] and value of each point; times increase.
    pub points: Vec<[f64; 2]>,
}

impl Course {
    /// The same at all times.
    pub fn constant(value: f64) -> Self {
        Course { points: vec![[0.0, value]] }
    }

    /// The value at a time [s].
    pub fn at(&self, time: f64) -> f64 {
        let next = self.points.iter().position(|[t, _]| *t > time);
        match next {
            None => self.points.last().map_or(0.0, |[_, value]| *value),
            Some(0) => self.points[0][1],
            Some(next) => {
                let ([from, before], [to, after]) = (self.points[next - 1], self.points[next]);
                before + (after - before) * ((time - from) / (to - from))
            }
        }
    }

    /// The first point that is not later than the one before or not finite, if there is any.
    pub fn fault(&self) -> Option<usize> {
        let is_bad = |k: usize| {
            let [time, value] = self.points[k];
            !(time.is_finite() && value.is_finite()) || k > 0 && time <= self.points[k - 1][0]
        };
        if self.points.is_empty() { Some(0) } else { (0..self.points.len()).find(|&k| is_bad(k)) }
    }
}

impl Heater {
    /// Is it at work at a time [s]?
    pub(crate) fn is_active(&self, time: f64) -> bool {
        time >= self.from && self.until.is_none_or(|until| time < until)
    }

    pub(crate) fn course(&self) -> &Course {
        match &self.supply {
            Supply::Temperature(course) | Supply::Power(course) => course,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_course_is_linear_between_its_points_and_constant_beyond() {
        let course = Course { points: vec![[1.0, 20.0], [3.0, 100.0], [4.0, 0.0]] };
        for (time, value) in [(0.0, 20.0), (1.0, 20.0), (2.0, 60.0), (3.0, 100.0), (3.5, 50.0), (9.0, 0.0)] {
            assert_eq!(course.at(time), value);
        }
        assert_eq!(Course::constant(7.0).at(-3.0), 7.0);
        assert_eq!((course.fault(), Course { points: vec![[1.0, 0.0], [1.0, 0.0]] }.fault()), (None, Some(1)));
    }
}

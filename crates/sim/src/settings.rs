//! What a simulation is told at the start.

use crate::fields::Field;
use crate::heat::Surroundings;
use crate::kernel::KernelChoice;
use crate::parameters::{AXES, Check, Limits, Quantity, parameters};
use crate::pressure::Pressure;
use crate::real::{Dimension, Real, Vec3};
use crate::tension::Interface;
use crate::time::{Shifting, StepSize};

/// The shortest period of a periodic axis, in support radii: cells left and right of one must differ, and lists reach
/// a little beyond the support.
const SHORTEST_PERIOD: f64 = 3.5;

parameters! {
    /// What a simulation is told at the start.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Settings {
        /// Distance between neighbouring particles at rest [m].
        spacing: Real = 0.02, Limits::POSITIVE;
        /// Acceleration of free fall [m/s^2].
        gravity: Vec3 = Vec3::new(0.0, -9.81, 0.0), Limits::FINITE;
        /// Coordinates in which matter extends.
        dimension: Dimension = Dimension::Three;
        /// Where space repeats itself: from and to, for each axis that does [m].
        periodic: [Option<[Real; 2]>; 3] = [None; 3] => check_periods;
        /// Kernel and support.
        kernel: KernelChoice = KernelChoice::default() => group;
        /// How long a step is.
        step: StepSize = StepSize::default() => group;
        /// What keeps matter from being squeezed. WCSPH, which suits most kinds of matter, unless given: a scene file gets what suits
        /// its bodies (`auto`), but here nothing is known of them yet.
        pressure: Pressure = Pressure::default() => group;
        /// What else accelerates matter.
        fields: Vec<Field> = Vec::new() => group;
        /// What is around the matter: free surfaces exchange heat with it. Nothing unless given.
        surroundings: Option<Surroundings> = None => group;
        /// What acts where two fluids meet.
        interfaces: Vec<Interface> = Vec::new() => group;
        /// What keeps particles evenly spread where fluid is stirred, if anything does.
        shifting: Option<Shifting> = None => group;
    }
}

impl Settings {
    /// The shortest period that an axis may have where particles see so far [m].
    pub fn shortest_period(support: f64) -> f64 {
        SHORTEST_PERIOD * support
    }

    fn check_periods(&self, name: &'static str, periods: &[Option<[Real; 2]>; 3], check: &mut Check) {
        let reach = f64::from(self.kernel.support_over_spacing(self.dimension) * self.spacing);
        let lengths = periods.map(|period| period.map(|[low, high]| high - low));
        check.inside(name, |check| {
            let axes = AXES.into_iter().zip(lengths);
            axes.for_each(|(axis, length)| length.show(axis, Limits::at_least(Self::shortest_period(reach)), check));
        });
    }
}

//! Space, as a scene file says it.

use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thixo_sim::{Dimension, Domain, KernelChoice, Real, Shifting, Surroundings};

use crate::Vector;

/// Standard gravity [m/s^2].
const GRAVITY: f64 = 9.81;

/// Space: resolution, gravity, dimension.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct World {
    /// Distance between particles [m]. Halving it costs 8 times the particles, and more steps.
    // Beyond these limits the constants of the kernels leave single precision.
    #[schemars(range(min = 1e-6, max = 1e6))]
    pub spacing: f64,
    /// Which way is up; decides the default of `gravity`.
    #[serde(default)]
    pub up: Up,
    /// Gravity [m/s^2]; 9.81 downwards unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gravity: Option<Vector>,
    /// 3: space. 2: the plane z = 0, one metre deep.
    #[serde(default = "three")]
    #[schemars(extend("enum" = [2, 3]))]
    pub dimension: u8,
    /// Axes along which space repeats itself: what leaves on one side comes in on the other.
    #[serde(default, skip_serializing_if = "Periodic::is_none")]
    pub periodic: Periodic,
    /// How particles weigh their neighbours, and how far they see.
    #[serde(default)]
    pub kernel: KernelChoice,
    /// Keeps particles evenly spread where fluid is stirred; no effect near free surfaces. With `pressure = "auto"` fluid that fills
    /// all the room there is has it by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shifting: Option<Shifting>,
    /// What is around the matter: free surfaces exchange heat with it. Nothing unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surroundings: Option<Surroundings>,
    /// What a run does when energy comes from nowhere: `stop` warns at 15 % of what was turned over and ends the run at 50 %,
    /// `warn` only warns, `ignore` does not look (docs/energy.md).
    #[serde(default)]
    pub energy_gain: EnergyGain,
    /// Start of all random numbers.
    #[serde(default)]
    #[schemars(range(max = u32::MAX))]
    pub seed: u32,
}

/// What a run does when energy comes from nowhere: what there is less what moving walls and clamps, loads and fields have given,
/// beyond the least that it has been, as a share of what was turned over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EnergyGain {
    /// Warns of 15 %, and stops the run at 50 %.
    #[default]
    Stop,
    /// Warns of 15 %.
    Warn,
    /// Nothing: no balance is drawn up.
    Ignore,
}

/// Axes along which space repeats itself, each from one coordinate to another: `periodic.x = [0.0, 1.0]`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Periodic {
    /// Where x starts and ends [m].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub x: Option<[f64; 2]>,
    /// Where y starts and ends [m].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub y: Option<[f64; 2]>,
    /// Where z starts and ends [m]; 3D only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub z: Option<[f64; 2]>,
}

impl Periodic {
    /// The three axes.
    pub(crate) fn axes(&self) -> [Option<[f64; 2]>; 3] {
        [self.x, self.y, self.z]
    }

    fn is_none(&self) -> bool {
        self.axes() == [None; 3]
    }
}

/// The axis that points up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Up {
    /// y points up.
    #[default]
    Y,
    /// z points up.
    Z,
}

impl World {
    /// The dimension, as the simulation knows it.
    pub fn dimension(&self) -> Dimension {
        if self.dimension == 2 { Dimension::Two } else { Dimension::Three }
    }

    /// Gravity as given, or 9.81 m/s² against `up`; flat in 2D.
    pub fn gravity(&self) -> DVec3 {
        let down = match self.up {
            Up::Y => [0.0, -GRAVITY, 0.0],
            Up::Z => [0.0, 0.0, -GRAVITY],
        };
        self.flat(self.gravity.unwrap_or(down))
    }

    /// The vector without the coordinates that do not exist.
    pub(crate) fn flat(&self, vector: Vector) -> DVec3 {
        let [x, y, z] = vector;
        DVec3::new(x, y, if self.dimension == 2 { 0.0 } else { z })
    }

    /// Where space repeats itself.
    pub(crate) fn domain(&self) -> Domain {
        Domain::new(self.periods())
    }

    /// From and to, for each axis that repeats itself [m].
    pub(crate) fn periods(&self) -> [Option<[Real; 2]>; 3] {
        self.periodic.axes().map(|axis| axis.map(|ends| ends.map(|end| end as Real)))
    }

    /// How far a particle sees [m].
    pub fn support(&self) -> f64 {
        self.support_over_spacing() * self.spacing
    }

    /// How far a particle sees, in spacings [-].
    pub(crate) fn support_over_spacing(&self) -> f64 {
        f64::from(self.kernel.support_over_spacing(self.dimension()))
    }

    /// Volume of one lattice cell [m^dimension].
    pub fn cell_volume(&self) -> f64 {
        self.spacing.powi(i32::from(self.dimension))
    }
}

fn three() -> u8 {
    3
}

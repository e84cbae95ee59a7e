//! Columns that follow from others: of elastic matter, for frames.

use serde::{Deserialize, Serialize};

use crate::elasticity::{deformations, stresses};
use crate::real::{Mat3, Real, Vec3};
use crate::simulation::Simulation;
use crate::world::{ColumnInfo, Lifetime, Values, Whose};

/// What frames can have beside the columns that there always are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Derived {
    /// Stress of elastic bodies [Pa]: `stress` (of von Mises), `normal_stress` (xx, yy, zz), `shear_stress` (yz, zx, xy).
    Stress,
    /// The deformation gradient of elastic bodies [-]: `deformation_x`, `deformation_y`, `deformation_z`, into which the unit
    /// vectors of the undeformed shape have turned.
    Deformation,
    /// The size of the plastic strain of elastic bodies [-]: `plastic_strain`.
    PlasticStrain,
}

/// A column that follows from others, one row for each particle of matter; zero where nothing is elastic.
#[derive(Clone, Debug, PartialEq)]
pub struct DerivedColumn {
    /// What it is called and measured in.
    pub info: ColumnInfo<'static>,
    values: DerivedValues,
}

#[derive(Clone, Debug, PartialEq)]
enum DerivedValues {
    Scalar(Vec<Real>),
    Vector(Vec<Vec3>),
}

impl DerivedColumn {
    /// The values.
    pub fn values(&self) -> Values<'_> {
        match &self.values {
            DerivedValues::Scalar(values) => Values::Scalar(values),
            DerivedValues::Vector(values) => Values::Vector(values),
        }
    }
}

impl Derived {
    /// Numbers per particle that its columns have together.
    pub fn numbers(self) -> u64 {
        match self {
            Derived::Stress => 7,
            Derived::Deformation => 9,
            Derived::PlasticStrain => 1,
        }
    }

    /// Its columns now. Neighbours must be up to date, as after a step.
    pub fn columns(self, simulation: &Simulation) -> Vec<DerivedColumn> {
        let (world, pairs) = (simulation.world(), simulation.pairs());
        let count = world.kinds.matter().len();
        let scalar = |name, unit, of: fn(&Mat3) -> Real, all: &[Mat3]| {
            let mut values: Vec<_> = all.iter().map(of).collect();
            values.resize(count, 0.0);
            column(name, unit, DerivedValues::Scalar(values))
        };
        let vector = |name, unit, of: fn(&Mat3) -> Vec3, all: &[Mat3]| {
            let mut values: Vec<_> = all.iter().map(of).collect();
            values.resize(count, Vec3::ZERO);
            column(name, unit, DerivedValues::Vector(values))
        };
        match self {
            Derived::Stress => {
                let all = stresses(world, pairs);
                vec![
                    scalar("stress", "Pa", von_mises, &all),
                    vector("normal_stress", "Pa", |s| Vec3::new(s.x_axis.x, s.y_axis.y, s.z_axis.z), &all),
                    vector("shear_stress", "Pa", |s| Vec3::new(s.z_axis.y, s.z_axis.x, s.y_axis.x), &all),
                ]
            }
            Derived::Deformation => {
                let all = deformations(world, pairs);
                vec![
                    vector("deformation_x", "-", |f| f.x_axis, &all),
                    vector("deformation_y", "-", |f| f.y_axis, &all),
                    vector("deformation_z", "-", |f| f.z_axis, &all),
                ]
            }
            Derived::PlasticStrain => {
                let all = (0..count).map(|i| simulation.plastic_strain(i)).collect();
                vec![column("plastic_strain", "-", DerivedValues::Scalar(all))]
            }
        }
    }
}

fn column(name: &'static str, unit: &'static str, values: DerivedValues) -> DerivedColumn {
    DerivedColumn { info: ColumnInfo { name, unit, whose: Whose::All, lifetime: Lifetime::Moving }, values }
}

/// The stress of a bar that is pulled and stores as much energy of distortion.
fn von_mises(stress: &Mat3) -> Real {
    let mean = (stress.x_axis.x + stress.y_axis.y + stress.z_axis.z) / 3.0;
    let deviator = *stress - Mat3::from_diagonal(Vec3::splat(mean));
    let square = deviator.x_axis.length_squared() + deviator.y_axis.length_squared() + deviator.z_axis.length_squared();
    (1.5 * square).sqrt()
}

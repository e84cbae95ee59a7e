//! The one place that says how precise numbers are.
//!
//! Particle data is `f32`; sums over many particles are always carried in `f64`. The feature `f64`
//! builds the same program in double precision, for verification.

/// The number type of particle data.
#[cfg(not(feature = "f64"))]
pub type Real = f32;
/// The number type of particle data.
#[cfg(feature = "f64")]
pub type Real = f64;

/// A point, velocity or force.
#[cfg(not(feature = "f64"))]
pub type Vec3 = glam::Vec3;
/// A point, velocity or force.
#[cfg(feature = "f64")]
pub type Vec3 = glam::DVec3;

/// A linear map, such as a deformation.
#[cfg(not(feature = "f64"))]
pub(crate) type Mat3 = glam::Mat3;
/// A linear map, such as a deformation.
#[cfg(feature = "f64")]
pub(crate) type Mat3 = glam::DMat3;

/// What `log.jsonl`, `run.toml` and checkpoints call the precision of this build.
pub const PRECISION: &str = if size_of::<Real>() == 4 { "f32" } else { "f64" };

/// Widens a vector for a sum over many particles.
pub(crate) fn wide(v: Vec3) -> glam::DVec3 {
    #[cfg(not(feature = "f64"))]
    return v.as_dvec3();
    #[cfg(feature = "f64")]
    return v;
}

/// Brings a vector back to the precision of particle data.
pub(crate) fn narrow(v: glam::DVec3) -> Vec3 {
    Vec3::from_array(v.to_array().map(|coordinate| coordinate as Real))
}

/// Brings a linear map back to the precision of particle data.
pub(crate) fn narrow_matrix(m: glam::DMat3) -> Mat3 {
    Mat3::from_cols_array(&m.to_cols_array().map(|entry| entry as Real))
}

/// A number that holds the bits of an index, to be moved about with others.
pub(crate) fn from_index(index: u32) -> Real {
    #[cfg(not(feature = "f64"))]
    return Real::from_bits(index);
    #[cfg(feature = "f64")]
    return Real::from_bits(u64::from(index));
}

/// The index that a number holds.
pub(crate) fn to_index(number: Real) -> u32 {
    #[cfg(not(feature = "f64"))]
    return number.to_bits();
    #[cfg(feature = "f64")]
    return number.to_bits() as u32;
}

/// Number of coordinates in which matter extends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dimension {
    /// A line along x.
    One = 1,
    /// The plane z = 0, one metre deep (plane strain).
    Two = 2,
    /// Space.
    Three = 3,
}

impl Dimension {
    /// The dimension as a number, 1 to 3.
    pub fn count(self) -> usize {
        self as usize
    }

    /// Sets the coordinates to zero that do not exist in this dimension.
    pub fn flatten(self, v: Vec3) -> Vec3 {
        match self {
            Dimension::One => Vec3::new(v.x, 0.0, 0.0),
            Dimension::Two => Vec3::new(v.x, v.y, 0.0),
            Dimension::Three => v,
        }
    }

    /// Volume of one lattice cell of the given edge [m^dimension].
    pub fn cell_volume(self, spacing: Real) -> Real {
        spacing.powi(self as i32)
    }
}

//! What a column is: its name and unit, whose it is, how long its values last, and how it is moved about.

use rayon::prelude::*;

use crate::real::{Real, Vec3, from_index, to_index};

/// Which particles a column says something about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// Every particle.
    All,
    /// Wall particles only; zero for the others.
    Walls,
    /// What has a shape or a path to keep to, elastic bodies and walls; zero for the others.
    Held,
    /// The program itself: needed to go on exactly after a restart, but of no interest in frames.
    Program,
}

/// How long the values of a column stay as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lifetime {
    /// As long as the particle exists.
    Fixed,
    /// A step changes those of matter, and puts them back when it fails. What walls have follows from their paths.
    Moving,
    /// A step changes those of all particles, and puts them back.
    MovingEverywhere,
    /// A step changes those of walls that turn, and puts them back.
    Turning,
    /// Written when neighbours are listed; the lists put it back.
    Listed,
}

/// What a column is called and measured in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnInfo<'a> {
    /// Its name, as in files: `velocity`.
    pub name: &'a str,
    /// Its SI unit: `m/s`; `-` for a plain number.
    pub unit: &'a str,
    /// The particles it is about.
    pub whose: Whose,
    /// How long its values last.
    pub lifetime: Lifetime,
}

/// The values of one column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Values<'a> {
    /// One number per particle.
    Scalar(&'a [Real]),
    /// One vector per particle.
    Vector(&'a [Vec3]),
    /// One index per particle.
    Index(&'a [u32]),
}

/// The values of one column, to be replaced.
#[derive(Debug, PartialEq)]
pub enum ValuesMut<'a> {
    /// One number per particle.
    Scalar(&'a mut Vec<Real>),
    /// One vector per particle.
    Vector(&'a mut Vec<Vec3>),
    /// One index per particle.
    Index(&'a mut Vec<u32>),
}

/// A column of numbers that a process owns, one for each particle.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OwnColumn {
    /// Its name, as in files.
    pub name: String,
    /// Its SI unit.
    pub unit: String,
    /// What a new particle has.
    pub initial: Real,
    /// Is it of interest to the program alone, and not in frames?
    pub is_for_program: bool,
    /// The values.
    pub values: Vec<Real>,
}

impl OwnColumn {
    /// A column without values yet.
    pub fn new(name: &str, unit: &str, initial: Real) -> Self {
        OwnColumn { name: name.to_owned(), unit: unit.to_owned(), initial, is_for_program: false, values: Vec::new() }
    }

    /// The same, left out of frames.
    pub fn for_program(self) -> Self {
        OwnColumn { is_for_program: true, ..self }
    }

    /// What it is called and measured in: of all particles, and a step changes it.
    pub(super) fn info(&self) -> ColumnInfo<'_> {
        let whose = if self.is_for_program { Whose::Program } else { Whose::All };
        ColumnInfo { name: &self.name, unit: &self.unit, whose, lifetime: Lifetime::MovingEverywhere }
    }
}

/// A type of which there are columns.
pub(super) trait ColumnValue: Copy + Default + Send + Sync {
    fn view(values: &[Self]) -> Values<'_>;
    fn view_mut(values: &mut Vec<Self>) -> ValuesMut<'_>;
}

macro_rules! column_value {
    ($type:ty, $variant:ident) => {
        impl ColumnValue for $type {
            fn view(values: &[Self]) -> Values<'_> {
                Values::$variant(values)
            }
            fn view_mut(values: &mut Vec<Self>) -> ValuesMut<'_> {
                ValuesMut::$variant(values)
            }
        }
    };
}
column_value!(Real, Scalar);
column_value!(Vec3, Vector);
column_value!(u32, Index);

/// Memory for moving one column at a time.
#[derive(Debug, Default)]
pub(crate) struct Spare {
    /// For vectors, and for numbers and indices as their first coordinate.
    pub(crate) vector: Vec<Vec3>,
}

/// Reordering of one column.
pub(super) trait Permute: Sized {
    fn permute(values: &mut [Self], first: usize, order: &[u32], spare: &mut Spare);
}

macro_rules! permute {
    ($type:ty, $put:expr, $take:expr) => {
        impl Permute for $type {
            fn permute(values: &mut [Self], first: usize, order: &[u32], spare: &mut Spare) {
                // What was never written takes no memory: it must stay so. Fluid has no anchors, clamps or surfaces.
                if values.par_iter().with_min_len(4096).all(|value| *value == Self::default()) {
                    return;
                }
                spare.vector.clear();
                spare.vector.extend(values.iter().copied().map($put));
                let old = &spare.vector;
                let moves = values.par_iter_mut().zip(order).with_min_len(4096);
                moves.for_each(|(value, &from)| *value = $take(old[from as usize - first]));
            }
        }
    };
}
permute!(Real, |number| Vec3::new(number, 0.0, 0.0), |vector: Vec3| vector.x);
permute!(Vec3, |vector| vector, |vector| vector);
permute!(u32, |index| Vec3::new(from_index(index), 0.0, 0.0), |vector: Vec3| to_index(vector.x));

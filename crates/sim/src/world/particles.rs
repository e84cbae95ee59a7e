//! The particles: one column per quantity, every column listed once.
//!
//! Movable particles come first, wall particles after them. Sorting, adding, removing, checkpoints, frames
//! and views all walk the list below; a quantity that must survive a step is added there and nowhere else.

use rayon::prelude::*;

use crate::real::{Real, Vec3};

/// Which particles a column says something about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// Every particle.
    All,
    /// Wall particles only; zero for the others.
    Walls,
    /// What has a shape or a path to keep to, elastic bodies and walls; zero for the others.
    Held,
    /// The program itself: not about matter, but needed to go on exactly after a restart.
    Program,
}

/// How long the values of a column stay as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lifetime {
    /// As long as the particle exists.
    Fixed,
    /// A step changes them, and puts them back when it fails.
    Moving,
    /// Follows from the other columns: computed anew after a step, or when it is due.
    Derived,
}

/// What a column is called and measured in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnInfo {
    /// Its name, as in files: `velocity`.
    pub name: &'static str,
    /// Its SI unit: `m/s`; `-` for a plain number.
    pub unit: &'static str,
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

/// A type of which there are columns.
trait ColumnValue: Copy + Default + Send + Sync {
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

/// Declares the columns and everything that must treat them alike.
macro_rules! columns {
    ($($(#[doc = $doc:literal])+ $name:ident: $type:ty, $unit:literal, $whose:ident, $lifetime:ident;)+) => {
        /// All particles of a world, as columns of equal length.
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct Particles {
            $($(#[doc = $doc])+ pub $name: Vec<$type>,)+
        }

        impl Particles {
            /// Name and unit of every column, in the order of files.
            pub const COLUMNS: &[ColumnInfo] = &[
                $(ColumnInfo {
                    name: stringify!($name),
                    unit: $unit,
                    whose: Whose::$whose,
                    lifetime: Lifetime::$lifetime,
                },)+
            ];

            /// Every column with its values.
            pub fn columns(&self) -> impl Iterator<Item = (ColumnInfo, Values<'_>)> {
                let values = [$(<$type as ColumnValue>::view(&self.$name),)+];
                Self::COLUMNS.iter().copied().zip(values)
            }

            /// Every column, to be filled. All must have one length again when the caller is done.
            pub fn columns_mut(&mut self) -> impl Iterator<Item = (ColumnInfo, ValuesMut<'_>)> {
                let values = [$(<$type as ColumnValue>::view_mut(&mut self.$name),)+];
                Self::COLUMNS.iter().copied().zip(values)
            }

            /// Have all columns the same length?
            pub fn is_consistent(&self) -> bool {
                true $(&& self.$name.len() == self.len())+
            }

            /// `count` particles with every value zero.
            pub fn zeroed(count: usize) -> Self {
                Particles { $($name: vec![Default::default(); count],)+ }
            }

            /// Puts `others` in front of particle `at`. Column by column: what one needed is free when the next grows.
            pub fn insert(&mut self, at: usize, others: Particles) {
                if self.is_empty() {
                    *self = others;
                    return;
                }
                $(self.$name.splice(at..at, others.$name);)+
            }

            /// Keeps the particles for which `keep` is true, in their order.
            pub fn retain(&mut self, keep: &[bool]) {
                $({
                    let mut keep = keep.iter();
                    self.$name.retain(|_| keep.next().copied().unwrap_or(true));
                })+
            }

            /// Remembers the columns that a step changes, of the first `count` particles of `other`.
            pub(crate) fn keep(&mut self, other: &Particles, count: usize) {
                $(if Lifetime::$lifetime == Lifetime::Moving {
                    self.$name.clear();
                    self.$name.extend_from_slice(&other.$name[..count]);
                })+
            }

            /// Puts back what [`keep`](Self::keep) remembered.
            pub(crate) fn put_back(&self, other: &mut Particles) {
                $(if Lifetime::$lifetime == Lifetime::Moving {
                    other.$name[..self.$name.len()].copy_from_slice(&self.$name);
                })+
            }

            /// Moves particle `order[k]` to `first + k`, in every column.
            pub(crate) fn permute(&mut self, first: usize, order: &[u32], spare: &mut Spare) {
                $(<$type as Permute>::permute(&mut self.$name[first..first + order.len()], first, order, spare);)+
            }
        }
    };
}

columns! {
    /// Where it is.
    position: Vec3, "m", All, Moving;
    /// What a position has no digits for: where it is more exactly is the sum of the two.
    remainder: Vec3, "m", Program, Moving;
    /// How fast it moves.
    velocity: Vec3, "m/s", All, Moving;
    /// How its velocity changes: what the last step applied, or what moves a wall.
    acceleration: Vec3, "m/s^2", All, Moving;
    /// Density: rest density times compression.
    density: Real, "kg/m^3", All, Moving;
    /// Pressure.
    pressure: Real, "Pa", All, Moving;
    /// Density of the undisturbed material.
    rest_density: Real, "kg/m^3", All, Fixed;
    /// Volume in the undisturbed material; never changes, and neither does the mass `rest_density * rest_volume`.
    rest_volume: Real, "m^3", All, Fixed;
    /// Vector to the nearest point of the wall's surface; to the edge or corner where several faces are as near.
    to_surface: Vec3, "m", Walls, Fixed;
    /// Where it is in the undeformed shape of its body, or before its wall or clamp moves along a path.
    anchor: Vec3, "m", Held, Fixed;
    /// The clamp of its body that holds it, counted from 1; 0 if it is free.
    clamp: u32, "-", Held, Fixed;
    /// Where it was when neighbours were last listed.
    listed: Vec3, "m", Program, Derived;
    /// Index of the body or wall it belongs to.
    body: u32, "-", All, Fixed;
    /// Number that stays with it for life; particles change places in memory.
    id: u32, "-", All, Fixed;
}

impl Particles {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.position.len()
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.position.is_empty()
    }

    /// Mass of particle `i` [kg], in 2D per metre of depth.
    pub fn mass(&self, i: usize) -> Real {
        self.rest_density[i] * self.rest_volume[i]
    }

    /// Compression φ = density / rest density of particle `i` [-].
    pub fn compression(&self, i: usize) -> Real {
        self.density[i] / self.rest_density[i]
    }
}

/// Memory for moving one column at a time.
#[derive(Debug, Default)]
pub(crate) struct Spare {
    /// For vectors, and for numbers as their first coordinate.
    pub(crate) vector: Vec<Vec3>,
    index: Vec<u32>,
}

/// Reordering of one column.
trait Permute: Sized {
    fn permute(values: &mut [Self], first: usize, order: &[u32], spare: &mut Spare);
}

macro_rules! permute {
    ($type:ty, $spare:ident, $put:expr, $take:expr) => {
        impl Permute for $type {
            fn permute(values: &mut [Self], first: usize, order: &[u32], spare: &mut Spare) {
                // What was never written takes no memory: it must stay so. Fluid has no anchors, clamps or surfaces.
                if values.par_iter().with_min_len(4096).all(|value| *value == Self::default()) {
                    return;
                }
                spare.$spare.clear();
                spare.$spare.extend(values.iter().copied().map($put));
                let old = &spare.$spare;
                let moves = values.par_iter_mut().zip(order).with_min_len(4096);
                moves.for_each(|(value, &from)| *value = $take(old[from as usize - first]));
            }
        }
    };
}
permute!(Real, vector, |number| Vec3::new(number, 0.0, 0.0), |vector: Vec3| vector.x);
permute!(Vec3, vector, |vector| vector, |vector| vector);
permute!(u32, index, |index| index, |index| index);

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(count: usize) -> Particles {
        let mut particles = Particles::zeroed(count);
        for i in 0..count {
            particles.id[i] = i as u32;
            particles.position[i].x = i as Real;
            particles.density[i] = i as Real;
        }
        particles
    }

    fn in_step(particles: &Particles) -> bool {
        particles.is_consistent()
            && (0..particles.len()).all(|i| {
                let id = particles.id[i] as Real;
                particles.position[i].x == id && particles.density[i] == id
            })
    }

    #[test]
    fn adding_removing_and_sorting_keep_every_column_in_step() {
        let mut particles = numbered(6);
        particles.retain(&[true, false, true, true, false, true]);
        assert_eq!(particles.id, [0, 2, 3, 5]);
        assert!(in_step(&particles));
        let mut more = numbered(8);
        more.retain(&[false, false, false, false, false, false, true, true]);
        particles.insert(2, more);
        assert_eq!(particles.id, [0, 2, 6, 7, 3, 5]);
        assert!(in_step(&particles));
        particles.permute(1, &[3, 1, 5, 2, 4], &mut Spare::default());
        assert_eq!(particles.id, [0, 7, 2, 5, 6, 3]);
        assert!(in_step(&particles));
    }

    #[test]
    fn every_column_is_listed_once_with_a_unit() {
        let particles = numbered(3);
        let names: Vec<_> = particles.columns().map(|(info, _)| info.name).collect();
        assert_eq!(names.len(), Particles::COLUMNS.len());
        assert!(names.contains(&"position") && names.contains(&"id"));
        let mut unique = names.clone();
        unique.sort_unstable();
        unique.dedup();
        assert_eq!(unique.len(), names.len());
        assert!(Particles::COLUMNS.iter().all(|info| !info.unit.is_empty()));
    }
}

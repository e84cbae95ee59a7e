//! The particles: one column per quantity, every column listed once.
//!
//! Particles lie kind by kind ([`Kinds`](super::Kinds)). Sorting, adding, removing, checkpoints, rollback, frames and views
//! all walk the list below; a quantity that must survive a step is added there and nowhere else, or is a column that a
//! process owns ([`OwnColumn`]).

use std::ops::Range;

use super::column::{ColumnInfo, ColumnValue, Lifetime, OwnColumn, Permute, Spare, Values, ValuesMut, Whose};
use crate::real::{Real, Vec3};

/// Declares the columns and everything that must treat them alike.
macro_rules! columns {
    ($($(#[doc = $doc:literal])+ $name:ident: $type:ty, $unit:literal, $whose:ident, $lifetime:ident;)+) => {
        /// All particles of a world, as columns of equal length.
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct Particles {
            $($(#[doc = $doc])+ pub $name: Vec<$type>,)+
            /// Columns that processes own.
            pub own: Vec<OwnColumn>,
        }

        impl Particles {
            /// Name and unit of every column that there always is, in the order of files.
            pub const COLUMNS: &[ColumnInfo<'static>] = &[
                $(ColumnInfo {
                    name: stringify!($name),
                    unit: $unit,
                    whose: Whose::$whose,
                    lifetime: Lifetime::$lifetime,
                },)+
            ];

            /// Every column with its values.
            pub fn columns(&self) -> impl Iterator<Item = (ColumnInfo<'_>, Values<'_>)> {
                let values = [$(<$type as ColumnValue>::view(&self.$name),)+];
                let own = self.own.iter().map(|column| (column.info(), Values::Scalar(&column.values)));
                Self::COLUMNS.iter().copied().zip(values).chain(own)
            }

            /// Every column that there always is, to be filled. All must have one length again when the caller is done.
            pub fn columns_mut(&mut self) -> impl Iterator<Item = (ColumnInfo<'static>, ValuesMut<'_>)> {
                let values = [$(<$type as ColumnValue>::view_mut(&mut self.$name),)+];
                Self::COLUMNS.iter().copied().zip(values)
            }

            /// Have all columns the same length?
            pub fn is_consistent(&self) -> bool {
                let own = self.own.iter().all(|column| column.values.len() == self.len());
                own $(&& self.$name.len() == self.len())+
            }

            /// `count` particles with every value zero.
            pub fn zeroed(count: usize) -> Self {
                Particles { $($name: vec![Default::default(); count],)+ own: Vec::new() }
            }

            /// Puts `others`, who have no columns of processes, in front of particle `at`. Column by column: what one
            /// needed is free when the next grows.
            pub fn insert(&mut self, at: usize, others: Particles) {
                let count = others.len();
                for OwnColumn { values, initial, .. } in &mut self.own {
                    values.splice(at..at, std::iter::repeat_n(*initial, count));
                }
                if self.is_empty() {
                    let own = std::mem::take(&mut self.own);
                    *self = Particles { own, ..others };
                    return;
                }
                $(insert(&mut self.$name, at, others.$name);)+
            }

            /// Appends `count` particles with every value zero, and what processes give to new ones.
            pub(crate) fn grow(&mut self, count: usize) {
                let length = self.len() + count;
                $(self.$name.resize(length, Default::default());)+
                self.own.iter_mut().for_each(|column| column.values.resize(length, column.initial));
            }

            /// Drops the last particles.
            pub(crate) fn truncate(&mut self, length: usize) {
                $(self.$name.truncate(length);)+
                self.own.iter_mut().for_each(|column| column.values.truncate(length));
            }

            /// Makes room for so many particles more.
            pub(crate) fn reserve(&mut self, count: usize) {
                $(self.$name.reserve(count);)+
                self.own.iter_mut().for_each(|column| column.values.reserve(count));
            }

            /// Keeps the particles for which `keep` is true, in their order.
            pub fn retain(&mut self, keep: &[bool]) {
                $(retain(&mut self.$name, keep);)+
                self.own.iter_mut().for_each(|column| retain(&mut column.values, keep));
            }

            /// Remembers what a step may change of `other`.
            pub(crate) fn keep(&mut self, other: &Particles, rows: &RowsAtRisk) {
                $(if let Some(rows) = rows.of(Lifetime::$lifetime) {
                    self.$name.clear();
                    self.$name.extend_from_slice(&other.$name[rows]);
                })+
                self.own.resize_with(other.own.len(), OwnColumn::default);
                self.own.iter_mut().zip(&other.own).for_each(|(kept, column)| kept.values.clone_from(&column.values));
            }

            /// Puts back what [`keep`](Self::keep) remembered.
            pub(crate) fn put_back(&self, other: &mut Particles, rows: &RowsAtRisk) {
                $(if let Some(rows) = rows.of(Lifetime::$lifetime) {
                    other.$name[rows].copy_from_slice(&self.$name);
                })+
                other.own.iter_mut().zip(&self.own).for_each(|(column, kept)| column.values.clone_from(&kept.values));
            }

            /// Moves particle `order[k]` to `first + k`, in every column.
            pub(crate) fn permute(&mut self, first: usize, order: &[u32], spare: &mut Spare) {
                let rows = first..first + order.len();
                $(<$type as Permute>::permute(&mut self.$name[rows.clone()], first, order, spare);)+
                for column in &mut self.own {
                    Permute::permute(&mut column.values[rows.clone()], first, order, spare);
                }
            }

            /// Two particles change places, in every column.
            pub(crate) fn swap(&mut self, a: usize, b: usize) {
                $(self.$name.swap(a, b);)+
                self.own.iter_mut().for_each(|column| column.values.swap(a, b));
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
    /// How much of its support matter at rest fills, as far from a free surface as it is.
    filling: Real, "-", Program, Moving;
    /// Pressure.
    pressure: Real, "Pa", All, MovingEverywhere;
    /// Density of the undisturbed material.
    rest_density: Real, "kg/m^3", All, Fixed;
    /// Volume in the undisturbed material; never changes, and neither does the mass `rest_density * rest_volume`.
    rest_volume: Real, "m^3", All, Fixed;
    /// Vector to the nearest point of the wall's surface; to the edge or corner where several faces are as near.
    to_surface: Vec3, "m", Walls, Turning;
    /// Where it is in the undeformed shape of its body, or before its wall or clamp moves along a path.
    anchor: Vec3, "m", Held, Fixed;
    /// The clamp of its body that holds it, counted from 1; 0 if it is free.
    clamp: u32, "-", Held, Fixed;
    /// Where it was when neighbours were last listed.
    listed: Vec3, "m", Program, Listed;
    /// Index of the material it is made of; 0 for walls, which are of none.
    material: u32, "-", Program, Fixed;
    /// The kind of matter it is: a row of the table of kinds.
    phase: u32, "-", Program, Fixed;
    /// Slot of the body or wall it belongs to.
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

    /// What the sum of volumes reads of particle `i` [-], not corrected at free surfaces: what density errors are told of.
    pub fn summed_compression(&self, i: usize) -> Real {
        self.compression(i) * self.filling[i]
    }

    /// Compression φ = density / rest density of particle `i` [-], by what it would read at rest where densities are corrected.
    pub fn compression(&self, i: usize) -> Real {
        self.density[i] / self.rest_density[i]
    }
}

/// Puts values in front of the one `at` an index. What was never written takes no memory, and stays so: a column of zeros
/// is made anew, not moved.
fn insert<T: Copy + Default + PartialEq>(column: &mut Vec<T>, at: usize, values: Vec<T>) {
    let is_zero = |values: &[T]| values.iter().all(|value| *value == T::default());
    match is_zero(column) && is_zero(&values) {
        true => *column = vec![T::default(); column.len() + values.len()],
        false => drop(column.splice(at..at, values)),
    }
}

/// Keeps the values for which `keep` is true.
fn retain<T>(values: &mut Vec<T>, keep: &[bool]) {
    let mut keep = keep.iter();
    values.retain(|_| keep.next().copied().unwrap_or(true));
}

/// Which rows of the columns a step may change.
#[derive(Clone, Debug)]
pub(crate) struct RowsAtRisk {
    /// Those of matter.
    pub(crate) matter: Range<usize>,
    /// Those of walls, if any of them turns.
    pub(crate) turning: Range<usize>,
    /// How many particles there are.
    pub(crate) count: usize,
}

impl RowsAtRisk {
    /// Those of a column with such a lifetime.
    fn of(&self, lifetime: Lifetime) -> Option<Range<usize>> {
        match lifetime {
            Lifetime::Fixed | Lifetime::Listed => None,
            Lifetime::Moving => Some(self.matter.clone()),
            Lifetime::MovingEverywhere => Some(0..self.count),
            Lifetime::Turning => Some(self.turning.clone()),
        }
    }
}

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

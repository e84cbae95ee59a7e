//! The children of points, listed under both of their parents, and a glance at who has been met.

use glam::Vec3;
use rayon::prelude::*;

use super::lists::Lists;

/// The name of no point.
pub(super) const NOBODY: u32 = u32::MAX;

/// A child in the list of one of its parents.
#[derive(Clone, Copy)]
pub(super) struct Listed {
    /// Where it is, so that distances can be told without looking elsewhere [m].
    pub(super) place: Vec3,
    pub(super) name: u32,
    /// In the list of the second parent: the first, in whose list it is as well. Otherwise nobody.
    pub(super) elsewhere: u32,
}

/// A list of children for each point.
pub(super) struct Offspring {
    start: Vec<u32>,
    items: Vec<Listed>,
}

impl Offspring {
    /// The lists of so many points. `names` are children; `look` tells where one is, and its parents.
    pub(super) fn new(
        points: usize,
        names: impl Iterator<Item = u32> + Clone,
        look: impl Fn(u32) -> (Vec3, [u32; 2]) + Sync,
    ) -> Offspring {
        // A number that tells child and side.
        let sides = names.flat_map(|name| {
            let [first, second] = look(name).1;
            [(first, 2 * name), (second, 2 * name + 1)]
        });
        let (start, sides) = Lists::by_owner(points, sides).into_parts();
        let listed = |&side: &u32| {
            let (place, [first, _]) = look(side / 2);
            Listed { place, name: side / 2, elsewhere: if side % 2 == 0 { NOBODY } else { first } }
        };
        Offspring { start, items: sides.par_iter().with_min_len(4096).map(listed).collect() }
    }

    /// The children of a point.
    pub(super) fn of(&self, point: usize) -> &[Listed] {
        &self.items[self.start[point] as usize..self.start[point + 1] as usize]
    }
}

/// Names in the memory of [`Met`]; a power of two.
const REMEMBERED: usize = 256;

/// Who has been met, as far as can be told at a glance: whoever it knows has been, but it may forget.
pub(super) struct Met([u32; REMEMBERED]);

impl Default for Met {
    fn default() -> Met {
        // None is in the place of its own name.
        Met(std::array::from_fn(|k| !k as u32))
    }
}

impl Met {
    /// Forgets all.
    pub(super) fn clear(&mut self) {
        *self = Met::default();
    }

    /// Remembers one, and perhaps forgets another.
    pub(super) fn add(&mut self, name: u32) {
        self.0[name as usize % REMEMBERED] = name;
    }

    /// Is it known that this one has been met? Nobody has.
    pub(super) fn has(&self, name: u32) -> bool {
        self.0[name as usize % REMEMBERED] == name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_are_listed_under_both_parents() {
        let parents = [[0, 2], [1, 2], [0, 1]];
        let offspring = Offspring::new(3, [0, 2].into_iter(), |k| (Vec3::X * k as f32, parents[k as usize]));
        let told = |point| offspring.of(point).iter().map(|child| (child.name, child.elsewhere)).collect::<Vec<_>>();
        assert_eq!([told(0), told(1), told(2)], [vec![(0, NOBODY), (2, NOBODY)], vec![(2, 0)], vec![(0, 0)]]);
        assert_eq!(offspring.of(1)[0].place, Vec3::X * 2.0);
    }

    #[test]
    fn nobody_is_met_who_was_not() {
        let mut met = Met::default();
        assert!((0..1000).chain([NOBODY]).all(|name| !met.has(name)));
        met.add(5);
        assert!(met.has(5) && !met.has(5 + REMEMBERED as u32));
        met.add(5 + REMEMBERED as u32);
        assert!(!met.has(5), "forgotten");
        met.clear();
        assert!((0..1000).all(|name| !met.has(name)));
    }
}

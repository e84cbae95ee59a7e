//! Bonds come and go, and their particles change places.

use super::bond_lists::{Chunk, Side};
use super::bonds::{Bonds, Weight};
use super::search::LIST_CHUNK;
use crate::real::{Real, Vec3};

impl Bonds {
    /// Is there a bond between two particles?
    pub(crate) fn is_tied(&self, i: usize, j: usize) -> bool {
        self.all_of(i).any(|other| other == j)
    }

    /// Everyone whom particle `i` is bonded to, however little they weigh.
    pub(crate) fn all_of(&self, i: usize) -> impl Iterator<Item = usize> {
        self.chunks[i / LIST_CHUNK].entries(i % LIST_CHUNK).particles()
    }

    /// How many lists were changed since the bonds were made.
    #[cfg(test)]
    pub(crate) fn edits(&self) -> usize {
        self.edits
    }

    /// Bonds two particles, the vector from `i` to `j` at rest being `rest`; `weigh(i, j, r)` is what `j` weighs to `i`.
    pub(crate) fn tie(&mut self, (i, j): (usize, usize), rest: Vec3, weigh: &impl Fn(usize, usize, Real) -> Weight) {
        self.edit(i, |sides| sides.push(Side::new(j as u32, rest, weigh(i, j, rest.length()))));
        self.edit(j, |sides| sides.push(Side::new(i as u32, -rest, weigh(j, i, rest.length()))));
    }

    /// Breaks the bond between two particles, if there is one.
    pub(crate) fn cut(&mut self, i: usize, j: usize) {
        self.edit(i, |sides| sides.retain(|side| side.other as usize != j));
        self.edit(j, |sides| sides.retain(|side| side.other as usize != i));
    }

    /// Breaks all bonds of a particle; says with whom.
    pub(crate) fn release(&mut self, i: usize) -> Vec<usize> {
        let others: Vec<_> = self.sides(i).map(|side| side.other as usize).collect();
        others.iter().for_each(|&j| self.cut(i, j));
        others
    }

    /// Two particles change places; the lists of those bonded to them follow.
    pub(crate) fn swap(&mut self, a: usize, b: usize) {
        let rename = |side: Side| Side {
            other: match side.other as usize {
                other if other == a => b as u32,
                other if other == b => a as u32,
                _ => side.other,
            },
            ..side
        };
        let mut others: Vec<_> = self.sides(a).chain(self.sides(b)).map(|side| side.other as usize).collect();
        others.sort_unstable();
        others.dedup();
        let own = [a, b].map(|i| self.sides(i).map(rename).collect::<Vec<_>>());
        for other in others.into_iter().filter(|&other| other != a && other != b) {
            self.edit(other, |sides| sides.iter_mut().for_each(|side| *side = rename(*side)));
        }
        let [of_a, of_b] = own;
        self.edit(a, |sides| *sides = of_b);
        self.edit(b, |sides| *sides = of_a);
    }

    /// One more particle is bonded, the next after the last: to nobody yet.
    pub(crate) fn push(&mut self) {
        if self.count.is_multiple_of(LIST_CHUNK) {
            self.chunks.push(Chunk::default());
        }
        if let Some(chunk) = self.chunks.last_mut() {
            chunk.push(self.count as u32, &[]);
        }
        self.count += 1;
    }

    /// The last particle, who is bonded to nobody, is one of the others from now on.
    pub(crate) fn pop(&mut self) {
        if let Some(chunk) = self.chunks.last_mut() {
            chunk.pop();
            if chunk.len() == 0 {
                self.chunks.pop();
            }
        }
        self.count -= 1;
    }

    fn sides(&self, i: usize) -> impl Iterator<Item = Side> {
        self.chunks[i / LIST_CHUNK].sides(i % LIST_CHUNK)
    }

    /// Changes the list of a particle, and puts it in order.
    fn edit(&mut self, i: usize, change: impl FnOnce(&mut Vec<Side>)) {
        let mut sides: Vec<_> = self.sides(i).collect();
        change(&mut sides);
        sides.sort_unstable_by_key(|side| side.other);
        self.chunks[i / LIST_CHUNK].replace(i % LIST_CHUNK, i as u32, &sides);
        self.edits += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weigh(_: usize, j: usize, r: Real) -> Weight {
        Weight { weight: (j + 1) as Real, ratio: r }
    }

    fn random(seed: &mut u64, below: usize) -> usize {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*seed >> 33) as usize % below
    }

    /// Against pairs kept in a set, with particles known by name.
    #[test]
    fn bonds_stay_in_step_with_a_set_of_pairs_through_any_change() {
        let (mut bonds, mut seed) = (Bonds::default(), 7);
        let (mut names, mut next) = (Vec::new(), 0);
        let mut pairs = std::collections::BTreeSet::new();
        let pair = |a: u32, b: u32| (a.min(b), a.max(b));
        for _ in 0..20_000 {
            let count = names.len();
            match random(&mut seed, 8) {
                0 if count < 600 => {
                    bonds.push();
                    names.push(next);
                    next += 1;
                }
                1 if count > 500 => {
                    let i = random(&mut seed, count);
                    bonds.release(i);
                    bonds.swap(i, count - 1);
                    bonds.pop();
                    let gone = names.swap_remove(i);
                    pairs.retain(|&(a, b)| a != gone && b != gone);
                }
                2 if count > 1 => {
                    let (a, b) = (random(&mut seed, count), random(&mut seed, count));
                    bonds.swap(a, b);
                    names.swap(a, b);
                }
                3 if count > 1 => {
                    let (a, b) = (random(&mut seed, count), random(&mut seed, count));
                    bonds.cut(a, b);
                    pairs.remove(&pair(names[a], names[b]));
                }
                _ if count > 1 => {
                    let (a, b) = (random(&mut seed, count), random(&mut seed, count));
                    if a != b && pairs.insert(pair(names[a], names[b])) {
                        bonds.tie((a, b), Vec3::X * (names[b] as Real - names[a] as Real), &weigh);
                    }
                }
                _ => {}
            }
        }
        assert!(names.len() > 300 && pairs.len() > 500, "{} {}", names.len(), pairs.len());
        let mut found = 0;
        for i in 0..names.len() {
            let sides: Vec<_> = bonds.sides(i).collect();
            assert!(sides.is_sorted_by_key(|side| side.other));
            for side in sides {
                let other = side.other as usize;
                assert!(pairs.contains(&pair(names[i], names[other])) && bonds.is_tied(other, i));
                let rest = names[other] as Real - names[i] as Real;
                assert!((side.row[0] / side.row[3] - rest).abs() < 1e-3 * rest.abs());
                found += 1;
            }
        }
        assert_eq!(found, 2 * pairs.len());
        let used: usize = bonds.chunks.iter().map(|chunk| chunk.entries.len()).sum();
        assert!(used <= 2 * (found / 4 + names.len()), "{used} blocks for {found}");
    }
}

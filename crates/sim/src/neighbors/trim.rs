//! Lists without their skin, for solvers that go through them many times in a step.
//!
//! Lists that serve for several steps hold up to twice as many particles as are near. One loop picks those that are, and
//! works out the slope W'/r of each pair, and the sums of V0 W and V0 ∇W, which densities are made of: it costs as much as a sum
//! over all, and shortens every later one.

use rayon::prelude::*;

use super::entry::entry;
use super::lanes::{LANE_NUMBERS, LANES, Lanes, VecLanes, Wide};
use super::near::rows;
use super::pairs::Pairs;
use super::search::{Chunk, LIST_CHUNK};
use super::setting::Setting;
use super::simd::Simd;
use crate::real::{Real, Vec3};

/// Fills `near` with those of `listed` that are closer than `reach`: a distance, and if they move a time that adds to it what
/// they may come nearer meanwhile. The first list is that of particle `first`.
pub(super) fn trim<S: Simd, K: Setting, const MOVING: bool>(
    pairs: &Pairs,
    (set, setting): (S, K),
    (listed, first): (&[Chunk], usize),
    reach: [Real; 2],
    near: &mut Vec<Chunk>,
) {
    near.resize_with(listed.len(), Chunk::default);
    near.par_iter_mut().zip(listed).enumerate().for_each(|(c, (near, listed))| {
        set.run(
            #[inline(always)]
            || trim_chunk::<S, K, MOVING>(pairs, (set, setting), (listed, first + c * LIST_CHUNK), reach, near),
        );
    });
}

#[inline(always)]
fn trim_chunk<S: Simd, K: Setting, const MOVING: bool>(
    pairs: &Pairs,
    (set, _setting): (S, K),
    (listed, first): (&Chunk, usize),
    reach: [Real; 2],
    near: &mut Chunk,
) {
    let Chunk { starts, counts, neighbors, slopes, sums, coincident, crowded, .. } = near;
    starts.clear();
    starts.reserve_exact(LIST_CHUNK + 1);
    counts.clear();
    counts.reserve_exact(LIST_CHUNK);
    sums.clear();
    sums.reserve_exact(LIST_CHUNK);
    // Never longer than what it is picked from, and a last block; what is not written is not resident.
    let (room, most) = (listed.neighbors.len() + LANES, listed.neighbors.capacity() + LANES);
    if neighbors.len() < room {
        neighbors.reserve_exact(most - neighbors.len());
        neighbors.resize(room, 0);
        slopes.reserve_exact(most - slopes.len());
        slopes.resize(room, 0.0);
    }
    (*coincident, *crowded) = (listed.coincident, listed.crowded);
    let blocks = listed.neighbors.as_chunks::<LANES>().0;
    let (reach, time) = (Lanes::splat(set, reach[0]), Lanes::splat(set, reach[1]));
    let lists = listed.starts.iter().zip(&listed.starts[1..]).zip(&listed.counts);
    let mut end = 0;
    for (i, ((begin, stop), listed)) in (first..).zip(lists) {
        starts.push(end as u32);
        let list = &blocks[*begin as usize / LANES..*stop as usize / LANES];
        let (matter, walls) = list.split_at((listed[0] as usize).div_ceil(LANES));
        let [x, y, z, _] = pairs.packed[i];
        let home = VecLanes::splat(set, Vec3::new(x, y, z));
        let [x, y, z, _] = if MOVING { pairs.moving[i] } else { [0.0; 4] };
        let velocity = VecLanes::splat(set, Vec3::new(x, y, z));
        let (mut found, mut sum) = ([0; 2], Lanes::splat(set, 0.0));
        let mut gradient = VecLanes::splat(set, Vec3::ZERO);
        for (kind, blocks) in [matter, walls].into_iter().enumerate() {
            let begin = end;
            let mut left = listed[kind] as usize;
            for j in blocks {
                let (place, volume) = rows(set, &pairs.packed, j);
                let x_ij = K::shortest(home - place, &pairs.domain);
                let in_list = (1 << left.min(LANES)) - 1;
                let r_squared = x_ij.dot(x_ij);
                let r = r_squared.sqrt();
                let mut reach = reach;
                if MOVING {
                    let v_ij = velocity - rows(set, &pairs.moving, j).0;
                    reach = reach + time * v_ij.dot(v_ij).sqrt();
                }
                let bits = r_squared.less(reach * reach) & in_list;
                let slope = K::slope_over_r(&pairs.kernel, r);
                let held = Lanes::splat(set, left as Real) - Lanes::from_array(set, LANE_NUMBERS);
                sum = sum + (volume * K::value(&pairs.kernel, r)).where_positive(held, held.like(0.0));
                // Padding is the particle itself: no way apart.
                gradient = gradient + x_ij * (volume * slope);
                left = left.saturating_sub(LANES);
                if let (Some(out), Some(slopes)) = (neighbors[end..].first_chunk_mut(), slopes[end..].first_chunk_mut())
                {
                    set.compress(j, bits, out);
                    slope.compress(bits, slopes);
                }
                end += bits.count_ones() as usize;
            }
            found[kind] = (end - begin) as u16;
            let full = end.next_multiple_of(LANES);
            neighbors[end..full].fill(entry(i as u32));
            slopes[end..full].fill(0.0);
            end = full;
        }
        counts.push(found);
        sums.push([sum.total(), gradient.total().length()]);
    }
    starts.push(end as u32);
}

#[cfg(test)]
mod tests {
    use crate::pressure::{Iisph, Pcisph, Pressure};
    use crate::real::{Real, Vec3};
    use crate::settings::Settings;
    use crate::simulation::Simulation;
    use crate::world::{Material, NewBody, NewWall};
    use crate::{Who, each, exchange, sum};

    /// A drop that falls on a floor, in a world that repeats itself if there is a period.
    fn drop(pressure: Pressure, period: Option<Real>) -> Simulation {
        let periodic = [period.map(|length| [0.0, length]), None, None];
        let settings = Settings { spacing: 0.1, pressure, periodic, ..Settings::default() };
        let mut simulation = Simulation::new(settings, vec![Material::default()]).unwrap();
        let lattice = |count: [usize; 3], low: Vec3| -> Vec<Vec3> {
            let all =
                (0..count[0]).flat_map(|x| (0..count[1]).flat_map(move |y| (0..count[2]).map(move |z| [x, y, z])));
            all.map(|place| low + 0.1 * Vec3::from_array(place.map(|k| k as Real))).collect()
        };
        let position = lattice([10, 6, 6], Vec3::new(0.05, 0.1, 0.0));
        let velocity = position.iter().map(|x| Vec3::new(x.y, -1.0, 0.3 * x.x)).collect();
        simulation.add_body(NewBody { name: "drop".into(), position, velocity, ..NewBody::default() }).unwrap();
        let floor = lattice([10, 1, 14], Vec3::new(0.05, 0.0, -0.4));
        simulation.add_wall(NewWall { name: "floor".into(), position: floor, ..NewWall::default() }).unwrap();
        simulation
    }

    #[test]
    fn trimmed_lists_hold_the_neighbours_alone_with_their_slopes() {
        for (pressure, period) in [
            (Pressure::Iisph(Iisph::default()), None),
            (Pressure::Iisph(Iisph::default()), Some(1.0)),
            (Pressure::Pcisph(Pcisph::default()), None),
        ] {
            let mut simulation = drop(pressure.clone(), period);
            for _ in 0..5 {
                simulation.step().unwrap();
                let (pairs, matter) = (simulation.pairs(), simulation.matter());
                let near: usize = matter.clone().map(|i| pairs.neighbors(i).count()).sum();
                let position = &simulation.particles().position;
                let reach = pairs.kernel().support();
                let within = |i: usize, j: usize| {
                    let apart = pairs.domain.shortest(position[i] - position[j]);
                    i != j && apart.length_squared() < reach * reach
                };
                let all: usize = matter.clone().map(|i| (0..position.len()).filter(|&j| within(i, j)).count()).sum();
                assert_eq!(near, all, "{period:?}");
                let is_exact = matches!(pressure, Pressure::Iisph(_));
                assert!(!is_exact || pairs.listed_by(Who::Matter) == near, "{period:?}");

                let mut sums = vec![[Vec3::ZERO; 2]; matter.len()];
                each!(pairs, Who::Matter, &mut sums, |_i, near, sums| {
                    *sums = [exchange!(near, |j| j.grad_w()), exchange!(near, |j, slope| j.x_ij() * slope)];
                });
                assert!(sums.iter().all(|[worked_out, held]| worked_out == held));
                assert!(sums.iter().any(|[sum, _]| *sum != Vec3::ZERO));
            }
        }
    }

    /// Free neighbours, bonded ones and walls are apart from each other, and together they are everyone in reach.
    #[test]
    fn parts_of_neighbourhoods_are_everyone_once() {
        for pressure in [Pressure::default(), Pressure::Iisph(Iisph::default())] {
            let mut simulation = drop(pressure, None);
            let elastic = Some(crate::elasticity::Elastic::default());
            simulation.world_mut().materials.push(Material { elastic, ..Material::default() });
            let position =
                (0..27).map(|k| Vec3::new((k % 3) as Real, 7.0 + (k / 3 % 3) as Real, (k / 9) as Real) * 0.1);
            let cube = NewBody { name: "cube".into(), material: 1, position: position.collect(), ..NewBody::default() };
            simulation.add_body(cube).unwrap();
            simulation.list_bonded();
            simulation.step().unwrap();
            let (pairs, position) = (simulation.pairs(), &simulation.particles().position);
            let mut sums = vec![[0.0; 4]; simulation.matter().len()];
            each!(pairs, Who::Matter, &mut sums, |_i, near, sums| {
                *sums = [&near.matter(), &near.bonded(), &near.walls(), near].map(|part| sum!(part, |j| j.w()));
            });
            for (i, &[free, bonded, walls, unnamed]) in sums.iter().enumerate() {
                let weight = |j: usize| pairs.kernel().value((position[i] - position[j]).length());
                let others = (0..position.len()).filter(|&j| j != i);
                let all: Real = others.map(weight).sum();
                let inside: Real = simulation.bonds_of(i).map(weight).sum();
                assert!((free + bonded + walls - all).abs() < 1e-4 * all && (bonded - inside).abs() < 1e-4 * all);
                assert!((unnamed - free - walls).abs() < 1e-4 * all);
            }
            assert!(sums.iter().any(|&[free, bonded, ..]| free > 0.0 && bonded > 0.0));
        }
    }
}

//! Bodies split and join, particles melt and freeze, bonds come and go at random: everything stays in step.

use std::collections::{BTreeMap, BTreeSet};

use thixo_surface::Skin;

use super::*;
use crate::elasticity::{Elastic, Implicit, Solids, find_eigenvalues};
use crate::force::StepContext;
use crate::measure;
use crate::pressure::{Iisph, Pressure, Wcsph};
use crate::process::{OwnValues, Process};
use crate::real::{Real, Vec3, wide};
use crate::settings::Settings;
use crate::time::StepSize;
use crate::world::{Load, Material, NewBody, NewWall, OwnColumn, Values};

const SPACING: Real = 0.1;

/// A column that says who a particle is.
struct Names;

impl Process for Names {
    fn columns(&self) -> Vec<OwnColumn> {
        vec![OwnColumn::new("name", "-", -1.0)]
    }

    fn advance(&mut self, _step: &StepContext<'_>, _own: &mut OwnValues<'_>) {}
}

fn block(low: [i32; 3], cells: [i32; 3]) -> Vec<Vec3> {
    let [x, y, z] = cells;
    let cell = |k: i32| Vec3::new((low[0] + k % x) as Real, (low[1] + k / x % y) as Real, (low[2] + k / x / y) as Real);
    (0..x * y * z).map(|k| (cell(k) + Vec3::splat(0.5)) * SPACING).collect()
}

fn empty(pressure: Pressure) -> Simulation {
    let settings = Settings { spacing: SPACING, pressure, step: StepSize::Fixed(1e-3), ..Settings::default() };
    let wax = Elastic::Implicit(Implicit { young_modulus: Some(3e4), ..Implicit::default() });
    let materials = vec![Material { elastic: Some(wax), ..Material::default() }, Material::default()];
    let mut simulation = Simulation::new(settings, materials).unwrap();
    simulation.add_process(Box::new(Names));
    simulation
}

/// Two blocks of wax, one of them pulled, on molten wax in a tub.
fn world(pressure: Pressure) -> Simulation {
    let mut simulation = empty(pressure);
    let mut add = |name: &str, kind, position: Vec<Vec3>, loads| {
        let body = NewBody { name: name.into(), kind, position, loads, ..NewBody::default() };
        simulation.add_body(body).unwrap()
    };
    let load = Load { force: [0.0, 0.0, 2.0], shares: (0..6).map(|i| (i, 1.0 / 6.0)).collect(), ..Load::default() };
    add("pool", Some(KindId::FLUID), block([0, 0, 0], [7, 2, 6]), Vec::new());
    add("left", None, block([0, 2, 0], [3, 3, 3]), vec![load]);
    add("right", None, block([4, 2, 1], [3, 3, 4]), Vec::new());
    let inside = |x: &Vec3| x.x > 0.0 && x.x < 0.7 && x.y > 0.0 && x.z > 0.0 && x.z < 0.6;
    let position: Vec<_> = block([-1, -1, -1], [9, 8, 8]).into_iter().filter(|x| !inside(x)).collect();
    let size = Vec3::new(0.7, 0.8, 0.6);
    let to_surface = position.iter().map(|x| x.clamp(Vec3::ZERO, size) - *x).collect();
    simulation.add_wall(NewWall { name: "tub".into(), position, to_surface, ..NewWall::default() }).unwrap();
    let particles = &mut simulation.world_mut().particles;
    particles.own[0].values = particles.id.iter().map(|&id| id as Real).collect();
    simulation
}

/// A skin, bound to the particles with these identifiers.
struct Worn {
    skin: Skin,
    ids: Vec<u32>,
}

impl Worn {
    /// Around the block on the right.
    fn new(simulation: &Simulation) -> Self {
        let particles = simulation.particles();
        let own = || simulation.world().kinds.bonded().filter(|&i| simulation.body_of(i).unwrap().name == "right");
        let rest: Vec<_> = own().map(|i| single(particles.anchor[i])).collect();
        let vertices: Vec<_> = rest.iter().map(|&x| x + 0.04).collect();
        let skin = Skin::bind(&vertices, &rest, f64::from(SPACING) as f32).unwrap();
        Worn { skin, ids: own().map(|i| particles.id[i]).collect() }
    }

    /// The bits of its vertices.
    fn bits(&self, simulation: &Simulation) -> Vec<[u32; 3]> {
        let particles = simulation.particles();
        let place: BTreeMap<_, _> = particles.id.iter().zip(&particles.position).collect();
        let now: Vec<_> = self.ids.iter().map(|id| single(*place[id])).collect();
        self.skin.carry(&now).unwrap().position.iter().map(|x| x.to_array().map(f32::to_bits)).collect()
    }
}

fn single(x: Vec3) -> thixo_surface::Vec3 {
    wide(x).as_vec3()
}

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % limit.max(1)
    }

    fn some_of(&mut self, range: std::ops::Range<usize>, count: usize) -> Vec<usize> {
        (0..count.min(range.len())).map(|_| range.start + self.below(range.len())).collect()
    }
}

/// Bodies of matter, with their bonded particles.
fn bodies(simulation: &Simulation) -> Vec<(BodyId, Vec<usize>)> {
    let world = simulation.world();
    let matter = world.bodies.iter().enumerate().filter(|(_, body)| !body.is_removed && !body.kind.is_wall());
    matter
        .map(|(slot, body)| {
            let own = world.kinds.bonded().filter(|&i| world.particles.body[i] as usize == slot).collect();
            (BodyId { slot: slot as u32, generation: body.generation }, own)
        })
        .collect()
}

/// Bonds solids to those of their body that are as near as at rest.
fn bond_with_near(simulation: &mut Simulation, solids: &[usize]) {
    let world = simulation.world();
    let (particles, reach) = (&world.particles, 1.6 * SPACING);
    let is_near = |i: usize, j: usize| {
        particles.body[i] == particles.body[j] && particles.position[i].distance(particles.position[j]) < reach
    };
    let mut pairs = Vec::new();
    for &i in solids {
        pairs.extend(world.kinds.bonded().filter(|&j| j != i && is_near(i, j)).map(|j| (i, j)));
    }
    simulation.bond(&pairs).unwrap();
}

/// One change of any sort; says how many particles it concerned.
fn change(simulation: &mut Simulation, random: &mut Random) -> usize {
    let (bonded, flowing) = (simulation.world().kinds.bonded(), simulation.world().kinds.flowing());
    match random.below(6) {
        0 => {
            let melting = random.some_of(bonded, 2);
            simulation.transform(&melting, KindId::FLUID).unwrap();
            melting.len()
        }
        1 | 2 => {
            let freezing = random.some_of(flowing, 2);
            let renumbering = simulation.transform(&freezing, KindId::ELASTIC).unwrap();
            let solids: Vec<_> = freezing.iter().map(|&i| renumbering.place_of(i)).collect();
            bond_with_near(simulation, &solids);
            solids.len()
        }
        3 => {
            let all = bodies(simulation);
            let (body, own) = &all[random.below(all.len())];
            let part: Vec<_> = own.iter().copied().filter(|i| i % 2 == 0).collect();
            if part.is_empty() || all.len() > 6 {
                return 0;
            }
            simulation.split_body(*body, &part, "part").unwrap();
            part.len()
        }
        4 => {
            let all = bodies(simulation);
            let (into, from) = (random.below(all.len()), random.below(all.len()));
            if into == from {
                return 0;
            }
            simulation.join_bodies(all[into].0, all[from].0).unwrap();
            all[from].1.len()
        }
        _ => {
            let torn = random.some_of(bonded, 1);
            let pairs: Vec<_> = torn.iter().flat_map(|&i| simulation.bonds_of(i).map(move |j| (i, j))).collect();
            simulation.break_bonds(&pairs[..pairs.len().min(3)]).unwrap();
            torn.len()
        }
    }
}

/// The bits of all columns.
fn bits(simulation: &Simulation) -> Vec<u64> {
    let number = |x: Real| f64::from(x).to_bits();
    let column = |(_, values): (_, Values<'_>)| -> Vec<u64> {
        match values {
            Values::Scalar(values) => values.iter().map(|&x| number(x)).collect(),
            Values::Vector(values) => values.iter().flat_map(|v| v.to_array()).map(number).collect(),
            Values::Index(values) => values.iter().map(|&x| u64::from(x)).collect(),
        }
    };
    simulation.particles().columns().flat_map(column).collect()
}

fn check(simulation: &mut Simulation, ids: &BTreeSet<u32>) {
    simulation.prepare().unwrap();
    let world = simulation.world();
    let particles = &world.particles;
    // Columns and kinds.
    assert!(particles.is_consistent() && world.kinds.clone().recount(&particles.phase));
    assert_eq!(&particles.id.iter().copied().collect::<BTreeSet<_>>(), ids);
    let matter = world.kinds.matter();
    assert!(matter.clone().all(|i| particles.own[0].values[i] == particles.id[i] as Real));
    for (slot, body) in world.bodies.iter().enumerate() {
        let own = particles.body.iter().filter(|&&body| body as usize == slot).count();
        assert_eq!(own, body.particles);
    }
    // Bonds: both sides, within a body.
    for i in world.kinds.bonded() {
        for j in simulation.bonds_of(i) {
            assert!(particles.body[i] == particles.body[j] && simulation.bonds_of(j).any(|k| k == i));
        }
    }
    // Lists: everyone in reach who is not bonded.
    let reach = simulation.pairs().kernel().support();
    for i in matter {
        let bonded: BTreeSet<_> = simulation.bonds_of(i).collect();
        let near =
            |&j: &usize| i != j && (particles.position[i] - particles.position[j]).length_squared() < reach * reach;
        let expected: BTreeSet<_> = (0..particles.len()).filter(near).filter(|j| !bonded.contains(j)).collect();
        assert_eq!(simulation.pairs().neighbors(i).collect::<BTreeSet<_>>(), expected);
    }
    // What is known of solids is what would be found anew.
    let anew = Solids::new(world, simulation.pairs(), simulation.lattice_sum(), &world.solids.stored(world)).unwrap();
    find_eigenvalues(world);
    let known = std::mem::replace(&mut simulation.world_mut().solids, anew);
    let world = simulation.world();
    find_eigenvalues(world);
    let anew = &world.solids;
    assert_eq!(format!("{:?}", anew.sites), format!("{:?}", known.sites));
    assert_eq!((&anew.share, &anew.runs), (&known.share, &known.runs));
    let differ = anew.meshes.iter().zip(&known.meshes).position(|(a, b)| format!("{a:?}") != format!("{b:?}"));
    assert_eq!(differ, None, "slot of the body whose mesh is another");
    simulation.world_mut().solids = known;
    let world = simulation.world();
    let particles = &world.particles;
    // Loads and probes.
    for load in world.bodies.iter().flat_map(|body| &body.loads) {
        assert!(load.shares.iter().all(|(i, _)| world.kinds.bonded().contains(&(*i as usize))));
    }
    let some: Vec<_> = ids.iter().copied().take(9).collect();
    let by_hand = particles.id.iter().zip(&particles.position).filter(|(id, _)| some.contains(id));
    let by_hand = by_hand.map(|(_, x)| wide(*x)).sum::<glam::DVec3>() / 9.0;
    assert!((measure::centre(simulation, &some) - by_hand).length() < 1e-6);
}

#[test]
fn matter_that_changes_at_random_stays_in_step() {
    for (seed, pressure) in [(1, Pressure::Iisph(Iisph::default())), (2, Pressure::Wcsph(Wcsph::default()))] {
        let (mut simulation, mut random) = (world(pressure.clone()), Random(seed));
        simulation.step().unwrap();
        let ids: BTreeSet<_> = simulation.particles().id.iter().copied().collect();
        let worn = Worn::new(&simulation);
        let mass = measure::Totals::of_motion(&simulation, None).mass;
        let (mut changed, mut most_stored) = (0, 0.0_f64);
        for step in 0..1000 {
            if random.below(3) == 0 {
                let skin = worn.bits(&simulation);
                changed += change(&mut simulation, &mut random);
                assert!(worn.bits(&simulation) == skin, "a skin moves when its particles change places in memory");
            }
            simulation.step().unwrap_or_else(|error| panic!("step {step}: {error}"));
            if step % 100 == 99 {
                check(&mut simulation, &ids);
                let solids = simulation.world().kinds.bonded().len().max(1);
                most_stored = most_stored.max(simulation.state().bonds.len() as f64 / solids as f64);
                // A restart in the middle of it.
                change(&mut simulation, &mut random);
                let mut resumed = empty(pressure.clone());
                resumed.restore(simulation.snapshot()).unwrap();
                for _ in 0..5 {
                    simulation.step().unwrap();
                    resumed.step().unwrap();
                    assert!(bits(&simulation) == bits(&resumed), "after a restart at step {step}");
                    assert!(worn.bits(&simulation) == worn.bits(&resumed));
                }
            }
        }
        assert!(changed > 300, "{changed}");
        let totals = measure::Totals::of_motion(&simulation, None);
        assert!((totals.mass / mass - 1.0).abs() < 1e-12);
        println!("{changed} particles changed; {most_stored:.1} bonds stored for each solid, at most 20 bytes each");
        assert!(most_stored * 20.0 < 300.0);
    }
}

/// However large the body, melting one of its particles changes the lists of those around it, and moves two.
#[test]
fn what_a_change_costs_does_not_depend_on_the_size_of_the_body() {
    let edits = [4, 8].map(|size| {
        let mut simulation = empty(Pressure::Iisph(Iisph::default()));
        let position = block([0, 0, 0], [size; 3]);
        simulation.add_body(NewBody { name: "cube".into(), position, ..NewBody::default() }).unwrap();
        simulation.prepare().unwrap();
        let before = simulation.world().solids.bonds.edits();
        let inside = simulation.particles().position.iter().position(|x| (*x - Vec3::splat(0.15)).length() < 0.01);
        let renumbering = simulation.transform(&[inside.unwrap()], KindId::FLUID).unwrap();
        assert_eq!(renumbering.moved().count(), 2);
        simulation.world().solids.bonds.edits() - before
    });
    println!("{edits:?} lists");
    assert!(edits[1] < 2 * edits[0] && edits[1] < 150, "{edits:?}");
}

/// Particles that are bonded as they are carry no stress, and part of a body keeps its shape.
#[test]
fn bonds_between_particles_as_they_are_carry_no_stress() {
    let mut simulation = empty(Pressure::Iisph(Iisph::default()));
    for (name, x) in [("left", 0), ("right", 3)] {
        let position = block([x, 0, 0], [3, 3, 3]);
        simulation.add_body(NewBody { name: name.into(), position, ..NewBody::default() }).unwrap();
    }
    simulation.prepare().unwrap();
    let all = bodies(&simulation);
    simulation.join_bodies(all[0].0, all[1].0).unwrap();
    let solids: Vec<_> = simulation.world().kinds.bonded().collect();
    bond_with_near(&mut simulation, &solids);
    simulation.prepare().unwrap();
    assert!(solids.iter().any(|&i| simulation.bonds_of(i).any(|j| (i < 27) != (j < 27))));
    let weight = 9.81 * f64::from(simulation.particles().mass(0));
    let forces = measure::elastic_forces(&simulation);
    assert!(forces.iter().all(|force| force.length() < 1e-3 * weight), "{forces:?}");
    // Pulled apart, it holds together: the bonds that were made pull.
    simulation.world_mut().particles.position[..27].iter_mut().for_each(|x| x.x -= 0.01);
    simulation.due = Due::Anew;
    simulation.prepare().unwrap();
    let pull: f64 = measure::elastic_forces(&simulation)[..27].iter().map(|force| force.x).sum();
    assert!(pull > weight, "{pull} {weight}");
}

#[test]
fn what_cannot_be_changed_is_refused_and_nothing_happens() {
    let mut simulation = world(Pressure::Iisph(Iisph::default()));
    simulation.step().unwrap();
    let before = bits(&simulation);
    let (wall, fluid) = (simulation.world().kinds.walls().start, simulation.world().kinds.flowing().start);
    let left = bodies(&simulation)[1].0;
    let gone = BodyId { generation: 9, ..left };
    assert!(simulation.transform(&[wall], KindId::FLUID).is_err());
    assert!(simulation.transform(&[0], KindId::WALL).is_err());
    assert!(simulation.transform(&[usize::MAX], KindId::FLUID).is_err());
    assert!(simulation.bond(&[(0, fluid)]).is_err() && simulation.break_bonds(&[(0, wall)]).is_err());
    assert!(simulation.split_body(left, &[fluid], "no").is_err() && simulation.split_body(left, &[], "no").is_err());
    assert!(simulation.join_bodies(left, left).is_err() && simulation.join_bodies(left, gone).is_err());
    assert!(bits(&simulation) == before);
}

//! Where rigid bodies touch walls and each other.
//!
//! A particle at the surface of a body is a ball of half a spacing. What it touches are planes: those of the wall particles around
//! it, each of which knows its way to the surface, and those of the faces of other bodies. Planes of particles with nearly the same
//! normal are one,
//!
//! ```text
//! gap(x) = Σ_j W_ij ((x − x_j)·n_j − d_j)/Σ_j W_ij − d_i
//! ```
//!
//! so that a face which slides on a face does not feel the particles of which they are made. A plane counts for who is opposite
//! its own particle, not beside it, where the face may have ended. In a corner of a tank a body touches two planes. Edges and corners
//! have no planes; two of them meet as balls do.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::constraints::{Contact, Inertia};
use super::particles::Site;
use crate::neighbors::Pairs;
use crate::real::{Real, Vec3, wide};
use crate::world::World;

/// How far beside a particle its plane reaches, in spacings: as far as there may be none on a lattice that is nearer.
const BESIDE: f64 = 0.75;

/// Who is deeper below a face, in spacings, has come from another side of a thin body.
const DEEPEST: f64 = 0.75;

/// Wider gaps are no contacts yet, in spacings: more than bodies come nearer in a step.
const WIDEST: f64 = 0.5;

/// The cosine of the angle up to which planes are one.
const SAME: f64 = 0.94;

/// What pushed a particle in a step, remembered for the next.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Pressing {
    /// The particle, by its place in memory, and the slot of what it touched.
    between: [u32; 2],
    /// On the body of the particle [N s].
    impulse: DVec3,
}

/// What particles touch, and memory for it.
#[derive(Debug, Default)]
pub(super) struct Touching {
    pub(super) contacts: Vec<Contact>,
    /// The rigid particle that touches, and the slot of what it touches: of each contact.
    between: Vec<[u32; 2]>,
    planes: Vec<Plane>,
}

/// What a particle touches, summed over those whose planes are one.
#[derive(Clone, Copy, Debug)]
struct Plane {
    slot: u32,
    /// It is a last resort: the other side of a thin wall, or the ball of an edge.
    is_doubtful: bool,
    weight: f64,
    normal: DVec3,
    height: f64,
    velocity: DVec3,
    friction: f64,
}

impl Touching {
    /// There are none.
    pub(super) fn clear(&mut self) {
        self.contacts.clear();
        self.between.clear();
        self.planes.clear();
    }

    /// Finds all contacts of the moment, if there are none yet.
    pub(super) fn find(&mut self, world: &World, pairs: &Pairs, inertias: &[Inertia]) {
        let mut last = None;
        for [i, j] in pairs.touching() {
            if last.is_some_and(|last| last != i) {
                self.enter(world, inertias, last.unwrap_or(i));
            }
            last = Some(i);
            self.look_at(world, pairs, i, j);
        }
        if let Some(last) = last {
            self.enter(world, inertias, last);
        }
    }

    /// Contacts are expected to push as in the last step, which was so many times shorter.
    pub(super) fn recall(&mut self, pressing: &[Pressing], longer: Real) {
        let mut known = pressing.iter().peekable();
        for (contact, between) in self.contacts.iter_mut().zip(&self.between) {
            // Both are in the order of particles.
            while known.next_if(|known| known.between[0] < between[0]).is_some() {}
            let of_particle = known.clone().take_while(|known| known.between[0] == between[0]);
            let as_before = |known: &&Pressing| known.between == *between && known.impulse.dot(contact.normal) > 0.0;
            let same = of_particle.filter(as_before).max_by(|a, b| {
                let along = |known: &Pressing| known.impulse.normalize_or_zero().dot(contact.normal);
                along(a).total_cmp(&along(b))
            });
            contact.impulse = same.map_or(DVec3::ZERO, |known| known.impulse * f64::from(longer));
        }
    }

    /// Contacts with walls, each with the slot of the wall.
    pub(super) fn on_walls(&self) -> impl Iterator<Item = (u32, &Contact)> {
        let all = self.contacts.iter().zip(&self.between);
        all.filter(|(contact, _)| contact.second.is_none()).map(|(contact, between)| (between[1], contact))
    }

    /// Remembers what pushes.
    pub(super) fn remember(&self, pressing: &mut Vec<Pressing>) {
        pressing.clear();
        let all = self.contacts.iter().zip(&self.between);
        let pushing = all.filter(|(contact, _)| contact.impulse != DVec3::ZERO);
        pressing.extend(pushing.map(|(contact, between)| Pressing { between: *between, impulse: contact.impulse }));
    }

    /// Adds what particle `i` sees of `j`.
    fn look_at(&mut self, world: &World, pairs: &Pairs, i: usize, j: usize) {
        let (particles, spacing) = (&world.particles, f64::from(world.spacing));
        let site = world.rigid.site(i);
        if site == Site::Inside || world.rigid.are_parted(particles.body[i], particles.body[j]) {
            return;
        }
        let apart = particles.position[i] - particles.position[j] + particles.remainder[i] - particles.remainder[j];
        let apart = wide(world.domain.shortest(apart));
        let is_wall = world.kinds.walls().contains(&j);
        let turned = |normal: Vec3| {
            let body = world.rigid.body(particles.body[j]);
            body.map_or(DVec3::ZERO, |body| world.memory.rigid[body].turn() * wide(normal))
        };
        let (mut normal, depth) = match (is_wall, if is_wall { Site::Inside } else { world.rigid.site(j) }) {
            (true, _) => {
                let to_surface = wide(particles.to_surface[j]);
                (to_surface.normalize_or_zero(), to_surface.length())
            }
            (false, Site::Face(normal)) => (turned(normal), 0.5 * spacing),
            (false, Site::Plate(axis)) => {
                let axis = turned(axis);
                (axis * axis.dot(apart).signum(), 0.5 * spacing)
            }
            // A ball, for who has no face either.
            (false, Site::Edge) if site == Site::Edge => (apart.normalize_or_zero(), 0.5 * spacing),
            _ => return,
        };
        let mut along = apart.dot(normal);
        let is_doubtful = if is_wall { along < 0.0 } else { world.rigid.site(j) == Site::Edge };
        if along < 0.0 && is_wall {
            (normal, along) = (-normal, -along);
        }
        let height = along - depth;
        let beside = apart.length_squared() - along * along;
        let reach = WIDEST + 0.5;
        if normal == DVec3::ZERO || height > reach * spacing || height < -DEEPEST * spacing {
            return;
        }
        if beside > (BESIDE * spacing).powi(2) {
            return;
        }
        let weight = f64::from(pairs.kernel().value(apart.length() as Real)).max(f64::MIN_POSITIVE);
        let slot = particles.body[j];
        let friction = if is_wall { world.bodies[slot as usize].friction } else { world.rigid_material(j).friction };
        let plane = Plane {
            slot,
            is_doubtful,
            weight,
            normal: weight * normal,
            height: weight * height,
            velocity: weight * wide(particles.velocity[j]),
            friction: f64::from(friction),
        };
        match self.planes.iter_mut().find(|other| other.is_one_with(&plane)) {
            Some(other) => other.add(&plane),
            None => self.planes.push(plane),
        }
    }

    /// Makes contacts of what particle `i` sees.
    fn enter(&mut self, world: &World, inertias: &[Inertia], i: usize) {
        let (particles, spacing) = (&world.particles, f64::from(world.spacing));
        let Some(first) = world.rigid.body(particles.body[i]) else { return };
        let Touching { planes, contacts, between } = self;
        let own = world.rigid_material(i);
        for plane in &*planes {
            // Walls that are not thin have one side, and who touches a face does not touch its edge.
            if plane.is_doubtful && planes.iter().any(|other| other.slot == plane.slot && !other.is_doubtful) {
                continue;
            }
            let normal = plane.normal.normalize_or_zero();
            let gap = plane.height / plane.weight - 0.5 * spacing;
            if gap > WIDEST * spacing || normal == DVec3::ZERO {
                continue;
            }
            let second = world.rigid.body(plane.slot);
            let restitution = second.map_or(0.0, |second| world.restitution_of(second)).max(f64::from(own.restitution));
            contacts.push(Contact {
                first,
                second,
                point: inertias[first].centre + world.from(i, inertias[first].centre) - normal * (0.5 * spacing),
                normal,
                gap,
                wall_velocity: plane.velocity / plane.weight,
                friction: plane.friction.max(f64::from(own.friction)),
                restitution,
                impulse: DVec3::ZERO,
            });
            between.push([i as u32, plane.slot]);
        }
        planes.clear();
    }
}

impl Plane {
    /// Are they planes of the same thing with nearly the same normal?
    fn is_one_with(&self, other: &Plane) -> bool {
        let cosine = self.normal.dot(other.normal) / (self.normal.length() * other.weight);
        (self.slot, self.is_doubtful) == (other.slot, other.is_doubtful) && cosine > SAME
    }

    fn add(&mut self, other: &Plane) {
        self.weight += other.weight;
        self.normal += other.normal;
        self.height += other.height;
        self.velocity += other.velocity;
    }
}

impl World {
    /// How rigid particle `i` meets others.
    fn rigid_material(&self, i: usize) -> crate::world::Rigid {
        let material = self.materials.get(self.particles.material[i] as usize);
        material.and_then(|material| material.rigid.clone()).unwrap_or_default()
    }

    /// The restitution of a rigid body: that of its first particle.
    fn restitution_of(&self, body: usize) -> f64 {
        let first = self.rigid.first_of(body);
        first.map_or(0.0, |first| f64::from(self.rigid_material(first).restitution))
    }
}

//! The elastic bodies of a world: what must be known of their undeformed shapes.
//!
//! All of it follows from columns and bonds, and is made anew when bodies come or go or a run is resumed. Bonds follow from
//! the undeformed shape (`anchor`), until particles are bonded or parted one by one ([`changes`](super::changes)).

use std::collections::BTreeMap;

use glam::{DMat3, DVec3};
use rayon::prelude::*;

use super::Elastic;
use super::changes::StoredBond;
use super::coarse::{Mesh, Place, Shape};
use super::eigen::symmetric_eigen;
use super::explicit::fastest_oscillation;
use super::law::{Law, Site, Weighting};
use super::rotation::Extent;
use crate::kernel::Kernel;
use crate::neighbors::{Bonds, Crowded, Pairs, Weight};
use crate::real::{Dimension, Real, Vec3, narrow, narrow_matrix, wide};
use crate::reduce::{self, Piece};
use crate::world::{Particles, World};

/// A direction counts as one in which no neighbour lies if the sum of squares along it is a smaller share of the largest
/// than this. A sheet rolled to a tube of five spacings' radius is still a sheet.
const FLAT: f64 = 0.03;

/// The largest compression that a particle reads of its own body at rest. Contact is to act on the outer layer, which
/// reads some 0.7. Were the layer behind it to read 1, any neighbour at the edge of its support would be an excess,
/// where the kernel is so flat that no pressure could remove it.
pub(crate) const LARGEST_OWN_SHARE: Real = 0.9;

/// How far bonds reach, in spacings, whatever the support of fluids: three make a thin slab twice as much too soft as two do
/// (docs/elasticity.md, "How far bonds reach"); with less than two, only the nearest neighbours of a lattice weigh.
const BOND_SUPPORT: Real = 2.0;

/// What bonds beyond that weigh, by what a particle weighs to itself: it is not felt, but tells a vector from its product. Who is
/// within the support of fluids is bonded, for others count as contact.
const SLIGHTLY: Real = 1e-6;

/// The elastic bodies of a world.
#[derive(Clone, Debug, Default)]
pub(crate) struct Solids {
    pub(crate) bonds: Bonds,
    /// The neighbourhood of each bonded particle at rest.
    pub(crate) sites: Vec<Site>,
    /// The law of each material that bonded particles are made of.
    laws: Vec<Option<Law>>,
    /// The material of the first bonded particle of each body.
    body_materials: Vec<Option<u32>>,
    /// Runs of bonded particles of one body and one material. A body may have several.
    pub(crate) runs: Vec<Piece>,
    /// The same in pieces, for sums.
    pub(crate) pieces: Vec<Piece>,
    /// The fastest oscillation of what is not solved implicitly [1/s].
    pub(crate) fastest: Real,
    /// The coarse mesh of each body, if it has one.
    pub(crate) meshes: Vec<Option<Mesh>>,
    /// Where each bonded particle is in the mesh of its body.
    pub(crate) mesh_places: Vec<Place>,
    /// What the particles that are bonded to each, and itself, add to its Σ V0 W at rest.
    pub(crate) share: Vec<Real>,
    /// The most that it may be.
    most: Real,
    /// The kernel by which bonds weigh, and that of densities.
    kernel: Option<Kernel>,
    density_kernel: Option<Kernel>,
    /// Bonds that do not follow from a shape: the vector at rest from the particle with the lower identifier to the other.
    pub(super) born: BTreeMap<(u32, u32), Vec3>,
}

/// Why a body cannot be elastic as it is asked to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Unfit {
    /// More neighbours than matter can have.
    Crowded(Crowded),
    /// Neighbours in a plane or on a line, for a model that cannot do with them.
    Flat {
        /// One of the particles.
        particle: usize,
    },
}

impl Solids {
    /// Of the bonded particles of a world. Bonds follow from the undeformed shapes of bodies, but for those that were
    /// changed since: these have the bonds `stored`.
    pub(crate) fn new(world: &World, pairs: &Pairs, lattice_sum: Real, stored: &[StoredBond]) -> Result<Self, Unfit> {
        let count = world.kinds.bonded().len();
        let density_kernel = *pairs.kernel();
        let reach = density_kernel.support().min(BOND_SUPPORT * world.spacing);
        let kernel = Some(Kernel::new(density_kernel.shape(), reach, density_kernel.dimension()));
        let most = LARGEST_OWN_SHARE * lattice_sum;
        let mut solids = Solids { most, kernel, density_kernel: Some(density_kernel), ..Solids::default() };
        solids.find_laws(world, 0..count);
        if count == 0 {
            return Ok(solids);
        }
        let Particles { anchor, body, .. } = &world.particles;
        let about = (pairs.kernel(), &world.domain, pairs.instruction_set());
        let follows_shape = |i: usize| !world.bodies[body[i] as usize].is_reshaped;
        let are_bonded = |i: usize, j: usize| body[i] == body[j] && follows_shape(i);
        let weigh = solids.weighing(world);
        solids.bonds = Bonds::new(about, &anchor[..count], are_bonded, &weigh).map_err(Unfit::Crowded)?;
        solids.tie_stored(world, stored);
        let each = || (0..count).into_par_iter();
        solids.sites = each().map(|i| solids.site(i, world)).collect();
        let cannot_fit = |i: usize| {
            let is_flat = !matches!(solids.sites[i].extent, Extent::Volume | Extent::Plane);
            is_flat && solids.law_at(world, i).weighting == Weighting::Kernel
        };
        if let Some(particle) = (0..count).find(|&i| cannot_fit(i)) {
            return Err(Unfit::Flat { particle });
        }
        let stiffnesses: Vec<_> = each().map(|i| solids.stiffness(i, world)).collect();
        for (site, stiffness) in solids.sites.iter_mut().zip(stiffnesses) {
            site.stiffness = narrow_matrix(stiffness);
        }
        solids.share = each().map(|i| solids.share_of(i, &world.particles.rest_volume)).collect();
        solids.find_runs(&world.particles);
        solids.mesh_places = vec![(0, 0); count];
        solids.make_meshes(world, |_| true);
        solids.fastest = fastest_oscillation(world, &solids);
        Ok(solids)
    }

    /// Finds the laws of materials, and the material of each body, by what these bonded particles are made of.
    pub(super) fn find_laws(&mut self, world: &World, particles: impl Iterator<Item = usize>) {
        self.body_materials.clear();
        self.body_materials.resize(world.bodies.len(), None);
        self.laws.resize(world.materials.len(), None);
        particles.for_each(|i| self.find_law(world, i));
    }

    /// The same for one more particle.
    pub(super) fn find_law(&mut self, world: &World, i: usize) {
        let (body, material) = (world.particles.body[i] as usize, world.particles.material[i]);
        if self.laws[material as usize].is_none() {
            self.laws[material as usize] = world.materials[material as usize].elastic.as_ref().map(Elastic::law);
        }
        if body >= self.body_materials.len() {
            // It has just come to be.
            self.body_materials.resize(world.bodies.len(), None);
        }
        self.body_materials[body].get_or_insert(material);
    }

    /// What bonded particle `j` weighs to `i` at the distance `r`, as `weigh(i, j, r)`.
    pub(super) fn weighing<'a>(&self, world: &'a World) -> impl Fn(usize, usize, Real) -> Weight + use<'a> {
        let (laws, kernel) = (self.laws.clone(), self.kernel);
        let Particles { rest_volume, material, .. } = &world.particles;
        move |i, j, r| {
            let weighting = |i: usize| laws[material[i] as usize].map(|law: Law| law.weighting);
            let (value, slope) = kernel.map_or((0.0, 0.0), |kernel| (kernel.value(r), -kernel.slope_over_r(r)));
            let slightly = kernel.map_or(0.0, |kernel| SLIGHTLY * kernel.value(0.0));
            // The same on both sides of a bond, or forces would not cancel.
            let shape = match [weighting(i), weighting(j)] {
                [Some(Weighting::Kernel), Some(Weighting::Kernel)] => value.max(slightly),
                _ => slope.max(slightly / kernel.map_or(1.0, |kernel| kernel.support().powi(2))),
            };
            Weight { weight: rest_volume[j] * shape, ratio: value / shape }
        }
    }

    /// Makes the coarse meshes of such bodies, if they are worth one.
    pub(super) fn make_meshes(&mut self, world: &World, is_such: impl Fn(u32) -> bool) {
        self.meshes.resize(world.bodies.len(), None);
        let mut members = BTreeMap::<u32, Vec<usize>>::new();
        for (body, range) in self.runs.iter().filter(|(body, _)| is_such(*body)) {
            members.entry(*body).or_default().extend(range.clone());
        }
        for (slot, mesh) in self.meshes.iter_mut().enumerate().filter(|(slot, _)| is_such(*slot as u32)) {
            let law = self.body_materials[slot].and_then(|material| self.laws[material as usize]);
            let members = members.get(&(slot as u32)).filter(|_| law.is_some_and(|law| law.is_implicit()));
            *mesh = members.and_then(|members| {
                let stiffness = |i: usize| {
                    let block = &self.sites[i].stiffness;
                    (block.x_axis.x + block.y_axis.y + block.z_axis.z) / world.dimension.count() as Real
                };
                let shape = Shape { world, members, rest: &world.particles.anchor, stiffness: &stiffness };
                Mesh::new(&shape, |i| self.sites[i].extent, &mut self.mesh_places)
            });
        }
    }

    /// How many particles are elastic: those before this index.
    pub(crate) fn len(&self) -> usize {
        self.sites.len()
    }

    /// The law of a material, if a bonded particle is made of it.
    #[inline(always)]
    pub(crate) fn law(&self, material: u32) -> Option<&Law> {
        self.laws.get(material as usize)?.as_ref()
    }

    /// The laws of all materials that bonded particles are made of.
    pub(crate) fn laws(&self) -> impl Iterator<Item = &Law> {
        self.laws.iter().flatten()
    }

    /// The law by which a body is solved: that of its first particle, if it has bonds.
    #[inline(always)]
    pub(crate) fn body_law(&self, body: u32) -> Option<&Law> {
        self.law((*self.body_materials.get(body as usize)?)?)
    }

    /// How many slots of bodies there are.
    pub(crate) fn slots(&self) -> usize {
        self.body_materials.len()
    }

    /// Those whom bonded particle `i` is held by: whose bonds weigh.
    pub(crate) fn holding(&self, i: usize) -> impl Iterator<Item = usize> {
        let reach = self.kernel.map_or(0.0, |kernel| 0.99 * kernel.support());
        self.bonds.of(i).filter(move |(_, rest, _)| rest.length() < reach).map(|(j, ..)| j)
    }

    /// The law of a bonded particle.
    pub(super) fn law_at(&self, world: &World, i: usize) -> Law {
        self.law(world.particles.material[i]).copied().unwrap_or_else(|| Elastic::default().law())
    }

    /// Cuts the bonded particles into runs of one body and material.
    pub(super) fn find_runs(&mut self, particles: &Particles) {
        let Particles { body, material, .. } = particles;
        let is_one = |i: usize| i > 0 && body[i] == body[i - 1] && material[i] == material[i - 1];
        self.runs.clear();
        for (i, &body) in body[..self.sites.len()].iter().enumerate() {
            match self.runs.last_mut().filter(|_| is_one(i)) {
                Some((_, range)) => range.end = i + 1,
                None => self.runs.push((body, i..i + 1)),
            }
        }
        self.pieces.clear();
        self.pieces.extend(self.runs.iter().flat_map(reduce::pieces));
    }

    /// Is there a body whose law is such?
    pub(crate) fn any(&self, is_such: impl Fn(&Law) -> bool) -> bool {
        self.len() > 0 && self.laws().any(is_such)
    }

    /// The speed that accelerations give in a step of `dt` to the fastest bonded particle, if any is solved for [m/s].
    pub(crate) fn fastest_after(&self, world: &World, acceleration: &[Vec3], dt: Real) -> Option<f64> {
        let motion = world.motion(dt);
        let square = |i: usize| f64::from(motion.velocity(world, i, acceleration[i]).length_squared());
        self.any(Law::is_implicit).then(|| reduce::max(self.len(), square).sqrt())
    }

    pub(super) fn site(&self, i: usize, world: &World) -> Site {
        let (dimension, law) = (world.dimension, self.law_at(world, i));
        let (mut moment, mut lean, mut kernel_lean) = (DMat3::ZERO, DVec3::ZERO, DVec3::ZERO);
        for (j, rest, weight) in self.bonds.of(i) {
            // As exact as places are: there must be no stress at rest.
            let exact = wide(self.exact_rest(world, i, j));
            let weighed = wide(rest) * f64::from(weight);
            moment += outer(exact, weighed);
            lean += weighed;
            kernel_lean += wide(rest) * f64::from(self.kernel_weight(j, rest, world));
        }
        let Directions { extent, count, inverse, within } = Directions::of(moment, dimension);
        let correction = if law.corrected { inverse } else { within };
        Site {
            moment: narrow_matrix(moment),
            correction: narrow_matrix(correction),
            identity: narrow_matrix(moment * correction),
            lean: narrow(lean),
            kernel_lean: narrow(kernel_lean),
            extent,
            lambda: law.moduli.thinned(dimension.count() - count),
            stiffness: narrow_matrix(DMat3::ZERO),
        }
    }

    /// The second derivative of the energy at rest by the position of particle `i` alone, over its volume.
    ///
    /// A displacement q of it deforms its own neighbourhood by −q ⊗ g, g = L_i Σ_j ω_ij x⁰_ji, and that of each neighbour
    /// by q ⊗ g, g = ω_ji L_j x⁰_ij; either costs ½ V q·(μ g² + (λ + μ) g ⊗ g) q.
    pub(super) fn stiffness(&self, i: usize, world: &World) -> DMat3 {
        let (law, rest_volume) = (self.law_at(world, i), &world.particles.rest_volume);
        let matrix = |k: usize| DMat3::from_cols_array(&self.sites[k].correction.to_cols_array().map(f64::from));
        let cost = |k: usize, g: DVec3| {
            let (mu, lambda) = (f64::from(self.law_at(world, k).moduli.mu), f64::from(self.sites[k].lambda));
            DMat3::from_diagonal(DVec3::splat(mu * g.length_squared())) + outer(g * (lambda + mu), g)
        };
        let lean = wide(self.sites[i].lean);
        let own = matrix(i) * lean;
        let volume = f64::from(rest_volume[i]);
        let control = f64::from(law.control);
        let mut stiffness = cost(i, own);
        let mut unseen = -lean.dot(own);
        for (j, rest, weight) in self.bonds.of(i) {
            // ω_ji differs from ω_ij by the volumes.
            let (ratio, weight) = (f64::from(rest_volume[j]) / volume, f64::from(weight));
            let back = weight / ratio;
            let g = matrix(j) * wide(rest) * back;
            stiffness += cost(j, g) * ratio;
            unseen += weight + ratio * back * (1.0 - g.dot(wide(rest)));
        }
        stiffness + DMat3::from_diagonal(DVec3::splat(control * unseen))
    }

    /// V_j W_ij of particle `j` at this vector at rest.
    pub(super) fn kernel_weight(&self, j: usize, rest: Vec3, world: &World) -> Real {
        world.particles.rest_volume[j] * self.kernel.map_or(0.0, |kernel| kernel.value(rest.length()))
    }

    pub(super) fn share_of(&self, i: usize, rest_volume: &[Real]) -> Real {
        let value = |r: Real| self.density_kernel.map_or(0.0, |kernel| kernel.value(r));
        let bonded = self.bonds.of(i).map(|(j, rest, _)| rest_volume[j] * value(rest.length()));
        bonded.fold(rest_volume[i] * value(0.0), |sum, share| sum + share).min(self.most)
    }
}

fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// The inverse of a moment Σ ω x ⊗ x, in the directions in which there is anything.
pub(crate) fn invert_where_spread(moment: DMat3, dimension: Dimension) -> DMat3 {
    Directions::of(moment, dimension).inverse
}

/// Where neighbours lie.
pub(crate) struct Directions {
    pub(crate) extent: Extent,
    /// In how many directions.
    count: usize,
    /// The inverse of their moment, in these directions.
    pub(crate) inverse: DMat3,
    /// Leaves vectors in these directions as they are, and nothing of others.
    within: DMat3,
}

impl Directions {
    /// Of a moment Σ_j ω_ij x⁰_ji ⊗ x⁰_ji.
    pub(crate) fn of(moment: DMat3, dimension: Dimension) -> Self {
        let (values, vectors) = symmetric_eigen(moment.to_cols_array_2d());
        let vector = |k: usize| DVec3::from_array(std::array::from_fn(|row| vectors[row][k]));
        let largest = values.into_iter().fold(0.0, f64::max);
        let (mut inverse, mut within, mut count) = (DMat3::ZERO, DMat3::ZERO, 0);
        let (mut along, mut across) = (DVec3::ZERO, DVec3::ZERO);
        for (k, value) in values.into_iter().enumerate() {
            if value > FLAT * largest {
                inverse += outer(vector(k) / value, vector(k));
                within += outer(vector(k), vector(k));
                (along, count) = (vector(k), count + 1);
            } else {
                across = vector(k);
            }
        }
        let extent = match (count, dimension) {
            (0, _) => Extent::Point,
            (1, _) => Extent::Line(narrow(along)),
            (2, Dimension::Two) => Extent::Plane,
            (2, _) => Extent::Sheet(narrow(across)),
            _ => Extent::Volume,
        };
        if matches!(extent, Extent::Volume | Extent::Plane) {
            // Exactly.
            within = DMat3::IDENTITY;
        }
        Directions { extent, count, inverse, within }
    }
}

//! Plastic flow (Sol09 5.2.4, after O'Brien 2002): what is strained too far keeps a part of its strain.
//!
//! The plastic strain ε_p of a particle, symmetric and without trace, is what has become its shape. It belongs to the undeformed
//! neighbourhood, as the strain ε of the [`law`](super::law) does, so that turning is no flow. Stress is that of what is left, and
//! after every step, with the deviator e of the elastic strain, its size |e|² = e:e, and the limits c₁ and c₂,
//!
//! ```text
//! σ   = 2 μ (ε − ε_p) + λ tr(ε) 1
//! e   = dev(ε) − ε_p
//! ε_p ← ε_p + (|e| − c₁)/|e| e     where |e| > c₁
//! ε_p ← c₂/|ε_p| ε_p               where |ε_p| > c₂
//! ```
//!
//! The last is the projection onto a ball that contains the plastic strain before. So the new one is never farther from dev(ε) than
//! the old: flow takes energy and gives none. What it takes is heat that nobody feels.
//!
//! Where ε is linear and its rotation R that of F, ε and ε_p need not have the same axes: then Rᵀσ R is no longer the gradient
//! of the energy, and bodies would turn by themselves. With P = −2 μ ε_p the twist of [`frame`](super::frame) is what is missing. In
//! implicit steps stress of plastic strain is known, as rotations are: it stands on the right side of the equation.
//!
//! In a world of two dimensions strain across is none, but plastic strain may be (plane strain: ε_p has a zz). In sheets and lines
//! matter is free to thin: the strain across is what leaves no stress there, of which the deviator is found; stress is that of
//! ε_p along the sheet, with its moduli ([`moduli`](super::moduli)).

use rayon::prelude::*;

use super::frame::Frame;
use super::law::{Law, Site, Strain, Turning, trace};
use super::rotation::{Extent, outer};
use crate::neighbors::{Pairs, Places, Tension, each_bond};
use crate::parameters::{Limits, parameters};
use crate::real::{Mat3, Real, Vec3};
use crate::simulation::Simulation;
use crate::stage::stage;
use crate::world::{Material, OwnColumn, Particles, World};

parameters! {
    /// Keeps a dent: `plastic = { yield_strain = 0.02, largest_strain = 0.5 }`.
    pub struct Plastic {
        /// Largest elastic strain [-]: what is strained further flows. Plasticine has 0.01, steel 0.001.
        yield_strain: Real = 0.02, Limits::above_up_to(0.0, 1.0);
        /// Largest plastic strain [-]: beyond, it is elastic again.
        largest_strain: Real = 0.5, Limits::above_up_to(0.0, 1.0);
    }
}

/// The columns of plastic strain; zz follows from xx and yy.
const NAMES: [&str; 5] = ["plastic_xx", "plastic_yy", "plastic_xy", "plastic_xz", "plastic_yz"];

/// How often sheets and lines return to their limit after a step: what they flow by changes the strain across, so that
/// each time some 0.1 of the way is left.
const THIN_RETURNS: usize = 4;

impl Plastic {
    /// The plastic strain after flow, with the deviator of elastic strain before; none if it is within its limit.
    fn flow(&self, plastic: Mat3, deviator: Mat3) -> Option<Mat3> {
        let size = size(deviator);
        if size <= self.yield_strain {
            return None;
        }
        let next = plastic + deviator * ((size - self.yield_strain) / size);
        Some(next * (self.largest_strain / self::size(next)).min(1.0))
    }
}

/// |e|, the root of e:e.
fn size(e: Mat3) -> Real {
    (e.x_axis.length_squared() + e.y_axis.length_squared() + e.z_axis.length_squared()).sqrt()
}

fn deviator(strain: Mat3) -> Mat3 {
    strain - Mat3::from_diagonal(Vec3::splat(trace(strain) / 3.0))
}

/// The columns of plastic strain, if one of the materials is plastic.
pub(crate) fn columns_of(materials: &[Material]) -> Vec<OwnColumn> {
    let is_asked = materials.iter().any(|material| material.elastic.is_some() && material.plastic.is_some());
    let column = |name: &&str| OwnColumn::new(name, "-", 0.0).for_program();
    if is_asked { NAMES.iter().map(column).collect() } else { Vec::new() }
}

/// Which of the columns that processes own are those of plastic strain.
fn first_column(particles: &Particles) -> Option<usize> {
    particles.own.iter().position(|column| column.name == NAMES[0])
}

/// The plastic strains of a world, if anything in it is plastic.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlasticStrains<'a>(Option<[&'a [Real]; 5]>);

impl<'a> PlasticStrains<'a> {
    pub(crate) fn of(particles: &'a Particles) -> Self {
        let first = first_column(particles);
        PlasticStrains(first.map(|first| std::array::from_fn(|k| particles.own[first + k].values.as_slice())))
    }

    /// That of particle `i`, unless it is zero.
    #[inline(always)]
    pub(crate) fn at(&self, i: usize) -> Option<Mat3> {
        let numbers = self.0?.map(|column| column[i]);
        (numbers != [0.0; 5]).then(|| tensor(numbers))
    }
}

fn tensor([xx, yy, xy, xz, yz]: [Real; 5]) -> Mat3 {
    Mat3::from_cols(Vec3::new(xx, xy, xz), Vec3::new(xy, yy, yz), Vec3::new(xz, yz, -xx - yy))
}

fn numbers(tensor: Mat3) -> [Real; 5] {
    let Mat3 { x_axis, y_axis, .. } = tensor;
    [x_axis.x, y_axis.y, x_axis.y, x_axis.z, y_axis.z]
}

/// Particle `i` has no plastic strain any more.
pub(crate) fn forget(particles: &mut Particles, i: usize) {
    if let Some(first) = first_column(particles) {
        particles.own[first..first + NAMES.len()].iter_mut().for_each(|column| column.values[i] = 0.0);
    }
}

/// What of a plastic strain lies in the directions in which a neighbourhood extends.
#[inline(always)]
fn within(plastic: Mat3, extent: Extent) -> Mat3 {
    match extent {
        Extent::Volume | Extent::Plane => plastic,
        Extent::Sheet(normal) => {
            let along = Mat3::IDENTITY - outer(normal, normal);
            along * plastic * along
        }
        Extent::Line(axis) => outer(axis * axis.dot(plastic * axis), axis),
        Extent::Point => Mat3::ZERO,
    }
}

/// A strain less a plastic one, if there is any.
#[inline(always)]
pub(super) fn elastic_part(site: &Site, strain: Mat3, plastic: Option<Mat3>) -> Mat3 {
    plastic.map_or(strain, |plastic| strain - within(plastic, site.extent))
}

impl Law {
    /// The elastic strain in all directions, of a strain where a neighbourhood extends.
    fn elastic_strain(&self, site: &Site, strain: Mat3, plastic: Mat3) -> Mat3 {
        let along = elastic_part(site, strain, Some(plastic));
        let (lambda, mu) = (self.moduli.lambda, self.moduli.mu);
        match site.extent {
            Extent::Volume | Extent::Plane => along,
            Extent::Sheet(normal) => along - outer(normal * (lambda / (lambda + 2.0 * mu) * trace(along)), normal),
            Extent::Line(axis) => {
                let thinning = 0.5 * lambda / (lambda + mu) * trace(along);
                along - (Mat3::IDENTITY - outer(axis, axis)) * thinning
            }
            Extent::Point => Mat3::ZERO,
        }
    }

    /// What a plastic strain adds to T beyond the stress of the elastic strain: where rotations are those of F and follow it.
    #[inline(always)]
    pub(super) fn plastic_twist(&self, site: &Site, deformation: Mat3, rotation: Mat3, plastic: Mat3) -> Mat3 {
        if self.turning != Turning::Deformation || self.strain != Strain::Linear {
            return Mat3::ZERO;
        }
        let stress = self.stress(site, within(plastic, site.extent));
        let frame = Frame::about(rotation, deformation, site.extent);
        frame.twist(stress * -1.0, rotation.transpose() * deformation) * site.correction
    }
}

/// The stress of plastic strains, for steps in which rotations are held.
#[derive(Debug, Default)]
pub(super) struct InitialStress {
    /// T of each particle; empty where nothing is plastic.
    stresses: Vec<Mat3>,
}

impl InitialStress {
    /// At places at which particles have turned so.
    pub(super) fn find(&mut self, world: &World, places: &Places<'_>, rotations: &[Mat3]) {
        let (plastic, World { solids, particles, .. }) = (PlasticStrains::of(&world.particles), world);
        self.stresses.clear();
        if plastic.0.is_none() {
            return;
        }
        self.stresses.resize(solids.len(), Mat3::ZERO);
        let law = |i: usize| solids.law(particles.material[i]).filter(|law| law.is_implicit());
        each_bond!(&solids.bonds, &mut self.stresses, |i, near, stress| {
            if let (Some(plastic), Some(law)) = (plastic.at(i), law(i)) {
                let site = &solids.sites[i];
                let deformation = near.moments_of_places(places, i).parts().0 * site.correction;
                let own = law.stress(site, within(plastic, site.extent));
                let twist = law.plastic_twist(site, deformation, rotations[i], plastic);
                *stress = twist - rotations[i] * own * site.correction;
            }
        });
    }

    /// Adds it to tensions.
    pub(super) fn add_to(&self, tensions: &mut [Tension]) {
        let pairs = tensions.par_iter_mut().zip(&self.stresses).with_min_len(4096);
        pairs.for_each(|(tension, stress)| {
            let (own, spread) = tension.parts();
            *tension = Tension::new(own + *stress, spread);
        });
    }
}

/// Memory for flow.
#[derive(Debug, Default)]
pub(crate) struct PlasticFlow {
    fine: Vec<[Real; 4]>,
    strains: Vec<Option<[Real; 5]>>,
}

impl PlasticFlow {
    /// Finds the plastic strains of those who flow.
    fn find(&mut self, world: &World, pairs: &Pairs) {
        let (World { solids, particles, materials, .. }, PlasticFlow { fine, strains }) = (world, self);
        let (places, known) = (super::explicit::remainders(world, pairs, fine), PlasticStrains::of(particles));
        strains.clear();
        strains.resize(solids.len(), None);
        each_bond!(&solids.bonds, strains, |i, near, strain| {
            let material = particles.material[i];
            if let (Some(law), Some(limits)) = (solids.law(material), &materials[material as usize].plastic) {
                let site = &solids.sites[i];
                let [moment, matched] = match law.is_matched() {
                    true => near.each_moment_of_places::<2>(&places, i).map(|moment| moment.parts().0),
                    false => [near.moments_of_places(&places, i).parts().0; 2],
                };
                let stretched = moment * site.correction;
                let total = law.strain_of(site, stretched, law.frame(site, stretched, matched).rotation);
                *strain = limits.after(law, site, total, known.at(i)).map(numbers);
            }
        });
    }
}

impl Plastic {
    /// The plastic strain after flow at such a strain; none if it stays as it is.
    fn after(&self, law: &Law, site: &Site, strain: Mat3, plastic: Option<Mat3>) -> Option<Mat3> {
        let is_thin = matches!(site.extent, Extent::Sheet(_) | Extent::Line(_));
        let (mut flowed, returns) = (None, if is_thin { THIN_RETURNS } else { 1 });
        for _ in 0..returns {
            let before = flowed.or(plastic).unwrap_or(Mat3::ZERO);
            let next = self.flow(before, deviator(law.elastic_strain(site, strain, before)));
            if next.is_none() {
                break;
            }
            flowed = next;
        }
        flowed
    }
}

impl Simulation {
    /// Lets what is strained too far flow, after a step.
    pub(crate) fn flow_plastically(&mut self) {
        let Simulation { world, pairs, scratch, .. } = self;
        let Some(first) = first_column(&world.particles).filter(|_| world.solids.len() > 0) else { return };
        stage!("plastic flow");
        let flow = &mut scratch.flow;
        flow.find(world, pairs);
        for (k, column) in world.particles.own[first..first + NAMES.len()].iter_mut().enumerate() {
            let changed = column.values.iter_mut().zip(&flow.strains);
            changed.for_each(|(value, strain)| strain.iter().for_each(|strain| *value = strain[k]));
        }
    }

    /// The size |ε_p| of the plastic strain of a particle [-], by index.
    pub fn plastic_strain(&self, i: usize) -> Real {
        PlasticStrains::of(&self.world.particles).at(i).map_or(0.0, size)
    }

    /// The plastic strain of a particle [-], by index: xx, yy, xy, xz and yz, in its undeformed neighbourhood.
    pub fn plastic_strain_of(&self, i: usize) -> [Real; 5] {
        PlasticStrains::of(&self.world.particles).at(i).map_or([0.0; 5], numbers)
    }
}

//! Explicit elastic forces, from positions before the step.
//!
//! Two loops over bonds: stress from deformation ([`Law`](super::law::Law)), then forces from stress. Bodies of different
//! materials and models share them. Where rotations do not follow from F itself each particle has a second stress
//! ([`frame`](super::frame)), so that forces are the gradient of the energy that is reported.
//!
//! A step may be no longer than the fastest oscillation allows, Δt < 2/ω. ω² is the largest eigenvalue of M⁻¹K at rest,
//! found by power iteration when bodies are set up: a formula in Young's modulus and spacing would miss surfaces,
//! irregular samplings and Poisson's ratio. Damping by a time τ makes it shorter by the factor √(1 + ζ²) − ζ, ζ = ½ ω τ.
//! Damped stress is that of the strain after the time τ, at the velocities that have moved particles; rotations that follow from another matrix
//! go along, or turning would be damped as well.

use super::frame::Frame;
use super::law::{Law, Site};
use super::plasticity::PlasticStrains;
use super::pull::{force_density_of, vector};
use super::rotation::outer;
use super::solids::Solids;
use crate::force::{Force, StepContext};
use crate::neighbors::{Pairs, Places, Tension, each_bond, pack, row};
use crate::real::{Mat3, Real, Vec3};
use crate::stage::stage;
use crate::world::World;

/// The share of the longest stable step that is used: stretched matter is stiffer than at rest. D3 of `thixo validate`
/// holds the step at which energy explodes to 0.8 to 1.5 of the predicted one.
const SAFETY: Real = 0.6;

/// The forces of all elastic bodies that are not solved implicitly.
#[derive(Debug, Default)]
pub(crate) struct ExplicitElasticity {
    tensions: Vec<[Tension; 1]>,
    /// Where rotations are those of another matrix: the second is T'.
    with_twists: Vec<[Tension; 2]>,
    /// Remainders of positions, beyond single precision.
    fine: Vec<[Real; 4]>,
    /// From positions to those at which damped stress is evaluated, τ v.
    ahead: Vec<[Real; 4]>,
}

impl Force for ExplicitElasticity {
    fn add(&mut self, step: &StepContext<'_>, acceleration: &mut [Vec3]) {
        let solids = &step.world.solids;
        if !solids.any(|law| !law.is_implicit()) {
            return;
        }
        let particles = &step.world.particles;
        let places = remainders(step.world, step.pairs, &mut self.fine);
        let is_damped = solids.any(|law| law.damping > 0.0);
        if is_damped {
            let lead = |i: usize| solids.law(particles.material[i]).map_or(0.0, |law| law.damping);
            // Velocities that are predicted for the time of positions would be stable in steps half as long only.
            let moved = |i: usize| step.world.motion(step.world.clock.last_dt).moved(step.world, i);
            pack(&mut self.ahead, solids.len(), |i| row(particles.remainder[i] + lead(i) * moved(i), 0.0));
        }
        let ahead = if is_damped { Places { fine: &self.ahead, ..places } } else { places };
        let is_explicit = |law: &Law| !law.is_implicit();
        if solids.any(Law::is_matched) {
            find_tensions(step.world, is_explicit, (&places, &ahead), &mut self.with_twists);
            add_forces(step.world, is_explicit, &self.with_twists, acceleration);
        } else {
            find_tensions(step.world, is_explicit, (&places, &ahead), &mut self.tensions);
            add_forces(step.world, is_explicit, &self.tensions, acceleration);
        }
    }

    fn longest_step(&self, world: &World, _pairs: &Pairs, _sound_speed: Real) -> Option<Real> {
        let solids = &world.solids;
        let explicit = solids.laws().filter(|law| !law.is_implicit());
        let damping = explicit.map(|law| law.damping).fold(0.0, Real::max);
        (solids.fastest > 0.0).then(|| SAFETY * longest_stable(solids.fastest, damping))
    }

    fn limit_steps(&self, step: &StepContext<'_>, longest: &mut [Real]) {
        // What is not bonded feels no springs.
        if let Some(limit) = self.longest_step(step.world, step.pairs, step.sound_speed) {
            longest[step.world.kinds.bonded()].iter_mut().for_each(|longest| *longest = longest.min(limit));
        }
    }
}

/// The longest step in which an oscillation [1/s] is stable whose stress runs ahead of its strain by a time [s].
fn longest_stable(oscillation: Real, damping: Real) -> Real {
    let share = 0.5 * oscillation * damping;
    2.0 / oscillation * ((1.0 + share * share).sqrt() - share)
}

/// Positions of elastic particles with their remainders.
pub(super) fn remainders<'a>(world: &'a World, pairs: &'a Pairs, fine: &'a mut Vec<[Real; 4]>) -> Places<'a> {
    pack(fine, world.solids.len(), |i| row(world.particles.remainder[i], 0.0));
    Places { coarse: pairs.places(), fine, domain: &world.domain }
}

/// Writes the tensions of every particle whose law is such; `ahead` are the positions at which damped stress is
/// evaluated.
fn find_tensions<const N: usize>(
    world: &World,
    is_such: impl Fn(&Law) -> bool + Sync,
    (places, ahead): (&Places<'_>, &Places<'_>),
    tensions: &mut Vec<[Tension; N]>,
) {
    stage!("stress");
    let (solids, material) = (&world.solids, &world.particles.material);
    let plastic = PlasticStrains::of(&world.particles);
    tensions.resize(solids.len(), [Tension::default(); N]);
    each_bond!(&solids.bonds, tensions, |i, near, out| {
        if let Some(law) = solids.law(material[i]).filter(|law| is_such(law)) {
            let moments = near.each_moment_of_places::<N>(places, i);
            let (mut spread, mut change) = (moments[0].parts().1, None);
            if law.damping > 0.0 {
                let later = near.each_moment_of_places::<N>(ahead, i);
                spread = later[0].parts().1;
                change = Some(differences(&later, &moments));
            }
            *out = tensions_of(law, &solids.sites[i], both(&moments), (change, plastic.at(i)), spread);
        }
    });
}

/// The matrices that F and A are made of. If there is but one, no law asks for the other.
#[inline(always)]
fn both<const N: usize>(moments: &[Tension; N]) -> [Mat3; 2] {
    [moments[0].parts().0, moments[N - 1].parts().0]
}

#[inline(always)]
fn differences<const N: usize>(later: &[Tension; N], now: &[Tension; N]) -> [Mat3; 2] {
    let ([a, b], [c, d]) = (both(later), both(now));
    [a - c, b - d]
}

/// T, and T' if there is to be a second one, of these moments; `change` is what they change by until damped stress is
/// evaluated, beside the plastic strain.
#[inline(always)]
fn tensions_of<const N: usize>(
    law: &Law,
    site: &Site,
    [moment, matched]: [Mat3; 2],
    (change, plastic): (Option<[Mat3; 2]>, Option<Mat3>),
    spread: Vec3,
) -> [Tension; N] {
    let stretched = moment * site.correction;
    let frame = law.frame(site, stretched, matched);
    let mut controlled = stretched;
    let change = change.map(|[moment, matched]| [moment * site.correction, matched]);
    let response = law.response(site, stretched, &frame, (change.filter(|_| law.is_matched()), plastic));
    let mut stress = response.stress;
    if let Some([change, _]) = change {
        controlled += change;
        if !law.is_matched() {
            stress += law.linear_response(site, change, frame.rotation);
        }
    }
    let mut tensions = [Tension::new(response.twist, Vec3::ZERO); N];
    tensions[0] = Tension::new(stress - controlled * law.control, spread);
    tensions
}

/// Adds the accelerations by these tensions.
fn add_forces<const N: usize>(
    world: &World,
    is_such: impl Fn(&Law) -> bool + Sync,
    tensions: &[[Tension; N]],
    acceleration: &mut [Vec3],
) {
    stage!("elastic forces");
    let (solids, particles) = (&world.solids, &world.particles);
    each_bond!(&solids.bonds, &mut acceleration[..solids.len()], |i, near, acceleration| {
        if let Some(law) = solids.law(particles.material[i]).filter(|law| is_such(law)) {
            let force = force_density_of(near, tensions, i, &solids.sites[i], law.control);
            // V_i / m_i = 1/ρ0_i.
            *acceleration += force / particles.rest_density[i];
        }
    });
}

/// The fastest oscillation of the bodies that are not solved implicitly, at rest [1/s].
pub(super) fn fastest_oscillation(world: &World, solids: &Solids) -> Real {
    if !solids.any(|law| !law.is_implicit()) {
        return 0.0;
    }
    let particles = &world.particles;
    let (mut tensions, mut force) = (vec![[Tension::default(); 2]; solids.len()], vec![Vec3::ZERO; solids.len()]);
    // Neighbours against each other, and no symmetry by which this could be orthogonal to the eigenvector.
    let start = |i: usize| {
        let sign = if i.is_multiple_of(2) { 1.0 } else { -1.0 };
        let third = (i % 3) as Real - 1.0;
        row(Vec3::new(sign, 0.7 * third + 0.2, -sign * third + 0.1), 0.0)
    };
    let mut displacement: Vec<_> = (0..solids.len()).map(start).collect();
    let frames: Vec<_> = (0..solids.len()).map(|i| frame_at_rest(world, solids, i)).collect();
    let mut square = 0.0;
    for _ in 0..POWER_ITERATIONS {
        linear_accelerations(world, solids, &frames, (&displacement, &mut tensions), &mut force);
        let mass = |i: usize| f64::from(particles.mass(i));
        let (mut before, mut after) = (0.0, 0.0);
        for (i, force) in force.iter_mut().enumerate() {
            before += mass(i) * f64::from(vector(displacement[i]).length_squared());
            after += mass(i) * f64::from(force.length_squared());
        }
        square = (after / before.max(f64::MIN_POSITIVE)).sqrt();
        let shrink = 1.0 / (after / solids.len() as f64).sqrt().max(f64::MIN_POSITIVE);
        for (displacement, force) in displacement.iter_mut().zip(&force) {
            *displacement = row(*force * shrink as Real, 0.0);
        }
    }
    square.sqrt() as Real
}

/// The frame of an undeformed neighbourhood.
fn frame_at_rest(world: &World, solids: &Solids, i: usize) -> Frame {
    let share = |matched: Mat3, (j, rest, _): (usize, Vec3, Real)| {
        matched + outer(rest * solids.kernel_weight(j, rest, world), rest)
    };
    let (site, matched) = (&solids.sites[i], solids.bonds.of(i).fold(Mat3::ZERO, share));
    let turning = solids.law(world.particles.material[i]).filter(|law| law.is_matched());
    turning.map_or(Frame::fixed(Mat3::IDENTITY), |_| Frame::of(matched * site.correction, site.extent))
}

/// The accelerations by small displacements of bodies at rest that are not solved implicitly.
fn linear_accelerations(
    world: &World,
    solids: &Solids,
    frames: &[Frame],
    (displacement, tensions): (&[[Real; 4]], &mut [[Tension; 2]]),
    acceleration: &mut [Vec3],
) {
    let (material, rest_density) = (&world.particles.material, &world.particles.rest_density);
    let law = |i: usize| solids.law(material[i]).filter(|law| !law.is_implicit());
    each_bond!(&solids.bonds, tensions, |i, near, out| {
        if let Some(law) = law(i) {
            let (site, moments) = (&solids.sites[i], near.both_moments(displacement, i));
            let ([moment, matched], spread) = (both(&moments), moments[0].parts().1);
            let change = moment * site.correction;
            let (stress, twist) = if law.is_matched() {
                let response = law.response(site, site.identity, &frames[i], (Some([change, matched]), None));
                (response.stress, response.twist)
            } else {
                (law.linear_response(site, change, Mat3::IDENTITY), Mat3::ZERO)
            };
            *out = [Tension::new(stress - change * law.control, spread), Tension::new(twist, Vec3::ZERO)];
        }
    });
    let tensions = &*tensions;
    each_bond!(&solids.bonds, acceleration, |i, near, acceleration| {
        *acceleration = law(i).map_or(Vec3::ZERO, |law| {
            force_density_of(near, tensions, i, &solids.sites[i], law.control) / rest_density[i]
        });
    });
}

/// Enough to come within some percent of the largest eigenvalue, from below.
const POWER_ITERATIONS: usize = 40;

/// Elastic accelerations at the present positions, of all models [m/s²].
pub(crate) fn present_accelerations(world: &World, pairs: &Pairs) -> Vec<Vec3> {
    let mut present = Reactions::default();
    present.find_such(world, pairs, |_| true);
    present.acceleration
}

/// What springs at present positions do to implicit bodies, whose solves do not tell it of what is clamped.
#[derive(Debug, Default)]
pub(crate) struct Reactions {
    fine: Vec<[Real; 4]>,
    tensions: Vec<[Tension; 2]>,
    acceleration: Vec<Vec3>,
}

impl Reactions {
    /// The accelerations of elastic particles [m/s²].
    pub(crate) fn find(&mut self, world: &World, pairs: &Pairs) -> &[Vec3] {
        self.find_such(world, pairs, Law::is_implicit);
        &self.acceleration
    }

    fn find_such(&mut self, world: &World, pairs: &Pairs, is_such: impl Fn(&Law) -> bool + Sync) {
        let Reactions { fine, tensions, acceleration } = self;
        acceleration.clear();
        acceleration.resize(world.solids.len(), Vec3::ZERO);
        let places = remainders(world, pairs, fine);
        find_tensions(world, &is_such, (&places, &places), tensions);
        add_forces(world, &is_such, tensions, acceleration);
    }
}

/// F of each elastic particle.
pub(crate) fn deformations(world: &World, pairs: &Pairs) -> Vec<Mat3> {
    let (solids, mut fine) = (&world.solids, Vec::new());
    let places = &remainders(world, pairs, &mut fine);
    let mut all = vec![Mat3::ZERO; solids.len()];
    each_bond!(&solids.bonds, &mut all, |i, near, out| {
        *out = near.moments_of_places(places, i).parts().0 * solids.sites[i].correction;
    });
    all
}

/// The stress of each elastic particle [Pa], without damping.
pub(crate) fn stresses(world: &World, pairs: &Pairs) -> Vec<Mat3> {
    let (solids, mut fine) = (&world.solids, Vec::new());
    let (places, plastic) = (&remainders(world, pairs, &mut fine), PlasticStrains::of(&world.particles));
    let mut all = vec![Mat3::ZERO; solids.len()];
    each_bond!(&solids.bonds, &mut all, |i, near, out| {
        if let Some(law) = solids.law(world.particles.material[i]) {
            let site = &solids.sites[i];
            let [moment, matched] = both(&near.each_moment_of_places::<2>(places, i));
            let stretched = moment * site.correction;
            let rotation = law.frame(site, stretched, matched).rotation;
            *out = law.true_stress(site, stretched, rotation, plastic.at(i));
        }
    });
    all
}

/// The energy of deformation of each elastic particle [J], of all models, in memory that is kept.
#[derive(Debug, Default)]
pub(crate) struct DeformationEnergies {
    fine: Vec<[Real; 4]>,
    energies: Vec<Real>,
}

impl DeformationEnergies {
    /// What they are now.
    pub(crate) fn find(&mut self, world: &World, pairs: &Pairs) -> &[Real] {
        let (solids, particles) = (&world.solids, &world.particles);
        let places = &remainders(world, pairs, &mut self.fine);
        let plastic = PlasticStrains::of(particles);
        self.energies.clear();
        self.energies.resize(solids.len(), 0.0);
        each_bond!(&solids.bonds, &mut self.energies, |i, near, energy| {
            if let Some(law) = solids.law(particles.material[i]) {
                let site = &solids.sites[i];
                let [moment, matched] = both(&near.each_moment_of_places::<2>(places, i));
                let stretched = moment * site.correction;
                let frame = law.frame(site, stretched, matched);
                let misfit = near.misfit(places, i, stretched);
                let response = law.response(site, stretched, &frame, (None, plastic.at(i)));
                let density = response.energy + 0.5 * law.control * misfit;
                *energy = particles.rest_volume[i] * density;
            }
        });
        &self.energies
    }
}

//! Explicit elastic forces, from positions before the step.
//!
//! Two loops over bonds: stress from deformation ([`Law`](super::law::Law)), then forces from stress. Bodies of different
//! materials and models share them.
//!
//! A step may be no longer than the fastest oscillation allows, Δt < 2/ω. ω² is the largest eigenvalue of M⁻¹K at rest,
//! found by power iteration when bodies are set up: a formula in Young's modulus and spacing would miss surfaces,
//! irregular samplings and Poisson's ratio. Damping by a time τ makes it shorter by the factor √(1 + ζ²) − ζ, ζ = ½ ω τ.

use super::law::Law;
use super::pull::{force_density, vector};
use super::solids::Solids;
use super::stiffness::Linearised;
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
    tensions: Vec<Tension>,
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
            pack(&mut self.ahead, solids.len(), |i| row(particles.remainder[i] + lead(i) * particles.velocity[i], 0.0));
        }
        let ahead = if is_damped { Places { fine: &self.ahead, ..places } } else { places };
        let is_explicit = |law: &Law| !law.is_implicit();
        find_tensions(step.world, is_explicit, (&places, &ahead), &mut self.tensions);
        add_forces(step.world, is_explicit, &self.tensions, acceleration);
    }

    fn longest_step(&self, world: &World, _pairs: &Pairs, _sound_speed: Real) -> Option<Real> {
        let solids = &world.solids;
        let explicit = solids.laws().filter(|law| !law.is_implicit());
        let damping = explicit.map(|law| law.damping).fold(0.0, Real::max);
        (solids.fastest > 0.0).then(|| SAFETY * longest_stable(solids.fastest, damping))
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

/// Writes the tension of every particle whose law is such; `ahead` are the positions at which damped stress is
/// evaluated.
fn find_tensions(
    world: &World,
    is_such: impl Fn(&Law) -> bool + Sync,
    (places, ahead): (&Places<'_>, &Places<'_>),
    tensions: &mut Vec<Tension>,
) {
    stage!("stress");
    let (solids, material) = (&world.solids, &world.particles.material);
    tensions.resize(solids.len(), Tension::default());
    each_bond!(&solids.bonds, tensions, |i, near, out| {
        if let Some(law) = solids.law(material[i]).filter(|law| is_such(law)) {
            let site = &solids.sites[i];
            let (moment, mut spread) = near.moments_of_places(places, i).parts();
            let stretched = moment * site.correction;
            let rotation = law.rotation(site, stretched, || near.kernel_moment(places, i));
            let mut stress = law.response(site, stretched, rotation).stress;
            let mut controlled = stretched;
            if law.damping > 0.0 {
                let moment;
                (moment, spread) = near.moments_of_places(ahead, i).parts();
                controlled = moment * site.correction;
                stress += law.linear_response(site, controlled - stretched, rotation);
            }
            *out = Tension::new(stress - controlled * law.control, spread);
        }
    });
}

/// Adds the accelerations by these tensions.
fn add_forces(world: &World, is_such: impl Fn(&Law) -> bool + Sync, tensions: &[Tension], acceleration: &mut [Vec3]) {
    stage!("elastic forces");
    let (solids, particles) = (&world.solids, &world.particles);
    each_bond!(&solids.bonds, &mut acceleration[..solids.len()], |i, near, acceleration| {
        if let Some(law) = solids.law(particles.material[i]).filter(|law| is_such(law)) {
            let force = force_density(near, tensions, i, solids.sites[i].lean, law.control);
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
    let (mut tensions, mut force) = (vec![Tension::default(); solids.len()], vec![Vec3::ZERO; solids.len()]);
    // Neighbours against each other, and no symmetry by which this could be orthogonal to the eigenvector.
    let start = |i: usize| {
        let sign = if i.is_multiple_of(2) { 1.0 } else { -1.0 };
        let third = (i % 3) as Real - 1.0;
        row(Vec3::new(sign, 0.7 * third + 0.2, -sign * third + 0.1), 0.0)
    };
    let mut displacement: Vec<_> = (0..solids.len()).map(start).collect();
    let law = |i: usize| solids.law(particles.material[i]).filter(|law| !law.is_implicit());
    let linearised = Linearised { solids, law, rotation: |_| Mat3::IDENTITY };
    let responses = linearised.responses();
    let mut square = 0.0;
    for _ in 0..POWER_ITERATIONS {
        linearised.linear_forces((&responses, &particles.rest_volume), &displacement, &mut tensions, &mut force);
        let mass = |i: usize| f64::from(particles.mass(i));
        let (mut before, mut after) = (0.0, 0.0);
        for (i, force) in force.iter_mut().enumerate() {
            *force /= particles.mass(i);
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

/// Enough to come within some percent of the largest eigenvalue, from below.
const POWER_ITERATIONS: usize = 40;

/// Elastic accelerations at the present positions, of all models [m/s²].
pub(crate) fn present_accelerations(world: &World, pairs: &Pairs) -> Vec<Vec3> {
    let (mut tensions, mut acceleration) = (Vec::new(), vec![Vec3::ZERO; world.solids.len()]);
    let mut fine = Vec::new();
    let places = remainders(world, pairs, &mut fine);
    find_tensions(world, |_| true, (&places, &places), &mut tensions);
    add_forces(world, |_| true, &tensions, &mut acceleration);
    acceleration
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

/// The energy of deformation of each elastic particle [J], of all models.
pub(crate) fn deformation_energies(world: &World, pairs: &Pairs) -> Vec<Real> {
    let (solids, particles, mut fine) = (&world.solids, &world.particles, Vec::new());
    let places = &remainders(world, pairs, &mut fine);
    let mut energies = vec![0.0; solids.len()];
    each_bond!(&solids.bonds, &mut energies, |i, near, energy| {
        if let Some(law) = solids.law(particles.material[i]) {
            let site = &solids.sites[i];
            let stretched = near.moments_of_places(places, i).parts().0 * site.correction;
            let rotation = law.rotation(site, stretched, || near.kernel_moment(places, i));
            let misfit = near.misfit(places, i, stretched);
            let density = law.response(site, stretched, rotation).energy + 0.5 * law.control * misfit;
            *energy = particles.rest_volume[i] * density;
        }
    });
    energies
}

//! Elastic forces from where particles are now, for every model that is not solved implicitly.
//!
//! Two loops over bonds: stress from deformation ([`Law`](super::law::Law)), then forces from stress. Bodies of different
//! materials and models share them.
//!
//! A step may be no longer than the fastest oscillation allows, Δt < 2/ω. ω² is the largest eigenvalue of M⁻¹K at rest,
//! found by power iteration when bodies are set up: no formula in Young's modulus and spacing would know of surfaces,
//! irregular samplings and Poisson's ratio. Damping by a time τ makes it shorter: with ζ = ½ ω τ, by √(1 + ζ²) − ζ.

use super::law::Law;
use super::pull::{deformation, pull, shape_match, tension, vector};
use super::solids::Solids;
use crate::force::{Force, StepContext};
use crate::neighbors::{Pairs, Tension, each_bond, pack, row};
use crate::real::{Mat3, Real, Vec3};
use crate::stage::stage;
use crate::sum;
use crate::world::World;

/// The share of the longest stable step that is used: stretched matter is stiffer than at rest.
const SAFETY: Real = 0.6;

/// The forces of all elastic bodies that are not solved implicitly.
#[derive(Debug, Default)]
pub(crate) struct ExplicitElasticity {
    tensions: Vec<Tension>,
    /// Where particles will be when stress catches up with strain.
    ahead: Vec<[Real; 4]>,
}

impl Force for ExplicitElasticity {
    fn add(&mut self, step: &StepContext<'_>, acceleration: &mut [Vec3]) {
        let solids = &step.world.solids;
        if !solids.any(|law| !law.is_implicit()) {
            return;
        }
        let places = step.pairs.places();
        let is_damped = solids.any(|law| law.damping > 0.0);
        if is_damped {
            let World { particles, .. } = step.world;
            let lead = |i: usize| solids.law(particles.body[i]).map_or(0.0, |law| law.damping);
            pack(&mut self.ahead, solids.len(), |i| row(particles.position[i] + lead(i) * particles.velocity[i], 0.0));
        }
        let ahead = if is_damped { &self.ahead[..] } else { places };
        let is_explicit = |law: &Law| !law.is_implicit();
        find_tensions(step.world, step.pairs, is_explicit, ahead, &mut self.tensions);
        add_forces(step.world, is_explicit, &self.tensions, acceleration);
    }

    fn longest_step(&self, world: &World, _pairs: &Pairs, _sound_speed: Real) -> Option<Real> {
        let solids = &world.solids;
        let explicit = solids.laws.iter().flatten().filter(|law| !law.is_implicit());
        let damping = explicit.map(|law| law.damping).fold(0.0, Real::max);
        (solids.fastest > 0.0).then(|| SAFETY * longest_stable(solids.fastest, damping))
    }
}

/// The longest step in which an oscillation [1/s] is stable whose stress runs ahead of its strain by a time [s].
fn longest_stable(oscillation: Real, damping: Real) -> Real {
    let share = 0.5 * oscillation * damping;
    2.0 / oscillation * ((1.0 + share * share).sqrt() - share)
}

/// Fills in what the stress of every particle whose law is such does to its neighbours; `ahead` are the places of damped
/// stress.
fn find_tensions(
    world: &World,
    pairs: &Pairs,
    is_such: impl Fn(&Law) -> bool + Sync,
    ahead: &[[Real; 4]],
    tensions: &mut Vec<Tension>,
) {
    stage!("stress");
    let (solids, domain, body) = (&world.solids, &world.domain, &world.particles.body);
    let (places, kernel) = (pairs.places(), *pairs.kernel());
    tensions.resize(solids.len(), Tension::default());
    each_bond!(&solids.bonds, tensions, |i, near, out| {
        if let Some(law) = solids.law(body[i]).filter(|law| is_such(law)) {
            let site = &solids.sites[i];
            let stretched = deformation(near, places, i, domain) * site.correction;
            let rotation = law.rotation(site, stretched, || shape_match(near, places, i, domain, &kernel));
            let mut stress = law.response(site, stretched, rotation).stress;
            let mut seen = stretched;
            if law.damping > 0.0 {
                seen = deformation(near, ahead, i, domain) * site.correction;
                stress += law.linear_response(site, seen - stretched, rotation);
            }
            *out = tension(stress - seen * law.control, vector(ahead[i]));
        }
    });
}

/// Adds the accelerations that follow.
fn add_forces(world: &World, is_such: impl Fn(&Law) -> bool + Sync, tensions: &[Tension], acceleration: &mut [Vec3]) {
    stage!("elastic forces");
    let (solids, domain, particles) = (&world.solids, &world.domain, &world.particles);
    each_bond!(&solids.bonds, &mut acceleration[..solids.len()], |i, near, acceleration| {
        if let Some(law) = solids.law(particles.body[i]).filter(|law| is_such(law)) {
            let force = pull(near, tensions, i, solids.sites[i].lean, law.control, domain);
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
    let (mut tensions, mut moved) = (vec![Tension::default(); solids.len()], vec![Vec3::ZERO; solids.len()]);
    // Neighbours against each other, in a way that no symmetry of the body can be orthogonal to.
    let start = |i: usize| {
        let sign = if i.is_multiple_of(2) { 1.0 } else { -1.0 };
        let third = (i % 3) as Real - 1.0;
        row(Vec3::new(sign, 0.7 * third + 0.2, -sign * third + 0.1), 0.0)
    };
    let mut displacement: Vec<_> = (0..solids.len()).map(start).collect();
    let mut square = 0.0;
    for _ in 0..POWER_ITERATIONS {
        let explicit = |_, law: &Law| !law.is_implicit();
        push_back(world, solids, explicit, None, &displacement, &mut tensions, &mut moved);
        let mass = |i: usize| f64::from(particles.mass(i));
        let (mut before, mut after) = (0.0, 0.0);
        for (i, force) in moved.iter_mut().enumerate() {
            *force /= particles.mass(i);
            before += mass(i) * f64::from(vector(displacement[i]).length_squared());
            after += mass(i) * f64::from(force.length_squared());
        }
        square = (after / before.max(f64::MIN_POSITIVE)).sqrt();
        let shrink = 1.0 / (after / solids.len() as f64).sqrt().max(f64::MIN_POSITIVE);
        for (displacement, force) in displacement.iter_mut().zip(&moved) {
            *displacement = row(*force * shrink as Real, 0.0);
        }
    }
    square.sqrt() as Real
}

/// Enough to come within some percent of the largest eigenvalue, from below.
const POWER_ITERATIONS: usize = 40;

/// The forces [N] that small displacements cause, of the bodies that are such, in a state with the given rotations.
pub(super) fn push_back(
    world: &World,
    solids: &Solids,
    is_such: impl Fn(u32, &Law) -> bool + Sync,
    rotations: Option<&[Mat3]>,
    displacement: &[[Real; 4]],
    tensions: &mut [Tension],
    force: &mut [Vec3],
) {
    let particles = &world.particles;
    let such_law = |i: usize| solids.law(particles.body[i]).filter(|law| is_such(particles.body[i], law));
    // Displacements do not repeat where space does.
    let domain = &crate::world::Domain::default();
    each_bond!(&solids.bonds, tensions, |i, near, out| {
        if let Some(law) = such_law(i) {
            let site = &solids.sites[i];
            let gradient = deformation(near, displacement, i, domain) * site.correction;
            let rotation = rotations.map_or(Mat3::IDENTITY, |rotations| rotations[i]);
            let stress = law.linear_response(site, gradient, rotation);
            *out = tension(stress - gradient * law.control, vector(displacement[i]));
        }
    });
    let tensions = &*tensions;
    each_bond!(&solids.bonds, force, |i, near, force| {
        *force = such_law(i).map_or(Vec3::ZERO, |law| {
            pull(near, tensions, i, solids.sites[i].lean, law.control, domain) * particles.rest_volume[i]
        });
    });
}

/// What elasticity would accelerate each elastic particle by where it is, whatever the model [m/s²].
pub(crate) fn present_accelerations(world: &World, pairs: &Pairs) -> Vec<Vec3> {
    let (mut tensions, mut acceleration) = (Vec::new(), vec![Vec3::ZERO; world.solids.len()]);
    find_tensions(world, pairs, |_| true, pairs.places(), &mut tensions);
    add_forces(world, |_| true, &tensions, &mut acceleration);
    acceleration
}

/// F of each elastic particle.
pub(crate) fn deformations(world: &World, pairs: &Pairs) -> Vec<Mat3> {
    let (solids, places) = (&world.solids, pairs.places());
    let mut all = vec![Mat3::ZERO; solids.len()];
    each_bond!(&solids.bonds, &mut all, |i, near, out| {
        *out = deformation(near, places, i, &world.domain) * solids.sites[i].correction;
    });
    all
}

/// The energy of deformation of each elastic particle [J], of all models.
pub(crate) fn deformation_energies(world: &World, pairs: &Pairs) -> Vec<Real> {
    let (solids, domain, particles) = (&world.solids, &world.domain, &world.particles);
    let (places, kernel) = (pairs.places(), *pairs.kernel());
    let mut energies = vec![0.0; solids.len()];
    each_bond!(&solids.bonds, &mut energies, |i, near, energy| {
        if let Some(law) = solids.law(particles.body[i]) {
            let site = &solids.sites[i];
            let stretched = deformation(near, places, i, domain) * site.correction;
            let here = vector(places[i]);
            let rotation = law.rotation(site, stretched, || shape_match(near, places, i, domain, &kernel));
            let unseen = sum!(near, |j| {
                let to = (j.get_packed(places).0 - j.splat_vec(here)).shortest(domain);
                let fitted = j.splat_vec(stretched.x_axis) * j.rest().x
                    + j.splat_vec(stretched.y_axis) * j.rest().y
                    + j.splat_vec(stretched.z_axis) * j.rest().z;
                (to - fitted).dot(to - fitted) * j.weight()
            });
            let density = law.response(site, stretched, rotation).energy + 0.5 * law.control * unseen;
            *energy = particles.rest_volume[i] * density;
        }
    });
    energies
}

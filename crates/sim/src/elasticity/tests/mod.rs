//! Laws that every elastic model holds, or is known to break: on irregular samplings, with free surfaces and unequal
//! volumes, where nothing cancels by symmetry. Here: the bodies.

use super::law::{Strain, Turning};
use super::rotation::{Extent, outer, rotation_in};
use super::stiffness::Linearised;
use super::*;
use crate::force::StepContext;
use crate::measure::Totals;
use crate::neighbors::{Tension, row};
use crate::real::{Dimension, Mat3, Real, Vec3, wide};
use crate::settings::Settings;
use crate::simulation::Simulation;
use crate::world::{Material, NewBody, World};

/// How exact a sum of some ten terms can be.
const EXACT: Real = 100.0 * Real::EPSILON;

const SPACING: Real = 0.1;
const YOUNG: Real = 1.0e6;

fn with_moduli<T>(model: T, set: impl Fn(&mut T, Option<Real>, Option<Real>)) -> T {
    let mut model = model;
    set(&mut model, Some(YOUNG), Some(0.3));
    model
}

macro_rules! model {
    ($variant:ident, $type:ident { $($field:ident: $value:expr),* }) => {
        Elastic::$variant(with_moduli($type { $($field: $value,)* ..$type::default() }, |model, young, poisson| {
            (model.young_modulus, model.poisson_ratio) = (young, poisson);
        }))
    };
}

pub(super) fn implicit() -> Elastic {
    model!(Implicit, Implicit {})
}

/// All models, with the strains they offer.
fn models() -> Vec<(&'static str, Elastic)> {
    vec![
        ("implicit", implicit()),
        ("st_venant_kirchhoff", model!(StVenantKirchhoff, StVenantKirchhoff {})),
        ("mls", model!(Mls, Mls {})),
        ("corotated", model!(Corotated, Corotated {})),
        ("corotated, green", model!(Corotated, Corotated { strain: Strain::Green })),
        ("sph", model!(Sph, PlainSph {})),
        ("sph, linear", model!(Sph, PlainSph { strain: Strain::Linear })),
    ]
}

/// The forces [N] that displacements of bodies with such rotations cause.
fn linear_forces(
    simulation: &Simulation,
    rotation: impl Fn(usize) -> Mat3 + Sync,
    displacement: &[[Real; 4]],
) -> Vec<Vec3> {
    let World { particles, solids, .. } = simulation.world();
    let linearised = Linearised { solids, law: |i: usize| solids.law(particles.material[i]), rotation };
    let (mut tensions, mut force) = (vec![Tension::default(); solids.len()], vec![Vec3::ZERO; solids.len()]);
    linearised.linear_forces(
        (&linearised.responses(), &particles.rest_volume),
        displacement,
        &mut tensions,
        &mut force,
    );
    force
}

/// A number between −1 and 1 that looks random.
pub(super) fn random(seed: usize) -> Real {
    let mut x = (seed as u64).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((x >> 40) as Real / (1u64 << 23) as Real) - 1.0
}

pub(super) fn random_vector(seed: usize) -> Vec3 {
    Vec3::new(random(3 * seed), random(3 * seed + 1), random(3 * seed + 2))
}

/// A lattice of so many cells about the origin, each particle off its place by up to a share of the spacing.
pub(super) fn shape(cells: [usize; 3], jitter: Real) -> Vec<Vec3> {
    let mut places = Vec::new();
    for z in 0..cells[2] {
        for y in 0..cells[1] {
            for x in 0..cells[0] {
                let centre = |k: usize, n: usize| (k as Real + 0.5 - 0.5 * n as Real) * SPACING;
                let place = Vec3::new(centre(x, cells[0]), centre(y, cells[1]), centre(z, cells[2]));
                let free = Vec3::from_array(cells.map(|n| if n > 1 { 1.0 } else { 0.0 }));
                places.push(place + random_vector(places.len()) * free * (jitter * SPACING));
            }
        }
    }
    places
}

pub(super) struct Block {
    pub(super) elastic: Elastic,
    pub(super) undeformed: Vec<Vec3>,
    /// By how much volumes differ.
    pub(super) unequal: Real,
    pub(super) dimension: Dimension,
    /// How large plastic strains are, which differ from particle to particle.
    pub(super) dents: Real,
}

impl Block {
    pub(super) fn new(elastic: &Elastic) -> Self {
        Block {
            elastic: elastic.clone(),
            undeformed: shape([5, 4, 4], 0.2),
            unequal: 0.2,
            dimension: Dimension::Three,
            dents: 0.0,
        }
    }

    /// The block, deformed.
    pub(super) fn deformed(&self, deform: impl Fn(Vec3) -> Vec3) -> Simulation {
        let settings =
            Settings { spacing: SPACING, dimension: self.dimension, gravity: Vec3::ZERO, ..Settings::default() };
        let plastic = (self.dents > 0.0).then(Plastic::default);
        let material = Material { elastic: Some(self.elastic.clone()), plastic, ..Material::default() };
        let mut simulation = Simulation::new(settings, vec![material]).unwrap();
        let cell = self.dimension.cell_volume(SPACING);
        let rest_volume = (0..self.undeformed.len()).map(|i| cell * (1.0 + self.unequal * random(i + 999))).collect();
        let position = self.undeformed.iter().map(|&x| deform(x)).collect();
        let undeformed = self.undeformed.clone();
        let body = NewBody { name: "block".into(), position, rest_volume, undeformed, ..NewBody::default() };
        simulation.add_body(body).unwrap();
        let names = ["plastic_xx", "plastic_yy", "plastic_xy", "plastic_xz", "plastic_yz"];
        let has = |k: usize| self.dimension == Dimension::Three || k < 3;
        for (k, name) in names.into_iter().enumerate().filter(|(k, _)| self.dents > 0.0 && has(*k)) {
            let column = simulation.own_column_mut(name).unwrap();
            column.iter_mut().enumerate().for_each(|(i, value)| *value = self.dents * random(5 * i + k + 4001));
        }
        simulation.prepare().unwrap();
        simulation
    }
}

/// A smooth bend with a turn and a stretch, and some noise.
fn bend(x: Vec3) -> Vec3 {
    let noise = random_vector((x.x * 1e4) as isize as usize ^ (x.y * 2.3e4) as isize as usize) * (0.02 * SPACING);
    let bent = Vec3::new(x.x * 1.1 + 0.4 * x.y * x.y, x.y * 0.9 + 0.3 * x.x * x.z, x.z + 0.25 * x.x * x.x);
    Mat3::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), 0.7) * bent + noise
}

fn forces(simulation: &Simulation) -> Vec<Vec3> {
    let (world, pairs) = (simulation.world(), simulation.pairs());
    let accelerations = present_accelerations(world, pairs);
    accelerations.into_iter().enumerate().map(|(i, a)| a * world.particles.mass(i)).collect()
}

/// F of every particle.
fn deformations(simulation: &Simulation) -> Vec<Mat3> {
    super::deformations(simulation.world(), simulation.pairs())
}

fn largest(vectors: &[Vec3]) -> Real {
    vectors.iter().map(|v| v.length()).fold(0.0, Real::max)
}

fn entries(m: Mat3) -> Real {
    m.to_cols_array().into_iter().map(Real::abs).fold(0.0, Real::max)
}

// Behind the macro that they use.
mod energy;
mod forces;
mod implicit;
mod plastic;
mod response;
mod strain;

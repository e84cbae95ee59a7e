//! Elastic bodies for cases: where particles are, what they are made of, what is measured of them.

use glam::{DMat3, DVec3};
use thixo_sim::measure::centre;
use thixo_sim::{
    Breaks, Clamp, Corotated, Dimension, Elastic, Implicit, Material, Mls, NewBody, PlainSph, Plastic, Real, Settings,
    Simulation, StVenantKirchhoff, Strain, Vec3,
};

use crate::experiment::CaseError;

/// The density of all elastic materials but those of a source [kg/m³].
pub(crate) const DENSITY: f64 = 1000.0;

/// A model by the name of its rows, with Young's modulus [Pa] and Poisson's ratio.
pub(crate) fn model(name: &str, young: f64, poisson: f64) -> Elastic {
    let (young_modulus, poisson_ratio) = (Some(young as Real), Some(poisson as Real));
    macro_rules! of {
        ($variant:ident, $type:ident { $($field:ident: $value:expr),* }) => {
            Elastic::$variant($type { young_modulus, poisson_ratio, $($field: $value,)* ..$type::default() })
        };
    }
    match name {
        "st_venant_kirchhoff" => of!(StVenantKirchhoff, StVenantKirchhoff {}),
        "mls" => of!(Mls, Mls {}),
        "corotated" => of!(Corotated, Corotated {}),
        "corotated_green" => of!(Corotated, Corotated { strain: Strain::Green }),
        "sph_green" => of!(Sph, PlainSph {}),
        _ => of!(Implicit, Implicit {}),
    }
}

/// A number between −1 and 1 that looks random.
pub(crate) fn random(seed: usize) -> f64 {
    let mut x = (seed as u64).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    (x >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

/// Cell centres of a block about the origin, each off its place by up to a share of the spacing.
pub(crate) fn block(cells: [usize; 3], spacing: f64, jitter: f64) -> Vec<DVec3> {
    let mut places = Vec::new();
    for index in 0..cells.iter().product() {
        let cell = [index % cells[0], index / cells[0] % cells[1], index / (cells[0] * cells[1])];
        let place = |axis: usize| {
            let off = if cells[axis] > 1 { jitter * random(3 * index + axis) } else { 0.0 };
            (cell[axis] as f64 + 0.5 - 0.5 * cells[axis] as f64 + off) * spacing
        };
        places.push(DVec3::new(place(0), place(1), place(2)));
    }
    places
}

/// In the precision of the simulation.
pub(crate) fn narrow(v: DVec3) -> Vec3 {
    Vec3::from_array(v.to_array().map(|x| x as Real))
}

/// In double precision.
pub(crate) fn wide(v: Vec3) -> DVec3 {
    DVec3::from_array(v.to_array().map(f64::from))
}

/// A body to be simulated.
pub(crate) struct Solid {
    pub(crate) elastic: Elastic,
    pub(crate) plastic: Option<Plastic>,
    pub(crate) breaks: Option<Breaks>,
    pub(crate) settings: Settings,
    /// Where its particles are in the undeformed shape [m].
    pub(crate) rest: Vec<DVec3>,
    pub(crate) density: f64,
    pub(crate) clamps: Vec<(Clamp, Vec<usize>)>,
}

impl Solid {
    /// A body without weight.
    pub(crate) fn new(elastic: Elastic, dimension: Dimension, spacing: f64, rest: Vec<DVec3>) -> Self {
        let settings = Settings { spacing: spacing as Real, dimension, gravity: Vec3::ZERO, ..Settings::default() };
        Solid { elastic, plastic: None, breaks: None, settings, rest, density: DENSITY, clamps: Vec::new() }
    }

    /// The same, held where `is_held`.
    pub(crate) fn clamped(mut self, is_held: impl Fn(DVec3) -> bool) -> Self {
        let held = (0..self.rest.len()).filter(|&i| is_held(self.rest[i])).collect();
        self.clamps.push((Clamp::default(), held));
        self
    }

    /// It, in motion: where a particle is, and how fast it moves, by its place at rest.
    pub(crate) fn start(
        self,
        deform: impl Fn(DVec3) -> DVec3,
        velocity: impl Fn(DVec3) -> DVec3,
    ) -> Result<Simulation, CaseError> {
        let Solid { elastic, plastic, breaks, settings, rest, density, clamps } = self;
        let elastic = Some(elastic);
        let material = Material { density: density as Real, elastic, plastic, breaks, ..Material::default() };
        let mut simulation = Simulation::new(settings, vec![material])?;
        // Deformed from where particles are in single precision, so that rounding happens once.
        let undeformed: Vec<_> = rest.iter().map(|&x| narrow(x)).collect();
        let position = undeformed.iter().map(|&x| narrow(deform(wide(x)))).collect();
        let velocity = rest.iter().map(|&x| narrow(velocity(x))).collect();
        let body = NewBody { name: "body".into(), position, velocity, undeformed, clamps, ..NewBody::default() };
        simulation.add_body(body)?;
        simulation.prepare()?;
        Ok(simulation)
    }

    /// It, at rest in a prescribed state.
    pub(crate) fn deformed(self, deform: impl Fn(DVec3) -> DVec3) -> Result<Simulation, CaseError> {
        self.start(deform, |_| DVec3::ZERO)
    }
}

/// Moves every particle, by its place at rest, and forgets what rounding left: between two steps.
pub(crate) fn put(simulation: &mut Simulation, place: impl Fn(DVec3) -> DVec3) -> Result<(), CaseError> {
    let mut snapshot = simulation.snapshot();
    let particles = &mut snapshot.particles;
    for (position, anchor) in particles.position.iter_mut().zip(&particles.anchor) {
        *position = narrow(place(wide(*anchor)));
    }
    particles.remainder.fill(Vec3::ZERO);
    snapshot.state.is_stale = true;
    Ok(simulation.restore(snapshot)?)
}

/// The particles whose places at rest are such, by identifier.
pub(crate) fn particles_at(simulation: &Simulation, is_such: impl Fn(DVec3) -> bool) -> Vec<u32> {
    let particles = simulation.particles();
    let elastic = simulation.world().kinds.bonded().filter(|&i| is_such(wide(particles.anchor[i])));
    let mut ids: Vec<_> = elastic.map(|i| particles.id[i]).collect();
    ids.sort_unstable();
    ids
}

/// The end of a beam along x: its last two layers of particles, from which the end itself follows.
pub(crate) struct Tip([Vec<u32>; 2]);

impl Tip {
    /// Of a beam that ends at x = `end`.
    pub(crate) fn new(simulation: &Simulation, end: f64, spacing: f64) -> Self {
        let layer = |k: f64| {
            let place = end - (k + 0.5) * spacing;
            particles_at(simulation, |x| (x.x - place).abs() < 0.25 * spacing)
        };
        Tip([layer(0.0), layer(1.0)])
    }

    /// Where it is [m].
    pub(crate) fn place(&self, simulation: &Simulation) -> DVec3 {
        let [last, before] = self.0.each_ref().map(|ids| centre(simulation, ids));
        last + 0.5 * (last - before)
    }
}

/// A turn about an axis without pattern.
pub(crate) fn turn(angle: f64) -> DMat3 {
    DMat3::from_axis_angle(DVec3::new(0.48, -0.6, 0.64), angle)
}

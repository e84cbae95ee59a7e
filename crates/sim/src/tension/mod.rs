//! Tension of surfaces and interfaces: one file per method.

mod bearing;
mod cohesion;
mod interface;
mod surface;
mod wetting;
mod work;

pub use interface::Interface;
pub use wetting::Wetting;

use crate::force::Force;
use crate::parameters::{Limits, parameters};
use crate::real::Real;
use crate::settings::Settings;
use crate::world::World;

parameters! {
    /// What pulls the surface of a fluid together, and how it wets solids: `tension = { surface = 0.07 }`.
    pub struct Tension {
        /// Tension of its free surface [N/m]. Water has 0.073, oil 0.03.
        surface: Real = 0.0, Limits::NOT_NEGATIVE;
        /// Angle at which its surface meets what is solid, measured in the fluid [degrees]: below 90 it spreads, above it beads.
        contact_angle: Real = 90.0, Limits::within(0.0, 180.0);
        /// Attraction between its particles, γ of Akinci 2013 [m^4/kg s^2]: not physical; 0.1 to 2 look well.
        cohesion: Real = 0.0, Limits::NOT_NEGATIVE;
        /// Attraction to walls and solid bodies, β of Akinci 2013 [m^3/kg s^2]. A wall may have its own for each fluid.
        adhesion: Real = 0.0, Limits::NOT_NEGATIVE;
    }
}

impl Tension {
    /// The longest step that its free surface allows fluid of a density, in which particles are `spacing` apart and see as far as
    /// `support` [s].
    pub fn longest_step(&self, density: Real, spacing: Real, support: Real) -> Option<Real> {
        let by_waves = capillary_step(self.surface, [density, 0.0], spacing)?;
        Some(by_waves.min(surface::longest_step(self.surface, density, spacing, support)))
    }
}

/// Square of the speed that surfaces and interfaces can give to matter [m²/s²]: σ/(ρ spacing), where they are as sharp as
/// particles allow.
pub(crate) fn speed_squared(settings: &Settings, world: &World) -> f64 {
    let of_surfaces = world.flowing_materials().map(|material| material.tension.surface / material.density);
    let of_interfaces = settings.interfaces.iter().map(|interface| {
        let densities = interface.materials.map(|material| world.materials.get(material).map_or(0.0, |m| m.density));
        interface.tension / densities[0].max(densities[1]).max(Real::MIN_POSITIVE)
    });
    f64::from(of_surfaces.chain(of_interfaces).fold(0.0, Real::max) / world.spacing)
}

/// All forces of tension; each acts on the fluids that ask for it.
pub(crate) fn forces(settings: &Settings) -> Vec<Box<dyn Force>> {
    let mut forces: Vec<Box<dyn Force>> =
        vec![Box::new(surface::SurfaceForce::default()), Box::new(cohesion::CohesionForce::default())];
    forces.extend(settings.interfaces.iter().filter(|interface| interface.tension > 0.0).map(|interface| {
        let force: Box<dyn Force> = Box::new(interface::InterfaceForce::new(interface.clone()));
        force
    }));
    forces
}

/// The longest step in which the shortest capillary waves of a tension σ are stable where matter of these densities meets [s];
/// the second is 0 at a free surface.
///
/// ```text
/// ω² = σ k³/(ρ1 + ρ2), k = π/d;    dt ≤ share √((ρ1 + ρ2) d³/(2π σ))        Brackbill 1992, Morris 2000 (share ¼ of h)
/// ```
fn capillary_step(tension: Real, densities: [Real; 2], spacing: Real) -> Option<Real> {
    let [first, second] = densities;
    let step = (first + second) * spacing.powi(3) / (std::f32::consts::TAU as Real * tension);
    (tension > 0.0).then(|| CAPILLARY_SHARE * step.sqrt())
}

/// The share of the period of the shortest waves that a step may be.
const CAPILLARY_SHARE: Real = 0.5;

/// Does any fluid in the world have a tension of this kind?
fn any(world: &World, strength: impl Fn(&Tension) -> Real) -> bool {
    world.flowing_materials().any(|material| strength(&material.tension) > 0.0)
}

/// Rises from 0 to 1 between two values.
fn smooth_step(x: Real, [from, to]: [Real; 2]) -> Real {
    let x = ((x - from) / (to - from)).clamp(0.0, 1.0);
    x * x * (3.0 - 2.0 * x)
}

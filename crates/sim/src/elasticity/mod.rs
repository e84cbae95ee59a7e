//! Elastic solids: one file per model.
//!
//! Every model sums over bonds, the neighbourhoods of the undeformed shape ([`Bonds`](crate::neighbors::Bonds)), and one
//! constitutive law with different choices ([`law`]). Contact, with others and with other parts of the same body, is the
//! business of pressure.

mod changes;
mod chebyshev;
mod coarse;
mod conjugate;
mod conservation;
mod corotated;
mod eigen;
mod explicit;
mod fracture;
mod frame;
mod implicit;
mod law;
mod matrix;
mod mls;
mod moduli;
mod plasticity;
mod preconditioner;
mod pull;
mod rotation;
mod skyline;
mod solids;
mod spectrum;
mod sph;
mod st_venant_kirchhoff;
mod step_matrix;
mod stepping;
mod stiffness;
#[cfg(test)]
mod tests;
mod vectors;
mod vibration;

pub(crate) use changes::Moments;
pub use changes::StoredBond;
pub(crate) use chebyshev::Response;
pub use corotated::Corotated;
pub(crate) use explicit::{DeformationEnergies, Reactions, deformations, present_accelerations, stresses};
pub use fracture::Breaks;
pub(crate) use fracture::Fracture;
pub use implicit::Implicit;
pub(crate) use implicit::ImplicitElasticity;
pub(crate) use law::Law;
pub use law::Strain;
pub use mls::Mls;
pub use plasticity::Plastic;
pub(crate) use plasticity::{PlasticFlow, columns_of, forget};
pub(crate) use rotation::{Extent, rotation_in};
pub(crate) use solids::{Directions, LARGEST_OWN_SHARE, Solids, Unfit, invert_where_spread};
#[cfg(test)]
pub(crate) use spectrum::find_eigenvalues;
pub use sph::PlainSph;
pub use st_venant_kirchhoff::StVenantKirchhoff;
pub use stepping::ImplicitScheme;
pub use vibration::Vibration;

use crate::force::Force;
use crate::parameters::parameters;

parameters! {
    /// How a material springs back: `elastic.implicit = { young_modulus = 5.0e4, poisson_ratio = 0.35 }`.
    pub enum Elastic = Implicit {
        /// Corotated, with corrected gradients, solved implicitly: stable at large steps however stiff it is.
        Implicit(Implicit),
        /// Corotated SPH: small steps; a little soft at the surface.
        Corotated(Corotated),
        /// Plain SPH, for comparison: it resists being turned.
        Sph(PlainSph),
        /// Corotated moving least squares, for comparison.
        Mls(Mls),
        /// St. Venant-Kirchhoff with corrected gradients: small steps, right for large rotations and stretches.
        StVenantKirchhoff(StVenantKirchhoff),
    }
}

impl Elastic {
    /// Its law.
    pub(crate) fn law(&self) -> Law {
        match self {
            Elastic::Implicit(implicit) => implicit.law(),
            Elastic::Corotated(corotated) => corotated.law(),
            Elastic::Sph(sph) => sph.law(),
            Elastic::Mls(mls) => mls.law(),
            Elastic::StVenantKirchhoff(model) => model.law(),
        }
    }

    /// The speed of sound in it, were it as dense as given [m/s]: that of waves of compression.
    pub fn sound_speed(&self, density: crate::real::Real) -> crate::real::Real {
        let moduli = self.law().moduli;
        (moduli.longitudinal() / density).sqrt()
    }
}

/// The elastic forces that are known before a step.
pub(crate) fn force() -> Box<dyn Force> {
    Box::new(explicit::ExplicitElasticity::default())
}

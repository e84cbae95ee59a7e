//! What individual steps do not fit: whatever is solved for in one step of all, or keeps time of its own.

use super::Individual;
use crate::elasticity::Elastic;
use crate::pressure::Pressure;
use crate::settings::Settings;
use crate::viscosity::Viscosity;
use crate::world::Material;

impl Individual {
    /// Do pressures follow from densities, or from a choice that is still to be made?
    pub fn fits_pressure(pressure: &Pressure) -> bool {
        matches!(pressure, Pressure::Wcsph(_) | Pressure::Cohesion(_) | Pressure::Auto)
    }

    /// What of a material does not fit: its key, and what it is. Such matter moves in one step for all.
    pub fn misfit(material: &Material) -> Option<(&'static str, &'static str)> {
        let is_solved_for = matches!(
            material.fluid.viscosity,
            Viscosity::Implicit(_) | Viscosity::HerschelBulkley(_) | Viscosity::Carreau(_)
        );
        if matches!(material.elastic, Some(Elastic::Implicit(_))) {
            return Some(("elastic", "elasticity that is solved for"));
        }
        if material.rigid.is_some() {
            return Some(("rigid", "rigid bodies"));
        }
        if material.heat.is_some() {
            return Some(("heat", "heat"));
        }
        is_solved_for.then_some(("fluid", "friction that is solved for"))
    }

    /// What of a simulation does not fit.
    pub(crate) fn misfit_of(settings: &Settings, materials: &[Material]) -> Option<&'static str> {
        settings.step.individual()?;
        // Nothing is left to choose here: IISPH it would be.
        if !Individual::fits_pressure(&settings.pressure) || settings.pressure == Pressure::Auto {
            return Some("pressures that do not follow from densities");
        }
        materials.iter().find_map(|material| Some(Individual::misfit(material)?.1))
    }
}

//! What pressures that are solved for will do, before they are: what those of the last step do now.

use super::blend::{Blend, PairPressure};
use super::pair_force::{add_pressure, push_solids, scale_pressures};
use crate::density::DensityMethod;
use crate::force::StepContext;
use crate::real::{Real, Vec3};
use crate::response::BodyResponse;

/// Accelerations by the pressures of the last step, and memory for them.
#[derive(Clone, Debug, Default)]
pub(crate) struct ExpectedPressure {
    scaled: Vec<Real>,
    flowing: Vec<Real>,
    blend: Blend,
    push: Vec<Vec3>,
}

impl ExpectedPressure {
    /// The accelerations of matter [m/s²], rigid bodies as they respond; none of bonded particles, whose own solve expects pressures
    /// too. None at all where pressures are known before the step: `form` says how those combine that are not.
    pub(crate) fn find(
        &mut self,
        step: &StepContext<'_>,
        form: Option<PairPressure>,
        response: &mut dyn BodyResponse,
    ) -> &[Vec3] {
        let Self { scaled, flowing, blend, push } = self;
        push.clear();
        let Some(form) = form else { return push };
        let (world, pairs) = (step.world, step.pairs);
        let (kinds, particles) = (&world.kinds, &world.particles);
        scale_pressures(world, scaled);
        flowing.clear();
        flowing.resize(particles.len(), 0.0);
        flowing[kinds.flowing()].copy_from_slice(&particles.rest_volume[kinds.flowing()]);
        blend.set_up(world, form, DensityMethod::Summation);
        blend.set_up_walls(world, pairs, flowing);
        push.resize(kinds.matter().len(), Vec3::ZERO);
        add_pressure(world, pairs, None, blend, scaled, push);
        let coherent = kinds.coherent();
        if !coherent.is_empty() {
            push_solids(world, pairs, scaled, &mut push[coherent.clone()]);
            push[kinds.bonded()].fill(Vec3::ZERO);
            response.respond(world, &mut push[coherent]);
        }
        push
    }
}

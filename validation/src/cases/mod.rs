//! The cases: one file per kind, each with its reference.

pub(crate) mod beams;
pub(crate) mod buoyant_disc;
pub(crate) mod cantilever;
pub(crate) mod channel;
pub(crate) mod collapse;
pub(crate) mod conservation;
pub(crate) mod dam_break;
pub(crate) mod dam_pressure;
pub(crate) mod elastic_wave;
pub(crate) mod elasticity;
pub(crate) mod elliptical_patch;
pub(crate) mod falling_cuboid;
pub(crate) mod fluid_and_solid;
pub(crate) mod free_solid;
pub(crate) mod hertz;
pub(crate) mod hydrostatic;
pub(crate) mod interface;
pub(crate) mod kernels;
pub(crate) mod pair_force;
pub(crate) mod slosh;
pub(crate) mod sound;
pub(crate) mod stability;
pub(crate) mod surface;
pub(crate) mod taylor_green;
pub(crate) mod torsion;
pub(crate) mod two_layers;

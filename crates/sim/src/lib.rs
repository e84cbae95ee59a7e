//! The particle world of thixo: particles in, particles out.
//!
//! Fluids, elastic and rigid bodies and walls (and, as they arrive, plastic bodies) are particles of one SPH world.
//! This crate does no I/O, prints nothing, reads no clock and holds no globals. Start reading at `step.rs`.
//!
//! ```
//! use thixo_sim::{Material, NewBody, Settings, Simulation, Vec3};
//!
//! let settings = Settings { spacing: 0.1, ..Settings::default() };
//! let mut simulation = Simulation::new(settings, vec![Material::default()])?;
//! simulation.add_body(NewBody { name: "drop".into(), position: vec![Vec3::ZERO], ..NewBody::default() })?;
//! simulation.advance(0.1)?;
//! assert!((simulation.particles().velocity[0].y + 0.981).abs() < 1e-3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Parallel loops run in the rayon pool of the caller: wrap calls in `pool.install(|| ...)` to choose it.
//! Any number of threads gives the same bits.

mod account;
mod contact;
mod coupling;
mod density;
mod divergence;
mod elasticity;
mod energy;
mod error;
#[cfg(test)]
mod fault;
mod fields;
mod force;
mod heat;
mod inflow;
mod kernel;
pub mod measure;
mod models;
mod neighbors;
mod parameters;
mod population;
mod pressure;
mod process;
mod real;
mod reduce;
mod response;
mod rigid;
mod rollback;
mod settings;
mod simulation;
mod snapshot;
mod solve;
mod stage;
mod stages;
mod step;
mod tension;
mod time;
mod transformation;
mod viscosity;
mod world;

pub use account::{Account, Impulse};
pub use contact::{Penalty, PredictorCorrector};
pub use density::DensityMethod;
pub use elasticity::{
    Breaks, Corotated, Elastic, Implicit, ImplicitScheme, Mls, PlainSph, Plastic, StVenantKirchhoff, StoredBond,
    Strain, Vibration,
};
pub use energy::{Energies, EnergyBalance};
pub use error::{Diverged, SetupError, StepError};
pub use fields::{Damping, Field, FieldKind, Point, Region, RegionBox, RegionSphere, Uniform, Vortex};
pub use force::{Force, StepContext};
pub use heat::{Course, Curve, Heat, HeatReceived, HeatTotals, Heater, HeaterTarget, ROOM, Supply, Surroundings};
pub use inflow::{Flow, NewEmitter, NewSink, Nozzle, Opening};
pub use kernel::{Filling, Kernel, KernelChoice, NoConstant, Number, Shape, Support, ViscosityKernel};
pub use measure::StepReport;
#[doc(hidden)]
pub use neighbors::dispatch;
pub use neighbors::{
    Block, InstructionSet, LANES, Lanes, Lists, Near, Pairs, Part, Setting, Simd, VecLanes, Who, Wide,
};
pub use parameters::{Check, Limits, OutOfRange, Parameter, Parameters};
pub use pressure::{Cohesion, Dfsph, Iisph, PairPressure, Pcisph, Pressure, Wcsph};
pub use process::{OwnValues, Process};
pub use real::{Dimension, PRECISION, Real, Vec3};
pub use rigid::{Axis, Joined, JointMotion, Kind as JointKind, Limits as JointLimits, Motor, NewJoint};
pub use settings::Settings;
pub use simulation::Simulation;
pub use snapshot::{Snapshot, State};
pub use stages::{Access, Stage};
pub use tension::{Interface, Tension, Wetting};
pub use time::{Adaptive, Individual, Schedule, Shifting, StepSize};
pub use transformation::Renumbering;
pub use viscosity::{
    Artificial, Carreau, Central, Frictionless, HerschelBulkley, ImplicitViscosity, Laplacian, Morris, Thixotropy,
    Viscosity, Xsph,
};
pub use world::{
    Body, BodyId, BodyKind, Clamp, Clock, ColumnInfo, Domain, Emitter, Fluid, Interpolation, Keyframe, Kind, KindId,
    Kinds, Lifetime, Load, Material, Memory, MovedBy, NewBody, NewWall, OwnColumn, Particles, Path, Remembered,
    Response, Rigid, RigidBody, Rotation, Sink, Structure, Values, ValuesMut, WallMotion, Whose, World,
};

#[cfg(feature = "schema")]
pub use parameters::limits_into_schema;

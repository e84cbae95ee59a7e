//! Physics against theory and experiment: every claim of the simulator is tied to a number.
//!
//! [`cases`] lists the cases, [`Case::run`] measures one and returns its [`Row`]s: measured, reference, error,
//! tolerance, [`Verdict`]. `registry.rs` is the table of cases with their resolutions and tolerances; each file
//! in `cases/` holds one kind of case with its reference. A case is a scene (in `validation/scenes`) with probes
//! wherever a scene can say it; copying it and changing numbers is a normal use.
//!
//! No case has parameters of its own: water is the same material in all of them.

mod cases;
mod experiment;
mod numerics;
mod page;
mod registry;
mod row;
mod solid;

pub use experiment::{CaseError, Conditions};
pub use page::page;
pub use registry::{Case, UnknownCase, When, cases, select};
pub use row::{Row, Verdict};
pub use thixo_render::plot::{self, Plot, Series};

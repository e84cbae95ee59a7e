//! Coarse physics and promises of the crate, each named after the law it holds.
//!
//! The laws of `suite` take whatever can step a world; here they are tests of the step of this crate, with the instructions
//! that the processor has and, as far as they are cheap, with those that every processor has and one thread.

#![allow(clippy::unwrap_used, reason = "a test asserts by unwrapping, in its helpers too")]

#[macro_use]
mod suite;

mod derived;
mod dye;
mod energy;
mod inside;
mod kinds;
mod neighborhoods;
mod processes;
mod solids;
mod twins;

laws!(detected, crate::suite::Detected, all);
laws!(baseline, crate::suite::Baseline, cheap);

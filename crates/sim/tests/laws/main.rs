//! Coarse physics and promises of the crate, each named after the law it holds.

#![allow(clippy::unwrap_used, reason = "a test asserts by unwrapping, in its helpers too")]

mod attachments;
mod conservation;
mod contact;
mod contact_by_hand;
mod elasticity;
mod embedding;
mod exactness;
mod incompressible;
mod motion;
mod neighborhoods;
mod rest;
mod worlds;

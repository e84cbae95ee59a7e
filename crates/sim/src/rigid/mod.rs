//! Rigid bodies.

pub(crate) mod constraints;

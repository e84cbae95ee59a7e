//! Rigid bodies.

#[cfg_attr(not(test), expect(dead_code, reason = "the step does not call it yet"))]
pub(crate) mod constraints;

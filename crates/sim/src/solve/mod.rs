//! Iterations that solve for many unknowns at once, whatever these mean.

mod projected;

pub(crate) use projected::{Assessment, Projected, Unknown};

//! Stages of a step that can be timed from outside: this crate reads no clock.

/// Names what happens from here to the end of the block, for whoever listens with a `tracing` subscriber. Without one
/// it is a comparison. Stages do not lie within each other, so that their times add up.
macro_rules! stage {
    ($name:literal) => {
        let _stage = tracing::trace_span!($name).entered();
    };
}

pub(crate) use stage;

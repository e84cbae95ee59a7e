//! Faults that tests inject: a step that fails where it is told to.

use crate::divergence::Divergence;
use crate::error::StepError;
use crate::stages::Stage;

/// Where the next attempts fail, and how often.
#[derive(Debug, Default)]
pub(crate) struct Fault {
    /// After this stage of a step.
    pub(crate) after: Option<Stage>,
    /// At this point of the preparation.
    pub(crate) in_prepare: Option<u32>,
    /// How many attempts fail.
    pub(crate) times: u32,
    /// Taking a step back is interrupted, and begins again.
    pub(crate) in_take_back: bool,
}

impl Fault {
    /// Fails if it is to fail after this stage.
    pub(crate) fn after(&mut self, stage: Stage) -> Result<(), Divergence> {
        match self.is_now(self.after == Some(stage)) {
            true => Err(Divergence::injected()),
            false => Ok(()),
        }
    }

    /// Fails if it is to fail at this point of the preparation.
    pub(crate) fn in_prepare(&mut self, point: u32) -> Result<(), StepError> {
        match self.is_now(self.in_prepare == Some(point)) {
            true => Err(StepError::Crowded { time: 0.0, body: "injected".into(), position: [0.0; 3] }),
            false => Ok(()),
        }
    }

    fn is_now(&mut self, is_here: bool) -> bool {
        let is_now = is_here && self.times > 0;
        self.times -= u32::from(is_now);
        is_now
    }
}

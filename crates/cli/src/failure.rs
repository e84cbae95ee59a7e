//! Why a command did not do all it was asked to, and its exit code.

use std::io;

use thixo_scene::Problems;

/// Why a command ended before its work was done. The text says where, why, and what helps.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// A scene with problems. Nothing was written.
    #[error("{0}")]
    Scene(Problems),
    /// Something else that was asked for cannot be done. Nothing was written.
    #[error("{0}")]
    BadInput(String),
    /// It was begun and could not be ended. What is written is valid.
    #[error("{0}")]
    Failed(String),
    /// Someone stopped it. It can go on later.
    #[error("{0}")]
    Interrupted(String),
}

impl Failure {
    /// What the process returns to its caller.
    pub fn exit_code(&self) -> u8 {
        match self {
            Failure::Scene(_) | Failure::BadInput(_) => 2,
            Failure::Failed(_) => 1,
            Failure::Interrupted(_) => 130,
        }
    }
}

/// The cause in the form of our messages: lowercase, without the number the system gives it.
pub(crate) fn plain(cause: &io::Error) -> String {
    let text = cause.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut letters = text.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}

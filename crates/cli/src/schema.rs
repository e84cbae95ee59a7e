//! `thixo schema`: the JSON schema of scene files.

use crate::console;
use crate::failure::Failure;

/// Prints the schema.
pub(crate) fn schema() -> Result<(), Failure> {
    console::print(&format!("{:#}\n", thixo_scene::schema()))
}

//! The `thixo` command as a library: what the binary does, for tests and other front ends.
//!
//! Results go to standard output, everything else to standard error. Exit codes: 0 done; 1 ran and failed, what
//! was written is valid; 2 bad input, nothing was written; 130 interrupted, can be resumed.

mod bench;
mod check;
mod console;
mod every_frame;
mod failure;
mod info;
mod process;
mod render;
mod report;
mod run;
mod scene_file;
mod scenes;
mod schema;
mod stages;
mod surface;
mod threads;
mod validate;

use std::ffi::OsString;
use std::path::Path;
use std::sync::LazyLock;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser, Subcommand};
use thixo_scene::gallery;
use thixo_sim::InstructionSet;

pub use failure::Failure;

/// The version of this program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Fluids and solids as particles of one world: turns a scene file into frames.
#[derive(Debug, Parser)]
#[command(name = "thixo", version = version_and_instruction_set(), arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Simulate a scene; without one, the built-in demo
    Run(run::Arguments),
    /// List everything that is wrong with a scene, or what it will take to run it
    Check(check::Arguments),
    /// List the gallery, or print one of its scenes to start from
    Scenes(scenes::Arguments),
    /// Print the JSON schema of scene files, for editors
    Schema,
    /// Say what a run holds
    Info(info::Arguments),
    /// Make triangle meshes of the frames of a run
    Surface(surface::Arguments),
    /// Draw pictures of the frames of a run
    Render(render::Arguments),
    /// Measure what a step costs, by case and by stage
    Bench(bench::Arguments),
    /// Hold the physics against theory and experiment
    Validate(validate::Arguments),
}

/// Does what the arguments ask for (the first is the program's name) and returns the exit code.
pub fn main_with<A>(arguments: impl IntoIterator<Item = A>) -> u8
where
    A: Into<OsString> + Clone,
{
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(mut refusal) => {
            advise(&mut refusal);
            // Help and version go to standard output, errors to standard error; a closed one is no matter.
            let _ = refusal.print();
            return refusal.exit_code().try_into().unwrap_or(2);
        }
    };
    let done = match arguments.command {
        Command::Run(arguments) => run::run(&arguments),
        Command::Check(arguments) => check::check(&arguments),
        Command::Scenes(arguments) => scenes::scenes(&arguments),
        Command::Schema => schema::schema(),
        Command::Info(arguments) => info::info(&arguments),
        Command::Surface(arguments) => surface::surface(&arguments),
        Command::Render(arguments) => render::render(&arguments),
        Command::Bench(arguments) => bench::bench(&arguments),
        Command::Validate(arguments) => validate::validate(&arguments),
    };
    match done {
        Ok(()) => 0,
        Err(failure) => {
            console::explain(&failure);
            failure.exit_code()
        }
    }
}

/// Says what was probably meant, where the parser of arguments does not know.
fn advise(refusal: &mut clap::Error) {
    let tip = match (refusal.kind(), refusal.get(ContextKind::InvalidSubcommand)) {
        // That an option could be passed as a value helps nobody here.
        (ErrorKind::UnknownArgument, _) => {
            refusal.remove(ContextKind::Suggested);
            return;
        }
        (ErrorKind::InvalidSubcommand, Some(ContextValue::String(word))) => {
            let command = Arguments::command();
            let names: Vec<_> = command.get_subcommands().map(clap::Command::get_name).collect();
            match Path::new(word).is_file() || gallery().iter().any(|scene| scene.name == word) {
                true => format!("to simulate that scene: thixo run {}", console::typed(Path::new(word))),
                false => format!("the commands are {}", names.join(", ")),
            }
        }
        _ => return,
    };
    refusal.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
}

fn version_and_instruction_set() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| format!("{VERSION} ({})", InstructionSet::detect()));
    &TEXT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declared_arguments_are_consistent() {
        Arguments::command().debug_assert();
    }
}

//! `thixo bench`: what a step costs, by case and by stage.

mod cases;
mod measure;
mod picture;
mod process;
mod row;

use std::num::NonZeroUsize;

use thixo_render::Size;
use thixo_sim::InstructionSet;

use crate::console;
use crate::failure::Failure;
use crate::threads::{parse_threads, thread_pool};
use cases::Case;

/// What `thixo bench` is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The cases to run; without any, all of them
    names: Vec<String>,
    /// Number of threads [default: all that this process may use]
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    threads: Option<NonZeroUsize>,
    /// Vector instructions to use: avx2 or baseline [default: the fastest there are]
    #[arg(long, value_name = "NAME")]
    instruction_set: Option<InstructionSet>,
    /// Print one JSON line per case, for programs
    #[arg(long)]
    json: bool,
}

/// Runs cases one after another and prints what each took.
pub(crate) fn bench(arguments: &Arguments) -> Result<(), Failure> {
    let (pictures, scenes): (Vec<String>, Vec<String>) =
        arguments.names.iter().cloned().partition(|name| name == picture::NAME);
    // Naming only the picture asks for no scene.
    let cases = if scenes.is_empty() && !pictures.is_empty() { Vec::new() } else { cases::chosen(&scenes)? };
    let set = arguments.instruction_set.unwrap_or_else(InstructionSet::detect);
    // One pool for everything: a step inside it neither starts threads nor allocates.
    thread_pool(arguments.threads)?.install(|| {
        let mut broken = Vec::new();
        for case in cases {
            if let Some(story) = run(case, set, arguments.json)? {
                broken.push(format!("{}: {story}", case.name));
            }
        }
        if !pictures.is_empty() || arguments.names.is_empty() {
            let row = picture::measure(Size::default())?;
            console::print(&if arguments.json { row.json() } else { row.table() })?;
        }
        if broken.is_empty() { Ok(()) } else { Err(Failure::Failed(broken.join("\n"))) }
    })
}

/// Runs and prints one case; gives the story of a run that broke off.
fn run(case: &Case, set: InstructionSet, json: bool) -> Result<Option<String>, Failure> {
    let measured = measure::measure(case, set)?;
    let row = row::Row::new(case.name, &measured);
    console::print(&if json { row.json() } else { row.table() })?;
    Ok(measured.broken)
}

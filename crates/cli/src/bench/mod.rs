//! `thixo bench`: what a step costs, by case and by stage.

mod cases;
mod elastic_table;
mod measure;
mod pcisph_table;
mod picture;
mod row;
mod surface;

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
    let is_scene = |name: &&String| !cases::others().contains(&name.as_str());
    let scenes: Vec<String> = arguments.names.iter().filter(is_scene).cloned().collect();
    // Naming only what is no scene asks for none.
    let no_scene = scenes.is_empty() && !arguments.names.is_empty();
    let cases = if no_scene { Vec::new() } else { cases::chosen(&scenes)? };
    let is_asked = |case: &str| arguments.names.is_empty() || arguments.names.iter().any(|name| name == case);
    let set = arguments.instruction_set.unwrap_or_else(InstructionSet::detect);
    // One pool for everything: a step inside it neither starts threads nor allocates.
    thread_pool(arguments.threads)?.install(|| {
        let mut broken = Vec::new();
        if !cases.is_empty() {
            measure::warm_up(set)?;
        }
        for case in cases {
            if let Some(story) = run(case, set, arguments.json)? {
                broken.push(format!("{}: {story}", case.name));
            }
        }
        for name in surface::NAMES.into_iter().filter(|name| is_asked(name)) {
            let row = surface::measure(name)?;
            console::print(&if arguments.json { row.json() } else { row.table() })?;
        }
        if is_asked(picture::NAME) {
            let row = picture::measure(Size::default())?;
            console::print(&if arguments.json { row.json() } else { row.table() })?;
        }
        // Takes minutes: only for those who ask for it.
        if arguments.names.iter().any(|name| name == pcisph_table::NAME) {
            pcisph_table::measure(|row| console::print(&if arguments.json { row.json() } else { row.table() }))?;
        }
        if arguments.names.iter().any(|name| name == elastic_table::NAME) {
            elastic_table::measure(|row| console::print(&if arguments.json { row.json() } else { row.table() }))?;
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

//! The `thixo` command; all of it is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(thixo_cli::main_with(std::env::args_os()))
}

//! Standard output and standard error. Neither may bring the program down: a closed pipe is no error of ours.

use std::fmt::Display;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::Path;

use thixo_scene::nearest;

use crate::failure::{Failure, plain};

/// Prints a result.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        // Whoever read it has seen enough: `thixo scenes | head -1`.
        Err(cause) if cause.kind() == ErrorKind::BrokenPipe => Ok(()),
        Err(cause) => Err(Failure::Failed(format!("cannot write to standard output: {}", plain(&cause)))),
        Ok(()) => Ok(()),
    }
}

/// Tells the user something that is no result.
pub(crate) fn tell(line: impl Display) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// Warns the user.
pub(crate) fn warn(text: impl Display) {
    tell(format_args!("warning: {text}"));
}

/// Says why a command failed.
pub(crate) fn explain(failure: &Failure) {
    match failure {
        Failure::Scene(problems) if io::stderr().is_terminal() => tell(problems.coloured().trim_end()),
        Failure::Scene(problems) => tell(problems.to_string().trim_end()),
        Failure::Interrupted(text) => tell(text),
        Failure::BadInput(text) | Failure::Failed(text) => tell(format_args!("error: {text}")),
    }
}

/// A number of bytes, in the unit that suits it.
pub(crate) fn bytes(count: u64) -> String {
    let units = [("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)];
    match units.iter().find(|(_, size)| count as f64 >= *size) {
        Some((unit, size)) => format!("{:.1} {unit}", count as f64 / size),
        None => format!("{count} bytes"),
    }
}

/// A span of wall time [s], in the units that suit it.
pub(crate) fn duration(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match whole {
        0..10 => format!("{seconds:.1} s"),
        10..60 => format!("{whole} s"),
        60..3600 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}

/// `s` unless there is one of it.
pub(crate) fn plural(count: u64) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// A question that follows a name which is none of these, if it is like one of them.
pub(crate) fn meant(name: &str, names: &[&str]) -> String {
    nearest(name, names.iter().copied()).map(|name| format!(" (did you mean `{name}`?)")).unwrap_or_default()
}

/// A path as one would type it in a shell.
pub(crate) fn typed(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+,:@%".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// The command that is running, as one would type it again.
pub(crate) fn this_command() -> String {
    let words = std::env::args_os().skip(1).map(|word| format!(" {}", typed(Path::new(&word))));
    words.fold("thixo".into(), |command, word| command + &word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_in_suitable_units() {
        assert_eq!([0, 999, 1000, 20_500_000].map(bytes), ["0 bytes", "999 bytes", "1.0 kB", "20.5 MB"]);
        assert_eq!([0.04, 59.4, 61.0, 7300.0].map(duration), ["0.0 s", "59 s", "1 min 1 s", "2 h 1 min"]);
    }

    #[test]
    fn paths_are_quoted_for_the_shell_only_when_they_must_be() {
        let quoted = ["out/jelly", "out/süß", "my run", "it's"].map(|path| typed(Path::new(path)));
        assert_eq!(quoted, ["out/jelly", "out/süß", "'my run'", r"'it'\''s'"]);
    }
}

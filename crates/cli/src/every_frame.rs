//! The same work for many frames of a run, in parallel: a bar, what was done, and the names of what could not be.

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;

use thixo_frames::{Format, list_frames};

use crate::console;
use crate::failure::Failure;
use crate::run::folder::Folder;
use crate::run::interrupt::Interrupt;

/// Between two plain lines passes at least this much.
const LINE_EVERY: Duration = Duration::from_secs(2);

/// Frames from a first to one after the last: 10..20, 10.. or ..20.
pub(crate) fn parse_frames(text: &str) -> Result<(u64, u64), String> {
    let wrong = || "it must be a first frame and one after the last: 10..20, 10.. or ..20".to_owned();
    let end = |text: &str, default| if text.is_empty() { Ok(default) } else { text.parse().map_err(|_| wrong()) };
    let (first, last) = text.split_once("..").ok_or_else(wrong)?;
    let (first, last) = (end(first, 0)?, end(last, u64::MAX)?);
    if first < last { Ok((first, last)) } else { Err(wrong()) }
}

/// The frames of a run.
pub(crate) struct Frames {
    /// All there are, by number.
    pub(crate) all: Vec<(u64, PathBuf)>,
    /// Those that are asked for.
    pub(crate) asked: Vec<(u64, PathBuf)>,
    /// Names those that should be among them and are not.
    pub(crate) missing: Vec<String>,
}

impl Frames {
    /// The frames from a first to one after the last. A run without any is refused.
    pub(crate) fn of(folder: &Folder, (first, end): (u64, u64)) -> Result<Frames, Failure> {
        let all = list_frames(&folder.frames(), Format::Native).unwrap_or_default();
        let asked: Vec<_> = all.iter().filter(|(number, _)| (first..end).contains(number)).cloned().collect();
        let name = folder.root().display();
        if all.is_empty() {
            return Err(Failure::BadInput(format!(
                "{name} has no frames in the native format; run its scene with `output.frames = [\"native\"]`"
            )));
        }
        if asked.is_empty() {
            let count = all.len();
            return Err(Failure::BadInput(format!(
                "{name} has no frames of these numbers; it has {count}, see `thixo info`"
            )));
        }
        let missing = gaps(first, &asked);
        Ok(Frames { all, asked, missing })
    }
}

/// Names the frames that are left out.
fn gaps(first: u64, frames: &[(u64, PathBuf)]) -> Vec<String> {
    let mut gaps = Vec::new();
    let mut expected = first;
    for &(number, _) in frames {
        match number.saturating_sub(expected) {
            0 => {}
            1 => gaps.push(format!("frame {expected:06} is missing")),
            _ => gaps.push(format!("frames {expected:06} to {:06} are missing", number - 1)),
        }
        expected = number + 1;
    }
    gaps
}

/// What became of the frames.
pub(crate) struct Done {
    /// Frames that are done.
    pub(crate) count: u64,
    /// Why others are not.
    pub(crate) failures: Vec<String>,
    /// Someone interrupted before all were begun.
    pub(crate) is_interrupted: bool,
}

/// Does `work` for every frame, whatever becomes of the others; the error says which file and why.
/// What is done is called `what`: "picture".
pub(crate) fn every_frame<F: Sync>(
    frames: &[F],
    what: &str,
    is_quiet: bool,
    interrupt: &Interrupt,
    work: impl Fn(&F) -> Result<(), String> + Sync,
) -> Done {
    let progress = Progress::new(frames.len() as u64, what, is_quiet);
    let results: Vec<Option<Result<(), String>>> = frames
        .par_iter()
        .map(|frame| {
            let result = (!interrupt.is_requested()).then(|| work(frame));
            progress.advance();
            result
        })
        .collect();
    progress.finish();
    let is_interrupted = results.iter().any(Option::is_none);
    let failures: Vec<String> = results.iter().flatten().filter_map(|done| done.clone().err()).collect();
    let count = results.iter().flatten().filter(|done| done.is_ok()).count() as u64;
    Done { count, failures, is_interrupted }
}

impl Done {
    /// Nothing if all is well; otherwise what is not. `again` is the command that goes on.
    pub(crate) fn outcome(&self, what: &str, again: &str) -> Result<(), Failure> {
        if !self.failures.is_empty() {
            return Err(Failure::Failed(self.failures.join("\n")));
        }
        if self.is_interrupted {
            return Err(Failure::Interrupted(format!("interrupted after {} {what}s; to go on: {again}", self.count)));
        }
        Ok(())
    }
}

/// How many are done: a bar on a terminal, plain lines elsewhere.
struct Progress {
    count: u64,
    done: AtomicU64,
    what: String,
    bar: Option<ProgressBar>,
    /// When the last plain line was written; nothing if none shall be.
    last_line: Option<Mutex<Instant>>,
}

impl Progress {
    fn new(count: u64, what: &str, is_quiet: bool) -> Progress {
        let is_bar = !is_quiet && io::stderr().is_terminal();
        let bar = is_bar.then(|| {
            // The template is ours and right; the default style would do as well.
            let style = ProgressStyle::with_template("{bar:8} {eta} left, {msg} {pos}/{len}");
            let bar = ProgressBar::new(count).with_message(what.to_owned());
            bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
        });
        let last_line = (!is_quiet && !is_bar).then(|| Mutex::new(Instant::now()));
        Progress { count, done: AtomicU64::new(0), what: what.into(), bar, last_line }
    }

    fn advance(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        if let Some(bar) = &self.bar {
            bar.set_position(done);
        }
        // Whoever finds the lock taken has nothing to add.
        if let Some(Ok(mut last)) = self.last_line.as_ref().map(Mutex::try_lock)
            && last.elapsed() >= LINE_EVERY
        {
            *last = Instant::now();
            console::tell(format_args!("{} {done}/{}", self.what, self.count));
        }
    }

    fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_failure_does_not_stop_the_others() {
        let frames: Vec<u32> = (0..40).collect();
        let work = |&frame: &u32| if frame % 10 == 3 { Err(format!("frame {frame}")) } else { Ok(()) };
        let done = every_frame(&frames, "picture", true, &Interrupt::default(), work);
        assert_eq!((done.count, done.is_interrupted), (36, false));
        assert_eq!(done.failures, ["frame 3", "frame 13", "frame 23", "frame 33"]);
        assert_eq!(done.outcome("picture", "x").unwrap_err().exit_code(), 1);
    }

    #[test]
    fn ranges_of_frames_are_read_or_refused() {
        assert_eq!((parse_frames("3.."), parse_frames("..4")), (Ok((3, u64::MAX)), Ok((0, 4))));
        for text in ["3", "4..3", "3..3", "a..b", "-1..2"] {
            assert!(parse_frames(text).is_err(), "{text}");
        }
    }

    #[test]
    fn gaps_are_named() {
        let frames = [1, 2, 5, 8].map(|number| (number, PathBuf::new()));
        let told =
            ["frame 000000 is missing", "frames 000003 to 000004 are missing", "frames 000006 to 000007 are missing"];
        assert_eq!(gaps(0, &frames), told);
        assert_eq!(gaps(5, &frames[2..]), told[2..]);
        assert_eq!(gaps(1, &frames[..2]), Vec::<String>::new());
    }

    #[test]
    fn who_is_interrupted_begins_nothing() {
        let interrupt = Interrupt::default();
        interrupt.request();
        let done = every_frame(&[1, 2], "picture", true, &interrupt, |_| Ok(()));
        assert_eq!((done.count, done.outcome("picture", "x").unwrap_err().exit_code()), (0, 130));
    }
}

//! What is wrong with a scene, where, and what helps.

use std::fmt;

/// Everything that is wrong with a scene, in the order of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problems(Vec<Problem>);

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong, and why.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// The file, or the override.
    pub source: String,
    /// The place in it; none if the problem is about the whole.
    pub excerpt: Option<Excerpt>,
}

/// The line a problem is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// Number of the line, from 1; none in an override.
    pub line: Option<usize>,
    /// Number of the first character that is meant, from 1.
    pub column: usize,
    /// The line, or the part of it that matters.
    pub text: String,
    /// Characters of `text` before those that are meant.
    pub before: usize,
    /// How many characters are meant.
    pub width: usize,
}

/// Longest part of a line that is shown, and how much of it comes before the problem.
const LONGEST: usize = 160;
const LONGEST_BEFORE: usize = 100;

impl Problems {
    pub(crate) fn new(problems: Vec<Problem>) -> Problems {
        Problems(problems)
    }

    /// Each of them.
    pub fn iter(&self) -> std::slice::Iter<'_, Problem> {
        self.0.iter()
    }

    /// The same text as `Display`, in the colours of a terminal.
    pub fn coloured(&self) -> String {
        self.0.iter().map(|problem| problem.text(&COLOURED)).collect::<Vec<_>>().join("\n")
    }
}

impl<'a> IntoIterator for &'a Problems {
    type Item = &'a Problem;
    type IntoIter = std::slice::Iter<'a, Problem>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts: Vec<_> = self.0.iter().map(|problem| problem.text(&PLAIN)).collect();
        f.write_str(&texts.join("\n"))
    }
}

impl std::error::Error for Problems {}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(&PLAIN))
    }
}

/// What switches the colours of a terminal.
struct Colours {
    error: &'static str,
    strong: &'static str,
    frame: &'static str,
    off: &'static str,
}

const PLAIN: Colours = Colours { error: "", strong: "", frame: "", off: "" };
const COLOURED: Colours = Colours { error: "\x1b[1;31m", strong: "\x1b[1m", frame: "\x1b[1;34m", off: "\x1b[0m" };

impl Problem {
    /// The problem as lines of text, each ended.
    fn text(&self, colours: &Colours) -> String {
        let Colours { error, strong, frame, off } = colours;
        let message = without_controls(&self.message);
        let source = without_controls(&self.source);
        let mut text = format!("{error}error{off}{strong}: {message}{off}\n");
        let number = self.line().map(|line| line.to_string()).unwrap_or_default();
        let margin = " ".repeat(number.len().max(1));
        match (&self.excerpt, self.line()) {
            (Some(Excerpt { column, .. }), Some(line)) => {
                text += &format!("{margin}{frame}-->{off} {source}:{line}:{column}\n");
            }
            _ => text += &format!("{margin}{frame}-->{off} {source}\n"),
        }
        if let Some(Excerpt { text: line, before, width, .. }) = &self.excerpt {
            // A tab stays a tab, so that the marks stand below what they mark at any tab width.
            let indent: String = line.chars().take(*before).map(|c| if c == '\t' { c } else { ' ' }).collect();
            let marks = "^".repeat((*width).max(1));
            let number = format!("{number:margin$}", margin = margin.len());
            text += &format!("{margin} {frame}|{off}\n");
            text += &format!("{frame}{number} |{off} {}\n", without_controls(line));
            text += &format!("{margin} {frame}|{off} {indent}{error}{marks}{off}\n");
        }
        if let Some(help) = &self.help {
            text += &format!("{margin} {frame}={off} {strong}help{off}: {}\n", without_controls(help));
        }
        text
    }

    /// Number of the line it is in, from 1.
    pub fn line(&self) -> Option<usize> {
        self.excerpt.as_ref().and_then(|excerpt| excerpt.line)
    }

    /// Number of the character it begins with, from 1.
    pub fn column(&self) -> Option<usize> {
        self.excerpt.as_ref().map(|excerpt| excerpt.column)
    }
}

impl Excerpt {
    /// The line of `text` in which the bytes `span` begin. `text` may have any line ends.
    pub(crate) fn of(text: &str, span: std::ops::Range<usize>, numbered: bool) -> Excerpt {
        let start = floor_boundary(text, span.start);
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
        let line = text[line_start..line_end].trim_end_matches('\r');
        let start = start.min(line_start + line.len());
        let end = floor_boundary(text, span.end).clamp(start, line_start + line.len());
        let before = text[line_start..start].chars().count();
        let width = text[start..end].chars().count();
        let number = text[..line_start].matches('\n').count() + 1;
        let hidden = if line.chars().count() > LONGEST { before.saturating_sub(LONGEST_BEFORE) } else { 0 };
        Excerpt {
            line: numbered.then_some(number),
            column: before + 1,
            text: line.chars().skip(hidden).take(LONGEST).collect(),
            before: before - hidden,
            width: width.min(LONGEST - (before - hidden)),
        }
    }
}

/// The last character boundary at or before `at`.
fn floor_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The text without characters that would steer a terminal.
fn without_controls(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\t' { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(text: &str, span: std::ops::Range<usize>) -> String {
        let excerpt = Some(Excerpt::of(text, span, true));
        Problem { message: "m".into(), help: None, source: "s".into(), excerpt }.to_string()
    }

    #[test]
    fn columns_count_characters_in_any_line_ends() {
        let unix = "a\néü = 1\n";
        let dos = "a\r\néü = 1\r\n";
        let expected = "error: m\n --> s:2:6\n  |\n2 | éü = 1\n  |      ^\n";
        assert_eq!(problem(unix, 9..10), expected);
        assert_eq!(problem(dos, 10..11), expected);
    }

    #[test]
    fn marks_stand_below_text_after_tabs() {
        assert_eq!(problem("\tab = 1", 1..3), "error: m\n --> s:1:2\n  |\n1 | \tab = 1\n  | \t^^\n");
    }

    #[test]
    fn long_lines_are_cut_around_the_problem() {
        let line = format!("{}X{}", "a".repeat(5000), "b".repeat(5000));
        let excerpt = Excerpt::of(&line, 5000..5001, true);
        assert_eq!((excerpt.column, excerpt.before, excerpt.width), (5001, LONGEST_BEFORE, 1));
        assert_eq!(excerpt.text.chars().nth(excerpt.before), Some('X'));
        assert_eq!(excerpt.text.len(), LONGEST);
    }

    #[test]
    fn any_span_is_survived() {
        let text = "é\r\nb\u{1}é";
        for start in 0..12 {
            for end in 0..12 {
                assert!(!problem(text, start..end).contains('\u{1}'));
            }
        }
    }
}

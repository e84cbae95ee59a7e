//! Words and numbers of text formats.

/// The words of a text, one after the other.
pub(in crate::mesh) struct Words<'a>(std::str::SplitAsciiWhitespace<'a>);

impl<'a> Words<'a> {
    pub(in crate::mesh) fn of(text: &'a str) -> Self {
        Words(text.split_ascii_whitespace())
    }

    /// The next three words, as numbers.
    pub(in crate::mesh) fn numbers(&mut self) -> Result<[f64; 3], String> {
        let mut numbers = [0.0; 3];
        for number in &mut numbers {
            let word = self.next().ok_or("a vertex needs three numbers")?;
            *number = word.parse().map_err(|_| format!("`{}` is no number", shortened(word)))?;
        }
        Ok(numbers)
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        self.0.next()
    }
}

/// As much of a word as a message can bear.
pub(super) fn shortened(word: &str) -> String {
    let mut short: String = word.chars().take(24).collect();
    if short.len() < word.len() {
        short.push('…');
    }
    short
}

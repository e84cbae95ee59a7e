//! Words for messages: "did you mean …?", lists, numbers.

/// The candidate that `word` most likely stands for, if any is near enough to be a slip.
pub fn nearest<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let length = word.chars().count();
    let word = word.to_lowercase();
    let slips = |candidate: &str| {
        let is_beginning = length >= 3 && candidate.starts_with(&word);
        if is_beginning { 1 } else { distance(&word, &candidate.to_lowercase()) }
    };
    candidates
        .map(|candidate| (slips(candidate), candidate))
        .filter(|(slips, _)| *slips <= (length / 3).max(1) && *slips < length)
        .min()
        .map(|(_, candidate)| candidate)
}

/// A list as words: `` `a`, `b` or `c` ``.
pub(crate) fn quoted<'a>(words: impl Iterator<Item = &'a str>, last: &str) -> String {
    let words: Vec<_> = words.map(|word| format!("`{word}`")).collect();
    match words.split_last() {
        Some((end, rest)) if !rest.is_empty() => format!("{} {last} {end}", rest.join(", ")),
        _ => words.concat(),
    }
}

/// A number as a person would write it.
pub(crate) fn plain(value: f64) -> String {
    let (decimal, exponent) = (format!("{value}"), format!("{value:e}"));
    let usual = value == 0.0 || (1e-3..1e6).contains(&value.abs());
    if usual || decimal.len() <= exponent.len() { decimal } else { exponent }
}

/// An amount of memory as a person would say it.
pub(crate) fn bytes(count: f64) -> String {
    let units = ["B", "kB", "MB", "GB", "TB", "PB"];
    let power = (count.max(1.0).log10() / 3.0).floor().min(units.len() as f64 - 1.0);
    format!("{:.0} {}", count / 1000.0_f64.powf(power), units[power as usize])
}

/// How many characters must be added, removed, replaced or swapped with their neighbour (Damerau 1964).
fn distance(a: &str, b: &str) -> usize {
    // Names are short; what is not is no slip, and must not cost the square of its length.
    const LONGEST: usize = 64;
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().take(LONGEST).collect(), b.chars().take(LONGEST).collect());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let best = replaced.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
                let is_swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
                if is_swap { best.min(rows[i - 2][j - 2] + 1) } else { best }
            };
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_counts_slips() {
        for (a, b, slips) in
            [("", "", 0), ("abc", "abc", 0), ("abc", "acb", 1), ("abc", "ab", 1), ("kitten", "sitting", 3)]
        {
            assert_eq!((distance(a, b), distance(b, a)), (slips, slips), "{a} {b}");
        }
    }

    #[test]
    fn slips_are_recognised_and_other_words_are_not() {
        let keys = ["viscosity", "density", "end", "fps"];
        let of = |word| nearest(word, keys.into_iter());
        assert_eq!(of("viscocity"), Some("viscosity"));
        assert_eq!(of("Density"), Some("density"));
        assert_eq!(of("edn"), Some("end"));
        assert_eq!(of("visc"), Some("viscosity"));
        assert_eq!([of("temperature"), of("e"), of("")], [None; 3]);
    }

    #[test]
    fn lists_read_as_sentences() {
        assert_eq!(quoted(["a"].into_iter(), "or"), "`a`");
        assert_eq!(quoted(["a", "b", "c"].into_iter(), "or"), "`a`, `b` or `c`");
    }

    #[test]
    fn numbers_read_as_a_person_writes_them() {
        assert_eq!([0.0, 0.02, -3.5, 1e-6, 1e9].map(plain), ["0", "0.02", "-3.5", "1e-6", "1e9"]);
        assert_eq!(plain(4294967295.0), "4294967295");
        assert_eq!([0.0, 999.0, 4.2e7, 1e30].map(bytes), ["0 B", "999 B", "42 MB", "1000000000000000 PB"]);
    }
}

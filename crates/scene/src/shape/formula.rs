//! Formulas in scene files: `0.2 + 0.1 * sin(6 * x) * cos(4 * z)`.
//!
//! Numbers, coordinates and `pi`; `+ - * / ^` and brackets with their usual ranks; the functions below.

use std::fmt;

/// How deep brackets may stand in brackets.
const DEEPEST: u32 = 64;

type Function = fn(f64) -> f64;
type Operation = fn(f64, f64) -> f64;

/// Functions of one number.
const FUNCTIONS: [(&str, Function); 7] = [
    ("sin", f64::sin),
    ("cos", f64::cos),
    ("tan", f64::tan),
    ("exp", f64::exp),
    ("ln", f64::ln),
    ("sqrt", f64::sqrt),
    ("abs", f64::abs),
];

/// Operations on two numbers; the last two are written as functions.
const OPERATIONS: [(&str, Operation); 7] = [
    ("+", |a, b| a + b),
    ("-", |a, b| a - b),
    ("*", |a, b| a * b),
    ("/", |a, b| a / b),
    ("^", f64::powf),
    ("min", f64::min),
    ("max", f64::max),
];

/// A function of coordinates.
#[derive(Clone)]
pub(crate) enum Formula {
    Number(f64),
    Coordinate(usize),
    Function(Function, Box<Formula>),
    Operation(Operation, Box<[Formula; 2]>),
}

impl Formula {
    /// Reads a formula in which the coordinates have these names, or says what is wrong with it.
    pub(crate) fn read(text: &str, coordinates: &[&str]) -> Result<Formula, String> {
        let mut reader = Reader { rest: text.trim_start(), coordinates, depth: 0 };
        let formula = reader.sum()?;
        match reader.rest {
            "" => Ok(formula),
            rest => Err(format!("`{rest}` is left over")),
        }
    }

    /// Its value at a place.
    pub(crate) fn at(&self, place: &[f64]) -> f64 {
        match self {
            Formula::Number(number) => *number,
            Formula::Coordinate(axis) => place[*axis],
            Formula::Function(function, of) => function(of.at(place)),
            Formula::Operation(operation, of) => operation(of[0].at(place), of[1].at(place)),
        }
    }
}

impl fmt::Debug for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Formula")
    }
}

struct Reader<'a> {
    /// What is not yet read, without leading blanks.
    rest: &'a str,
    coordinates: &'a [&'a str],
    depth: u32,
}

type Read = Result<Formula, String>;

impl<'a> Reader<'a> {
    fn skip(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest.trim_start();
        taken
    }

    /// Reads one of these signs, if it comes next.
    fn sign(&mut self, signs: &str) -> Option<&'a str> {
        let is_next = self.rest.chars().next().is_some_and(|next| signs.contains(next));
        is_next.then(|| self.skip(1))
    }

    fn expect(&mut self, sign: &str) -> Result<(), String> {
        let rest = if self.rest.is_empty() { "the end" } else { self.rest };
        let message = format!("`{sign}` is missing before `{rest}`");
        self.sign(sign).map(|_| ()).ok_or(message)
    }

    /// Terms of one rank, from left to right.
    fn chain(&mut self, signs: &str, term: impl Fn(&mut Self) -> Read) -> Read {
        let mut left = term(self)?;
        while let Some(sign) = self.sign(signs) {
            left = operation(sign, left, term(self)?)?;
        }
        Ok(left)
    }

    fn sum(&mut self) -> Read {
        self.chain("+-", |reader| reader.chain("*/", Self::signed))
    }

    /// −x^2 is −(x^2).
    fn signed(&mut self) -> Read {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(format!("it is nested more than {DEEPEST} deep"));
        }
        let formula = match self.sign("-") {
            Some(_) => operation("-", Formula::Number(0.0), self.signed()?)?,
            None => {
                let base = self.atom()?;
                match self.sign("^") {
                    Some(sign) => operation(sign, base, self.signed()?)?,
                    None => base,
                }
            }
        };
        self.depth -= 1;
        Ok(formula)
    }

    fn atom(&mut self) -> Read {
        if self.sign("(").is_some() {
            let formula = self.sum()?;
            self.expect(")")?;
            return Ok(formula);
        }
        let word = |keep: fn(char) -> bool| self.rest.find(|c| !keep(c)).unwrap_or(self.rest.len());
        let (number, name) = (self.number_length(), word(|c| c.is_ascii_alphanumeric() || c == '_'));
        if number > 0 {
            let digits = self.skip(number);
            return digits.parse().map(Formula::Number).map_err(|_| format!("`{digits}` is no number"));
        }
        match name {
            0 if self.rest.is_empty() => Err("it ends too early".into()),
            0 => Err(format!("`{}` makes no sense", self.rest)),
            length => {
                let name = self.skip(length);
                self.named(name)
            }
        }
    }

    /// How many characters the number that comes next has.
    fn number_length(&self) -> usize {
        let bytes = self.rest.as_bytes();
        let is_sign_of_power =
            |k: usize| k > 0 && matches!(bytes[k - 1], b'e' | b'E') && matches!(bytes[k], b'+' | b'-');
        let belongs = |k: usize| match bytes[k] {
            b'0'..=b'9' | b'.' => true,
            b'e' | b'E' => k > 0,
            _ => is_sign_of_power(k),
        };
        (0..bytes.len()).take_while(|&k| belongs(k)).count()
    }

    fn named(&mut self, name: &str) -> Read {
        if let Some(axis) = self.coordinates.iter().position(|coordinate| *coordinate == name) {
            return Ok(Formula::Coordinate(axis));
        }
        if name == "pi" {
            return Ok(Formula::Number(std::f64::consts::PI));
        }
        if let Some((_, function)) = FUNCTIONS.iter().find(|(known, _)| *known == name) {
            self.expect("(")?;
            let of = self.sum()?;
            self.expect(")")?;
            return Ok(Formula::Function(*function, Box::new(of)));
        }
        if matches!(name, "min" | "max") {
            self.expect("(")?;
            let first = self.sum()?;
            self.expect(",")?;
            let second = self.sum()?;
            self.expect(")")?;
            return operation(name, first, second);
        }
        let functions: Vec<_> = FUNCTIONS.iter().map(|(name, _)| *name).collect();
        let coordinates = self.coordinates.join(", ");
        Err(format!("`{name}` is not known; there are {coordinates}, pi, {}, min and max", functions.join(", ")))
    }
}

fn operation(sign: &str, left: Formula, right: Formula) -> Read {
    let operation = OPERATIONS.iter().find(|(known, _)| *known == sign);
    let (_, operation) = operation.ok_or_else(|| format!("`{sign}` makes no sense"))?;
    Ok(Formula::Operation(*operation, Box::new([left, right])))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> f64 {
        Formula::read(text, &["x", "z"]).unwrap().at(&[2.0, 3.0])
    }

    #[test]
    fn formulas_have_the_values_worked_by_hand() {
        for (text, expected) in [
            ("1 + 2 * 3", 7.0),
            ("(1 + 2) * 3", 9.0),
            ("10 - 4 - 3", 3.0),
            ("12 / 3 / 2", 2.0),
            ("2 ^ 3 ^ 2", 512.0),
            ("-x ^ 2", -4.0),
            ("2 ^ -1", 0.5),
            ("x * z - 1.5e-1", 5.85),
            ("1E+2", 100.0),
            (" sin( pi / 2 ) + cos(0) ", 2.0),
            ("min(x, z) + max(x, z) * 10", 32.0),
            ("abs(-3) + sqrt(16) + exp(0) + ln(1) + tan(0)", 8.0),
            ("--x", 2.0),
        ] {
            assert!((value(text) - expected).abs() < 1e-12, "{text}: {}", value(text));
        }
    }

    #[test]
    fn what_makes_no_sense_is_said() {
        for (text, expected) in [
            ("", "it ends too early"),
            ("1 +", "it ends too early"),
            ("1 2", "`2` is left over"),
            ("(1", "`)` is missing before `the end`"),
            ("sin 1", "`(` is missing before `1`"),
            ("max(1)", "`,` is missing before `)`"),
            ("y", "`y` is not known; there are x, z, pi, sin, cos, tan, exp, ln, sqrt, abs, min and max"),
            ("1.2.3", "`1.2.3` is no number"),
            ("$", "`$` makes no sense"),
            ("ä", "`ä` makes no sense"),
        ] {
            assert_eq!(Formula::read(text, &["x", "z"]).unwrap_err(), expected, "{text}");
        }
        let deep = format!("{}1{}", "(".repeat(100_000), ")".repeat(100_000));
        assert!(Formula::read(&deep, &["x", "z"]).unwrap_err().contains("nested"));
        assert!(Formula::read(&"-".repeat(100_000), &["x", "z"]).unwrap_err().contains("nested"));
    }
}

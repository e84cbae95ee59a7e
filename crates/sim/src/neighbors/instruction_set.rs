//! Which vector instructions the pair loop uses.

use std::fmt;
use std::str::FromStr;

use super::simd::{Avx2, Portable};

/// A set of instructions that the pair loop is compiled for. All sets give the same bits: the order of
/// additions is fixed and nothing is fused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstructionSet {
    /// What every processor of the target has.
    Baseline,
    /// 256-bit vectors of x86-64.
    Avx2,
}

impl InstructionSet {
    /// Every set, by falling speed.
    pub const ALL: [InstructionSet; 2] = [InstructionSet::Avx2, InstructionSet::Baseline];

    /// Can this build use the set on this processor?
    pub fn is_available(self) -> bool {
        self.or_baseline().set() == self
    }

    /// The set with the proof that this processor has it, or what every processor has.
    pub(super) fn or_baseline(self) -> Available {
        match self {
            InstructionSet::Baseline => Available::default(),
            InstructionSet::Avx2 => avx2().map_or_else(Available::default, Available::Avx2),
        }
    }

    /// The fastest set of this processor.
    pub fn detect() -> Self {
        Self::ALL.into_iter().find(|set| set.is_available()).unwrap_or(InstructionSet::Baseline)
    }

    /// Its name in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            InstructionSet::Baseline => "baseline",
            InstructionSet::Avx2 => "avx2",
        }
    }
}

#[cfg(all(target_arch = "x86_64", not(feature = "f64")))]
fn avx2() -> Option<Avx2> {
    Avx2::new()
}

/// In double precision there are only plain arrays.
#[cfg(not(all(target_arch = "x86_64", not(feature = "f64"))))]
fn avx2() -> Option<Avx2> {
    None
}

/// An instruction set that this processor has, with the proof.
#[derive(Clone, Copy, Debug)]
pub enum Available {
    /// What every processor of the target has.
    Baseline(Portable),
    /// 256-bit vectors of x86-64.
    Avx2(Avx2),
}

impl Default for Available {
    fn default() -> Self {
        Available::Baseline(Portable)
    }
}

impl Available {
    /// Which it is.
    pub(super) fn set(self) -> InstructionSet {
        match self {
            Available::Baseline(_) => InstructionSet::Baseline,
            Available::Avx2(_) => InstructionSet::Avx2,
        }
    }
}

/// Does `$work` with the `$set` of an [`Available`], compiled for each: the one place where a set is chosen.
#[doc(hidden)]
#[macro_export]
macro_rules! with_set {
    ($available:expr, |$set:ident| $work:expr) => {
        match $available {
            $crate::dispatch::Available::Baseline($set) => $work,
            $crate::dispatch::Available::Avx2($set) => $work,
        }
    };
}

impl fmt::Display for InstructionSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for InstructionSet {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let set = Self::ALL.into_iter().find(|set| set.name() == name);
        let set = set.ok_or_else(|| format!("`{name}` is no instruction set; use `avx2` or `baseline`"))?;
        if set.is_available() { Ok(set) } else { Err(format!("this processor has no {set}; use `baseline`")) }
    }
}

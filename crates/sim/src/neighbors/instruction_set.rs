//! Which vector instructions the pair loop uses.

use std::fmt;
use std::str::FromStr;

use super::simd::Avx2;

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
        match self {
            InstructionSet::Baseline => true,
            InstructionSet::Avx2 => Self::avx2().is_some(),
        }
    }

    /// The permission to use AVX2. In double precision there are only plain arrays.
    #[cfg(all(target_arch = "x86_64", not(feature = "f64")))]
    pub(crate) fn avx2() -> Option<Avx2> {
        Avx2::new()
    }

    #[cfg(not(all(target_arch = "x86_64", not(feature = "f64"))))]
    pub(crate) fn avx2() -> Option<Avx2> {
        None
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

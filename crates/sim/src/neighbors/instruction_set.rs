//! Which vector instructions the pair loop uses.

use std::fmt;
use std::str::FromStr;

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

    /// Has this processor the set?
    pub fn is_available(self) -> bool {
        match self {
            InstructionSet::Baseline => true,
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2 => std::arch::is_x86_feature_detected!("avx2"),
            #[cfg(not(target_arch = "x86_64"))]
            InstructionSet::Avx2 => false,
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

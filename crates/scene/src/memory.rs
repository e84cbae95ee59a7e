//! How much memory this computer has, or this program may take of it.

use std::fs;

/// Where a container says how much it may take, for the two versions of control groups.
const LIMITS: [&str; 2] = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];

/// In bytes; none if the system does not say.
pub(crate) fn total() -> Option<f64> {
    let number = |text: String| text.trim().parse::<f64>().ok();
    let limits = LIMITS.iter().filter_map(|file| fs::read_to_string(file).ok().and_then(number));
    limits.chain(installed()).min_by(f64::total_cmp)
}

fn installed() -> Option<f64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    Some(line.trim().trim_end_matches("kB").trim().parse::<f64>().ok()? * 1024.0)
}

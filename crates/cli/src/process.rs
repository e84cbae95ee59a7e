//! What the system says about this process, memory and processor time, and about its own memory. Nothing where it does not say.

use std::fs;

/// Bytes of memory that are resident now.
pub(crate) fn resident_bytes() -> Option<u64> {
    status("VmRSS:")
}

/// The most bytes that were resident since [`forget_peak`].
pub(crate) fn peak_resident_bytes() -> Option<u64> {
    status("VmHWM:")
}

/// Starts a new record of the most memory, where the system can: else that of an earlier case would hide it.
pub(crate) fn forget_peak() {
    let _ = fs::write("/proc/self/clear_refs", "5");
}

/// Bytes of memory that this process may still have.
pub(crate) fn available_bytes() -> Option<u64> {
    line("/proc/meminfo", "MemAvailable:")
}

/// Processor time of all threads so far [s].
pub(crate) fn processor_seconds() -> Option<f64> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // The second field is the program's name in brackets, and may hold anything.
    let fields: Vec<_> = stat.rsplit(')').next()?.split_whitespace().collect();
    let ticks = |field: usize| fields.get(field)?.parse::<f64>().ok();
    // In user code and in the system; Linux counts hundredths of a second for programs on every machine.
    Some((ticks(11)? + ticks(12)?) * 0.01)
}

fn status(name: &str) -> Option<u64> {
    line("/proc/self/status", name)
}

/// The bytes in a line of a file that counts in KiB.
fn line(file: &str, name: &str) -> Option<u64> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn new_memory_is_seen() {
        // Tests beside this one give back memory of their own: more than they have, and once without them is enough.
        let is_seen = || {
            forget_peak();
            let before = resident_bytes().unwrap();
            let block = std::hint::black_box(vec![1_u8; 512 << 20]);
            let resident = resident_bytes().unwrap();
            drop(block);
            [resident, peak_resident_bytes().unwrap()].into_iter().all(|bytes| bytes >= before + (500 << 20))
        };
        assert!((0..20).any(|_| is_seen()));
        assert!(processor_seconds().unwrap() > 0.0);
    }
}

//! Files that claim to hold more than they do cost no memory.

use std::alloc::{GlobalAlloc, Layout, System};
use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};

use thixo_frames::{
    CheckpointError, CheckpointRef, FrameError, FrameInfo, read_checkpoint, read_native, write_checkpoint, write_native,
};
use thixo_sim::{Particles, Settings, Simulation};

/// The largest piece of memory ever asked for.
static LARGEST: AtomicUsize = AtomicUsize::new(0);

struct Watched;

// SAFETY: everything is passed on to the system's allocator as it came.
unsafe impl GlobalAlloc for Watched {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LARGEST.fetch_max(layout.size(), Ordering::Relaxed);
        // SAFETY: as promised by the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as promised by the caller.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Watched = Watched;

fn with_right_checksum(mut data: Vec<u8>) -> Vec<u8> {
    let end = data.len() - 4;
    let checksum = crc32fast::hash(&data[..end]);
    data[end..].copy_from_slice(&checksum.to_le_bytes());
    data
}

fn overwrite(data: &mut [u8], at: usize, count: u64) {
    data[at..at + 8].copy_from_slice(&count.to_le_bytes());
}

#[test]
fn claimed_counts_are_not_believed() {
    let folder = tempfile::tempdir().unwrap();
    let particles = Particles::zeroed(10);
    let path = folder.path().join("000000.thixo");
    write_native(&path, FrameInfo { frame: 0, time: 0.0 }, &particles, 10).unwrap();
    let frame = fs::read(&path).unwrap();

    let state = Simulation::new(Settings::default(), Vec::new()).unwrap().state();
    let reference =
        CheckpointRef { version: "", instruction_set: "", state: &state, particles: &particles, caller: &[] };
    let checkpoint = fs::read(write_checkpoint(folder.path(), &reference).unwrap()).unwrap();
    let density = checkpoint.windows(7).position(|bytes| bytes == b"density").unwrap();

    LARGEST.store(0, Ordering::Relaxed);
    for claim in [1 << 24, 1 << 33, 1 << 40, 1 << 62, u64::MAX] {
        let mut lying = frame.clone();
        overwrite(&mut lying, 16, claim);
        fs::write(&path, with_right_checksum(lying)).unwrap();
        assert!(matches!(read_native(&path), Err(FrameError::Damaged { .. })));

        // After the name come type and components, then the rows and the size that is stored.
        for (place, cut_short) in [(density + 7 + 8, false), (density + 7 + 16, true)] {
            let mut lying = checkpoint.clone();
            overwrite(&mut lying, place, claim);
            fs::write(&path, with_right_checksum(lying)).unwrap();
            match read_checkpoint(&path) {
                Err(CheckpointError::Damaged { .. }) => assert!(!cut_short),
                Err(CheckpointError::Truncated { .. }) => assert!(cut_short),
                other => panic!("claim {claim}: {other:?}"),
            }
        }
    }
    assert!(LARGEST.load(Ordering::Relaxed) < 1 << 20, "{LARGEST:?} bytes at once");
}

//! Data for the tests of this crate.

use std::io::{self, Write};

use thixo_sim::{Body, BodyKind, Clock, Lists, Memory, Particles, Real, State, ValuesMut, Vec3};

use crate::layout::write_rows;

/// Particles with bits as they come, undefined numbers included; identifiers are unique and in no order.
pub(crate) fn particles(count: usize) -> Particles {
    let mut random = Random(count as u64 + 1);
    let mut particles = Particles::zeroed(count);
    for (_, values) in particles.columns_mut() {
        match values {
            ValuesMut::Scalar(values) => values.fill_with(|| random.real()),
            ValuesMut::Vector(values) => values.fill_with(|| Vec3::from_array([0; 3].map(|_| random.real()))),
            ValuesMut::Index(values) => values.fill_with(|| random.next() as u32),
        }
    }
    let mut ids: Vec<(u64, u32)> = (0..count as u32).map(|id| (random.next(), 7 * id)).collect();
    ids.sort_unstable();
    particles.id = ids.into_iter().map(|(_, id)| id).collect();
    particles
}

/// A state after so many steps.
pub(crate) fn state(step: u64) -> State {
    let body = Body::new("drop".into(), BodyKind::Matter, 3);
    let clock = Clock { time: 0.1 * step as f64, step, last_dt: Real::MIN_POSITIVE };
    let memory = Memory::default();
    let lists = Lists { skin: 0.01, pace: 0.1 };
    State {
        clock,
        bodies: vec![body],
        emitters: Vec::new(),
        sinks: Vec::new(),
        next_id: 9,
        bonds: Vec::new(),
        changed: false,
        is_stale: false,
        memory,
        lists,
    }
}

/// The bits of every column.
pub(crate) fn bits(particles: &Particles) -> Vec<Vec<u8>> {
    let column_bits = |values| {
        let mut bits = Vec::new();
        write_rows(&mut bits, values, 0..particles.len()).unwrap();
        bits
    };
    particles.columns().map(|(_, values)| column_bits(values)).collect()
}

/// A file with its checksum put right after a change.
pub(crate) fn with_right_checksum(mut data: Vec<u8>) -> Vec<u8> {
    let end = data.len() - size_of::<u32>();
    let checksum = crc32fast::hash(&data[..end]);
    data[end..].copy_from_slice(&checksum.to_le_bytes());
    data
}

/// A disk with room for so many bytes.
pub(crate) struct Disk<W> {
    pub(crate) file: W,
    pub(crate) room: usize,
}

impl<W: Write> Write for Disk<W> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        if self.room == 0 && !data.is_empty() {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let written = self.file.write(&data[..data.len().min(self.room)])?;
        self.room -= written;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// A linear congruential generator with its low bits left out (Knuth's constants).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        self.0 >> 32
    }

    fn real(&mut self) -> Real {
        Real::from_le_bytes(std::array::from_fn(|_| self.next() as u8))
    }
}

//! What the command promises, held against the real binary: exit codes, what goes where, whole files, locks, and
//! above all the same bits however often a run is stopped.

#![allow(clippy::unwrap_used, clippy::panic, reason = "what helps the tests may fail them")]

mod changes;
mod columns;
mod commands;
mod elastic_contact;
mod ends;
mod energy;
mod folders;
mod full_disk;
mod gallery;
mod interrupts;
mod kills;
mod pictures;
mod rigid;
mod same_bits;
mod sandbox;
mod skins;
mod strangers;
mod surfaces;
mod validation;

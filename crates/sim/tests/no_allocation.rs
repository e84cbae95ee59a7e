//! A step allocates nothing once it has warmed up.
//!
//! Alone in its file: the counting allocator sees every thread of the process.

#![allow(clippy::unwrap_used, reason = "a test asserts by unwrapping, in its helpers too")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

#[path = "laws/suite/mod.rs"]
#[allow(
    dead_code,
    unused_imports,
    unused_macros,
    reason = "the worlds are shared with the laws, which use more of them"
)]
mod suite;

#[path = "laws/dye.rs"]
mod dye;

use suite::worlds;
use thixo_sim::{
    Iisph, ImplicitViscosity, NewEmitter, NewSink, Opening, Pressure, Region, RegionBox, Simulation, Vec3, Viscosity,
};

struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: forwards to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promises are passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

#[test]
fn step_allocates_nothing() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    pool.install(|| {
        // A dam that breaks: neighbourhoods change all the time, and memory is put in order twice.
        let tank = || worlds::Tank { cavity: [30, 16, 10], fluid: [12, 14, 10], ..worlds::Tank::default() };
        allocates_nothing(&tank().recipe(), 120, 220);
        for pressure in worlds::incompressible() {
            allocates_nothing(&worlds::Tank { pressure, ..tank() }.recipe(), 105, 100);
        }
        // Honey that is solved for, alone and with elastic bodies that fall into it.
        let viscosity = Viscosity::Implicit(ImplicitViscosity { dynamic_viscosity: 100.0 });
        let pressure = Pressure::Iisph(Iisph::default());
        allocates_nothing(&worlds::Tank { pressure, viscosity: viscosity.clone(), ..tank() }.recipe(), 105, 100);
        let mut sticky = worlds::jellies();
        sticky.materials[0].fluid.viscosity = viscosity;
        allocates_nothing(&sticky, 105, 100);
        // Elastic bodies, solved explicitly and implicitly, that fall into water.
        allocates_nothing(&worlds::jellies(), 105, 100);
        // Fluid that comes in and goes out, as much of one as of the other.
        for pressure in [vec![worlds::Tank::default().pressure], worlds::incompressible().to_vec()].concat() {
            steps_allocate_nothing(stream(pressure), 600, 100);
        }
        // A process with a column of its own.
        let mut coloured = suite::simulation(&tank().recipe()).unwrap();
        coloured.add_process(Box::new(dye::Dye::new(1e-3)));
        steps_allocate_nothing(coloured, 120, 100);
    });
}

/// A stream from an emitter into a sink.
fn stream(pressure: Pressure) -> Simulation {
    let mut world =
        worlds::Tank { cavity: [20, 10, 6], fluid: [20, 0, 6], pressure, ..worlds::Tank::default() }.recipe();
    world.settings.gravity = Vec3::ZERO;
    let mut simulation = suite::simulation(&world).unwrap();
    let opening = Opening::Disc { centre: [0.3, 0.25, 0.15], normal: [1.0, 0.0, 0.0], radius: 0.1 };
    simulation.add_emitter(NewEmitter { name: "tap".into(), opening, ..NewEmitter::default() }).unwrap();
    let region = Region::Box(RegionBox { min: [0.7, 0.0, 0.0], max: [1.0, 0.5, 0.3] });
    let sink = NewSink { name: "drain".into(), region, outside: false, from: 0.0, until: f64::INFINITY };
    simulation.add_sink(sink).unwrap();
    simulation.reserve(2000);
    simulation
}

#[track_caller]
fn allocates_nothing(world: &suite::Recipe, warm_up: usize, steps: usize) {
    steps_allocate_nothing(suite::simulation(world).unwrap(), warm_up, steps);
}

#[track_caller]
fn steps_allocate_nothing(mut simulation: Simulation, warm_up: usize, steps: usize) {
    simulation.watch_energy();
    for _ in 0..warm_up {
        simulation.step().unwrap();
    }
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    assert!(before > 0, "the allocator counts");
    for _ in 0..steps {
        simulation.step().unwrap();
    }
    assert_eq!(ALLOCATIONS.load(Ordering::Relaxed) - before, 0);
}

//! Lists that reach farther serve for more steps: what a step costs with each skin, and what making the lists costs.

use std::time::Instant;

use thixo_sim::{Real, Simulation, StepSize, Vec3};

use crate::block;

/// Steps that are timed for each skin.
const STEPS: usize = 40;

/// Speeds, as shares of the support radius per step, at which a simulation chooses each skin; the last chooses none.
const MOTIONS: [(Real, Real); 4] = [(0.002, 0.04), (0.012, 0.08), (0.03, 0.16), (0.05, 0.0)];

/// What a world with a skin costs [ms].
struct Costs {
    skin: Real,
    listed: f64,
    step: f64,
    listing: f64,
}

pub(crate) fn compare() {
    let mut worlds = MOTIONS.map(|(motion, skin)| World::new(motion, skin));
    // In turn, so that a busy moment of the machine hits all alike.
    for _ in 0..STEPS {
        worlds.iter_mut().for_each(World::step);
    }
    let costs = worlds.map(World::costs);
    println!("lists reused, ms:");
    for Costs { skin, listed, step, listing } in &costs {
        println!(
            "  skin {skin:4} of the support: {listed:5.1} listed, step {step:6.2}, making lists {listing:6.2} more"
        );
    }
    println!("  a step and its share of making lists, at a motion per step in supports:");
    for motion in [0.0005, 0.0025, 0.005, 0.015, 0.03] {
        let average = |cost: &Costs| {
            // Lists serve until the fastest particle has moved by half the skin.
            let steps = (0.5 * f64::from(cost.skin) / motion).floor() + 1.0;
            cost.step + cost.listing / steps
        };
        let texts: Vec<_> = costs.iter().map(|cost| format!("{:4}: {:6.2}", cost.skin, average(cost))).collect();
        println!("  motion {motion:6}   skin {}", texts.join("   "));
    }
}

/// A world that moves at a speed that chooses a skin, and the best times of its steps [ms].
struct World {
    simulation: Simulation,
    skin: Real,
    with_listing: f64,
    without: f64,
}

impl World {
    fn new(motion: Real, skin: Real) -> World {
        let dt = 1e-4;
        let support = 2.1 * crate::SPACING;
        let mut simulation = block(Vec3::new(motion * support / dt, 0.0, 0.0), StepSize::Fixed(dt));
        for _ in 0..3 {
            simulation.step().unwrap();
        }
        World { simulation, skin, with_listing: f64::INFINITY, without: f64::INFINITY }
    }

    fn step(&mut self) {
        let before = self.simulation.particles().listed[0];
        let start = Instant::now();
        self.simulation.step().unwrap();
        let time = start.elapsed().as_secs_f64() * 1e3;
        let has_listed = self.simulation.particles().listed[0] != before;
        let best = if has_listed { &mut self.with_listing } else { &mut self.without };
        *best = best.min(time);
    }

    fn costs(self) -> Costs {
        let World { simulation, skin, with_listing, without } = self;
        let listed = simulation.pairs().listed() as f64 / simulation.matter().len() as f64;
        // Without a skin every step makes lists.
        let every = without.is_infinite();
        let (step, listing) = if every { (with_listing, 0.0) } else { (without, with_listing - without) };
        Costs { skin, listed, step, listing }
    }
}

//! Impacts of elastic bodies: what bounces gains nothing, and what is struck moves as a rigid body would.

use glam::DVec3;
use thixo_sim::measure::{Totals, centre};
use thixo_sim::{
    BodyId, Dfsph, Dimension, Elastic, Iisph, Implicit, Material, NewBody, NewWall, Pcisph, Penalty, Pressure, Real,
    Settings, StVenantKirchhoff, Vec3,
};

use super::worlds::lattice;
use super::{Recipe, Run, Stepper};

/// A body, and what keeps it off others.
struct Way {
    name: &'static str,
    elastic: fn(Real) -> Elastic,
    pressure: Pressure,
}

fn explicit(young: Real) -> Elastic {
    Elastic::StVenantKirchhoff(StVenantKirchhoff { young_modulus: Some(young), ..StVenantKirchhoff::default() })
}

fn implicit(young: Real) -> Elastic {
    Elastic::Implicit(Implicit { young_modulus: Some(young), ..Implicit::default() })
}

/// Those that gain nothing. Not among them: predictor-corrector contact with a floor, and explicit bodies under pressures that
/// are solved for, both of which undo an overlap by a share in every step, however short.
fn ways() -> Vec<Way> {
    let way = |name, elastic: fn(Real) -> Elastic, pressure| Way { name, elastic, pressure };
    vec![
        way("explicit, penalty", explicit, Pressure::Penalty(Penalty::default())),
        way("explicit, wcsph", explicit, Pressure::default()),
        way("implicit, iisph", implicit, Pressure::Iisph(Iisph::default())),
        way("implicit, dfsph", implicit, Pressure::Dfsph(Dfsph::default())),
        way("implicit, penalty", implicit, Pressure::Penalty(Penalty::default())),
    ]
}

impl Way {
    fn moving(&self) -> Moving {
        if self.name.starts_with("explicit") { Moving::Leapfrog } else { Moving::Solved }
    }

    fn world(&self, dimension: Dimension, spacing: Real, young: Real) -> Recipe {
        let pressure = self.pressure.clone();
        let settings = Settings { spacing, dimension, pressure, gravity: Vec3::ZERO, ..Settings::default() };
        Recipe::new(settings, vec![Material { elastic: Some((self.elastic)(young)), ..Material::default() }])
    }
}

fn add(world: &mut Recipe, position: Vec<Vec3>, velocity: Vec3) -> u32 {
    let (name, velocity) = (format!("body {}", world.things.len()), vec![velocity]);
    world.add(NewBody { name, position, velocity, ..NewBody::default() })
}

/// A lattice cut to a ball.
fn ball(dimension: Dimension, spacing: Real, middle: Vec3, radius: Real) -> Vec<Vec3> {
    let count = (radius / spacing).ceil() as i32;
    let depth = if dimension == Dimension::Two { 0 } else { 2 * count };
    let corner = [-count, -count, if depth == 0 { 0 } else { -count }];
    let all = lattice(spacing, corner, [2 * count, 2 * count, depth]);
    all.into_iter().filter(|x| x.length() < radius).map(|x| x + middle).collect()
}

/// Which velocities move.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Moving {
    /// Those of the leapfrog, half a step before the column.
    Leapfrog,
    /// Those of the column, from accelerations of the positions before.
    SymplecticEuler,
    /// Those that bodies and pressures are solved for.
    Solved,
}

/// Follows the energy that an integrator keeps where forces are linear, or takes from, over that of the start: the total where all
/// is solved for, otherwise
///
/// ```text
/// ½ Σ m v(n−½)·v(n+½) + U(x(n))
/// ```
///
/// with the velocities that move, before and after. Those that belong to the positions are predictions there: of waves as short as
/// the spacing they have up to three times the energy.
pub(super) struct Energy {
    way: Moving,
    last_velocity: Vec<Vec3>,
    start: f64,
    pub(super) most: f64,
    last: f64,
}

impl Energy {
    pub(super) fn new<S: Stepper>(way: Moving, simulation: &S) -> Self {
        let last_velocity = simulation.particles().velocity.clone();
        Energy { way, last_velocity, start: simulation.totals().energy(), most: 0.0, last: 0.0 }
    }

    /// Makes a step.
    pub(super) fn follow<S: Stepper>(&mut self, simulation: &mut S, until: f64) {
        let before = simulation.totals();
        let dt = simulation.step_until(until).unwrap().dt;
        let particles = simulation.particles();
        let half = if self.way == Moving::Leapfrog { 0.5 * dt } else { 0.0 };
        let mut twice = 0.0;
        // Memory leaves bonded particles where they are.
        for i in simulation.matter() {
            let velocity = particles.velocity[i] - half * particles.acceleration[i];
            twice += f64::from(particles.mass(i) * velocity.dot(self.last_velocity[i]));
            self.last_velocity[i] = velocity;
        }
        let energy = match self.way {
            Moving::Solved => simulation.totals().energy(),
            _ => before.deformation + before.compression + 0.5 * twice,
        };
        self.last = energy / self.start;
        self.most = self.most.max(self.last);
    }
}

pub(super) fn totals_of<S: Stepper>(simulation: &S, body: u32) -> Totals {
    simulation.measure(|simulation| Totals::of(simulation, Some(BodyId { slot: body, generation: 0 })))
}

/// A ball against the floor, and against a ball half as large: the largest energy on the way and the energy at the end,
/// over that of the start; and the speed of the ball after the impact, over that before.
fn bounce<S: Stepper>(way: &Way, dimension: Dimension, spacing: Real, on_floor: bool) -> [f64; 3] {
    let mut world = way.world(dimension, spacing, 1e6);
    let radius = 0.1;
    let first = add(&mut world, ball(dimension, spacing, Vec3::Y * (radius + spacing), radius), Vec3::NEG_Y);
    if on_floor {
        let (cells, depth) =
            ((0.4 / spacing) as i32, if dimension == Dimension::Two { 0 } else { (0.4 / spacing) as i32 });
        let position = lattice(spacing, [-cells / 2, -2, -depth / 2], [cells, 2, depth]);
        let to_surface = position.iter().map(|x| Vec3::Y * -x.y).collect();
        world.add(NewWall { name: "floor".into(), position, to_surface, ..NewWall::default() });
    } else {
        let middle = Vec3::new(0.03, -0.5 * radius - spacing, 0.0);
        add(&mut world, ball(dimension, spacing, middle, 0.5 * radius), Vec3::Y);
    }
    let mut simulation: S = world.prepared();
    let (mut energy, before) = (Energy::new(way.moving(), &simulation), totals_of(&simulation, first).momentum);
    while simulation.time() < 0.15 {
        energy.follow(&mut simulation, 0.15);
    }
    let after = totals_of(&simulation, first).momentum;
    [energy.most, energy.last, after.y / -before.y]
}

pub(crate) fn balls_that_bounce_gain_nothing<S: Stepper>() {
    for way in ways() {
        for (dimension, spacing) in [(Dimension::Two, 0.02), (Dimension::Two, 0.01), (Dimension::Three, 0.025)] {
            for on_floor in [true, false] {
                let [most, end, speed] = bounce::<S>(&way, dimension, spacing, on_floor);
                let name = format!("{}, {dimension:?}, {spacing} m, floor {on_floor}", way.name);
                println!("{name}: energy at most {most:.4}, at the end {end:.4}, speed after {speed:.3}");
                assert!(most < 1.001 && end < 1.001, "{name}: {most} {end}");
                assert!(speed < 1.001, "{name}: {speed}");
            }
        }
    }
}

/// What a struck rod does, by what a rigid one would; and the energy at the end, over that of the start.
struct Struck {
    spin: f64,
    speed: f64,
    energy: f64,
    most: f64,
    steps: u64,
}

/// The identifiers of the particles at both ends of a rod, 1 m long from the origin.
fn rod_ends<S: Stepper>(simulation: &S, rod: u32, spacing: Real) -> [Vec<u32>; 2] {
    [true, false].map(|left| {
        let particles = simulation.particles();
        let is_end = |x: Real| if left { x < spacing } else { x > 1.0 - spacing };
        let own = simulation.matter().filter(|&i| particles.body[i] == rod && is_end(particles.position[i].x));
        let mut ids: Vec<_> = own.map(|i| particles.id[i]).collect();
        ids.sort_unstable();
        ids
    })
}

/// By how much the line between two groups of particles is turned.
fn angle_between<S: Stepper>(simulation: &S, ends: &[Vec<u32>; 2]) -> f64 {
    let [a, b] = [&ends[0], &ends[1]].map(|ids| simulation.measure(|simulation| centre(simulation, ids)));
    (b - a).y.atan2((b - a).x)
}

/// Points through which a straight line is laid.
#[derive(Default)]
struct Line(Vec<(f64, f64)>);

impl Line {
    fn add(&mut self, x: f64, y: f64) {
        self.0.push((x, y));
    }

    fn slope(&self) -> f64 {
        let count = self.0.len() as f64;
        let mean = self.0.iter().fold((0.0, 0.0), |sum, (x, y)| (sum.0 + x / count, sum.1 + y / count));
        let off = || self.0.iter().map(|(x, y)| (x - mean.0, y - mean.1));
        off().map(|(x, y)| x * y).sum::<f64>() / off().map(|(x, _)| x * x).sum::<f64>()
    }
}

/// A free rod of G = 2e7, 1 m long, struck at its tip by a small block with 1 m/s.
fn strike<S: Stepper>(way: &Way, dimension: Dimension, spacing: Real) -> Struck {
    let mut world = way.world(dimension, spacing, 5.2e7);
    let cells = |length: Real| (length / spacing).round() as i32;
    let depth = if dimension == Dimension::Two { 0 } else { cells(0.1) };
    let rod = add(&mut world, lattice(spacing, [0, 0, 0], [cells(1.0), cells(0.1), depth]), Vec3::ZERO);
    let block = lattice(spacing, [cells(0.9), cells(0.1) + 1, 0], [cells(0.1), cells(0.1), depth]);
    let striker = add(&mut world, block, Vec3::NEG_Y);
    let mut simulation: S = world.prepared();
    let ends = rod_ends(&simulation, rod, spacing);
    let (mut energy, before) = (Energy::new(way.moving(), &simulation), totals_of(&simulation, striker));
    let middle = totals_of(&simulation, rod).centre();
    let particles = simulation.particles();
    let inertia: f64 = simulation
        .matter()
        .filter(|&i| particles.body[i] == rod)
        .map(|i| {
            let off = DVec3::from_array(particles.position[i].to_array().map(f64::from)) - middle;
            f64::from(particles.mass(i)) * (off.x * off.x + off.y * off.y)
        })
        .sum();
    // Over whole periods of the first bending mode, 43 ms: from 0.07 s, when they have parted.
    let (from, until) = (0.07, 0.07 + 4.0 * 0.043);
    let mut line = Line::default();
    while simulation.time() < until {
        energy.follow(&mut simulation, until);
        if simulation.time() > from {
            line.add(simulation.time(), angle_between(&simulation, &ends));
        }
    }
    let after = totals_of(&simulation, striker);
    let impulse = (before.momentum - after.momentum).y;
    let arm = before.centre().x - middle.x;
    let moved = totals_of(&simulation, rod);
    Struck {
        spin: line.slope() / (impulse * arm / inertia),
        speed: moved.momentum.y / impulse,
        energy: energy.last,
        most: energy.most,
        steps: simulation.steps(),
    }
}

pub(crate) fn a_rod_that_is_struck_spins_as_a_rigid_one<S: Stepper>() {
    for way in ways() {
        for (dimension, spacing) in [(Dimension::Two, 0.02), (Dimension::Three, 0.025)] {
            let Struck { spin, speed, energy, most, steps } = strike::<S>(&way, dimension, spacing);
            let name = format!("{}, {dimension:?}, {spacing} m", way.name);
            println!(
                "{name}: spin {spin:.4}, speed {speed:.4} of the rigid rod, energy at most {most:.4}, at the end \
                 {energy:.4}, {steps} steps"
            );
            assert!((spin - 1.0).abs() < 0.1 && (speed - 1.0).abs() < 0.02, "{name}: {spin} {speed}");
            // The leapfrog follows springs that come and go within some steps to half a per cent, too much or too little; in
            // steps half as long nothing is gained.
            let most_allowed = if way.moving() == Moving::Leapfrog { 1.003 } else { 1.001 };
            assert!(most < most_allowed && energy < most_allowed, "{name}: {most} {energy}");
        }
    }
}

/// The same struck by a jet of water, 0.1 m wide and 0.4 m long, with 3 m/s: by what the jet has lost, of momentum and of angular
/// momentum, and never with more energy than before.
pub(crate) fn a_rod_that_a_jet_strikes_spins_as_a_rigid_one<S: Stepper>() {
    let spacing: Real = 0.02;
    let cells = |length: Real| (length / spacing).round() as i32;
    for pressure in
        [Pressure::Iisph(Iisph::default()), Pressure::Dfsph(Dfsph::default()), Pressure::Pcisph(Pcisph::default())]
    {
        let way = Way { name: "implicit", elastic: implicit, pressure };
        let mut world = way.world(Dimension::Two, spacing, 5.2e7);
        world.materials.push(Material::default());
        let rod = add(&mut world, lattice(spacing, [0, 0, 0], [cells(1.0), cells(0.1), 0]), Vec3::ZERO);
        let jet = lattice(spacing, [cells(0.88), cells(0.1) + 1, 0], [cells(0.1), cells(0.4), 0]);
        let jet = NewBody {
            name: "jet".into(),
            material: 1,
            position: jet,
            velocity: vec![Vec3::NEG_Y * 3.0],
            ..NewBody::default()
        };
        let jet = world.add(jet);
        let mut simulation: S = world.prepared();
        let (start, before) = (simulation.totals().energy(), totals_of(&simulation, jet));
        let ends = rod_ends(&simulation, rod, spacing);
        let (mut most, mut line) = (0.0_f64, Line::default());
        while simulation.time() < 0.4 {
            simulation.step_until(0.4).unwrap();
            most = most.max(simulation.totals().energy() / start);
            // Over whole periods of the first bending mode, 43 ms, after the jet has left.
            if simulation.time() > 0.4 - 4.0 * 0.043 {
                line.add(simulation.time(), angle_between(&simulation, &ends));
            }
        }
        let (after, moved) = (totals_of(&simulation, jet), totals_of(&simulation, rod));
        let lost = before.momentum - after.momentum;
        let turn = before.angular_momentum - after.angular_momentum - moved.centre().cross(lost);
        let inertia = moved.mass * (1.0 + 0.1 * 0.1) / 12.0;
        let (spin, speed) = (line.slope() / (turn.z / inertia), moved.momentum.y / lost.y);
        println!("{:?}: spin {spin:.4}, speed {speed:.5} of the rigid rod, energy at most {most:.4}", way.pressure);
        assert!((spin - 1.0).abs() < 0.1 && (speed - 1.0).abs() < 1e-3, "{:?}: {spin} {speed}", way.pressure);
        assert!(most < 1.001, "{:?}: {most}", way.pressure);
    }
}

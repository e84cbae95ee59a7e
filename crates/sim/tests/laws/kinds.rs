//! A kind of matter of the caller (CONTRIBUTING.md, "a new kind of matter in four moves"): what floats on springs, each
//! particle of which is pulled to a place of its own.

use std::collections::BTreeMap;

use thixo_sim::measure::Totals;
use thixo_sim::{
    BodyId, Dfsph, Force, Kind, Material, MovedBy, NewBody, Pairs, Pressure, Real, Response, Simulation, StepContext,
    Structure, Vec3, Wcsph, World,
};

use crate::suite::bits::assert_same_bits;
use crate::suite::worlds::{Tank, lattice};
use crate::suite::{View, simulation};

const FLOATING: Kind =
    Kind { name: "floating", moved_by: MovedBy::Step, response: Response::Alone, structure: Structure::Loose };

/// Springs from particles to their places, which are known by the numbers that particles keep for life: a = ω² (place − x)
/// − 2 ζ ω v.
struct Springs {
    /// ω [1/s].
    frequency: Real,
    /// ζ [-].
    damping: Real,
    /// Where particles belong [m].
    places: BTreeMap<u32, Vec3>,
}

impl Force for Springs {
    fn add(&mut self, step: &StepContext<'_>, acceleration: &mut [Vec3]) {
        let particles = &step.world.particles;
        for (i, acceleration) in acceleration.iter_mut().enumerate() {
            if let Some(place) = self.places.get(&particles.id[i]) {
                let away = particles.position[i] - *place;
                let braked = particles.velocity[i] * (2.0 * self.damping * self.frequency);
                *acceleration -= away * (self.frequency * self.frequency) + braked;
            }
        }
    }

    fn longest_step(&self, _: &World, _: &Pairs, _: Real) -> Option<Real> {
        Some(0.2 / self.frequency)
    }
}

const FREQUENCY: Real = 15.0;

/// A block of half the density of water on springs, in the midst of water; which body it is.
fn floating(pressure: Pressure) -> (Simulation, BodyId) {
    let tank = Tank { cavity: [16, 20, 0], fluid: [16, 14, 0], pressure, ..Tank::default() };
    let mut recipe = tank.recipe();
    recipe.materials.push(Material { density: 500.0, ..Material::default() });
    let mut simulation = simulation(&recipe).unwrap();
    // The block takes the place of water.
    let water = simulation.bodies().iter().position(|body| body.name == "water").unwrap();
    let [water, generation] = [water as u32, simulation.bodies()[water].generation];
    simulation.remove_body(BodyId { slot: water, generation }).unwrap();
    let is_inside = |x: &Vec3| (x.x - 0.4).abs() < 0.1 && (x.y - 0.3).abs() < 0.1;
    let (block, water) = lattice(0.05, [0, 0, 0], [16, 14, 0]).into_iter().partition(is_inside);
    simulation.add_body(NewBody { name: "water".into(), position: water, ..NewBody::default() }).unwrap();
    let kind = simulation.add_kind(FLOATING);
    let name = "block".into();
    let block = NewBody { name, material: 1, kind, position: block, ..NewBody::default() };
    let block = simulation.add_body(block).unwrap();
    let particles = simulation.particles();
    let places = simulation.particles_of(block).map(|i| (particles.id[i], particles.position[i])).collect();
    simulation.add_force(Box::new(Springs { frequency: FREQUENCY, damping: 0.3, places }));
    (simulation, block)
}

fn solvers() -> [Pressure; 2] {
    [Pressure::Wcsph(Wcsph::default()), Pressure::Dfsph(Dfsph::default())]
}

/// Weight, buoyancy and springs balance: it rests (ρ_water/ρ − 1) g/ω² above its place.
#[test]
fn a_block_on_springs_floats_where_forces_balance() {
    for pressure in solvers() {
        let name = format!("{pressure:?}");
        let (mut simulation, block) = floating(pressure);
        assert_eq!(simulation.particles_of(block).count(), 16);
        simulation.prepare().unwrap();
        let start = Totals::of(&simulation, Some(block)).centre();
        let all = Totals::of(&simulation, None);
        simulation.advance(3.0).unwrap();
        let end = Totals::of(&simulation, Some(block));
        let expected = 9.81 / f64::from(FREQUENCY * FREQUENCY);
        let risen = end.centre().y - start.y;
        assert!((risen / expected - 1.0).abs() < 0.1, "{name}: risen by {risen}, expected {expected}");
        assert!((end.centre().x - start.x).abs() < 0.1 * expected, "{name}");
        let now = Totals::of(&simulation, None);
        assert_eq!(now.mass, all.mass);
        assert!(now.kinetic < 1e-3 * all.potential && now.momentum.length() < 0.01 * now.mass, "{name}: at rest");
    }
}

/// Kinds keep to their segments of memory, also when memory is put in order.
#[test]
fn a_restarted_run_of_a_kind_of_the_caller_equals_the_unbroken_one() {
    for pressure in solvers() {
        let (mut unbroken, block) = floating(pressure.clone());
        for steps in [0, 1, 99, 30] {
            (0..steps).for_each(|_| assert!(unbroken.step().is_ok()));
            let (mut restarted, _) = floating(pressure.clone());
            restarted.restore(unbroken.snapshot()).unwrap();
            for _ in 0..25 {
                unbroken.step().unwrap();
                restarted.step().unwrap();
            }
            assert_same_bits(View::of(&restarted), View::of(&unbroken), &format!("{pressure:?}, {steps} steps on"));
        }
        assert!(unbroken.particles_of(block).eq(0..16), "before what flows");
        let kinds = &unbroken.world().kinds;
        assert_eq!((kinds.solid(), kinds.bonded().len()), (0..16, 0));
        assert!(unbroken.matter().all(|i| (kinds.kind_at(i).name == "floating") == (i < 16)));
    }
}

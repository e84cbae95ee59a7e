//! Laws about plastic flow and fracture, of this crate alone: that runs that are resumed, or made by any number of threads, are the
//! same, and that what flows or breaks gains nothing.

use thixo_sim::measure::Totals;
use thixo_sim::{
    Breaks, Elastic, Implicit, Material, NewBody, NewWall, Plastic, Real, Settings, Simulation, StVenantKirchhoff,
    StepSize, Vec3,
};

use crate::suite::View;
use crate::suite::bits::assert_same_bits;
use crate::suite::worlds::lattice;

const SPACING: Real = 0.05;

fn implicit() -> Elastic {
    Elastic::Implicit(Implicit { young_modulus: Some(5.0e4), ..Implicit::default() })
}

fn explicit() -> Elastic {
    Elastic::StVenantKirchhoff(StVenantKirchhoff { young_modulus: Some(5.0e4), ..StVenantKirchhoff::default() })
}

fn clay(elastic: Elastic) -> Material {
    let plastic = Some(Plastic { yield_strain: 0.01, largest_strain: 0.6 });
    Material { density: 1500.0, elastic: Some(elastic), plastic, ..Material::default() }
}

/// A block of such a material that falls on a floor, spinning, beside another.
fn falling(material: Material) -> Simulation {
    let settings = Settings { spacing: SPACING, ..Settings::default() };
    let mut simulation = Simulation::new(settings, vec![material]).unwrap();
    for x in [0, 9] {
        let position = lattice(SPACING, [x, 1, 0], [6, 5, 5]);
        let spin = |p: &Vec3| Vec3::new(0.0, -2.0, 0.0) + Vec3::new(0.0, 3.0, 1.0).cross(*p);
        let velocity = position.iter().map(spin).collect();
        simulation.add_body(NewBody { name: "block".into(), position, velocity, ..NewBody::default() }).unwrap();
    }
    let position = lattice(SPACING, [-4, -3, -4], [24, 3, 14]);
    let to_surface = position.iter().map(|x| Vec3::Y * (0.0 - x.y)).collect();
    simulation.add_wall(NewWall { name: "floor".into(), position, to_surface, ..NewWall::default() }).unwrap();
    simulation.prepare().unwrap();
    simulation
}

fn largest_plastic_strain(simulation: &Simulation) -> Real {
    simulation.matter().map(|i| simulation.plastic_strain(i)).fold(0.0, Real::max)
}

/// From any step on: what has flowed is in columns.
#[test]
fn a_resumed_run_of_plastic_bodies_equals_the_unbroken_run() {
    for elastic in [implicit(), explicit()] {
        let mut unbroken = falling(clay(elastic.clone()));
        for part in 0..3 {
            unbroken.advance(0.03).unwrap();
            let mut resumed = falling(clay(elastic.clone()));
            resumed.restore(unbroken.snapshot()).unwrap();
            let mark = unbroken.snapshot();
            for _ in 0..20 {
                resumed.step().unwrap();
                unbroken.step().unwrap();
            }
            assert_same_bits(View::of(&resumed), View::of(&unbroken), &format!("part {part}"));
            unbroken.restore(mark).unwrap();
        }
        assert!(largest_plastic_strain(&unbroken) > 0.02, "{}", largest_plastic_strain(&unbroken));
    }
}

#[test]
fn plastic_flow_is_the_same_at_any_number_of_threads() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut simulation = falling(clay(implicit()));
            simulation.advance(0.06).unwrap();
            simulation
        })
    };
    let (one, three) = (run(1), run(3));
    assert_same_bits(View::of(&one), View::of(&three), "one and three threads");
    assert!(largest_plastic_strain(&one) > 0.02);
}

/// Materials without plasticity have no columns for it, and those with a limit that nothing reaches move to the same bits.
#[test]
fn what_does_not_yield_moves_as_if_it_never_could() {
    let elastic = Material { density: 1500.0, elastic: Some(implicit()), ..Material::default() };
    let mut plain = falling(elastic.clone());
    let limits = Plastic { yield_strain: 1.0, largest_strain: 1.0 };
    let mut strong = falling(Material { plastic: Some(limits), ..elastic });
    assert!(plain.particles().own.is_empty());
    for _ in 0..60 {
        plain.step().unwrap();
        strong.step().unwrap();
    }
    assert_eq!(largest_plastic_strain(&strong), 0.0);
    for (a, b) in plain.particles().position.iter().zip(&strong.particles().position) {
        assert_eq!(a.to_array().map(Real::to_bits), b.to_array().map(Real::to_bits));
    }
}

/// In free fall, out of a shape to which it does not return: what is lost of energy was never there, momenta stay.
#[test]
fn plastic_flow_takes_energy_and_no_momentum() {
    for elastic in [implicit(), explicit()] {
        let step = StepSize::Fixed(2e-4);
        let settings = Settings { spacing: SPACING, gravity: Vec3::ZERO, step, ..Settings::default() };
        let mut simulation = Simulation::new(settings, vec![clay(elastic)]).unwrap();
        let undeformed = lattice(SPACING, [-3, -3, -3], [6, 6, 6]);
        let bent = |x: &Vec3| Vec3::new(x.x * 1.05 + 0.8 * x.y * x.y, x.y * 0.98, x.z + 0.3 * x.x * x.y);
        let position: Vec<_> = undeformed.iter().map(bent).collect();
        let velocity = position.iter().map(|x| Vec3::new(0.2, 0.0, 0.0) + Vec3::new(1.0, 2.0, 0.0).cross(*x)).collect();
        let body = NewBody { name: "block".into(), position, velocity, undeformed, ..NewBody::default() };
        simulation.add_body(body).unwrap();
        simulation.prepare().unwrap();
        let start = Totals::of(&simulation, None);
        let mut least = start.energy();
        for _ in 0..400 {
            simulation.step().unwrap();
            let energy = Totals::of(&simulation, None).energy();
            assert!(energy < least + 0.01 * start.energy(), "{least} {energy}");
            least = least.min(energy);
        }
        let end = Totals::of(&simulation, None);
        assert!(end.energy() < 0.95 * start.energy(), "{} {}", start.energy(), end.energy());
        assert!((end.momentum - start.momentum).length() < 1e-5 * start.momentum_scale);
        let arm = start.momentum_scale * 0.15;
        let turned = (end.angular_momentum - start.angular_momentum).length() / arm;
        println!("{turned:.1e} of angular momentum, energy {} of {}", end.energy(), start.energy());
        assert!(turned < 1e-4, "{turned}");
        assert!(largest_plastic_strain(&simulation) > 0.01);
    }
}

/// A bar that is pulled apart by its own speed: its halves fly away from each other.
fn torn(elastic: Elastic) -> Simulation {
    let settings = Settings { spacing: SPACING, gravity: Vec3::ZERO, ..Settings::default() };
    let material = Material { elastic: Some(elastic), breaks: Some(Breaks { stretch: 1.15 }), ..Material::default() };
    let mut simulation = Simulation::new(settings, vec![material]).unwrap();
    let position = lattice(SPACING, [-8, -2, -2], [16, 4, 4]);
    let velocity = position.iter().map(|x| Vec3::new(0.3 + 2.5 * x.x.signum(), 0.2, 0.0)).collect();
    simulation.add_body(NewBody { name: "bar".into(), position, velocity, ..NewBody::default() }).unwrap();
    simulation.prepare().unwrap();
    simulation
}

fn bodies(simulation: &Simulation) -> usize {
    simulation.bodies().iter().filter(|body| !body.is_removed && !body.kind.is_wall()).count()
}

/// What breaks loses energy and no momentum; when it has parted, its pieces do nothing to each other.
#[test]
fn what_breaks_gains_no_energy_and_keeps_its_momentum() {
    for elastic in [implicit(), explicit()] {
        let mut simulation = torn(elastic);
        let start = Totals::of(&simulation, None);
        let (mut least, mut before) = (start.energy(), 1);
        while simulation.time() < 0.15 {
            simulation.step().unwrap();
            let energy = Totals::of(&simulation, None).energy();
            assert!(energy < least + 0.01 * start.energy(), "at {} s: {least} {energy}", simulation.time());
            least = least.min(energy);
            let now = bodies(&simulation);
            assert!(now >= before, "what has broken does not heal");
            before = now;
        }
        let count: usize = simulation.bodies().iter().filter(|body| !body.is_removed).map(|body| body.particles).sum();
        assert!(before >= 2 && count == 256, "{before} bodies of {count} particles");
        let parted = Totals::of(&simulation, None);
        assert!((parted.momentum - start.momentum).length() < 1e-5 * start.momentum_scale);
        let largest = (0..simulation.bodies().len()).max_by_key(|&k| simulation.bodies()[k].particles).unwrap();
        let id = simulation.body_of((0..count).find(|&i| simulation.particles().body[i] == largest as u32).unwrap());
        let name = id.unwrap().name.clone();
        assert_eq!(name, "bar");
        let momentum = |simulation: &Simulation| -> f64 {
            let particles = simulation.particles();
            let own = simulation.matter().filter(|&i| particles.body[i] == largest as u32);
            own.map(|i| f64::from(particles.mass(i) * particles.velocity[i].x)).sum()
        };
        let apart = momentum(&simulation);
        simulation.advance(0.05).unwrap();
        assert!((momentum(&simulation) - apart).abs() < 1e-5 * start.momentum_scale);
        println!("{before} bodies; energy {} of {}", least, start.energy());
    }
}

/// Bonds that are left are state, and so are bodies.
#[test]
fn a_resumed_run_through_fracture_equals_the_unbroken_run() {
    for elastic in [implicit(), explicit()] {
        let mut unbroken = torn(elastic.clone());
        for part in 0..6 {
            unbroken.advance(0.012).unwrap();
            let mut resumed = torn(elastic.clone());
            resumed.restore(unbroken.snapshot()).unwrap();
            let mark = unbroken.snapshot();
            for _ in 0..20 {
                resumed.step().unwrap();
                unbroken.step().unwrap();
            }
            assert_same_bits(View::of(&resumed), View::of(&unbroken), &format!("part {part}"));
            assert_eq!(resumed.state().bonds, unbroken.state().bonds, "part {part}");
            unbroken.restore(mark).unwrap();
        }
        assert!(bodies(&unbroken) > 1);
    }
}

#[test]
fn fracture_is_the_same_at_any_number_of_threads() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut simulation = torn(implicit());
            simulation.advance(0.1).unwrap();
            simulation
        })
    };
    let (one, three) = (run(1), run(3));
    assert_same_bits(View::of(&one), View::of(&three), "one and three threads");
    assert!(bodies(&one) > 1 && one.bodies() == three.bodies());
}

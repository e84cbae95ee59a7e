//! Forces: reaction, torque, rotation, and the energy they are the gradient of.

use super::*;

#[test]
fn every_action_has_its_reaction() {
    for (name, elastic) in models() {
        let forces = forces(&Block::new(&elastic).deformed(bend));
        let total: glam::DVec3 = forces.iter().map(|&f| wide(f)).sum();
        let scale: f64 = forces.iter().map(|&f| wide(f).length()).sum();
        assert!(scale > 1.0, "{name}: {scale}");
        assert!(total.length() < f64::from(EXACT) * 0.1 * scale, "{name}: {} of {scale}", total.length());
    }
}

#[test]
fn only_plain_sph_leaves_a_torque() {
    for (name, elastic) in models() {
        let simulation = Block::new(&elastic).deformed(bend);
        let particles = simulation.particles();
        let torques = forces(&simulation).into_iter().zip(&particles.position).map(|(f, &x)| wide(x).cross(wide(f)));
        let torques: Vec<_> = torques.collect();
        let total: glam::DVec3 = torques.iter().sum();
        let share = total.length() / torques.iter().map(|t| t.length()).sum::<f64>();
        println!("{name}: torque {share:.1e} of its parts");
        assert_eq!(share < f64::from(EXACT), !name.starts_with("sph"), "{name}: {share}");
    }
}

#[test]
fn rigid_motion_costs_nothing_but_in_plain_sph() {
    let axis = Vec3::new(0.48, -0.6, 0.64);
    for (name, elastic) in models() {
        for degrees in [30.0 as Real, 90.0, 179.0] {
            let turn = Mat3::from_axis_angle(axis, degrees.to_radians());
            let simulation = Block::new(&elastic).deformed(|x| turn * x + Vec3::new(0.3, -0.1, 0.2));
            let worst = largest(&forces(&simulation)) / (YOUNG * SPACING * SPACING);
            println!("{name}, {degrees} degrees: {worst:.1e} E d²");
            if name.starts_with("sph") {
                assert!(worst > 0.03, "{name}: {worst}");
            } else {
                assert!(worst < EXACT, "{name}, {degrees}: {worst}");
            }
        }
    }
}

#[test]
fn forces_are_minus_the_gradient_of_energy() {
    for (name, elastic) in models() {
        are_minus_the_gradient(name, &Block::new(&elastic));
    }
}

/// Rotations of corotated SPH follow from another matrix than F, in thin bodies as well: flat ones, and ones that are rolled a
/// little, of which some neighbourhoods are volumes and some sheets or lines.
#[test]
fn forces_of_thin_bodies_are_minus_the_gradient_of_energy() {
    let turn = Mat3::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), 0.4);
    let rolled = |x: Vec3| turn * (x + Vec3::new(0.0, 0.0, 0.25 * x.x * x.x + 0.1 * x.y * x.y));
    for strain in [Strain::Linear, Strain::Green] {
        let elastic = model!(Corotated, Corotated { strain: strain });
        let flat = |cells: [usize; 3]| Block { undeformed: shape(cells, 0.2), ..Block::new(&elastic) };
        are_minus_the_gradient("sheet", &flat([6, 5, 1]));
        are_minus_the_gradient("line", &flat([12, 1, 1]));
        are_minus_the_gradient("plane", &Block { dimension: Dimension::Two, ..flat([6, 5, 1]) });
        for cells in [[8, 5, 1], [12, 1, 1]] {
            let undeformed = shape(cells, 0.2).into_iter().map(rolled).collect();
            are_minus_the_gradient("rolled", &Block { undeformed, ..Block::new(&elastic) });
        }
    }
}

pub(super) fn are_minus_the_gradient(name: &str, block: &Block) {
    let dimension = block.dimension;
    let mut simulation = block.deformed(|x| dimension.flatten(bend(x)));
    let forces = forces(&simulation);
    let step = if size_of::<Real>() == 4 { 0.02 } else { 1e-4 } * SPACING;
    let tolerance = if size_of::<Real>() == 4 { 0.02 } else { 1e-6 };
    for i in [0, forces.len() / 5, forces.len() / 2, forces.len() - 1] {
        let mut gradient = Vec3::ZERO;
        for axis in 0..dimension.count() {
            let mut energy_at = |offset: Real| {
                simulation.world_mut().particles.position[i][axis] += offset;
                simulation.due = crate::simulation::Due::Anew;
                simulation.prepare().unwrap();
                Totals::of(&simulation, None).deformation
            };
            let (after, before) = (energy_at(step), energy_at(-2.0 * step));
            energy_at(step);
            gradient[axis] = ((after - before) / f64::from(2.0 * step)) as Real;
        }
        let error = (gradient + forces[i]).length();
        assert!(error < tolerance * largest(&forces), "{name}, {i}: {gradient} {}", forces[i]);
    }
}

/// BIT09 Eq. 6 to 16 without the ½, pair by pair, and what BIT09 leaves out: that rotations follow the particles.
#[test]
fn shape_matching_forces_are_those_worked_by_hand() {
    for (name, elastic) in
        models().into_iter().filter(|(name, _)| name.starts_with("corotated") || name.starts_with("sph"))
    {
        let simulation = Block::new(&elastic).deformed(bend);
        let (particles, kernel) = (simulation.particles(), *simulation.pairs().kernel());
        let law = *simulation.world().solids.law(0).unwrap();
        let count = particles.len();
        let rest = |i: usize, j: usize| particles.anchor[j] - particles.anchor[i];
        let now = |i: usize, j: usize| particles.position[j] - particles.position[i];
        let near = |i: usize, j: usize| i != j && rest(i, j).length() < kernel.support();
        let volume = &particles.rest_volume;
        let identity = |i: usize| simulation.world().solids.sites[i].identity;
        let twist = |matched: Mat3, rotation: Mat3, turned: Mat3, pulled: Mat3| {
            if law.turning != Turning::ShapeMatching {
                return Mat3::ZERO;
            }
            let stretch = rotation.transpose() * matched;
            let trace = stretch.x_axis.x + stretch.y_axis.y + stretch.z_axis.z;
            let skew = pulled * turned.transpose() - turned * pulled.transpose();
            let axis = Vec3::new(skew.y_axis.z, skew.z_axis.x, skew.x_axis.y);
            let q = (Mat3::from_diagonal(Vec3::splat(trace)) - stretch).inverse() * axis;
            let cross = Mat3::from_cols(q.cross(Vec3::X), q.cross(Vec3::Y), q.cross(Vec3::Z));
            rotation * cross * -1.0
        };
        let stresses: Vec<(Mat3, Mat3, Mat3)> = (0..count)
            .map(|i| {
                let neighbors = || (0..count).filter(move |&j| near(i, j));
                let matched = neighbors()
                    .map(|j| outer(now(i, j), rest(i, j)) * (volume[j] * kernel.value(rest(i, j).length())))
                    .fold(Mat3::ZERO, |sum, term| sum + term);
                let rotation = match law.turning {
                    Turning::ShapeMatching => rotation_in(matched, Extent::Volume),
                    _ => Mat3::IDENTITY,
                };
                let gradient = neighbors()
                    .map(|j| {
                        let moved = rotation.transpose() * now(i, j) - rest(i, j);
                        outer(moved, kernel.gradient(-rest(i, j))) * volume[j]
                    })
                    .fold(Mat3::ZERO, |sum, term| sum + term);
                let jacobian = Mat3::IDENTITY + gradient;
                let strain = match law.strain {
                    Strain::Linear => (gradient + gradient.transpose()) * 0.5,
                    Strain::Green => (jacobian.transpose() * jacobian - Mat3::IDENTITY) * 0.5,
                };
                let trace = strain.x_axis.x + strain.y_axis.y + strain.z_axis.z;
                let sigma = strain * (2.0 * law.moduli.mu) + Mat3::IDENTITY * (law.moduli.lambda * trace);
                let pulled = if law.strain == Strain::Green { jacobian * sigma } else { sigma };
                (rotation, pulled, twist(matched, rotation, gradient + identity(i), pulled))
            })
            .collect();
        // f_ji: what neighbourhood i does to j, in the frame of i.
        let exerted = |j: usize, i: usize| stresses[i].1 * kernel.gradient(-rest(i, j)) * (-volume[i] * volume[j]);
        let turned = |i: usize, j: usize| {
            let weight = volume[i] * volume[j] * kernel.value(rest(i, j).length());
            (stresses[i].2 + stresses[j].2) * rest(i, j) * weight
        };
        let found = forces(&simulation);
        for i in 0..count {
            let expected = (0..count)
                .filter(|&j| near(i, j))
                .map(|j| stresses[j].0 * exerted(i, j) - stresses[i].0 * exerted(j, i) + turned(i, j))
                .fold(Vec3::ZERO, |sum, term| sum + term);
            assert!((found[i] - expected).length() < EXACT * largest(&found), "{name} {i}: {} {expected}", found[i]);
        }
    }
}

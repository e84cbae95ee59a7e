//! Deformation gradients of neighbourhoods, and their stiffness.

use super::*;

#[test]
fn corrected_gradients_are_exact_in_linear_fields() {
    let map = Mat3::from_cols(Vec3::new(1.2, 0.1, -0.3), Vec3::new(0.2, 0.8, 0.4), Vec3::new(-0.1, 0.3, 1.1));
    for elastic in [implicit(), model!(Mls, Mls {})] {
        let simulation = Block::new(&elastic).deformed(|x| map * x + Vec3::splat(0.1));
        let worst = deformations(&simulation).iter().map(|&f| entries(f - map)).fold(0.0, Real::max);
        assert!(worst < EXACT, "{worst}");
        // In a plane and on a line: along these.
        if matches!(elastic, Elastic::Mls(_)) {
            continue;
        }
        let normal = Vec3::new(0.6, 0.0, 0.8);
        let turn = Mat3::from_cols(Vec3::new(0.8, 0.0, -0.6), Vec3::Y, normal);
        for (cells, count) in [([6, 5, 1], 2), ([9, 1, 1], 1)] {
            let undeformed = shape(cells, 0.2).into_iter().map(|x| turn * x).collect();
            let simulation = Block { undeformed, ..Block::new(&elastic) }.deformed(|x| map * x);
            for (f, site) in deformations(&simulation).into_iter().zip(&simulation.world().solids.sites) {
                let directions = [turn * Vec3::X, turn * Vec3::Y];
                for direction in &directions[..count] {
                    assert!((f * *direction - map * *direction).length() < EXACT, "{f}");
                }
                match site.extent {
                    Extent::Sheet(n) => assert!(count == 2 && n.dot(normal).abs() > 1.0 - EXACT),
                    Extent::Line(_) => assert_eq!(count, 1),
                    other => panic!("{other:?}"),
                }
            }
        }
    }
}

#[test]
fn sheets_and_rods_are_free_to_thin() {
    let elastic = implicit();
    for (cells, lateral) in [([9, 9, 1], 0.3), ([15, 1, 1], 0.0)] {
        let strain = 0.01;
        let stretch = |x: Vec3| Vec3::new(x.x * (1.0 + strain), x.y * (1.0 - lateral * strain), x.z);
        let block = Block { undeformed: shape(cells, 0.2), ..Block::new(&elastic) };
        let simulation = block.deformed(stretch);
        let totals = Totals::of(&simulation, None);
        let volume = totals.mass / 1000.0;
        let young = 2.0 * totals.deformation / (volume * f64::from(strain * strain));
        assert!((young / f64::from(YOUNG) - 1.0).abs() < 1e-3, "{cells:?}: {young}");
        let turn = Mat3::from_axis_angle(Vec3::new(0.6, 0.48, 0.64), 2.0);
        let worst = largest(&forces(&block.deformed(|x| turn * x))) / (YOUNG * SPACING * SPACING);
        assert!(worst < EXACT, "{cells:?}: {worst}");
    }
}

/// A bar that is pulled, sheared, and blown up; twice the energy over volume and strain squared.
#[test]
fn moduli_are_those_that_were_given() {
    let (nu, strain) = (0.3, 0.01);
    let (shear, bulk) = (YOUNG / (2.0 * (1.0 + nu)), YOUNG / (3.0 * (1.0 - 2.0 * nu)));
    let pulled = move |x: Vec3| x + Vec3::new(x.x, -nu * x.y, -nu * x.z) * strain;
    let sheared = move |x: Vec3| x + Vec3::new(x.y, x.x, 0.0) * (0.5 * strain);
    let blown = move |x: Vec3| x * (1.0 + strain);
    type State<'a> = (&'a str, &'a dyn Fn(Vec3) -> Vec3, Real);
    let states: [State<'_>; 3] = [("E", &pulled, YOUNG), ("G", &sheared, shear), ("9 K", &blown, 9.0 * bulk)];
    for jitter in [0.0, 0.2] {
        for (modulus, state, expected) in states {
            let block = Block { undeformed: shape([12, 7, 7], jitter), unequal: jitter, ..Block::new(&implicit()) };
            let totals = Totals::of(&block.deformed(state), None);
            let found = 2.0 * totals.deformation / (totals.mass / 1000.0 * f64::from(strain * strain));
            assert!((found / f64::from(expected) - 1.0).abs() < 1e-3, "{modulus}: {found} {expected}");
        }
    }
}

#[test]
fn plane_strain_has_its_moduli() {
    let (nu, strain) = (0.3, 0.01);
    let block = Block { undeformed: shape([10, 8, 1], 0.2), dimension: Dimension::Two, ..Block::new(&implicit()) };
    // Free to thin in the plane, held across: E/(1 − ν²), with a contraction of ν/(1 − ν).
    let stretch = |x: Vec3| Vec3::new(x.x * (1.0 + strain), x.y * (1.0 - nu / (1.0 - nu) * strain), 0.0);
    let totals = Totals::of(&block.deformed(stretch), None);
    let found = 2.0 * totals.deformation / (totals.mass / 1000.0 * f64::from(strain * strain));
    let expected = f64::from(YOUNG / (1.0 - nu * nu));
    assert!((found / expected - 1.0).abs() < 1e-3, "{found} {expected}");
}

#[test]
fn moving_least_squares_refuse_sheets_and_rods() {
    for cells in [[6, 5, 1], [9, 1, 1]] {
        let mut simulation = Simulation::new(
            Settings { spacing: SPACING, ..Settings::default() },
            vec![Material { elastic: Some(model!(Mls, Mls {})), ..Material::default() }],
        )
        .unwrap();
        let body = NewBody { name: "sheet".into(), position: shape(cells, 0.0), ..NewBody::default() };
        simulation.add_body(body).unwrap();
        let message = simulation.prepare().unwrap_err().to_string();
        assert!(message.contains("sheet") && message.contains("elastic.implicit"), "{message}");
    }
}

#[test]
fn checkerboards_cost_energy_and_affine_fields_do_not() {
    let cells = [8, 8, 8];
    let sign = |x: Vec3| {
        let cell = (x / SPACING).floor();
        if (cell.x + cell.y + cell.z) as i32 % 2 == 0 { 1.0 } else { -1.0 }
    };
    let height = 0.01 * SPACING;
    let energy = |control: Real| {
        let elastic = model!(StVenantKirchhoff, StVenantKirchhoff { zero_energy_control: control });
        let block = Block { undeformed: shape(cells, 0.0), unequal: 0.0, ..Block::new(&elastic) };
        let simulation = block.deformed(|x| x + Vec3::X * (height * sign(x)));
        // Away from the surface, where corrected gradients see it.
        let mut found = DeformationEnergies::default();
        let energies = found.find(simulation.world(), simulation.pairs());
        let inside = |i: &usize| simulation.particles().anchor[*i].abs().max_element() < 1.6 * SPACING;
        (0..energies.len()).filter(inside).map(|i| energies[i]).sum::<Real>()
    };
    let (without, with) = (energy(0.0), energy(0.1));
    assert!(without < 1e-4 * with, "{without} {with}");
    let turn = Mat3::from_axis_angle(Vec3::new(0.0, 0.6, 0.8), 1.0);
    let map = turn * Mat3::from_cols(Vec3::new(1.2, 0.0, 0.1), Vec3::new(0.3, 0.9, 0.0), Vec3::new(0.0, -0.2, 1.0));
    let unseen = |control: Real| {
        let elastic = model!(Implicit, Implicit { zero_energy_control: control });
        forces(&Block::new(&elastic).deformed(|x| map * x))
    };
    let (without, with) = (unseen(0.0), unseen(1.0));
    let difference: Vec<_> = with.iter().zip(&without).map(|(a, b)| *a - *b).collect();
    assert!(largest(&difference) < EXACT * largest(&with), "{}", largest(&difference));
}

#[test]
fn bodies_that_touch_are_not_bonded() {
    let settings = Settings { spacing: SPACING, gravity: Vec3::ZERO, ..Settings::default() };
    let material = Material { elastic: Some(implicit()), ..Material::default() };
    let mut simulation = Simulation::new(settings, vec![material, Material::default()]).unwrap();
    let halves: [Vec<Vec3>; 2] =
        [0, 1].map(|half| shape([6, 3, 3], 0.0).into_iter().filter(|x| (x.x > 0.0) == (half == 1)).collect());
    for (name, position) in ["left", "right"].into_iter().zip(halves) {
        simulation.add_body(NewBody { name: name.into(), position, ..NewBody::default() }).unwrap();
    }
    let drop = vec![Vec3::new(0.0, 2.0, 0.0)];
    simulation.add_body(NewBody { name: "drop".into(), material: 1, position: drop, ..NewBody::default() }).unwrap();
    simulation.prepare().unwrap();
    let (world, particles) = (simulation.world(), simulation.particles());
    assert_eq!((world.kinds.bonded().len(), world.kinds.matter().len()), (54, 55));
    assert!((0..54).all(|i| world.solids.bonds.of(i).all(|(j, ..)| particles.body[j] == particles.body[i])));
    // They meet as neighbours do, and together fill space as one body would.
    let contacts = (0..54).flat_map(|i| simulation.pairs().neighbors(i).map(move |j| (i, j)));
    let contacts: Vec<_> = contacts.collect();
    assert!(!contacts.is_empty() && contacts.iter().all(|&(i, j)| particles.body[i] != particles.body[j]));
    let middle = (0..54).find(|&i| (particles.position[i] - Vec3::new(0.05, 0.0, 0.0)).length() < 1e-3).unwrap();
    assert!((particles.compression(middle) - 1.0).abs() < 1e-5, "{}", particles.compression(middle));
}

//! Columns that follow from others.

use thixo_sim::measure::Derived;
use thixo_sim::{Elastic, Implicit, Material, NewBody, Real, Settings, StVenantKirchhoff, Values, Vec3};

use crate::suite::worlds::lattice;
use crate::suite::{Recipe, simulation};

/// A block that is stretched by a hundredth along x and turned about z by a right angle, and fluid beside it, which has neither.
#[test]
fn stress_and_deformation_are_those_of_a_stretched_and_turned_block() {
    let (young, poisson, stretch) = (1e6, 0.3, 0.01);
    let (young_modulus, poisson_ratio) = (Some(young), Some(poisson));
    let laws = [
        Elastic::Implicit(Implicit { young_modulus, poisson_ratio, ..Implicit::default() }),
        Elastic::StVenantKirchhoff(StVenantKirchhoff { young_modulus, poisson_ratio, ..Default::default() }),
    ];
    for elastic in laws {
        let material = Material { elastic: Some(elastic), ..Material::default() };
        let settings = Settings { spacing: 0.1, ..Settings::default() };
        let mut world = Recipe::new(settings, vec![Material::default(), material]);
        let undeformed = lattice(0.1, [0, 0, 0], [5, 4, 4]);
        let position = undeformed.iter().map(|x| Vec3::new(-x.y, (1.0 + stretch) * x.x, x.z)).collect();
        world.add(NewBody { position: vec![Vec3::splat(9.0)], ..NewBody::default() });
        world.add(NewBody { name: "block".into(), material: 1, position, undeformed, ..NewBody::default() });
        let mut simulation = simulation(&world).unwrap();
        simulation.prepare().unwrap();
        let columns: Vec<_> =
            [Derived::Stress, Derived::Deformation].iter().flat_map(|d| d.columns(&simulation)).collect();
        let names: Vec<_> = columns.iter().map(|column| column.info.name).collect();
        let expected = ["stress", "normal_stress", "shear_stress", "deformation_x", "deformation_y", "deformation_z"];
        assert_eq!(names, expected);
        let lame = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
        let shear = young / (2.0 * (1.0 + poisson));
        let normal = Vec3::new(lame, lame + 2.0 * shear, lame) * stretch;
        let close = |found: Vec3, expected: Vec3, scale: Real| (found - expected).length() < 0.05 * scale;
        for i in 0..80 {
            let vector = |k: usize| match columns[k].values() {
                Values::Vector(values) => values[i],
                _ => panic!("{} is no vector", names[k]),
            };
            let Values::Scalar(mises) = columns[0].values() else { panic!("stress is a number") };
            assert!((mises[i] / (2.0 * shear * stretch) - 1.0).abs() < 0.05, "{}", mises[i]);
            assert!(close(vector(1), normal, normal.length()) && close(vector(2), Vec3::ZERO, normal.length()));
            assert!(close(vector(3), Vec3::Y * (1.0 + stretch), 0.01), "{}", vector(3));
            assert!(close(vector(4), Vec3::NEG_X, 0.01) && close(vector(5), Vec3::Z, 0.01));
        }
        // The fluid comes last.
        assert!(columns.iter().all(|column| match column.values() {
            Values::Scalar(values) => values.len() == 81 && values[80] == 0.0,
            Values::Vector(values) => values.len() == 81 && values[80] == Vec3::ZERO,
            Values::Index(_) => false,
        }));
    }
}

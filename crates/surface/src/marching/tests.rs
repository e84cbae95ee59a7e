use proptest::prelude::*;

use super::*;
use crate::field::{CentreOfMass, IsoDensity};
use crate::testing::{Random, lattice};

const SPACING: f32 = 0.1;

#[test]
fn a_ball_has_its_volume_and_its_area() {
    let ball = lattice(SPACING, 1.2, 0.2, |at| at.length() < 1.0);
    let mut field = IsoDensity::default().field(&ball, SPACING).unwrap();
    let volume = ball.len() as f64 * f64::from(SPACING).powi(3);
    let mesh = triangulate_volume(&mut field, 0.5 * SPACING, volume).unwrap();
    assert!(mesh.flaws().is_none(), "{:?}", mesh.flaws());
    let sphere = 4.0 / 3.0 * std::f64::consts::PI;
    assert!((mesh.volume() / sphere - 1.0).abs() < 0.02, "{}", mesh.volume() / sphere);
    assert!((mesh.area() / (3.0 * sphere) - 1.0).abs() < 0.05, "{}", mesh.area() / (3.0 * sphere));
}

#[test]
fn any_number_of_threads_gives_the_same_mesh() {
    let mut random = Random::new(11);
    let cloud: Vec<Vec3> = (0..400).map(|_| random.vector() * 0.5).collect();
    let field = CentreOfMass::default().field(&cloud, SPACING).unwrap();
    let mesh = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| triangulate(&field, 0.04).unwrap())
    };
    assert_eq!(mesh(1), mesh(3));
}

#[test]
fn nothing_has_an_empty_surface_and_bad_cells_are_refused() {
    let field = IsoDensity::default().field(&[], SPACING).unwrap();
    assert_eq!(triangulate(&field, 0.1).unwrap(), Mesh::default());
    for cell in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        assert!(triangulate(&field, cell).is_err());
    }
    let far = IsoDensity::default().field(&[Vec3::splat(1000.0)], SPACING).unwrap();
    assert!(matches!(triangulate(&far, 1e-6), Err(SurfaceError::TooFar { .. })));
}

/// Single particles, pairs, sheets, two blobs that touch, and clouds without order.
fn cloud() -> impl Strategy<Value = Vec<Vec3>> {
    let place = || prop::array::uniform3(-1.0_f32..1.0).prop_map(Vec3::from_array);
    let sheet = (1..12_i32, 1..12_i32, place()).prop_map(|(m, n, at)| {
        (0..m * n).map(|k| at + Vec3::new((k % m) as f32, (k / m) as f32, 0.0) * SPACING).collect()
    });
    let blobs = (place(), -0.5_f32..0.5).prop_map(|(direction, gap)| {
        let ball = lattice(SPACING, 0.3, 0.0, |at| at.length() < 0.25);
        let apart = direction.normalize_or(Vec3::X) * (0.5 + SPACING * (1.0 + gap));
        ball.iter().copied().chain(ball.iter().map(|place| *place + apart)).collect()
    });
    prop_oneof![
        place().prop_map(|at| vec![at]),
        (place(), place()).prop_map(|(at, apart)| vec![at, at + apart * 0.3]),
        sheet,
        blobs,
        prop::collection::vec(place().prop_map(|at| at * 0.4), 1..200),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn meshes_are_closed_and_manifold(cloud in cloud(), cell in 0.03_f32..0.12, is_density in any::<bool>()) {
        let mesh = if is_density {
            triangulate(&IsoDensity::default().field(&cloud, SPACING).unwrap(), cell).unwrap()
        } else {
            triangulate(&CentreOfMass::default().field(&cloud, SPACING).unwrap(), cell).unwrap()
        };
        prop_assert!(mesh.flaws().is_none(), "{:?}", mesh.flaws());
        prop_assert!(mesh.triangles.is_empty() || mesh.volume() > 0.0);
        // Matter is never lost altogether, unless cells are too coarse to see a lone particle.
        prop_assert!(!mesh.triangles.is_empty() || cell > 0.05);
    }
}

use super::*;

/// Points of the unit sphere, as a sunflower has seeds, facing outwards or inwards.
fn sunflower(count: u32, side: f32) -> (Vec<Vec3>, Vec<Vec3>) {
    let place = |k: u32| {
        let z = 1.0 - (2 * k + 1) as f32 / count as f32;
        let turn = k as f32 * 2.399_963;
        Vec3::new(turn.cos(), turn.sin(), 0.0) * (1.0 - z * z).sqrt() + Vec3::Z * z
    };
    let places: Vec<Vec3> = (0..count).map(place).collect();
    let normals = places.iter().map(|place| *place * side).collect();
    (places, normals)
}

/// Twice the distance of neighbouring points.
fn radius(count: u32) -> f32 {
    2.0 * (4.0 * std::f32::consts::PI / count as f32).sqrt()
}

#[test]
fn children_of_a_sphere_lie_on_it_seen_from_either_side() {
    for side in [1.0, -1.0] {
        let (places, normals) = sunflower(500, side);
        let cloud = refine(&places, &normals, radius(500), &Refinement::default()).unwrap();
        assert!(cloud.position.len() > 15 * 500, "{}", cloud.position.len());
        assert_eq!(cloud.position[..500].len(), places.len());
        for (place, normal) in cloud.position.iter().zip(&cloud.normal) {
            // Points that are drawn leave the sphere, by an eighth of the square of their way at most.
            assert!((place.length() - 1.0).abs() < 2e-3, "{}", place.length());
            assert!(normal.dot(*place * side) > 0.999);
        }
    }
}

#[test]
fn points_keep_their_distance_and_leave_no_holes() {
    let (places, normals) = sunflower(500, 1.0);
    let cloud = refine(&places, &normals, radius(500), &Refinement::default()).unwrap();
    let last = shrink(shrink(radius(500)));
    let samples = Samples::new(&cloud.position, last).unwrap();
    let nearest = |at: Vec3, least: f32| {
        let mut nearest = f32::INFINITY;
        samples.near(at, |_, _, squared| {
            if squared > least {
                nearest = nearest.min(squared)
            }
        });
        nearest.sqrt()
    };
    let apart = cloud.position.iter().filter(|at| nearest(**at, 0.0) > 0.2 * last).count();
    assert!(apart as f32 > 0.99 * cloud.position.len() as f32, "{apart} of {}", cloud.position.len());
    let (probes, _) = sunflower(5000, 1.0);
    let hole = probes.iter().map(|&at| nearest(at, -1.0)).fold(0.0, f32::max);
    assert!(hole < last, "{hole} {last}");
}

#[test]
fn neighbours_found_by_descent_are_those_of_a_search() {
    let (places, normals) = sunflower(400, 1.0);
    let one = refine(&places, &normals, radius(400), &Refinement { steps: 1, ..Refinement::default() }).unwrap();
    let all = Samples::new(&places, radius(400)).unwrap();
    let first = Lists::gather(
        400,
        || (),
        |i, (), list| {
            all.near(places[i], |j, _, _| list.push(all.index()[j]));
            list.retain(|&j| j as usize != i);
        },
    );
    let next = shrink(radius(400));
    let found = next_neighbors(&one, 400, &first, next);
    let (mut missing, mut total) = (0, 0);
    for (i, &at) in one.position.iter().enumerate() {
        for (j, &other) in one.position.iter().enumerate() {
            if i != j && other.distance(at) < next * 0.999 {
                total += 1;
                missing += usize::from(!found.of(i).contains(&(j as u32)));
            }
        }
        assert!(found.of(i).iter().all(|&j| one.position[j as usize].distance(at) <= next * 1.001));
    }
    assert_eq!(missing, 0, "of {total}");
}

#[test]
fn any_number_of_threads_gives_the_same_points() {
    let (places, normals) = sunflower(300, 1.0);
    let refined = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| refine(&places, &normals, radius(300), &Refinement::default()).unwrap())
    };
    assert_eq!(refined(1), refined(3));
}

#[test]
fn quantities_are_those_of_the_parents() {
    let (places, normals) = sunflower(200, 1.0);
    let cloud = refine(&places, &normals, radius(200), &Refinement { steps: 2, ..Refinement::default() }).unwrap();
    let values: Vec<f32> = places.iter().map(|place| place.z).collect();
    let carried = cloud.carry(&Quantity { name: "z", components: 1, values: &values }).unwrap();
    assert_eq!(carried.values[..200], values);
    for (place, value) in cloud.position.iter().zip(&carried.values) {
        assert!((place.z - value).abs() < 0.06, "{} {value}", place.z);
    }
    assert!(cloud.carry(&Quantity { name: "z", components: 1, values: &values[1..] }).is_err());
}

#[test]
fn points_alone_stay_alone() {
    let lone = [Vec3::ZERO, Vec3::X * 9.0];
    let cloud = refine(&lone, &[Vec3::Y; 2], 1.0, &Refinement::default()).unwrap();
    assert_eq!(cloud.position, lone);
    assert!(refine(&lone, &[Vec3::Y], 1.0, &Refinement::default()).is_err());
    assert_eq!(refine(&[], &[], 1.0, &Refinement::default()).unwrap(), PointCloud::default());
}

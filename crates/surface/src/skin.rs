//! Skins: a fine mesh that is carried by the particles of a body (BIT09 5.4, Liu12 V).
//!
//! At rest, a vertex X sees the particles X_i around it with weights that sum to one. Each particle moves its surroundings
//! linearly, so the vertex is where they take it on average (as Müller 2004 moves surface elements):
//!
//! ```text
//! x = Σ w_i (x_i + F_i (X − X_i)),    F_i = Σ_j ω_ij x_ji ⊗ X_ji (Σ_j ω_ij X_ji ⊗ X_ji)⁻¹
//! ```
//!
//! Linear deformations are reproduced, so rigid motions are too, and at rest nothing moves. Weights are never negative and
//! vary smoothly from vertex to vertex: w ~ (1 − r²/R²)³, R a little more than the distance to the nearest particle.
//! Where neighbours lie in a plane, F_i turns its normal along; where they lie on a line, it turns as little as it can.

use glam::{DMat3, DQuat, DVec3, Vec3};
use rayon::prelude::*;

use crate::error::{SurfaceError, positive};
use crate::samples::Samples;
use crate::symmetric::{eigenvalues, smallest_direction};

/// How far particles see each other, in spacings.
const SIGHT: f32 = 2.0;

/// How much farther than to the nearest particle a vertex sees, in spacings.
const BEYOND: f32 = 1.5;

/// A vertex this far from every particle belongs to another body, in spacings.
const FARTHEST: f32 = 3.0;

/// The part of the largest sum of squares below which neighbours lie in no direction.
const FLAT: f64 = 0.03;

/// A mesh that particles carry.
#[derive(Clone, Debug)]
pub struct Skin {
    /// The rest positions of vertices.
    vertices: Vec<Vec3>,
    /// The rest positions of particles.
    rest: Vec<Vec3>,
    /// Whom each vertex follows, and how much.
    hosts: Lists,
    /// Whom each particle sees, by how much.
    neighbours: Lists,
    /// How each particle makes a deformation of what it sees.
    fits: Vec<Fit>,
}

/// Numbers with weights, list after list.
#[derive(Clone, Debug)]
struct Lists {
    start: Vec<u32>,
    entries: Vec<(u32, f32)>,
}

impl Lists {
    fn new(lists: Vec<Vec<(u32, f32)>>) -> Lists {
        let mut start = vec![0];
        start.extend(lists.iter().scan(0, |end, list| {
            *end += list.len() as u32;
            Some(*end)
        }));
        Lists { start, entries: lists.concat() }
    }

    fn of(&self, index: usize) -> &[(u32, f32)] {
        &self.entries[self.start[index] as usize..self.start[index + 1] as usize]
    }
}

/// The inverse of a moment, where it has one.
#[derive(Clone, Copy, Debug)]
enum Fit {
    /// Neighbours all around.
    Volume(DMat3),
    /// Neighbours in a plane with this normal.
    Plane(DMat3, DVec3),
    /// Neighbours on a line of this direction.
    Line(DMat3, DVec3),
    /// No neighbours.
    Point,
}

/// Where a skin is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Carried {
    /// Vertices [m].
    pub position: Vec<Vec3>,
    /// How the surroundings of each vertex are deformed: columns of F.
    pub deformation: Vec<[Vec3; 3]>,
}

impl Skin {
    /// Binds vertices to the particles of a body at rest, which are `spacing` apart.
    pub fn bind(vertices: &[Vec3], rest: &[Vec3], spacing: f32) -> Result<Skin, SurfaceError> {
        positive("the spacing of particles [m]", spacing)?;
        let wide = Samples::new(rest, FARTHEST * spacing)?;
        let hosts = vertices.par_iter().enumerate().map(|(vertex, &place)| {
            let hosts = hosts_of(&wide, place, spacing);
            if hosts.is_empty() { Err(SurfaceError::Unbound { vertex, place: place.to_array() }) } else { Ok(hosts) }
        });
        let hosts = Lists::new(hosts.collect::<Result<_, _>>()?);
        let close = Samples::new(rest, SIGHT * spacing)?;
        let neighbours: Vec<_> = rest.par_iter().map(|&place| neighbours_of(&close, place)).collect();
        let fits = rest.par_iter().zip(&neighbours).map(|(&place, list)| Fit::of(place, list, rest)).collect();
        let neighbours = Lists::new(neighbours);
        Ok(Skin { vertices: vertices.to_vec(), rest: rest.to_vec(), hosts, neighbours, fits })
    }

    /// Where the vertices are when the particles, in the order of binding, are at `now`.
    pub fn carry(&self, now: &[Vec3]) -> Result<Carried, SurfaceError> {
        if now.len() != self.rest.len() {
            let (found, expected) = (3 * now.len(), 3 * self.rest.len());
            return Err(SurfaceError::Uneven { name: "position".into(), found, expected, components: 3 });
        }
        crate::samples::refuse_infinite(now)?;
        let deformation = |i: usize| {
            let moment = self.neighbours.of(i).iter().fold(DMat3::ZERO, |sum, &(j, weight)| {
                let (to, from) = (way(now, i, j), way(&self.rest, i, j));
                sum + outer(to * f64::from(weight), from)
            });
            self.fits[i].deformation(moment)
        };
        let deformations: Vec<_> = (0..now.len()).into_par_iter().map(deformation).collect();
        let vertex = |vertex: usize| {
            let rest = self.vertices[vertex].as_dvec3();
            let hosts = self.hosts.of(vertex).iter();
            let (place, deformed) = hosts.fold((DVec3::ZERO, DMat3::ZERO), |(place, deformed), &(i, weight)| {
                let (i, weight) = (i as usize, f64::from(weight));
                let moved = now[i].as_dvec3() + deformations[i] * (rest - self.rest[i].as_dvec3());
                (place + moved * weight, deformed + deformations[i] * weight)
            });
            (place.as_vec3(), [deformed.x_axis, deformed.y_axis, deformed.z_axis].map(|axis| axis.as_vec3()))
        };
        let (position, deformation) = (0..self.vertices.len()).into_par_iter().map(vertex).unzip();
        Ok(Carried { position, deformation })
    }

    /// A quantity of the particles, at the vertices.
    pub fn blend(&self, values: &[f32], components: usize) -> Vec<f32> {
        let at = |vertex: usize, k: usize| {
            let hosts = self.hosts.of(vertex).iter();
            hosts.map(|&(i, weight)| weight * values.get(i as usize * components + k).copied().unwrap_or(0.0)).sum()
        };
        (0..self.vertices.len()).flat_map(|vertex| (0..components).map(move |k| at(vertex, k))).collect()
    }
}

impl Carried {
    /// Where a normal of the mesh at rest points now: areas turn as the cofactors of F.
    pub fn normal(&self, vertex: usize, rest: Vec3) -> Vec3 {
        let [x, y, z] = self.deformation[vertex];
        let turned = y.cross(z) * rest.x + z.cross(x) * rest.y + x.cross(y) * rest.z;
        turned.normalize_or(rest)
    }
}

fn hosts_of(samples: &Samples, place: Vec3, spacing: f32) -> Vec<(u32, f32)> {
    let mut nearest = f32::INFINITY;
    samples.near(place, |_, _, squared| nearest = nearest.min(squared));
    // The list reaches no farther than the samples do.
    let reach = (nearest.sqrt() + BEYOND * spacing).min(FARTHEST * spacing);
    let mut hosts = Vec::new();
    samples.near(place, |at, _, squared| {
        let weight = (1.0 - squared / (reach * reach)).max(0.0).powi(3);
        if weight > 0.0 {
            hosts.push((samples.index()[at], weight));
        }
    });
    let sum: f64 = hosts.iter().map(|&(_, weight)| f64::from(weight)).sum();
    hosts.iter_mut().for_each(|(_, weight)| *weight = (f64::from(*weight) / sum) as f32);
    hosts
}

fn neighbours_of(samples: &Samples, place: Vec3) -> Vec<(u32, f32)> {
    let mut list = Vec::new();
    let reach = samples.reach();
    samples.near(place, |at, _, squared| {
        let weight = (1.0 - squared / (reach * reach)).max(0.0).powi(2);
        if squared > 0.0 && weight > 0.0 {
            list.push((samples.index()[at], weight));
        }
    });
    list
}

/// From particle `i` to particle `j`.
fn way(places: &[Vec3], i: usize, j: u32) -> DVec3 {
    places[j as usize].as_dvec3() - places[i].as_dvec3()
}

fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

impl Fit {
    fn of(place: Vec3, list: &[(u32, f32)], rest: &[Vec3]) -> Fit {
        let moment = list.iter().fold(DMat3::ZERO, |sum, &(j, weight)| {
            let way = rest[j as usize].as_dvec3() - place.as_dvec3();
            sum + outer(way * f64::from(weight), way)
        });
        let [largest, middle, smallest] = eigenvalues(moment);
        if largest <= 0.0 {
            Fit::Point
        } else if middle <= FLAT * largest {
            // All columns lie along the line.
            let columns = [moment.x_axis, moment.y_axis, moment.z_axis].into_iter();
            let longest = columns.max_by(|a, b| a.length_squared().total_cmp(&b.length_squared()));
            let along = longest.unwrap_or(DVec3::X).normalize_or(DVec3::X);
            Fit::Line(outer(along / largest, along), along)
        } else if smallest <= FLAT * largest {
            let normal = smallest_direction(moment).unwrap_or(DVec3::Z);
            // With anything across the plane it can be inverted; then that is taken out again.
            let across = outer(normal * largest, normal);
            Fit::Plane((moment + across).inverse() - outer(normal / (largest + smallest), normal), normal)
        } else {
            Fit::Volume(moment.inverse())
        }
    }

    /// What deforms the rest positions of neighbours as the sum Σ ω x ⊗ X says.
    fn deformation(&self, sum: DMat3) -> DMat3 {
        match *self {
            Fit::Volume(inverse) => sum * inverse,
            Fit::Plane(inverse, normal) => {
                let within = sum * inverse;
                let first = normal.any_orthonormal_vector();
                let across = (within * first).cross(within * normal.cross(first)).normalize_or(normal);
                within + outer(across, normal)
            }
            Fit::Line(inverse, along) => {
                let within = sum * inverse;
                let turn = DMat3::from_quat(DQuat::from_rotation_arc(along, (within * along).normalize_or(along)));
                within + turn - outer(turn * along, along)
            }
            Fit::Point => DMat3::IDENTITY,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPACING: f32 = 0.1;

    /// Particles of a block, all off their places, or of a sheet or rod.
    fn particles(counts: [usize; 3], jitter: f32) -> Vec<Vec3> {
        let [x, y, z] = counts;
        let off = |k: usize, axis: usize| ((k * 7 + axis * 5) * 2_654_435_761 % 1000) as f32 / 500.0 - 1.0;
        let place = |k: usize| Vec3::new((k % x) as f32, (k / x % y) as f32, (k / x / y) as f32) + 0.5;
        (0..x * y * z).map(|k| (place(k) + Vec3::new(off(k, 0), off(k, 1), off(k, 2)) * jitter) * SPACING).collect()
    }

    /// Vertices on the faces, edges and corners of a box.
    fn shell(size: Vec3) -> Vec<Vec3> {
        let steps = [0.0, 0.13, 0.5, 0.81, 1.0];
        (0..125).map(|k| Vec3::new(steps[k % 5], steps[k / 5 % 5], steps[k / 25]) * size).collect()
    }

    fn moved(places: &[Vec3], map: &DMat3, by: DVec3) -> Vec<Vec3> {
        places.iter().map(|place| (*map * place.as_dvec3() + by).as_vec3()).collect()
    }

    fn worst(found: &[Vec3], expected: &[Vec3]) -> f32 {
        found.iter().zip(expected).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max)
    }

    fn turn() -> DMat3 {
        DMat3::from_axis_angle(DVec3::new(1.0, 2.0, -2.0) / 3.0, 1.9)
    }

    #[test]
    fn linear_deformations_and_rigid_motions_are_reproduced() {
        let sheared =
            DMat3::from_cols(DVec3::new(1.3, 0.2, 0.0), DVec3::new(-0.4, 0.8, 0.1), DVec3::new(0.2, 0.3, 1.1));
        let rest = particles([6, 5, 4], 0.2);
        let vertices = shell(Vec3::new(0.6, 0.5, 0.4));
        let skin = Skin::bind(&vertices, &rest, SPACING).unwrap();
        for map in [DMat3::IDENTITY, turn(), sheared] {
            let by = if map == DMat3::IDENTITY { DVec3::ZERO } else { DVec3::new(2.0, -1.0, 0.5) };
            let Carried { position, deformation } = skin.carry(&moved(&rest, &map, by)).unwrap();
            let error = worst(&position, &moved(&vertices, &map, by));
            assert!(error < 2e-6, "{error}");
            let column =
                deformation.iter().map(|columns| columns[1].as_dvec3().distance(map.y_axis)).fold(0.0, f64::max);
            assert!(column < 1e-4, "{column}");
        }
    }

    /// A sheet and a rod turn their thickness along.
    #[test]
    fn flat_bodies_move_rigidly() {
        for (counts, size) in [([6, 5, 1], Vec3::new(0.6, 0.5, 0.1)), ([6, 1, 1], Vec3::new(0.6, 0.1, 0.1))] {
            let rest = particles(counts, 0.0);
            let vertices = shell(size);
            let skin = Skin::bind(&vertices, &rest, SPACING).unwrap();
            assert!(worst(&skin.carry(&rest).unwrap().position, &vertices) < 1e-6);
            let (map, by) = (turn(), DVec3::new(0.3, 0.0, 1.0));
            let Carried { position, .. } = skin.carry(&moved(&rest, &map, by)).unwrap();
            let expected = moved(&vertices, &map, by);
            if counts[1] > 1 {
                assert!(worst(&position, &expected) < 2e-6);
            } else {
                // About its own axis a line tells nothing; distances stay.
                let far = |places: &[Vec3]| places[0].distance(places[places.len() - 1]);
                assert!((far(&position) - far(&expected)).abs() < 2e-6);
            }
        }
    }

    /// A block that is bent: vertices stay between the particles.
    #[test]
    fn bending_is_followed_to_second_order() {
        let rest = particles([12, 4, 4], 0.0);
        let vertices = shell(Vec3::new(1.2, 0.4, 0.4));
        let bent = |place: &Vec3| {
            let (sine, cosine) = (place.x * 0.8).sin_cos();
            Vec3::new((1.25 - place.y) * sine, 1.25 - (1.25 - place.y) * cosine, place.z)
        };
        let skin = Skin::bind(&vertices, &rest, SPACING).unwrap();
        let now: Vec<_> = rest.iter().map(bent).collect();
        let expected: Vec<_> = vertices.iter().map(bent).collect();
        let error = worst(&skin.carry(&now).unwrap().position, &expected);
        // No more than d²/R.
        assert!(error < 8e-3, "{error}");
    }

    #[test]
    fn normals_turn_with_areas() {
        let rest = particles([6, 5, 4], 0.1);
        let skin = Skin::bind(&[Vec3::new(0.3, 0.2, 0.4)], &rest, SPACING).unwrap();
        // A slope becomes flatter where it is stretched along x, and leans where x is sheared along y.
        let stretch = DMat3::from_diagonal(DVec3::new(2.0, 1.0, 1.0));
        let shear = DMat3::from_cols(DVec3::X, DVec3::new(0.5, 1.0, 0.0), DVec3::Z);
        for (map, expected) in [(stretch, Vec3::new(1.0, 4.0, 6.0)), (shear, Vec3::new(1.0, 1.5, 3.0))] {
            let carried = skin.carry(&moved(&rest, &map, DVec3::ZERO)).unwrap();
            let normal = carried.normal(0, Vec3::new(1.0, 2.0, 3.0).normalize());
            assert!(normal.distance(expected.normalize()) < 1e-4, "{normal}");
        }
    }

    #[test]
    fn quantities_are_blended() {
        let rest = particles([6, 5, 4], 0.0);
        let skin = Skin::bind(&shell(Vec3::new(0.6, 0.5, 0.4)), &rest, SPACING).unwrap();
        let values: Vec<f32> = rest.iter().flat_map(|_| [1.0, -2.0]).collect();
        let blended = skin.blend(&values, 2);
        assert!(blended.chunks(2).all(|pair| (pair[0] - 1.0).abs() < 1e-5 && (pair[1] + 2.0).abs() < 1e-5));
    }

    #[test]
    fn what_is_far_away_or_senseless_is_refused() {
        let rest = particles([3, 3, 3], 0.0);
        let far = Skin::bind(&[Vec3::ZERO, Vec3::splat(0.7)], &rest, SPACING);
        assert!(matches!(far, Err(SurfaceError::Unbound { vertex: 1, .. })));
        let skin = Skin::bind(&[Vec3::ZERO], &rest, SPACING).unwrap();
        assert!(skin.carry(&rest[1..]).is_err());
        assert!(skin.carry(&vec![Vec3::NAN; 27]).is_err());
        assert!(Skin::bind(&[Vec3::NAN], &rest, SPACING).is_err());
        assert!(Skin::bind(&[Vec3::ZERO], &rest, 0.0).is_err());
        assert!(Skin::bind(&[Vec3::ZERO], &[Vec3::ZERO], SPACING).unwrap().carry(&[Vec3::X]).is_ok());
    }
}

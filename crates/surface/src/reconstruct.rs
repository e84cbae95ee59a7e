//! The whole way from particles to a mesh: field, triangles, quantities, smoothing, normals.

use glam::Vec3;
use rayon::prelude::*;

use crate::error::SurfaceError;
use crate::field::{CentreOfMass, Field, Iso, IsoDensity};
use crate::kernel::{Kernel, Shape};
use crate::marching::{triangulate, triangulate_volume};
use crate::mesh::{Attribute, Mesh};
use crate::points::{Detection, Normals, PointCloud, Refinement, detect, normals, refine};
use crate::quantity::{Quantity, carry};
use crate::samples::Samples;
use crate::smooth::smooth;
#[cfg(feature = "splashsurf")]
use crate::splashsurf::Splashsurf;

/// How a surface is found.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Method {
    /// A level of the density.
    IsoDensity(IsoDensity),
    /// The distance to the centre of mass.
    CentreOfMass(CentreOfMass),
    /// The splashsurf project.
    #[cfg(feature = "splashsurf")]
    Splashsurf(Splashsurf),
}

impl Default for Method {
    fn default() -> Self {
        Method::IsoDensity(IsoDensity::default())
    }
}

/// Points between the particles of the surface, made before the mesh is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Refining {
    /// Which particles lie on the surface.
    pub detection: Detection,
    /// How their normals are found.
    pub normals: Normals,
    /// How points are made between them.
    pub refinement: Refinement,
}

/// Everything that can be chosen about a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reconstruction {
    /// How the surface is found.
    pub method: Method,
    /// Edge of a grid cell in particle spacings [-].
    pub cell_over_spacing: f32,
    /// How often the mesh is smoothed.
    pub smoothing: u32,
    /// Refine the particles of the surface first.
    pub refining: Option<Refining>,
}

impl Default for Reconstruction {
    fn default() -> Self {
        Reconstruction { method: Method::default(), cell_over_spacing: 0.5, smoothing: 10, refining: None }
    }
}

/// How far particles of the surface see each other, in spacings: the support of the simulation.
const SIGHT: f32 = 2.0;

/// A surface of particles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// The mesh, with all quantities.
    pub mesh: Mesh,
    /// The refined points with the same quantities, if they were asked for.
    pub points: Option<(PointCloud, Vec<Attribute>)>,
}

impl Surface {
    /// Puts another surface beside this one. Both must have the same quantities.
    pub fn append(&mut self, other: Surface) {
        self.mesh.append(other.mesh);
        if let (Some((cloud, attributes)), Some((more, values))) = (&mut self.points, other.points) {
            cloud.append(more);
            attributes.iter_mut().zip(values).for_each(|(mine, theirs)| mine.values.extend(theirs.values));
        }
    }
}

impl Reconstruction {
    /// The surface of particles that are `spacing` apart at rest [m], with quantities of them.
    pub fn surface(
        &self,
        position: &[Vec3],
        spacing: f32,
        quantities: &[Quantity<'_>],
    ) -> Result<Surface, SurfaceError> {
        quantities.iter().try_for_each(|quantity| quantity.check(position.len()))?;
        let matter = position.len() as f64 * f64::from(spacing).powi(3);
        let volume = self.volumes(position, spacing)?;
        let Some(refining) = &self.refining else {
            let mesh = self.mesh(&Cloud { position, volume: &volume, quantities, spacing }, matter)?;
            return Ok(Surface { mesh, points: None });
        };
        let refined = refining.points(position, spacing, &volume, quantities)?;
        let quantities: Vec<_> = refined.quantities.iter().map(as_quantity).collect();
        let Refined { position, volume, .. } = &refined;
        let mesh = self.mesh(&Cloud { position, volume, quantities: &quantities, spacing }, matter)?;
        Ok(Surface { mesh, points: Some((refined.cloud, refined.attributes)) })
    }

    /// What each particle counts for.
    fn volumes(&self, position: &[Vec3], spacing: f32) -> Result<Vec<f32>, SurfaceError> {
        match &self.method {
            Method::IsoDensity(parameters) => parameters.volumes(position, spacing),
            _ => Ok(vec![spacing.powi(3); position.len()]),
        }
    }

    fn mesh(&self, cloud: &Cloud<'_>, matter: f64) -> Result<Mesh, SurfaceError> {
        let &Cloud { position, volume, quantities, spacing } = cloud;
        let cell = self.cell_over_spacing * spacing;
        match &self.method {
            Method::IsoDensity(parameters) => {
                let mut field = parameters.field_of_volumes(position, volume, spacing)?;
                let mesh = match parameters.iso {
                    Iso::Volume => triangulate_volume(&mut field, cell, matter)?,
                    _ => triangulate(&field, cell)?,
                };
                self.finish(mesh, &field, quantities)
            }
            Method::CentreOfMass(parameters) => {
                let field = parameters.field_of_volumes(position, volume, spacing)?;
                self.finish(triangulate(&field, cell)?, &field, quantities)
            }
            #[cfg(feature = "splashsurf")]
            Method::Splashsurf(parameters) => {
                let mesh = parameters.mesh(position, spacing, cell, self.smoothing)?;
                // Vertices that were smoothed outwards must still be in reach of particles.
                let support_over_spacing = parameters.support_over_spacing + 1.0;
                let field = IsoDensity { support_over_spacing, ..IsoDensity::default() }.field(position, spacing)?;
                Reconstruction { smoothing: 0, ..*self }.finish(mesh, &field, quantities)
            }
        }
    }

    /// Quantities, smoothing and normals.
    fn finish(&self, mut mesh: Mesh, field: &impl Field, quantities: &[Quantity<'_>]) -> Result<Mesh, SurfaceError> {
        let attributes = quantities.iter().map(|quantity| carry(field, quantity, &mesh.position));
        mesh.attributes = attributes.collect::<Result<_, _>>()?;
        smooth(&mut mesh, self.smoothing, field);
        Ok(mesh)
    }
}

/// What a mesh is made of.
struct Cloud<'a> {
    position: &'a [Vec3],
    volume: &'a [f32],
    quantities: &'a [Quantity<'a>],
    spacing: f32,
}

/// Refined points, and what a mesh is made of: the particles below the surface and the points on it.
struct Refined {
    cloud: PointCloud,
    attributes: Vec<Attribute>,
    position: Vec<Vec3>,
    volume: Vec<f32>,
    quantities: Vec<Attribute>,
}

fn as_quantity(attribute: &Attribute) -> Quantity<'_> {
    Quantity { name: &attribute.name, components: attribute.components, values: &attribute.values }
}

/// The chosen rows of a quantity.
fn rows(quantity: &Quantity<'_>, chosen: &[usize]) -> Vec<f32> {
    let row = |&i: &usize| &quantity.values[i * quantity.components..(i + 1) * quantity.components];
    chosen.iter().flat_map(row).copied().collect()
}

impl Refining {
    fn points(
        &self,
        position: &[Vec3],
        spacing: f32,
        volume: &[f32],
        quantities: &[Quantity<'_>],
    ) -> Result<Refined, SurfaceError> {
        let reach = SIGHT * spacing;
        let is_outer = detect(position, reach, &self.detection, None)?;
        let side = |outer: bool| (0..position.len()).filter(|&i| is_outer[i] == outer).collect::<Vec<_>>();
        let (outer, inner) = (side(true), side(false));
        let chosen: Vec<u32> = outer.iter().map(|&i| i as u32).collect();
        let facing = normals(position, &chosen, reach, self.normals)?;
        let places: Vec<Vec3> = outer.iter().map(|&i| position[i]).collect();
        let cloud = refine(&places, &facing, reach, &self.refinement)?;
        let carried = |quantity: &Quantity<'_>| cloud.carry(&Quantity { values: &rows(quantity, &outer), ..*quantity });
        let attributes = quantities.iter().map(carried).collect::<Result<Vec<_>, _>>()?;
        let join = |quantity: &Quantity<'_>, carried: &[f32]| [&rows(quantity, &inner), carried].concat();
        let joined = quantities.iter().zip(&attributes);
        let quantities =
            joined.map(|(quantity, at)| Attribute { values: join(quantity, &at.values), ..at.clone() }).collect();
        let volume = Quantity { name: "volume", components: 1, values: volume };
        let shares = shares(&cloud, &places, reach)?;
        let mut shared = carried(&volume)?.values;
        shared.iter_mut().zip(shares).for_each(|(volume, share)| *volume *= share);
        let volume = join(&volume, &shared);
        let position = inner.iter().map(|&i| position[i]).chain(cloud.position.iter().copied()).collect();
        Ok(Refined { cloud, attributes, position, volume, quantities })
    }
}

/// What share of a particle each point of a cloud stands for: how densely particles lie around it, by how densely
/// points do. A particle that was not refined stands for itself.
fn shares(cloud: &PointCloud, given: &[Vec3], reach: f32) -> Result<Vec<f32>, SurfaceError> {
    let kernel = Kernel { shape: Shape::Poly6, support: reach };
    let (points, given) = (Samples::new(&cloud.position, reach)?, Samples::new(given, reach)?);
    let density = |samples: &Samples, at: Vec3| {
        let mut sum = 0.0;
        samples.near(at, |_, _, squared| sum += kernel.value(squared));
        sum
    };
    let share = |&at: &Vec3| density(&given, at) / density(&points, at);
    Ok(cloud.position.par_iter().with_min_len(256).map(share).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::lattice;

    fn methods() -> [Method; 2] {
        [Method::default(), Method::CentreOfMass(CentreOfMass::default())]
    }

    #[test]
    fn every_method_gives_a_sound_mesh_with_quantities() {
        let ball = lattice(0.1, 0.6, 0.1, |at| at.length() < 0.5);
        let heat = vec![7.0; ball.len()];
        let quantity = Quantity { name: "heat", components: 1, values: &heat };
        for method in methods() {
            for (smoothing, steps) in [(0, 0), (5, 0), (5, 2)] {
                let refinement = Refinement { steps, ..Refinement::default() };
                let refining = (steps > 0).then_some(Refining { refinement, ..Refining::default() });
                let wanted = Reconstruction { method, smoothing, refining, ..Reconstruction::default() };
                let Surface { mesh, points } = wanted.surface(&ball, 0.1, &[quantity]).unwrap();
                assert!(mesh.flaws().is_none(), "{:?}", mesh.flaws());
                let volume = mesh.volume() / (ball.len() as f64 * 1e-3);
                assert!((volume - 1.0).abs() < 0.08, "{method:?} {smoothing} {steps}: {volume}");
                assert!(mesh.attributes[0].values.iter().all(|value| (value - 7.0).abs() < 1e-4));
                let outward = mesh.position.iter().zip(&mesh.normal).filter(|(at, normal)| at.dot(**normal) > 0.0);
                assert!(outward.count() as f32 > 0.99 * mesh.position.len() as f32);
                assert_eq!(points.is_some(), steps > 0);
                if let Some((cloud, attributes)) = points {
                    assert_eq!(attributes[0].values.len(), cloud.position.len());
                }
            }
        }
    }

    #[test]
    fn no_particles_have_no_surface() {
        for method in methods() {
            let wanted = Reconstruction { method, refining: Some(Refining::default()), ..Reconstruction::default() };
            let empty = wanted.surface(&[], 0.1, &[]).unwrap();
            assert!(empty.mesh.position.is_empty() && empty.mesh.triangles.is_empty());
        }
    }
}

//! From shapes as they are written to solids, and what is wrong with them.

use std::sync::Arc;

use glam::{DQuat, DVec3};

use super::combine::{Blend, Complement, Intersection, Rind, Union};
use super::place::Placed;
use super::repeat::Places;
use super::{BoxShape, Curve, HeightField, Repeat, Scatter, Shape, Solid, Surroundings, Torus, Transform, Turn};
use crate::document::Path;
use crate::meaning::{Finding, finding, missing};
use crate::mesh::Mesh;
use crate::wording::plain;

/// How deep shapes may be made of shapes.
const DEEPEST: usize = 32;

/// Most parts of a shape: every box, ball, piece of a curve, each as often as it is repeated.
const MOST_PARTS: usize = 200_000;

/// The solid of a shape, or all that is wrong with it; at least one thing.
pub(super) fn solid(
    shape: &Shape,
    surroundings: Surroundings<'_>,
    path: &Path,
) -> Result<Box<dyn Solid>, Vec<Finding>> {
    let mut maker = Maker { surroundings, parts: 0, names: Vec::new(), depth: 0, faults: Vec::new() };
    maker.make(shape, path).map_err(|last| {
        maker.fault(last);
        maker.faults
    })
}

/// Enough to be told of one shape.
const MOST_FAULTS: usize = 30;

struct Maker<'a> {
    surroundings: Surroundings<'a>,
    /// Parts so far.
    parts: usize,
    /// Names that are being looked up, each in the shape of the one before.
    names: Vec<&'a str>,
    depth: usize,
    /// What is wrong with parts of lists; the list then has the last fault.
    faults: Vec<Finding>,
}

type Made = Result<Box<dyn Solid>, Finding>;

impl<'a> Maker<'a> {
    fn make(&mut self, shape: &'a Shape, path: &Path) -> Made {
        self.count(1, path)?;
        if self.depth == DEEPEST {
            let message = format!("shapes are made of shapes more than {DEEPEST} deep");
            return Err(finding(path.clone(), message, "use fewer levels"));
        }
        self.depth += 1;
        let solid = self.choose(shape, path);
        self.depth -= 1;
        solid
    }

    fn choose(&mut self, shape: &'a Shape, path: &Path) -> Made {
        let world = self.surroundings.world;
        let coincide = |key: &str| {
            let message = "it has no length: `from` and `to` are the same".into();
            finding(path.key(key), message, "move one of them")
        };
        match shape {
            Shape::Box(shape) => self.cuboid(shape, &path.key("box")),
            Shape::Sphere(shape) => Ok(shape.solid(world)),
            Shape::Ellipsoid(shape) => Ok(shape.solid(world)),
            Shape::Cylinder(shape) => shape.solid().ok_or_else(|| coincide("cylinder")),
            Shape::Capsule(shape) => shape.solid().ok_or_else(|| coincide("capsule")),
            Shape::Cone(shape) => shape.solid().ok_or_else(|| coincide("cone")),
            Shape::Torus(shape) => torus(shape, &path.key("torus")),
            Shape::Plane(shape) => shape.solid().ok_or_else(|| {
                finding(path.key("plane").key("normal"), "the normal is zero".into(), "`[0, 1, 0]` is upwards")
            }),
            Shape::HeightField(shape) => self.height_field(shape, &path.key("height_field")),
            Shape::Curve(shape) => self.curve(shape, &path.key("curve")),
            Shape::Mesh(mesh) => self.mesh(mesh, &path.key("mesh")),
            Shape::Union(shapes) => Ok(Box::new(Union::new(self.all(shapes, &path.key("union"))?))),
            Shape::Intersection(shapes) => {
                Ok(Box::new(Intersection::new(self.all(shapes, &path.key("intersection"))?)))
            }
            Shape::Difference(shapes) => {
                let mut parts = self.all(shapes, &path.key("difference"))?.into_iter();
                let first = parts.next();
                let others = parts.map(|part| Arc::new(Complement(part)) as Arc<dyn Solid>);
                Ok(Box::new(Intersection::new(first.into_iter().chain(others).collect())))
            }
            Shape::SmoothUnion(blend) => {
                let parts = self.all(&blend.shapes, &path.key("smooth_union").key("shapes"))?;
                Ok(Box::new(Blend::new(parts, blend.radius)))
            }
            Shape::Shell(shell) => {
                let solid = self.shared(&shell.shape, &path.key("shell").key("shape"))?;
                Ok(Box::new(Rind { solid, thickness: shell.thickness }))
            }
            Shape::Transform(transform) => self.transform(transform, &path.key("transform")),
            Shape::Repeat(Repeat::Grid(grid)) => {
                let path = path.key("repeat").key("grid");
                let before = self.parts;
                let solid = self.shared(&grid.shape, &path.key("shape"))?;
                self.repeated(before, grid.copies(), &path)?;
                Ok(Box::new(Union::new(grid.place(&solid))))
            }
            Shape::Repeat(Repeat::Scatter(scatter)) => self.scatter(scatter, &path.key("repeat").key("scatter")),
            Shape::Named(name) => self.named(name, &path.key("named")),
        }
    }

    fn shared(&mut self, shape: &'a Shape, path: &Path) -> Result<Arc<dyn Solid>, Finding> {
        self.make(shape, path).map(Arc::from)
    }

    fn all(&mut self, shapes: &'a [Shape], path: &Path) -> Result<Vec<Arc<dyn Solid>>, Finding> {
        if shapes.is_empty() {
            return Err(finding(path.clone(), "there are no shapes".into(), "list at least one"));
        }
        let mut made = Vec::new();
        let mut last = None;
        for (k, shape) in shapes.iter().enumerate() {
            match self.shared(shape, &path.index(k)) {
                Ok(solid) => made.push(solid),
                // Where there are too many parts, all others are too many as well.
                Err(fault) if self.parts > MOST_PARTS => return Err(fault),
                Err(fault) => last.replace(fault).into_iter().for_each(|fault| self.fault(fault)),
            }
        }
        last.map_or(Ok(made), Err)
    }

    /// Notes a fault. One in a shape with a name is met wherever that is used.
    fn fault(&mut self, fault: Finding) {
        if self.faults.len() < MOST_FAULTS && self.faults.iter().all(|known| known.path != fault.path) {
            self.faults.push(fault);
        }
    }

    /// So many more parts.
    fn count(&mut self, parts: usize, path: &Path) -> Result<(), Finding> {
        self.parts = self.parts.saturating_add(parts);
        if self.parts > MOST_PARTS {
            let message = format!("the shape has more than {MOST_PARTS} parts");
            return Err(finding(path.clone(), message, "use fewer copies"));
        }
        Ok(())
    }

    /// The parts since `before` are there many times.
    fn repeated(&mut self, before: usize, copies: f64, path: &Path) -> Result<(), Finding> {
        let parts = (self.parts - before) as f64 * copies;
        self.count(parts as usize, path)
    }

    fn cuboid(&mut self, shape: &BoxShape, path: &Path) -> Made {
        let axes = usize::from(self.surroundings.world.dimension);
        let edge = |axis: usize| shape.max[axis] - shape.min[axis];
        if let Some(axis) = (0..axes).find(|&axis| edge(axis) <= 0.0) {
            let (low, high) = (plain(shape.min[axis]), plain(shape.max[axis]));
            let message = format!("the box has no inside: `min` is {low} and `max` is {high} in {}", AXES[axis]);
            return Err(finding(path.key("max"), message, "every number of `max` must be greater than that of `min`"));
        }
        let shortest = (0..axes).map(edge).fold(f64::INFINITY, f64::min);
        if shape.rounding > 0.5 * shortest {
            let message = format!(
                "`rounding` is {}, more than half the shortest edge of {} m",
                plain(shape.rounding),
                plain(shortest)
            );
            return Err(finding(path.key("rounding"), message, format!("at most {} fits", plain(0.5 * shortest))));
        }
        Ok(shape.solid(self.surroundings.world))
    }

    fn height_field(&mut self, shape: &HeightField, path: &Path) -> Made {
        let world = self.surroundings.world;
        self.cuboid(&BoxShape { min: shape.min, max: shape.max, rounding: 0.0 }, path)?;
        shape.solid(world).map_err(|(key, cause)| {
            let help = "a height is a formula such as `0.4 + 0.1 * sin(6 * x)`";
            finding(path.key(key), format!("the height makes no sense: {cause}"), help)
        })
    }

    fn curve(&mut self, shape: &Curve, path: &Path) -> Made {
        self.count(shape.pieces(), path)?;
        shape.solid().ok_or_else(|| {
            let (points, radii) = (shape.points.len(), shape.radii.len());
            let message = format!("the curve has {points} points, but {radii} radii");
            finding(path.key("radii"), message, "give one radius for each point, or one for all")
        })
    }

    fn mesh(&mut self, mesh: &Mesh, path: &Path) -> Made {
        let unusable = |cause: String, help: &str| {
            finding(path.key("file"), format!("the mesh `{}` cannot be used: {cause}", mesh.file), help)
        };
        let file = self.surroundings.files.mesh(mesh);
        let file = file.map_err(|cause| unusable(cause, "meshes are looked for in the folder of the scene"))?;
        let solid = match self.surroundings.surface {
            true => Ok(file.surface(0.5 * self.surroundings.world.spacing / mesh.scale)),
            false => file.solid().map(|solid| solid as Arc<dyn Solid>),
        };
        let solid = solid.map_err(|cause| {
            unusable(cause, "close its holes; only a body with `fill = \"surface\"` needs no inside")
        })?;
        let rotation = rotation(mesh.rotation.as_ref(), path)?;
        Ok(Box::new(Placed::new(solid, DVec3::splat(mesh.scale), rotation, DVec3::from_array(mesh.translation))))
    }

    fn transform(&mut self, transform: &'a Transform, path: &Path) -> Made {
        let solid = self.shared(&transform.shape, &path.key("shape"))?;
        let stretch = DVec3::from_array(transform.stretch);
        if stretch.abs().min_element() < 1e-6 || stretch.abs().max_element() > 1e6 {
            let help = "each number must be between 1e-6 and 1e6, or the same below zero";
            return Err(finding(path.key("stretch"), "the shape would have no volume, or no end".into(), help));
        }
        let rotation = rotation(transform.rotation.as_ref(), path)?;
        let origin = DVec3::from_array(transform.translation);
        Ok(Box::new(Placed::new(solid, transform.scale * stretch, rotation, origin)))
    }

    fn scatter(&mut self, scatter: &'a Scatter, path: &Path) -> Made {
        let before = self.parts;
        let solid = self.shared(&scatter.shape, &path.key("shape"))?;
        self.repeated(before, f64::from(scatter.count), path)?;
        if scatter.scale[0] > scatter.scale[1] {
            let message = "the smallest scale is larger than the largest".into();
            return Err(finding(path.key("scale"), message, "write the smaller number first"));
        }
        let (key, shape) = match (&scatter.within, &scatter.on) {
            (Some(within), None) => ("within", within),
            (None, Some(on)) => ("on", on),
            (None, None) => {
                let message = "there is neither `within` nor `on`".into();
                return Err(finding(path.clone(), message, "say in which shape, or on which surface, the copies are"));
            }
            (Some(_), Some(_)) => {
                let message = "there are both `within` and `on`".into();
                return Err(finding(path.key("on"), message, "keep one of them"));
            }
        };
        let ground = self.make(shape, &path.key(key))?;
        if !ground.bounds().is_finite() {
            let help = "intersect it with a box";
            return Err(finding(path.key(key), "copies cannot be scattered over a shape without end".into(), help));
        }
        let places = if key == "on" { Places::On(&*ground) } else { Places::Within(&*ground) };
        let copies = scatter.place(&solid, &places, self.surroundings.world.seed);
        if copies.len() < scatter.count as usize {
            let message = format!("there is room for {} copies, not for {}", copies.len(), scatter.count);
            return Err(finding(path.key("count"), message, "lower `count` or `apart`"));
        }
        Ok(Box::new(Union::new(copies)))
    }

    fn named(&mut self, name: &'a str, path: &Path) -> Made {
        let shapes = self.surroundings.shapes;
        let Some(shape) = shapes.get(name) else {
            return Err(missing(path.clone(), "shape", name, shapes.keys().map(String::as_str)));
        };
        if self.names.contains(&name) {
            let message = format!("the shape `{name}` is made of itself");
            return Err(finding(path.clone(), message, "a shape may only be made of others"));
        }
        self.names.push(name);
        let solid = self.make(shape, &Path::default().key("shapes").key(name));
        self.names.pop();
        solid
    }
}

fn rotation(turn: Option<&Turn>, path: &Path) -> Result<DQuat, Finding> {
    turn.map_or(Some(DQuat::IDENTITY), Turn::rotation)
        .ok_or_else(|| finding(path.key("rotation").key("axis"), "the axis is zero".into(), "`[0, 0, 1]` is along z"))
}

fn torus(shape: &Torus, path: &Path) -> Made {
    if shape.tube_radius >= shape.radius {
        let (tube, radius) = (plain(shape.tube_radius), plain(shape.radius));
        let message = format!("the tube of the ring has a radius of {tube} m, the ring itself one of {radius}");
        return Err(finding(path.key("tube_radius"), message, "`tube_radius` must be less than `radius`"));
    }
    shape.solid().ok_or_else(|| finding(path.key("axis"), "the axis is zero".into(), "`[0, 1, 0]` is along y"))
}

const AXES: [&str; 3] = ["x", "y", "z"];

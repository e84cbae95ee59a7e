//! Worlds, shapes, bodies and walls for tests.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::document::Path;
use crate::mesh::Files;
use crate::shape::{Solid, Surroundings};
use crate::{Body, BoxShape, EnergyGain, Shape, Sphere, Vector, Wall, World};

/// A world of a dimension and a spacing [m].
pub(crate) fn world(dimension: u8, spacing: f64) -> World {
    World {
        spacing,
        up: Default::default(),
        gravity: None,
        dimension,
        periodic: Default::default(),
        kernel: Default::default(),
        shifting: None,
        surroundings: None,
        seed: 0,
        energy_gain: EnergyGain::default(),
    }
}

/// A world without named shapes and files.
pub(crate) fn around(world: &World) -> Surroundings<'_> {
    static FILES: LazyLock<Files> = LazyLock::new(Files::default);
    static NONE: BTreeMap<String, Shape> = BTreeMap::new();
    Surroundings { world, shapes: &NONE, files: &FILES, surface: false }
}

/// The solid of a shape that makes sense.
pub(crate) fn solid(shape: &Shape, world: &World) -> Box<dyn Solid> {
    shape.solid(around(world), &Path::default()).unwrap()
}

/// A box.
pub(crate) fn cuboid(min: Vector, max: Vector) -> Shape {
    Shape::Box(BoxShape { min, max, rounding: 0.0 })
}

/// A ball.
pub(crate) fn ball(centre: Vector, radius: f64) -> Shape {
    Shape::Sphere(Sphere { centre, radius })
}

/// A body that fills a shape.
pub(crate) fn body(shape: &Shape) -> Body {
    Body {
        name: "body".into(),
        material: "water".into(),
        shape: shape.clone(),
        fill: Default::default(),
        sampling: None,
        jitter: 0.0,
        deformation: None,
        overlap: Default::default(),
        priority: 0,
        velocity: [0.0; 3],
        spin: [0.0; 3],
        velocity_field: None,
        clamps: Vec::new(),
        loads: Vec::new(),
        skin: None,
        temperature: None,
    }
}

/// A wall that stands still.
pub(crate) fn wall(shape: Shape, inside: bool) -> Wall {
    Wall {
        name: "wall".into(),
        shape,
        inside,
        no_slip: None,
        wetting: std::collections::BTreeMap::new(),
        friction: 0.0,
        path: Vec::new(),
        interpolation: Default::default(),
        repeat: false,
        temperature: None,
    }
}

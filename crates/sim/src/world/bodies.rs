//! Bodies and walls: names for sets of particles.

use serde::{Deserialize, Serialize};

use super::kinds::KindId;
use super::load::Load;
use super::path::Path;
use crate::real::{Real, Vec3};
use crate::tension::Wetting;

/// Which body or wall: a slot, and how often it was taken before. It stays valid when others come and go, and names
/// nothing once its own body is removed, though another may have the slot then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct BodyId {
    /// The slot: what the column `body` holds.
    pub slot: u32,
    /// How many bodies had the slot before.
    pub generation: u32,
}

/// A body or wall of the world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Body {
    /// Its name, as in the scene.
    pub name: String,
    /// Matter or wall.
    pub kind: BodyKind,
    /// How many bodies had its slot before.
    pub generation: u32,
    /// It was removed: its slot is free.
    pub is_removed: bool,
    /// How many particles it has.
    pub particles: usize,
    /// The path that it follows, if it is a wall that does.
    pub path: Option<Path>,
    /// Its bonds no longer follow from its undeformed shape.
    pub is_reshaped: bool,
    /// What holds parts of it, if it is elastic.
    pub clamps: Vec<Clamp>,
    /// What pulls parts of it, if it is elastic.
    pub loads: Vec<Load>,
    /// Friction of elastic bodies on it, if it is a wall: the share of the normal force that it can bear [-].
    pub friction: Real,
    /// How fluids wet it, if it is a wall, where it is not as they say themselves.
    #[serde(default)]
    pub wetting: Vec<Wetting>,
}

/// Something that holds a part of an elastic body.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Clamp {
    /// The path along which it moves that part; it holds it still without one.
    pub path: Option<Path>,
}

/// What the particles of a body do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BodyKind {
    /// Matter: what it is made of, and in which phase, its particles say.
    Matter,
    /// A wall: moved by a path or by the caller, never by forces.
    Wall {
        /// Fluid sticks to it; otherwise it slips freely.
        no_slip: bool,
    },
}

impl BodyKind {
    /// Is it a wall?
    pub fn is_wall(self) -> bool {
        matches!(self, BodyKind::Wall { .. })
    }
}

impl Body {
    /// Its identifier, if it has this slot.
    pub(crate) fn id(&self, slot: usize) -> BodyId {
        BodyId { slot: slot as u32, generation: self.generation }
    }

    /// A body or wall that has nothing yet.
    pub fn new(name: String, kind: BodyKind, particles: usize) -> Self {
        Body {
            name,
            kind,
            generation: 0,
            is_removed: false,
            particles,
            path: None,
            is_reshaped: false,
            clamps: Vec::new(),
            loads: Vec::new(),
            friction: 0.0,
            wetting: Vec::new(),
        }
    }
}

/// A body to be added: particles that are the centres of their cells.
#[derive(Clone, Debug, Default)]
pub struct NewBody {
    /// Its name.
    pub name: String,
    /// Index of its material.
    pub material: usize,
    /// The kind of matter it is; what its material says unless given: elastic, or fluid.
    pub kind: Option<KindId>,
    /// Where its particles are [m].
    pub position: Vec<Vec3>,
    /// How fast they move [m/s]: one value for all, or one for each.
    pub velocity: Vec<Vec3>,
    /// Rest volume of each [m^dimension]; empty: one lattice cell each.
    pub rest_volume: Vec<Real>,
    /// Where the particles of an elastic body are in its undeformed shape [m]; empty: where they are.
    pub undeformed: Vec<Vec3>,
    /// What holds parts of an elastic body: each clamp with the particles it holds, by index.
    pub clamps: Vec<(Clamp, Vec<usize>)>,
    /// What pulls parts of an elastic body; those who bear it are counted as in `position`.
    pub loads: Vec<Load>,
    /// Its temperature [degC]; that of a room unless given.
    pub temperature: Option<Real>,
}

/// A wall to be added: particles that lie half a spacing and more behind its surface.
#[derive(Clone, Debug, Default)]
pub struct NewWall {
    /// Its name.
    pub name: String,
    /// Where its particles are [m].
    pub position: Vec<Vec3>,
    /// From each particle to the nearest point of the surface [m].
    pub to_surface: Vec<Vec3>,
    /// Rest volume of each [m^dimension]; empty: one lattice cell each.
    pub rest_volume: Vec<Real>,
    /// Fluid sticks to it; otherwise it slips freely.
    pub no_slip: bool,
    /// Friction of elastic bodies on it: the share of the normal force that it can bear [-].
    pub friction: Real,
    /// How fluids wet it, where it is not as they say themselves.
    pub wetting: Vec<Wetting>,
    /// The path that it follows; it stands still without one. `position` is where it is before it moves.
    pub path: Option<Path>,
}

/// How the caller moves a wall between two steps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WallMotion {
    /// By how much it is moved now [m].
    pub translation: Vec3,
    /// Velocity that matter at the wall sees [m/s].
    pub velocity: Vec3,
    /// Acceleration that matter at the wall sees [m/s^2].
    pub acceleration: Vec3,
}

//! Walls, drawn so that they do not hide what is in them: a box that holds matter by its edges, other tanks by what is
//! behind the matter, in flat worlds by their outline; obstacles as they are. All follow their paths.

use std::sync::Arc;

use thixo_render::{Bounds, Colour, Field, Finish, Level, Picture, Rods, Stride, Vec3};
use thixo_scene::{Outline, Scene, Shape, Wall};
use thixo_sim::Path;
use thixo_surface::DVec3;

use super::bricks::Bricks;

/// Thickness of lines [pixels].
const LINE: f32 = 2.0;
const INK: Colour = Colour::splat(0.12);
const STONE: Colour = Colour::new(0.46, 0.44, 0.42);
const TANK: Colour = Colour::new(0.60, 0.62, 0.64);
/// Moments at which it is looked where a wall is, to find out how far it goes.
const MOMENTS: usize = 64;

/// A wall.
#[derive(Clone, Debug)]
pub(super) struct DrawnWall {
    outline: Arc<Outline>,
    look: Look,
    /// Where it goes, if it moves.
    path: Option<Path>,
    /// Around it before it moves.
    anchored: Bounds,
    /// Around all of its way.
    bounds: Bounds,
    /// Distances to an obstacle before it moves.
    bricks: Option<Arc<Bricks>>,
}

/// How it is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    /// A box with matter inside: its edges.
    Edges,
    /// Something else with matter inside: what of it is behind the matter.
    Shell,
    /// Matter is outside.
    Solid,
}

/// What a wall must know of the picture that it is in.
pub(super) struct Surrounded {
    /// What is seen.
    pub(super) seen: Bounds,
    /// In a flat world, how far it reaches forward and backward.
    pub(super) flat_depth: Option<f32>,
    /// The length that a pixel shows.
    pub(super) pixel: f32,
    /// When the picture is taken [s].
    pub(super) time: f64,
}

impl DrawnWall {
    /// Of a wall; none where there is nothing to draw.
    pub(super) fn new(scene: &Scene, wall: &Wall) -> Option<DrawnWall> {
        let Wall { path, interpolation, repeat, .. } = wall;
        let path = Path { keyframes: path.clone(), interpolation: *interpolation, repeat: *repeat };
        let path = Some(path).filter(|path| !path.keyframes.is_empty());
        let outline = Arc::new(scene.outline(&wall.shape)?);
        let [low, high] = outline.bounds().map(|corner| Vec3::from_array(corner.map(|x| x as f32)));
        let mut anchored = Bounds { low, high };
        if scene.world.dimension == 2 {
            (anchored.low.z, anchored.high.z) = (0.0, 0.0);
        }
        let look = match (&wall.shape, wall.inside) {
            (Shape::Box(_), true) => Look::Edges,
            (_, true) => Look::Shell,
            (_, false) => Look::Solid,
        };
        // What has no end has nothing behind the matter.
        if look == Look::Shell && !anchored.diagonal().is_finite() {
            return None;
        }
        let times = (0..MOMENTS).map(|k| scene.time.end * k as f64 / (MOMENTS - 1) as f64);
        let bounds = match &path {
            None => anchored,
            Some(path) => times.map(|time| moved(path, anchored, time)).fold(Bounds::EMPTY, Bounds::union),
        };
        let is_solid = look == Look::Solid && anchored.diagonal().is_finite() && scene.world.dimension == 3;
        let bricks = is_solid.then(|| Arc::new(Bricks::new(&outline, anchored)));
        Some(DrawnWall { outline, look, path, anchored, bounds, bricks })
    }

    /// Does it hold matter?
    pub(super) fn is_tank(&self) -> bool {
        self.look != Look::Solid
    }

    /// Around it and all of its way.
    pub(super) fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// Around it, unless it moves.
    pub(super) fn still_bounds(&self) -> Option<Bounds> {
        self.path.is_none().then_some(self.bounds)
    }

    /// Draws it.
    pub(super) fn add_to(&self, picture: &mut Picture, at: &Surrounded) {
        let size = at.seen.diagonal();
        let thick = |bounds: Bounds| match at.flat_depth {
            Some(depth) => Bounds { low: bounds.low.with_z(-depth), high: bounds.high.with_z(depth) },
            None => bounds,
        };
        let within = at.seen.grown(0.02 * size);
        let (within, line, colour, finish) = match (self.look, at.flat_depth) {
            (Look::Edges, _) => return self.add_edges(picture, at),
            (Look::Shell, None) => (self.bounds.grown(0.01 * size), None, TANK, Finish::Shell),
            (Look::Shell, Some(_)) => {
                let half = 0.5 * LINE * at.pixel;
                (thick(self.bounds.grown(LINE * at.pixel)), Some(half), INK, Finish::Line)
            }
            (Look::Solid, _) => {
                let within = self.still_bounds().map_or(within, |bounds| within.common(thick(bounds)));
                (thick(within), None, STONE, Finish::Matte)
            }
        };
        if !within.is_empty() {
            let field = WallField { wall: self.clone(), time: at.time, within, line, colour };
            picture.add(Level::new(field, Stride::Distance(1e-4 * size)), finish);
        }
    }

    /// The edges of a box, wherever it has gone.
    fn add_edges(&self, picture: &mut Picture, at: &Surrounded) {
        let place = |corner: Vec3| match &self.path {
            Some(path) => path.place_at(corner.as_dvec3(), at.time).as_vec3(),
            None => corner,
        };
        let edges: Vec<_> = Rods::edges(&self.anchored).iter().map(|ends| ends.map(place)).collect();
        picture.add(Rods::new(&edges, 0.5 * LINE * at.pixel, INK), Finish::Line);
    }
}

/// Around a wall that is somewhere on its way.
fn moved(path: &Path, anchored: Bounds, time: f64) -> Bounds {
    Bounds::around(anchored.corners().map(|corner| path.place_at(corner.as_dvec3(), time).as_vec3()))
}

/// A wall at a time, cut off where it leaves the picture.
struct WallField {
    wall: DrawnWall,
    time: f64,
    within: Bounds,
    /// Half the thickness of the outline, if only that is drawn [m].
    line: Option<f32>,
    colour: Colour,
}

impl WallField {
    fn value_by(&self, point: Vec3, distance: impl Fn(DVec3) -> f32) -> f32 {
        let outside = (self.within.low - point).max(point - self.within.high).max_element();
        // The outline of a flat world is that in its plane.
        let point = if self.line.is_some() { point.with_z(0.0) } else { point }.as_dvec3();
        let distance = distance(self.wall.path.as_ref().map_or(point, |path| path.anchor_at(point, self.time)));
        outside.max(self.line.map_or(distance, |half| distance.abs() - half))
    }

    fn distance(&self, anchor: DVec3) -> f32 {
        self.wall.outline.distance(anchor.to_array()) as f32
    }
}

impl Field for WallField {
    fn value(&self, point: Vec3) -> f32 {
        self.value_by(point, |anchor| self.distance(anchor))
    }

    fn rough_value(&self, point: Vec3) -> f32 {
        let bricks = self.wall.bricks.as_deref();
        let distance = |anchor: DVec3| bricks?.distance(anchor.as_vec3());
        self.value_by(point, |anchor| distance(anchor).unwrap_or_else(|| self.distance(anchor)))
    }

    fn bounds(&self) -> Bounds {
        self.within.grown(1e-3 * self.within.diagonal())
    }

    fn colour(&self, _: Vec3) -> Colour {
        self.colour
    }

    fn boxes(&self) -> Vec<Bounds> {
        let moved = |&part: &Bounds| self.wall.path.as_ref().map_or(part, |path| moved(path, part, self.time));
        self.wall.bricks.iter().flat_map(|bricks| bricks.boxes()).map(moved).collect()
    }
}

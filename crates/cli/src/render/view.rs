//! What is around the particles: where the camera stands, what they stand on, the walls.

use std::sync::Arc;

use thixo_render::{Bounds, Camera, Colour, Field, Finish, Ground, Level, Light, Picture, Rods, Stride, Vec3, View};
use thixo_scene::{Outline, Scene, Shape, Up, Vector, Wall};
use thixo_sim::Path;

/// The angle of view from the lower to the upper edge, unless the scene says otherwise [degrees].
const ANGLE: f32 = 30.0;
/// Share of particles on either side of an axis that may be out of the picture.
const OUTLIERS: f32 = 0.002;
/// A tank that is higher than this many times what the matter in it reaches is cut off.
const HIGHEST_TANK: f32 = 2.5;
/// Thickness of the edges of tanks [pixels].
const EDGE: f32 = 2.0;

/// Everything in a picture but the particles.
#[derive(Clone, Debug)]
pub(super) struct Surroundings {
    up: Vec3,
    is_flat: bool,
    /// What the camera should show.
    seen: Bounds,
    floor: Option<Ground>,
    tanks: Vec<Bounds>,
    obstacles: Vec<Obstacle>,
    look_at: Option<Vec3>,
    from: Option<Vec3>,
    angle: f32,
    /// How far a flat world reaches forward and backward.
    flat_depth: f32,
}

impl Surroundings {
    /// Of a scene whose particles have been within `matter`.
    pub(super) fn new(scene: &Scene, matter: Bounds) -> Surroundings {
        let is_flat = scene.world.dimension == 2;
        let gravity = scene.world.gravity();
        let up = -Vec3::new(gravity.x as f32, gravity.y as f32, gravity.z as f32);
        let default = if scene.world.up == Up::Z && !is_flat { Vec3::Z } else { Vec3::Y };
        let vector = |[x, y, z]: Vector| Vec3::new(x as f32, y as f32, if is_flat { 0.0 } else { z as f32 });
        let mut tanks = Vec::new();
        let mut obstacles = Vec::new();
        for wall in &scene.walls {
            match &wall.shape {
                Shape::Box(shape) if wall.inside && wall.path.is_empty() => {
                    tanks.push(Bounds { low: vector(shape.min), high: vector(shape.max) });
                }
                _ if !wall.inside => obstacles.extend(Obstacle::new(scene, wall)),
                // A round or moving tank would hide what is in it, and has no edges to be drawn.
                _ => {}
            }
        }
        let camera = scene.camera.as_ref();
        let mut surroundings = Surroundings {
            up: if is_flat { Vec3::Y } else { up.try_normalize().unwrap_or(default) },
            is_flat,
            seen: matter,
            floor: None,
            tanks,
            obstacles,
            look_at: camera.and_then(|camera| camera.look_at).map(vector),
            from: camera.and_then(|camera| camera.from).map(vector),
            flat_depth: 0.5 * scene.world.spacing as f32,
            angle: camera.and_then(|camera| camera.field_of_view).map_or(ANGLE, |angle| angle as f32),
        };
        surroundings.look_around(matter);
        surroundings.lay_floor(gravity.length() > 0.0, scene.world.spacing as f32);
        surroundings
    }

    /// What should be seen: the matter, still obstacles, and tanks; of a very high tank, what is near the matter. What
    /// is outside of the tanks needs not be seen.
    fn look_around(&mut self, matter: Bounds) {
        let still = self.obstacles.iter().filter_map(Obstacle::still_bounds);
        for bounds in still.filter(|bounds| bounds.diagonal().is_finite()) {
            self.seen = self.seen.union(bounds);
        }
        let tanks = self.tanks.iter().copied().fold(Bounds::EMPTY, Bounds::union);
        if tanks.is_empty() {
            return;
        }
        let within = self.seen.common(tanks.grown(0.02 * tanks.diagonal()));
        let (bottom, top) = (-highest(&tanks, -self.up), highest(&tanks, self.up));
        let reached = if matter.is_empty() { top } else { highest(&matter, self.up) };
        let shown = top.min(bottom + HIGHEST_TANK * (reached - bottom).max(0.0));
        let corners = tanks.corners().map(|corner| corner - self.up * (corner.dot(self.up) - shown).max(0.0));
        self.seen = if within.is_empty() { Bounds::around(corners) } else { within.union(Bounds::around(corners)) };
    }

    /// The floor lies under tanks, or else under everything; flat worlds hang in front of a wall.
    fn lay_floor(&mut self, has_gravity: bool, spacing: f32) {
        let colour = Vec3::new(0.56, 0.565, 0.57);
        let tanks = self.tanks.iter().copied().fold(Bounds::EMPTY, Bounds::union);
        let standing = if tanks.is_empty() { self.seen } else { tanks };
        self.floor = match self.is_flat {
            true => {
                Some(Ground { point: Vec3::new(0.0, 0.0, -0.5 * spacing), normal: Vec3::Z, colour, is_endless: true })
            }
            false if has_gravity && !standing.is_empty() => {
                // A little lower than what stands on it.
                let lowest = -highest(&standing, -self.up) - 0.2 * spacing;
                Some(Ground { point: self.up * lowest, normal: self.up, colour, is_endless: false })
            }
            false => None,
        };
    }

    /// How large everything is that is seen.
    pub(super) fn size(&self) -> f32 {
        self.seen.diagonal()
    }

    /// The camera, for pictures with that ratio of width to height.
    pub(super) fn camera(&self, aspect: f32) -> Camera {
        if self.is_flat {
            return Camera::framing(&self.seen, -Vec3::Z, Vec3::Y, 0.0, aspect);
        }
        let across = if self.up.dot(Vec3::Z).abs() > 0.9 { Vec3::Y } else { -Vec3::Z };
        let side = across.cross(self.up).normalize_or(Vec3::X);
        let direction = (across - 0.42 * self.up - 0.38 * side).normalize_or(across);
        let (up, angle) = (self.up, self.angle);
        let view = View::Perspective(angle);
        let middle = if self.seen.is_empty() { Vec3::ZERO } else { self.seen.centre() };
        match (self.look_at, self.from) {
            (None, None) => Camera::framing(&self.seen, direction, up, angle, aspect),
            (Some(look_at), None) => Camera::framing_around(look_at, &self.seen, direction, up, angle, aspect),
            (None, Some(from)) => Camera { from, look_at: middle, up, view },
            (Some(look_at), Some(from)) => Camera { from, look_at, up, view },
        }
    }

    /// In a flat world, the same but as thick as its particles.
    fn thickened(&self, bounds: Bounds) -> Bounds {
        let depth = self.flat_depth;
        match self.is_flat {
            true => Bounds { low: bounds.low.with_z(-depth), high: bounds.high.with_z(depth) },
            false => bounds,
        }
    }

    /// A picture without particles, at a time [s], for a camera and a height in pixels.
    pub(super) fn picture(&self, camera: &Camera, height: u32, time: f64) -> Picture {
        let view = camera.look_at - camera.from;
        let mut light = Light::studio(view, self.up);
        if self.is_flat {
            light.sun = Vec3::new(-0.45, 0.65, 1.0).normalize_or(Vec3::Z);
        }
        let mut picture = Picture::new(light);
        picture.ground = self.floor;
        let edges: Vec<_> = self.tanks.iter().flat_map(Rods::edges).collect();
        if !edges.is_empty() {
            let radius = 0.5 * EDGE * camera.pixel_size(self.seen.centre(), height);
            picture.add(Rods::new(&edges, radius, Vec3::splat(0.12)), Finish::Line);
        }
        for obstacle in &self.obstacles {
            let within = self.seen.grown(0.02 * self.seen.diagonal());
            let within = obstacle.still_bounds().map_or(within, |bounds| within.common(self.thickened(bounds)));
            let within = self.thickened(within);
            if !within.is_empty() {
                let field = ObstacleField { obstacle: obstacle.clone(), time, within };
                picture.add(Level::new(field, Stride::Distance(1e-4 * self.seen.diagonal())), Finish::Matte);
            }
        }
        picture
    }
}

/// A wall with matter around it.
#[derive(Clone, Debug)]
struct Obstacle {
    outline: Arc<Outline>,
    /// Where it goes, if it moves.
    path: Option<Path>,
}

impl Obstacle {
    fn new(scene: &Scene, wall: &Wall) -> Option<Obstacle> {
        let Wall { path, interpolation, repeat, .. } = wall;
        let path = Path { keyframes: path.clone(), interpolation: *interpolation, repeat: *repeat };
        let path = Some(path).filter(|path| !path.keyframes.is_empty());
        Some(Obstacle { outline: Arc::new(scene.outline(&wall.shape)?), path })
    }

    /// Around it, unless it moves.
    fn still_bounds(&self) -> Option<Bounds> {
        let [low, high] = self.outline.bounds().map(|corner| Vec3::from_array(corner.map(|x| x as f32)));
        self.path.is_none().then_some(Bounds { low, high })
    }
}

/// An obstacle at a time, cut off where it leaves the picture.
struct ObstacleField {
    obstacle: Obstacle,
    time: f64,
    within: Bounds,
}

impl Field for ObstacleField {
    fn value(&self, point: Vec3) -> f32 {
        let outside = (self.within.low - point).max(point - self.within.high).max_element();
        let point = point.as_dvec3();
        let anchor = self.obstacle.path.as_ref().map_or(point, |path| path.anchor_at(point, self.time));
        outside.max(self.obstacle.outline.distance(anchor.to_array()) as f32)
    }

    fn bounds(&self) -> Bounds {
        self.within.grown(1e-3 * self.within.diagonal())
    }

    fn colour(&self, _: Vec3) -> Colour {
        Colour::new(0.46, 0.44, 0.42)
    }
}

/// Around points, but for a few that are far off.
pub(super) fn bulk(points: &[Vec3], radius: f32) -> Bounds {
    let finite: Vec<Vec3> = points.iter().copied().filter(|point| point.is_finite()).collect();
    let outliers = (finite.len() as f32 * OUTLIERS) as usize;
    if finite.is_empty() {
        return Bounds::EMPTY;
    }
    let mut bounds = Bounds::EMPTY;
    for axis in 0..3 {
        let mut values: Vec<f32> = finite.iter().map(|point| point[axis]).collect();
        values.sort_unstable_by(f32::total_cmp);
        (bounds.low[axis], bounds.high[axis]) = (values[outliers], values[values.len() - 1 - outliers]);
    }
    bounds.grown(radius)
}

fn highest(bounds: &Bounds, up: Vec3) -> f32 {
    bounds.corners().map(|corner| corner.dot(up)).into_iter().fold(f32::NEG_INFINITY, f32::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lone_drops_do_not_decide_what_is_seen() {
        let mut points: Vec<Vec3> = (0..1000).map(|k| Vec3::splat(k as f32 / 999.0)).collect();
        points[500] = Vec3::splat(1e6);
        points[501] = Vec3::NAN;
        let bounds = bulk(&points, 0.1);
        assert!(bounds.high.x < 1.2 && bounds.low.x > -0.2 && bounds.low.x < 0.0, "{bounds:?}");
        assert!(bulk(&[Vec3::NAN], 0.1).is_empty());
        assert_eq!(bulk(&[Vec3::ZERO], 0.5).diagonal(), 3.0_f32.sqrt());
    }
}

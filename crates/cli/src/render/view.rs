//! What is around the particles: where the camera stands, what they stand on, the walls.

use std::sync::Arc;

use thixo_render::{Bounds, Camera, Colour, Field, Finish, Ground, Level, Light, Picture, Rods, Stride, Vec3, View};
use thixo_scene::{Outline, Scene, Shape, Up, Vector};

/// The angle of view from the lower to the upper edge, unless the scene says otherwise [degrees].
const ANGLE: f32 = 30.0;
/// Share of particles on either side of an axis that may be out of the picture.
const OUTLIERS: f32 = 0.002;
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
        // What moves is told by the matter it pushes.
        for wall in scene.walls.iter().filter(|wall| wall.path.is_empty()) {
            match &wall.shape {
                Shape::Box(shape) if wall.inside => {
                    tanks.push(Bounds { low: vector(shape.min), high: vector(shape.max) });
                }
                shape if !wall.inside => obstacles.extend(scene.outline(shape).map(Obstacle::new)),
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

    /// What should be seen: the matter, and the tanks as far up as the matter gets.
    fn look_around(&mut self, matter: Bounds) {
        for bounds in self.obstacles.iter().map(Obstacle::bounds).filter(|bounds| bounds.diagonal().is_finite()) {
            self.seen = self.seen.union(bounds);
        }
        let top = if matter.is_empty() { f32::INFINITY } else { highest(&matter, self.up) };
        for tank in &self.tanks {
            let corners = tank.corners().map(|corner| corner - self.up * (corner.dot(self.up) - top).max(0.0));
            self.seen = self.seen.union(Bounds::around(corners));
        }
    }

    /// The floor lies under everything; flat worlds hang in front of a wall.
    fn lay_floor(&mut self, has_gravity: bool, spacing: f32) {
        let colour = Vec3::new(0.56, 0.565, 0.57);
        self.floor = match self.is_flat {
            true => Some(Ground { point: Vec3::new(0.0, 0.0, -0.5 * spacing), normal: Vec3::Z, colour }),
            false if has_gravity && !self.seen.is_empty() => {
                let lowest = -highest(&self.seen, -self.up);
                Some(Ground { point: self.up * (lowest - 0.01 * spacing), normal: self.up, colour })
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

    /// A picture without particles, for a camera and a height in pixels.
    pub(super) fn picture(&self, camera: &Camera, height: u32) -> Picture {
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
        let depth = self.flat_depth;
        for obstacle in &self.obstacles {
            let within = obstacle.bounds().common(self.seen.grown(0.02 * self.seen.diagonal()));
            let within = if self.is_flat {
                within.common(Bounds { low: Vec3::splat(-1e9).with_z(-depth), high: Vec3::splat(1e9).with_z(depth) })
            } else {
                within
            };
            if !within.is_empty() {
                let field = ObstacleField { outline: Arc::clone(&obstacle.0), within };
                picture.add(Level::new(field, Stride::Distance(1e-4 * self.seen.diagonal())), Finish::Matte);
            }
        }
        picture
    }
}

/// A wall with matter around it.
#[derive(Clone, Debug)]
struct Obstacle(Arc<Outline>);

impl Obstacle {
    fn new(outline: Outline) -> Obstacle {
        Obstacle(Arc::new(outline))
    }

    fn bounds(&self) -> Bounds {
        let [low, high] = self.0.bounds().map(|corner| Vec3::from_array(corner.map(|x| x as f32)));
        Bounds { low, high }
    }
}

/// An obstacle, cut off where it leaves the picture.
struct ObstacleField {
    outline: Arc<Outline>,
    within: Bounds,
}

impl Field for ObstacleField {
    fn value(&self, point: Vec3) -> f32 {
        let outside = (self.within.low - point).max(point - self.within.high).max_element();
        outside.max(self.outline.distance(point.to_array().map(f64::from)) as f32)
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

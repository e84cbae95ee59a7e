//! What is around the particles: where the camera stands, what they stand on, the walls.

use std::cmp::Ordering;

use thixo_render::{Bounds, Camera, Ground, Light, Picture, Vec3, View};
use thixo_scene::{Scene, Up, Vector};

use super::walls::{DrawnWall, Surrounded};

/// The angle of view from the lower to the upper edge, unless the scene says otherwise [degrees].
const ANGLE: f32 = 30.0;
/// Share of particles on either side of an axis that may be out of the picture.
const OUTLIERS: f32 = 0.002;
/// A tank that is higher than this many times what the matter in it reaches is cut off.
const HIGHEST_TANK: f32 = 2.5;
/// Steps by which a place is found for the legend.
const STEPS_ASIDE: usize = 8;

/// Everything in a picture but the particles.
#[derive(Clone, Debug)]
pub(super) struct Surroundings {
    up: Vec3,
    is_flat: bool,
    /// What the camera should show.
    seen: Bounds,
    floor: Option<Ground>,
    walls: Vec<DrawnWall>,
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
        let camera = scene.camera.as_ref();
        let mut surroundings = Surroundings {
            up: if is_flat { Vec3::Y } else { up.try_normalize().unwrap_or(default) },
            is_flat,
            seen: matter,
            floor: None,
            walls: scene.walls.iter().filter_map(|wall| DrawnWall::new(scene, wall)).collect(),
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
        let still = self.walls.iter().filter(|wall| !wall.is_tank()).filter_map(DrawnWall::still_bounds);
        for bounds in still.filter(|bounds| bounds.diagonal().is_finite()) {
            self.seen = self.seen.union(bounds);
        }
        let tanks = self.tanks();
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

    /// Around all tanks, wherever they go.
    fn tanks(&self) -> Bounds {
        self.walls.iter().filter(|wall| wall.is_tank()).map(DrawnWall::bounds).fold(Bounds::EMPTY, Bounds::union)
    }

    /// The floor lies under tanks, or else under everything; flat worlds hang in front of a wall.
    fn lay_floor(&mut self, has_gravity: bool, spacing: f32) {
        let colour = Vec3::new(0.56, 0.565, 0.57);
        let tanks = self.tanks();
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

    /// The camera, for pictures with that ratio of width to height. In a flat world the legend, which takes that share
    /// of the width, is beside what is seen; elsewhere it lies on the floor.
    pub(super) fn camera(&self, aspect: f32, legend: f32) -> Camera {
        if self.is_flat {
            return self.flat_camera(aspect, legend);
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

    fn flat_camera(&self, aspect: f32, legend: f32) -> Camera {
        let mut framed = self.seen;
        let mut camera = Camera::framing(&framed, -Vec3::Z, Vec3::Y, 0.0, aspect);
        for _ in 0..STEPS_ASIDE {
            let View::Parallel(height) = camera.view else { break };
            let width = height * aspect;
            let room = self.seen.low.x - (camera.look_at.x - 0.5 * width);
            // Not positive, or no number: there is nothing to be done.
            let missing = legend.min(0.5) * width - room;
            if missing.partial_cmp(&(1e-3 * width)) != Some(Ordering::Greater) {
                break;
            }
            framed.low.x -= missing;
            camera = Camera::framing(&framed, -Vec3::Z, Vec3::Y, 0.0, aspect);
        }
        camera
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
        let flat_depth = self.is_flat.then_some(self.flat_depth);
        let pixel = camera.pixel_size(self.seen.centre(), height);
        let surrounded = Surrounded { seen: self.seen, flat_depth, pixel, time };
        self.walls.iter().for_each(|wall| wall.add_to(&mut picture, &surrounded));
        picture
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

    fn surroundings(scene: &str, matter: Bounds) -> Surroundings {
        let text = format!(
            "world.spacing = 0.1\ntime.end = 1\nmaterials.water.density = 1000\n{scene}\n[[bodies]]\nname = 'a'\n\
             material = 'water'\nshape.sphere = {{ centre = [0, 0, 0], radius = 0.2 }}\n"
        );
        Surroundings::new(&Scene::read("drop", &text, &[]).unwrap(), matter)
    }

    #[test]
    fn legend_has_a_place_beside_a_flat_world() {
        let matter = Bounds { low: Vec3::new(-2.0, -0.5, 0.0), high: Vec3::new(2.0, 0.5, 0.0) };
        let flat = surroundings("world.dimension = 2", matter);
        for (aspect, legend) in [(16.0 / 9.0, 0.2), (1.0, 0.3), (8.0, 0.1), (16.0 / 9.0, 3.0)] {
            let camera = flat.camera(aspect, legend);
            let View::Parallel(height) = camera.view else { panic!("a flat world is seen along parallel lines") };
            let width = height * aspect;
            let (left, right) = (camera.look_at.x - 0.5 * width, camera.look_at.x + 0.5 * width);
            assert!(-2.0 - left > (legend.min(0.5) - 0.01) * width, "{left} {width}");
            assert!(right > 2.0, "{right}");
        }
    }

    #[test]
    fn tanks_of_any_shape_and_on_their_way_are_seen() {
        let matter = Bounds { low: Vec3::splat(-0.2), high: Vec3::splat(0.2) };
        let round = "[[walls]]\nname = 'bowl'\nshape.sphere = { centre = [0, 0, 0], radius = 1 }\ninside = true\n";
        assert!(surroundings(round, matter).seen.high.x > 0.9);
        assert!(
            surroundings(&format!("{round}path = [{{ time = 1, translation = [5, 0, 0] }}]\n"), matter).seen.high.x
                > 5.0
        );
    }

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

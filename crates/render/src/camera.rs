//! Where the picture is taken from.

use glam::{Vec2, Vec3};

use crate::ray::{Bounds, Ray};

/// A camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Where it stands.
    pub from: Vec3,
    /// The point in the middle of its picture.
    pub look_at: Vec3,
    /// What is up in its picture.
    pub up: Vec3,
    /// How it sees.
    pub view: View,
}

/// How a camera sees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum View {
    /// As an eye does; with the angle from the lower to the upper edge of the picture [degrees].
    Perspective(f32),
    /// Along parallel lines; with the length that the height of the picture shows.
    Parallel(f32),
}

/// How much larger than what it shows a framed picture is.
const ROOM: f32 = 1.08;
/// Steps by which a framed picture is balanced.
const BALANCING: usize = 6;

impl Camera {
    /// A camera that looks along `direction` and sees all of `bounds` in a picture with that ratio of width to height.
    /// An angle of 0 means parallel lines.
    pub fn framing(bounds: &Bounds, direction: Vec3, up: Vec3, angle: f32, aspect: f32) -> Camera {
        let middle = if bounds.is_empty() { Vec3::ZERO } else { bounds.centre() };
        let mut camera = Camera::framing_around(middle, bounds, direction, up, angle, aspect);
        // What is near looks larger: the middle of the picture is not the middle of the box. A few steps find it.
        for _ in 0..BALANCING {
            let axes = Axes::new(direction, up);
            let [right, height] = [axes.right, axes.up].map(|axis| {
                let place = |corner: Vec3| {
                    let away = (corner - camera.from).dot(axes.forward).max(f32::MIN_POSITIVE);
                    (corner - camera.look_at).dot(axis) / if angle > 0.0 { away } else { 1.0 }
                };
                let places = bounds.corners().map(place);
                let (low, high) =
                    (places.iter().copied().fold(0.0, f32::min), places.iter().copied().fold(0.0, f32::max));
                let distance = if angle > 0.0 { (camera.look_at - camera.from).length() } else { 1.0 };
                0.5 * (low + high) * distance * axis
            });
            let shift = right + height;
            if shift.is_finite() {
                camera = Camera::framing_around(camera.look_at + shift, bounds, direction, up, angle, aspect);
            }
        }
        camera
    }

    /// The same with a given point in the middle.
    pub fn framing_around(middle: Vec3, bounds: &Bounds, direction: Vec3, up: Vec3, angle: f32, aspect: f32) -> Camera {
        let axes = Axes::new(direction, up);
        let seen = if bounds.is_empty() { Bounds::around([middle]).grown(0.5) } else { *bounds };
        let corners = seen.corners().map(|corner| axes.of(corner - middle));
        let largest = |value: &dyn Fn(Vec3) -> f32| corners.iter().map(|&c| value(c)).fold(f32::MIN_POSITIVE, f32::max);
        let in_front = 0.5 * seen.diagonal();
        if angle > 0.0 {
            let slope = (0.5 * angle.to_radians()).tan();
            // Each corner asks for a distance at which it is just seen.
            let distance = largest(&|c| ROOM * (c.x.abs() / aspect).max(c.y.abs()) / slope - c.z);
            let from = middle - direction.normalize_or(-Vec3::Z) * distance.max(1e-3 * in_front);
            Camera { from, look_at: middle, up, view: View::Perspective(angle) }
        } else {
            let height = 2.0 * ROOM * largest(&|c| (c.x.abs() / aspect).max(c.y.abs()));
            let from = middle - direction.normalize_or(-Vec3::Z) * (2.0 * in_front);
            Camera { from, look_at: middle, up, view: View::Parallel(height) }
        }
    }

    /// The same, gone around the point it looks at by an angle [degrees].
    pub fn turned(&self, degrees: f32) -> Camera {
        let turn = glam::Quat::from_axis_angle(self.up.normalize_or(Vec3::Y), degrees.to_radians());
        Camera { from: self.look_at + turn * (self.from - self.look_at), ..*self }
    }

    /// Does it stand and look somewhere?
    pub fn is_sound(&self) -> bool {
        let way = self.look_at - self.from;
        self.from.is_finite() && self.look_at.is_finite() && self.up.is_finite() && way.length() > 0.0
    }

    /// The length that a pixel shows at a point, in a picture that is `height` pixels high.
    pub fn pixel_size(&self, point: Vec3, height: u32) -> f32 {
        let shown = match self.view {
            View::Perspective(angle) => 2.0 * (0.5 * angle.to_radians()).tan() * (point - self.from).length(),
            View::Parallel(height) => height,
        };
        shown / height.max(1) as f32
    }

    /// The rays through a picture with that ratio of width to height.
    pub(crate) fn rays(&self, aspect: f32) -> Rays {
        let axes = Axes::new(self.look_at - self.from, self.up);
        let (is_parallel, half) = match self.view {
            View::Perspective(angle) => (false, (0.5 * angle.to_radians()).tan()),
            View::Parallel(height) => (true, 0.5 * height),
        };
        let (right, up) = (axes.right * half * aspect, axes.up * half);
        Rays { from: self.from, forward: axes.forward, right, up, is_parallel }
    }
}

/// The rays through the places of a picture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rays {
    from: Vec3,
    forward: Vec3,
    right: Vec3,
    up: Vec3,
    is_parallel: bool,
}

impl Rays {
    /// The ray through a place: (-1, -1) is the lower left corner, (1, 1) the upper right one.
    pub(crate) fn through(&self, place: Vec2) -> Ray {
        let across = self.right * place.x + self.up * place.y;
        if self.is_parallel {
            Ray::new(self.from + across, self.forward)
        } else {
            Ray::new(self.from, (self.forward + across).normalize_or(self.forward))
        }
    }
}

/// What is right, up and forward for a camera.
struct Axes {
    right: Vec3,
    up: Vec3,
    forward: Vec3,
}

impl Axes {
    fn new(direction: Vec3, up: Vec3) -> Axes {
        let forward = direction.normalize_or(-Vec3::Z);
        // Looking straight up or down, any direction across will do.
        let right = forward.cross(up).try_normalize().unwrap_or_else(|| forward.any_orthonormal_vector());
        Axes { right, up: right.cross(forward), forward }
    }

    /// The vector as this camera sees it: to the right, up, away.
    fn of(&self, vector: Vec3) -> Vec3 {
        Vec3::new(vector.dot(self.right), vector.dot(self.up), vector.dot(self.forward))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn framed_corners_lie_inside_the_picture_and_one_near_its_edge() {
        let bounds = Bounds { low: Vec3::new(-1.0, 0.0, 2.0), high: Vec3::new(3.0, 1.0, 2.5) };
        for angle in [0.0, 30.0, 70.0] {
            for direction in [Vec3::new(1.0, -0.4, 0.3), -Vec3::Y, Vec3::Z] {
                let aspect = 1.6;
                let camera = Camera::framing(&bounds, direction, Vec3::Y, angle, aspect);
                let axes = Axes::new(camera.look_at - camera.from, camera.up);
                let edge = bounds.corners().map(|corner| {
                    let seen = axes.of(corner - camera.from);
                    let half = match camera.view {
                        View::Perspective(angle) => seen.z * (0.5 * angle.to_radians()).tan(),
                        View::Parallel(height) => 0.5 * height,
                    };
                    assert!(seen.z > 0.0);
                    (seen.x.abs() / (half * aspect)).max(seen.y.abs() / half)
                });
                let most = edge.into_iter().fold(0.0, f32::max);
                assert!((0.9..1.0).contains(&most), "{most} at {angle} along {direction}");
            }
        }
    }

    #[test]
    fn rays_go_through_the_middle_and_the_corners() {
        let from = Vec3::new(0.0, 0.0, 10.0);
        let camera = Camera { from, look_at: Vec3::ZERO, up: Vec3::Y, view: View::Perspective(90.0) };
        assert_eq!(camera.rays(2.0).through(Vec2::ZERO).direction, -Vec3::Z);
        let corner = camera.rays(2.0).through(Vec2::ONE).direction;
        assert!((corner - Vec3::new(2.0, 1.0, -1.0).normalize()).length() < 1e-6);
        let parallel = Camera { view: View::Parallel(4.0), ..camera }.rays(2.0).through(Vec2::ONE);
        assert!((parallel.origin - Vec3::new(4.0, 2.0, 10.0)).length() < 1e-6 && parallel.direction == -Vec3::Z);
        assert!((camera.turned(90.0).from - Vec3::new(10.0, 0.0, 0.0)).length() < 1e-5);
        assert!((camera.pixel_size(Vec3::ZERO, 20) - 1.0).abs() < 1e-5);
    }

    #[test]
    fn nothing_to_see_is_framed_too() {
        let camera = Camera::framing(&Bounds::EMPTY, -Vec3::Z, Vec3::Y, 40.0, 1.0);
        assert!(camera.is_sound());
        assert!(!Camera { from: camera.look_at, ..camera }.is_sound());
        assert!(!Camera { from: Vec3::NAN, ..camera }.is_sound());
    }
}

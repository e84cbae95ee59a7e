//! Paths that walls follow: where a wall is, how fast and how it accelerates, as functions of time alone.
//!
//! A wall particle with the anchor a (its place before the wall moves) is at
//!
//! ```text
//! x(t) = c + R(θ) (a − c) + T
//! v(t) = T' + θ' n × ρ,                                   ρ = R(θ) (a − c)
//! a(t) = T'' + θ'' n × ρ + θ'² n × (n × ρ)
//! ```
//!
//! with the translation T and the angle θ about the axis n through c interpolated between keyframes: linearly (the
//! velocity jumps at a keyframe), or smoothly by 6s⁵ − 15s⁴ + 10s³ (at rest in every keyframe, velocity and
//! acceleration without jumps). Before the first keyframe and after the last the wall stands still.

use glam::{DMat3, DVec3};
use serde::{Deserialize, Serialize};

/// Where a wall goes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Path {
    /// Where it is when; times increase.
    pub keyframes: Vec<Keyframe>,
    /// What it does between keyframes.
    pub interpolation: Interpolation,
    /// Begins again from the first keyframe after the last.
    pub repeat: bool,
}

/// Where a wall is at a time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Keyframe {
    /// The time [s].
    pub time: f64,
    /// By how much it is moved from where its shape says [m].
    #[serde(default)]
    pub translation: [f64; 3],
    /// By how much it is turned before it is moved; not at all unless given.
    // Always written: checkpoints are in a format that counts fields.
    #[serde(default)]
    pub rotation: Option<Rotation>,
}

/// By how much a wall is turned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Rotation {
    /// The angle, counterclockwise about the axis [rad].
    pub angle: f64,
    /// A point on the axis [m], the same in all keyframes.
    pub centre: [f64; 3],
    /// The direction of the axis, the same in all keyframes; its length does not matter.
    #[serde(default = "along_z")]
    pub axis: [f64; 3],
}

/// What a wall does between keyframes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Interpolation {
    /// Moves evenly; its velocity jumps at keyframes.
    #[default]
    Linear,
    /// Starts gently and comes to rest at every keyframe.
    Smooth,
}

fn along_z() -> [f64; 3] {
    [0.0, 0.0, 1.0]
}

impl Path {
    /// What is wrong with it, if anything, and in which keyframe.
    pub fn fault(&self) -> Option<(usize, &'static str)> {
        let first = self.keyframes.iter().find_map(|keyframe| keyframe.rotation.as_ref());
        for (k, keyframe) in self.keyframes.iter().enumerate() {
            let Keyframe { time, translation, rotation } = keyframe;
            let finite = |numbers: &[f64]| numbers.iter().all(|number| number.is_finite());
            if !(time.is_finite() && finite(translation)) {
                return Some((k, "a number is not finite"));
            }
            if k > 0 && *time <= self.keyframes[k - 1].time {
                return Some((k, "its time is not later than that of the keyframe before"));
            }
            let (Some(rotation), Some(first)) = (rotation, first) else { continue };
            if !(finite(&rotation.axis) && finite(&rotation.centre) && rotation.angle.is_finite()) {
                return Some((k, "a number is not finite"));
            }
            if DVec3::from_array(rotation.axis).try_normalize().is_none() {
                return Some((k, "the axis is zero"));
            }
            if (rotation.axis, rotation.centre) != (first.axis, first.centre) {
                return Some((k, "it turns about another axis or centre than the keyframes before"));
            }
        }
        (self.keyframes.is_empty()).then_some((0, "the path has no keyframes"))
    }

    /// Where the wall is at a time [s].
    pub(crate) fn pose(&self, time: f64) -> Pose {
        let rotation = self.keyframes.iter().find_map(|keyframe| keyframe.rotation.as_ref());
        let value = |keyframe: &Keyframe| {
            let angle = keyframe.rotation.as_ref().map_or(0.0, |rotation| rotation.angle);
            (DVec3::from_array(keyframe.translation), angle)
        };
        let (from, to, share) = self.between(self.folded(time));
        let ((from_translation, from_angle), (to_translation, to_angle)) = (value(from), value(to));
        let translation = to_translation - from_translation;
        let angle = to_angle - from_angle;
        Pose {
            centre: rotation.map_or(DVec3::ZERO, |rotation| DVec3::from_array(rotation.centre)),
            axis: rotation.map_or(DVec3::Z, |rotation| DVec3::from_array(rotation.axis).normalize_or_zero()),
            translation: share.map(|factor| translation * factor),
            offset: from_translation,
            angle: from_angle + share[0] * angle,
            spin: share[1] * angle,
            spin_up: share[2] * angle,
        }
    }

    /// Which point of a wall is at a place when it is `time` [s]; where that point is before the wall moves.
    pub fn anchor_at(&self, place: DVec3, time: f64) -> DVec3 {
        let pose = self.pose(time);
        let arm = place - pose.offset - pose.translation[0] - pose.centre;
        pose.centre + pose.turn().transpose() * arm
    }

    /// Where the point of a wall is at a time [s] that is at `anchor` before the wall moves.
    pub fn place_at(&self, anchor: DVec3, time: f64) -> DVec3 {
        let pose = self.pose(time);
        pose.place(&pose.turn(), anchor).position
    }

    /// The time within the first round of a path that repeats.
    fn folded(&self, time: f64) -> f64 {
        match (self.keyframes.first(), self.keyframes.last()) {
            (Some(first), Some(last)) if self.repeat && time > first.time && last.time > first.time => {
                first.time + (time - first.time).rem_euclid(last.time - first.time)
            }
            _ => time,
        }
    }

    /// The keyframes around a time, and the share of the way between them that is behind, with its two derivatives.
    fn between(&self, time: f64) -> (&Keyframe, &Keyframe, [f64; 3]) {
        static STILL: Keyframe = Keyframe { time: 0.0, translation: [0.0; 3], rotation: None };
        let next = self.keyframes.iter().position(|keyframe| keyframe.time > time);
        let (from, to) = match next {
            Some(0) => (&self.keyframes[0], &self.keyframes[0]),
            Some(next) => (&self.keyframes[next - 1], &self.keyframes[next]),
            None => {
                let last = self.keyframes.last().unwrap_or(&STILL);
                (last, last)
            }
        };
        let duration = to.time - from.time;
        if duration <= 0.0 {
            return (from, to, [0.0; 3]);
        }
        let s = (time - from.time) / duration;
        let share = match self.interpolation {
            Interpolation::Linear => [s, 1.0, 0.0],
            Interpolation::Smooth => [
                s * s * s * (10.0 + s * (6.0 * s - 15.0)),
                30.0 * s * s * (1.0 - s) * (1.0 - s),
                60.0 * s * (1.0 - s) * (1.0 - 2.0 * s),
            ],
        };
        (from, to, [share[0], share[1] / duration, share[2] / (duration * duration)])
    }

    /// The highest speed of a wall particle that lies `reach` from the axis [m/s].
    pub fn highest_speed(&self, reach: f64) -> f64 {
        // The smooth path is fastest in the middle: 30/16 of the mean speed.
        let peak = if self.interpolation == Interpolation::Smooth { 1.875 } else { 1.0 };
        let speed = |pair: &[Keyframe]| {
            let (Some(from), Some(to)) = (pair.first(), pair.last()) else { return 0.0 };
            let angle = |keyframe: &Keyframe| keyframe.rotation.as_ref().map_or(0.0, |rotation| rotation.angle);
            let way = DVec3::from_array(to.translation).distance(DVec3::from_array(from.translation));
            peak * (way + (angle(to) - angle(from)).abs() * reach) / (to.time - from.time)
        };
        self.keyframes.windows(2).map(speed).fold(0.0, f64::max)
    }

    /// Does it turn at all?
    pub(crate) fn turns(&self) -> bool {
        self.keyframes.iter().any(|keyframe| keyframe.rotation.is_some())
    }

    /// A point on the axis it turns about [m].
    pub fn centre(&self) -> DVec3 {
        let rotation = self.keyframes.iter().find_map(|keyframe| keyframe.rotation.as_ref());
        rotation.map_or(DVec3::ZERO, |rotation| DVec3::from_array(rotation.centre))
    }
}

/// Where a wall is, and how it moves, at one moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pose {
    centre: DVec3,
    axis: DVec3,
    /// What the share of the way behind adds to `offset`, with its two derivatives.
    translation: [DVec3; 3],
    offset: DVec3,
    angle: f64,
    spin: f64,
    spin_up: f64,
}

/// Position, velocity and acceleration.
pub(crate) struct Place {
    pub(crate) position: DVec3,
    pub(crate) velocity: DVec3,
    pub(crate) acceleration: DVec3,
}

impl Pose {
    /// The turn, as a matrix.
    pub(crate) fn turn(&self) -> DMat3 {
        DMat3::from_axis_angle(self.axis, self.angle)
    }

    /// How fast it turns.
    pub(crate) fn spin(&self) -> DVec3 {
        self.spin * self.axis
    }

    /// Where the particle with an anchor is, `turn` being that of the pose.
    pub(crate) fn place(&self, turn: &DMat3, anchor: DVec3) -> Place {
        let arm = *turn * (anchor - self.centre);
        let around = self.axis.cross(arm);
        let [moved, velocity, acceleration] = self.translation;
        Place {
            position: self.centre + arm + self.offset + moved,
            velocity: velocity + self.spin * around,
            acceleration: acceleration + self.spin_up * around + self.spin * self.spin * self.axis.cross(around),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(interpolation: Interpolation, repeat: bool) -> Path {
        let turned = |time: f64, x: f64, angle: f64| Keyframe {
            time,
            translation: [x, 0.5 * x, 0.0],
            rotation: Some(Rotation { angle, centre: [0.2, 0.1, 0.0], axis: [0.0, 0.0, 3.0] }),
        };
        Path {
            keyframes: vec![turned(1.0, 0.0, 0.0), turned(2.0, 0.4, 1.0), turned(4.0, 0.0, -0.5)],
            interpolation,
            repeat,
        }
    }

    fn place(path: &Path, time: f64) -> Place {
        let pose = path.pose(time);
        pose.place(&pose.turn(), DVec3::new(1.0, 0.3, 0.2))
    }

    #[test]
    fn anchor_comes_back_from_its_place() {
        for time in [0.0, 1.5, 3.0, 9.0] {
            let path = path(Interpolation::Smooth, true);
            let anchor = path.anchor_at(place(&path, time).position, time);
            assert!((anchor - DVec3::new(1.0, 0.3, 0.2)).length() < 1e-12, "at {time}: {anchor}");
            assert_eq!(path.place_at(DVec3::new(1.0, 0.3, 0.2), time), place(&path, time).position);
        }
    }

    /// Velocity and acceleration against differences of the position.
    #[test]
    fn velocity_and_acceleration_belong_to_the_position() {
        for interpolation in [Interpolation::Linear, Interpolation::Smooth] {
            let path = path(interpolation, false);
            for time in [0.5, 1.3, 1.8, 2.5, 3.9, 7.0] {
                let step = 1e-4;
                let (before, here, after) = (place(&path, time - step), place(&path, time), place(&path, time + step));
                let velocity = (after.position - before.position) / (2.0 * step);
                let acceleration = (after.position - 2.0 * here.position + before.position) / (step * step);
                assert!((velocity - here.velocity).length() < 1e-6, "{interpolation:?} at {time}");
                assert!((acceleration - here.acceleration).length() < 1e-5, "{interpolation:?} at {time}");
            }
        }
    }

    #[test]
    fn keyframes_are_met_and_a_repeating_path_begins_again() {
        for interpolation in [Interpolation::Linear, Interpolation::Smooth] {
            let once = path(interpolation, false);
            // A turn by one radian about (0.2, 0.1), then the way to (0.4, 0.2).
            let (sine, cosine) = 1.0_f64.sin_cos();
            let turned = DVec3::new(0.2 + 0.8 * cosine - 0.2 * sine, 0.1 + 0.8 * sine + 0.2 * cosine, 0.2);
            assert!((place(&once, 2.0).position - turned - DVec3::new(0.4, 0.2, 0.0)).length() < 1e-12);
            assert_eq!(place(&once, 0.0).velocity, DVec3::ZERO);
            assert_eq!(place(&once, 9.0).position, place(&once, 4.0).position);
            let again = path(interpolation, true);
            assert!((place(&again, 1.7 + 6.0).position - place(&once, 1.7).position).length() < 1e-12);
        }
    }

    #[test]
    fn no_speed_is_above_the_highest() {
        for interpolation in [Interpolation::Linear, Interpolation::Smooth] {
            let path = path(interpolation, false);
            let reach = DVec3::new(1.0, 0.3, 0.2).distance(path.centre());
            let fastest = (0..500).map(|k| place(&path, f64::from(k) * 0.01).velocity.length()).fold(0.0, f64::max);
            let bound = path.highest_speed(reach);
            assert!(fastest <= bound && bound < 2.0 * fastest, "{fastest} {bound}");
        }
    }

    #[test]
    fn paths_without_sense_are_told() {
        let good = path(Interpolation::Linear, false);
        assert_eq!(good.fault(), None);
        let fault = |change: &dyn Fn(&mut Path)| {
            let mut path = good.clone();
            change(&mut path);
            path.fault().map(|(keyframe, _)| keyframe)
        };
        let axis = |path: &mut Path, axis| path.keyframes[2].rotation.as_mut().unwrap().axis = axis;
        assert_eq!(fault(&|path| path.keyframes[1].time = 1.0), Some(1));
        assert_eq!(fault(&|path| path.keyframes[2].translation[0] = f64::NAN), Some(2));
        assert_eq!(fault(&|path| axis(path, [0.0; 3])), Some(2));
        assert_eq!(fault(&|path| axis(path, [1.0, 0.0, 0.0])), Some(2));
        assert_eq!(fault(&|path| path.keyframes.clear()), Some(0));
    }
}

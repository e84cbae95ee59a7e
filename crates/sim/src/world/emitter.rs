//! Emitters and sinks as the world remembers them.
//!
//! Fluid waits in the pipe of an emitter in layers Δs apart, in columns along its direction u. Particle m of column c is at
//!
//! ```text
//! a = s(t) − (m + ½) Δs,    s(t) = v (min(t, until) − from), 0 before `from`, at most what `most` lets out
//! X = o + x_c e₁ + y_c e₂ + a u,    then moved along the path of the emitter
//! ```
//!
//! so that where it is follows from the clock alone: a step that fails leaves no trace. It is free from the first time on that
//! finds it in front of the opening, a ≥ z_c, where z_c is where the column meets the plane of the opening. What is let out in
//! all is the area times s, to less than a layer.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::bodies::BodyId;
use super::path::{Path, Place, Pose};
use crate::fields::Region;
use crate::real::Real;

/// Something that lets fluid into the world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Emitter {
    /// Its name.
    pub name: String,
    /// The index of the material that comes out.
    pub material: u32,
    /// The body that what has come out belongs to.
    pub stream: BodyId,
    /// The wall that is around the pipe.
    pub nozzle: BodyId,
    /// What waits in the pipe, moved like a wall.
    pub(crate) supply: BodyId,
    /// The temperature of what comes out, if there is heat [degC].
    pub temperature: Real,
    /// The path that it follows.
    pub(crate) path: Option<Path>,
    pub(crate) pipe: Pipe,
    pub(crate) schedule: Schedule,
    /// By how much velocities turn outwards, per metre from the axis [1/m].
    pub(crate) fan: f64,
    /// s up to which the pipe was fed [m].
    pub(crate) fed: f64,
    /// Anchors count particles of columns from here.
    pub(crate) base: i64,
    /// Particles that have come out.
    pub emitted: u64,
}

/// The pipe behind an opening.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Pipe {
    /// The centre of the opening [m].
    pub(crate) origin: [f64; 3],
    /// e₁, e₂, u.
    pub(crate) axes: [[f64; 3]; 3],
    /// z_c per metre along e₁ and e₂: the slope of the opening.
    pub(crate) slope: [f64; 2],
    /// x_c, y_c of columns [m].
    pub(crate) columns: Vec<[f64; 2]>,
    /// Δs [m].
    pub(crate) layer: f64,
    /// How many particles of each column wait.
    pub(crate) layers: i64,
}

/// How fast, and when.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Schedule {
    /// v [m/s].
    pub(crate) speed: f64,
    /// Begin and end [s].
    pub(crate) from: f64,
    pub(crate) until: f64,
    /// The s that is never passed [m].
    pub(crate) most: f64,
}

impl Schedule {
    /// s at a time [m].
    pub(crate) fn way(&self, time: f64) -> f64 {
        let Schedule { speed, from, until, most } = *self;
        (speed * (time.min(until) - from).max(0.0)).min(most)
    }

    /// How fast s grows at a time [m/s].
    pub(crate) fn speed_at(&self, time: f64) -> f64 {
        let Schedule { speed, from, until, most } = *self;
        if time >= from && time < until && self.way(time) < most { speed } else { 0.0 }
    }

    /// Is there nothing to come after a time [s]?
    pub(crate) fn is_over(&self, time: f64) -> bool {
        time >= self.until || self.way(time) >= self.most
    }
}

impl Pipe {
    /// z_c: how far along the direction a column meets the opening [m].
    pub(crate) fn end_of(&self, column: usize) -> f64 {
        self.columns.get(column).map_or(0.0, |[x, y]| self.slope[0] * x + self.slope[1] * y)
    }

    /// How many particles of a column are in front of the opening when `way` has been let out.
    pub(crate) fn passed(&self, column: usize, way: f64) -> i64 {
        ((way - self.end_of(column)) / self.layer + 0.5).floor() as i64
    }

    /// The direction u.
    pub(crate) fn direction(&self) -> DVec3 {
        DVec3::from_array(self.axes[2])
    }

    /// Across the direction, from the axis.
    pub(crate) fn across(&self, column: usize) -> DVec3 {
        let [first, second, _] = self.axes.map(DVec3::from_array);
        self.columns.get(column).map_or(DVec3::ZERO, |[x, y]| first * *x + second * *y)
    }

    /// The point of a column so far along [m].
    pub(crate) fn point(&self, column: usize, along: f64) -> DVec3 {
        DVec3::from_array(self.origin) + self.across(column) + self.direction() * along
    }
}

impl Emitter {
    /// What is wrong with it, in a state that comes from elsewhere.
    pub(crate) fn fault(&self) -> Option<&'static str> {
        let Pipe { columns, layer, layers, .. } = &self.pipe;
        if columns.is_empty() || !(*layer > 0.0 && layer.is_finite()) || !(1..1 << 20).contains(layers) {
            return Some("its pipe is empty");
        }
        let Schedule { speed, from, .. } = self.schedule;
        let is_sound = speed > 0.0 && speed.is_finite() && from.is_finite() && self.fed.is_finite();
        if !is_sound || self.path.as_ref().is_some_and(|path| path.fault().is_some()) {
            return Some("it does not flow");
        }
        None
    }

    /// The speed with which fluid leaves, at the edge of its fan [m/s].
    pub(crate) fn expected_speed(&self) -> f64 {
        let reach = self.pipe.columns.iter().enumerate().map(|(column, _)| self.pipe.across(column).length());
        let outwards = self.fan * reach.fold(0.0, f64::max);
        self.schedule.speed * outwards.hypot(1.0)
    }

    /// Where particle `m` of a column is at a time, and the velocity of the pipe there with what flows in it.
    pub(crate) fn place(&self, pose: Option<&Pose>, column: usize, m: i64, time: f64) -> Place {
        let along = self.schedule.way(time) - (m as f64 + 0.5) * self.pipe.layer;
        let point = self.pipe.point(column, along);
        let flow = self.pipe.direction() * self.schedule.speed_at(time);
        match pose {
            None => Place { position: point, velocity: flow, acceleration: DVec3::ZERO },
            Some(pose) => {
                let turn = pose.turn();
                let Place { position, velocity, acceleration } = pose.place(&turn, point);
                let flow = turn * flow;
                // What turns with the pipe while it flows along it (Coriolis).
                let swing = 2.0 * pose.spin().cross(flow);
                Place { position, velocity: velocity + flow, acceleration: acceleration + swing }
            }
        }
    }

    /// By how much the velocity of what leaves a column turns outwards [m/s].
    pub(crate) fn spray(&self, pose: Option<&Pose>, column: usize) -> DVec3 {
        let outwards = self.pipe.across(column) * (self.fan * self.schedule.speed);
        pose.map_or(outwards, |pose| pose.turn() * outwards)
    }

    /// Where it is on its path at a time [s], if it follows one.
    pub(crate) fn pose(&self, time: f64) -> Option<Pose> {
        self.path.as_ref().map(|path| path.pose(time))
    }
}

/// Something that takes fluid out of the world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sink {
    /// Its name.
    pub name: String,
    /// Where it takes.
    pub region: Region,
    /// It takes outside of the region instead of inside.
    pub outside: bool,
    /// From when on [s].
    pub from: f64,
    /// Until when [s].
    pub until: f64,
    /// Particles that it has taken.
    pub taken: u64,
    /// Their mass [kg], in 2D per metre of depth.
    pub mass: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_let_out_follows_from_the_clock() {
        let schedule = Schedule { speed: 2.0, from: 0.5, until: 1.5, most: 1.2 };
        for (time, way, speed) in
            [(0.0, 0.0, 0.0), (0.5, 0.0, 2.0), (1.0, 1.0, 2.0), (1.1, 1.2, 0.0), (1.5, 1.2, 0.0), (9.0, 1.2, 0.0)]
        {
            assert!((schedule.way(time) - way).abs() < 1e-12 && schedule.speed_at(time) == speed, "at {time}");
        }
        assert!(!schedule.is_over(1.0) && schedule.is_over(1.2));
    }

    /// Centres of particles pass the opening at (m + ½) Δs.
    #[test]
    fn particles_pass_where_their_column_meets_the_opening() {
        let pipe = Pipe {
            origin: [0.0; 3],
            axes: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
            slope: [0.5, 0.0],
            columns: vec![[0.0, 0.0], [0.2, 0.0]],
            layer: 0.1,
            layers: 4,
        };
        let passed = [0.04, 0.06, 0.14, 0.16, 0.26].map(|way| [pipe.passed(0, way), pipe.passed(1, way)]);
        assert_eq!(passed, [[0, -1], [1, 0], [1, 0], [2, 1], [3, 2]]);
        assert_eq!(pipe.point(1, 0.1).to_array(), [0.2, 0.0, 0.1]);
    }
}

//! Joints between rigid bodies, walls and the world: whom they join, and how they are made.
//!
//! A wall on a path that a body is joined to is one more body for the constraints, which does not give way: its place is the
//! pose of the path, its velocity that of the step.

use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};

use super::constraints::{Definition, Inertia, Joint, Kind, Pose, Twist};
use crate::error::SetupError;
use crate::simulation::Simulation;
use crate::world::{BodyId, World};

/// A joint to be made: between two bodies as they are now, or a body and the world.
#[derive(Clone, Debug, PartialEq)]
pub struct NewJoint {
    /// Its name, for messages.
    pub name: String,
    /// The body whose motion relative to the second is the motion of the joint.
    pub first: BodyId,
    /// The other, or a wall; the world unless given.
    pub second: Option<BodyId>,
    /// Where they are joined [m].
    pub point: [f64; 3],
    /// What they may still do.
    pub kind: Kind,
    /// Contact keeps them apart as well; otherwise they may overlap.
    pub contact: bool,
}

/// How far a joint has gone along or about its axis, and how fast it goes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointMotion {
    /// The angle [rad] or travel [m] since it was made.
    pub coordinate: f64,
    /// Its rate [rad/s or m/s].
    pub speed: f64,
}

/// A joint of a world, and whom it joins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Joined {
    /// Its name.
    pub name: String,
    /// The first body, and the second or a wall; the world if there is none.
    pub first: BodyId,
    /// See there.
    pub second: Option<BodyId>,
    /// Contact keeps them apart as well.
    pub contact: bool,
    pub(crate) joint: Joint,
}

impl Joined {
    /// The angle [rad] or travel [m] along its axis since it was made, as before the last step.
    pub fn coordinate(&self) -> f64 {
        self.joint.coordinate
    }
}

impl Simulation {
    /// Joins two bodies, or a body and a wall or the world, as they are now.
    pub fn add_joint(&mut self, joint: NewJoint) -> Result<(), SetupError> {
        self.prepare().map_err(|error| SetupError::Unprepared(error.to_string()))?;
        let NewJoint { name, first, second, point, kind, contact } = joint;
        let bad = |fault| SetupError::BadJoint { joint: name.clone(), fault };
        let world = &mut self.world;
        let is_wall = second.is_some_and(|id| world.body(id).is_some_and(|body| body.kind.is_wall()));
        let rigid = |id: BodyId| world.memory.rigid.iter().position(|rigid| rigid.body == id);
        if rigid(first).is_none() || second.is_some_and(|id| !is_wall && rigid(id).is_none()) {
            return Err(bad("it joins rigid bodies, or one and a wall, and one of these is neither"));
        }
        // A definition of its own: who is where in the list of bodies changes.
        let definition = Definition { first: 0, second: second.map(|id| usize::from(id != first)), point, kind };
        if let Some(fault) = definition.fault() {
            return Err(bad(fault));
        }
        let poses = [Some(first), second].map(|id| id.map_or(Pose::WORLD, |id| world.pose_of(id, world.clock.time)));
        let joint = Joint::new(definition, &poses).ok_or_else(|| bad("it makes no sense"))?;
        world.memory.joints.push(Joined { name, first, second, contact, joint });
        world.find_joined();
        Ok(())
    }

    /// The joints of the world.
    pub fn joints(&self) -> &[Joined] {
        &self.world.memory.joints
    }

    /// How the joint with this place among [`Simulation::joints`] has moved, and moves; none if it has no axis.
    pub fn joint_motion(&self, joint: usize) -> Option<JointMotion> {
        let world = &self.world;
        let Joined { first, second, joint, .. } = world.memory.joints.get(joint)?;
        let pose = |id| world.pose_of(id, world.clock.time);
        let geometry = joint.geometry(&pose(*first), &second.map_or(Pose::WORLD, pose));
        let moving = |id| world.moving_at(id, geometry.point);
        let speed = geometry.speed(joint, &moving(*first), &second.map_or(Twist::default(), moving))?;
        Some(JointMotion { coordinate: geometry.coordinate, speed })
    }
}

impl World {
    /// Where a rigid body or wall is at a time [s].
    fn pose_of(&self, id: BodyId, time: f64) -> Pose {
        if let Some(rigid) = self.memory.rigid.iter().find(|rigid| rigid.body == id) {
            return Pose { centre: rigid.centre, orientation: rigid.orientation };
        }
        let path = self.body(id).and_then(|wall| wall.path.as_ref());
        path.map_or(Pose::WORLD, |path| {
            let pose = path.pose(time);
            let turn = pose.turn();
            Pose { centre: pose.place(&turn, DVec3::ZERO).position, orientation: DQuat::from_mat3(&turn) }
        })
    }

    /// How the point of a rigid body or wall that is at a place moves, and how the body spins.
    fn moving_at(&self, id: BodyId, place: DVec3) -> Twist {
        if let Some(rigid) = self.memory.rigid.iter().find(|rigid| rigid.body == id) {
            let spin = rigid.spin(self.dimension);
            return Twist { velocity: rigid.velocity + spin.cross(place - rigid.centre), spin };
        }
        let path = self.body(id).and_then(|wall| wall.path.as_ref());
        path.map_or(Twist::default(), |path| {
            let (time, pose) = (self.clock.time, path.pose(self.clock.time));
            let there = pose.place(&pose.turn(), path.anchor_at(place, time));
            Twist { velocity: there.velocity, spin: pose.spin() }
        })
    }

    /// Lets go of bodies that are no more, and finds the others in the list of rigid bodies, with walls behind these.
    pub(super) fn find_joined(&mut self) {
        let mut joints = std::mem::take(&mut self.memory.joints);
        let is_there = |id: BodyId| self.memory.rigid.iter().any(|rigid| rigid.body == id);
        let is_wall = |id: BodyId| self.body(id).is_some_and(|body| body.kind.is_wall());
        joints.retain(|joined| is_there(joined.first) && joined.second.is_none_or(|id| is_there(id) || is_wall(id)));
        let mut walls = Vec::new();
        let mut place = |id: BodyId| {
            self.memory.rigid.iter().position(|rigid| rigid.body == id).unwrap_or_else(|| {
                let wall = walls.iter().position(|wall| *wall == id).unwrap_or_else(|| {
                    walls.push(id);
                    walls.len() - 1
                });
                self.memory.rigid.len() + wall
            })
        };
        for joined in &mut joints {
            joined.joint.definition.first = place(joined.first);
            joined.joint.definition.second = joined.second.map(&mut place);
        }
        let slots = |joined: &Joined| joined.second.map(|second| [joined.first.slot, second.slot]);
        self.rigid.parted = joints.iter().filter(|joined| !joined.contact).filter_map(slots).collect();
        self.memory.joints = joints;
        self.rigid.walls = walls;
    }

    /// Adds the walls that bodies are joined to, as bodies that do not give way and move so in a step of `dt`.
    pub(super) fn add_joined_walls(
        &self,
        dt: f64,
        inertias: &mut Vec<Inertia>,
        orientations: &mut Vec<DQuat>,
        moving: &mut Vec<Twist>,
    ) {
        moving.clear();
        for wall in &self.rigid.walls {
            let [now, then] = [0.0, dt].map(|ahead| self.pose_of(*wall, self.clock.time + ahead));
            inertias.push(Inertia { centre: now.centre, ..Inertia::default() });
            orientations.push(now.orientation);
            let turned = then.orientation * now.orientation.inverse();
            moving.push(Twist { velocity: (then.centre - now.centre) / dt, spin: turned.to_scaled_axis() / dt });
        }
    }
}

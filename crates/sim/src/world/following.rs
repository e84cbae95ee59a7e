//! Walls and clamps follow their paths.

use rayon::prelude::*;

use super::{Particles, World};
use crate::real::{Vec3, narrow, wide};

impl World {
    /// Puts every wall that follows a path where it is at a time [s], with the velocity and acceleration it has there.
    ///
    /// Positions follow from anchors, so that no error adds up over the steps. Vectors to the surface, which matter by
    /// their direction only, are turned on from the last time.
    pub(crate) fn follow_paths(&mut self, time: f64) {
        let World { particles, kinds, bodies, dimension, domain, memory, .. } = self;
        let (walls, dimension, domain) = (kinds.walls(), *dimension, *domain);
        let posed = std::mem::replace(&mut memory.posed, time);
        for (body, path) in bodies.iter().enumerate().filter_map(|(k, body)| Some((k as u32, body.path.as_ref()?))) {
            let pose = path.pose(time);
            let turn = pose.turn();
            let on = (path.turns() && posed != time).then(|| turn * path.pose(posed).turn().transpose());
            let Particles { position, velocity, acceleration, anchor, to_surface, body: owner, .. } = particles;
            let columns = (
                &mut position[walls.clone()],
                &mut velocity[walls.clone()],
                &mut acceleration[walls.clone()],
                &mut to_surface[walls.clone()],
                &anchor[walls.clone()],
                &owner[walls.clone()],
            );
            let own = columns.into_par_iter().with_min_len(4096).filter(|(.., owner)| **owner == body);
            own.for_each(|(position, velocity, acceleration, to_surface, anchor, _)| {
                let place = pose.place(&turn, wide(*anchor));
                *position = domain.wrap(dimension.flatten(narrow(place.position)));
                *velocity = dimension.flatten(narrow(place.velocity));
                *acceleration = dimension.flatten(narrow(place.acceleration));
                if let Some(on) = on {
                    *to_surface = dimension.flatten(narrow(on * wide(*to_surface)));
                }
            });
        }
        self.follow_streams(time);
        self.follow_clamps(time);
    }

    /// Moves clamped particles along the paths of their clamps.
    fn follow_clamps(&mut self, time: f64) {
        if !self.bodies.iter().flat_map(|body| &body.clamps).any(|clamp| clamp.path.is_some()) {
            return;
        }
        let (dimension, domain, bonded) = (self.dimension, self.domain, self.kinds.bonded());
        let World { particles, bodies, .. } = self;
        let Particles { position, remainder, velocity, acceleration, anchor, clamp, body: owner, .. } = particles;
        // What one clamp holds mostly lies together: where that is, is found out once.
        let mut last = None;
        for i in bonded.filter(|&i| clamp[i] > 0) {
            let holder = (owner[i], clamp[i]);
            if last.as_ref().is_none_or(|(other, _)| *other != holder) {
                let clamp = bodies[holder.0 as usize].clamps.get(holder.1 as usize - 1);
                let pose = clamp.and_then(|clamp| clamp.path.as_ref()).map(|path| path.pose(time));
                last = Some((holder, pose.map(|pose| (pose.turn(), pose))));
            }
            let Some((_, Some((turn, pose)))) = &last else { continue };
            let place = pose.place(turn, wide(anchor[i]));
            let near = narrow(place.position);
            position[i] = domain.wrap(dimension.flatten(near));
            remainder[i] = dimension.flatten(narrow(place.position - wide(near)));
            velocity[i] = dimension.flatten(narrow(place.velocity));
            acceleration[i] = dimension.flatten(narrow(place.acceleration));
        }
    }

    /// Sets the accelerations of clamped particles to zero.
    pub(crate) fn hold(&self, acceleration: &mut [Vec3]) {
        let bonded = self.kinds.bonded();
        let clamps = &self.particles.clamp[bonded.clone()];
        for (acceleration, clamp) in acceleration[bonded].iter_mut().zip(clamps) {
            if *clamp > 0 {
                *acceleration = Vec3::ZERO;
            }
        }
    }

    /// The highest speed of a wall on its path [m/s].
    pub(crate) fn highest_path_speed(&self) -> f64 {
        let speed = |(k, body): (usize, &super::Body)| {
            let path = body.path.as_ref()?;
            let all = self.kinds.walls();
            let own = all.filter(|&i| self.particles.body[i] as usize == k);
            let reach = own.map(|i| wide(self.particles.anchor[i]).distance(path.centre())).fold(0.0, f64::max);
            Some(path.highest_speed(reach))
        };
        self.bodies.iter().enumerate().filter_map(speed).fold(0.0, f64::max)
    }
}

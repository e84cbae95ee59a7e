//! Between steps: sinks take, what has passed an opening becomes free, and the pipe is filled from behind.
//!
//! Where segments of memory meet, particles change places ([`Kinds::towards`](crate::world::Kinds)): what becomes fluid goes to the first place of
//! walls and the edge moves over it, what goes away takes the last place of all and is dropped. Particles are born at the
//! end. So only fluid and walls change places, of whom nobody holds an index from one step to the next.

use crate::error::SetupError;
use crate::real::{Real, Vec3, narrow};
use crate::simulation::{Due, Simulation};
use crate::stage::stage;
use crate::world::{Body, BodyId, BodyKind, Emitter, KindId, Particles, Sink, World};

use super::THIN;

impl Simulation {
    /// Lets fluid in and out, as the time says.
    pub(crate) fn feed(&mut self) {
        if self.world.emitters.is_empty() && self.world.sinks.is_empty() {
            return;
        }
        stage!("emitters and sinks");
        let [taken, let_in] = [self.drain(), self.let_in()];
        if taken || let_in {
            self.world.take_census();
            self.pairs.particles_changed();
            self.due = Due::Anew;
        }
    }

    /// Takes what is in a sink.
    fn drain(&mut self) -> bool {
        let Simulation { world, scratch, .. } = self;
        let World { particles, kinds, sinks, dimension, domain, clock, .. } = world;
        let takes = |sink: &Sink, x: Vec3| {
            let runs = clock.time >= sink.from && clock.time < sink.until;
            runs && sink.region.contains(*dimension, domain, x) != sink.outside
        };
        let passing = &mut scratch.passing;
        passing.clear();
        for i in kinds.flowing() {
            let x = particles.position[i];
            if let Some(sink) = sinks.iter_mut().find(|sink| takes(sink, x)) {
                sink.taken += 1;
                sink.mass += f64::from(particles.mass(i));
                passing.push(i);
            }
        }
        if self.scratch.passing.is_empty() {
            return false;
        }
        self.book(-1.0);
        // From the end: what comes to a free place was not asked for.
        while let Some(i) = self.scratch.passing.pop() {
            let World { particles, bodies, .. } = &mut self.world;
            let body = &mut bodies[particles.body[i] as usize];
            body.particles = body.particles.saturating_sub(1);
            self.world.drop_particle(i);
        }
        true
    }

    /// Frees what has passed an opening, and fills pipes.
    fn let_in(&mut self) -> bool {
        let mut any = false;
        for k in 0..self.world.emitters.len() {
            let Simulation { world, scratch, .. } = self;
            let volume = world.dimension.cell_volume(world.spacing);
            let World { emitters, particles, kinds, clock, .. } = &mut *world;
            let emitter = &mut emitters[k];
            let (before, way) = (emitter.fed, emitter.schedule.way(clock.time));
            if way == before {
                continue;
            }
            let columns = 0..emitter.pipe.columns.len();
            let to_come = |column: usize| emitter.pipe.passed(column, way) - emitter.pipe.passed(column, before);
            let count: i64 = columns.clone().map(to_come).sum();
            if count <= 0 {
                continue;
            }
            any = true;
            particles.grow(count as usize);
            let mut newest = particles.len() - count as usize;
            kinds.count(KindId::WALL, count as isize);
            for column in columns {
                let [from, to] = [before, way].map(|way| emitter.pipe.passed(column, way) + emitter.pipe.layers);
                for m in from..to {
                    emitter.bear(particles, newest, (column, m), volume);
                    particles.id[newest] = self.next_id;
                    self.next_id = self.next_id.wrapping_add(1);
                    newest += 1;
                }
            }
            let base = emitter.pipe.passed(0, way);
            let shift = (base - emitter.base) as Real;
            (emitter.base, emitter.fed) = (base, way);
            scratch.passing.clear();
            for i in kinds.walls().filter(|&i| particles.body[i] == emitter.supply.slot) {
                particles.anchor[i].y -= shift;
                let (column, m) = emitter.who(particles.anchor[i]);
                if m < emitter.pipe.passed(column, way) {
                    scratch.passing.push(i);
                }
            }
            world.follow_streams(world.clock.time);
            // In the order of memory: who was moved was not asked for.
            for n in 0..self.scratch.passing.len() {
                let i = self.world.free(k, self.scratch.passing[n]);
                self.scratch.passing[n] = i;
            }
            let passing = std::mem::take(&mut self.scratch.passing);
            self.set_temperature(passing.iter().copied(), self.world.emitters[k].temperature);
            self.scratch.passing = passing;
            self.book(1.0);
        }
        any
    }

    /// Fills the pipe of the last emitter.
    pub(super) fn fill_pipe(&mut self) {
        let volume = self.world.dimension.cell_volume(self.world.spacing);
        let World { emitters, particles, clock, .. } = &mut self.world;
        let Some(emitter) = emitters.last_mut() else { return };
        let way = emitter.schedule.way(clock.time);
        (emitter.fed, emitter.base) = (way, emitter.pipe.passed(0, way));
        let slot = emitter.supply.slot;
        let mut own = (0..particles.len()).filter(|&i| particles.body[i] == slot).collect::<Vec<_>>().into_iter();
        for column in 0..emitter.pipe.columns.len() {
            let first = emitter.pipe.passed(column, way);
            for (m, i) in (first..first + emitter.pipe.layers).zip(&mut own) {
                emitter.bear(particles, i, (column, m), volume);
            }
        }
        self.world.follow_streams(self.world.clock.time);
    }

    /// Adds the particles that wait in a pipe, to be put in their places.
    pub(super) fn add_supply(&mut self, name: &str, columns: usize, layers: usize) -> Result<BodyId, SetupError> {
        let mut particles = Particles::zeroed(columns * layers);
        particles.rest_volume.fill(self.world.dimension.cell_volume(self.world.spacing));
        let body = Body::new(format!("{name} supply"), BodyKind::Wall { no_slip: true }, particles.len());
        self.add(body, KindId::WALL, particles)
    }

    /// Makes room for so many particles more, so that memory need not grow while they come.
    pub fn reserve(&mut self, particles: usize) {
        self.world.particles.reserve(particles);
    }

    /// Enters the energy and the heat of what comes or goes.
    fn book(&mut self, sign: f64) {
        let passing = std::mem::take(&mut self.scratch.passing);
        self.book_heat_of(&passing, sign);
        self.scratch.passing = passing;
        if self.world.memory.energy.is_some() {
            let dt = self.world.clock.last_dt;
            let energies = self.scratch.passing.iter().map(|&i| self.energies_of(i, dt));
            let all = energies.fold(crate::energy::Energies::default(), crate::reduce::Sum::plus);
            if let Some(balance) = &mut self.world.memory.energy {
                balance.admit(sign * all.sum());
            }
        }
    }
}

impl Emitter {
    /// Makes row `i` particle `m` of a column.
    fn bear(&self, particles: &mut Particles, i: usize, (column, m): (usize, i64), volume: Real) {
        particles.anchor[i] = Vec3::new(column as Real, (m - self.base) as Real, 0.0);
        particles.rest_volume[i] = volume;
        particles.body[i] = self.supply.slot;
        particles.phase[i] = KindId::WALL.0;
    }

    /// Which particle of which column has an anchor.
    fn who(&self, anchor: Vec3) -> (usize, i64) {
        (anchor.x as usize, self.base + anchor.y as i64)
    }
}

impl World {
    /// Puts what waits in pipes where it is at a time [s], with the velocity and acceleration that it has there.
    pub(crate) fn follow_streams(&mut self, time: f64) {
        let World { particles, kinds, emitters, dimension, domain, spacing, .. } = self;
        for emitter in &*emitters {
            let pose = emitter.pose(time);
            let direction = emitter.pipe.direction();
            let direction = pose.as_ref().map_or(direction, |pose| pose.turn() * direction);
            let thin = dimension.flatten(narrow(direction * (THIN * f64::from(*spacing))));
            for i in kinds.walls().filter(|&i| particles.body[i] == emitter.supply.slot) {
                let (column, m) = emitter.who(particles.anchor[i]);
                let place = emitter.place(pose.as_ref(), column, m, time);
                particles.position[i] = domain.wrap(dimension.flatten(narrow(place.position)));
                particles.velocity[i] = dimension.flatten(narrow(place.velocity));
                particles.acceleration[i] = dimension.flatten(narrow(place.acceleration));
                particles.to_surface[i] = thin;
            }
        }
    }

    /// Makes particle `i`, which waits in the pipe of emitter `k`, fluid of its stream; says where it is then.
    fn free(&mut self, k: usize, i: usize) -> usize {
        let (column, _) = self.emitters[k].who(self.particles.anchor[i]);
        let i = self.pass(i, KindId::FLUID);
        let World { particles, emitters, bodies, materials, clock, dimension, .. } = self;
        let emitter = &mut emitters[k];
        let spray = emitter.spray(emitter.pose(clock.time).as_ref(), column);
        let density = materials[emitter.material as usize].density;
        particles.velocity[i] += dimension.flatten(narrow(spray));
        (particles.rest_density[i], particles.density[i], particles.filling[i]) = (density, density, 1.0);
        (particles.material[i], particles.body[i]) = (emitter.material, emitter.stream.slot);
        (particles.anchor[i], particles.to_surface[i], particles.remainder[i]) = (Vec3::ZERO, Vec3::ZERO, Vec3::ZERO);
        emitter.emitted += 1;
        bodies[emitter.stream.slot as usize].particles += 1;
        i
    }

    /// Takes a particle out of the world.
    fn drop_particle(&mut self, i: usize) {
        let i = self.pass(i, KindId::WALL);
        let last = self.particles.len() - 1;
        self.particles.swap(i, last);
        self.particles.truncate(last);
        self.kinds.count(KindId::WALL, -1);
    }

    /// Moves a particle from segment to segment to another kind; says where it is then.
    fn pass(&mut self, mut i: usize, to: KindId) -> usize {
        while let Some((here, next)) = self.kinds.towards(i, to) {
            let segment = self.kinds.segment(here);
            let is_forwards = self.kinds.segment(next).start >= segment.end;
            let edge = if is_forwards { segment.end - 1 } else { segment.start };
            self.particles.swap(i, edge);
            i = edge;
            self.kinds.count(here, -1);
            self.kinds.count(next, 1);
            self.particles.phase[i] = next.0;
        }
        i
    }
}

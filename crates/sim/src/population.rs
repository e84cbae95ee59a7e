//! Bodies and walls come, go, and are moved between steps.

use crate::error::SetupError;
use crate::neighbors::MOST_PARTICLES;
use crate::real::{Dimension, Real, Vec3, narrow, wide};
use crate::simulation::Simulation;
use crate::world::{Body, BodyId, BodyKind, Clamp, Load, NewBody, NewWall, Particles, Path, WallMotion, World};

impl Simulation {
    /// Adds matter.
    pub fn add_body(&mut self, body: NewBody) -> Result<BodyId, SetupError> {
        let NewBody { name, material, position, velocity, rest_volume, undeformed, clamps, loads } = body;
        let count = self.world.materials.len();
        let Some(made_of) = self.world.materials.get(material) else {
            return Err(SetupError::NoSuchMaterial { body: name, material, count });
        };
        let (rest_density, is_elastic) = (made_of.density, made_of.elastic.is_some());
        if !is_elastic && !self.settings.pressure.allows_fluids() {
            return Err(SetupError::NoFluids { body: name, solver: self.models.pressure.name() });
        }
        let mut particles = Particles::zeroed(position.len());
        fill(&name, "velocity", &mut particles.velocity, &velocity, Vec3::ZERO)?;
        fill(&name, "rest_volume", &mut particles.rest_volume, &rest_volume, self.cell_volume())?;
        if is_elastic {
            let shape = if undeformed.is_empty() { &position } else { &undeformed };
            fill(&name, "undeformed", &mut particles.anchor, shape, Vec3::ZERO)?;
        }
        particles.position = position;
        particles.rest_density.fill(rest_density);
        particles.density.fill(rest_density);
        let clamps = take_hold(&name, is_elastic, clamps, &mut particles)?;
        refuse_bad_loads(&name, is_elastic, particles.len(), &loads)?;
        let first = self.next_id;
        let body = self.add(name, BodyKind::Matter { material }, particles)?;
        let entry = &mut self.world.bodies[body.0 as usize];
        (entry.clamps, entry.loads) = (clamps, loads);
        self.renumber_loads(body, first);
        self.world.follow_paths(self.world.clock.time);
        Ok(body)
    }

    /// Adds a wall.
    pub fn add_wall(&mut self, wall: NewWall) -> Result<BodyId, SetupError> {
        let NewWall { name, position, to_surface, rest_volume, no_slip, friction, path } = wall;
        if let Some((keyframe, fault)) = path.as_ref().and_then(Path::fault) {
            return Err(SetupError::BadPath { wall: name, keyframe, fault });
        }
        if !(friction >= 0.0 && friction.is_finite()) {
            return Err(SetupError::BadFriction { wall: name, friction: f64::from(friction) });
        }
        let mut particles = Particles::zeroed(position.len());
        fill(&name, "to_surface", &mut particles.to_surface, &to_surface, Vec3::ZERO)?;
        fill(&name, "rest_volume", &mut particles.rest_volume, &rest_volume, self.cell_volume())?;
        if let Some(path) = &path {
            particles.anchor.copy_from_slice(&position);
            let turn = path.pose(self.world.clock.time).turn();
            particles.to_surface.iter_mut().for_each(|vector| *vector = narrow(turn * wide(*vector)));
        }
        particles.position = position;
        let wall = self.add(name, BodyKind::Wall { no_slip }, particles)?;
        let entry = &mut self.world.bodies[wall.0 as usize];
        (entry.path, entry.friction) = (path, friction);
        self.world.follow_paths(self.world.clock.time);
        Ok(wall)
    }

    fn add(&mut self, name: String, kind: BodyKind, mut particles: Particles) -> Result<BodyId, SetupError> {
        refuse_bad_values(&name, &particles)?;
        let elastic = self.world.elastic();
        let is_elastic = kind.is_elastic(&self.world.materials);
        let World { particles: all, movable, bodies, dimension, domain, .. } = &mut self.world;
        let count = particles.len();
        let total = all.len() + count;
        let room = u32::MAX as usize - self.next_id as usize;
        if count > room || total > MOST_PARTICLES {
            return Err(SetupError::TooManyParticles(total));
        }
        if *dimension != Dimension::Three {
            let Particles { position, velocity, to_surface, anchor, .. } = &mut particles;
            let vectors = [position, velocity, to_surface, anchor].into_iter().flatten();
            vectors.for_each(|vector| *vector = dimension.flatten(*vector));
        }
        for position in &mut particles.position {
            *position = domain.wrap(*position);
        }
        let body = BodyId(bodies.len() as u32);
        particles.body.fill(body.0);
        for id in &mut particles.id {
            *id = self.next_id;
            self.next_id += 1;
        }
        let at = match kind {
            BodyKind::Wall { .. } => all.len(),
            _ if is_elastic => elastic,
            BodyKind::Matter { .. } => *movable,
        };
        if is_elastic {
            // Once and for all: bonds rely on the order.
            self.pairs.put_in_order(&mut particles);
        }
        all.insert(at, particles);
        *movable += if kind.is_wall() { 0 } else { count };
        bodies.push(Body {
            name,
            kind,
            particles: count,
            path: None,
            clamps: Vec::new(),
            loads: Vec::new(),
            inertia: 1.0,
            friction: 0.0,
        });
        self.bodies_changed();
        Ok(body)
    }

    /// Removes a body or wall with all its particles.
    pub fn remove_body(&mut self, body: BodyId) -> Result<(), SetupError> {
        let World { particles, movable, bodies, .. } = &mut self.world;
        let Some(entry) = bodies.get_mut(body.0 as usize).filter(|entry| entry.particles > 0) else {
            return Err(SetupError::NoSuchBody { id: body.0, expected: "body or wall" });
        };
        if !entry.kind.is_wall() {
            *movable -= entry.particles;
        }
        entry.particles = 0;
        let keep: Vec<bool> = particles.body.iter().map(|&owner| owner != body.0).collect();
        particles.retain(&keep);
        self.bodies_changed();
        Ok(())
    }

    /// Moves a wall, and says how fast it moves.
    pub fn move_wall(&mut self, wall: BodyId, motion: WallMotion) -> Result<(), SetupError> {
        let World { particles, movable, bodies, dimension, domain, .. } = &mut self.world;
        let is_wall = bodies.get(wall.0 as usize).is_some_and(|body| body.kind.is_wall() && body.particles > 0);
        if !is_wall {
            return Err(SetupError::NoSuchBody { id: wall.0, expected: "wall" });
        }
        if bodies[wall.0 as usize].path.is_some() {
            return Err(SetupError::OnPath { wall: bodies[wall.0 as usize].name.clone() });
        }
        let WallMotion { translation, velocity, acceleration } = motion;
        if !(translation.is_finite() && velocity.is_finite() && acceleration.is_finite()) {
            let body = bodies[wall.0 as usize].name.clone();
            return Err(SetupError::BadValue { body, column: "motion", particle: 0 });
        }
        for i in *movable..particles.len() {
            if particles.body[i] == wall.0 {
                particles.position[i] = domain.wrap(particles.position[i] + dimension.flatten(translation));
                particles.velocity[i] = dimension.flatten(velocity);
                particles.acceleration[i] = dimension.flatten(acceleration);
            }
        }
        self.stale = true;
        Ok(())
    }

    /// Bodies list who bears a load as their maker counts them, from the number `first`; from now on as they lie in memory.
    fn renumber_loads(&mut self, body: BodyId, first: u32) {
        let World { particles, bodies, .. } = &mut self.world;
        let loads = &mut bodies[body.0 as usize].loads;
        if loads.is_empty() {
            return;
        }
        let own = particles.body.iter().zip(&particles.id).filter(|(owner, _)| **owner == body.0);
        let mut order: Vec<_> = (0..).zip(own).map(|(offset, (_, id))| (id - first, offset)).collect();
        order.sort_unstable();
        for load in loads {
            load.shares.iter_mut().for_each(|(particle, _)| *particle = order[*particle as usize].1);
            load.shares.sort_unstable_by_key(|(particle, _)| *particle);
        }
    }

    fn cell_volume(&self) -> Real {
        self.world.dimension.cell_volume(self.world.spacing)
    }

    fn bodies_changed(&mut self) {
        self.pairs.particles_changed();
        self.solids_due = true;
        self.changed = true;
        self.stale = true;
    }
}

/// Fills a column from no value (`default`), one value for all, or one for each.
fn fill<T: Copy>(body: &str, column: &'static str, out: &mut [T], values: &[T], default: T) -> Result<(), SetupError> {
    match values {
        [] => out.fill(default),
        [one] => out.fill(*one),
        each if each.len() == out.len() => out.copy_from_slice(each),
        _ => {
            let (particles, found) = (out.len(), values.len());
            return Err(SetupError::WrongLength { body: body.to_owned(), column, particles, found });
        }
    }
    Ok(())
}

/// Notes which clamp holds which particle; what is held does not move.
fn take_hold(
    body: &str,
    is_elastic: bool,
    clamps: Vec<(Clamp, Vec<usize>)>,
    particles: &mut Particles,
) -> Result<Vec<Clamp>, SetupError> {
    let mut holding = Vec::new();
    for (number, (clamp, held)) in (1..).zip(clamps) {
        let bad = |fault| Err(SetupError::BadClamp { body: body.to_owned(), clamp: number as usize - 1, fault });
        if !is_elastic {
            return bad("the body is not elastic");
        }
        if clamp.path.as_ref().is_some_and(|path| path.fault().is_some()) {
            return bad("its path makes no sense");
        }
        if held.is_empty() {
            return bad("it holds no particle");
        }
        for i in held {
            let Some(holder) = particles.clamp.get_mut(i) else {
                return bad("it holds a particle that does not exist");
            };
            *holder = number;
            particles.velocity[i] = Vec3::ZERO;
        }
        holding.push(clamp);
    }
    Ok(holding)
}

fn refuse_bad_loads(body: &str, is_elastic: bool, particles: usize, loads: &[Load]) -> Result<(), SetupError> {
    let fault = |load: &Load| if is_elastic { load.fault(particles) } else { Some("the body is not elastic") };
    match loads.iter().enumerate().find_map(|(k, load)| Some((k, fault(load)?))) {
        Some((load, fault)) => Err(SetupError::BadLoad { body: body.to_owned(), load, fault }),
        None => Ok(()),
    }
}

fn refuse_bad_values(body: &str, particles: &Particles) -> Result<(), SetupError> {
    let Particles { position, velocity, to_surface, rest_volume, anchor, .. } = particles;
    let bad = |column, particle| Err(SetupError::BadValue { body: body.to_owned(), column, particle });
    for (column, values) in
        [("position", position), ("velocity", velocity), ("to_surface", to_surface), ("undeformed", anchor)]
    {
        if let Some(i) = values.iter().position(|v| !v.is_finite()) {
            return bad(column, i);
        }
    }
    match rest_volume.iter().position(|&v| !(v > 0.0 && v.is_finite())) {
        Some(i) => bad("rest_volume", i),
        None => Ok(()),
    }
}

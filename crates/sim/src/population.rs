//! Bodies and walls come, go, and are moved between steps.

use crate::error::SetupError;
use crate::heat::ROOM;
use crate::neighbors::MOST_PARTICLES;
use crate::real::{Dimension, Real, Vec3, narrow, wide};
use crate::simulation::{Due, Simulation};
use crate::world::{
    Body, BodyId, BodyKind, Clamp, KindId, Load, NewBody, NewWall, Particles, Path, Structure, WallMotion, World,
};

impl Simulation {
    /// Adds matter.
    pub fn add_body(&mut self, body: NewBody) -> Result<BodyId, SetupError> {
        let NewBody { name, material, kind, position, velocity, rest_volume, undeformed, clamps, loads, temperature } =
            body;
        let count = self.world.materials.len();
        let Some(made_of) = self.world.materials.get(material) else {
            return Err(SetupError::NoSuchMaterial { body: name, material, count });
        };
        let (rest_density, springs_back) = (made_of.density, made_of.elastic.is_some());
        let usual = match made_of.rigid {
            _ if made_of.is_fluid_at(temperature) => KindId::FLUID,
            Some(_) => KindId::RIGID,
            None if springs_back => KindId::ELASTIC,
            None => KindId::FLUID,
        };
        let kind = kind.unwrap_or(usual);
        let structure = self.world.kinds.get(kind).map(|kind| kind.structure);
        let is_elastic = structure == Some(Structure::Bonded);
        if structure.is_none() || self.world.kinds.is_moved_by_path(kind) || is_elastic && !springs_back {
            return Err(SetupError::WrongKind { body: name });
        }
        if structure == Some(Structure::Flowing) && !self.settings.pressure.allows_fluids() {
            return Err(SetupError::NoFluids { body: name, solver: self.models.solver_name() });
        }
        let mut particles = Particles::zeroed(position.len());
        fill(&name, "velocity", &mut particles.velocity, &velocity, Vec3::ZERO)?;
        fill(&name, "rest_volume", &mut particles.rest_volume, &rest_volume, self.cell_volume())?;
        if is_elastic {
            let shape = if undeformed.is_empty() { &position } else { &undeformed };
            fill(&name, "undeformed", &mut particles.anchor, shape, Vec3::ZERO)?;
        }
        particles.position = position;
        fill_unless_zero(&mut particles.material, material as u32);
        particles.rest_density.fill(rest_density);
        particles.density.fill(rest_density);
        particles.filling.fill(1.0);
        let clamps = take_hold(&name, is_elastic, clamps, &mut particles)?;
        refuse_bad_loads(&name, is_elastic, particles.len(), &loads)?;
        let first = self.next_id;
        let body = self.add(Body::new(name, BodyKind::Matter, particles.len()), kind, particles)?;
        let entry = &mut self.world.bodies[body.slot as usize];
        (entry.clamps, entry.loads) = (clamps, loads);
        self.renumber_loads(body, first);
        self.set_temperature(self.particles_of(body).collect::<Vec<_>>(), temperature.unwrap_or(ROOM));
        self.world.follow_paths(self.world.clock.time);
        Ok(body)
    }

    /// Adds a wall.
    pub fn add_wall(&mut self, wall: NewWall) -> Result<BodyId, SetupError> {
        let NewWall { name, position, to_surface, rest_volume, no_slip, friction, wetting, path } = wall;
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
        let wall = self.add(Body::new(name, BodyKind::Wall { no_slip }, particles.len()), KindId::WALL, particles)?;
        let entry = &mut self.world.bodies[wall.slot as usize];
        (entry.path, entry.friction, entry.wetting) = (path, friction, wetting);
        self.world.follow_paths(self.world.clock.time);
        Ok(wall)
    }

    pub(crate) fn add(&mut self, body: Body, kind: KindId, mut particles: Particles) -> Result<BodyId, SetupError> {
        refuse_bad_values(&body.name, &particles)?;
        self.keep_bonds();
        let World { particles: all, dimension, domain, .. } = &self.world;
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
        let id = self.world.take_slot(body);
        particles.body.fill(id.slot);
        fill_unless_zero(&mut particles.phase, kind.0);
        for id in &mut particles.id {
            *id = self.next_id;
            self.next_id += 1;
        }
        let World { particles: all, kinds, .. } = &mut self.world;
        if kinds.is_bonded(kind) {
            // Once and for all: sorting memory leaves bonded particles where they are.
            self.pairs.put_in_order(&mut particles);
        }
        all.insert(kinds.segment(kind).end, particles);
        kinds.count(kind, count as isize);
        self.bodies_changed();
        Ok(id)
    }

    /// Removes a body or wall with all its particles.
    pub fn remove_body(&mut self, body: BodyId) -> Result<(), SetupError> {
        if self.world.body(body).is_none() {
            return Err(SetupError::NoSuchBody { id: body.slot, expected: "body or wall" });
        }
        self.keep_bonds();
        let World { particles, kinds, bodies, .. } = &mut self.world;
        let entry = &mut bodies[body.slot as usize];
        (entry.particles, entry.is_removed) = (0, true);
        let keep: Vec<bool> = particles.body.iter().map(|&owner| owner != body.slot).collect();
        particles.retain(&keep);
        kinds.recount(&particles.phase);
        self.bodies_changed();
        Ok(())
    }

    /// Moves a wall, and says how fast it moves.
    pub fn move_wall(&mut self, wall: BodyId, motion: WallMotion) -> Result<(), SetupError> {
        let Some(body) = self.world.body(wall).filter(|body| body.kind.is_wall()) else {
            return Err(SetupError::NoSuchBody { id: wall.slot, expected: "wall" });
        };
        if body.path.is_some() {
            return Err(SetupError::OnPath { wall: body.name.clone() });
        }
        let WallMotion { translation, velocity, acceleration } = motion;
        if !(translation.is_finite() && velocity.is_finite() && acceleration.is_finite()) {
            let body = body.name.clone();
            return Err(SetupError::BadValue { body, column: "motion", particle: 0 });
        }
        let World { particles, kinds, dimension, domain, .. } = &mut self.world;
        for i in kinds.walls() {
            if particles.body[i] == wall.slot {
                particles.position[i] = domain.wrap(particles.position[i] + dimension.flatten(translation));
                particles.velocity[i] = dimension.flatten(velocity);
                particles.acceleration[i] = dimension.flatten(acceleration);
            }
        }
        self.wall_moves();
        self.due = Due::Anew;
        Ok(())
    }

    /// Bodies list who bears a load as their maker counts them, from the number `first`; from now on as they lie in memory.
    fn renumber_loads(&mut self, body: BodyId, first: u32) {
        let World { particles, bodies, .. } = &mut self.world;
        let loads = &mut bodies[body.slot as usize].loads;
        if loads.is_empty() {
            return;
        }
        let own = (0..).zip(&particles.id).filter(|(i, _)| particles.body[*i as usize] == body.slot);
        let mut order: Vec<_> = own.map(|(i, id)| (id - first, i)).collect();
        order.sort_unstable();
        for load in loads {
            load.shares.iter_mut().for_each(|(particle, _)| *particle = order[*particle as usize].1);
            load.shares.sort_unstable_by_key(|(particle, _)| *particle);
        }
    }

    fn cell_volume(&self) -> Real {
        self.world.dimension.cell_volume(self.world.spacing)
    }

    /// Remembers the bonds that do not follow from shapes, before what is known of solids is found anew.
    fn keep_bonds(&mut self) {
        if !self.solids_due {
            self.stored_bonds = self.world.solids.stored(&self.world);
        }
    }

    fn bodies_changed(&mut self) {
        self.pairs.particles_changed();
        self.solids_due = true;
        self.changed = true;
        self.due = Due::Anew;
    }
}

/// Fills a new column with one index. What was never written takes no memory: zeros stay unwritten.
fn fill_unless_zero(column: &mut [u32], index: u32) {
    if index != 0 {
        column.fill(index);
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

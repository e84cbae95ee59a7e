//! Fluid comes in through openings and goes out through sinks, between steps.
//!
//! Behind an opening is a pipe, as long as particles see, in which fluid waits at rest density and moves with the velocity of the
//! stream: a buffer of imposed velocity with the pressure of the fluid in front of it (Tafuni et al. 2018, "A versatile algorithm
//! for the treatment of open boundary conditions in SPH", but that nothing flows back). What waits are particles of walls:
//! whatever a solver does at a wall that moves, it does here. Whole layers become free where they pass the opening, with the place
//! and the velocity that they have, and as many are born at the far end; so a stream leaves at rest density, and nothing is
//! pushed into anything. The pipe has a
//! casing of one layer, and two behind it, on the same lattice: it keeps others out of the pipe if it is under water.
//!
//! Particles are born, freed and taken in one go before a step ([`feeding`]), by changing places at the edges of the segments of
//! fluid and walls: nobody else moves. The state of an emitter is part of the state of the world.

mod feeding;
mod opening;
#[cfg(test)]
mod tests;

use glam::DVec3;

use crate::error::SetupError;
use crate::fields::Region;
use crate::heat::ROOM;
use crate::real::{Dimension, Real, Vec3, narrow, wide};
use crate::simulation::Simulation;
use crate::world::{Body, BodyId, BodyKind, Emitter, KindId, NewWall, Path, Pipe, Schedule, Sink, World};
use opening::Lattice;

/// Rows of casing behind the pipe.
const PLUG: usize = 2;

/// What is nearer to each other than this many spacings is in one place.
const TOO_NEAR: f64 = 0.75;

/// Particles that wait have a surface of their own this far in front of them [spacings]: next to nothing, so that friction takes
/// their velocity as it is, and none.
const THIN: f64 = 1e-3;

/// The widest spread [rad].
const WIDEST: f64 = 1.0;

/// The plane opening of an emitter. In 2D the widths of a disc and a rectangle count, and nothing along z.
#[derive(Clone, Debug, PartialEq)]
pub enum Opening {
    /// A disc.
    Disc {
        /// Its centre [m].
        centre: [f64; 3],
        /// Where it lets fluid out to; its length does not matter.
        normal: [f64; 3],
        /// Its radius [m].
        radius: f64,
    },
    /// A rectangle.
    Rectangle {
        /// Its centre [m].
        centre: [f64; 3],
        /// Where it lets fluid out to; its length does not matter.
        normal: [f64; 3],
        /// The direction of its first side.
        side: Option<[f64; 3]>,
        /// The lengths of its sides [m].
        size: [f64; 2],
    },
    /// A polygon.
    Polygon {
        /// Its corners [m], counterclockwise for who looks against the stream.
        corners: Vec<[f64; 3]>,
    },
}

/// How much an emitter lets out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Flow {
    /// At such a speed along the direction [m/s].
    Speed(f64),
    /// So much volume in a second [m³/s], in 2D per metre of depth.
    Rate(f64),
}

/// An emitter to be added.
#[derive(Clone, Debug)]
pub struct NewEmitter {
    /// Its name, and that of the body that its stream makes.
    pub name: String,
    /// The index of the material that comes out, a fluid.
    pub material: usize,
    /// Where it comes out.
    pub opening: Opening,
    /// How much comes out.
    pub flow: Flow,
    /// Where to; along the normal of the opening unless given.
    pub direction: Option<[f64; 3]>,
    /// By how much the stream fans out: the angle at which its edge leaves [rad].
    pub spread: f64,
    /// From when on [s].
    pub from: f64,
    /// Until when [s].
    pub until: f64,
    /// The most volume that comes out [m³], in 2D per metre of depth.
    pub most: f64,
    /// The temperature of what comes out, if there is heat [degC].
    pub temperature: Real,
    /// The path that it follows, with its pipe.
    pub path: Option<Path>,
}

impl Default for NewEmitter {
    fn default() -> Self {
        NewEmitter {
            name: String::new(),
            material: 0,
            opening: Opening::Disc { centre: [0.0; 3], normal: [1.0, 0.0, 0.0], radius: 0.1 },
            flow: Flow::Speed(1.0),
            direction: None,
            spread: 0.0,
            from: 0.0,
            until: f64::INFINITY,
            most: f64::INFINITY,
            temperature: ROOM,
            path: None,
        }
    }
}

/// A sink to be added: it takes all fluid that gets into its region, or out of it.
#[derive(Clone, Debug)]
pub struct NewSink {
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
}

/// What an emitter will be in a world: where its particles and its casing are at the start.
#[derive(Clone, Debug)]
pub struct Nozzle {
    /// Those who wait [m], at time 0.
    pub waiting: Vec<[f64; 3]>,
    /// The casing [m], at time 0.
    pub casing: Vec<[f64; 3]>,
    /// Where the first layer will be when it has come out [m].
    pub front: Vec<[f64; 3]>,
    /// The speed of the stream [m/s].
    pub speed: f64,
    /// The volume that comes out in a second [m³/s], in 2D per metre of depth.
    pub rate: f64,
    lattice: Lattice,
    /// From casing to its surface [m].
    to_surface: Vec<DVec3>,
    /// The casing before it follows a path [m].
    still: Vec<[f64; 3]>,
    layer: f64,
    layers: usize,
}

impl Nozzle {
    /// The volume that has come out at a time [m³], if nobody limits it.
    pub fn volume(&self, emitter: &NewEmitter, time: f64) -> f64 {
        (self.rate * (time.min(emitter.until) - emitter.from).max(0.0)).min(emitter.most)
    }
}

impl NewEmitter {
    /// What it will be in a world where particles are `spacing` apart and see as far as `support`, or what is wrong with it.
    pub fn nozzle(&self, spacing: f64, support: f64, dimension: Dimension) -> Result<Nozzle, String> {
        let lattice = Lattice::of(self, spacing, dimension)?;
        let (speed, asked) = match self.flow {
            Flow::Speed(speed) => (speed, ("speed", "m/s", speed)),
            Flow::Rate(rate) => (rate / lattice.area, ("rate", "m^3/s", rate)),
        };
        let (what, unit, value) = asked;
        if !(value > 0.0 && value.is_finite()) {
            return Err(format!("its {what} is {value} {unit}; it must be more than 0"));
        }
        if !(self.until > self.from && self.from.is_finite()) {
            return Err(format!("it ends at {} s, before it begins at {} s", self.until, self.from));
        }
        if self.most.is_nan() || self.most <= 0.0 {
            return Err(format!("at most {} m^3 come out; it must be more than 0", self.most));
        }
        if !(0.0..=WIDEST).contains(&self.spread) {
            return Err(format!("its spread is {} rad; it must be from 0 to {WIDEST}", self.spread));
        }
        if let Some((keyframe, fault)) = self.path.as_ref().and_then(Path::fault) {
            return Err(format!("it cannot follow its path: keyframe {keyframe}: {fault}"));
        }
        let volume = spacing.powi(dimension.count() as i32);
        let layer = volume * lattice.columns.len() as f64 / lattice.area;
        let layers = (support / layer + 1.0).ceil() as usize;
        let (waiting, front): (Vec<_>, Vec<_>) = {
            let at = |place: [i32; 2], k: f64| lattice.point(lattice.place(place), k * layer).to_array();
            let rows = (0..layers).flat_map(|k| lattice.columns.iter().map(move |place| (*place, k as f64 + 0.5)));
            (
                rows.map(|(place, k)| at(place, k)).collect(),
                lattice.columns.iter().map(|place| at(*place, -0.5)).collect(),
            )
        };
        let (still, to_surface) = casing(&lattice, layer, layers, dimension);
        let pose = self.path.as_ref().map(|path| path.pose(0.0));
        let put = |points: Vec<[f64; 3]>| match &pose {
            None => points,
            Some(pose) => {
                let turn = pose.turn();
                points.into_iter().map(|x| pose.place(&turn, x.into()).position.to_array()).collect()
            }
        };
        let (waiting, front, casing) = (put(waiting), put(front), put(still.clone()));
        let rate = speed * lattice.area;
        Ok(Nozzle { waiting, casing, front, speed, rate, lattice, to_surface, still, layer, layers })
    }
}

/// The casing of a pipe, and the ways to its surface, before it follows a path.
fn casing(lattice: &Lattice, layer: f64, layers: usize, dimension: Dimension) -> (Vec<[f64; 3]>, Vec<DVec3>) {
    let [first, second, direction] = lattice.axes;
    let (mut places, mut to_surface) = (Vec::new(), Vec::new());
    for (place, away) in lattice.rim(dimension) {
        let away = (first * away.x + second * away.y) * (0.5 * layer);
        for k in 0..layers + PLUG {
            places.push(lattice.point(lattice.place(place), (k as f64 + 0.5) * layer).to_array());
            // The foremost are at an edge.
            to_surface.push(if k == 0 { away + direction * (0.5 * layer) } else { away });
        }
    }
    for &place in &lattice.columns {
        for k in 0..PLUG {
            // Between where the last layer is born and where it is when the next one is.
            places.push(lattice.point(lattice.place(place), (layers + k) as f64 * layer).to_array());
            to_surface.push(direction * (-((PLUG - k) as f64 - 0.5) * layer));
        }
    }
    (places, to_surface)
}

impl Simulation {
    /// Adds an emitter, with its pipe: the body that its stream makes, and two walls, the casing and what waits. What is where the
    /// casing should be of other walls stays; nothing may be in the pipe or before the opening but fluid.
    pub fn add_emitter(&mut self, emitter: NewEmitter) -> Result<BodyId, SetupError> {
        let name = emitter.name.clone();
        let bad = |fault: String| SetupError::BadEmitter { emitter: name.clone(), fault };
        let count = self.world.materials.len();
        let Some(material) = self.world.materials.get(emitter.material) else {
            return Err(SetupError::NoSuchMaterial { body: name, material: emitter.material, count });
        };
        if !emitter.temperature.is_finite() || !material.is_fluid_at(Some(emitter.temperature)) {
            return Err(bad("only fluids come out of emitters, and its material is solid, at that temperature".into()));
        }
        if !self.settings.pressure.allows_fluids() {
            return Err(SetupError::NoFluids { body: name, solver: self.models.solver_name() });
        }
        let World { spacing, dimension, .. } = self.world;
        let support = f64::from(self.pairs.kernel().support());
        let nozzle = emitter.nozzle(f64::from(spacing), support, dimension).map_err(bad)?;
        let casing = self.free_casing(&nozzle).map_err(bad)?;
        let wall =
            |part: &str| NewWall { name: format!("{name} {part}"), path: emitter.path.clone(), ..NewWall::default() };
        let position = casing.iter().map(|&k| narrow(nozzle.still[k].into())).collect();
        let to_surface = casing.iter().map(|&k| narrow(nozzle.to_surface[k])).collect();
        let stream =
            self.add(Body::new(name.clone(), BodyKind::Matter, 0), KindId::FLUID, crate::world::Particles::default())?;
        let nozzle_wall = self.add_wall(NewWall { position, to_surface, ..wall("nozzle") })?;
        let Nozzle { lattice, layer, layers, speed, .. } = nozzle;
        let per_way = lattice.area;
        let reach = lattice.columns.iter().map(|&place| lattice.place(place).length()).fold(0.0, f64::max);
        let supply = self.add_supply(&name, lattice.columns.len(), layers)?;
        let Lattice { origin, axes, slope, .. } = lattice;
        self.world.emitters.push(Emitter {
            name,
            material: emitter.material as u32,
            stream,
            nozzle: nozzle_wall,
            supply,
            temperature: emitter.temperature,
            path: emitter.path,
            pipe: Pipe {
                origin: origin.to_array(),
                axes: axes.map(|axis| axis.to_array()),
                slope: slope.to_array(),
                columns: lattice.columns.iter().map(|&place| lattice.place(place).to_array()).collect(),
                layer,
                layers: layers as i64,
            },
            schedule: Schedule { speed, from: emitter.from, until: emitter.until, most: emitter.most / per_way },
            fan: if reach > 0.0 { emitter.spread.tan() / reach } else { 0.0 },
            fed: 0.0,
            base: 0,
            emitted: 0,
        });
        self.fill_pipe();
        Ok(stream)
    }

    /// Adds a sink.
    pub fn add_sink(&mut self, sink: NewSink) -> Result<(), SetupError> {
        let NewSink { name, region, outside, from, until } = sink;
        let bad = |fault| Err(SetupError::BadSink { sink: name.clone(), fault });
        if !(until > from && from.is_finite()) {
            return bad("it ends before it begins");
        }
        if !crate::parameters::Check::problems(&region).is_empty() || region.is_empty(self.world.dimension) {
            return bad("its region holds nothing");
        }
        self.world.sinks.push(Sink { name, region, outside, from, until, taken: 0, mass: 0.0 });
        Ok(())
    }

    /// What lets fluid in.
    pub fn emitters(&self) -> &[Emitter] {
        &self.world.emitters
    }

    /// What takes fluid out.
    pub fn sinks(&self) -> &[Sink] {
        &self.world.sinks
    }

    /// The places of the casing where no wall is yet, by index, if nothing is in the way of the stream.
    fn free_casing(&self, nozzle: &Nozzle) -> Result<Vec<usize>, String> {
        let World { particles, kinds, domain, spacing, .. } = &self.world;
        let near = (TOO_NEAR * f64::from(*spacing)) as Real;
        let bounds = nozzle.waiting.iter().chain(&nozzle.casing).chain(&nozzle.front);
        let around = bounds.map(|x| Vec3::from_array(x.map(|x| x as Real)));
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        around.for_each(|x| (low, high) = (low.min(x), high.max(x)));
        let (centre, half) = (0.5 * (low + high), 0.5 * (high - low) + near);
        let is_around = |i: &usize| domain.shortest(particles.position[*i] - centre).abs().cmple(half).all();
        let others: Vec<usize> = (0..particles.len()).filter(is_around).collect();
        let met = |x: &[f64; 3], who: &dyn Fn(usize) -> bool| {
            let x = narrow((*x).into());
            others.iter().copied().find(|&i| who(i) && domain.shortest(particles.position[i] - x).length() < near)
        };
        let is_wall = |i: usize| kinds.walls().contains(&i);
        let is_casing = |i: usize| {
            self.world.emitters.iter().any(|other| [other.nozzle.slot, other.supply.slot].contains(&particles.body[i]))
        };
        let told = |i: usize| match is_wall(i) {
            true => format!("wall `{}`", self.world.name_of(i)),
            false => format!("body `{}`", self.world.name_of(i)),
        };
        for x in nozzle.waiting.iter().chain(&nozzle.casing) {
            if let Some(i) = met(x, &is_casing) {
                return Err(format!("it is in one place with `{}`", self.world.name_of(i)));
            }
            if let Some(i) = met(x, &|i| !is_wall(i)) {
                return Err(format!("its pipe is where {} is", told(i)));
            }
        }
        let solid = |i: usize| is_wall(i) || kinds.solid().contains(&i);
        if let Some(i) = nozzle.waiting.iter().find_map(|x| met(x, &is_wall)) {
            return Err(format!("its pipe is in {}", told(i)));
        }
        if let Some(i) = nozzle.front.iter().find_map(|x| met(x, &solid)) {
            return Err(format!("its opening is in {}", told(i)));
        }
        let is_free = |k: &usize| met(&nozzle.casing[*k], &is_wall).is_none();
        Ok((0..nozzle.casing.len()).filter(is_free).collect())
    }
}

impl World {
    /// The speed at which emitters that have more to come let it out, and the fall from them to the lowest particle: its square
    /// [m²/s²].
    pub(crate) fn speed_of_streams(&self) -> f64 {
        let down = wide(self.gravity.normalize_or_zero());
        let lowest = self.particles.position.iter().map(|x| wide(*x).dot(down)).fold(f64::NEG_INFINITY, f64::max);
        let squares =
            self.emitters.iter().filter(|emitter| !emitter.schedule.is_over(self.clock.time)).map(|emitter| {
                let depth = (lowest - DVec3::from_array(emitter.pipe.origin).dot(down)).max(0.0);
                emitter.expected_speed().powi(2) + 2.0 * f64::from(self.gravity.length()) * depth
            });
        squares.fold(0.0, f64::max)
    }

    /// The speed of the fastest stream at a time [m/s].
    pub(crate) fn stream_speed(&self, time: f64) -> f64 {
        let runs = |emitter: &&Emitter| emitter.schedule.from <= time && !emitter.schedule.is_over(self.clock.time);
        self.emitters.iter().filter(runs).map(Emitter::expected_speed).fold(0.0, f64::max)
    }
}

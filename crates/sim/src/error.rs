//! What can go wrong, with the facts.

use crate::parameters::OutOfRange;

/// A simulation, body or wall that cannot be set up.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// Parameters out of their range.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    OutOfRange(Vec<OutOfRange>),
    /// A material index that does not exist.
    #[error("body `{body}` is of material {material}, but there are only {count}")]
    NoSuchMaterial {
        /// The body.
        body: String,
        /// The index it asks for.
        material: usize,
        /// How many materials there are.
        count: usize,
    },
    /// A kind that does not exist, or that paths move, or bonds without an elastic material.
    #[error("body `{body}` cannot be of the kind that it is given")]
    WrongKind {
        /// The body.
        body: String,
    },
    /// A joint that makes no sense.
    #[error("joint `{joint}` makes no sense: {fault}")]
    BadJoint {
        /// The joint.
        joint: String,
        /// What is wrong.
        fault: &'static str,
    },
    /// Something that moves in one step for all, where steps are individual.
    #[error("{0} and individual steps do not fit together: let the step be adaptive")]
    NoIndividualSteps(&'static str),
    /// A list with one entry per particle has another length.
    #[error("`{body}` has {particles} particles, but {found} values of `{column}`")]
    WrongLength {
        /// The body or wall.
        body: String,
        /// What the list holds.
        column: &'static str,
        /// How many particles there are.
        particles: usize,
        /// How many values the list has.
        found: usize,
    },
    /// A value that is infinite or undefined, or a volume that is not positive.
    #[error("particle {particle} of `{body}` has a `{column}` that cannot be used")]
    BadValue {
        /// The body or wall.
        body: String,
        /// Which quantity.
        column: &'static str,
        /// Which particle, counted from 0.
        particle: usize,
    },
    /// More particles than indices.
    #[error("{0} particles are more than this program can number (2147483647)")]
    TooManyParticles(usize),
    /// An identifier that names no body, or a wall where matter is meant, or the other way round.
    #[error("there is no such {expected} (identifier {id})")]
    NoSuchBody {
        /// The identifier.
        id: u32,
        /// What it should have named.
        expected: &'static str,
    },
    /// A particle that cannot be changed as it is asked to.
    #[error("a particle cannot be changed: {reason}")]
    NoSuchParticle {
        /// Why.
        reason: &'static str,
    },
    /// The world cannot be changed before it is put in order.
    #[error("the world cannot be put in order: {0}")]
    Unprepared(String),
    /// A path that no wall can follow.
    #[error("wall `{wall}` cannot follow its path: keyframe {keyframe}: {fault}")]
    BadPath {
        /// The wall.
        wall: String,
        /// Which keyframe, counted from 0.
        keyframe: usize,
        /// What is wrong.
        fault: &'static str,
    },
    /// A friction that no wall can have.
    #[error("wall `{wall}` has a friction of {friction}; it must be 0 or more")]
    BadFriction {
        /// The wall.
        wall: String,
        /// What was asked for.
        friction: f64,
    },
    /// A fluid, under a solver that handles contact alone.
    #[error("body `{body}` is a fluid, and `pressure.{solver}` only keeps solids apart: choose another solver")]
    NoFluids {
        /// The body.
        body: String,
        /// The solver.
        solver: &'static str,
    },
    /// A clamp that cannot hold.
    #[error("clamp {clamp} of body `{body}` cannot hold: {fault}")]
    BadClamp {
        /// The body.
        body: String,
        /// Which of its clamps, counted from 0.
        clamp: usize,
        /// What is wrong.
        fault: &'static str,
    },
    /// An emitter that makes no sense.
    #[error("emitter `{emitter}` makes no sense: {fault}")]
    BadEmitter {
        /// The emitter.
        emitter: String,
        /// What is wrong.
        fault: String,
    },
    /// A sink that makes no sense.
    #[error("sink `{sink}` makes no sense: {fault}")]
    BadSink {
        /// The sink.
        sink: String,
        /// What is wrong.
        fault: &'static str,
    },
    /// A load that cannot pull.
    #[error("load {load} of body `{body}` cannot pull: {fault}")]
    BadLoad {
        /// The body.
        body: String,
        /// Which of its loads, counted from 0.
        load: usize,
        /// What is wrong.
        fault: &'static str,
    },
    /// Heat that contradicts itself.
    #[error("material {material} has heat that makes no sense: {fault}")]
    BadHeat {
        /// The index of the material.
        material: usize,
        /// What is wrong.
        fault: String,
    },
    /// A heater that cannot heat.
    #[error("a heater cannot heat: {fault}")]
    BadHeater {
        /// What is wrong.
        fault: &'static str,
    },
    /// A wall that is to be moved by hand, but follows a path.
    #[error("wall `{wall}` follows a path and cannot be moved")]
    OnPath {
        /// The wall.
        wall: String,
    },
    /// A snapshot that does not belong to this simulation.
    #[error("the snapshot does not fit this simulation: {0}")]
    ForeignSnapshot(&'static str),
}

/// A step that could not be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// Shorter and shorter tries all diverged.
    #[error(transparent)]
    Diverged(#[from] Box<Diverged>),
    /// A model that needs neighbours in all directions finds them in a plane or on a line.
    #[error(
        "the neighbours of a particle of `{body}` at ({:.4}, {:.4}, {:.4}) lie in a plane or on a line, where moving least \
         squares cannot be fitted; make the body thicker, or use `elastic.implicit`",
        .position[0], .position[1], .position[2]
    )]
    Flat {
        /// The body.
        body: String,
        /// Where [m].
        position: [f64; 3],
    },
    /// Matter that cannot melt, freeze or break.
    #[error("matter cannot be changed between two steps: {0}")]
    Phases(String),
    /// So many particles lie in one place that their pairs cannot be listed.
    #[error(
        "at t = {time:.6} s more than 8192 particles lie within one support radius of ({:.4}, {:.4}, {:.4}), in `{body}`; \
         use a smaller spacing, or look for bodies on top of each other",
        .position[0], .position[1], .position[2]
    )]
    Crowded {
        /// When [s].
        time: f64,
        /// The body of one of them.
        body: String,
        /// Where [m].
        position: [f64; 3],
    },
}

/// Where and how a step diverged, and what to do about it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(
    "the simulation diverged at t = {time:.6} s in step {step}: {quantity} of a particle of `{body}` at \
     ({:.4}, {:.4}, {:.4}) is {value:.3e} after {tries} tries, the last with dt = {dt:.3e} s, pressure by {solver}; {remedy}",
    .position[0], .position[1], .position[2]
)]
pub struct Diverged {
    /// When [s].
    pub time: f64,
    /// The step that failed.
    pub step: u64,
    /// What went out of bounds.
    pub quantity: &'static str,
    /// How much of it.
    pub value: f64,
    /// The body it happened to.
    pub body: String,
    /// Where the particle was before the step [m].
    pub position: [f64; 3],
    /// How often the step was tried.
    pub tries: u32,
    /// The last step size tried [s].
    pub dt: f64,
    /// The pressure solver.
    pub solver: &'static str,
    /// What to change.
    pub remedy: String,
}

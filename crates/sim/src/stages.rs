//! The stages of a step, and what each reads and writes.
//!
//! Whoever runs a stage elsewhere (another processor, a part of the domain with a halo) must bring what it reads, and take
//! what it writes; timers and faults injected by tests go by the same list. Stages of finer grain, for timers alone, are
//! spans of `tracing` ([`stage!`](crate::stage)).

/// A stage of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Accelerations by gravity, known pressures, contact and forces.
    Accelerate,
    /// The step is shortened if what was solved for is too fast. Individual steps are chosen.
    Reconsider,
    /// Pressures that are solved for, friction, and the response of implicit bodies.
    Correct,
    /// Particle shifting is found.
    Spread,
    /// Processes advance their columns.
    Process,
    /// Velocities and positions follow.
    Move,
    /// Walls and clamps follow their paths; walls are impenetrable.
    Follow,
    /// Neighbours, densities, pressures that follow from them, extremes.
    Look,
}

/// What a stage reads and writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Columns of the particle and of its neighbours that it reads.
    pub reads: &'static [&'static str],
    /// Columns that it writes; of the particle alone, as every loop does.
    pub writes: &'static [&'static str],
    /// Does it sum over neighbours?
    pub sees_neighbors: bool,
}

impl Stage {
    /// All stages, in the order in which a step makes them.
    pub const ALL: [Stage; 8] = [
        Stage::Accelerate,
        Stage::Reconsider,
        Stage::Correct,
        Stage::Spread,
        Stage::Process,
        Stage::Move,
        Stage::Follow,
        Stage::Look,
    ];

    /// What it reads and writes. Where steps are individual, [`Stage::Reconsider`] reads all columns, sums over neighbours and writes
    /// levels, and [`Stage::Move`] ages. Columns that processes own are read and written by [`Stage::Process`], and read by
    /// [`Stage::Correct`] where viscosity depends on them; accelerations until
    /// they are applied are scratch.
    pub fn access(self) -> Access {
        let of = |reads, writes, sees_neighbors| Access { reads, writes, sees_neighbors };
        const STATIC: &[&str] = &["rest_density", "rest_volume", "material", "phase", "body", "clamp"];
        const MOTION: &[&str] = &["velocity", "acceleration", "rest_density", "rest_volume", "body", "clamp"];
        const ALL: &[&str] = &[
            "position",
            "remainder",
            "velocity",
            "acceleration",
            "density",
            "filling",
            "pressure",
            "rest_density",
            "rest_volume",
            "to_surface",
            "anchor",
            "clamp",
            "material",
            "phase",
            "body",
        ];
        match self {
            Stage::Accelerate => of(ALL, &[], true),
            Stage::Reconsider => of(&["velocity"], &[], false),
            Stage::Correct => of(ALL, &["pressure"], true),
            Stage::Spread => {
                of(&["position", "velocity", "density", "filling", "rest_density", "rest_volume"], &[], true)
            }
            Stage::Process => of(ALL, &[], true),
            Stage::Move => of(MOTION, &["position", "remainder", "velocity", "acceleration"], false),
            Stage::Follow => of(
                &["position", "velocity", "to_surface", "anchor", "clamp", "body"],
                &["position", "remainder", "velocity", "acceleration", "to_surface"],
                true,
            ),
            Stage::Look => of(STATIC, &["density", "filling", "pressure", "listed"], true),
        }
    }
}

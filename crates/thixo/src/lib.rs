//! *thixo* is a unified particle simulator: fluids, solids and walls are particles of one SPH
//! world. This crate gathers the parts of it for programs; the `thixo` command is made of the same parts.
//!
//! ```text
//! scene file -> scene -> sim -> frames -> render -> picture
//! ```
//!
//! - [`sim`]: particles in, particles out. No files, no printing, no clock.
//! - [`scene`]: scene files, checked as a whole, and made into simulations.
//! - [`frames`]: particle frames and checkpoints on disk.
//! - [`render`]: particles and surfaces as pictures, films, plots.
//!
//! # From a scene file
//!
//! Everything that is wrong with a scene is told at once, with place, cause and remedy.
//!
//! ```
//! use thixo::prelude::*;
//!
//! let text = r#"
//!     [world]
//!     spacing = 0.1
//!     [time]
//!     end = 0.1
//!     [materials.water]
//!     density = 1000.0
//!     [[bodies]]
//!     name = "drop"
//!     material = "water"
//!     shape.sphere = { centre = [0.0, 1.0, 0.0], radius = 0.3 }
//! "#;
//! let scene = Scene::read("drop.toml", text, &[])?;
//! let mut simulation = scene.build()?.simulation;
//! simulation.advance(scene.time.end)?;
//!
//! // Nothing holds the drop, so it has fallen by g t^2 / 2, and half a step farther: solvers that iterate move matter with the
//! // velocity at the end of a step.
//! let fallen = 1.0 - Totals::of(&simulation, None).centre().y;
//! assert!((fallen - 0.5 * 9.81 * 0.1 * 0.1).abs() < 0.02 * scene.world.spacing);
//!
//! let typo = text.replace("radius", "raduis");
//! let problems = Scene::read("drop.toml", &typo, &[]).unwrap_err();
//! assert!(problems.to_string().contains("did you mean `radius`?"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # From code
//!
//! Bodies can be added, removed and looked at between steps; walls are moved by the caller.
//!
//! ```
//! use thixo::prelude::*;
//!
//! let settings = Settings { spacing: 0.1, gravity: Vec3::ZERO, ..Settings::default() };
//! let mut simulation = Simulation::new(settings, vec![Material::default()])?;
//! let body = |name: &str, x, speed| NewBody {
//!     name: name.into(),
//!     position: vec![Vec3::new(x, 0.0, 0.0)],
//!     velocity: vec![Vec3::new(speed, 0.0, 0.0)],
//!     ..NewBody::default()
//! };
//! simulation.add_body(body("left", -0.5, 1.0))?;
//! simulation.add_body(body("right", 0.5, -1.0))?;
//! while simulation.time() < 1.0 {
//!     let report = simulation.step_until(1.0)?;
//!     assert!(report.dt > 0.0);
//! }
//!
//! // They met and parted; what one gained in momentum, the other lost.
//! let totals = Totals::of(&simulation, None);
//! assert!(totals.momentum.length() < 1e-6 * totals.momentum_scale);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Onto the disk, and on from there
//!
//! A frame is for others to look at; a snapshot is what a simulation goes on from, to the bit.
//!
//! ```
//! use thixo::frames::{Format, FrameInfo, read_native, write_frame};
//! use thixo::prelude::*;
//!
//! let drops = gallery().iter().find(|scene| scene.name == "two-drops").ok_or("they left the gallery")?;
//! let scene = Scene::read(drops.name, drops.text, &["world.spacing=0.05".into()])?;
//! let mut simulation = scene.build()?.simulation;
//! simulation.advance(0.01)?;
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("drops.thixo");
//! let info = FrameInfo { frame: 0, time: simulation.time() };
//! write_frame(Format::Native, &path, info, simulation.particles(), simulation.matter().len())?;
//! assert_eq!(read_native(&path)?.particles(), simulation.matter().len());
//!
//! let snapshot = simulation.snapshot();
//! simulation.advance(0.01)?;
//! let mut other = scene.build()?.simulation;
//! other.restore(snapshot)?;
//! other.advance(0.01)?;
//! assert_eq!(simulation.particles(), other.particles());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Parallel loops run in the rayon pool they are called in; any number of threads gives the same bits.

pub use thixo_frames as frames;
pub use thixo_render as render;
pub use thixo_scene as scene;
pub use thixo_sim as sim;
pub use thixo_surface as surface;

/// What most programs need.
pub mod prelude {
    pub use thixo_scene::{BuiltScene, Scene, gallery};
    pub use thixo_sim::measure::Totals;
    pub use thixo_sim::{
        BodyId, Dimension, Material, NewBody, NewWall, Particles, Real, Settings, Simulation, StepReport, Vec3,
        WallMotion,
    };
}

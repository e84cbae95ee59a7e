//! A scene that was checked: everything that its names, regions and defaults mean is known, and nothing is wrong.
//!
//! It comes from [`WrittenScene::check`] or [`Description::check`] alone, and nothing can be written into it, so nobody
//! who has one needs to look for mistakes.

use std::fmt;
use std::ops::Deref;

use crate::meaning::{Finding, Meaning};
use crate::problem::{Problem, Problems};
use crate::sampling::BodySample;
use crate::{Body, Description, Emitter, Images, KeptFile, Provenance, Style, Vector, WrittenScene, auto};

/// A scene without mistakes. It reads as its [`Description`], in which every default is written out.
pub struct Scene {
    description: Description,
    pub(crate) meaning: Meaning,
    /// Which pressure solver was chosen and why, if the scene left the choice.
    chosen: Option<String>,
    warnings: Vec<String>,
}

/// A body of a scene, with the numbers by which frames know it.
///
/// Bodies are built in the order of the scene, and walls after them; their particles are numbered in this order.
#[derive(Clone, Copy, Debug)]
pub struct Matter<'a> {
    /// What the scene says of it.
    pub body: &'a Body,
    /// Its number in the column `body` of frames.
    pub number: u32,
    /// The number of its first particle in the column `id` of frames.
    pub first_particle: u32,
    /// The number of its material; materials are numbered by name.
    pub material: usize,
    pub(crate) sample: &'a BodySample,
}

/// The stream of an emitter, with the numbers by which frames know it.
#[derive(Clone, Copy, Debug)]
pub struct StreamOf<'a> {
    /// What the scene says of the emitter.
    pub emitter: &'a Emitter,
    /// Its number in the column `body` of frames.
    pub number: u32,
    /// The number of its material; materials are numbered by name.
    pub material: usize,
}

/// A body that is about to be filled with particles, for those who wait.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Filling<'a> {
    /// Its name.
    pub body: &'a str,
    /// About how many particles it will have.
    pub particles: f64,
    /// About how many all bodies of the scene will have.
    pub all: f64,
}

/// What a run keeps of its scene, so that it needs nothing else to go on.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptScene {
    /// The scene as a file, every default written out.
    pub text: String,
    /// The meshes that it names, seen from its folder.
    pub files: Vec<KeptFile>,
}

impl Scene {
    /// Reads and checks a scene: [`WrittenScene::parse`], then [`WrittenScene::check`].
    ///
    /// ```
    /// let text = "
    /// [world]
    /// spacing = 0.1
    /// [time]
    /// end = 1.0
    /// [materials.water]
    /// density = 1000.0
    /// [[bodies]]
    /// name = \"drop\"
    /// material = \"water\"
    /// shape.box = { min = [0, 0, 0], max = [1, 1, 1] }
    /// ";
    /// let scene = thixo_scene::Scene::read("drop.toml", text, &["time.end=2.0".into()])?;
    /// assert_eq!(scene.time.end, 2.0);
    /// assert_eq!(scene.estimate().movable(), 1000);
    /// # Ok::<(), thixo_scene::Problems>(())
    /// ```
    pub fn read(name: &str, text: &str, overrides: &[String]) -> Result<Scene, Problems> {
        WrittenScene::parse(name, text)?.check(overrides)
    }

    /// Finds what a description means, or everything that makes no sense.
    pub(crate) fn new(description: Description, tell: fn(&Filling<'_>)) -> Result<Scene, Vec<Finding>> {
        let mut description = description.with_defaults();
        let meaning = Meaning::of(&description, tell)?;
        let chosen = auto::choose(&mut description, &meaning.samples);
        let warnings = description.warnings(&meaning.samples);
        Ok(Scene { description, meaning, chosen, warnings })
    }

    /// What is legal but perhaps not meant, a sentence each.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Which pressure solver was chosen and why, if the scene left the choice.
    pub fn chosen_pressure(&self) -> Option<&str> {
        let recorded = || self.provenance.as_ref().and_then(|provenance| provenance.pressure.as_deref());
        self.chosen.as_deref().or_else(recorded)
    }

    /// The bodies, in the order of the scene.
    pub fn matter(&self) -> impl Iterator<Item = Matter<'_>> {
        let Meaning { samples, materials, .. } = &self.meaning;
        let bodies = self.bodies.iter().zip(&samples.bodies).zip(materials);
        let numbers = (0..).zip(samples.first_particles());
        bodies.zip(numbers).map(|(((body, sample), &material), (number, first_particle))| Matter {
            body,
            number,
            first_particle,
            material,
            sample,
        })
    }

    /// The streams of emitters, in the order of the scene. After bodies and walls, each emitter brings three: its stream, its
    /// casing, and what waits in its pipe.
    pub fn streams(&self) -> impl Iterator<Item = StreamOf<'_>> {
        let first = (self.bodies.len() + self.walls.len()) as u32;
        let streams = self.emitters.iter().zip(&self.meaning.samples.streams).zip((first..).step_by(3));
        streams.map(|((emitter, stream), number)| StreamOf { emitter, number, material: stream.new.material })
    }

    /// Everything that frames may hold: number in the column `body`, name, name of the material, number of the material.
    pub fn all_matter(&self) -> impl Iterator<Item = (u32, &str, &str, usize)> {
        let bodies = self
            .matter()
            .map(|matter| (matter.number, matter.body.name.as_str(), matter.body.material.as_str(), matter.material));
        bodies.chain(self.streams().map(|stream| {
            (stream.number, stream.emitter.name.as_str(), stream.emitter.material.as_str(), stream.material)
        }))
    }

    /// The numbers of the bodies that particles started in, by the numbers of these and of the bodies that have them now: bodies that
    /// melt and freeze hand particles over. What came out of emitters is told by the body that has it.
    pub fn started_in(&self, particles: &[u32], bodies: &[u32]) -> Vec<u32> {
        let matter: Vec<_> = self.matter().map(|matter| (matter.first_particle, matter.number)).collect();
        let end = self.matter().map(|matter| matter.first_particle + matter.sample.count() as u32).max().unwrap_or(0);
        let body = |(particle, now): (&u32, &u32)| {
            let after = matter.partition_point(|(first, _)| first <= particle);
            after.checked_sub(1).filter(|_| *particle < end).map_or(*now, |k| matter[k].1)
        };
        particles.iter().zip(bodies).map(body).collect()
    }

    /// Asks for pictures in a style, unless the scene asks for some already.
    pub fn ask_for_images(&mut self, style: Style) {
        self.description.output.images.get_or_insert_with(|| Images { style, ..Images::default() });
    }

    /// What a run keeps of the scene; the meshes are the caller's to write, into a folder beside it.
    pub fn keep(&self, provenance: Provenance, folder: &str) -> Result<KeptScene, toml::ser::Error> {
        let mut description = Description { provenance: Some(provenance), ..self.description.clone() };
        let files = description.keep_files(folder);
        Ok(KeptScene { text: description.to_toml()?, files })
    }

    /// What the scene says, for a program to change and check again.
    pub fn into_description(self) -> Description {
        self.description
    }
}

impl Matter<'_> {
    /// Where its particles are at rest [m], in the order of their numbers: they start there, unless the body is deformed.
    pub fn positions_at_rest(&self) -> impl Iterator<Item = Vector> {
        self.sample.at_rest().map(|place| place.to_array())
    }
}

impl Description {
    /// Checks a scene that a program has made or changed: there are no places to tell, only what is wrong.
    pub fn check(self) -> Result<Scene, Problems> {
        Scene::new(self, |_| {}).map_err(|findings| {
            let problem = |Finding { message, help, .. }| Problem {
                message,
                help: Some(help).filter(|help: &String| !help.is_empty()),
                source: "the scene of this program".into(),
                excerpt: None,
            };
            Problems::new(findings.into_iter().map(problem).collect())
        })
    }
}

impl Deref for Scene {
    type Target = Description;

    fn deref(&self) -> &Description {
        &self.description
    }
}

impl PartialEq for Scene {
    fn eq(&self, other: &Scene) -> bool {
        // All else follows from it.
        self.description == other.description
    }
}

impl fmt::Debug for Scene {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.description.fmt(f)
    }
}

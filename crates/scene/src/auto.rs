//! `pressure = "auto"`, which a scene gets that names no pressure solver: the one that suits it.
//!
//! Explicit elastic models need steps as short as stiff fluid does: WCSPH; where there is nothing but them, springs as stiff
//! as they are keep them apart, in the steps that they make anyway: penalty. WCSPH is as stiff as the speeds of a scene ask
//! for, which is less. Implicit ones are made for long steps, and fluids
//! of different density would need the stiffness of the heaviest: IISPH; so do rigid bodies, which answer to its pressures exactly,
//! be they as light as they may. Fluid that fills all the room between walls and
//! periods has no surface. Solvers that iterate undo compression there that has nowhere to go, and let fluid tear where it is
//! stirred: vortices decay three times too fast. So WCSPH, which may pull, and particles that are shifted (F5 of
//! `thixo validate`).
//! Individual steps: WCSPH, for what is solved for is so in one step of all.
//! Otherwise what is cheaper at the same density error, 0.1 %: an iterated step costs about ten of WCSPH.

use glam::DVec3;
use thixo_sim::{Elastic, Iisph, Material, Penalty, Pressure, Real, Shifting, Wcsph};

use crate::Description;
use crate::document::Path;
use crate::near::Near;
use crate::sampling::Samples;
use crate::shape::Bounds;

/// The density error at which solvers are compared.
const DENSITY_ERROR: Real = 0.001;

/// What a step of IISPH costs, in steps of WCSPH.
const COST: f64 = 10.0;

/// The share of all room from which on it is full. What sampling leaves free is less; with less, a row that is missing in 25
/// would not count as a surface, at which fluid that pulls would tear.
const FULL: f64 = 0.96;

/// Where the nearest particle is farther than so many spacings, there is a hole: corners between four particles and a wall are
/// nearer, a row that is missing leaves places at 1.5. And the share of the room that may be holes: sharp corners are.
const HOLE: f64 = 1.2;
const HOLES: f64 = 0.003;

/// With less than this share of space, walls included, fluid does not fill it: nothing more need be found out.
const HALF_FULL: f64 = 0.5;

/// Points at which it is asked whether there is a wall, along each axis in 2D and in 3D: curved walls are then right to a hundredth.
const POINTS: [usize; 2] = [96, 32];

/// Chooses the pressure solver that suits a scene, if the scene leaves the choice, and says why.
pub(crate) fn choose(scene: &mut Description, samples: &Samples) -> Option<String> {
    if scene.pressure != Pressure::Auto {
        return None;
    }
    let (pressure, because) = scene.suitable_pressure(samples);
    let name = match &pressure {
        Pressure::Wcsph(wcsph) => {
            if wcsph.tension {
                scene.world.shifting.get_or_insert_with(Shifting::default);
            }
            "wcsph"
        }
        Pressure::Penalty(_) => "penalty",
        _ => "iisph",
    };
    scene.pressure = pressure;
    Some(format!("{name}: {because}"))
}

impl Description {
    fn suitable_pressure(&self, samples: &Samples) -> (Pressure, String) {
        let stiff = Pressure::Wcsph(Wcsph { density_error: DENSITY_ERROR, ..Wcsph::default() });
        let iterated = Pressure::Iisph(Iisph { density_error: DENSITY_ERROR, ..Iisph::default() });
        let used = || self.materials_used();
        let elastic = || used().filter_map(|material| material.elastic.as_ref());
        let implicit = elastic().filter(|model| matches!(model, Elastic::Implicit(_))).count();
        let explicit = elastic().count() - implicit;
        if explicit > 0 {
            let alone = !used().any(Material::can_flow) && self.time.step.individual().is_none();
            return match implicit == 0 && alone {
                true => (Pressure::Penalty(Penalty::default()), "explicit elastic bodies, and no fluid".to_owned()),
                false => (Pressure::Wcsph(Wcsph::default()), "explicit elastic bodies need short steps".to_owned()),
            };
        }
        if self.time.step.individual().is_some() && implicit == 0 {
            return (stiff, "individual steps need pressures that follow from densities".to_owned());
        }
        if implicit > 0 {
            return (iterated, "elastic bodies that are solved for allow long steps".to_owned());
        }
        if used().any(|material| material.rigid.is_some()) {
            return (iterated, "rigid bodies answer exactly to pressures that are solved for".to_owned());
        }
        let densities = || used().map(|material| f64::from(material.density));
        let (least, most) = (densities().fold(f64::INFINITY, f64::min), densities().fold(0.0, f64::max));
        if most > least {
            return (iterated, format!("fluids of {least} and {most} kg/m^3"));
        }
        if self.is_full(samples) {
            let pulling = Pressure::Wcsph(Wcsph { tension: true, ..Wcsph::default() });
            return (pulling, "fluid without a surface, which must pull and be shifted where it is stirred".to_owned());
        }
        let [short, long] = [&stiff, &iterated].map(|pressure| self.step_with(pressure, samples));
        let because = |step: f64, other: &str, there: f64| {
            format!("steps of about {step:.1e} s instead of {there:.1e} s with {other}, at a density error of 0.1 %")
        };
        match long > COST * short {
            true => (iterated, because(long, "wcsph", short)),
            false => (stiff, because(short, "iisph (each costs ten)", long)),
        }
    }

    /// Is there matter everywhere between walls and periods?
    fn is_full(&self, samples: &Samples) -> bool {
        // What comes in and goes out has a surface somewhere.
        if !self.emitters.is_empty() || !self.sinks.is_empty() {
            return false;
        }
        let axes = usize::from(self.world.dimension);
        let walls =
            self.walls.iter().map(|wall| (wall.shape.solid(self.surroundings(), &Path::default()), wall.inside));
        let walls: Vec<_> = walls.filter_map(|(solid, inside)| Some((solid.ok()?, inside))).collect();
        let mut space = Bounds::EVERYWHERE;
        for (axis, period) in self.world.periodic.axes().into_iter().enumerate() {
            [space.min[axis], space.max[axis]] = period.unwrap_or([space.min[axis], space.max[axis]]);
        }
        let around = walls.iter().filter(|(_, inside)| *inside).map(|(solid, _)| solid.bounds());
        let space = around.fold(space, Bounds::common);
        let size = space.max - space.min;
        let volume: f64 = size.to_array()[..axes].iter().product();
        let particles: u64 = samples.bodies.iter().map(|sample| sample.count()).sum();
        let filled = particles as f64 * self.world.spacing.powi(axes as i32);
        if !(volume.is_finite() && filled > HALF_FULL * volume) {
            return false;
        }
        let along = POINTS[axes - 2];
        let places = (0..along.pow(axes as u32)).map(|k| {
            let place = |axis: usize| match axis < axes {
                true => {
                    space.min[axis] + size[axis] * ((k / along.pow(axis as u32) % along) as f64 + 0.5) / along as f64
                }
                false => 0.0,
            };
            DVec3::new(place(0), place(1), place(2))
        });
        let is_free = |place: &DVec3| walls.iter().all(|(solid, inside)| (solid.distance(*place) < 0.0) == *inside);
        let free: Vec<DVec3> = places.filter(is_free).collect();
        let share = free.len() as f64 / (along as f64).powi(axes as i32);
        if filled <= FULL * share * volume {
            return false;
        }
        // A small surface is one too. Beyond a period there is more of the same.
        let near = Near::of(samples.bodies.iter().flat_map(|sample| sample.positions()), HOLE * self.world.spacing);
        let edges = |place: &DVec3| {
            (0..axes).any(|axis| {
                let reach = HOLE * self.world.spacing;
                self.world.periodic.axes()[axis]
                    .is_some_and(|[from, to]| place[axis] - from < reach || to - place[axis] < reach)
            })
        };
        let holes = free.iter().filter(|place| !edges(place) && !near.has_any(**place)).count();
        (holes as f64) < HOLES * free.len() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scene;

    const TANK: &str = r#"
        [world]
        spacing = 0.01
        [time]
        end = 1.0
        [materials.water]
        density = 1000.0
        [materials.oil]
        density = 800.0
        [materials.jelly]
        density = 1000.0
        elastic.implicit = {}
        [materials.gum]
        density = 1000.0
        elastic.corotated = {}
        [materials.stone]
        density = 1000.0
        rigid = {}
        [[bodies]]
        name = "pool"
        material = "water"
        shape.box = { min = [0.0, 0.0, 0.0], max = [0.1, 0.1, 0.1] }
        [[bodies]]
        name = "other"
        material = "water"
        shape.box = { min = [0.0, 0.5, 0.0], max = [0.1, 0.6, 0.1] }
    "#;

    fn chosen(material: &str) -> (Pressure, String) {
        let scene = Scene::read("tank", TANK, &[format!("bodies.1.material={material}")]).unwrap();
        (scene.pressure.clone(), scene.chosen_pressure().unwrap().to_owned())
    }

    fn expected_step(scene: &Scene) -> f64 {
        scene.step_with(&scene.pressure, &scene.meaning.samples)
    }

    #[test]
    fn the_choice_follows_what_is_in_the_scene() {
        let (pressure, because) = chosen("jelly");
        assert!(matches!(pressure, Pressure::Iisph(_)) && because.contains("elastic"), "{because}");
        let (pressure, because) = chosen("gum");
        assert!(matches!(pressure, Pressure::Wcsph(_)) && because.contains("explicit"), "{because}");
        let (pressure, because) = chosen("stone");
        assert!(matches!(pressure, Pressure::Iisph(_)) && because.contains("rigid"), "{because}");
        let (pressure, because) = chosen("oil");
        assert!(matches!(pressure, Pressure::Iisph(_)) && because.contains("800 and 1000"), "{because}");
        let (pressure, because) = chosen("water");
        assert!(matches!(pressure, Pressure::Iisph(_)) && because.contains("steps of"), "{because}");
    }

    #[test]
    fn explicit_bodies_alone_meet_as_stiffly_as_they_are() {
        for other in ["gum", "stone"] {
            let both = ["bodies.0.material=gum".to_owned(), format!("bodies.1.material={other}")];
            let scene = Scene::read("tank", TANK, &both).unwrap();
            let because = scene.chosen_pressure().unwrap();
            assert!(matches!(scene.pressure, Pressure::Penalty(_)) && because.contains("penalty"), "{because}");
        }
    }

    #[test]
    fn fluid_without_a_surface_may_pull_and_is_shifted() {
        let space = |far: f64| {
            let axes = ["x", "y", "z"].map(|axis| format!("world.periodic.{axis}=[0, 0.1]"));
            let fit = ["world.gravity=[0, 0, 0]".into(), format!("bodies.1.shape.box.max=[0.1, {far}, 0.1]")];
            let under = ["bodies.0.shape.box.max=[0.1, 0.05, 0.1]", "bodies.1.shape.box.min=[0, 0.05, 0]"];
            let all: Vec<_> = axes.into_iter().chain(fit).chain(under.map(str::to_owned)).collect();
            Scene::read("space", TANK, &all).unwrap()
        };
        let full = space(0.1);
        assert!(matches!(&full.pressure, Pressure::Wcsph(wcsph) if wcsph.tension), "{:?}", full.chosen_pressure());
        assert!(full.world.shifting.is_some());
        let with_surface = space(0.09);
        assert!(!matches!(&with_surface.pressure, Pressure::Wcsph(wcsph) if wcsph.tension));
        assert!(with_surface.world.shifting.is_none());
    }

    #[test]
    fn what_walls_leave_free_is_the_room_that_can_be_full() {
        let tank = |height: f64| {
            let water = format!(
                "bodies=[{{ name = \"water\", material = \"water\", shape.difference = [
                    {{ box = {{ min = [0, 0, 0], max = [0.3, {height}, 0.3] }} }},
                    {{ sphere = {{ centre = [0.15, 0.12, 0.15], radius = 0.08 }} }}] }}]"
            );
            let walls = "walls=[
                { name = \"tank\", inside = true, shape.box = { min = [0, 0, 0], max = [0.3, 0.3, 0.3] } },
                { name = \"post\", shape.sphere = { centre = [0.15, 0.12, 0.15], radius = 0.08 } }]";
            Scene::read("tank", TANK, &[water.replace('\n', " "), walls.replace('\n', " ")]).unwrap()
        };
        assert!(tank(0.3).world.shifting.is_some());
        assert!(tank(0.27).world.shifting.is_none());
    }

    /// A fiftieth of the room is free, in a corner below the lid: fluid that pulls would tear there.
    #[test]
    fn a_small_surface_is_one() {
        let tank = |filled: &str| {
            let water = format!(
                "bodies=[{{ name = \"water\", material = \"water\", shape.intersection = [{TURNED}, {filled}] }}]"
            );
            let wall = format!("walls=[{{ name = \"tank\", inside = true, shape = {TURNED} }}]");
            Scene::read("tank", TANK, &["world.dimension=2".into(), water, wall]).unwrap()
        };
        assert!(tank(TURNED).world.shifting.is_some());
        assert!(tank("{ box = { min = [-1, -1, 0], max = [1, 0.115, 0] } }").world.shifting.is_none());
    }

    const TURNED: &str =
        "{ transform = { shape.box = { min = [-0.15, -0.1, 0], max = [0.15, 0.1, 0] }, rotation = { angle = 0.3 } } }";

    #[test]
    fn the_choice_knows_what_fields_do() {
        let still = ["world.gravity=[0, 0, 0]".to_owned(), "time.step.adaptive.longest=1.0".to_owned()];
        let field = "fields=[{ name = \"stirrer\", uniform = { acceleration = [9.81, 0, 0] } }]".to_owned();
        let step = |set: &[String]| expected_step(&Scene::read("tank", TANK, set).unwrap());
        let [free, pulled] = [step(&still), step(&[still[0].clone(), still[1].clone(), field])];
        // Through all of the matter: 0.1 x 0.6 x 0.1 m.
        let by_speed = 0.4 * 0.01 / (2.0 * 9.81 * DVec3::new(0.1, 0.6, 0.1).length()).sqrt();
        assert!(pulled < 0.5 * free && (pulled / by_speed - 1.0).abs() < 0.05, "{free} {pulled} {by_speed}");
    }

    #[test]
    fn thick_fluid_needs_short_steps_anyway() {
        let thick = "materials.water.fluid.viscosity={ morris = { dynamic_viscosity = 100.0 } }".to_owned();
        let scene = Scene::read("tank", TANK, &[thick]).unwrap();
        assert!(matches!(scene.pressure, Pressure::Wcsph(_)), "{:?}", scene.chosen_pressure());
        // 0.6 H² ρ/(1.5 · 30 μ).
        let step = 0.6 * scene.world.support().powi(2) * 1000.0 / (45.0 * 100.0);
        assert!((expected_step(&scene) / step - 1.0).abs() < 0.01, "{}", expected_step(&scene));
    }

    #[test]
    fn saying_so_is_the_same_as_saying_nothing() {
        let [said, unsaid] =
            [&["pressure=\"auto\"".to_owned()][..], &[]].map(|set| Scene::read("tank", TANK, set).unwrap());
        assert!(said.chosen_pressure().is_some() && said == unsaid);
    }

    #[test]
    fn a_scene_that_names_its_solver_keeps_it() {
        let scene = Scene::read("tank", TANK, &["pressure={ dfsph = {} }".into()]).unwrap();
        assert!(matches!(scene.pressure, Pressure::Dfsph(_)) && scene.chosen_pressure().is_none());
    }
}

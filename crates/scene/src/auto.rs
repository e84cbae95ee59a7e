//! `pressure = "auto"`, which a scene gets that names no pressure solver: the one that suits it.
//!
//! Explicit elastic models need steps as short as stiff fluid does: WCSPH; where there is nothing but them, springs as stiff
//! as they are keep them apart, in the steps that they make anyway: penalty. WCSPH is as stiff as the speeds of a scene ask
//! for, which is less. Implicit ones are made for long steps, and fluids
//! of different density would need the stiffness of the heaviest: IISPH. Otherwise what is cheaper at the same density
//! error, 0.1 %: an iterated step costs about ten of WCSPH.

use thixo_sim::{Elastic, Iisph, Penalty, Pressure, Real, Wcsph};

use crate::Description;
use crate::sampling::Samples;

/// The density error at which solvers are compared.
const DENSITY_ERROR: Real = 0.001;

/// What a step of IISPH costs, in steps of WCSPH.
const COST: f64 = 10.0;

/// The pressure solver that suits a scene and why, if the scene leaves the choice.
pub(crate) fn choose(scene: &Description, samples: &Samples) -> Option<(Pressure, String)> {
    if scene.pressure != Pressure::Auto {
        return None;
    }
    let (pressure, because) = scene.suitable_pressure(samples);
    let name = match pressure {
        Pressure::Wcsph(_) => "wcsph",
        Pressure::Penalty(_) => "penalty",
        _ => "iisph",
    };
    Some((pressure, format!("{name}: {because}")))
}

impl Description {
    fn suitable_pressure(&self, samples: &Samples) -> (Pressure, String) {
        let stiff = Pressure::Wcsph(Wcsph { density_error: DENSITY_ERROR, ..Wcsph::default() });
        let iterated = Pressure::Iisph(Iisph { density_error: DENSITY_ERROR, ..Iisph::default() });
        let used = || self.bodies.iter().filter_map(|body| self.materials.get(&body.material));
        let mut elastic = used().filter_map(|material| material.elastic.as_ref()).peekable();
        if elastic.peek().is_some() {
            let implicit = elastic.filter(|model| matches!(model, Elastic::Implicit(_))).count();
            let fluids = used().filter(|material| material.elastic.is_none()).count();
            return match (implicit, fluids) {
                (0, 0) => (Pressure::Penalty(Penalty::default()), "explicit elastic bodies alone".to_owned()),
                (implicit, fluids) if implicit + fluids == self.bodies.len() => {
                    (iterated, "elastic bodies that are solved for allow long steps".to_owned())
                }
                _ => (Pressure::Wcsph(Wcsph::default()), "explicit elastic bodies need short steps".to_owned()),
            };
        }
        let densities = || used().map(|material| f64::from(material.density));
        let (least, most) = (densities().fold(f64::INFINITY, f64::min), densities().fold(0.0, f64::max));
        if most > least {
            return (iterated, format!("fluids of {least} and {most} kg/m^3"));
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

    #[test]
    fn the_choice_follows_what_is_in_the_scene() {
        let (pressure, because) = chosen("jelly");
        assert!(matches!(pressure, Pressure::Iisph(_)) && because.contains("elastic"), "{because}");
        let (pressure, because) = chosen("gum");
        assert!(matches!(pressure, Pressure::Wcsph(_)) && because.contains("explicit"), "{because}");
        let (pressure, because) = chosen("oil");
        assert!(matches!(pressure, Pressure::Iisph(_)) && because.contains("800 and 1000"), "{because}");
        let (pressure, because) = chosen("water");
        assert!(matches!(pressure, Pressure::Iisph(_)) && because.contains("steps of"), "{because}");
    }

    #[test]
    fn explicit_bodies_alone_meet_as_stiffly_as_they_are() {
        let both = [0, 1].map(|k| format!("bodies.{k}.material=gum"));
        let scene = Scene::read("tank", TANK, &both).unwrap();
        let because = scene.chosen_pressure().unwrap();
        assert!(matches!(scene.pressure, Pressure::Penalty(_)) && because.contains("penalty"), "{because}");
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

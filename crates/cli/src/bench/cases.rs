//! The cases: scenes that the program carries with it, beside those of the gallery.

use crate::console;
use crate::failure::Failure;

/// A scene that is run for its cost.
#[derive(Clone, Copy, Debug)]
pub(super) struct Case {
    pub(super) name: &'static str,
    pub(super) text: &'static str,
}

macro_rules! cases {
    ($($name:literal),+) => {
        [$(Case { name: $name, text: include_str!(concat!("../../../../benches/", $name, ".toml")) }),+]
    };
}

static CASES: [Case; 17] = cases![
    "dam_wcsph",
    "dam_pcisph1pct",
    "dam_pcisph01pct",
    "dam_iisph",
    "dam_dfsph",
    "dam_splash",
    "twophase_2",
    "twophase_10",
    "twophase_100",
    "beam_becker_1e6",
    "beam_peer_1e6",
    "beam_kugelstadt_1e6",
    "elastic_water_peer",
    "rigid_water",
    "still_tank",
    "free_block_100k",
    "free_block_2m"
];

/// The cases of the given names, or all.
pub(super) fn chosen(names: &[String]) -> Result<Vec<&'static Case>, Failure> {
    if names.is_empty() {
        return Ok(CASES.iter().collect());
    }
    names.iter().map(|name| find(name)).collect()
}

/// What can be measured beside scenes.
pub(super) fn others() -> Vec<&'static str> {
    [&super::surface::NAMES[..], &[super::picture::NAME, super::pcisph_table::NAME, super::elastic_table::NAME]]
        .concat()
}

fn find(name: &str) -> Result<&'static Case, Failure> {
    CASES.iter().find(|case| case.name == name).ok_or_else(|| {
        let names = [&CASES.map(|case| case.name)[..], &others()].concat();
        let meant = console::meant(name, &names);
        Failure::BadInput(format!("there is no case `{name}` to measure{meant}; there are {}", names.join(", ")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use thixo_scene::Scene;

    #[test]
    fn every_case_is_a_sound_scene() {
        for case in &CASES {
            let scene = Scene::read(case.name, case.text, &[]).unwrap_or_else(|problems| panic!("{problems}"));
            assert_eq!(scene.warnings(), Vec::<String>::new(), "{}", case.name);
        }
    }

    #[test]
    fn blocks_have_the_particles_that_their_names_say() {
        for (name, count) in [
            ("dam_wcsph", 100_000),
            ("beam_peer_1e6", 9800),
            ("elastic_water_peer", 15_000 + 50_653),
            ("rigid_water", 50_653 + 2_372),
            ("free_block_100k", 100_000),
            ("free_block_2m", 2_000_000),
        ] {
            let scene = Scene::read(name, find(name).unwrap().text, &[]).unwrap();
            assert_eq!(scene.estimate().movable(), count, "{name}");
        }
        assert_eq!(find("free_block_3m").unwrap_err().exit_code(), 2);
    }
}

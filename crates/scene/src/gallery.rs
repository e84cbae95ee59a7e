//! The gallery: scenes that the program carries with it.

/// A scene to look at, and to start from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GalleryScene {
    /// Its name: small letters, digits and hyphens.
    pub name: &'static str,
    /// The file.
    pub text: &'static str,
}

impl GalleryScene {
    /// What it shows: the first line of the file.
    pub fn title(&self) -> &'static str {
        self.text.lines().next().unwrap_or_default().trim_start_matches(['#', ' '])
    }
}

/// The scenes of the gallery; the first is the demo.
pub fn gallery() -> &'static [GalleryScene] {
    macro_rules! scenes {
        ($($name:literal),+) => {
            &[$(GalleryScene { name: $name, text: include_str!(concat!("../../../scenes/", $name, ".toml")) }),+]
        };
    }
    scenes![
        "demo",
        "armadillo-drop",
        "beading-drops",
        "blocks-on-blocks",
        "boat",
        "broken-plate",
        "cantilever",
        "capsule-shot",
        "cohesion-drop",
        "collapsing-column",
        "cut-in-two",
        "dam-break-2d",
        "density-ratios",
        "duck-drop",
        "falling-cuboids",
        "falling-drop",
        "filling-glass",
        "fish-current",
        "five-stiffnesses",
        "floating-boxes",
        "floating-solids",
        "fountain",
        "hair-rain",
        "handles",
        "honey-column",
        "honey-sheet",
        "hundred-bodies",
        "jelly-cube",
        "melting-figure",
        "nine-moduli",
        "nonlinear-cuboids",
        "plant-watering",
        "plasticine",
        "quasi-liquid-drop",
        "rigid-stack",
        "rubber-duck",
        "setting-wax",
        "spinning-cubes",
        "spurious-tension",
        "square-drop",
        "still-water",
        "stirred-gel",
        "three-fluids",
        "two-cuboids",
        "two-drops",
        "water-wheel",
        "wave-maker",
        "wave-tank",
        "whirlpool"
    ]
}

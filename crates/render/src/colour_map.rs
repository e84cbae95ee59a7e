//! Colour maps: from a number to a colour.
//!
//! Each map is a curve through a few colours in Ott20's space, in which equal steps look equal. Along the sequential
//! maps lightness rises evenly, so that they can be read in grey and by eyes that see fewer colours.

use std::f32::consts::PI;
use std::fmt;
use std::str::FromStr;

use crate::colour::{Colour, from_perceived};

/// The colour of a value that is not a number.
pub const MISSING: Colour = Colour::new(0.42, 0.02, 0.32);

/// Steps of a map between which colours are interpolated.
const STEPS: usize = 256;

/// The maps there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MapName {
    /// Deep blue through water blue to foam.
    #[default]
    Ocean,
    /// Purple through teal to yellow, as viridis does.
    Meadow,
    /// Black through red to pale yellow: heat.
    Ember,
    /// Blue through grey to yellow, the same to eyes that see fewer colours.
    Slate,
    /// All hues from blue to red, brightest in the middle: tells many values apart, orders them less well.
    Rainbow,
    /// Blue through white to red: below and above a middle.
    Balance,
}

impl MapName {
    /// Every map.
    pub const ALL: [MapName; 6] =
        [MapName::Ocean, MapName::Meadow, MapName::Ember, MapName::Slate, MapName::Rainbow, MapName::Balance];

    /// How it is called.
    pub const fn name(self) -> &'static str {
        match self {
            MapName::Ocean => "ocean",
            MapName::Meadow => "meadow",
            MapName::Ember => "ember",
            MapName::Slate => "slate",
            MapName::Rainbow => "rainbow",
            MapName::Balance => "balance",
        }
    }

    /// Colours at equal distances: lightness, chroma, hue [degrees].
    const fn colours(self) -> &'static [[f32; 3]] {
        match self {
            MapName::Ocean => &[
                [0.36, 0.12, 266.0],
                [0.51, 0.145, 254.0],
                [0.66, 0.13, 236.0],
                [0.81, 0.09, 212.0],
                [0.96, 0.03, 190.0],
            ],
            MapName::Meadow => &[
                [0.29, 0.13, 320.0],
                [0.447, 0.11, 267.0],
                [0.605, 0.10, 194.0],
                [0.762, 0.17, 146.0],
                [0.92, 0.19, 106.0],
            ],
            MapName::Ember => {
                &[[0.12, 0.05, 300.0], [0.33, 0.17, 330.0], [0.54, 0.20, 20.0], [0.75, 0.17, 58.0], [0.96, 0.08, 102.0]]
            }
            MapName::Slate => &[
                [0.25, 0.09, 258.0],
                [0.41, 0.04, 262.0],
                [0.57, 0.01, 130.0],
                [0.73, 0.08, 98.0],
                [0.89, 0.16, 100.0],
            ],
            MapName::Rainbow => &[
                [0.38, 0.19, 280.0],
                [0.60, 0.16, 250.0],
                [0.78, 0.13, 195.0],
                [0.88, 0.20, 135.0],
                [0.86, 0.17, 95.0],
                [0.68, 0.19, 50.0],
                [0.45, 0.17, 28.0],
            ],
            MapName::Balance => {
                &[[0.42, 0.15, 262.0], [0.68, 0.10, 250.0], [0.96, 0.0, 0.0], [0.68, 0.14, 35.0], [0.42, 0.17, 25.0]]
            }
        }
    }
}

impl fmt::Display for MapName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

impl FromStr for MapName {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        MapName::ALL.into_iter().find(|map| map.name() == name).ok_or_else(|| {
            let names = MapName::ALL.map(MapName::name).join(", ");
            format!("there is no colour map of that name; there are {names}")
        })
    }
}

/// A colour map, ready for use.
#[derive(Clone, Debug)]
pub struct ColourMap {
    steps: Vec<Colour>,
}

impl ColourMap {
    /// The map of that name.
    pub fn new(name: MapName) -> ColourMap {
        let colours: Vec<[f32; 3]> = name.colours().iter().map(|colour| rectangular(*colour)).collect();
        let step = |k: usize| shown(curve(&colours, k as f32 / (STEPS - 1) as f32));
        ColourMap { steps: (0..STEPS).map(step).collect() }
    }

    /// The colour of a share from 0 to 1; beyond, that of the nearer end.
    pub fn colour(&self, share: f32) -> Colour {
        if share.is_nan() {
            return MISSING;
        }
        let place = share.clamp(0.0, 1.0) * (STEPS - 1) as f32;
        let below = (place as usize).min(STEPS - 2);
        self.steps[below].lerp(self.steps[below + 1], place - below as f32)
    }
}

/// The colour of one of several kinds: neighbours in number differ most.
pub fn kind_colour(kind: u32) -> Colour {
    // The golden angle never comes back to a hue; lightness takes turns as well.
    let hue = (250.0 + 137.508 * kind as f32) % 360.0;
    let lightness = [0.62, 0.74, 0.54][kind as usize % 3];
    shown(rectangular([lightness, 0.14, hue]))
}

/// Lightness and the two colour axes from lightness, chroma and hue [degrees].
fn rectangular([lightness, chroma, hue]: [f32; 3]) -> [f32; 3] {
    let (sin, cos) = (hue * PI / 180.0).sin_cos();
    [lightness, chroma * cos, chroma * sin]
}

/// The smooth curve through equally spaced points (Catmull and Rom), at a share of its length.
fn curve(points: &[[f32; 3]], share: f32) -> [f32; 3] {
    let last = points.len() as isize - 1;
    let place = share * last as f32;
    let below = (place as isize).clamp(0, last - 1);
    let s = place - below as f32;
    // Beyond its ends the curve goes straight on.
    let point = |k: isize| -> [f32; 3] {
        std::array::from_fn(|axis| match k {
            k if k < 0 => 2.0 * points[0][axis] - points[1][axis],
            k if k > last => 2.0 * points[last as usize][axis] - points[last as usize - 1][axis],
            k => points[k as usize][axis],
        })
    };
    let [a, b, c, d] = [-1, 0, 1, 2].map(|offset| point(below + offset));
    std::array::from_fn(|axis| {
        let (a, b, c, d) = (a[axis], b[axis], c[axis], d[axis]);
        b + 0.5 * s * (c - a + s * (2.0 * a - 5.0 * b + 4.0 * c - d + s * (3.0 * (b - c) + d - a)))
    })
}

/// The colour as a screen can show it: paler if need be, never lighter or darker.
fn shown([lightness, green_red, blue_yellow]: [f32; 3]) -> Colour {
    let at = |share: f32| from_perceived(lightness, share * green_red, share * blue_yellow);
    let fits = |colour: Colour| colour.min_element() >= -1e-4 && colour.max_element() <= 1.0 + 1e-4;
    let (mut low, mut high) = (0.0, 1.0);
    if !fits(at(1.0)) {
        for _ in 0..20 {
            let middle = 0.5 * (low + high);
            if fits(at(middle)) { low = middle } else { high = middle }
        }
        high = low;
    }
    at(high).clamp(Colour::ZERO, Colour::ONE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::colour::luminance;

    /// What is even in Ott20's space, near enough: the cube root of the luminance.
    fn lightness(colour: Colour) -> f32 {
        luminance(colour).cbrt()
    }

    #[test]
    fn lightness_rises_along_sequential_maps_and_evenly() {
        for name in [MapName::Ocean, MapName::Meadow, MapName::Ember, MapName::Slate] {
            let map = ColourMap::new(name);
            let values: Vec<f32> = (0..=10).map(|k| lightness(map.colour(k as f32 / 10.0))).collect();
            let steps: Vec<f32> = values.windows(2).map(|pair| pair[1] - pair[0]).collect();
            let mean = (values[10] - values[0]) / 10.0;
            assert!(steps.iter().all(|step| (0.4..1.6).contains(&(step / mean))), "{name}: {steps:?}");
        }
    }

    #[test]
    fn balance_is_lightest_in_its_middle() {
        let map = ColourMap::new(MapName::Balance);
        let [low, middle, high] = [0.0, 0.5, 1.0].map(|share| map.colour(share));
        assert!(lightness(middle) > 0.9 && (lightness(low) - lightness(high)).abs() < 0.06);
        assert!(low.z > 2.0 * low.x && high.x > 2.0 * high.z);
    }

    #[test]
    fn ends_hold_beyond_and_what_is_no_number_stands_out() {
        for name in MapName::ALL {
            let map = ColourMap::new(name);
            assert_eq!(map.colour(-3.0), map.colour(0.0));
            assert_eq!(map.colour(f32::INFINITY), map.colour(1.0));
            assert_eq!(map.colour(f32::NAN), MISSING);
            assert!((0..=100).all(|k| (map.colour(k as f32 / 100.0) - MISSING).length() > 0.1), "{name}");
            assert_eq!(name.name().parse(), Ok(name));
        }
        assert!("viridis".parse::<MapName>().unwrap_err().contains("meadow"));
    }

    #[test]
    fn kinds_that_follow_each_other_differ() {
        for kind in 0..30 {
            for other in 0..4 {
                let distance = (kind_colour(kind) - kind_colour(kind + 1 + other)).length();
                assert!(distance > 0.15, "{kind} and {}: {distance}", kind + 1 + other);
            }
        }
    }
}

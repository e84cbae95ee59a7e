//! Many copies of a shape: in a grid, or scattered.

use std::f64::consts::TAU;
use std::sync::Arc;

use glam::{DQuat, DVec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::place::Placed;
use super::surface::{gradient, surface_point};
use super::{Shape, Solid};
use crate::Vector;
use crate::near::Near;
use crate::random::Random;

/// Copies of a shape.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Repeat {
    /// Row by row; the first copy is where the shape is.
    Grid(Grid),
    /// At random places.
    Scatter(Scatter),
}

/// Copies in rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Grid {
    /// The shape.
    pub shape: Box<Shape>,
    /// Copies along each axis, the shape itself included.
    #[schemars(inner(range(min = 1, max = 100_000)))]
    pub count: [u32; 3],
    /// From one copy to the next along each axis [m].
    pub step: Vector,
}

/// Copies at random places.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scatter {
    /// The shape. Its origin comes to the place of the copy, and its y axis points out of the surface of `on`.
    pub shape: Box<Shape>,
    /// How many copies.
    #[schemars(range(min = 1, max = 100_000))]
    pub count: u32,
    /// The shape in which their places are. Give this or `on`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<Box<Shape>>,
    /// The shape on whose surface their places are. Give this or `within`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<Box<Shape>>,
    /// Least distance between two places [m].
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub apart: f64,
    /// The smallest and the largest scale of a copy [-].
    #[serde(default = "unscaled")]
    #[schemars(inner(range(min = 1e-6, max = 1e6)))]
    pub scale: [f64; 2],
    /// Every copy is turned by a random rotation: any `within` a shape, about its y axis `on` a surface.
    #[serde(default = "yes")]
    pub turn: bool,
    /// Start of the random numbers.
    #[serde(default)]
    pub seed: u32,
}

fn unscaled() -> [f64; 2] {
    [1.0; 2]
}

fn yes() -> bool {
    true
}

impl Grid {
    /// How many copies.
    pub(super) fn copies(&self) -> f64 {
        self.count.iter().map(|&count| f64::from(count)).product()
    }

    pub(super) fn place(&self, solid: &Arc<dyn Solid>) -> Vec<Arc<dyn Solid>> {
        let [nx, ny, nz] = self.count;
        let cells = (0..nx).flat_map(|x| (0..ny).flat_map(move |y| (0..nz).map(move |z| [x, y, z])));
        let step = DVec3::from_array(self.step);
        cells
            .map(|cell| {
                let origin = DVec3::from_array(cell.map(f64::from)) * step;
                Arc::new(Placed::moved(Arc::clone(solid), origin)) as Arc<dyn Solid>
            })
            .collect()
    }
}

/// Where copies may be: in a solid, or on its surface.
pub(super) enum Places<'a> {
    Within(&'a dyn Solid),
    On(&'a dyn Solid),
}

/// Tries in all, and for each copy, before it is taken that there is no more room.
const PLACEMENTS: (usize, usize) = (20_000, 200);

impl Scatter {
    /// As many copies as find room; fewer than `count` if there is no more. The box of `places` must be finite.
    pub(super) fn place(&self, solid: &Arc<dyn Solid>, places: &Places<'_>, seed: u32) -> Vec<Arc<dyn Solid>> {
        let mut random = Random::new((u64::from(seed) << 32) ^ u64::from(self.seed));
        let mut taken = Near::new(self.apart);
        let mut copies: Vec<Arc<dyn Solid>> = Vec::new();
        for _ in 0..PLACEMENTS.0 + PLACEMENTS.1 * self.count as usize {
            if copies.len() == self.count as usize {
                break;
            }
            let Some((place, upright)) = draw(places, &mut random) else { continue };
            if self.apart > 0.0 {
                if taken.has_any(place) {
                    continue;
                }
                taken.add(place);
            }
            let spin = match (self.turn, places) {
                (false, _) => DQuat::IDENTITY,
                (true, Places::Within(_)) => random.rotation(),
                (true, Places::On(_)) => DQuat::from_rotation_y(TAU * random.unit()),
            };
            let scale = random.between(self.scale[0], self.scale[1]);
            copies.push(Arc::new(Placed::new(Arc::clone(solid), DVec3::splat(scale), upright * spin, place)));
        }
        copies
    }
}

/// A random place, if the one that is drawn will do, and the rotation that stands a copy upright there.
fn draw(places: &Places<'_>, random: &mut Random) -> Option<(DVec3, DQuat)> {
    match places {
        Places::Within(solid) => {
            let bounds = solid.bounds();
            let place = random.point(bounds.min, bounds.max);
            (solid.distance(place) < 0.0).then_some((place, DQuat::IDENTITY))
        }
        Places::On(solid) => {
            // What is in a thin layer about the surface is there as often as the surface is large.
            let bounds = solid.bounds();
            let size = (bounds.max - bounds.min).max_element();
            let bounds = bounds.grown(LAYER * size);
            let near = random.point(bounds.min, bounds.max);
            let place =
                (solid.distance(near).abs() < LAYER * size).then(|| surface_point(*solid, near, 1e-7 * size))??;
            let outwards = gradient(*solid, place, 1e-5 * size).try_normalize()?;
            Some((place, DQuat::from_rotation_arc(DVec3::Y, outwards)))
        }
    }
}

/// Thickness of the layer about a surface, in its size.
const LAYER: f64 = 0.01;

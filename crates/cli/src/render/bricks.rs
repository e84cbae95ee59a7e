//! Distances to an outline, looked up instead of computed: rays ask for millions.
//!
//! The box around the outline is divided into bricks. Those that the outline may be in, which a distance at their centre
//! tells, hold distances on a little grid; between its points they are interpolated. The others are empty, and skipped.

use rayon::prelude::*;
use thixo_render::{Bounds, Vec3};
use thixo_scene::Outline;

/// Bricks along each axis.
const BRICKS: usize = 32;
/// Points of the grid of a brick along each axis.
const POINTS: usize = 5;

/// The bricks that an outline is in.
#[derive(Debug)]
pub(super) struct Bricks {
    within: Bounds,
    /// For each brick its place among those that are kept.
    places: Vec<Option<u32>>,
    boxes: Vec<Bounds>,
    values: Vec<[f32; POINTS * POINTS * POINTS]>,
}

impl Bricks {
    /// Of an outline in a finite box.
    pub(super) fn new(outline: &Outline, within: Bounds) -> Bricks {
        let distance = |point: Vec3| outline.distance(point.as_dvec3().to_array()) as f32;
        let edge = (within.high - within.low) / BRICKS as f32;
        let low = |k: usize| {
            let cell = Vec3::new((k % BRICKS) as f32, (k / BRICKS % BRICKS) as f32, (k / BRICKS / BRICKS) as f32);
            within.low + cell * edge
        };
        // Distances are never overestimated: what is farther than half a diagonal is in another brick.
        let is_near = |&k: &usize| distance(low(k) + 0.5 * edge) <= 0.501 * edge.length();
        let kept: Vec<usize> = (0..BRICKS * BRICKS * BRICKS).into_par_iter().filter(is_near).collect();
        let mut places = vec![None; BRICKS * BRICKS * BRICKS];
        for (place, &k) in kept.iter().enumerate() {
            places[k] = Some(place as u32);
        }
        let boxes = kept.iter().map(|&k| Bounds { low: low(k), high: low(k) + edge }).collect();
        let step = edge / (POINTS - 1) as f32;
        let fill = |&k: &usize| {
            std::array::from_fn(|p| {
                let point = [p % POINTS, p / POINTS % POINTS, p / POINTS / POINTS].map(|x| x as f32);
                distance(low(k) + Vec3::from_array(point) * step)
            })
        };
        let values = kept.par_iter().map(fill).collect();
        Bricks { within, places, boxes, values }
    }

    /// Boxes that hold all of the outline.
    pub(super) fn boxes(&self) -> &[Bounds] {
        &self.boxes
    }

    /// The distance to the outline, roughly, unless the point is in none of the boxes.
    pub(super) fn distance(&self, point: Vec3) -> Option<f32> {
        let size = self.within.high - self.within.low;
        let at = (point - self.within.low) / size * BRICKS as f32;
        let cell = at.floor();
        if !(cell.cmpge(Vec3::ZERO) & cell.cmplt(Vec3::splat(BRICKS as f32))).all() {
            return None;
        }
        let brick = cell.x as usize + BRICKS * (cell.y as usize + BRICKS * cell.z as usize);
        let values = &self.values[self.places[brick]? as usize];
        let at = (at - cell) * (POINTS - 1) as f32;
        let corner = at.floor().min(Vec3::splat((POINTS - 2) as f32));
        let share = at - corner;
        let first = corner.x as usize + POINTS * (corner.y as usize + POINTS * corner.z as usize);
        let mix = |a: f32, b: f32, share: f32| a + (b - a) * share;
        let along_x = |k: usize| mix(values[k], values[k + 1], share.x);
        let across = |k: usize| mix(along_x(k), along_x(k + POINTS), share.y);
        Some(mix(across(first), across(first + POINTS * POINTS), share.z))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use thixo_scene::Scene;

    #[test]
    fn distances_are_those_of_the_outline_and_no_part_of_it_is_left_out() {
        let text = r#"
            [world]
            spacing = 0.1
            [time]
            end = 1.0
            [materials.water]
            density = 1000.0
            [[bodies]]
            name = "drop"
            material = "water"
            shape.sphere = { centre = [5.0, 0.0, 0.0], radius = 0.3 }
            [[walls]]
            name = "ring"
            shape.torus = { centre = [0.1, 0.2, 0.3], axis = [0.0, 1.0, 0.0], radius = 1.0, tube_radius = 0.3 }
        "#;
        let scene = Scene::read("ring.toml", text, &[]).unwrap();
        let outline = scene.outline(&scene.walls[0].shape).unwrap();
        let [low, high] = outline.bounds().map(|corner| Vec3::from_array(corner.map(|x| x as f32)));
        let bricks = Bricks::new(&outline, Bounds { low, high });
        assert!(bricks.boxes().len() < BRICKS * BRICKS * BRICKS);
        let mut asked = 0;
        for k in 0..40_000u32 {
            let digit = |factor: u32| (k.wrapping_mul(factor) >> 8) as f32 / (1 << 24) as f32;
            let point = low + (high - low) * Vec3::new(digit(2654435761), digit(2246822519), digit(3266489917));
            let exact = outline.distance(point.as_dvec3().to_array()) as f32;
            match bricks.distance(point) {
                // Deep inside, where it is equally far to all sides, distances have an edge.
                Some(distance) if exact > -0.2 => {
                    assert!((distance - exact).abs() < 2e-3, "{point}: {distance} for {exact}")
                }
                Some(distance) => assert!(distance < -0.19, "{point}: {distance} for {exact}"),
                None => assert!(exact > 0.0, "{point}: {exact}"),
            }
            asked += usize::from(bricks.distance(point).is_some());
        }
        assert!(asked > 4000);
        assert_eq!(bricks.distance(high + Vec3::ONE), None);
    }
}

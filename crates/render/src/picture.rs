//! What is to be seen, and the drawing of it: tiles of pixels, each pixel on its own.

use std::cmp::Ordering;

use glam::Vec2;
use rayon::prelude::*;

use crate::camera::{Camera, Rays};
use crate::clear::Clear;
use crate::colour::{Colour, film, luminance};
use crate::image::{Image, ImageError, Size};
use crate::light::{Ground, Light};
use crate::ray::Bounds;
use crate::sampling::{Purpose, Sampler};
use crate::shapes::Shape;
use crate::tracer::Tracer;

/// Pixels along the side of a tile: neighbouring rays meet the same things.
const TILE: u32 = 16;

/// Everything that is to be seen.
pub struct Picture {
    pub(crate) things: Vec<Thing>,
    /// What things stand on, if anything.
    pub ground: Option<Ground>,
    /// What lights them.
    pub light: Light,
    /// How much work goes into a pixel.
    pub quality: Quality,
}

/// A shape and how it looks.
pub(crate) struct Thing {
    pub(crate) shape: Box<dyn Shape>,
    pub(crate) finish: Finish,
}

/// How a shape looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Finish {
    /// It sends light of its colour everywhere.
    Matte,
    /// As matte, but seen from within only, and without a shadow: a tank that does not hide what is in it.
    Shell,
    /// It is a drawn line: neither lit nor in anyone's light.
    Line,
    /// Light goes through it.
    Clear(Clear),
}

/// How much work goes into a pixel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quality {
    /// Samples of every pixel.
    pub least: u32,
    /// Samples of a pixel whose samples differ.
    pub most: u32,
    /// Below this error of its mean a pixel needs no more samples; white is 1.
    pub good: f32,
}

impl Default for Quality {
    fn default() -> Self {
        Quality { least: 4, most: 24, good: 0.007 }
    }
}

impl Picture {
    /// A picture of nothing but the sky.
    pub fn new(light: Light) -> Picture {
        Picture { things: Vec::new(), ground: None, light, quality: Quality::default() }
    }

    /// Adds a shape.
    pub fn add(&mut self, shape: impl Shape + 'static, finish: Finish) {
        self.things.push(Thing { shape: Box::new(shape), finish });
    }

    /// Around everything but the ground.
    pub fn bounds(&self) -> Bounds {
        self.things.iter().fold(Bounds::EMPTY, |bounds, thing| bounds.union(thing.shape.bounds()))
    }

    /// Draws it. The same picture for any number of threads.
    pub fn draw(&self, camera: &Camera, size: Size) -> Result<Image, ImageError> {
        size.check()?;
        if !camera.is_sound() {
            return Err(ImageError::Camera);
        }
        let (tracer, rays) = (Tracer::new(self), camera.rays(size.aspect()));
        let (columns, rows) = (size.width.div_ceil(TILE), size.height.div_ceil(TILE));
        let tiles: Vec<Vec<Colour>> = (0..columns * rows)
            .into_par_iter()
            .map(|tile| {
                let (left, top) = (tile % columns * TILE, tile / columns * TILE);
                let (right, bottom) = ((left + TILE).min(size.width), (top + TILE).min(size.height));
                let pixels = (top..bottom).flat_map(|y| (left..right).map(move |x| (x, y)));
                pixels.map(|(x, y)| self.pixel(&tracer, &rays, size, x, y)).collect()
            })
            .collect();
        Ok(Image::from_pixels(size, |x, y| {
            let (tile, width) = (y / TILE * columns + x / TILE, TILE.min(size.width - x / TILE * TILE));
            tiles[tile as usize][(y % TILE * width + x % TILE) as usize]
        }))
    }

    /// The colour of a pixel: the mean of its samples as film shows them, so that one glaring sample stays one.
    fn pixel(&self, tracer: &Tracer<'_>, rays: &Rays, size: Size, x: u32, y: u32) -> Colour {
        let sampler = Sampler::new(x, y);
        let (mut sum, mut brightness, mut squares) = (Colour::ZERO, 0.0, 0.0);
        let mut taken = 0;
        while taken < self.quality.most.max(1) {
            let sampler = sampler.at(taken);
            let place = Vec2::new(x as f32, y as f32) + sampler.point(Purpose::Pixel);
            let share = 2.0 * place / Vec2::new(size.width as f32, size.height as f32) - Vec2::ONE;
            let colour = film(tracer.light_along(&rays.through(Vec2::new(share.x, -share.y)), sampler));
            let value = luminance(colour).sqrt();
            sum += colour;
            brightness += value;
            squares += value * value;
            taken += 1;
            if taken >= self.quality.least && taken % 4 == 0 {
                let count = taken as f32;
                let variance = (squares / count - (brightness / count).powi(2)).max(0.0);
                if (variance / count).sqrt().partial_cmp(&self.quality.good) == Some(Ordering::Less) {
                    break;
                }
            }
        }
        sum / taken as f32
    }
}

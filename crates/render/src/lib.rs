//! Pictures of particles and surfaces, drawn by the processor.
//!
//! A [`Picture`] holds [shapes](Shape) with a [`Finish`] each, on a [`Ground`] and in a [`Light`]; a [`Camera`] draws
//! it into an [`Image`]. Sampling is deterministic: the same bits for any number of threads.
//!
//! ```
//! use thixo_render::{Bounds, Camera, ColourMap, Finish, Light, MapName, Picture, Size, Spheres, Vec3};
//!
//! let centres = [Vec3::ZERO, Vec3::X, Vec3::Y];
//! let map = ColourMap::new(MapName::Ocean);
//! let colours = [0.0, 0.5, 1.0].map(|share| map.colour(share));
//! let mut picture = Picture::new(Light::studio(-Vec3::Z, Vec3::Y));
//! picture.add(Spheres::new(&centres, 0.5, &colours), Finish::Matte);
//! let size = Size { width: 64, height: 36 };
//! let camera = Camera::framing(&picture.bounds(), -Vec3::Z, Vec3::Y, 30.0, size.aspect());
//! let mut file = Vec::new();
//! picture.draw(&camera, size)?.write_png(&mut file, "")?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bvh;
mod camera;
mod clear;
mod colour;
mod colour_map;
mod film;
mod image;
mod legend;
mod light;
mod picture;
pub mod plot;
mod ray;
mod sampling;
mod shapes;
mod text;
mod tracer;

pub use camera::{Camera, View};
pub use clear::{Clear, reflect, reflectance, refract};
pub use colour::{Colour, from_screen, to_screen};
pub use colour_map::{ColourMap, MISSING, MapName, kind_colour};
#[cfg(feature = "mp4")]
pub use film::write_mp4;
pub use film::{Reel, write_gif};
pub use glam::Vec3;
pub use image::{Image, ImageError, Size};
pub use legend::Legend;
pub use light::{Ground, Light};
pub use picture::{Finish, Picture, Quality};
pub use ray::{Bounds, Ray};
pub use shapes::{Discs, Field, Hit, Level, Mesh, Rods, Shape, Spheres, Stride};

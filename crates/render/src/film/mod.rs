//! Films: pictures one after another.

mod gif;
#[cfg(feature = "mp4")]
mod mp4;
mod palette;

use std::io;

use crate::image::Image;

pub use self::gif::write_gif;
#[cfg(feature = "mp4")]
pub use self::mp4::write_mp4;

/// The pictures of a film, which is longer than memory may be: each is made, or read, when it is wanted.
pub struct Reel<'a> {
    /// How many there are.
    pub count: usize,
    /// How many are shown per second [1/s].
    pub fps: f64,
    /// The picture of that number. All have the same size.
    pub picture: &'a (dyn Fn(usize) -> io::Result<Image> + Sync),
}

impl Reel<'_> {
    /// The same, shown at no more than `fastest` pictures per second: every second one, or every third, ...
    pub(crate) fn every(&self, fastest: f64) -> usize {
        let step = (self.fps / fastest - 1e-9).ceil();
        // Casts end at the limits of their types.
        (step as usize).max(1)
    }
}

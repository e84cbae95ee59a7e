//! Text in pictures, in Noto Sans Mono.

use noto_sans_mono_bitmap::{FontWeight, RasterHeight, RasterizedChar, get_raster, get_raster_width};

use crate::colour::Colour;
use crate::image::Image;

/// How large text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Font(RasterHeight);

impl Font {
    /// Of a size that suits a picture of that height.
    pub(crate) fn for_height(height: u32) -> Font {
        Font(match height {
            0..1000 => RasterHeight::Size16,
            1000..1500 => RasterHeight::Size24,
            _ => RasterHeight::Size32,
        })
    }

    /// From one line to the next [pixels].
    pub(crate) fn height(self) -> i64 {
        self.0.val() as i64
    }

    /// How long a text is [pixels].
    pub(crate) fn width(self, text: &str) -> i64 {
        (text.chars().count() * get_raster_width(FontWeight::Regular, self.0)) as i64
    }

    /// Writes a text that begins at x and whose line begins at y.
    pub(crate) fn write(self, image: &mut Image, x: i64, y: i64, text: &str, colour: Colour) {
        let step = get_raster_width(FontWeight::Regular, self.0) as i64;
        for (glyph, k) in text.chars().filter_map(|letter| glyph(letter, self.0)).zip(0..) {
            for (row, line) in (y..).zip(glyph.rows()) {
                for (column, &ink) in (x + k * step..).zip(line) {
                    image.blend(column, row, colour, f32::from(ink) / 255.0);
                }
            }
        }
    }
}

/// A letter; a question mark for one that the font lacks.
fn glyph(letter: char, height: RasterHeight) -> Option<RasterizedChar> {
    let of = |letter| get_raster(letter, FontWeight::Regular, height);
    of(letter).or_else(|| of('?'))
}

//! Finished pictures, and files of them.

use std::io::{self, Write};

use crate::colour::{Colour, from_screen, to_screen};

/// Most pixels along a side.
const LONGEST: u32 = 16_384;
/// The key of the text in a PNG file that says what it was made of.
const SOURCE: &str = "Source";
/// Most pixels in all.
const MOST: u64 = 1 << 26;

/// Width and height in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// From left to right.
    pub width: u32,
    /// From top to bottom.
    pub height: u32,
}

impl Default for Size {
    fn default() -> Self {
        Size { width: 1280, height: 720 }
    }
}

impl Size {
    /// Can there be a picture of that size?
    pub fn check(self) -> Result<(), ImageError> {
        let Size { width, height } = self;
        let is_sound = (1..=LONGEST).contains(&width) && (1..=LONGEST).contains(&height);
        let fits = u64::from(width) * u64::from(height) <= MOST;
        if is_sound && fits { Ok(()) } else { Err(ImageError::Size(self)) }
    }

    /// Width over height.
    pub fn aspect(self) -> f32 {
        self.width as f32 / self.height.max(1) as f32
    }
}

/// Why there is no picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ImageError {
    /// It would be empty or too large.
    #[error(
        "there is no picture of {}x{} pixels; a side may have 1 to {LONGEST}, and all together {MOST}",
        .0.width,
        .0.height
    )]
    Size(Size),
    /// The camera stands or looks nowhere.
    #[error("the camera must stand at one place and look at another, both finite")]
    Camera,
}

/// A finished picture: three bytes per pixel, from the upper left corner on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    size: Size,
    bytes: Vec<u8>,
}

impl Image {
    /// The picture with the given colour, from 0 to 1, at each place. Its size must be sound.
    pub(crate) fn from_pixels(size: Size, colour: impl Fn(u32, u32) -> Colour) -> Image {
        let pixels = (0..size.height).flat_map(|y| (0..size.width).map(move |x| (x, y)));
        Image { size, bytes: pixels.flat_map(|(x, y)| to_screen(colour(x, y))).collect() }
    }

    /// Its size.
    pub fn size(&self) -> Size {
        self.size
    }

    /// Three bytes per pixel, row after row.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The three bytes of a pixel; `None` outside.
    pub fn pixel(&self, x: u32, y: u32) -> Option<[u8; 3]> {
        self.bytes.get(self.place(x, y)?..)?.first_chunk().copied()
    }

    /// Puts a colour over a pixel, which shows through where `share` is below 1. Outside nothing happens.
    pub(crate) fn blend(&mut self, x: i64, y: i64, colour: Colour, share: f32) {
        let place = u32::try_from(x).ok().zip(u32::try_from(y).ok()).and_then(|(x, y)| self.place(x, y));
        let pixel = place.and_then(|place| self.bytes.get_mut(place..)).and_then(|bytes| bytes.first_chunk_mut());
        if let Some(pixel) = pixel {
            *pixel = to_screen(from_screen(*pixel).lerp(colour, share.clamp(0.0, 1.0)));
        }
    }

    fn place(&self, x: u32, y: u32) -> Option<usize> {
        let Size { width, height } = self.size;
        (x < width && y < height).then(|| 3 * (y as usize * width as usize + x as usize))
    }

    /// The same, not wider than that: each pixel is the mean of those it stands for.
    pub fn shrunk(&self, widest: u32) -> Image {
        let Size { width, height } = self.size;
        if width <= widest.max(1) {
            return self.clone();
        }
        let scale = f64::from(widest.max(1)) / f64::from(width);
        let size = Size { width: widest.max(1), height: ((f64::from(height) * scale).round() as u32).max(1) };
        let columns = shares(width, size.width);
        let rows = shares(height, size.height);
        Image::from_pixels(size, |x, y| {
            let (mut sum, mut weight) = (Colour::ZERO, 0.0);
            for &(row, tall) in &rows[y as usize] {
                for &(column, wide) in &columns[x as usize] {
                    let place = 3 * (row as usize * width as usize + column as usize);
                    let pixel = self.bytes.get(place..).and_then(|bytes| bytes.first_chunk());
                    sum += tall * wide * pixel.map_or(Colour::ZERO, |pixel| from_screen(*pixel));
                    weight += tall * wide;
                }
            }
            sum / weight
        })
    }

    /// Writes it as a PNG file that says what it was made of.
    pub fn write_png(&self, out: impl Write, source: &str) -> io::Result<()> {
        let mut encoder = png::Encoder::new(out, self.size.width, self.size.height);
        if !source.is_empty() {
            // Text in PNG files is Latin-1 without control characters.
            let plain = |letter: char| if matches!(letter, ' '..='~') { letter } else { '?' };
            encoder.add_text_chunk(SOURCE.into(), source.chars().map(plain).collect())?;
        }
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        encoder.set_compression(png::Compression::Balanced);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.bytes)?;
        writer.finish()?;
        Ok(())
    }

    /// What a PNG file says it was made of, if it does.
    pub fn read_source(input: impl io::BufRead + io::Seek) -> Option<String> {
        let reader = png::Decoder::new(input).read_info().ok()?;
        let texts = &reader.info().uncompressed_latin1_text;
        texts.iter().find(|text| text.keyword == SOURCE).map(|text| text.text.clone())
    }

    /// Reads a PNG file as [`write_png`](Self::write_png) writes it.
    pub fn read_png(input: impl io::BufRead + io::Seek) -> io::Result<Image> {
        let foreign = || io::Error::new(io::ErrorKind::InvalidData, "it is no picture of this program");
        let mut reader = png::Decoder::new(input).read_info().map_err(|_| foreign())?;
        let (info, length) = (reader.info(), reader.output_buffer_size());
        let size = Size { width: info.width, height: info.height };
        let is_ours = info.color_type == png::ColorType::Rgb && info.bit_depth == png::BitDepth::Eight;
        if size.check().is_err() || !is_ours {
            return Err(foreign());
        }
        let mut bytes = vec![0; length.unwrap_or(0)];
        reader.next_frame(&mut bytes).map_err(|_| foreign())?;
        Ok(Image { size, bytes })
    }
}

/// Which of `many` pixels each of `few` stands for, and with which share.
fn shares(many: u32, few: u32) -> Vec<Vec<(u32, f32)>> {
    let scale = f64::from(many) / f64::from(few);
    let one = |k: u32| {
        let (low, high) = (f64::from(k) * scale, f64::from(k + 1) * scale);
        let covered = (low as u32..(high.ceil() as u32).min(many)).map(|pixel| {
            let share = high.min(f64::from(pixel + 1)) - low.max(f64::from(pixel));
            (pixel, share as f32)
        });
        covered.collect()
    };
    (0..few).map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absurd_sizes_are_refused() {
        let size = |width, height| Size { width, height }.check();
        assert!(size(1, 1).is_ok() && size(16_384, 4096).is_ok());
        for (width, height) in [(0, 0), (0, 9), (9, 0), (16_385, 1), (16_384, 16_384), (u32::MAX, u32::MAX)] {
            assert!(size(width, height).is_err(), "{width} x {height}");
        }
    }

    #[test]
    fn picture_survives_its_file() {
        let image =
            Image::from_pixels(Size { width: 5, height: 3 }, |x, y| Colour::new(0.2 * x as f32, 0.3 * y as f32, 0.5));
        let mut file = Vec::new();
        image.write_png(&mut file, "frames/3 of Zoë\n").unwrap();
        assert_eq!(Image::read_png(io::Cursor::new(&file)).unwrap(), image);
        assert_eq!(Image::read_source(io::Cursor::new(&file)).unwrap(), "frames/3 of Zo??");
        assert_eq!(Image::read_source(io::Cursor::new(b"junk")), None);
        for length in 0..file.len() {
            assert!(Image::read_png(io::Cursor::new(&file[..length])).is_err() || length > file.len() - 16);
        }
    }

    #[test]
    fn shrunk_pixels_are_means() {
        let image = Image::from_pixels(Size { width: 4, height: 2 }, |x, _| Colour::splat((x % 2) as f32));
        let small = image.shrunk(2);
        assert_eq!((small.size(), small.bytes()), (Size { width: 2, height: 1 }, &[188; 6][..]));
        assert_eq!(image.shrunk(9), image);
        // Three pixels to two: the middle one is halved. The mean of 0 and half of 1 is a third.
        let odd = Image::from_pixels(Size { width: 3, height: 1 }, |x, _| Colour::splat((x % 2) as f32)).shrunk(2);
        assert_eq!(odd.bytes(), [to_screen(Colour::splat(1.0 / 3.0)); 2].concat());
    }

    #[test]
    fn blending_stays_inside() {
        let mut image = Image::from_pixels(Size { width: 2, height: 2 }, |_, _| Colour::ZERO);
        for (x, y) in [(-1, 0), (2, 0), (0, 2), (i64::MAX, i64::MIN)] {
            image.blend(x, y, Colour::ONE, 1.0);
        }
        assert!(image.bytes().iter().all(|&byte| byte == 0));
        image.blend(1, 0, Colour::ONE, 0.5);
        assert_eq!((image.pixel(1, 0), image.pixel(0, 0), image.pixel(2, 0)), (Some([188; 3]), Some([0; 3]), None));
    }
}

//! Films as GIF: one palette for all pictures, and of each only what has changed.

use std::borrow::Cow;
use std::io::{self, Write};

use gif::{DisposalMethod, Encoder, Frame, Repeat};

use super::Reel;
use super::palette::{Histogram, Palette};
use crate::image::{Image, Size};

/// Wider pictures are shrunk: a film is for looking at, pictures are for looking closely.
const WIDEST: u32 = 640;
/// Browsers show nothing faster [1/s].
const FASTEST: f64 = 50.0;
/// Pictures that are looked at for the palette.
const LOOKED_AT: usize = 16;
/// Stands for "as before".
const UNCHANGED: u8 = 255;

/// Writes a film, which begins again after its end. Where there are more than 50 pictures per second some are left out;
/// it takes as long as it should.
pub fn write_gif(out: impl Write, reel: &Reel<'_>) -> io::Result<()> {
    let step = reel.every(FASTEST);
    let shown = reel.count.div_ceil(step);
    let picture = |k: usize| (reel.picture)(k * step).map(|image| image.shrunk(WIDEST));
    let mut histogram = Histogram::new();
    for k in (0..shown).step_by(shown.div_ceil(LOOKED_AT).max(1)) {
        histogram.add(&picture(k)?);
    }
    let palette = histogram.palette();
    let Some(first) = (shown > 0).then(|| picture(0)).transpose()? else { return Ok(()) };
    let size = first.size();
    let [width, height] = [size.width, size.height].map(|side| u16::try_from(side).map_err(|_| too_large()));
    let colours: Vec<u8> = palette.colours.iter().flatten().copied().collect();
    let mut encoder = Encoder::new(out, width?, height?, &colours).map_err(io::Error::other)?;
    encoder.set_repeat(Repeat::Infinite).map_err(io::Error::other)?;
    // Times in hundredths of a second, rounded where they fall and not one by one: the film keeps its length.
    let time = |k: usize| (100.0 * (k * step) as f64 / reel.fps).round() as u64;
    let mut before = Vec::new();
    for k in 0..shown {
        let delay = (time(k + 1) - time(k)).try_into().unwrap_or(u16::MAX);
        let image = picture(k)?;
        if image.size() != size {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the pictures differ in size"));
        }
        let frame = change(&image, &palette, &mut before, delay);
        encoder.write_frame(&frame).map_err(io::Error::other)?;
    }
    Ok(())
}

fn too_large() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "the picture is too large for a GIF")
}

/// The smallest rectangle that has changed, with the pixels that have not left as they are.
fn change(image: &Image, palette: &Palette, before: &mut Vec<u8>, delay: u16) -> Frame<'static> {
    let Size { width, .. } = image.size();
    let indices: Vec<u8> = image.bytes().as_chunks().0.iter().map(|&pixel| palette.index(pixel)).collect();
    let is_new = |k: usize| before.get(k) != Some(&indices[k]);
    let changed = || (0..indices.len()).filter(|&k| is_new(k)).map(|k| (k as u32 % width, k as u32 / width));
    // A frame without pixels is none: if nothing has changed, the first pixel stands in.
    let corner = changed().next().unwrap_or((0, 0));
    let limits = changed().fold([corner.0, corner.1, corner.0, corner.1], |[left, top, right, bottom], (x, y)| {
        [left.min(x), top.min(y), right.max(x), bottom.max(y)]
    });
    let [left, top, right, bottom] = limits;
    let places = (top..=bottom).flat_map(|y| (left..=right).map(move |x| (y * width + x) as usize));
    let pixels: Vec<u8> = places.map(|k| if is_new(k) { indices[k] } else { UNCHANGED }).collect();
    *before = indices;
    Frame {
        delay,
        dispose: DisposalMethod::Keep,
        transparent: Some(UNCHANGED),
        left: left as u16,
        top: top as u16,
        width: (right - left + 1) as u16,
        height: (bottom - top + 1) as u16,
        buffer: Cow::Owned(pixels),
        ..Frame::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::colour::{Colour, from_screen};

    const SIZE: Size = Size { width: 40, height: 20 };
    const SKY: [u8; 3] = [200, 210, 220];
    const BALL: [u8; 3] = [10, 40, 160];

    /// A ball that wanders to the right.
    fn picture(k: usize) -> Image {
        Image::from_pixels(SIZE, |x, y| {
            let is_ball = (3 * k as u32..3 * k as u32 + 5).contains(&x) && (8..12).contains(&y);
            from_screen(if is_ball { BALL } else { SKY })
        })
    }

    fn read(file: &[u8]) -> Vec<(u16, Vec<u8>)> {
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::Indexed);
        let mut decoder = options.read_info(file).unwrap();
        let palette = decoder.global_palette().unwrap().to_vec();
        let mut screen = vec![0; 800];
        let mut frames = Vec::new();
        while let Some(frame) = decoder.read_next_frame().unwrap() {
            for (k, &index) in frame.buffer.iter().enumerate() {
                let (x, y) =
                    (k % frame.width as usize + frame.left as usize, k / frame.width as usize + frame.top as usize);
                if index != UNCHANGED {
                    screen[y * 40 + x] = index;
                }
            }
            let pixels = screen.iter().flat_map(|&index| palette[3 * index as usize..][..3].to_vec()).collect();
            frames.push((frame.delay, pixels));
        }
        frames
    }

    #[test]
    fn film_shows_every_picture_and_takes_its_time() {
        let mut file = Vec::new();
        write_gif(&mut file, &Reel { count: 10, fps: 30.0, picture: &|k| Ok(picture(k)) }).unwrap();
        let frames = read(&file);
        assert_eq!(frames.len(), 10);
        for (k, (_, pixels)) in frames.iter().enumerate() {
            assert_eq!(pixels, picture(k).bytes(), "picture {k}");
        }
        // Ten thirtieths of a second.
        assert_eq!(frames.iter().map(|(delay, _)| delay).sum::<u16>(), 33);
        assert!(file.len() < 3000, "{}", file.len());
    }

    #[test]
    fn fast_films_leave_pictures_out_and_odd_ones_are_refused() {
        let mut file = Vec::new();
        write_gif(&mut file, &Reel { count: 11, fps: 100.0, picture: &|k| Ok(picture(k)) }).unwrap();
        assert_eq!(read(&file).iter().map(|(delay, _)| *delay).collect::<Vec<_>>(), [2; 6]);
        let odd = |k: usize| {
            let size = Size { width: 40 + k as u32, height: 20 };
            Ok(Image::from_pixels(size, |_, _| Colour::ZERO))
        };
        assert!(write_gif(Vec::new(), &Reel { count: 2, fps: 30.0, picture: &odd }).is_err());
        assert!(write_gif(Vec::new(), &Reel { count: 0, fps: 30.0, picture: &odd }).is_ok());
    }
}

//! Films as MP4: H.264 by openh264, put into a file by muxide.

use std::io::{self, Write};

use muxide::api::{MuxerBuilder, VideoCodec};
use openh264::OpenH264API;
use openh264::encoder::{Encoder, EncoderConfig, FrameRate, MatrixCoefficients, QpRange, RateControlMode, VuiConfig};
use openh264::formats::{RgbSliceU8, YUVBuffer};

use super::Reel;
use crate::image::{Image, Size};

/// How coarse colours may be, from 0 to 51: small round things with sharp edges stay clean.
const COARSENESS: QpRange = QpRange::new(10, 24);

/// Writes a film.
pub fn write_mp4(out: impl Write, reel: &Reel<'_>) -> io::Result<()> {
    if reel.count == 0 {
        return Ok(());
    }
    let Size { width, height } = even((reel.picture)(0)?.size());
    // Every picture is as good as any other, however many bits that takes. Colours are turned into those of BT.601,
    // and players are told so: of large pictures they would expect others.
    let config = EncoderConfig::new()
        .max_frame_rate(FrameRate::from_hz(reel.fps as f32))
        .rate_control_mode(RateControlMode::Off)
        .qp(COARSENESS)
        .skip_frames(false)
        .vui(VuiConfig::bt709().matrix_coefficients(MatrixCoefficients::Smpte170M));
    let mut encoder = Encoder::with_api_config(OpenH264API::from_source(), config).map_err(io::Error::other)?;
    let builder = MuxerBuilder::new(out).video(VideoCodec::H264, width, height, reel.fps);
    let mut muxer = builder.build().map_err(io::Error::other)?;
    for k in 0..reel.count {
        let pixels = cropped(&(reel.picture)(k)?, Size { width, height })?;
        let source = RgbSliceU8::new(&pixels, (width as usize, height as usize));
        let encoded = encoder.encode(&YUVBuffer::from_rgb8_source(source)).map_err(io::Error::other)?.to_vec();
        muxer.write_video(k as f64 / reel.fps, &encoded, k == 0).map_err(io::Error::other)?;
    }
    muxer.finish().map_err(io::Error::other)
}

/// The largest size with even sides that fits: colours are stored for two by two pixels.
fn even(size: Size) -> Size {
    Size { width: (size.width & !1).max(2), height: (size.height & !1).max(2) }
}

/// The pixels of the upper left part of a picture.
fn cropped(image: &Image, size: Size) -> io::Result<Vec<u8>> {
    let (rows, row) = (image.bytes().chunks(3 * image.size().width as usize), 3 * size.width as usize);
    if image.size().width < size.width || image.size().height < size.height {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "the picture is too small for a film"));
    }
    Ok(rows.take(size.height as usize).flat_map(|pixels| pixels[..row].iter().copied()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::colour::Colour;

    #[test]
    fn film_holds_every_picture() {
        let size = Size { width: 65, height: 48 };
        let picture =
            |k: usize| Ok(Image::from_pixels(size, |x, _| Colour::splat(if x as usize / 4 == k { 0.1 } else { 0.8 })));
        let mut file = Vec::new();
        write_mp4(&mut file, &Reel { count: 12, fps: 30.0, picture: &picture }).unwrap();
        assert_eq!(&file[4..8], b"ftyp");
        // The table of sample sizes has the number of pictures after its name, version and common size.
        let table = file.windows(4).position(|word| word == b"stsz").unwrap();
        assert_eq!(file[table + 12..table + 16], 12_u32.to_be_bytes());
        let tiny = |_| Ok(Image::from_pixels(Size { width: 1, height: 1 }, |_, _| Colour::ZERO));
        assert!(write_mp4(Vec::new(), &Reel { count: 1, fps: 30.0, picture: &tiny }).is_err());
    }
}

//! Pictures as landscapes: black is low, white is high.
//!
//! The picture lies on the unit square around the origin, its upper edge away at negative z and its left edge at negative
//! x; black has height 0, white 1. Colours count by how bright they are (Rec. 709), transparency does not count.

use glam::DVec3;

use super::super::landscape::Landscape;
use super::super::triangles::Triangles;
use super::Fault;

/// Most pixels.
const MOST_PIXELS: usize = 4_000_000;

pub(super) fn read(bytes: &[u8]) -> Result<Triangles, Fault> {
    let fault = |error: png::DecodingError| Fault::whole(format!("it cannot be read as a PNG picture: {error}"));
    let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::ALPHA);
    let mut reader = decoder.read_info().map_err(fault)?;
    let (width, height) = (reader.info().width as usize, reader.info().height as usize);
    if width < 2 || height < 2 {
        return Err(Fault::whole(format!("the picture has {width} x {height} pixels; at least 2 x 2 are needed")));
    }
    if width.saturating_mul(height) > MOST_PIXELS {
        return Err(Fault::whole(format!("the picture has more than {MOST_PIXELS} pixels")));
    }
    let size = reader.output_buffer_size().ok_or_else(|| Fault::whole("the picture is too large"))?;
    let mut pixels = vec![0; size];
    let frame = reader.next_frame(&mut pixels).map_err(fault)?;
    let deep = frame.bit_depth == png::BitDepth::Sixteen;
    let channels = frame.color_type.samples();
    let brightness = |pixel: usize| {
        let sample = |channel: usize| {
            let at = pixel * channels + channel;
            match deep {
                true => f64::from(u16::from_be_bytes([pixels[2 * at], pixels[2 * at + 1]])) / 65535.0,
                false => f64::from(pixels[at]) / 255.0,
            }
        };
        if channels >= 3 { 0.2126 * sample(0) + 0.7152 * sample(1) + 0.0722 * sample(2) } else { sample(0) }
    };
    // Nodes run along z fastest, pixels along x.
    let heights = (0..width * height).map(|node| brightness(node % height * width + node / height)).collect();
    let (min, max) = (DVec3::new(-0.5, 0.0, -0.5), DVec3::new(0.5, 1.0, 0.5));
    Ok(Landscape { min, max, axes: [0, 2], up: 1, nodes: [width, height], heights }.triangles())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(width: u32, height: u32, colour: png::ColorType, data: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, width, height);
        encoder.set_color(colour);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.write_header().unwrap().write_image_data(data).unwrap();
        bytes
    }

    fn height_at(mesh: &Triangles, x: f64, z: f64) -> f64 {
        let here = |place: &&DVec3| (place.x - x).abs() < 1e-12 && (place.z - z).abs() < 1e-12;
        mesh.vertices.iter().filter(here).map(|place| place.y).fold(0.0, f64::max)
    }

    #[test]
    fn bright_pixels_are_high_and_lie_where_they_are_in_the_picture() {
        let mesh = read(&picture(3, 2, png::ColorType::Grayscale, &[0, 51, 102, 153, 204, 255])).unwrap();
        for (x, z, expected) in
            [(-0.5, -0.5, 0.0), (0.0, -0.5, 0.2), (0.5, -0.5, 0.4), (-0.5, 0.5, 0.6), (0.5, 0.5, 1.0)]
        {
            assert!((height_at(&mesh, x, z) - expected).abs() < 1e-12, "{x} {z}");
        }
        assert_eq!(mesh.checked().unwrap().open_edges().count, 0);
        let green = read(&picture(2, 2, png::ColorType::Rgb, &[0, 255, 0].repeat(4))).unwrap();
        assert!((height_at(&green, 0.5, 0.5) - 0.7152).abs() < 1e-12);
    }

    #[test]
    fn damaged_pictures_are_refused() {
        let whole = picture(8, 8, png::ColorType::Grayscale, &[9; 64]);
        for length in 0..whole.len() - 12 {
            assert!(read(&whole[..length]).is_err(), "{length}");
        }
        assert!(read(&picture(1, 8, png::ColorType::Grayscale, &[9; 8])).is_err());
        assert!(read(b"no picture").is_err());
    }
}

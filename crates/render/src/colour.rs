//! Colours: linear light, what a screen wants, and the space in which equal steps look equal.

use glam::Vec3;

/// Red, green and blue, in linear light; 1 is white.
pub type Colour = Vec3;

/// The three bytes that a screen wants for a colour from 0 to 1 (sRGB).
pub fn to_screen(colour: Colour) -> [u8; 3] {
    colour.to_array().map(|light| (255.0 * encode(light.clamp(0.0, 1.0)) + 0.5) as u8)
}

/// The colour that a screen shows for three bytes (sRGB).
pub fn from_screen(bytes: [u8; 3]) -> Colour {
    Colour::from_array(bytes.map(|byte| decode(f32::from(byte) / 255.0)))
}

fn encode(light: f32) -> f32 {
    if light <= 0.003_130_8 { 12.92 * light } else { 1.055 * light.powf(1.0 / 2.4) - 0.055 }
}

fn decode(value: f32) -> f32 {
    if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

/// How bright a colour looks, in linear light.
pub(crate) fn luminance(colour: Colour) -> f32 {
    colour.dot(Vec3::new(0.2126, 0.7152, 0.0722))
}

/// The colour of a lightness and two colour axes in Ott20's space, in which equal steps look equal.
pub(crate) fn from_perceived(lightness: f32, green_red: f32, blue_yellow: f32) -> Colour {
    let long = lightness + 0.396_337_78 * green_red + 0.215_803_76 * blue_yellow;
    let medium = lightness - 0.105_561_346 * green_red - 0.063_854_17 * blue_yellow;
    let short = lightness - 0.089_484_18 * green_red - 1.291_485_5 * blue_yellow;
    let [long, medium, short] = [long, medium, short].map(|cone| cone * cone * cone);
    Colour::new(
        4.076_741_7 * long - 3.307_711_6 * medium + 0.230_969_94 * short,
        -1.268_438 * long + 2.609_757_4 * medium - 0.341_319_4 * short,
        -0.004_196_086_3 * long - 0.703_418_6 * medium + 1.707_614_7 * short,
    )
}

/// Film: as it is in the middle, and highlights that fade to white instead of ending there.
///
/// Above a knee k the curve is k + (1 - k) (1 - exp(-(x - k) / (1 - k))), which begins with slope one.
pub(crate) fn film(light: Colour) -> Colour {
    (EXPOSURE * light).map(|x| match x {
        x if x <= KNEE => x.max(0.0),
        x => KNEE + (1.0 - KNEE) * (1.0 - (-(x - KNEE) / (1.0 - KNEE)).exp()),
    })
}

/// A surface that faces sun and sky looks as its colour says.
const EXPOSURE: f32 = 0.74;
const KNEE: f32 = 0.55;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_survives_the_way_to_light_and_back() {
        for byte in 0..=255 {
            assert_eq!(to_screen(from_screen([byte, 255 - byte, 7])), [byte, 255 - byte, 7]);
        }
        assert_eq!(to_screen(Colour::new(-1.0, 2.0, f32::NAN)), [0, 255, 0]);
        // Half of the light is 188 of 255.
        assert_eq!(to_screen(Colour::splat(0.5)), [188; 3]);
    }

    #[test]
    fn perceived_white_black_and_red_are_what_they_are_called() {
        assert!((from_perceived(1.0, 0.0, 0.0) - Colour::ONE).length() < 1e-5);
        assert!(from_perceived(0.0, 0.0, 0.0).length() < 1e-6);
        // Pure red of the screen, from Ott20.
        assert!((from_perceived(0.627_955, 0.224_863, 0.125_846) - Colour::X).length() < 1e-4);
    }

    #[test]
    fn film_rises_from_black_to_white() {
        assert_eq!(film(Colour::splat(-1.0)), Colour::ZERO);
        let values: Vec<f32> = (0..1000).map(|k| film(Colour::splat(0.02 * k as f32)).x).collect();
        assert!(values.windows(2).all(|pair| pair[1] >= pair[0]) && values[999] > 0.99);
        assert!(film(Colour::splat(f32::INFINITY)) == Colour::ONE && film(Colour::splat(0.5)).x == 0.5 * EXPOSURE);
    }
}

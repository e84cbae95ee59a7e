//! What the colours mean: a bar with numbers, or a list of names.

use crate::colour::Colour;
use crate::colour_map::ColourMap;
use crate::image::{Image, Size};
use crate::text::Font;

/// The meaning of the colours of a picture.
#[derive(Clone, Debug)]
pub enum Legend {
    /// A quantity.
    Scale {
        /// Its name and unit: `speed [m/s]`.
        title: String,
        /// Its colours.
        map: ColourMap,
        /// The values at both ends of the map.
        range: [f64; 2],
    },
    /// Several kinds.
    Kinds(Vec<(String, Colour)>),
}

const INK: Colour = Colour::new(0.02, 0.025, 0.035);
const PAPER: Colour = Colour::new(0.93, 0.94, 0.95);
/// How much of the picture the paper hides.
const COVER: f32 = 0.72;
/// Kinds that are named; more would not fit.
const MOST_KINDS: usize = 16;

impl Legend {
    /// The share of the width of a picture that it takes, its margins included.
    pub fn share(&self, size: Size) -> f32 {
        let font = Font::for_height(size.height);
        (self.width(font) + 2 * font.height()) as f32 / size.width.max(1) as f32
    }

    /// How wide its paper is [pixels].
    fn width(&self, font: Font) -> i64 {
        let unit = font.height();
        match self {
            Legend::Scale { title, range: [low, high], .. } => {
                let labels = ticks(*low, *high).into_iter().map(|tick| number(tick, (high - low).abs()));
                let widest = labels.map(|label| font.width(&label)).max().unwrap_or(0);
                (2 * unit + unit / 2 + widest).max(font.width(&pretty(title))) + unit
            }
            Legend::Kinds(kinds) => {
                let widest = kinds.iter().take(MOST_KINDS).map(|(name, _)| font.width(name)).max().unwrap_or(0);
                widest + 3 * unit
            }
        }
    }

    /// Draws it into the lower left corner.
    pub fn draw(&self, image: &mut Image) {
        let font = Font::for_height(image.size().height);
        let unit = font.height();
        let width = self.width(font);
        match self {
            Legend::Scale { title, map, range } => draw_scale(image, width, title, map, *range),
            Legend::Kinds(kinds) if kinds.is_empty() => {}
            Legend::Kinds(kinds) => {
                let kinds = &kinds[..kinds.len().min(MOST_KINDS)];
                let line = unit * 5 / 4;
                let (left, top) = panel(image, width, line * kinds.len() as i64 + unit, unit);
                for ((name, colour), k) in kinds.iter().zip(0..) {
                    let y = top + unit / 2 + k * line;
                    fill(image, [left + unit / 2, y + 1, unit, unit - 2], *colour, 1.0);
                    font.write(image, left + 2 * unit, y, name, INK);
                }
            }
        }
    }
}

fn draw_scale(image: &mut Image, width: i64, title: &str, map: &ColourMap, [low, high]: [f64; 2]) {
    let font = Font::for_height(image.size().height);
    let unit = font.height();
    let ticks = ticks(low, high);
    let label = |tick: f64| number(tick, (high - low).abs());
    // Not more than a third of a small picture.
    let bar = (i64::from(image.size().height) * 3 / 10).clamp(4 * unit, 13 * unit);
    let (left, top) = panel(image, width, bar + 3 * unit, unit);
    font.write(image, left + unit / 2, top + unit / 2, &pretty(title), INK);
    let (x, y) = (left + unit / 2, top + 2 * unit);
    for row in 0..bar {
        let share = 1.0 - (row as f32 + 0.5) / bar as f32;
        fill(image, [x, y + row, unit * 3 / 2, 1], map.colour(share), 1.0);
    }
    for tick in ticks {
        let share = if high > low { (tick - low) / (high - low) } else { 0.5 };
        let row = y + ((1.0 - share) * (bar - 1) as f64).round() as i64;
        fill(image, [x + unit * 3 / 2, row, unit / 3, 1 + unit / 20], INK, 0.8);
        font.write(image, x + 2 * unit, row - unit / 2, &label(tick), INK);
    }
}

/// A title as it is printed.
fn pretty(title: &str) -> String {
    title.replace("^2", "²").replace("^3", "³")
}

/// A sheet of pale paper in the lower left corner; gives its upper left corner.
fn panel(image: &mut Image, width: i64, height: i64, margin: i64) -> (i64, i64) {
    let (left, top) = (margin, i64::from(image.size().height) - height - margin);
    fill(image, [left, top, width, height], PAPER, COVER);
    (left, top)
}

fn fill(image: &mut Image, [left, top, width, height]: [i64; 4], colour: Colour, share: f32) {
    for y in top..top + height {
        for x in left..left + width {
            image.blend(x, y, colour, share);
        }
    }
}

/// Round values between two others, ends included if they are round.
fn ticks(low: f64, high: f64) -> Vec<f64> {
    let range = high - low;
    if !(range > 0.0 && range.is_finite()) {
        return vec![low];
    }
    let power = 10f64.powf((range / 5.0).log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power).into_iter().find(|step| range / step <= 5.5);
    let step = step.unwrap_or(range);
    let first = (low / step - 1e-9).ceil();
    (0..8).map(|k| (first + f64::from(k)) * step).filter(|&tick| tick <= high + 1e-9 * range).collect()
}

/// A number with as many digits as the range asks for.
fn number(value: f64, range: f64) -> String {
    let size = value.abs().max(range);
    if size != 0.0 && !(1e-3..1e6).contains(&size) {
        return format!("{value:.1e}");
    }
    let digits = (2.0 - range.max(1e-12).log10().floor()).clamp(0.0, 6.0) as usize;
    let text = format!("{value:.digits$}");
    let plain = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    if plain == "-0" { "0".into() } else { plain.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::colour_map::MapName;

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(ticks(0.0, 1.0).len(), 6);
        assert_eq!(
            ticks(0.0, 2.7).iter().map(|&t| number(t, 2.7)).collect::<Vec<_>>(),
            ["0", "0.5", "1", "1.5", "2", "2.5"]
        );
        assert_eq!(
            ticks(990.0, 1012.0).iter().map(|&t| number(t, 22.0)).collect::<Vec<_>>(),
            ["990", "995", "1000", "1005", "1010"]
        );
        assert_eq!(ticks(3.0, 3.0), [3.0]);
        assert_eq!(ticks(0.0, f64::INFINITY), [0.0]);
        assert_eq!((number(-0.0, 1.0), number(1.2e7, 1e7)), ("0".into(), "1.2e7".into()));
        assert!(ticks(-1e300, 1e300).len() <= 8);
    }

    #[test]
    fn numbers_stand_beside_their_values() {
        let draw = |range: [f64; 2]| {
            let mut image = Image::from_pixels(Size { width: 400, height: 300 }, |_, _| Colour::ZERO);
            Legend::Scale { title: "a".into(), map: ColourMap::new(MapName::Ember), range }.draw(&mut image);
            (172..275).filter(|&y| image.pixel(16 + 8 + 24 + 2, y).unwrap()[0] < 150).collect::<Vec<u32>>()
        };
        // From 0.05 on the lowest tick, 0.2, lies above the end of the bar: 0.15 of 0.95 of 89 rows.
        let ticks = draw([0.05, 1.0]);
        assert_eq!((ticks[0], ticks[ticks.len() - 1]), (178, 253));
    }

    #[test]
    fn bar_shows_its_colours_from_bottom_to_top_and_fits_the_smallest_picture() {
        let map = ColourMap::new(MapName::Ember);
        for size in [Size { width: 1, height: 1 }, Size { width: 400, height: 300 }] {
            let mut image = Image::from_pixels(size, |_, _| Colour::ZERO);
            let legend = Legend::Scale { title: "density [kg/m^3]".into(), map: map.clone(), range: [0.0, 1.0] };
            legend.draw(&mut image);
            if size.width == 400 {
                let bar = |y| image.pixel(30, y).unwrap();
                // The bar is 90 pixels high and ends 32 above the lower edge.
                assert_eq!(bar(300 - 33), crate::colour::to_screen(map.colour(0.5 / 90.0)));
                assert!(bar(300 - 32 - 88)[0] > 200);
                // Ticks are to the right of the bar, the lowest at its lower end: six of them, 18 pixels apart.
                let is_ink = |y: &u32| image.pixel(16 + 8 + 24 + 2, *y).unwrap()[0] < 150;
                let ticks: Vec<u32> = (172..275).filter(is_ink).collect();
                assert_eq!(ticks, [178, 196, 214, 231, 249, 267]);
            }
            Legend::Kinds(vec![("water".into(), Colour::X); 40]).draw(&mut image);
        }
    }
}

//! A few colours that stand for many.

use crate::image::Image;

/// Bits of each channel that are told apart.
const BITS: u32 = 6;
const CELLS: usize = 1 << (3 * BITS);

/// At most 255 colours, and which of them is nearest to any other.
pub(super) struct Palette {
    /// Three bytes each.
    pub(super) colours: Vec<[u8; 3]>,
    nearest: Vec<u8>,
}

/// The colours of some pictures, counted in cells of similar ones.
pub(super) struct Histogram(Vec<Cell>);

#[derive(Clone, Copy, Default)]
struct Cell {
    count: u64,
    sum: [u64; 3],
}

fn cell(pixel: [u8; 3]) -> usize {
    pixel.iter().fold(0, |cell, &channel| cell << BITS | (channel >> (8 - BITS)) as usize)
}

impl Histogram {
    pub(super) fn new() -> Histogram {
        Histogram(vec![Cell::default(); CELLS])
    }

    pub(super) fn add(&mut self, image: &Image) {
        for &pixel in image.bytes().as_chunks().0 {
            let cell = &mut self.0[cell(pixel)];
            cell.count += 1;
            (0..3).for_each(|channel| cell.sum[channel] += u64::from(pixel[channel]));
        }
    }

    /// Divides the colours in two, again and again, where they differ most, and takes the mean of each part.
    pub(super) fn palette(&self) -> Palette {
        let mut parts = vec![Part::new(self.0.iter().filter(|cell| cell.count > 0).copied().collect())];
        while parts.len() < 255 {
            let worst = (0..parts.len()).max_by(|&a, &b| parts[a].spread.total_cmp(&parts[b].spread));
            let Some(worst) = worst.filter(|&k| parts[k].cells.len() > 1) else { break };
            let (low, high) = parts.swap_remove(worst).split();
            parts.extend([low, high]);
        }
        let mut colours: Vec<[u8; 3]> =
            parts.iter().filter_map(|part| part.mean).map(|m| m.map(|x| x.round() as u8)).collect();
        colours.sort_unstable();
        colours.dedup();
        let colours = if colours.is_empty() { vec![[0; 3]] } else { colours };
        let nearest = (0..CELLS).map(|cell| nearest(&colours, cell)).collect();
        Palette { colours, nearest }
    }
}

impl Palette {
    /// The number of the colour that stands for a pixel.
    pub(super) fn index(&self, pixel: [u8; 3]) -> u8 {
        self.nearest[cell(pixel)]
    }
}

/// Cells of similar colours.
struct Part {
    cells: Vec<Cell>,
    mean: Option<[f64; 3]>,
    axis: usize,
    /// Pixels times the variance of the channel that varies most; damped, so that a large plain sky leaves colours for
    /// small things.
    spread: f64,
}

impl Part {
    fn new(cells: Vec<Cell>) -> Part {
        let count: u64 = cells.iter().map(|cell| cell.count).sum();
        if count == 0 {
            return Part { cells, mean: None, axis: 0, spread: -1.0 };
        }
        let total = count as f64;
        let mean = [0, 1, 2].map(|axis| cells.iter().map(|cell| cell.sum[axis]).sum::<u64>() as f64 / total);
        let variance = [0, 1, 2].map(|axis| {
            let squares = cells.iter().map(|cell| cell.count as f64 * (cell.value(axis) - mean[axis]).powi(2));
            squares.sum::<f64>() / total
        });
        let axis = (0..3).fold(0, |widest, axis| if variance[axis] > variance[widest] { axis } else { widest });
        let spread = if cells.len() > 1 { variance[axis] * total.sqrt() } else { -1.0 };
        Part { cells, mean: Some(mean), axis, spread }
    }

    /// At the mean of its widest channel.
    fn split(self) -> (Part, Part) {
        let Part { cells, mean, axis, .. } = self;
        let middle = mean.map_or(0.0, |mean| mean[axis]);
        let (low, high): (Vec<Cell>, Vec<Cell>) = cells.into_iter().partition(|cell| cell.value(axis) <= middle);
        (Part::new(low), Part::new(high))
    }
}

impl Cell {
    fn value(&self, axis: usize) -> f64 {
        self.sum[axis] as f64 / self.count.max(1) as f64
    }
}

fn nearest(colours: &[[u8; 3]], cell: usize) -> u8 {
    let middle = [2, 1, 0].map(|place| {
        let channel = cell >> (place * BITS) & ((1 << BITS) - 1);
        (channel << (8 - BITS)) as i32 + (1 << (7 - BITS))
    });
    // Green counts most, as it does for the eye.
    let distance =
        |colour: &[u8; 3]| -> i32 { (0..3).map(|k| [2, 4, 3][k] * (i32::from(colour[k]) - middle[k]).pow(2)).sum() };
    (0..colours.len()).min_by_key(|&k| distance(&colours[k])).unwrap_or(0) as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::colour::from_screen;
    use crate::image::Size;

    #[test]
    fn few_colours_are_kept_and_many_are_near() {
        let few = Image::from_pixels(Size { width: 30, height: 10 }, |x, _| {
            from_screen([[200, 10, 10], [10, 10, 200], [240, 240, 240]][x as usize / 10])
        });
        let mut histogram = Histogram::new();
        histogram.add(&few);
        let palette = histogram.palette();
        assert_eq!(palette.colours.len(), 3);
        for &pixel in few.bytes().as_chunks().0 {
            assert_eq!(palette.colours[palette.index(pixel) as usize], pixel);
        }
        let many = Image::from_pixels(Size { width: 256, height: 256 }, |x, y| {
            from_screen([x as u8, y as u8, (x / 2 + y / 2) as u8])
        });
        let mut histogram = Histogram::new();
        histogram.add(&many);
        let palette = histogram.palette();
        assert!(palette.colours.len() > 200);
        let worst = many.bytes().as_chunks().0.iter().map(|&pixel: &[u8; 3]| {
            let colour = palette.colours[palette.index(pixel) as usize];
            (0..3).map(|k| pixel[k].abs_diff(colour[k])).max().unwrap_or(0)
        });
        assert!(worst.max() < Some(28));
    }

    #[test]
    fn nothing_has_a_palette_too() {
        assert_eq!(Histogram::new().palette().colours, [[0; 3]]);
    }
}

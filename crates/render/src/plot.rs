//! Small plots as inline SVG.

use std::fmt::Write;

/// Curves over a common axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plot {
    /// What is shown.
    pub title: String,
    /// Name and unit of the horizontal axis.
    pub x: String,
    /// Name and unit of the vertical axis.
    pub y: String,
    /// Both axes are logarithmic.
    pub logarithmic: bool,
    /// The curves.
    pub series: Vec<Series>,
}

/// One curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Its name.
    pub name: String,
    /// Its points.
    pub points: Vec<(f64, f64)>,
    /// Drawn as dots: the reference. Otherwise as a line.
    pub dots: bool,
}

/// How plots look, and the pages they are on: to be put into a `<style>`.
pub const STYLE: &str = "body{font:15px/1.45 system-ui,sans-serif;margin:2em auto;max-width:1100px;padding:0 1em;color:#222}\
table{border-collapse:collapse;width:100%}td,th{padding:.25em .6em;border-bottom:1px solid #ddd;text-align:left}\
td.n{text-align:right;font-variant-numeric:tabular-nums}.pass{color:#2e7d32}.fail{color:#c62828;font-weight:bold}\
.expected-fail{color:#6a1b9a}svg text{font:11px system-ui,sans-serif}svg .title{font-size:13px;font-weight:600}\
.grid{stroke:#e4e4e4;fill:none}.line{fill:none;stroke-width:1.5}pre{background:#f6f6f6;padding:.6em;overflow:auto}\
img{max-width:100%;border-radius:6px}";

const WIDTH: f64 = 460.0;
const HEIGHT: f64 = 300.0;
/// Room for numbers and names at the left, top (title and two rows of names), right and bottom.
const MARGIN: [f64; 4] = [62.0, 50.0, 12.0, 40.0];
const COLOURS: [&str; 6] = ["#1565c0", "#c62828", "#2e7d32", "#6a1b9a", "#ef6c00", "#00838f"];

impl Plot {
    /// A plot with two axes and no curve yet.
    pub fn new(title: &str, x: &str, y: &str) -> Plot {
        Plot { title: title.to_owned(), x: x.to_owned(), y: y.to_owned(), ..Plot::default() }
    }

    /// The same with a measured curve.
    pub fn line(mut self, name: &str, points: Vec<(f64, f64)>) -> Plot {
        self.series.push(Series { name: name.to_owned(), points, dots: false });
        self
    }

    /// The same with the points of a reference.
    pub fn dots(mut self, name: &str, points: Vec<(f64, f64)>) -> Plot {
        self.series.push(Series { name: name.to_owned(), points, dots: true });
        self
    }

    /// The same on logarithmic axes.
    pub fn logarithmic(mut self) -> Plot {
        self.logarithmic = true;
        self
    }

    /// The plot as an SVG element.
    pub fn svg(&self) -> String {
        let [left, top, right, bottom] = MARGIN;
        let axis = |pick: fn(&(f64, f64)) -> f64| {
            let values = self.series.iter().flat_map(|series| &series.points).map(pick);
            Axis::over(values, self.logarithmic)
        };
        let (horizontal, vertical) = (axis(|point| point.0), axis(|point| point.1));
        let place_x = |x: f64| left + horizontal.place(x) * (WIDTH - left - right);
        let place_y = |y: f64| HEIGHT - bottom - vertical.place(y) * (HEIGHT - top - bottom);
        let mut svg = format!(
            "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" role=\"img\">\n\
             <text x=\"{left}\" y=\"16\" class=\"title\">{}</text>\n",
            escape(&self.title)
        );
        // Writing into a string cannot fail.
        for (tick, label) in horizontal.ticks() {
            let x = place_x(tick);
            let _ = writeln!(svg, "<path d=\"M{x:.1} {top}V{:.1}\" class=\"grid\"/>", HEIGHT - bottom);
            let y = HEIGHT - bottom + 14.0;
            let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{label}</text>");
        }
        for (tick, label) in vertical.ticks() {
            let y = place_y(tick);
            let _ = writeln!(svg, "<path d=\"M{left} {y:.1}H{:.1}\" class=\"grid\"/>", WIDTH - right);
            let (x, y) = (left - 5.0, y + 3.5);
            let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"end\">{label}</text>");
        }
        for (k, series) in self.series.iter().enumerate() {
            let colour = COLOURS[k % COLOURS.len()];
            let points = series.points.iter().filter(|point| point.0.is_finite() && point.1.is_finite());
            let places = points.map(|&(x, y)| (place_x(x), place_y(y)));
            series.draw(colour, places, &mut svg);
            let (x, y) = (left + 130.0 * (k % 3) as f64, 30.0 + 13.0 * (k / 3) as f64);
            let _ = writeln!(svg, "<text x=\"{x}\" y=\"{y}\" fill=\"{colour}\">{}</text>", escape(&series.name));
        }
        let (middle, base) = (0.5 * (left + WIDTH - right), HEIGHT - 8.0);
        let _ = writeln!(svg, "<text x=\"{middle}\" y=\"{base}\" text-anchor=\"middle\">{}</text>", escape(&self.x));
        let centre = 0.5 * (top + HEIGHT - bottom);
        let turned = format!("transform=\"rotate(-90 12 {centre})\" text-anchor=\"middle\"");
        let _ = writeln!(svg, "<text x=\"12\" y=\"{centre}\" {turned}>{}</text>", escape(&self.y));
        svg + "</svg>\n"
    }
}

impl Series {
    fn draw(&self, colour: &str, places: impl Iterator<Item = (f64, f64)>, svg: &mut String) {
        if self.dots {
            for (x, y) in places {
                let _ = writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>");
            }
        } else {
            let path: Vec<_> = places.map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
            let _ = writeln!(svg, "<path d=\"M{}\" class=\"line\" stroke=\"{colour}\"/>", path.join("L"));
        }
    }
}

/// The range of an axis.
struct Axis {
    low: f64,
    high: f64,
    logarithmic: bool,
}

impl Axis {
    fn over(values: impl Iterator<Item = f64>, logarithmic: bool) -> Axis {
        let usable = values.filter(|v| v.is_finite()).map(|v| if logarithmic { v.log10() } else { v });
        let (low, high) = usable.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        let (low, high) = if low <= high { (low, high) } else { (0.0, 1.0) };
        let room = if high > low { 0.04 * (high - low) } else { 0.5 };
        Axis { low: low - room, high: high + room, logarithmic }
    }

    /// Where a value lies, 0 to 1.
    fn place(&self, value: f64) -> f64 {
        let value = if self.logarithmic { value.log10() } else { value };
        (value - self.low) / (self.high - self.low)
    }

    /// Values with a grid line, and what is written there.
    fn ticks(&self) -> Vec<(f64, String)> {
        let range = self.high - self.low;
        let power = 10f64.powf((range / 5.0).log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|m| m * power).into_iter().find(|step| range / step <= 6.0);
        let step = step.unwrap_or(range).max(if self.logarithmic { 1.0 } else { 0.0 });
        let first = (self.low / step).ceil() as i64;
        let ticks = (first..first + 12).map(|k| k as f64 * step).filter(|&tick| tick <= self.high);
        ticks
            .map(|tick| if self.logarithmic { (10f64.powf(tick), format!("1e{tick}")) } else { (tick, short(tick)) })
            .collect()
    }
}

/// A number without the digits that rounding left.
fn short(value: f64) -> String {
    let text = format!("{value:.6}");
    let plain = text.trim_end_matches('0').trim_end_matches('.');
    let is_small = value != 0.0 && value.abs() < 1e-3;
    if is_small || value.abs() >= 1e5 { format!("{value:.2e}") } else { plain.to_owned() }
}

/// Text that means itself in HTML.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_curve_is_drawn_inside_the_frame() {
        let plot = Plot::new("a < b", "t", "p")
            .line("measured", vec![(0.0, 1.0), (1.0, 2.0), (2.0, f64::NAN)])
            .dots("reference", vec![(0.0, 1.1), (2.0, -4.0)]);
        let svg = plot.svg();
        assert!(svg.contains("a &lt; b") && !svg.contains("NaN"));
        assert_eq!(svg.matches("<circle").count(), 2);
        for number in svg.split("cx=\"").skip(1).map(|rest| rest.split('"').next().unwrap()) {
            assert!((0.0..=WIDTH).contains(&number.parse::<f64>().unwrap()), "{number}");
        }
    }

    #[test]
    fn a_plot_without_points_is_still_a_plot() {
        assert!(Plot::new("", "", "").svg().ends_with("</svg>\n"));
        assert!(Plot::new("", "", "").line("", vec![(1.0, 1.0)]).logarithmic().svg().contains("1e0"));
    }
}

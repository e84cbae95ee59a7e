//! Openings: how columns of particles fill them.
//!
//! Columns stand on a square lattice whose cells have together exactly the area of the opening, and layers follow each other at
//!
//! ```text
//! Δs = V0 n/A        n columns, A the area across the direction
//! ```
//!
//! so that n particles of volume V0 every Δs let out A v in a second, and are at rest density. A rectangle has a whole number of
//! columns along each side; other shapes are laid on the lattice so that n is as near as it may to A/d², and the lattice is
//! stretched by the rest.

use super::{NewEmitter, Opening};
use crate::real::Dimension;
use glam::{DVec2, DVec3};

/// Corners of the polygon that stands for a disc, which has its area.
const CORNERS: usize = 96;

/// An opening narrower than this many spacings lets out no stream.
pub(super) const NARROWEST: f64 = 2.0;

/// Directions this far from the normal and farther are refused: cos of 60 degrees.
const MOST_OBLIQUE: f64 = 0.5;

/// Places of the lattice that are tried first, in cells; the others are a grid.
const SYMMETRIC: [[f64; 2]; 4] = [[0.5, 0.5], [0.0, 0.0], [0.5, 0.0], [0.0, 0.5]];

/// With this share too many or too few columns, other places are tried.
const POOR: f64 = 0.02;

/// The lattice of columns across a direction.
#[derive(Clone, Debug)]
pub(super) struct Lattice {
    /// The centre of the opening [m].
    pub(super) origin: DVec3,
    /// e₁, e₂, u.
    pub(super) axes: [DVec3; 3],
    /// The steps of the lattice along e₁ and e₂ [m].
    steps: [DVec2; 2],
    corner: DVec2,
    /// Columns, by their places in the lattice.
    pub(super) columns: Vec<[i32; 2]>,
    /// The area across the direction [m^(dimension−1)].
    pub(super) area: f64,
    /// z_c per metre along e₁ and e₂.
    pub(super) slope: DVec2,
}

impl Lattice {
    /// Of an emitter whose particles are `spacing` apart, or what is wrong with it.
    pub(super) fn of(emitter: &NewEmitter, spacing: f64, dimension: Dimension) -> Result<Lattice, String> {
        let (corners, normal) = outline(&emitter.opening, dimension)?;
        let direction = match emitter.direction {
            None => normal,
            Some(direction) => flat(DVec3::from_array(direction), dimension)
                .try_normalize()
                .ok_or_else(|| "its direction is zero".to_owned())?,
        };
        let cosine = direction.dot(normal);
        if cosine < MOST_OBLIQUE {
            let degrees = cosine.clamp(-1.0, 1.0).acos().to_degrees();
            return Err(format!("its direction is {degrees:.0} degrees from the normal of its opening, more than 60"));
        }
        let origin = corners.iter().sum::<DVec3>() / corners.len() as f64;
        let side = corners[1] - corners[0];
        let first = (side - direction * side.dot(direction)).try_normalize().ok_or("its opening has no width")?;
        let axes = [first, direction.cross(first), direction];
        let slope = DVec2::new(normal.dot(axes[0]), normal.dot(axes[1])) / -cosine;
        let flat: Vec<_> =
            corners.iter().map(|x| DVec2::new((x - origin).dot(axes[0]), (x - origin).dot(axes[1]))).collect();
        let mut lattice = Lattice {
            origin,
            axes,
            steps: [DVec2::X * spacing, DVec2::Y * spacing],
            corner: DVec2::ZERO,
            columns: Vec::new(),
            area: 0.0,
            slope,
        };
        match dimension {
            Dimension::Three => lattice.fill(&flat, spacing)?,
            _ => lattice.fill_slot(flat[0], flat[1], spacing)?,
        }
        Ok(lattice)
    }

    /// A slot of a world in the plane.
    fn fill_slot(&mut self, from: DVec2, to: DVec2, spacing: f64) -> Result<(), String> {
        self.area = from.distance(to);
        let count = across(self.area, spacing)?;
        self.steps[0] = (to - from) / f64::from(count);
        self.corner = from + 0.5 * self.steps[0];
        self.columns = (0..count).map(|k| [k, 0]).collect();
        Ok(())
    }

    fn fill(&mut self, polygon: &[DVec2], spacing: f64) -> Result<(), String> {
        self.area = area(polygon).abs();
        across(width(polygon), spacing)?;
        if let [a, b, c, d] = *polygon {
            let [along, up] = [b - a, d - a];
            let is_right = along.dot(up).abs() < 1e-9 * along.length() * up.length();
            if is_right && (b + d - a).distance(c) < 1e-9 * along.length() {
                let [n, m] = [across(along.length(), spacing)?, across(up.length(), spacing)?];
                self.steps = [along / f64::from(n), up / f64::from(m)];
                self.corner = a + 0.5 * (self.steps[0] + self.steps[1]);
                self.columns = (0..n).flat_map(|i| (0..m).map(move |j| [i, j])).collect();
                return Ok(());
            }
        }
        let wanted = self.area / (spacing * spacing);
        let tried = SYMMETRIC.into_iter().chain((0..256).map(|k| [f64::from(k % 16) / 16.0, f64::from(k / 16) / 16.0]));
        let mut best: Option<(f64, DVec2, Vec<[i32; 2]>)> = None;
        for (k, place) in tried.enumerate() {
            let error = best.as_ref().map_or(f64::INFINITY, |best| best.0);
            if k >= SYMMETRIC.len() && error <= POOR {
                break;
            }
            let corner = DVec2::from_array(place) * spacing;
            let inside = columns_inside(polygon, corner, spacing);
            let off = (inside.len() as f64 / wanted - 1.0).abs();
            if off < error - 1e-9 && !inside.is_empty() {
                best = Some((off, corner, inside));
            }
        }
        let (_, corner, columns) = best.ok_or("its opening has no room for a particle")?;
        let stretch = (wanted / columns.len() as f64).sqrt();
        self.steps = [DVec2::X, DVec2::Y].map(|step| step * (spacing * stretch));
        self.corner = corner * stretch;
        self.columns = columns;
        Ok(())
    }

    /// x, y of a place in the lattice [m].
    pub(super) fn place(&self, [i, j]: [i32; 2]) -> DVec2 {
        self.corner + self.steps[0] * f64::from(i) + self.steps[1] * f64::from(j)
    }

    /// A place in the lattice so far behind the opening [m], in the world.
    pub(super) fn point(&self, place: DVec2, behind: f64) -> DVec3 {
        let along = self.slope.dot(place) - behind;
        self.origin + self.axes[0] * place.x + self.axes[1] * place.y + self.axes[2] * along
    }

    /// The places beside columns that are none, each with the direction away from the columns beside it.
    pub(super) fn rim(&self, dimension: Dimension) -> Vec<([i32; 2], DVec2)> {
        let taken: std::collections::BTreeSet<_> = self.columns.iter().copied().collect();
        let mut rim = std::collections::BTreeMap::<[i32; 2], DVec2>::new();
        let reach = if dimension == Dimension::Three { 1 } else { 0 };
        for &[i, j] in &self.columns {
            for (di, dj) in (-1..=1).flat_map(|di| (-reach..=reach).map(move |dj| (di, dj))) {
                let place = [i + di, j + dj];
                if !taken.contains(&place) {
                    *rim.entry(place).or_default() += (self.place(place) - self.place([i, j])).normalize_or_zero();
                }
            }
        }
        rim.into_iter().map(|(place, away)| (place, away.normalize_or_zero())).collect()
    }
}

/// The corners of an opening and its normal, or what is wrong with it.
fn outline(opening: &Opening, dimension: Dimension) -> Result<(Vec<DVec3>, DVec3), String> {
    let is_flat = dimension != Dimension::Three;
    let normal_of = |normal: [f64; 3]| {
        let normal = flat(DVec3::from_array(normal), dimension).try_normalize();
        normal.ok_or_else(|| "its normal is zero".to_owned())
    };
    let sides = |normal: DVec3, towards: Option<[f64; 3]>| {
        let towards = towards.map(|side| flat(DVec3::from_array(side), dimension));
        let first = match towards {
            _ if is_flat => DVec3::new(normal.y, -normal.x, 0.0),
            None => normal.any_orthonormal_vector(),
            Some(side) => (side - normal * side.dot(normal)).normalize_or_zero(),
        };
        if first == DVec3::ZERO {
            Err("its side is along its normal".to_owned())
        } else {
            Ok([first, normal.cross(first)])
        }
    };
    let at = |centre: [f64; 3]| flat(DVec3::from_array(centre), dimension);
    match *opening {
        Opening::Disc { centre, normal, radius } => {
            let normal = normal_of(normal)?;
            let [first, second] = sides(normal, None)?;
            if !(radius > 0.0 && radius.is_finite()) {
                return Err(format!("its radius is {radius} m"));
            }
            if is_flat {
                return Ok((vec![at(centre) - first * radius, at(centre) + first * radius], normal));
            }
            // As large as the disc.
            let angle = std::f64::consts::TAU / CORNERS as f64;
            let radius = radius * (angle / angle.sin()).sqrt();
            let corner = |k: usize| {
                let (sine, cosine) = (angle * k as f64).sin_cos();
                at(centre) + (first * cosine + second * sine) * radius
            };
            Ok(((0..CORNERS).map(corner).collect(), normal))
        }
        Opening::Rectangle { centre, normal, side, size: [width, height] } => {
            let normal = normal_of(normal)?;
            let [first, second] = sides(normal, side)?;
            let sizes = if is_flat { &[width][..] } else { &[width, height] };
            if let Some(size) = sizes.iter().find(|size| !(**size > 0.0 && size.is_finite())) {
                return Err(format!("a side of its opening is {size} m long"));
            }
            let (right, up) = (first * (0.5 * width), second * (0.5 * height));
            if is_flat {
                return Ok((vec![at(centre) - right, at(centre) + right], normal));
            }
            let corners = [-right - up, right - up, right + up, -right + up];
            Ok((corners.map(|corner| at(centre) + corner).to_vec(), normal))
        }
        Opening::Polygon { .. } if is_flat => Err("a 2D world has no polygons to flow through".into()),
        Opening::Polygon { ref corners } => polygon(corners),
    }
}

/// A polygon in space, which must lie in a plane and not cross itself.
fn polygon(corners: &[[f64; 3]]) -> Result<(Vec<DVec3>, DVec3), String> {
    let corners: Vec<_> = corners.iter().copied().map(DVec3::from_array).collect();
    if corners.len() < 3 || !corners.iter().all(|corner| corner.is_finite()) {
        return Err("a polygon has three corners or more".into());
    }
    let next = |k: usize| corners[(k + 1) % corners.len()];
    let normal = corners.iter().enumerate().map(|(k, corner)| (*corner - corners[0]).cross(next(k) - corners[0]));
    let normal = normal.sum::<DVec3>().try_normalize().ok_or("its corners lie on a line")?;
    let size = corners.iter().map(|corner| corner.distance(corners[0])).fold(0.0, f64::max);
    if corners.iter().any(|corner| (*corner - corners[0]).dot(normal).abs() > 1e-3 * size) {
        return Err("its corners do not lie in a plane".into());
    }
    Ok((corners, normal))
}

/// How many columns fit in a width, or why none do.
fn across(width: f64, spacing: f64) -> Result<i32, String> {
    let columns = width / spacing;
    if columns < NARROWEST * (1.0 - 1e-6) {
        return Err(format!(
            "its opening is {width:.6} m wide, less than two spacings of {spacing:.6} m: a stream needs two particles side by side"
        ));
    }
    if columns > 1e6 {
        return Err(format!("its opening is {width:.6} m wide, more than a million spacings"));
    }
    Ok(columns.round() as i32)
}

fn area(polygon: &[DVec2]) -> f64 {
    let next = |k: usize| polygon[(k + 1) % polygon.len()];
    0.5 * polygon.iter().enumerate().map(|(k, corner)| corner.perp_dot(next(k))).sum::<f64>()
}

/// The least distance between two parallels along an edge that hold a polygon.
fn width(polygon: &[DVec2]) -> f64 {
    let next = |k: usize| polygon[(k + 1) % polygon.len()];
    let of_edge = |(k, corner): (usize, &DVec2)| {
        let across = (next(k) - *corner).normalize_or_zero().perp();
        let heights = polygon.iter().map(|other| (*other - *corner).dot(across));
        let (low, high) = heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
        high - low
    };
    polygon.iter().enumerate().map(of_edge).fold(f64::INFINITY, f64::min)
}

/// The places of a square lattice with a point at `corner` that lie in a polygon.
fn columns_inside(polygon: &[DVec2], corner: DVec2, spacing: f64) -> Vec<[i32; 2]> {
    let (low, high) =
        polygon.iter().fold((DVec2::INFINITY, DVec2::NEG_INFINITY), |(low, high), x| (low.min(*x), high.max(*x)));
    let [from, to] = [((low - corner) / spacing).floor(), ((high - corner) / spacing).ceil()];
    let row = from.y as i32..=to.y as i32;
    let places = (from.x as i32..=to.x as i32).flat_map(|i| row.clone().map(move |j| [i, j]));
    places.filter(|[i, j]| contains(polygon, corner + DVec2::new(f64::from(*i), f64::from(*j)) * spacing)).collect()
}

/// Is a point in a polygon? By the number of edges to the right of it.
fn contains(polygon: &[DVec2], point: DVec2) -> bool {
    let next = |k: usize| polygon[(k + 1) % polygon.len()];
    let crosses = |(k, a): (usize, &DVec2)| {
        let b = next(k);
        (a.y > point.y) != (b.y > point.y) && point.x < a.x + (point.y - a.y) / (b.y - a.y) * (b.x - a.x)
    };
    polygon.iter().enumerate().filter(|edge| crosses((edge.0, edge.1))).count() % 2 == 1
}

fn flat(vector: DVec3, dimension: Dimension) -> DVec3 {
    if dimension == Dimension::Three { vector } else { vector.with_z(0.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lattice(
        opening: Opening,
        direction: Option<[f64; 3]>,
        spacing: f64,
        dimension: Dimension,
    ) -> Result<Lattice, String> {
        Lattice::of(&NewEmitter { opening, direction, ..NewEmitter::default() }, spacing, dimension)
    }

    fn disc(radius: f64) -> Opening {
        Opening::Disc { centre: [0.3, 0.2, 0.1], normal: [0.0, -2.0, 1.0], radius }
    }

    /// Whatever the size, cells fill the area exactly, and hardly stretched.
    #[test]
    fn columns_have_together_the_area_of_the_opening() {
        for radius in [0.031, 0.05, 0.077, 0.1] {
            let spacing = 0.01;
            let lattice = lattice(disc(radius), None, spacing, Dimension::Three).unwrap();
            assert!((lattice.area / (std::f64::consts::PI * radius * radius) - 1.0).abs() < 1e-9);
            let cell = lattice.steps[0].perp_dot(lattice.steps[1]);
            assert!((cell * lattice.columns.len() as f64 / lattice.area - 1.0).abs() < 1e-9, "{radius}");
            assert!((cell.sqrt() / spacing - 1.0).abs() < 0.011, "{radius}: {}", cell.sqrt());
            // Spread over the whole disc.
            let mean =
                lattice.columns.iter().map(|&place| lattice.place(place)).sum::<DVec2>() / lattice.columns.len() as f64;
            assert!(mean.length() < 0.25 * spacing, "{radius}: {mean}");
        }
    }

    #[test]
    fn rectangles_have_whole_rows_and_slots_too() {
        let rectangle = Opening::Rectangle {
            centre: [0.0; 3],
            normal: [1.0, 0.0, 0.0],
            side: Some([0.0, 0.0, 1.0]),
            size: [0.053, 0.02],
        };
        let lattice = lattice(rectangle.clone(), None, 0.01, Dimension::Three).unwrap();
        assert_eq!(lattice.columns.len(), 10);
        assert!((lattice.area - 0.053 * 0.02).abs() < 1e-12);
        assert!(lattice.columns.iter().all(|&place| lattice.place(place).abs().max_element() < 0.0265));
        assert_eq!(lattice.rim(Dimension::Three).len(), 18);
        let slot =
            Lattice::of(&NewEmitter { opening: rectangle, ..NewEmitter::default() }, 0.01, Dimension::Two).unwrap();
        assert_eq!((slot.columns.len(), slot.area, slot.rim(Dimension::Two).len()), (5, 0.053, 2));
    }

    /// What leaves at 45 degrees is as wide as the opening looks from there, and leaves where the opening is.
    #[test]
    fn an_oblique_stream_is_as_wide_as_it_looks() {
        let radius = 0.08;
        let straight = lattice(disc(radius), None, 0.01, Dimension::Three).unwrap();
        let normal = straight.axes[2];
        let direction = (normal + straight.axes[0]).normalize();
        let oblique = lattice(disc(radius), Some(direction.to_array()), 0.01, Dimension::Three).unwrap();
        assert!((oblique.area / straight.area - 0.5_f64.sqrt()).abs() < 1e-9);
        for &place in &oblique.columns {
            let end = oblique.point(oblique.place(place), 0.0);
            assert!((end - oblique.origin).dot(normal).abs() < 1e-12);
            assert!(end.distance(oblique.origin) < radius * 1.03);
        }
    }

    #[test]
    fn what_is_too_narrow_or_makes_no_sense_is_refused() {
        let refusal = |opening, direction, dimension| lattice(opening, direction, 0.01, dimension).unwrap_err();
        assert!(refusal(disc(0.009), None, Dimension::Three).contains("less than two spacings"));
        assert!(refusal(disc(-1.0), None, Dimension::Three).contains("radius is -1"));
        assert!(refusal(disc(0.1), Some([0.0; 3]), Dimension::Three).contains("direction is zero"));
        assert!(refusal(disc(0.1), Some([0.0, 1.0, 0.0]), Dimension::Three).contains("degrees from the normal"));
        let bent = vec![[0.0; 3], [0.1, 0.0, 0.0], [0.1, 0.1, 0.0], [0.0, 0.1, 0.05]];
        assert!(refusal(Opening::Polygon { corners: bent }, None, Dimension::Three).contains("plane"));
        assert!(refusal(Opening::Polygon { corners: Vec::new() }, None, Dimension::Two).contains("2D"));
    }
}

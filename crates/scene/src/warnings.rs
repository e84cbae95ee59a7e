//! What is legal but perhaps not meant.

use crate::meaning::{point, sweeps};
use crate::near::Near;
use crate::sampling::{BodySample, Compression, Lattice, Samples};
use crate::wording::plain;
use crate::{Body, BoxShape, Description, Fill, Shape};

/// A start this much denser than at rest is felt: single particles that solvers meet at their bounds are less.
const COMPRESSED: f64 = 0.02;

/// So far is no point of the surface from the next particle where there is room for one, in spacings: half the diagonal of
/// a cell, and what centres along curved surfaces may be deeper.
const FAR: f64 = 1.5;

/// A share of the surface without particles that is no mere edge.
const BARE: f64 = 0.03;

impl Description {
    /// What is legal but perhaps not meant, a sentence each.
    pub(crate) fn warnings(&self, samples: &Samples) -> Vec<String> {
        let bodies = self.bodies.iter().map(|body| (format!("body `{}`", body.name), &body.shape));
        let walls = self.walls.iter().map(|wall| (format!("wall `{}`", wall.name), &wall.shape));
        let roundings = bodies.chain(walls).filter_map(|(owner, shape)| self.rounding(&owner, shape));
        let thin = self.bodies.iter().filter_map(|body| self.thinness(body));
        let sampled = || self.bodies.iter().zip(&samples.bodies);
        let few = sampled().filter_map(|(body, sample)| self.fewness(body, sample));
        let near = self.near_matter(samples);
        let bare = sampled().filter_map(|(body, sample)| self.bareness(body, sample, near.as_ref()?));
        let starts = self.bodies.iter().zip(&samples.compressions);
        let compressed = starts.filter_map(|(body, start)| compressed(body, start.as_ref()?));
        roundings.chain(thin).chain(few).chain(bare).chain(compressed).chain(sweeps(self, samples)).collect()
    }

    /// A body of so few particles that it is not resolved at all: fewer than two along each axis.
    fn fewness(&self, body: &Body, sample: &BodySample) -> Option<String> {
        let count = sample.count();
        let fewest = if body.fill == Fill::Volume { 1 << self.world.dimension } else { 2 };
        (count < fewest).then(|| {
            let particles = if count == 1 { "1 particle".to_owned() } else { format!("{count} particles") };
            format!(
                "body `{}` is but {particles}, too few to behave as matter: is its unit right, or the spacing of {} m too \
                 large?",
                body.name,
                plain(self.world.spacing)
            )
        })
    }

    /// All particles of bodies, unless all of these are boxes.
    fn near_matter(&self, samples: &Samples) -> Option<Near> {
        let all = || samples.bodies.iter().flat_map(|sample| sample.at_rest());
        let is_needed = samples.bodies.iter().any(|sample| !sample.is_block());
        is_needed.then(|| Near::of(all(), FAR * self.world.spacing))
    }

    /// A body with parts that no particle is near to, since they are thinner than a spacing.
    fn bareness(&self, body: &Body, sample: &BodySample, near: &Near) -> Option<String> {
        let looks = body.fill == Fill::Volume && !sample.is_block();
        let (share, bare) = looks.then(|| sample.bare(near, usize::from(self.world.dimension)))??;
        (share > BARE).then(|| {
            format!(
                "body `{}` has parts thinner than the spacing of {} m, where no particles are: {:.0} % of its surface, as at \
                 {}; a smaller spacing fills them",
                body.name,
                plain(self.world.spacing),
                100.0 * share,
                point(bare)
            )
        })
    }

    /// An elastic box that is but a row of particles.
    fn thinness(&self, body: &Body) -> Option<String> {
        let Shape::Box(shape) = &body.shape else { return None };
        self.materials.get(&body.material)?.elastic.as_ref()?;
        let Lattice { cells, axes, .. } = Lattice::of_box(shape, &self.world);
        let is_row = cells[..axes].iter().filter(|&&cells| cells <= 1).count() + 1 >= axes;
        is_row.then(|| {
            format!(
                "body `{}` is a row of particles: it resists being pulled, but not being bent; with a smaller spacing it \
                 has a volume",
                body.name
            )
        })
    }

    /// A box whose edges are no multiples of the spacing.
    fn rounding(&self, owner: &str, shape: &Shape) -> Option<String> {
        let Shape::Box(shape @ BoxShape { min, max, rounding: 0.0 }) = shape else { return None };
        let size = (self.world.flat(*max) - self.world.flat(*min)).to_array();
        let lattice = Lattice::of_box(shape, &self.world);
        let effective = (lattice.far_corner() - lattice.corner).to_array();
        let axis = (0..3).find(|&axis| (size[axis] - effective[axis]).abs() > 1e-3 * self.world.spacing)?;
        let [x, y, z] = effective.map(|edge| plain((edge * 1e6).round() / 1e6));
        let size = plain((size[axis] * 1e6).round() / 1e6);
        let spacing = plain(self.world.spacing);
        let axis = ["x", "y", "z"][axis];
        Some(format!(
            "{owner} is {size} m in {axis}, which is no multiple of the spacing {spacing} m; it becomes {x} x {y} x {z} m"
        ))
    }
}

/// A fluid that has less room than it needs, however its particles lie.
fn compressed(body: &Body, start: &Compression) -> Option<String> {
    (start.excess > COMPRESSED).then(|| {
        format!(
            "body `{}` starts compressed by {:.0} %, at {}: it will spring apart; leave it more room between walls and \
             other bodies",
            body.name,
            100.0 * start.excess,
            point(start.place)
        )
    })
}

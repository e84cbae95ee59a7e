//! What is legal but perhaps not meant.

use crate::sampling::Lattice;
use crate::wording::plain;
use crate::{Body, BoxShape, Description, Shape};

impl Description {
    /// What is legal but perhaps not meant, a sentence each.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let bodies = self.bodies.iter().map(|body| (format!("body `{}`", body.name), &body.shape));
        let walls = self.walls.iter().map(|wall| (format!("wall `{}`", wall.name), &wall.shape));
        let roundings = bodies.chain(walls).filter_map(|(owner, shape)| self.rounding(&owner, shape));
        roundings.chain(self.bodies.iter().filter_map(|body| self.thinness(body))).collect()
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

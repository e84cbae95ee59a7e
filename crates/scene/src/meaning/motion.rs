//! Fields, paths and velocities that make no sense.

use glam::{DMat3, DVec3};
use thixo_sim::{FieldKind, Region, RegionBox};

use super::{Finding, ends_early, finding, out_of_range, point};
use crate::document::Path;
use crate::motion::{Deformation, FormulaFault, LinearDeformation, VectorField, VelocityField};
use crate::sampling::Samples;
use crate::wording::plain;
use crate::{Body, Description, Vector};

pub(super) fn findings(scene: &Description, found: &mut Vec<Finding>) {
    let root = Path::default();
    fields(scene, &root.key("fields"), found);
    for (k, wall) in scene.walls.iter().enumerate() {
        let Some((keyframe, fault)) = wall.motion().and_then(|path| path.fault()) else { continue };
        let path = root.key("walls").index(k).key("path").index(keyframe);
        let message = format!("wall `{}` cannot follow its path: {fault}", wall.name);
        found.push(finding(path, message, "times increase, and a path has one axis and one centre"));
    }
    for (k, body) in scene.bodies.iter().enumerate() {
        let path = root.key("bodies").index(k);
        if let Some(field) = &body.velocity_field {
            let path = path.key("velocity_field");
            match field {
                VelocityField::Rotation(rotation) => axis(path.key("rotation").key("axis"), rotation.axis, found),
                VelocityField::Formula(_) => {
                    formula(path.key("formula"), field.field(&scene.world), "a velocity", found)
                }
                VelocityField::Linear(_) => {}
            }
        }
        if let Some(deformation) = &body.deformation {
            deformed(scene, body, deformation, &path.key("deformation"), found);
        }
    }
}

/// A formula that cannot be read.
fn formula(path: Path, read: Result<VectorField, FormulaFault>, what: &str, found: &mut Vec<Finding>) {
    if let Err((key, cause)) = read {
        let help = "a formula is such as `0.4 + 0.1 * sin(6 * x)`, with `x`, `y` and `z`";
        found.push(finding(path.key(key), format!("{what} makes no sense: {cause}"), help));
    }
}

/// Only what is elastic remembers its shape, and it must not be turned inside out.
fn deformed(scene: &Description, body: &Body, deformation: &Deformation, path: &Path, found: &mut Vec<Finding>) {
    if !scene.is_elastic(body) {
        let message = format!("body `{}` is deformed, but its material `{}` is not elastic", body.name, body.material);
        let why =
            if scene.is_rigid(body) { "what is rigid keeps its shape" } else { "what flows has no shape at rest" };
        found.push(finding(path.clone(), message, format!("{why}; leave `deformation` out")));
    }
    match deformation {
        Deformation::Formula(_) => {
            formula(path.key("formula"), deformation.field(&scene.world), "a deformation", found);
        }
        Deformation::Linear(LinearDeformation { gradient, .. }) => {
            let mut rows = DMat3::from_cols_array_2d(gradient);
            if scene.world.dimension == 2 {
                (rows.x_axis.z, rows.y_axis.z, rows.z_axis) = (0.0, 0.0, DVec3::Z);
            }
            let volume = rows.determinant();
            if volume.is_nan() || volume <= 0.0 {
                let message = format!("the gradient leaves {} of a volume of 1", plain(volume));
                let help = "its determinant must be positive; `[[1, 0, 0], [0, 1, 0], [0, 0, 1]]` changes nothing";
                found.push(finding(path.key("linear").key("gradient"), message, help));
            }
        }
    }
}

/// Velocities and places of particles that formulas have no value for.
pub(super) fn starts(scene: &Description, samples: &Samples, found: &mut Vec<Finding>) {
    for (k, (body, sample)) in scene.bodies.iter().zip(&samples.bodies).enumerate() {
        let path = Path::default().key("bodies").index(k);
        let lost = |what: &str, place: DVec3| format!("{what} of `{}` has no value at {}", body.name, point(place));
        let help = "a formula needs a value for every particle";
        if let Some(Deformation::Formula(_)) = body.deformation {
            let none = sample.at_rest().zip(sample.positions()).find(|(_, start)| !start.is_finite());
            let path = path.key("deformation").key("formula");
            found.extend(none.map(|(place, _)| finding(path, lost("the deformation", place), help)));
        }
        if let Some(VelocityField::Formula(_)) = body.velocity_field {
            let velocity_at = body.start_velocity(&scene.world, sample);
            let none = sample.positions().find(|place| place.is_finite() && !velocity_at(*place).is_finite());
            let path = path.key("velocity_field").key("formula");
            found.extend(none.map(|place| finding(path, lost("the velocity", place), help)));
        }
    }
}

fn fields(scene: &Description, list: &Path, found: &mut Vec<Finding>) {
    for (k, field) in scene.fields.iter().enumerate() {
        let path = list.index(k);
        out_of_range(path.clone(), field, found);
        if let Some(until) = field.until.filter(|&until| until <= field.from) {
            found.push(ends_early(&path, &format!("field `{}`", field.name), [field.from, until]));
        }
        if let FieldKind::Vortex(vortex) = &field.kind {
            axis(path.key("vortex").key("axis"), vortex.axis.map(f64::from), found);
        }
        if let Some(Region::Box(RegionBox { min, max })) = &field.region {
            let axes = usize::from(scene.world.dimension);
            if (0..axes).any(|axis| max[axis] <= min[axis]) {
                let message = format!("the region of field `{}` has no inside", field.name);
                let help = "every number of `max` must be greater than that of `min`";
                found.push(finding(path.key("region").key("box").key("max"), message, help));
            }
        }
    }
}

fn axis(path: Path, axis: Vector, found: &mut Vec<Finding>) {
    if DVec3::from_array(axis).try_normalize().is_none() {
        found.push(finding(path, "the axis is zero".into(), "`[0, 0, 1]` is along z"));
    }
}

//! Fields, paths and velocities that make no sense.

use glam::DVec3;
use thixo_sim::{FieldKind, Region, RegionBox};

use super::{Finding, ends_early, finding, out_of_range};
use crate::document::Path;
use crate::motion::VelocityField;
use crate::{Description, Vector};

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
        if let Some(VelocityField::Rotation(rotation)) = &body.velocity_field {
            let path = root.key("bodies").index(k).key("velocity_field").key("rotation");
            axis(path.key("axis"), rotation.axis, found);
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

//! Cameras that stand somewhere, ranges that have two ends.

use super::{Finding, finding};
use crate::Description;
use crate::document::Path;
use crate::wording::plain;

/// Most pixels of a picture.
const MOST_PIXELS: u64 = 1 << 26;

/// Everything in what is said about pictures that makes no sense.
pub(super) fn findings(scene: &Description, found: &mut Vec<Finding>) {
    let root = Path::default();
    if let Some(camera) = &scene.camera
        && camera.from.is_some()
        && camera.from == camera.look_at
    {
        let message = "the camera stands at the very point it looks at".into();
        let other = Some(root.key("camera").key("look_at"));
        let help = "move `from` away from `look_at`, or leave one of them out".into();
        found.push(Finding { path: root.key("camera").key("from"), message, help, other });
    }
    let Some(images) = &scene.output.images else { return };
    let path = root.key("output").key("images");
    if let Some([low, high]) = images.range
        && low >= high
    {
        let message = format!("the range goes from {} to {}, which is no range", plain(low), plain(high));
        found.push(finding(path.key("range"), message, "write the smaller value first"));
    }
    let [width, height] = images.size;
    if u64::from(width) * u64::from(height) > MOST_PIXELS {
        let message = format!("{width} times {height} pixels are too many; there may be {MOST_PIXELS}");
        found.push(finding(path.key("size"), message, "make the picture smaller"));
    }
}

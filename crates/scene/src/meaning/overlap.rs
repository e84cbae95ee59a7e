//! Bodies that fill the same space.

use super::space::point;
use super::{Finding, finding};
use crate::Description;
use crate::document::Path;
use crate::sampling::BodySample;

/// No two bodies may fill the same space. Of each body only the first overlap is told: a pile of copies has too many.
pub(super) fn findings(scene: &Description, samples: &[BodySample], found: &mut Vec<Finding>) {
    let root = Path::default();
    for (second, own) in samples.iter().enumerate() {
        let meets = |other: &BodySample| own.first_overlap(other).or_else(|| other.first_overlap(own));
        let mut earlier = samples[..second].iter().enumerate().filter(|&(first, _)| {
            let [a, b] = [first, second].map(|k| &scene.bodies[k].name);
            !scene.is_settled(first, second) && !scene.are_parted(a, b)
        });
        let Some((first, position)) = earlier.find_map(|(first, other)| Some((first, meets(other)?))) else { continue };
        let (a, b) = (&scene.bodies[first].name, &scene.bodies[second].name);
        let message = format!("bodies `{a}` and `{b}` overlap at {}", point(position));
        let path = root.key("bodies").index(second).key("shape");
        let help = format!(
            "move or shrink `{b}` or `{a}`; they may share faces; or let one lose its particles there: by a lower \
             `priority`, or `overlap = \"give_way\"`"
        );
        let other = Some(root.key("bodies").index(first).key("shape"));
        found.push(Finding { other, ..finding(path, message, help) });
    }
}

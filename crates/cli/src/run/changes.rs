//! What has changed in `run.toml` since the checkpoint was made from which a run goes on.
//!
//! Every checkpoint holds the text of the scene that it was made with. What says how long the run lasts and what is
//! written or drawn of it may change in between, and is told. How steps are made may change if that is asked for. All
//! else has become state, or a column of a file that is there already: a change would be ignored, or half in effect.

use std::path::Path;

use thixo_scene::{Scene, WrittenScene};
use toml::Value;

use crate::console::{self, typed};
use crate::failure::Failure;

/// What may change between two sessions.
const FREE: [&str; 4] = ["time.end", "output", "camera", "world.energy_gain"];

/// What may change if it is asked for.
const ON_PURPOSE: [&str; 2] = ["time.step", "pressure"];

/// A value that is another one now, in words.
#[derive(Debug, PartialEq)]
struct Change {
    /// Where it is: `bodies.pool.velocity`.
    path: String,
    before: String,
    now: String,
}

impl Change {
    fn is_below(&self, paths: &[&str]) -> bool {
        let rest = |path: &&str| self.path.strip_prefix(*path);
        paths.iter().filter_map(rest).any(|rest| rest.is_empty() || rest.starts_with('.'))
    }

    fn is_free(&self) -> bool {
        let is_skin = || self.path.split('.').nth(2) == Some("skin");
        self.is_below(&FREE) || (self.is_below(&["bodies"]) && is_skin())
    }

    fn line(&self) -> String {
        format!("  {}: {} before, {} now", self.path, self.before, self.now)
    }
}

/// Tells what has changed since the scene was `before`; refuses what may not, or only if `on_purpose`.
pub(super) fn announce(root: &Path, before: &str, scene: &Scene, on_purpose: bool) -> Result<(), Failure> {
    let name = format!("{}/run.toml", root.display());
    let old = WrittenScene::parse(&name, before).and_then(|written| written.beside(root).check(&[]));
    let values = |scene: &Scene| scene.to_toml().ok().and_then(|text| text.parse().ok()).map(Value::Table);
    let Some((old, new)) = old.ok().as_ref().and_then(values).zip(values(scene)) else {
        console::warn(format_args!("{name} was changed, and it cannot be told what it was before"));
        return Ok(());
    };
    let mut changes = Vec::new();
    compare(Some(&old), Some(&new), "", &mut changes);
    changes.retain(|change| !change.is_below(&["provenance"]));
    let lines = |changes: &[&Change]| changes.iter().map(|change| change.line()).collect::<Vec<_>>().join("\n");
    let is_steps = |change: &&Change| change.is_below(&ON_PURPOSE);
    let (free, rest): (Vec<_>, Vec<_>) = changes.iter().partition(|change| change.is_free());
    let (steps, state): (Vec<_>, Vec<_>) = rest.into_iter().partition(is_steps);
    if !state.is_empty() {
        return Err(Failure::BadInput(format!(
            "{name} was changed since the last checkpoint, and this cannot change in the middle of a run:\n{}\nput the \
             old values back, or start anew: thixo run {} -o FOLDER",
            lines(&state),
            typed(&root.join("run.toml"))
        )));
    }
    if !steps.is_empty() && !on_purpose {
        return Err(Failure::BadInput(format!(
            "{name} was changed since the last checkpoint; the run would go on in another way than it began:\n{}\nput the \
             old values back, or say that you mean it: thixo run --resume {} --changed",
            lines(&steps),
            typed(root)
        )));
    }
    let told: Vec<_> = free.into_iter().chain(steps).collect();
    if !told.is_empty() {
        console::tell(format_args!("{name} was changed since the last checkpoint:\n{}", lines(&told)));
    }
    Ok(())
}

/// Finds all values that differ.
fn compare(before: Option<&Value>, now: Option<&Value>, path: &str, changes: &mut Vec<Change>) {
    let inner = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    match (before, now) {
        (Some(before), Some(now)) if before == now => {}
        (Some(Value::Table(before)), Some(Value::Table(now))) => {
            let added = now.keys().filter(|key| !before.contains_key(*key));
            for key in before.keys().chain(added) {
                compare(before.get(key), now.get(key), &inner(key), changes);
            }
        }
        (Some(Value::Array(before)), Some(Value::Array(now)))
            if before.len() == now.len() && before.iter().all(Value::is_table) =>
        {
            for (k, (before, now)) in before.iter().zip(now).enumerate() {
                let name = before.get("name").and_then(Value::as_str);
                compare(Some(before), Some(now), &inner(name.unwrap_or(&k.to_string())), changes);
            }
        }
        _ => changes.push(Change { path: path.into(), before: words(before), now: words(now) }),
    }
}

/// A value in a few words.
fn words(value: Option<&Value>) -> String {
    const LONGEST: usize = 60;
    match value {
        None => "nothing".into(),
        Some(Value::Array(list)) if list.iter().any(Value::is_table) => format!("{} of them", list.len()),
        Some(value) => {
            let text = value.to_string().replace('\n', " ");
            if text.chars().count() <= LONGEST {
                text
            } else {
                text.chars().take(LONGEST).chain("...".chars()).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_found_and_judged() {
        let before = "time = { end = 1, fps = 30 }\nworld.gravity = [0, 1, 2]\n[[bodies]]\nname = 'a'\npriority = 1";
        let now = "time = { end = 2, fps = 30, step.fixed = 0.1 }\nworld.gravity = [0, 1, 3]\n[[bodies]]\nname = 'a'\n\
                   priority = 2\nskin.file = 'x'";
        let parse = |text: &str| Value::Table(text.parse().unwrap());
        let mut changes = Vec::new();
        compare(Some(&parse(before)), Some(&parse(now)), "", &mut changes);
        changes.sort_by(|a, b| a.path.cmp(&b.path));
        let judged: Vec<_> = changes.iter().map(|c| (c.path.as_str(), c.is_free(), c.is_below(&ON_PURPOSE))).collect();
        let expected = [
            ("bodies.a.priority", false, false),
            ("bodies.a.skin", true, false),
            ("time.end", true, false),
            ("time.step", false, true),
            ("world.gravity", false, false),
        ];
        assert_eq!(judged, expected);
        assert_eq!(changes[4].line(), "  world.gravity: [0, 1, 2] before, [0, 1, 3] now");
    }
}

//! `report.html`: what a run was like, on one page that needs no other file.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use serde::Deserialize;
use thixo_frames::whole;
use thixo_render::Image;
use thixo_render::plot::{Plot, STYLE, escape};
use thixo_scene::Scene;

use crate::VERSION;
use crate::run::folder::Folder;

/// Points of a curve; a longer log is averaged.
const POINTS: usize = 400;
/// Stages that are drawn: those that take longest.
const STAGES: usize = 6;
/// The picture is not wider than this [pixels].
const WIDEST: u32 = 960;

/// Writes the report of a run from what its folder holds. The error says what could not be written.
pub(crate) fn write(folder: &Folder, scene: &Scene) -> Result<(), String> {
    let log = Log::read(&folder.log());
    let page = page(folder, scene, &log);
    whole::write(&folder.report(), |out| out.write_all(page.as_bytes())).map_err(|error| error.to_string())
}

/// A row of the log, as far as this version or an older one writes it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Row {
    time: f64,
    dt: f64,
    tries: f64,
    /// Of the pressure solver.
    iterations: Option<f64>,
    density_error: f64,
    worst_density_error: f64,
    fastest: f64,
    kinetic_energy: Option<f64>,
    potential_energy: Option<f64>,
    compression_energy: Option<f64>,
    /// In rows with a balance of energy.
    deformation_energy: Option<f64>,
    work: Option<f64>,
    energy_from_nowhere: Option<f64>,
    energy_turned_over: Option<f64>,
    momentum: Option<[f64; 3]>,
    /// In rows of steps that end at a frame.
    rigid_bodies: Vec<RigidRow>,
    ms: f64,
    stages_ms: BTreeMap<String, f64>,
}

/// How a rigid body is.
#[derive(Clone, Debug, Deserialize)]
struct RigidRow {
    name: String,
    centre: [f64; 3],
    turn: [f64; 4],
    velocity: [f64; 3],
    spin: [f64; 3],
}

/// The rows of a log, thinned out.
struct Log {
    rows: Vec<Row>,
    steps: usize,
    /// Wall time of all steps [s].
    seconds: f64,
}

impl Log {
    /// Reads a log; rows that make no sense are passed over. A missing log has no rows.
    fn read(path: &Path) -> Log {
        let lines = || File::open(path).map(|file| BufReader::new(file).lines().map_while(Result::ok));
        let steps = lines().map_or(0, Iterator::count);
        let group = steps.div_ceil(POINTS).max(1);
        let mut log = Log { rows: Vec::new(), steps, seconds: 0.0 };
        let mut members = Vec::with_capacity(group);
        for row in lines().into_iter().flatten().filter_map(|line| serde_json::from_str::<Row>(&line).ok()) {
            log.seconds += 1e-3 * row.ms;
            members.push(row);
            if members.len() == group {
                log.rows.push(Row::of_group(&members));
                members.clear();
            }
        }
        if !members.is_empty() {
            log.rows.push(Row::of_group(&members));
        }
        log
    }

    fn curve(&self, value: impl Fn(&Row) -> f64) -> Vec<(f64, f64)> {
        self.rows.iter().map(|row| (row.time, value(row))).collect()
    }

    /// Nothing if no row has such a value.
    fn sparse(&self, value: impl Fn(&Row) -> Option<f64>) -> Option<Vec<(f64, f64)>> {
        let points: Vec<_> = self.rows.iter().filter_map(|row| Some((row.time, value(row)?))).collect();
        (!points.is_empty()).then_some(points)
    }

    fn plots(&self) -> Vec<Plot> {
        let time = "simulated time [s]";
        let plot = |title, y| Plot::new(title, time, y);
        let mut plots = vec![
            plot("Time step", "[s]").line("dt", self.curve(|row| row.dt)),
            plot("Compression", "[%]")
                .line("mean", self.curve(|row| 100.0 * row.density_error))
                .line("worst particle", self.curve(|row| 100.0 * row.worst_density_error)),
            plot("Speed of the fastest particle", "[m/s]").line("fastest", self.curve(|row| row.fastest)),
        ];
        if let Some(iterations) = self.sparse(|row| row.iterations) {
            plots.push(plot("Iterations of the pressure solver", "[-]").line("iterations", iterations));
        }
        plots.extend(self.energies(plot("Energy", "[J]")));
        if let Some(gain) = self.sparse(|row| Some(100.0 * row.energy_from_nowhere? / row.energy_turned_over?)) {
            plots.push(plot("Energy from nowhere, of what was turned over", "[%]").line("gain", gain));
        }
        let momentum = ["x", "y", "z"]
            .iter()
            .enumerate()
            .filter_map(|(axis, name)| self.sparse(|row| Some(row.momentum?[axis])).map(|points| (name, points)));
        let momentum: Vec<_> = momentum.collect();
        if !momentum.is_empty() {
            let lines = momentum.into_iter();
            plots.push(lines.fold(plot("Momentum", "[kg m/s]"), |plot, (name, points)| plot.line(name, points)));
        }
        if self.rows.iter().any(|row| row.tries > 1.0) {
            plots.push(plot("Tries of a step", "[-]").line("tries", self.curve(|row| row.tries)));
        }
        plots.push(self.stages(plot("Wall time of a step", "[ms]").line("all of it", self.curve(|row| row.ms))));
        plots
    }

    /// A table of the rigid bodies as they were at the last frame; nothing if there are none.
    fn rigid_bodies(&self) -> String {
        let Some(row) = self.rows.iter().rfind(|row| !row.rigid_bodies.is_empty()) else { return String::new() };
        let vector = |numbers: &[f64; 3]| numbers.map(|number| format!("{number:.4}")).join(", ");
        let length = |numbers: &[f64; 3]| numbers.iter().map(|number| number * number).sum::<f64>().sqrt();
        let mut table = format!(
            "<table><caption>Rigid bodies at {:.4} s</caption>\n<tr><th>body</th><th>centre of mass [m]</th>\
             <th>turned by [°]</th><th>speed [m/s]</th><th>spin [rad/s]</th></tr>\n",
            row.time
        );
        for RigidRow { name, centre, turn: [x, y, z, w], velocity, spin } in &row.rigid_bodies {
            let turned = 2.0 * length(&[*x, *y, *z]).atan2(w.abs()).to_degrees();
            // Writing into a string cannot fail.
            let _ = writeln!(
                table,
                "<tr><td>{}</td><td>{}</td><td>{turned:.1}</td><td>{:.4}</td><td>{}</td></tr>",
                escape(name),
                vector(centre),
                length(velocity),
                vector(spin)
            );
        }
        table + "</table>\n"
    }

    /// All forms of energy and their sum, at the moments at which all are known; in logs of early versions without deformation.
    fn energies(&self, plot: Plot) -> Option<Plot> {
        type Form = (&'static str, fn(&Row) -> Option<f64>);
        let forms: [Form; 4] = [
            ("kinetic", |row| row.kinetic_energy),
            ("of height", |row| row.potential_energy),
            ("of compression", |row| row.compression_energy),
            ("of deformation", |row| row.deformation_energy),
        ];
        let known: Vec<_> =
            forms.into_iter().filter(|(_, form)| self.rows.iter().any(|row| form(row).is_some())).collect();
        let total = |row: &Row| known.iter().map(|(_, form)| form(row)).sum::<Option<f64>>();
        let sum = self.sparse(total).filter(|_| !known.is_empty())?;
        let at_all = |form: fn(&Row) -> Option<f64>| self.sparse(|row| total(row).and(form(row))).unwrap_or_default();
        let plot = known.iter().fold(plot, |plot, (name, form)| plot.line(name, at_all(*form)));
        let plot = match self.sparse(|row| row.work).filter(|work| work.iter().any(|(_, work)| *work != 0.0)) {
            Some(work) => plot.line("work from outside", work),
            None => plot,
        };
        Some(plot.line("sum", sum))
    }

    fn stages(&self, plot: Plot) -> Plot {
        let mut sums: BTreeMap<&str, f64> = BTreeMap::new();
        for (name, ms) in self.rows.iter().flat_map(|row| &row.stages_ms) {
            *sums.entry(name).or_default() += ms;
        }
        let mut stages: Vec<_> = sums.into_iter().collect();
        stages.sort_by(|a, b| b.1.total_cmp(&a.1));
        stages.iter().take(STAGES - 1).fold(plot, |plot, (name, _)| {
            plot.line(name, self.curve(|row| row.stages_ms.get(*name).copied().unwrap_or(0.0)))
        })
    }
}

impl Row {
    /// The means of some rows; of extremes, the largest. The time is that of the last.
    fn of_group(rows: &[Row]) -> Row {
        let Some(last) = rows.last() else { return Row::default() };
        // Energies belong to one moment.
        let balanced = rows.iter().rfind(|row| row.deformation_energy.is_some()).unwrap_or(last);
        let count = rows.len() as f64;
        let mean = |value: &dyn Fn(&Row) -> f64| rows.iter().map(value).sum::<f64>() / count;
        let most = |value: &dyn Fn(&Row) -> f64| rows.iter().map(value).fold(f64::NEG_INFINITY, f64::max);
        let stage = |name: &String| mean(&|row| row.stages_ms.get(name).copied().unwrap_or(0.0));
        Row {
            dt: mean(&|row| row.dt),
            tries: most(&|row| row.tries),
            iterations: last.iterations.map(|_| mean(&|row| row.iterations.unwrap_or(0.0))),
            density_error: mean(&|row| row.density_error),
            worst_density_error: most(&|row| row.worst_density_error),
            fastest: most(&|row| row.fastest),
            ms: mean(&|row| row.ms),
            stages_ms: last.stages_ms.keys().map(|name| (name.clone(), stage(name))).collect(),
            time: last.time,
            momentum: last.momentum,
            rigid_bodies: rows.iter().rfind(|row| !row.rigid_bodies.is_empty()).unwrap_or(last).rigid_bodies.clone(),
            ..balanced.clone()
        }
    }
}

fn page(folder: &Folder, scene: &Scene, log: &Log) -> String {
    let name = folder.root().file_name().map_or_else(|| "run".into(), |name| name.to_string_lossy());
    let name = escape(&name);
    let version = scene.provenance.as_ref().map_or(VERSION, |origin| origin.version.as_str());
    let time = log.rows.last().map_or(0.0, |row| row.time);
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>thixo: {name}</title>\n\
         <style>{STYLE}</style></head><body>\n<h1>{name}</h1>\n\
         <p>thixo {}: {time:.4} s of {} s in {} steps, {:.1} s of wall time.</p>\n",
        escape(version),
        scene.time.end,
        log.steps,
        log.seconds,
    );
    if let Ok(Some((number, picture))) = last_picture(folder) {
        // Writing into a string cannot fail.
        let _ =
            writeln!(html, "<p><img alt=\"frame {number}\" src=\"data:image/png;base64,{}\"></p>", base64(&picture));
    }
    html += &log.rigid_bodies();
    log.plots().iter().for_each(|plot| html += &plot.svg());
    html + "</body></html>\n"
}

/// The last picture, small enough for a page, and its number: of the scene's own look if there is one.
fn last_picture(folder: &Folder) -> io::Result<Option<(u64, Vec<u8>)>> {
    let last = folder.albums()?.iter().find_map(|album| album.pictures().ok()?.pop());
    let Some((number, path)) = last else { return Ok(None) };
    let image = Image::read_png(io::Cursor::new(fs::read(path)?))?;
    let mut file = Vec::new();
    image.shrunk(WIDEST).write_png(&mut file, "")?;
    Ok(Some((number, file)))
}

/// Bytes as text, six bits to a letter (RFC 4648).
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let bits = group.iter().fold(0_u32, |bits, &byte| bits << 8 | u32::from(byte)) << (8 * (3 - group.len()));
        for place in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * place) & 63) as usize];
            text.push(if place <= group.len() { letter as char } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_as_in_the_standard() {
        let pairs =
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("foobar", "Zm9vYmFy")];
        for (plain, coded) in pairs {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
    }

    #[test]
    fn long_logs_are_averaged_and_damaged_rows_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.jsonl");
        let rows: String = (0..4000)
            .map(|k| format!("{{\"time\":{k},\"dt\":{},\"worst_density_error\":{},\"ms\":2}}\n", k % 10, k % 7))
            .collect();
        fs::write(&path, rows + "{\"time\":").unwrap();
        let log = Log::read(&path);
        assert_eq!((log.rows.len(), log.steps), (364, 4001));
        assert!((log.seconds - 8.0).abs() < 1e-9);
        assert_eq!((log.rows[0].time, log.rows[0].dt), (10.0, 45.0 / 11.0));
        assert_eq!(log.rows[0].worst_density_error, 6.0);
        assert!(Log::read(&folder.path().join("none")).rows.is_empty());
    }
}

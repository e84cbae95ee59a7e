//! Judges what a run has left.

use std::fs;
use std::path::Path;

use thixo_frames::{ColumnValues, Format, list_frames, read_native};

use super::drawing::Check;
use crate::sandbox::Ended;

const GRAVITY: f64 = 9.81;

/// The energy that may come from nowhere, as a share of what was turned over.
const GAIN: f64 = 0.02;

/// By how much all that a body consists of may rise because it finds its places [spacings].
const RISE: f64 = 0.1;

/// Of most matter [kg/m^3].
const DENSITY: f64 = 1000.0;

/// A particle that a jet throws is faster than one that falls, but not so many times.
const JET: f64 = 4.0;

/// What a run did, and what is wrong with it.
pub(super) struct Verdict {
    pub(super) told: String,
    pub(super) wrong: Vec<String>,
}

impl Verdict {
    pub(super) fn of(ended: &Ended, folder: &Path, check: &Check) -> Verdict {
        if ended.code != Some(0) {
            let reason = ended.stderr.lines().find(|line| line.starts_with("error")).or(ended.stderr.lines().last());
            return Verdict {
                told: format!("ends with {:?}", ended.code),
                wrong: vec![reason.unwrap_or_default().to_owned()],
            };
        }
        let log = fs::read_to_string(folder.join("log.jsonl")).unwrap();
        let fastest: Vec<f64> = log.lines().map(|row| number_in(row, "fastest")).collect();
        let energies = energies(folder);
        let (begin, end) = (energies[0], fastest.last().copied().unwrap_or(f64::NAN));
        let highest = fastest.iter().copied().reduce(|most, speed| if exceeds(speed, most) { speed } else { most });
        let highest = highest.unwrap_or(f64::NAN);
        let lowest_potential = energies.iter().map(|e| e.potential).fold(f64::INFINITY, f64::min);
        let turned_over = begin.kinetic + (begin.potential - lowest_potential);
        let gained = energies.iter().map(|e| e.total - begin.total).fold(f64::NEG_INFINITY, f64::max);
        let places = positions(folder);
        let weight = DENSITY * GRAVITY * places.len() as f64 * check.spacing.powi(check.dimension);
        let allowed = GAIN * turned_over + RISE * check.spacing * weight;

        let mut wrong = Vec::new();
        let fall = (check.first_speed.powi(2) + 2.0 * GRAVITY * (check.max[1] - check.min[1])).sqrt();
        if exceeds(highest, JET * fall) {
            wrong.push(format!("a particle has {highest:.1} m/s, where a fall gives {fall:.1}"));
        }
        if exceeds(gained, allowed) {
            wrong.push(format!("{gained:.3} J are gained, of {turned_over:.3} turned over and {allowed:.3} allowed"));
        }
        if let Some(spacing) = check.rests {
            let quiet = 0.1 * (GRAVITY * spacing).sqrt();
            if exceeds(end, quiet) {
                wrong.push(format!("{end:.3} m/s in the end, where less than {quiet:.3} is rest"));
            }
        }
        let outside = places.iter().filter(|place| !is_within(place, check)).count();
        if outside > 0 {
            wrong.push(format!("{outside} particles are outside the tank"));
        }
        let steps = fastest.len();
        Verdict { told: format!("{steps} steps, {end:.3} m/s in the end, {highest:.2} at most, {gained:.3} J"), wrong }
    }
}

/// Is it too much, or no number?
fn exceeds(value: f64, bound: f64) -> bool {
    value.is_nan() || value >= bound
}

fn is_within(place: &[f64; 3], check: &Check) -> bool {
    let axis =
        |k: usize| place[k] > check.min[k] - 0.5 * check.spacing && place[k] < check.max[k] + 0.5 * check.spacing;
    axis(0) && axis(1) && (check.dimension == 2 || axis(2))
}

fn number_in(row: &str, key: &str) -> f64 {
    let row: serde_json::Value = serde_json::from_str(row).unwrap();
    row[key].as_f64().unwrap_or(f64::NAN)
}

/// The energies after a step [J].
#[derive(Clone, Copy)]
struct Energies {
    kinetic: f64,
    potential: f64,
    total: f64,
}

/// One row after each step.
fn energies(folder: &Path) -> Vec<Energies> {
    let text = fs::read_to_string(folder.join("probes.csv")).unwrap();
    let names: Vec<_> = text.lines().next().unwrap().split(',').collect();
    let column = |name: &str| names.iter().position(|other| *other == format!("all.{name} [J]")).unwrap();
    let [kinetic, potential, compression, deformation] =
        ["kinetic", "potential", "compression", "deformation"].map(column);
    let rows = text.lines().skip(1).map(|row| {
        let values: Vec<f64> = row.split(',').map(|value| value.parse().unwrap()).collect();
        let total = values[kinetic] + values[potential] + values[compression] + values[deformation];
        Energies { kinetic: values[kinetic], potential: values[potential], total }
    });
    rows.collect()
}

/// Where particles are in the last frame [m].
fn positions(folder: &Path) -> Vec<[f64; 3]> {
    let frames = list_frames(&folder.join("frames"), Format::Native).unwrap();
    let frame = read_native(&frames.last().unwrap().1).unwrap();
    match &frame.column("position").unwrap().values {
        ColumnValues::F32(values) => values.as_chunks().0.iter().map(|x: &[f32; 3]| x.map(f64::from)).collect(),
        ColumnValues::F64(values) => values.as_chunks().0.to_vec(),
        ColumnValues::U32(_) => panic!("positions are no whole numbers"),
    }
}

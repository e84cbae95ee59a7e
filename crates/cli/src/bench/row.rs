//! What was measured, as a line for programs or a table for people.

use serde::Serialize;
use serde_json::{Map, Value};

use super::measure::Measured;
use crate::VERSION;
use crate::console::{bytes, duration};

const MIB: u64 = 1 << 20;

/// The figures of a case.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    scene: &'static str,
    /// Movable ones.
    particles: usize,
    boundary_particles: usize,
    threads: usize,
    steps: u64,
    /// [s]
    sim_time: f64,
    /// [s]
    dt_avg: f64,
    /// Wall time, from the end of the first step to the end of the last.
    ms_per_step: f64,
    /// Processor time of all threads, over the same steps.
    cpu_ms_per_step: Option<f64>,
    ns_per_particle_step: f64,
    setup_and_first_step_s: f64,
    peak_rss_mb: Option<u64>,
    /// What the case added to the memory of the process, for each particle and wall particle.
    bytes_per_particle: Option<f64>,
    /// The share of movable particles on which forces are found in a step: 1 unless steps are individual.
    forces_avg: f64,
    /// Iterations of the pressure solver in a step, for densities.
    iters_avg: f64,
    /// The same for velocities.
    iters_divergence_avg: f64,
    /// The same for implicit elasticity.
    iters_elastic_avg: f64,
    /// Height of the end of a clamped elastic body [m].
    #[serde(skip_serializing_if = "Option::is_none")]
    tip_end_y: Option<f64>,
    /// Mean over steps and particles of max(rho/rho0 - 1, 0).
    comp_avg_pct: f64,
    comp_max_pct: f64,
    /// Entries in the lists of neighbours, skin included, for each movable particle.
    pairs_per_particle: f64,
    neighbors_per_particle: f64,
    /// How often lists were made, after the first step.
    listings: u64,
    /// Stages of a step, wall time.
    timers_ms: Map<String, Value>,
    ns_per_particle: Map<String, Value>,
    ns_per_pair: Map<String, Value>,
    non_finite: bool,
    truncated: bool,
    instruction_set: &'static str,
    version: &'static str,
}

impl Row {
    pub(super) fn new(name: &'static str, measured: &Measured) -> Row {
        let repeated = measured.steps.saturating_sub(1).max(1) as f64;
        let particles = measured.movable.max(1) as f64;
        let ms_per_step = 1e3 * measured.stepping / repeated;
        let resident = measured.peak_resident.zip(measured.resident_before);
        let mut row = Row {
            scene: name,
            particles: measured.movable,
            boundary_particles: measured.walls,
            threads: rayon::current_num_threads(),
            steps: measured.steps,
            sim_time: measured.simulated,
            dt_avg: measured.simulated / measured.steps.max(1) as f64,
            ms_per_step,
            cpu_ms_per_step: measured.processor.map(|seconds| 1e3 * seconds / repeated),
            ns_per_particle_step: 1e6 * ms_per_step / particles,
            setup_and_first_step_s: measured.set_up,
            peak_rss_mb: measured.peak_resident.map(|bytes| bytes / MIB),
            bytes_per_particle: resident.map(|(peak, before)| {
                peak.saturating_sub(before) as f64 / (measured.movable + measured.walls).max(1) as f64
            }),
            forces_avg: measured.force_evaluations as f64 / (particles * measured.steps.max(1) as f64),
            iters_avg: measured.iterations[0] as f64 / measured.steps.max(1) as f64,
            iters_divergence_avg: measured.iterations[1] as f64 / measured.steps.max(1) as f64,
            iters_elastic_avg: measured.iterations[2] as f64 / measured.steps.max(1) as f64,
            tip_end_y: measured.tip,
            comp_avg_pct: 100.0 * measured.compression / measured.steps.max(1) as f64,
            comp_max_pct: 100.0 * measured.worst_compression,
            pairs_per_particle: measured.movable_pairs as f64 / particles,
            neighbors_per_particle: measured.neighbors,
            listings: measured.stages.iter().find(|stage| stage.name == "listing").map_or(0, |stage| stage.count),
            timers_ms: Map::new(),
            ns_per_particle: Map::new(),
            ns_per_pair: Map::new(),
            // What is not finite never leaves a step: the run breaks off instead.
            non_finite: false,
            truncated: measured.broken.is_some(),
            instruction_set: measured.instruction_set,
            version: VERSION,
        };
        for stage in &measured.stages {
            row.add_stage(stage.name, 1e3 * stage.time.as_secs_f64() / repeated, measured);
        }
        row
    }

    fn add_stage(&mut self, name: &str, ms: f64, measured: &Measured) {
        let (movable, walls) = (measured.movable_pairs, measured.wall_pairs);
        let pairs = match name {
            "listing" => movable + walls,
            "wall pressures" => walls,
            _ => movable,
        };
        let enter = |table: &mut Map<String, Value>, value: f64| table.insert(name.to_owned(), value.into());
        enter(&mut self.timers_ms, ms);
        enter(&mut self.ns_per_particle, 1e6 * ms / self.particles.max(1) as f64);
        enter(&mut self.ns_per_pair, 1e6 * ms / pairs.max(1) as f64);
    }

    /// One line.
    pub(super) fn json(&self) -> String {
        let line = serde_json::to_string(self).unwrap_or_else(|error| format!("{{\"error\":\"{error}\"}}"));
        format!("{line}\n")
    }

    /// A few lines.
    pub(super) fn table(&self) -> String {
        let mut text = format!(
            "{}: {} particles, {} of walls; {} steps to t = {:.4} s, {} threads, {}\n",
            self.scene,
            self.particles,
            self.boundary_particles,
            self.steps,
            self.sim_time,
            self.threads,
            self.instruction_set,
        );
        let memory = |per_particle: f64| {
            let peak = bytes(self.peak_rss_mb.unwrap_or_default() * MIB);
            format!(", {per_particle:.0} bytes per particle, peak {peak}")
        };
        text += &format!(
            "  {:.2} ms per step, {:.0} ns per particle and step; set-up {}{}\n",
            self.ms_per_step,
            self.ns_per_particle_step,
            duration(self.setup_and_first_step_s),
            self.bytes_per_particle.map(memory).unwrap_or_default(),
        );
        text += &format!(
            "  compression {:.4} % mean, {:.3} % worst; {:.1} neighbours, {:.1} listed, listed anew {} times\n",
            self.comp_avg_pct, self.comp_max_pct, self.neighbors_per_particle, self.pairs_per_particle, self.listings,
        );
        if self.iters_avg > 0.0 {
            text += &format!(
                "  {:.1} iterations for densities, {:.1} for velocities\n",
                self.iters_avg, self.iters_divergence_avg
            );
        }
        if self.iters_elastic_avg > 0.0 {
            text += &format!("  {:.1} iterations for elasticity\n", self.iters_elastic_avg);
        }
        text += "  stage              ms/step  share  ns/particle  ns/pair\n";
        let number = |table: &Map<String, Value>, name: &str| table.get(name).and_then(Value::as_f64).unwrap_or(0.0);
        for name in self.timers_ms.keys() {
            let ms = number(&self.timers_ms, name);
            text += &format!(
                "  {name:16} {ms:9.3} {:5.1}% {:12.2} {:8.3}\n",
                100.0 * ms / self.ms_per_step.max(f64::MIN_POSITIVE),
                number(&self.ns_per_particle, name),
                number(&self.ns_per_pair, name),
            );
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::cases::Case;
    use crate::bench::measure::measure;
    use thixo_sim::InstructionSet;

    /// 64 particles that fall and do not touch anything.
    const FALL: Case = Case {
        name: "fall",
        text: "world.spacing = 0.02\ntime = { end = 0.01, step.fixed = 0.001 }\nmaterials.water.density = 1000.0\n\
               [[bodies]]\nname = 'drop'\nmaterial = 'water'\n\
               shape.box = { min = [0.0, 0.0, 0.0], max = [0.08, 0.08, 0.08] }\n",
    };

    #[test]
    fn figures_of_a_small_case_add_up() {
        let measured = measure(&FALL, InstructionSet::Baseline).unwrap();
        let row: Value = serde_json::from_str(&Row::new(FALL.name, &measured).json()).unwrap();
        let number = |key: &str| row[key].as_f64().unwrap_or_else(|| panic!("{key} of {row}"));
        assert_eq!((number("particles"), number("boundary_particles"), number("steps")), (64.0, 0.0, 10.0));
        assert!((number("dt_avg") - 1e-3).abs() < 1e-9 && (number("sim_time") - 0.01).abs() < 1e-12);
        // Along an axis of 4, 10 ordered pairs are at most one cell apart, each particle with itself included.
        assert_eq!(number("neighbors_per_particle"), (10.0 * 10.0 * 10.0 - 64.0) / 64.0);
        assert!(number("comp_max_pct") < 1e-3 && number("comp_avg_pct") <= number("comp_max_pct"));
        assert_eq!((row["non_finite"].as_bool(), row["truncated"].as_bool()), (Some(false), Some(false)));
        assert_eq!(row["instruction_set"], "baseline");
        for key in ["threads", "setup_and_first_step_s", "iters_avg", "iters_elastic_avg", "listings"] {
            number(key);
        }
        let stages: f64 = row["timers_ms"].as_object().unwrap().values().filter_map(Value::as_f64).sum();
        assert!(stages > 0.0 && stages <= number("ms_per_step"), "{stages} of {row}");
        assert!((number("ns_per_particle_step") * 64.0 - number("ms_per_step") * 1e6).abs() < 1.0);
    }
}

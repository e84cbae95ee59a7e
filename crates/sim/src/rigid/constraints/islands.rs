//! All joints at once: bodies that are joined, directly or through others, are an island, whose rows are solved together.
//!
//! ```text
//! J v = b,      A = J M⁻¹ Jᵀ,      λ = A⁻¹ (b − J v),      v ← v + M⁻¹ Jᵀ λ
//! ```
//!
//! A is factored once per step by Cholesky's method, largest pivot first, and stops where all that is left is redundant:
//! the rows of a closed loop that follow from the others carry nothing. With b = 0 this is the exact linear response of
//! jointed bodies, v − M⁻¹ Jᵀ A⁻¹ J v, a projection that is symmetric in the inner product of M.
//!
//! b is the chord of the arc: bodies that turn leave the tangent, and
//!
//! ```text
//! J v' = J v − (C(x + Δt v) − C(x)) / Δt
//! ```
//!
//! makes the joint as good at the end of the step as it was at its beginning. One such step is that of SHAKE (Ryckaert
//! 1977) by Newton's method, which is symplectic: tangential velocities would lose energy in every step. It supposes
//! that bodies move by x + Δt v and turn by exp(Δt ω).
//!
//! Motors and limits act along what the joints of the island leave free: J M⁻¹ Jᵀ of such a row has in it that all rows
//! are kept, so that one alone is solved exactly, and several by a few sweeps.

use std::ops::Range;

use glam::{DMat3, DQuat};

use super::factor::{Factor, Factors, REDUNDANT, dot};
use super::joints::{Entry, Geometry, Joint, Pose};
use super::rows::{Impulse, Row};
use super::{Inertia, Twist};

/// The most sweeps over motors and limits of an island before contacts have their turn.
const DRIVE_SWEEPS: usize = 20;

/// A row that is kept.
#[derive(Clone, Debug)]
struct Bilateral {
    row: Row,
    joint: usize,
    entry: Entry,
    /// b.
    target: f64,
}

/// What drives or limits a joint: one row for both, so that they need not fight.
#[derive(Clone, Debug)]
struct Drive {
    row: Row,
    joint: usize,
    /// J M⁻¹ Jᵀ with all rows of the island kept, and what these answer per impulse: from here in `answers`.
    response: f64,
    answers: usize,
    /// The speed it wants, and the largest impulse it has for it.
    motor: [f64; 2],
    /// Between which speeds it must stay.
    limits: [f64; 2],
    impulses: [Impulse<f64>; 2],
}

/// A set of bodies that are joined.
#[derive(Clone, Debug)]
struct Island {
    rows: Range<usize>,
    drives: Range<usize>,
    factor: Factor,
}

/// The joints of all bodies, made ready for a step: scratch, nothing of it survives.
#[derive(Debug, Default)]
pub(crate) struct Islands {
    poses: Vec<Pose>,
    rows: Vec<Bilateral>,
    drives: Vec<Drive>,
    islands: Vec<Island>,
    factors: Factors,
    answers: Vec<f64>,
    /// Union-find over bodies, joints in the order of islands, and numbers on the way.
    parents: Vec<usize>,
    order: Vec<(usize, usize)>,
    values: Vec<f64>,
}

impl Islands {
    /// Makes everything ready for bodies that are where they are.
    pub(super) fn prepare(&mut self, inertias: &[Inertia], orientations: &[DQuat], joints: &mut [Joint]) {
        let Self { poses, rows, drives, islands, factors, answers, .. } = self;
        poses.clear();
        let pose = |(inertia, &orientation): (&Inertia, &DQuat)| Pose { centre: inertia.centre, orientation };
        poses.extend(inertias.iter().zip(orientations).map(pose));
        rows.clear();
        drives.clear();
        islands.clear();
        factors.clear();
        answers.clear();
        self.find_islands(inertias, joints);
        let mut at = 0;
        while let Some(&(root, _)) = self.order.get(at) {
            let (rows, drives) = (self.rows.len(), self.drives.len());
            while let Some(&(_, joint)) = self.order.get(at).filter(|next| next.0 == root) {
                self.add_joint(joint, &mut joints[joint], inertias);
                at += 1;
            }
            self.factor(rows..self.rows.len(), drives..self.drives.len());
        }
    }

    fn find_islands(&mut self, inertias: &[Inertia], joints: &[Joint]) {
        let Self { parents, order, .. } = self;
        parents.clear();
        parents.extend(0..inertias.len());
        let moves = |body: usize| inertias[body].inverse_mass != 0.0 || inertias[body].inverse_inertia != DMat3::ZERO;
        for joint in joints {
            let (first, second) = (joint.definition.first, joint.definition.second);
            let Some(second) = second.filter(|&second| moves(first) && moves(second)) else { continue };
            let (first, second) = (root(parents, first), root(parents, second));
            parents[first.max(second)] = first.min(second);
        }
        order.clear();
        for (k, joint) in joints.iter().enumerate() {
            let first = joint.definition.first;
            let body = joint.definition.second.filter(|_| !moves(first)).unwrap_or(first);
            order.push((root(parents, body), k));
        }
        order.sort_unstable();
    }

    fn add_joint(&mut self, index: usize, joint: &mut Joint, inertias: &[Inertia]) {
        let geometry = geometry(&self.poses, joint);
        joint.coordinate = geometry.coordinate;
        let row = |entry| Row::new(joint, entry, &geometry, inertias);
        for &entry in joint.entries() {
            let bilateral = |row| Bilateral { row, joint: index, entry, target: 0.0 };
            self.rows.extend(row(entry).map(bilateral));
        }
        if joint.axis().is_some_and(|axis| axis.motor.is_some() || axis.limits.is_some()) {
            self.drives.extend(row(joint.free()).map(|row| Drive {
                row,
                joint: index,
                response: 0.0,
                answers: 0,
                motor: [0.0; 2],
                limits: [0.0; 2],
                impulses: Default::default(),
            }));
        }
    }

    /// The factor of A, and what its rows answer to drives.
    fn factor(&mut self, range: Range<usize>, drives: Range<usize>) {
        let Self { rows, factors, values, answers, .. } = self;
        let rows = &rows[range.clone()];
        let factor = factors.push(rows.len(), |i, j| rows[i].row.coupling(&rows[j].row));
        for drive in &mut self.drives[drives.clone()] {
            values.clear();
            values.extend(rows.iter().map(|other| other.row.coupling(&drive.row)));
            drive.answers = answers.len();
            answers.extend_from_slice(values);
            factors.solve(factor, values);
            drive.response = 1.0 - dot(values, &answers[drive.answers..]);
            answers[drive.answers..].copy_from_slice(values);
        }
        self.islands.push(Island { rows: range, drives, factor });
    }

    /// The rows of all joints.
    pub(super) fn rows(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().map(|bilateral| &bilateral.row)
    }

    /// Adds M⁻¹ Jᵀ times what was answered.
    fn push(&self, island: usize, twists: &mut [Twist]) {
        let rows = &self.rows[self.islands[island].rows.clone()];
        rows.iter().zip(&self.values).for_each(|(row, value)| row.row.push(twists, *value));
    }

    /// A⁻¹ (b − J v), into `values`; the largest part of b − J v that is met.
    fn answer(&mut self, island: usize, twists: &[Twist], target: impl Fn(&Bilateral) -> f64) -> f64 {
        let Self { rows, factors, values, islands, .. } = self;
        let island = &islands[island];
        let rows_of = &rows[island.rows.clone()];
        values.clear();
        values.extend(rows_of.iter().map(|row| target(row) - row.row.velocity(twists)));
        // What redundant rows would have is not to be had: the drift of a loop.
        let speed = |&row: &usize| values[row].abs() / rows_of[row].row.scale;
        let largest = factors.kept(island.factor).iter().map(speed).fold(0.0, f64::max);
        factors.solve(island.factor, values);
        largest
    }

    /// Says how fast joints are to be in a step from the motion that is known, and keeps them.
    pub(super) fn aim(&mut self, twists: &mut [Twist], joints: &[Joint], dt: f64) {
        for drive in &mut self.drives {
            let joint = &joints[drive.joint];
            let (Some(axis), scale) = (joint.axis(), drive.row.scale) else { continue };
            drive.motor = axis.motor.map_or([0.0; 2], |motor| [motor.speed * scale, motor.most * dt / scale]);
            drive.limits = axis.limits.map_or([f64::NEG_INFINITY, f64::INFINITY], |limits| {
                let way = [(limits.least - joint.coordinate).min(0.0), (limits.most - joint.coordinate).max(0.0)];
                way.map(|way| way * scale / dt)
            });
            for (impulse, known) in drive.impulses.iter_mut().zip(joint.drive) {
                impulse.start(known / scale);
                drive.row.push(twists, impulse.value);
            }
        }
        self.aim_rows(joints, |poses, joint, bilateral| {
            let entry = bilateral.entry;
            let now = geometry(poses, joint).error(entry);
            let next = moved(poses, joint, twists, dt).error(entry);
            bilateral.row.velocity(twists) - bilateral.row.scale * (next - now) / dt
        });
        for island in 0..self.islands.len() {
            self.keep(island, twists);
        }
    }

    /// Says by how much joints are to be displaced after bodies have moved.
    pub(super) fn aim_at_places(&mut self, twists: &[Twist], joints: &[Joint], dt: f64) {
        self.aim_rows(joints, |poses, joint, bilateral| {
            -bilateral.row.scale * moved(poses, joint, twists, dt).error(bilateral.entry)
        });
        for drive in &mut self.drives {
            let joint = &joints[drive.joint];
            let coordinate = moved(&self.poses, joint, twists, dt).coordinate;
            drive.motor = [0.0; 2];
            drive.limits =
                joint.axis().and_then(|axis| axis.limits).map_or([f64::NEG_INFINITY, f64::INFINITY], |limits| {
                    [limits.least - coordinate, limits.most - coordinate].map(|way| way * drive.row.scale)
                });
            drive.impulses = Default::default();
        }
    }

    fn aim_rows(&mut self, joints: &[Joint], target: impl Fn(&[Pose], &Joint, &Bilateral) -> f64) {
        for bilateral in &mut self.rows {
            bilateral.target = target(&self.poses, &joints[bilateral.joint], bilateral);
        }
    }

    /// What motors and limits did, for the next step to begin with.
    pub(super) fn finish(&self, joints: &mut [Joint]) {
        for drive in &self.drives {
            joints[drive.joint].drive = drive.impulses.map(|impulse| impulse.value * drive.row.scale);
        }
    }

    /// Solves every island, all contacts as they are; the largest change of a velocity.
    pub(super) fn sweep(&mut self, twists: &mut [Twist], tolerance: f64) -> f64 {
        let mut largest = 0.0_f64;
        for island in 0..self.islands.len() {
            largest = largest.max(self.keep(island, twists));
            for _ in 0..DRIVE_SWEEPS {
                let change = self.drive(island, twists);
                largest = largest.max(change);
                if change <= tolerance || self.islands[island].drives.len() == 1 {
                    break;
                }
            }
        }
        largest
    }

    fn keep(&mut self, island: usize, twists: &mut [Twist]) -> f64 {
        let largest = self.answer(island, twists, |row| row.target);
        self.push(island, twists);
        largest
    }

    fn drive(&mut self, island: usize, twists: &mut [Twist]) -> f64 {
        let Island { rows, drives, .. } = &self.islands[island];
        let mut largest = 0.0_f64;
        for drive in &mut self.drives[drives.clone()] {
            let Some(change) = drive.solve(twists) else { continue };
            drive.row.push(twists, change);
            for (row, answer) in self.rows[rows.clone()].iter().zip(&self.answers[drive.answers..]) {
                row.row.push(twists, -answer * change);
            }
            largest = largest.max((change * drive.response).abs() / drive.row.scale);
        }
        largest
    }

    /// Impulses of motors and limits, for whoever goes on in conjugate directions.
    pub(super) fn impulses(&mut self) -> impl Iterator<Item = &mut Impulse<f64>> {
        self.drives.iter_mut().flat_map(|drive| &mut drive.impulses)
    }

    /// A norm of the last change of drives.
    pub(super) fn change(&self) -> f64 {
        let change = |drive: &Drive| drive.impulses.iter().map(Impulse::change).sum::<f64>();
        self.drives.iter().map(|drive| change(drive).powi(2) * drive.response).sum()
    }
}

impl Drive {
    /// By how much its impulse changes, all others as they are.
    fn solve(&mut self, twists: &[Twist]) -> Option<f64> {
        if self.response <= REDUNDANT || self.response.is_nan() {
            return None;
        }
        let before = self.impulses[0].value + self.impulses[1].value;
        let without = self.row.velocity(twists) - self.response * before;
        let [speed, most] = self.motor;
        // No `clamp`: what is no number must be found by whoever judges the step, not end it here.
        let motor = ((speed - without) / self.response).max(-most).min(most);
        let driven = without + self.response * motor;
        let limit = (driven.max(self.limits[0]).min(self.limits[1]) - driven) / self.response;
        (self.impulses[0].value, self.impulses[1].value) = (motor, limit);
        Some(motor + limit - before)
    }
}

pub(super) fn root(parents: &mut [usize], mut body: usize) -> usize {
    while parents[body] != body {
        parents[body] = parents[parents[body]];
        body = parents[body];
    }
    body
}

fn geometry(poses: &[Pose], joint: &Joint) -> Geometry {
    let second = joint.definition.second.map_or(Pose::WORLD, |second| poses[second]);
    joint.geometry(&poses[joint.definition.first], &second)
}

/// The same after a step.
fn moved(poses: &[Pose], joint: &Joint, twists: &[Twist], dt: f64) -> Geometry {
    let moved = |body: usize| Pose {
        centre: poses[body].centre + dt * twists[body].velocity,
        orientation: DQuat::from_scaled_axis(dt * twists[body].spin) * poses[body].orientation,
    };
    let second = joint.definition.second.map_or(Pose::WORLD, moved);
    joint.geometry(&moved(joint.definition.first), &second)
}

//! Where rigid bodies are and how they move, beside their particles: tables of columns with a row per body.

use thixo_sim::{RigidBody, Simulation};

use crate::frame::{Column, ColumnValues};
use crate::layout::{Layout, Number};

/// A rigid body at one instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidState {
    /// The index by which its particles know it.
    pub body: u32,
    /// Mass [kg].
    pub mass: f64,
    /// Centre of mass when it was made [m].
    pub first_centre: [f64; 3],
    /// Centre of mass [m].
    pub centre: [f64; 3],
    /// Its turn since it was made, a unit quaternion: x, y, z, w.
    pub turn: [f64; 4],
    /// Velocity of the centre of mass [m/s].
    pub velocity: [f64; 3],
    /// Spin about it [rad/s].
    pub spin: [f64; 3],
}

impl RigidState {
    /// Those of a simulation, by index.
    pub fn all(simulation: &Simulation) -> Vec<RigidState> {
        let dimension = simulation.settings().dimension;
        let state = |rigid: &RigidBody| {
            simulation.body(rigid.body)?;
            Some(RigidState {
                body: rigid.body.slot,
                mass: rigid.mass,
                first_centre: rigid.first_centre.to_array(),
                centre: rigid.centre.to_array(),
                turn: rigid.orientation.to_array(),
                velocity: rigid.velocity.to_array(),
                spin: rigid.spin(dimension).to_array(),
            })
        };
        let mut all: Vec<_> = simulation.world().memory.rigid.iter().filter_map(state).collect();
        all.sort_unstable_by_key(|state| state.body);
        all
    }
}

/// A column with a row per rigid body.
pub(crate) struct RigidColumn {
    pub(crate) name: &'static str,
    pub(crate) unit: &'static str,
    pub(crate) layout: Layout,
    numbers: fn(&RigidState) -> &[f64],
}

const INDEX: Layout = Layout { number: Number::U32, components: 1 };

const fn vector(components: u32) -> Layout {
    Layout { number: Number::F64, components }
}

/// All of them, in the order of files.
pub(crate) const COLUMNS: [RigidColumn; 7] = [
    RigidColumn { name: "rigid_body", unit: "-", layout: INDEX, numbers: |_| &[] },
    RigidColumn {
        name: "rigid_mass",
        unit: "kg",
        layout: vector(1),
        numbers: |state| std::slice::from_ref(&state.mass),
    },
    RigidColumn { name: "rigid_first_centre", unit: "m", layout: vector(3), numbers: |state| &state.first_centre },
    RigidColumn { name: "rigid_centre", unit: "m", layout: vector(3), numbers: |state| &state.centre },
    RigidColumn { name: "rigid_turn", unit: "-", layout: vector(4), numbers: |state| &state.turn },
    RigidColumn { name: "rigid_velocity", unit: "m/s", layout: vector(3), numbers: |state| &state.velocity },
    RigidColumn { name: "rigid_spin", unit: "rad/s", layout: vector(3), numbers: |state| &state.spin },
];

impl RigidColumn {
    /// Its bytes.
    pub(crate) fn bytes(&self, states: &[RigidState]) -> Vec<u8> {
        let row = |state: &RigidState| match self.layout.number {
            Number::U32 => state.body.to_le_bytes().to_vec(),
            _ => (self.numbers)(state).iter().flat_map(|number| number.to_le_bytes()).collect(),
        };
        states.iter().flat_map(row).collect()
    }

    /// Its numbers as text, body after body.
    pub(crate) fn text(&self, states: &[RigidState]) -> String {
        let row = |state: &RigidState| match self.layout.number {
            Number::U32 => vec![state.body.to_string()],
            _ => (self.numbers)(state).iter().map(|number| format!("{number:e}")).collect(),
        };
        states.iter().flat_map(row).collect::<Vec<_>>().join(" ")
    }
}

/// The bodies that columns of a file tell of; none if they are not such columns.
pub(crate) fn states(columns: &[Column], count: usize) -> Option<Vec<RigidState>> {
    fn row<const N: usize>(columns: &[Column], name: &str, k: usize) -> Option<[f64; N]> {
        let column = columns.iter().find(|column| column.name == name && column.components == N)?;
        let ColumnValues::F64(values) = &column.values else { return None };
        values.as_chunks().0.get(k).copied()
    }
    if columns.is_empty() && count == 0 {
        return Some(Vec::new());
    }
    if !columns.iter().all(|column| column.name.starts_with("rigid_")) {
        return None;
    }
    let body = columns.iter().find(|column| column.name == "rigid_body" && column.components == 1)?;
    let ColumnValues::U32(bodies) = &body.values else { return None };
    let state = |k: usize| {
        Some(RigidState {
            body: *bodies.get(k)?,
            mass: row::<1>(columns, "rigid_mass", k)?[0],
            first_centre: row(columns, "rigid_first_centre", k)?,
            centre: row(columns, "rigid_centre", k)?,
            turn: row(columns, "rigid_turn", k)?,
            velocity: row(columns, "rigid_velocity", k)?,
            spin: row(columns, "rigid_spin", k)?,
        })
    };
    (0..count).map(state).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::frame::{Format, FrameError, FrameInfo, write_frame_with};
    use crate::native::parse;
    use crate::testing::{particles, with_right_checksum};

    const INFO: FrameInfo = FrameInfo { frame: 12, time: 0.24 };

    fn states() -> [RigidState; 2] {
        let first = RigidState {
            body: 3,
            mass: 2.5,
            first_centre: [0.1, 0.2, 0.3],
            centre: [1.0, f64::MIN_POSITIVE, -3.0],
            turn: [0.5, -0.5, 0.5, -0.5],
            velocity: [4.0, 5.0, 6.0],
            spin: [-7.0, 8.0, 1.0 / 3.0],
        };
        [first, RigidState { body: 9, mass: 1.0, ..first }]
    }

    fn written(format: Format, states: &[RigidState]) -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("frame");
        write_frame_with(format, &path, INFO, (&particles(7), 5), (&[], states)).unwrap();
        std::fs::read(path).unwrap()
    }

    #[test]
    fn frames_hold_every_bit_of_rigid_bodies() {
        let data = written(Format::Native, &states());
        assert_eq!(data[8], 2);
        let frame = parse(Path::new("a.thixo"), &data).unwrap();
        assert_eq!(frame.rigid, states());
        assert_eq!(frame.particles(), 5);
        // Their columns are no columns of particles, and particles are as in a frame without them.
        let plain = parse(Path::new("a.thixo"), &written(Format::Native, &[])).unwrap();
        let of_both = frame.columns.iter().zip(&plain.columns);
        assert!(frame.columns.len() == plain.columns.len() && of_both.into_iter().all(|(a, b)| a.name == b.name));
    }

    #[test]
    fn frames_without_rigid_bodies_are_as_they_were() {
        let data = written(Format::Native, &[]);
        assert_eq!((data[8], &data[48..64]), (1, &[0; 16][..]));
    }

    #[test]
    fn a_table_of_rigid_bodies_that_lies_is_refused() {
        let data = written(Format::Native, &states());
        for (place, lie) in [(8, 1_u8), (48, 3), (48, 0), (56, 8), (56, 6)] {
            let mut lying = data.clone();
            lying[place] = lie;
            let error = parse(Path::new("a.thixo"), &with_right_checksum(lying)).unwrap_err();
            assert!(matches!(error, FrameError::Damaged { .. }), "byte {place}: {error}");
        }
    }

    #[test]
    fn vtk_has_them_as_field_data() {
        let data = written(Format::Vtk, &states());
        let text = String::from_utf8_lossy(&data);
        let array =
            "Name=\"rigid_turn\" NumberOfComponents=\"4\" NumberOfTuples=\"2\" format=\"ascii\">5e-1 -5e-1 5e-1 -5e-1 ";
        assert!(text.contains(array), "{}", &text[..1000]);
    }
}

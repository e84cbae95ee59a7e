//! How the values of a column lie in files: little-endian numbers, row after row.

use std::io::{self, Write};

use thixo_sim::{Real, Values, ValuesMut, Vec3};

/// The type of the numbers in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    U8,
    U32,
    F32,
    F64,
}

impl Number {
    /// The type of particle data in this build.
    const REAL: Number = if size_of::<Real>() == 4 { Number::F32 } else { Number::F64 };

    /// What files call the type. It is numpy's name for it, so that a reader needs no table.
    pub(crate) const fn code(self) -> &'static [u8; 4] {
        match self {
            Number::U8 => b"|u1\0",
            Number::U32 => b"<u4\0",
            Number::F32 => b"<f4\0",
            Number::F64 => b"<f8\0",
        }
    }

    /// The type that files call `code`.
    pub(crate) fn from_code(code: &[u8]) -> Option<Number> {
        [Number::U8, Number::U32, Number::F32, Number::F64].into_iter().find(|number| number.code() == code)
    }

    /// Bytes per number.
    pub(crate) const fn size(self) -> usize {
        match self {
            Number::U8 => 1,
            Number::U32 | Number::F32 => 4,
            Number::F64 => 8,
        }
    }
}

/// The shape of a row of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) number: Number,
    /// Numbers per row.
    pub(crate) components: u32,
}

impl Layout {
    pub(crate) const BYTES: Layout = Layout { number: Number::U8, components: 1 };
    const SCALAR: Layout = Layout { number: Number::REAL, components: 1 };
    const VECTOR: Layout = Layout { number: Number::REAL, components: 3 };
    const INDEX: Layout = Layout { number: Number::U32, components: 1 };

    pub(crate) fn of(values: &Values<'_>) -> Layout {
        match values {
            Values::Scalar(_) => Layout::SCALAR,
            Values::Vector(_) => Layout::VECTOR,
            Values::Index(_) => Layout::INDEX,
        }
    }

    pub(crate) fn of_mut(values: &ValuesMut<'_>) -> Layout {
        match values {
            ValuesMut::Scalar(_) => Layout::SCALAR,
            ValuesMut::Vector(_) => Layout::VECTOR,
            ValuesMut::Index(_) => Layout::INDEX,
        }
    }

    /// Bytes per row.
    pub(crate) const fn row_size(self) -> usize {
        self.number.size() * self.components as usize
    }
}

/// Writes the given rows of a column. Every row must exist.
pub(crate) fn write_rows(
    out: &mut impl Write,
    values: Values<'_>,
    mut rows: impl Iterator<Item = usize>,
) -> io::Result<()> {
    match values {
        Values::Scalar(values) => rows.try_for_each(|row| out.write_all(&values[row].to_le_bytes())),
        Values::Index(values) => rows.try_for_each(|row| out.write_all(&values[row].to_le_bytes())),
        Values::Vector(values) => rows.try_for_each(|row| {
            values[row].to_array().iter().try_for_each(|component| out.write_all(&component.to_le_bytes()))
        }),
    }
}

/// Replaces a column by rows that were written in the same layout.
pub(crate) fn read_rows(values: ValuesMut<'_>, data: &[u8]) {
    match values {
        ValuesMut::Scalar(values) => *values = read_numbers(data, Real::from_le_bytes),
        ValuesMut::Index(values) => *values = read_numbers(data, u32::from_le_bytes),
        ValuesMut::Vector(values) => {
            let components = read_numbers(data, Real::from_le_bytes);
            *values = components.as_chunks().0.iter().copied().map(Vec3::from_array).collect();
        }
    }
}

/// The numbers in `data`, each made from its bytes.
pub(crate) fn read_numbers<const SIZE: usize, T>(data: &[u8], from_bytes: fn([u8; SIZE]) -> T) -> Vec<T> {
    data.as_chunks().0.iter().copied().map(from_bytes).collect()
}

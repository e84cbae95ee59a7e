//! Why there is no surface.

/// Input that no surface can be made of. Nothing was computed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SurfaceError {
    /// A position that is not a place.
    #[error(
        "particle {index} lies at no place ({count} of {total} positions are not finite); leave such particles out"
    )]
    NotFinite {
        /// The first of them.
        index: usize,
        /// How many there are.
        count: usize,
        /// Out of how many.
        total: usize,
    },
    /// A parameter out of its range.
    #[error("{name} is {value}, and must be {range}")]
    OutOfRange {
        /// The parameter.
        name: &'static str,
        /// Its value.
        value: f32,
        /// What it may be.
        range: &'static str,
    },
    /// The grid would have too many cells along an axis.
    #[error("particles lie {extent} m apart, too far for cells of {cell} m; use larger cells, or leave far ones out")]
    TooFar {
        /// Largest distance along an axis [m].
        extent: f32,
        /// Edge of a cell [m].
        cell: f32,
    },
    /// A vertex of a skin that no particle carries.
    #[error("vertex {} at {place:?} is farther than three spacings from every particle that could carry it", vertex + 1)]
    Unbound {
        /// Which vertex, counted from 0.
        vertex: usize,
        /// Where it is [m].
        place: [f32; 3],
    },
    /// The splashsurf library gave up.
    #[error("splashsurf found no surface: {0}")]
    Splashsurf(String),
    /// Columns of unequal length.
    #[error("`{name}` has {found} numbers, and {expected} are needed: {components} for each particle")]
    Uneven {
        /// The quantity.
        name: String,
        /// Numbers it has.
        found: usize,
        /// Numbers it should have.
        expected: usize,
        /// Numbers per particle.
        components: usize,
    },
}

/// Refuses a parameter that is not finite and positive.
pub(crate) fn positive(name: &'static str, value: f32) -> Result<(), SurfaceError> {
    let range = "a finite number above 0";
    if value.is_finite() && value > 0.0 { Ok(()) } else { Err(SurfaceError::OutOfRange { name, value, range }) }
}

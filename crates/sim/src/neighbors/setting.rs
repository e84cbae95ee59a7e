//! Kernel and domain of a loop, known when it is compiled.
//!
//! Asked of every block of neighbours which kernel it is and whether space repeats, the loop would jump about and keep
//! its constants in memory: a third of its instructions. So each loop is compiled for the common settings, and once for
//! all the others. The arithmetic is the same in each: a setting never changes a bit.

use super::instruction_set::Available;
use super::lanes::{Lanes, VecLanes};
use super::simd::{Avx2, Simd};
use crate::kernel::{Kernel, Shape};
use crate::real::Dimension;
use crate::world::Domain;

/// What is known of kernel and domain when a loop is compiled.
pub trait Setting: Copy + Send + Sync + 'static {
    /// W at the given distances.
    fn value<S: Simd>(kernel: &Kernel, r: Lanes<S>) -> Lanes<S>;
    /// W'/r at the given distances.
    fn slope_over_r<S: Simd>(kernel: &Kernel, r: Lanes<S>) -> Lanes<S>;
    /// The shortest vectors that mean the same in the domain.
    fn shortest<S: Simd>(vectors: VecLanes<S>, domain: &Domain) -> VecLanes<S>;
}

/// Any kernel, in any domain.
#[derive(Clone, Copy, Debug)]
pub struct AnySetting;

impl Setting for AnySetting {
    #[inline(always)]
    fn value<S: Simd>(kernel: &Kernel, r: Lanes<S>) -> Lanes<S> {
        kernel.value(r)
    }
    #[inline(always)]
    fn slope_over_r<S: Simd>(kernel: &Kernel, r: Lanes<S>) -> Lanes<S> {
        kernel.slope_over_r(r)
    }
    #[inline(always)]
    fn shortest<S: Simd>(vectors: VecLanes<S>, domain: &Domain) -> VecLanes<S> {
        vectors.shortest(domain)
    }
}

/// A kernel in a domain that does not repeat, in two or three dimensions.
macro_rules! open_setting {
    ($(#[$doc:meta])* $name:ident, $shape:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl Setting for $name {
            #[inline(always)]
            fn value<S: Simd>(kernel: &Kernel, r: Lanes<S>) -> Lanes<S> {
                kernel.value_of($shape, Dimension::Three, r)
            }
            #[inline(always)]
            fn slope_over_r<S: Simd>(kernel: &Kernel, r: Lanes<S>) -> Lanes<S> {
                kernel.slope_over_r_of($shape, Dimension::Three, r)
            }
            #[inline(always)]
            fn shortest<S: Simd>(vectors: VecLanes<S>, _domain: &Domain) -> VecLanes<S> {
                vectors
            }
        }
    };
}
open_setting!(
    /// The kernel of most scenes, where nothing repeats.
    OpenWendland,
    Shape::WendlandC2
);
open_setting!(
    /// The cubic spline, where nothing repeats.
    OpenSpline,
    Shape::CubicSpline
);

/// The loop to run, of those that were compiled.
#[derive(Clone, Copy, Debug)]
pub enum Compiled {
    /// For [`OpenWendland`], with AVX2.
    Wendland(Avx2),
    /// For [`OpenSpline`], with AVX2.
    Spline(Avx2),
    /// For any setting.
    Any(Available),
}

impl Compiled {
    pub(super) fn choose(available: Available, kernel: &Kernel, domain: &Domain) -> Compiled {
        let is_common = !domain.is_periodic() && kernel.dimension() != Dimension::One;
        match (available, kernel.shape()) {
            (Available::Avx2(set), Shape::WendlandC2) if is_common => Compiled::Wendland(set),
            (Available::Avx2(set), Shape::CubicSpline) if is_common => Compiled::Spline(set),
            _ => Compiled::Any(available),
        }
    }
}

/// Does `$work` with the `$set` and `$setting` of a [`Compiled`]: the one place where a setting is chosen.
#[doc(hidden)]
#[macro_export]
macro_rules! with_setting {
    ($compiled:expr, |$set:ident, $setting:ident| $work:expr) => {
        match $compiled {
            $crate::dispatch::Compiled::Wendland($set) => {
                let $setting = $crate::dispatch::OpenWendland;
                $work
            }
            $crate::dispatch::Compiled::Spline($set) => {
                let $setting = $crate::dispatch::OpenSpline;
                $work
            }
            $crate::dispatch::Compiled::Any(available) => $crate::with_set!(available, |$set| {
                let $setting = $crate::dispatch::AnySetting;
                $work
            }),
        }
    };
}

//! Figures of Sol09 chapter 6: what each shows, in numbers, and a picture of it. Pictures are small, in the folder of
//! this test; `FIGURES=docs/pictures cargo test -p thixo --test figures` makes those of the book.

#![cfg(not(feature = "f64"))]
#![allow(clippy::unwrap_used, reason = "tests assert by unwrapping")]

mod gallery;
mod model;
mod splash;

use thixo::surface::Vec3;

//! Statements between implementations of the step.

use crate::suite::Threads;
use crate::suite::exactness::{
    the_same_bits, the_same_bits_in_individual_steps, the_same_bits_of_elastic_bodies,
    the_same_bits_to_solvers_that_iterate,
};

twins!(baseline_and_detected, crate::suite::Baseline, crate::suite::Detected);

#[test]
fn any_thread_count_gives_the_same_bits() {
    the_same_bits::<Threads<1>, Threads<2>>();
    the_same_bits::<Threads<1>, Threads<3>>();
    the_same_bits::<Threads<1>, Threads<5>>();
}

#[test]
fn any_thread_count_gives_the_same_bits_of_elastic_bodies() {
    the_same_bits_of_elastic_bodies::<Threads<1>, Threads<2>>();
    the_same_bits_of_elastic_bodies::<Threads<1>, Threads<3>>();
    the_same_bits_of_elastic_bodies::<Threads<1>, Threads<5>>();
}

#[test]
fn any_thread_count_gives_the_same_bits_to_solvers_that_iterate() {
    the_same_bits_to_solvers_that_iterate::<Threads<1>, Threads<3>>();
}

#[test]
fn any_thread_count_gives_the_same_bits_in_individual_steps() {
    the_same_bits_in_individual_steps::<Threads<1>, Threads<2>>();
    the_same_bits_in_individual_steps::<Threads<1>, Threads<5>>();
}

//! thixo.
fn main() {}

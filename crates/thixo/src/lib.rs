//! The facade of thixo.

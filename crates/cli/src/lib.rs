//! The `thixo` command as a library.

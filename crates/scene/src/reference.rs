//! The scene reference, from the schema.

/// Everything a scene may say, as a page of Markdown.
pub fn reference() -> String {
    String::new()
}

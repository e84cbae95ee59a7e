mod contacts;
mod holding;
mod joints;
mod motion;

mod contacts;
mod joints;
mod motion;

mod contacts;
mod motion;

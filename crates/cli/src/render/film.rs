//! The film of a run, made of its pictures.

use std::fs::File;
use std::io::{self, BufReader, Write};
use std::path::PathBuf;

use thixo_frames::whole;
use thixo_render::{Image, Reel};
use thixo_scene::Film;

use super::album::Album;

/// Makes the film of the given pictures of an album, and gives its path; `None` if there is nothing to see move.
pub(super) fn make(album: &Album, film: Film, pictures: &[PathBuf], fps: f64) -> Result<Option<PathBuf>, String> {
    let path = match film {
        Film::None => return Ok(None),
        _ if pictures.len() < 2 => return Ok(None),
        Film::Gif => album.film("gif"),
        Film::Mp4 => album.film("mp4"),
    };
    let picture = |k: usize| {
        let path = pictures.get(k).ok_or(io::ErrorKind::NotFound)?;
        Image::read_png(BufReader::new(File::open(path)?))
            .map_err(|cause| io::Error::new(cause.kind(), format!("{}: {cause}", path.display())))
    };
    let reel = Reel { count: pictures.len(), fps, picture: &picture };
    whole::write(&path, |out| write(out, film, &reel)).map_err(|error| error.to_string())?;
    Ok(Some(path))
}

fn write(out: &mut dyn Write, film: Film, reel: &Reel<'_>) -> io::Result<()> {
    match film {
        #[cfg(feature = "mp4")]
        Film::Mp4 => thixo_render::write_mp4(out, reel),
        _ => thixo_render::write_gif(out, reel),
    }
}

//! What can be chosen about surfaces, on the command line and in `surface/options.toml`.

use std::path::PathBuf;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thixo_frames::whole;
use thixo_surface::{CentreOfMass, Iso, IsoDensity, Method, Reconstruction, Refinement, Refining, Shape};

use crate::VERSION;
use crate::run::folder::Folder;

/// How surfaces are made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, clap::Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct Options {
    /// How the surface is found: iso_density, centre_of_mass, or splashsurf if it was built in
    #[arg(long, value_name = "NAME", default_value = "iso_density")]
    method: MethodName,
    /// Edge of a grid cell, in particle spacings
    #[arg(long, value_name = "C", default_value_t = 0.5, value_parser = parse_positive)]
    cell_size: f32,
    /// Level of the density: volume (keeps it), dg96, or a part of the rest density: 0.6 [default: volume]
    #[arg(long, value_name = "LEVEL")]
    iso: Option<IsoLevel>,
    /// How far particles are felt, in particle spacings; more is smoother [default: what suits the method]
    #[arg(long, value_name = "S", value_parser = parse_positive)]
    support: Option<f32>,
    /// centre_of_mass without its correction: plain Zhu-Bridson, with sheets between separate pieces
    #[arg(long)]
    uncorrected: bool,
    /// How often the mesh is smoothed; its volume stays
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(0..=1000))]
    smoothing: u32,
    /// Only this body; may be given more than once
    #[arg(long = "body", value_name = "NAME")]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) bodies: Vec<String>,
    /// Only bodies of this material; may be given more than once
    #[arg(long = "material", value_name = "NAME")]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) materials: Vec<String>,
    /// A column of the frames to carry along, beside velocity; may be given more than once
    #[arg(long = "quantity", value_name = "COLUMN")]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) quantities: Vec<String>,
    /// Refine the particles on the surface so many times, write the points into points/, and use them for the mesh
    #[arg(long, value_name = "STEPS", value_parser = clap::value_parser!(u32).range(1..=6))]
    pub(super) points: Option<u32>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            method: MethodName::IsoDensity,
            cell_size: 0.5,
            iso: None,
            support: None,
            uncorrected: false,
            smoothing: 10,
            bodies: Vec::new(),
            materials: Vec::new(),
            quantities: Vec::new(),
            points: None,
        }
    }
}

fn parse_positive(text: &str) -> Result<f32, String> {
    match text.parse() {
        Ok(number) if number > 0.0 && f32::is_finite(number) => Ok(number),
        _ => Err("it must be a positive number".into()),
    }
}

/// The name of a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum MethodName {
    IsoDensity,
    CentreOfMass,
    Splashsurf,
}

impl FromStr for MethodName {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "iso_density" => Ok(MethodName::IsoDensity),
            "centre_of_mass" => Ok(MethodName::CentreOfMass),
            "splashsurf" if cfg!(feature = "splashsurf") => Ok(MethodName::Splashsurf),
            "splashsurf" => {
                Err("this thixo was built without it; build one with `cargo build --release --features splashsurf`"
                    .into())
            }
            _ => Err("there are iso_density, centre_of_mass and splashsurf".into()),
        }
    }
}

/// A level of the density, as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
struct IsoLevel(Iso);

impl FromStr for IsoLevel {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Ok(IsoLevel(match text {
            "volume" => Iso::Volume,
            "dg96" => Iso::DesbrunGascuel,
            number => Iso::Value(parse_positive(number).map_err(|_| "it must be volume, dg96 or a positive number")?),
        }))
    }
}

impl TryFrom<String> for IsoLevel {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<IsoLevel> for String {
    fn from(IsoLevel(level): IsoLevel) -> String {
        match level {
            Iso::Volume => "volume".into(),
            Iso::DesbrunGascuel => "dg96".into(),
            Iso::Value(number) => number.to_string(),
        }
    }
}

impl Options {
    /// What they mean to the library; otherwise which of them contradict each other.
    pub(super) fn reconstruction(&self) -> Result<Reconstruction, String> {
        let method = self.method()?;
        let refining = self
            .points
            .map(|steps| Refining { refinement: Refinement { steps, ..Refinement::default() }, ..Refining::default() });
        Ok(Reconstruction { method, cell_over_spacing: self.cell_size, smoothing: self.smoothing, refining })
    }

    fn method(&self) -> Result<Method, String> {
        if self.uncorrected && self.method != MethodName::CentreOfMass {
            return Err("`--uncorrected` is for `--method centre_of_mass` alone".into());
        }
        if self.iso.is_some() && self.method == MethodName::CentreOfMass {
            return Err("`--iso` is a level of the density, which `--method centre_of_mass` does not look at".into());
        }
        match self.method {
            MethodName::IsoDensity => {
                let iso = self.iso.map_or(Iso::Volume, |IsoLevel(iso)| iso);
                let base = match iso {
                    Iso::DesbrunGascuel => IsoDensity::desbrun_gascuel(),
                    _ => IsoDensity { iso, kernel: Shape::Poly6, ..IsoDensity::default() },
                };
                let support_over_spacing = self.support.unwrap_or(base.support_over_spacing);
                Ok(Method::IsoDensity(IsoDensity { support_over_spacing, ..base }))
            }
            MethodName::CentreOfMass => {
                let base = CentreOfMass::default();
                let influence_over_spacing = self.support.unwrap_or(base.influence_over_spacing);
                let correction = !self.uncorrected;
                Ok(Method::CentreOfMass(CentreOfMass { influence_over_spacing, correction, ..base }))
            }
            MethodName::Splashsurf => self.splashsurf(),
        }
    }

    #[cfg(feature = "splashsurf")]
    fn splashsurf(&self) -> Result<Method, String> {
        let base = thixo_surface::Splashsurf::default();
        let iso = match self.iso {
            None => base.iso,
            Some(IsoLevel(Iso::Value(iso))) => iso,
            Some(_) => return Err("`--iso` must be a number for `--method splashsurf`".into()),
        };
        let support_over_spacing = self.support.unwrap_or(base.support_over_spacing);
        Ok(Method::Splashsurf(thixo_surface::Splashsurf { support_over_spacing, iso }))
    }

    /// Only a file that another build wrote can ask for it here.
    #[cfg(not(feature = "splashsurf"))]
    fn splashsurf(&self) -> Result<Method, String> {
        "splashsurf".parse::<MethodName>().and(Err(String::new()))
    }

    /// All of them in a line, which files made with them carry.
    pub(super) fn stamp(&self) -> String {
        // Numbers and names can always be written.
        format!("thixo {VERSION} surface {}", serde_json::to_string(self).unwrap_or_default())
    }

    /// Those that the surfaces of a run were begun with.
    pub(super) fn read(folder: &Folder) -> Option<Options> {
        let text = std::fs::read_to_string(path(folder)).ok()?;
        toml::from_str(&text).ok()
    }

    /// Puts them beside the surfaces, so that a run that goes on later can go on with these too.
    pub(super) fn write(&self, folder: &Folder) -> Result<(), whole::WriteError> {
        let text = toml::to_string(self).unwrap_or_default();
        whole::write(&path(folder), |out| out.write_all(text.as_bytes()))
    }
}

fn path(folder: &Folder) -> PathBuf {
    folder.surface().join("options.toml")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_survive_the_file_and_make_stamps_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let folder = Folder::new(folder.path());
        std::fs::create_dir_all(folder.surface()).unwrap();
        let options = Options {
            iso: Some(IsoLevel(Iso::Value(0.4))),
            bodies: vec!["a drop".into()],
            points: Some(2),
            ..Options::default()
        };
        options.write(&folder).unwrap();
        assert_eq!(Options::read(&folder), Some(options.clone()));
        assert_ne!(options.stamp(), Options::default().stamp());
        std::fs::write(path(&folder), "method = 7").unwrap();
        assert_eq!(Options::read(&folder), None);
    }

    #[test]
    fn contradictions_are_told() {
        let told = |options: Options| options.reconstruction().unwrap_err();
        assert!(told(Options { uncorrected: true, ..Options::default() }).contains("centre_of_mass"));
        let iso = Some(IsoLevel(Iso::Volume));
        assert!(told(Options { method: MethodName::CentreOfMass, iso, ..Options::default() }).contains("--iso"));
        if cfg!(not(feature = "splashsurf")) {
            assert!("splashsurf".parse::<MethodName>().unwrap_err().contains("--features splashsurf"));
            assert!(told(Options { method: MethodName::Splashsurf, ..Options::default() }).contains("built without"));
        }
        for text in ["", "0", "-1", "nan", "inf", "dg97"] {
            assert!(text.parse::<IsoLevel>().is_err(), "{text}");
        }
    }
}

//! The table of cases: what is run, how finely, and how exact it must be.

use std::collections::BTreeSet;
use std::time::Instant;

use thixo_scene::nearest;
use thixo_sim::{DensityMethod, Dfsph, Iisph, Pcisph, Pressure, Wcsph};

use crate::cases::streams::Place;
use crate::cases::{
    beams, buoyant_disc, cantilever, channel,
    collapse::{self, Bound},
    conservation, dam_break, dam_pressure,
    droplets::{self, Start},
    drops::{self, Around},
    elastic_wave, elasticity, elliptical_patch, falling_cuboid,
    fluid_and_solid::{self, PLATE, Plate},
    fracture, free_solid, heat, hertz,
    hydrostatic::{self, CONTINUITY, SUMMATION},
    individual, interface, kernels, pair_force, plain_layers, plain_solids, plasticity, rigid_bodies, rigid_in_water,
    settling, slosh, sound, stability, streams,
    surface::{concave, detection, refinement, volume, volume_in_time},
    taylor_green, thick, torsion, two_layers,
};
use crate::experiment::CaseError;
use crate::row::Row;

/// In which set a case is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Only at full resolution.
    Full,
    /// Only in the coarse set, which the tests run.
    Coarse,
    /// In both.
    Always,
}

/// A case, or a part of one.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// `F1`, or with its part `F1.3d`.
    pub id: &'static str,
    /// The set it belongs to.
    pub when: When,
    /// What it shows.
    pub title: &'static str,
    measure: fn() -> Result<Vec<Row>, CaseError>,
}

impl Case {
    /// The case without its part.
    pub fn family(&self) -> &'static str {
        self.id.split('.').next().unwrap_or(self.id)
    }

    /// Is it in the coarse set, or in the full one?
    pub fn is_in(&self, coarse: bool) -> bool {
        self.when == When::Always || (self.when == When::Coarse) == coarse
    }

    /// Measures. A case that comes to no result is a row that fails.
    pub fn run(&self) -> Vec<Row> {
        let begin = Instant::now();
        let mut rows = (self.measure)().unwrap_or_else(|error| {
            let nothing = Row::new("a result", f64::NAN, f64::NAN, f64::NAN, 0.0);
            vec![nothing.reporting("problem", error.to_string())]
        });
        for row in &mut rows {
            self.id.clone_into(&mut row.id);
            row.seconds = begin.elapsed().as_secs_f64();
        }
        rows
    }
}

/// A name that no case has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no case `{name}`{}; there are {}", question(.meant), .known.join(", "))]
pub struct UnknownCase {
    name: String,
    meant: Option<&'static str>,
    known: Vec<&'static str>,
}

fn question(meant: &Option<&str>) -> String {
    meant.map(|meant| format!(" (did you mean `{meant}`?)")).unwrap_or_default()
}

/// The cases with these names, in the order of the table: `F1` is F1 and all its parts, and no name means all.
/// A part that only the other set has is run all the same when it is named.
pub fn select(names: &[String], coarse: bool) -> Result<Vec<&'static Case>, UnknownCase> {
    for name in names {
        if !cases().iter().any(|case| case.id == name || case.family() == name) {
            let mut known: Vec<_> = cases().iter().map(Case::family).collect();
            let mut seen = BTreeSet::new();
            known.retain(|family| seen.insert(*family));
            let meant = nearest(name, known.iter().copied());
            return Err(UnknownCase { name: name.clone(), meant, known });
        }
    }
    let wanted = |case: &&Case| {
        let is_set = case.is_in(coarse);
        let is_named =
            |name: &String| (case.family() == name && is_set) || (case.id == name && case.id != case.family());
        if names.is_empty() { is_set } else { names.iter().any(is_named) }
    };
    Ok(cases().iter().filter(wanted).collect())
}

/// Densities follow the motion, so that pressures of several fluids may be weighed by density.
fn continuous() -> Pressure {
    Pressure::Wcsph(Wcsph { density: DensityMethod::Continuity, ..Wcsph::default() })
}

/// In a closed domain water may pull: there is no surface that it would draw together.
fn pulling() -> Pressure {
    Pressure::Wcsph(Wcsph { tension: true, ..Wcsph::default() })
}

fn pcisph() -> Pressure {
    Pressure::Pcisph(Pcisph::default())
}

fn iisph() -> Pressure {
    Pressure::Iisph(Iisph::default())
}

fn dfsph() -> Pressure {
    Pressure::Dfsph(Dfsph::default())
}

/// All cases.
pub fn cases() -> &'static [Case] {
    use When::{Always, Coarse, Full};
    macro_rules! cases {
        ($($id:literal $when:ident $title:literal => $measure:expr;)+) => {
            &[$(Case { id: $id, when: $when, title: $title, measure: || $measure }),+]
        };
    }
    cases! {
        "K1" Always "kernels integrate to one" => kernels::normalisation();
        "K2" Always "gradients are the slopes of the values" => kernels::gradients();
        "K3" Always "sums over a lattice" => kernels::lattice_sums();
        "K4" Always "a kernel without a constant is refused" => kernels::dimension_guard();
        "C1.drop_2d" Always "two drops collide and keep their momentum, 2D" => conservation::drops(2);
        "C1.drop_3d" Always "two drops collide and keep their momentum, 3D" => conservation::drops(3);
        "C1.implicit" Always "an elastic cube keeps its momentum: implicit" => free_solid::momentum("implicit", 1000);
        "C1.st_venant_kirchhoff" Always "an elastic cube keeps its momentum: St. Venant-Kirchhoff" => free_solid::momentum("st_venant_kirchhoff", 1000);
        "C1.mls" Full "an elastic cube keeps its momentum: moving least squares" => free_solid::momentum("mls", 1000);
        "C1.corotated" Full "an elastic cube keeps its momentum: corotated" => free_solid::momentum("corotated", 1000);
        "C1.rigid" Always "two drops hit a rigid box and keep their momentum" => rigid_bodies::drops_and_box();
        "C2" Always "gradients of linear fields" => elasticity::patch();
        "C3.implicit" Always "a rotation costs nothing: implicit" => elasticity::rotation("implicit");
        "C3.st_venant_kirchhoff" Always "a rotation costs nothing: St. Venant-Kirchhoff" => elasticity::rotation("st_venant_kirchhoff");
        "C3.mls" Always "a rotation costs nothing: moving least squares" => elasticity::rotation("mls");
        "C3.corotated" Always "a rotation costs nothing: corotated" => elasticity::rotation("corotated");
        "C3.corotated_green" Always "a rotation costs nothing: corotated, Green strain" => elasticity::rotation("corotated_green");
        "C3.sph_green" Always "plain SPH resists being turned" => elasticity::rotation("sph_green");
        "C3.frame_implicit" Always "a turned and distant cube moves alike: implicit" => free_solid::frame("implicit");
        "C3.frame_st_venant_kirchhoff" Always "a turned and distant cube moves alike: St. Venant-Kirchhoff" => free_solid::frame("st_venant_kirchhoff");
        "C4.implicit" Full "a cube in a field that turns it, beside Peer18 Fig. 2: implicit" => free_solid::spin_up("implicit");
        "C4.st_venant_kirchhoff" Always "a cube in a field that turns it: St. Venant-Kirchhoff" => free_solid::spin_up("st_venant_kirchhoff");
        "C4.corotated" Full "a cube in a field that turns it: corotated" => free_solid::spin_up("corotated");
        "C4.sph" Always "plain SPH does not turn" => free_solid::spin_up("sph_green");
        "C5.implicit" Always "a cuboid lies down flat, beside BIT09 Fig. 5: implicit" => falling_cuboid::falls("implicit");
        "C5.corotated" Always "a cuboid lies down flat: corotated" => falling_cuboid::falls("corotated");
        "C5.sph" Always "a cuboid of plain SPH stays tilted" => falling_cuboid::falls("sph_green");
        "D1" Always "half the step, a quarter of the error" => stability::order();
        "D1.spring" Always "two particles on a spring, with friction too" => individual::spring();
        "D2" Always "steps that change are of second order" => individual::order();
        "D2.cut" Always "DG96 Fig. 4: a tool cuts a body, in individual steps" => individual::cut();
        "D2.impact" Always "a drop hits a body, in individual steps" => individual::impact();
        "D3.st_venant_kirchhoff" Always "the longest stable step: St. Venant-Kirchhoff" => stability::longest("st_venant_kirchhoff");
        "D3.corotated" Always "the longest stable step: corotated" => stability::longest("corotated");
        "D3.mls" Always "the longest stable step: moving least squares" => stability::longest("mls");
        "D3.sph" Always "the longest stable step: plain SPH" => stability::longest("sph_green");
        "D4" Always "long implicit steps lead to the same shape" => stability::blob();
        "E1.implicit" Always "moduli of a bar: implicit" => elasticity::moduli();
        "E1.corotated" Always "softness of a bar without corrected gradients" => elasticity::uncorrected_modulus();
        "E2" Full "a cantilever sinks, 8, 12 and 16 layers" => cantilever::converging();
        "E2.coarse" Coarse "a cantilever sinks, 8 layers" => cantilever::coarse();
        "E2.frequency" Full "a cantilever swings, 16 layers" => beams::frequency(16, 0.03);
        "E2.frequency_coarse" Always "a cantilever swings, 8 layers" => beams::frequency(8, 0.07);
        "E2.plain" Always "a cantilever swings, from a plain file" => plain_solids::swings();
        "E3" Full "a cantilever bends far, 16 layers" => beams::elastica(16, 0.06);
        "E3.coarse" Coarse "a cantilever bends far, 8 layers" => beams::elastica(8, 0.12);
        "E4.rest" Always "the beam of Turek & Hron at rest, 8 layers" => beams::turek_rest(8, 0.12);
        "E4.swing" Full "the beam of Turek & Hron swings, 8 layers" => beams::turek_swing(8, 0.06, 0.12);
        "E4.swing_fine" Full "the beam of Turek & Hron swings, 12 layers" => beams::turek_swing(12, 0.04, 0.07);
        "E5" Full "a plate is struck, 16 layers" => beams::plate(16, 0.005, 0.03);
        "E5.coarse" Always "a plate is struck, 10 layers" => beams::plate(10, 0.005, 0.05);
        "E5.large" Full "a plate is struck hard" => beams::plate(10, 0.05, 0.05);
        "E6" Full "a wave of compression, confined" => elastic_wave::arrival(96, true, 0.04);
        "E6.coarse" Coarse "a wave of compression, confined" => elastic_wave::arrival(48, true, 0.08);
        "E6.free" Full "a wave of compression in a free bar" => elastic_wave::arrival(96, false, 0.04);
        "E6.plain" Full "a wave of compression, from a plain file" => plain_solids::wave(96, 0.04);
        "E6.plain_coarse" Coarse "a wave of compression, from a plain file, half as fine" => plain_solids::wave(48, 0.08);
        "E7" Full "a square bar is twisted, 10 layers" => torsion::converging();
        "E7.coarse" Coarse "a square bar is twisted, 6 layers" => torsion::twisted(6, 0.24);
        "E8" Full "a ball bounces, 20 particles in the radius" => hertz::bounces(20, 0.25);
        "E8.coarse" Coarse "a ball bounces, 10 particles in the radius" => hertz::bounces(10, 0.5);
        "E10" Always "particles move against their neighbours" => elastic_wave::zero_energy();
        "P1.implicit" Full "a block is sheared to and fro, 1000 and 10000 steps: implicit" => plasticity::sheared_to_and_fro("implicit", 250);
        "P1.st_venant_kirchhoff" Full "a block is sheared to and fro: St. Venant-Kirchhoff" => plasticity::sheared_to_and_fro("st_venant_kirchhoff", 25);
        "P1.mls" Full "a block is sheared to and fro: moving least squares" => plasticity::sheared_to_and_fro("mls", 25);
        "P1.coarse" Coarse "a block is sheared to and fro, 100 and 1000 steps: implicit" => plasticity::sheared_to_and_fro("implicit", 25);
        "P1.released" Always "a sheared block is let go: implicit" => plasticity::released("implicit", 7);
        "P1.released_explicit" Always "a sheared block is let go: St. Venant-Kirchhoff" => plasticity::released("st_venant_kirchhoff", 7);
        "P3.4" Always "a stretched block begins to break, 4 layers" => fracture::first_break(4);
        "P3.8" Always "a stretched block begins to break, 8 layers" => fracture::first_break(8);
        "P3.12" Full "a stretched block begins to break, 12 layers" => fracture::first_break(12);
        "P3.notched" Full "a bar with a notch parts, 16 layers" => fracture::notched(16);
        "P3.notched_coarse" Coarse "a bar with a notch parts, 8 layers" => fracture::notched(8);
        "F1.2d" Full "water at rest, 2D, 1 m deep in 50 layers" => hydrostatic::plane(50, CONTINUITY, 1.0);
        "F1.2d_summation" Full "water at rest, 2D, densities summed" => hydrostatic::plane(50, SUMMATION, 1.0);
        "F1.2d_coarse" Coarse "water at rest, 2D, 1 m deep in 25 layers" => hydrostatic::plane(25, CONTINUITY, 2.0);
        "F1.3d" Full "water at rest, 3D, 0.5 m deep in 25 layers" => hydrostatic::space_both_ways(25);
        "F1.3d_narrow" Full "water at rest, 3D, support 2 spacings, densities summed" => hydrostatic::space(25, 2.0, SUMMATION, 1.0);
        "F1.3d_coarse" Coarse "water at rest, 3D, in 12 layers" => hydrostatic::space(12, 2.0, SUMMATION, 2.0);
        "F1.2d_pcisph" Full "water at rest, 2D, PCISPH" => hydrostatic::plane_with("pcisph", 50, 1.0);
        "F1.2d_iisph" Full "water at rest, 2D, IISPH" => hydrostatic::plane_with("iisph", 50, 1.0);
        "F1.2d_dfsph" Full "water at rest, 2D, DFSPH" => hydrostatic::plane_with("dfsph", 50, 1.0);
        "F1.2d_iisph_coarse" Coarse "water at rest, 2D, IISPH, 25 layers" => hydrostatic::plane_with("iisph", 25, 2.0);
        "F1.3d_pcisph" Full "water at rest, 3D, PCISPH" => hydrostatic::space_with("pcisph", 25, 1.0);
        "F1.3d_iisph" Full "water at rest, 3D, IISPH" => hydrostatic::space_with("iisph", 25, 1.0);
        "F1.3d_dfsph" Full "water at rest, 3D, DFSPH" => hydrostatic::space_with("dfsph", 25, 1.0);
        "F2" Full "dam break of Martin and Moyce, 40 particles across" => dam_break::martin_moyce("wcsph", 40);
        "F2.coarse" Always "dam break of Martin and Moyce, 20 particles across" => dam_break::martin_moyce("wcsph", 20);
        "F2.pcisph" Full "dam break of Martin and Moyce, PCISPH" => dam_break::martin_moyce("pcisph", 40);
        "F2.iisph" Full "dam break of Martin and Moyce, IISPH" => dam_break::martin_moyce("iisph", 40);
        "F2.dfsph" Full "dam break of Martin and Moyce, DFSPH" => dam_break::martin_moyce("dfsph", 40);
        "F2.iisph_coarse" Coarse "dam break of Martin and Moyce, IISPH, 20 particles across" => dam_break::martin_moyce("iisph", 20);
        "F3.wcsph" Full "a wave hits a wall, 60 particles in the height, WCSPH" => dam_pressure::impact("wcsph", 60, 1.0);
        "F3.dfsph" Full "a wave hits a wall, 60 particles in the height, DFSPH" => dam_pressure::impact("dfsph", 60, 1.0);
        "F3.pcisph" Full "a wave hits a wall, PCISPH, 30 particles in the height" => dam_pressure::impact("pcisph", 30, 2.0);
        "F3.iisph" Full "a wave hits a wall, IISPH, 30 particles in the height" => dam_pressure::impact("iisph", 30, 2.0);
        "F3.coarse" Coarse "a wave hits a wall, 30 particles in the height" => dam_pressure::impact("wcsph", 30, 2.0);
        "F4.wcsph" Full "standing wave in a tank, 50 particles deep, WCSPH" => slosh::inviscid(slosh::SHALLOW, 50, 1.0);
        "F4.wcsph_deep" Full "standing wave in a tank as deep as wide, 50 particles deep, WCSPH" => slosh::inviscid(slosh::DEEP, 50, 1.0);
        "F4.wcsph_coarse" Coarse "standing wave in a tank, 25 particles deep, WCSPH" => slosh::inviscid(slosh::SHALLOW, 25, 2.0);
        "F4.decay" Full "viscosity brakes a standing wave, 50 particles deep" => slosh::viscous(50, 1.0);
        "F4.decay_coarse" Coarse "viscosity brakes a standing wave, 25 particles deep" => slosh::viscous(25, 2.0);
        "F4.pcisph" Full "standing wave in a tank, 50 particles deep, PCISPH" => slosh::first_mode(&pcisph(), 50, 1.0);
        "F4.iisph" Full "standing wave in a tank, 50 particles deep, IISPH" => slosh::first_mode(&iisph(), 50, 1.0);
        "F4.dfsph" Full "standing wave in a tank, 50 particles deep, DFSPH" => slosh::first_mode(&dfsph(), 50, 1.0);
        "F4.coarse" Coarse "standing wave in a tank, 25 particles deep" => slosh::first_mode(&iisph(), 25, 2.0);
        "F5.wcsph" Full "decaying vortices, 50 particles across, WCSPH" => taylor_green::vortices_beside_others(&pulling(), [("not shifted", pulling(), false), ("iisph", iisph(), true)], 50);
        "F5.wcsph_jittered" Full "decaying vortices from a jittered set, WCSPH" => taylor_green::vortices(&pulling(), true, true, 50, 1.0);
        "F5.plain" Full "decaying vortices, from a file without a solver" => taylor_green::from_plain_file(&[], 1.0);
        "F5.plain_coarse" Coarse "decaying vortices, from a file without a solver, 25 particles across" => taylor_green::from_plain_file(&["world.spacing=0.04"], 2.0);
        "F5.coarse" Coarse "decaying vortices, 25 particles across" => taylor_green::vortices(&pulling(), true, false, 25, 2.0);
        "F6.couette" Full "flow between plates, one of which moves, 25 particles across" => channel::couette(25, 1.0);
        "F6.couette_coarse" Coarse "flow between plates, one of which moves, 13 particles across" => channel::couette(13, 2.0);
        "F6.poiseuille" Full "driven flow between plates, 25 particles across" => channel::poiseuille(25, 1.0);
        "F6.poiseuille_coarse" Coarse "driven flow between plates, 13 particles across" => channel::poiseuille(13, 2.0);
        "F6.solved_couette" Full "flow between plates, one of which moves, friction solved for" => channel::couette_solved(25, 1.0);
        "F6.solved_poiseuille" Full "driven flow between plates, friction solved for" => channel::poiseuille_solved(25, 1.0);
        "F6.solved_coarse" Coarse "driven flow between plates, friction solved for, 13 particles across" => channel::poiseuille_solved(13, 2.0);
        "F6.gel" Full "driven flow of a gel between plates, 40 particles across" => thick::gel(40, 0.03);
        "F6.gel_coarse" Coarse "driven flow of a gel between plates, 25 particles across" => thick::gel(25, 0.06);
        "F6.honey_10" Full "a column of honey sags, 10 Pa s" => thick::column(10.0, 0.005, 100.0);
        "F6.honey_1000" Full "a column of honey sags, 1000 Pa s" => thick::column(1000.0, 0.005, 100.0);
        "F6.honey_coarse" Coarse "a column of honey sags, 1000 Pa s, 10 particles across" => thick::column(1000.0, 0.01, 10.0);
        "F7" Full "a free drop swings, 20 particles in the radius, IISPH" => drops::oscillation(Around::Nothing, "iisph", 20.0, 1.0);
        "F7.wcsph" Full "a free drop swings, WCSPH" => drops::oscillation(Around::Nothing, "wcsph", 20.0, 1.0);
        "F7.coarse" Coarse "a free drop swings, 12 particles in the radius" => drops::oscillation(Around::Nothing, "iisph", 12.0, 2.0);
        "F7.in_fluid" Full "a drop swings in fluid of its density" => drops::oscillation(Around::Fluid, "iisph", 18.75, 1.0);
        "F8" Full "a free drop at rest, 20 particles in the radius, IISPH" => drops::at_rest(Around::Nothing, "iisph", 20.0, 1.0);
        "F8.wcsph" Full "a free drop at rest, WCSPH" => drops::at_rest(Around::Nothing, "wcsph", 20.0, 1.0);
        "F8.coarse" Coarse "a free drop at rest, 12 particles in the radius" => drops::at_rest(Around::Nothing, "iisph", 12.0, 2.0);
        "F8.in_fluid" Full "a drop at rest in fluid of its density" => drops::at_rest(Around::Fluid, "iisph", 18.75, 1.0);
        "F8.square" Full "a square drop becomes round" => drops::square("iisph", 20.0, 1.0);
        "F8.angle_60" Full "a square drop on a table spreads to 60 degrees" => droplets::angle(60.0, Start::Square, "iisph", 0.0005, 1.0);
        "F8.angle_60_flat" Full "a flat drop on a table draws in to 60 degrees" => droplets::angle(60.0, Start::Flat, "iisph", 0.0005, 1.0);
        "F8.angle_90" Full "a square drop on a table spreads to 90 degrees" => droplets::angle(90.0, Start::Square, "iisph", 0.0005, 1.0);
        "F8.angle_90_flat" Full "a flat drop on a table draws in to 90 degrees" => droplets::angle(90.0, Start::Flat, "iisph", 0.0005, 1.0);
        "F8.angle_120" Full "a square drop on a table draws in to 120 degrees" => droplets::angle(120.0, Start::Square, "iisph", 0.0005, 1.0);
        "F8.angle_120_flat" Full "a flat drop on a table draws in to 120 degrees" => droplets::angle(120.0, Start::Flat, "iisph", 0.0005, 1.0);
        "F8.angle_60_wcsph" Full "a square drop on a table spreads to 60 degrees, WCSPH" => droplets::angle(60.0, Start::Square, "wcsph", 0.0005, 1.0);
        "F8.angle_120_wcsph" Full "a square drop on a table draws in to 120 degrees, WCSPH" => droplets::angle(120.0, Start::Square, "wcsph", 0.0005, 1.0);
        "F8.angle_coarse" Coarse "a square drop on a table draws in to 120 degrees, 11 particles across" => droplets::angle(120.0, Start::Square, "iisph", 0.001, 2.0);
        "F9" Full "a round patch becomes an ellipse, 40 particles in the radius" => elliptical_patch::patch("wcsph", 40, 1.0);
        "F9.coarse" Coarse "a round patch becomes an ellipse, 20 particles in the radius" => elliptical_patch::patch("wcsph", 20, 2.0);
        "F9.pcisph" Full "a round patch becomes an ellipse, PCISPH" => elliptical_patch::patch("pcisph", 40, 1.0);
        "F9.iisph" Full "a round patch becomes an ellipse, IISPH" => elliptical_patch::patch("iisph", 40, 1.0);
        "F9.dfsph" Full "a round patch becomes an ellipse, DFSPH" => elliptical_patch::patch("dfsph", 40, 1.0);
        "F11" Full "sound in a tube, 50 particles long" => sound::modes(50, 1.0);
        "F11.coarse" Coarse "sound in a tube, 25 particles long" => sound::modes(25, 2.0);
        "F11.spiky" Full "sound in a tube, poly6 for densities and spiky for pressure" => sound::spiky(50, 1.0);
        "F11.step" Full "sound in a tube with steps of different length" => sound::steps(50, 1.0);
        "F11.step_coarse" Coarse "sound in a tube with steps of different length" => sound::steps(25, 2.0);
        "F11.table_2_1" Full "a pulse crosses a tube, beside Sol09 Table 2.1" => sound::pulses(100);
        "F11.table_2_2" Full "a pulse crosses a tube, beside Sol09 Table 2.2" => sound::pulse_steps(100, 4);
        "F12.pcisph" Full "a collapsing column keeps its volume, PCISPH" => collapse::volume("pcisph", 0.01, Bound::Worst);
        "F12.pcisph_fine" Full "a collapsing column keeps its volume, PCISPH, 0.1 %" => collapse::volume("pcisph", 0.001, Bound::Worst);
        "F12.iisph" Full "a collapsing column keeps its volume, IISPH" => collapse::volume("iisph", 0.01, Bound::Mean);
        "F12.iisph_fine" Full "a collapsing column keeps its volume, IISPH, 0.1 %" => collapse::volume("iisph", 0.001, Bound::Mean);
        "F12.dfsph" Full "a collapsing column keeps its volume, DFSPH, 0.1 %" => collapse::volume("dfsph", 0.001, Bound::Mean);
        "F12.convergence" Always "the first iteration of PCISPH, beside Sol09 Fig. 3.3" => collapse::convergence();
        "F14.pcisph" Full "a light disc begins to rise, PCISPH" => buoyant_disc::rise(&pcisph());
        "F14.iisph" Always "a light disc begins to rise, IISPH" => buoyant_disc::rise(&iisph());
        "F14.wcsph" Full "a light disc begins to rise, WCSPH" => buoyant_disc::rise(&continuous());
        "F14.dfsph" Full "a light disc begins to rise, DFSPH" => buoyant_disc::rise(&dfsph());
        "F13.density" Always "two fluids on one lattice" => interface::densities();
        "S1" Full "water stands on an elastic plate, 8 layers, steps halved and quartered" => fluid_and_solid::column(PLATE);
        "S1.stiff" Full "water stands on a plate ten times as stiff" => fluid_and_solid::column(Plate { stiffness: 10.0, ..PLATE });
        "S1.coarse" Coarse "water stands on an elastic plate, 5 layers" => fluid_and_solid::column(Plate { layers: 5, steps: &[], tolerance: 0.3, ..PLATE });
        "S2" Full "water opens an elastic gate, 4 layers" => fluid_and_solid::gate(0.00125, 1.0);
        "S2.coarse" Coarse "water opens an elastic gate, 2 layers" => fluid_and_solid::gate(0.0025, 2.0);
        "S3" Full "an elastic block floats" => fluid_and_solid::floating(0.01, 2.0);
        "S3.coarse" Coarse "an elastic block floats, coarsely" => fluid_and_solid::floating(0.02, 1.0);
        "S5.explicit" Always "a drop, an elastic cube and a rigid box collide, all explicit" => rigid_bodies::collision(true, 0.05);
        "S5" Full "a drop, an elastic cube and a rigid box collide" => rigid_bodies::collision(false, 0.025);
        "S5.coarse" Always "a drop, an elastic cube and a rigid box collide, half as fine" => rigid_bodies::collision(false, 0.05);
        "R1" Always "a free box tumbles" => rigid_bodies::tumbling();
        "R2.box" Full "a box floats, half as dense as water" => rigid_in_water::floating_box(0.5, 0.01);
        "R2.box_light" Full "a box floats, 0.3 times as dense as water" => rigid_in_water::floating_box(0.3, 0.01);
        "R2.box_heavy" Full "a box floats, 0.8 times as dense as water" => rigid_in_water::floating_box(0.8, 0.01);
        "R2.box_coarse" Coarse "a box floats, 10 particles high" => rigid_in_water::floating_box(0.5, 0.02);
        "R2.ball" Full "a ball floats, 16 particles across" => rigid_in_water::floating_ball(0.0125);
        "R2.ball_coarse" Coarse "a ball floats, 8 particles across" => rigid_in_water::floating_ball(0.025);
        "R2.held" Full "water lifts a box that is held" => rigid_in_water::held_box(0.01);
        "R2.held_coarse" Coarse "water lifts a box that is held, 10 particles high" => rigid_in_water::held_box(0.02);
        "R3" Full "a cylinder settles between walls, 12 particles across" => settling::under_the_column(12, 0.08);
        "R3.coarse" Coarse "a cylinder settles between walls, 6 particles across" => settling::under_the_column(6, 0.16);
        "R3.shallow" Full "a cylinder settles under a hundredth of the pressure" => settling::cylinder(12, false, 0.08);
        "R3.shallow_coarse" Coarse "a cylinder settles under a hundredth of the pressure, 6 particles across" => settling::cylinder(6, false, 0.16);
        "R4" Full "a disc falls into water" => rigid_in_water::entry(0.01);
        "R4.coarse" Coarse "a disc falls into water, 10 particles across" => rigid_in_water::entry(0.02);
        "R5" Always "a block on a slope, gravity turned" => rigid_bodies::slope(false);
        "R5.tilted" Always "a block on a slope, slope and block turned" => rigid_bodies::slope(true);
        "R6" Full "a light plate on the floor under a metre of water" => rigid_in_water::light_plate(0.025);
        "R6.coarse" Coarse "a light plate on the floor under a metre of water, 20 layers" => rigid_in_water::light_plate(0.05);
        "R7" Full "a plate between two levels of water, 40 particles deep" => rigid_in_water::two_levels(0.0125);
        "R7.coarse" Coarse "a plate between two levels of water, 20 particles deep" => rigid_in_water::two_levels(0.025);
        "I1" Full "a jet fills a tank" => streams::jet(Place::Above, "iisph", 0.02, 0.005);
        "I1.coarse" Coarse "a jet fills a tank" => streams::jet(Place::Above, "iisph", 0.04, 0.01);
        "I1.below" Full "a jet fills a tank from under water" => streams::jet(Place::Below, "iisph", 0.02, 0.005);
        "I1.moving" Full "a jet that moves fills a tank" => streams::jet(Place::Moving, "iisph", 0.02, 0.005);
        "I2" Full "an open channel keeps its profile, 20 layers, IISPH" => streams::channel("iisph", 0.01, 0.02);
        "I2.dfsph" Full "an open channel keeps its profile, 10 layers, DFSPH" => streams::channel("dfsph", 0.02, 0.02);
        "I2.wcsph" Full "an open channel keeps its profile, 10 layers, WCSPH" => streams::channel("wcsph", 0.02, 0.02);
        "I2.coarse" Coarse "an open channel keeps its profile, 10 layers, IISPH" => streams::channel("iisph", 0.02, 0.02);
        "I3" Full "what comes and goes keeps its balance for 60 s" => streams::balance(0.02, 60.0);
        "I3.coarse" Coarse "what comes and goes keeps its balance for 10 s" => streams::balance(0.02, 10.0);
        "F13.pcisph" Full "a light fluid rests on a heavy one, PCISPH" => two_layers::rest("pcisph = { pair_pressure = 'density_weighted' }", 100.0);
        "F13.iisph" Always "a light fluid rests on a heavy one, IISPH" => two_layers::rest("iisph = { pair_pressure = 'density_weighted' }", 100.0);
        "F13.dfsph" Full "a light fluid rests on a heavy one, DFSPH" => two_layers::rest("dfsph = { pair_pressure = 'density_weighted' }", 100.0);
        "F13.wcsph" Full "a light fluid rests on a heavy one, WCSPH" => two_layers::rest("wcsph = { density = 'continuity' }", 100.0);
        "F13.pcisph_100" Full "a light fluid rests on a heavy one, 1:100, PCISPH" => two_layers::rest("pcisph = { pair_pressure = 'density_weighted' }", 10.0);
        "F13.iisph_100" Full "a light fluid rests on a heavy one, 1:100, IISPH" => two_layers::rest("iisph = { pair_pressure = 'density_weighted' }", 10.0);
        "F13.dfsph_100" Full "a light fluid rests on a heavy one, 1:100, DFSPH" => two_layers::rest("dfsph = { pair_pressure = 'density_weighted' }", 10.0);
        "F13.wcsph_100" Full "a light fluid rests on a heavy one, 1:100, WCSPH" => two_layers::rest("wcsph = { density = 'continuity' }", 10.0);
        "F13.plain" Full "two fluids touch, from a file without a solver" => plain_layers::touch(None);
        "F13.plain_auto" Full "two fluids touch, with `auto`" => plain_layers::touch(Some("'auto'"));
        "F13.plain_pcisph" Full "two fluids touch, PCISPH and no more" => plain_layers::touch(Some("{ pcisph = {} }"));
        "F13.plain_iisph" Full "two fluids touch, IISPH and no more" => plain_layers::touch(Some("{ iisph = {} }"));
        "F13.plain_dfsph" Full "two fluids touch, DFSPH and no more" => plain_layers::touch(Some("{ dfsph = {} }"));
        "F13.iisph_own" Full "two fluids with Sol09 Eq. 4.12 stay apart, 1:100, IISPH" => two_layers::apart("iisph = { pair_pressure = 'own_volumes' }", 10.0);
        "F13.iisph_both" Full "two fluids with Sol09 Eq. 4.7 stay apart, 1:100, IISPH" => two_layers::apart("iisph = { pair_pressure = 'both_volumes' }", 10.0);
        "F13.wcsph_own" Full "two fluids with Sol09 Eq. 4.12 stay apart, 1:100, WCSPH" => two_layers::apart("wcsph = { pair_pressure = 'own_volumes' }", 10.0);
        "F13.masses" Always "two fluids stay apart if masses are summed, WCSPH" => two_layers::apart("wcsph = { density = 'masses', pair_pressure = 'own_volumes' }", 100.0);
        "V1" Full "volume and place of surfaces, 40 000 particles" => volume::shapes(40_000, 0.01);
        "V1.coarse" Always "volume and place of surfaces, 5000 particles" => volume::shapes(5000, 0.02);
        "V2" Always "no sheets between separate pieces" => concave::sheets();
        "V3" Always "points between points of a sphere" => refinement::sphere();
        "V4" Always "which particles are on the surface" => detection::block_and_tank();
        "DG96.figure_3" Always "force between two particles, beside DG96 Fig. 3" => pair_force::figure_3();
        "DG96.figure_7" Full "volume of surfaces while a block falls, beside DG96 Fig. 7" => volume_in_time::figure_7();
        "T1" Always "a sine of temperature decays" => heat::sine();
        "T2.slab" Always "a slab whose surface is heated, 40 across" => heat::slab(40);
        "T2.sphere" Full "a ball whose surface is heated, 40 across" => heat::sphere(40);
        "T2.sphere.coarse" Coarse "a ball whose surface is heated, 20 across" => heat::sphere(20);
        "T3" Always "two unlike materials in contact" => heat::contact(40);
        "T3.thesis" Always "the same by Sol09 Eq. 5.12" => heat::thesis(20);
        "T4.isotherm" Always "a front that melts without latent heat" => heat::front(120, false);
        "T4.stefan" Full "a front that melts with latent heat, 0.5 mm" => heat::front(120, true);
        "T4.stefan.coarse" Coarse "a front that melts with latent heat, 1 mm" => heat::front(60, true);
        "T4.flips" Always "a thousand changes of phase" => heat::flips();
    }
}

#[cfg(test)]
mod tests;

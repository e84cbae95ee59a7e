//! Dye spreads in a drop that falls, by a process of the caller: `cargo run --release -p thixo --example spreading_dye`

use std::error::Error;

use thixo::prelude::*;
use thixo::sim::{OwnColumn, OwnValues, Pairs, Process, StepContext, Who, World, each, exchange};

/// dc_i/dt = 2 D Σ_j V_j (c_i − c_j) W'_ij / r_ij (Brookshaw 1985): what one particle loses its neighbour gains.
struct Dye {
    /// D [m^2/s].
    diffusivity: Real,
    /// Scratch.
    rate: Vec<Real>,
}

impl Process for Dye {
    fn columns(&self) -> Vec<OwnColumn> {
        vec![OwnColumn::new("dye", "-", 0.0)]
    }

    fn advance(&mut self, step: &StepContext<'_>, own: &mut OwnValues<'_>) {
        let (dye, factor) = (&mut own[0], 2.0 * self.diffusivity);
        self.rate.resize(step.world.kinds.matter().len(), 0.0);
        let before = &*dye;
        each!(step.pairs, Who::Matter, &mut self.rate, |i, near, rate| {
            let own = before[i];
            let flow = exchange!(near.matter(), |j, slope| (j.splat(own) - j.get(before)) * j.volume() * slope);
            *rate = factor * flow;
        });
        dye.iter_mut().zip(&self.rate).for_each(|(dye, rate)| *dye += step.dt * rate);
    }

    fn longest_step(&self, _: &World, pairs: &Pairs) -> Option<Real> {
        Some(0.02 * pairs.kernel().support().powi(2) / self.diffusivity)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let drops = gallery().iter().find(|scene| scene.name == "falling-drop").ok_or("it left the gallery")?;
    let scene = Scene::read(drops.name, drops.text, &["world.spacing=0.03".into()])?;
    let mut simulation = scene.build()?.simulation;
    simulation.add_process(Box::new(Dye { diffusivity: 0.01, rate: Vec::new() }));
    let is_drop = |i: &usize| simulation.body_of(*i).is_some_and(|body| body.name == "drop");
    let drop: Vec<_> = simulation.matter().filter(is_drop).collect();
    let dye = simulation.own_column_mut("dye").ok_or("nobody owns it")?;
    drop.into_iter().for_each(|i| dye[i] = 1.0);

    println!("time [s]  amount [particles]  least  most");
    for _ in 0..5 {
        let values = &simulation.particles().own[0].values[simulation.matter()];
        let (least, most) =
            values.iter().fold((1.0, 0.0), |(least, most): (Real, Real), c| (least.min(*c), most.max(*c)));
        println!("{:8.3}  {:18.3}  {least:5.3}  {most:4.3}", simulation.time(), values.iter().sum::<Real>());
        simulation.advance(0.1)?;
    }
    Ok(())
}

use thixo_scene::{BuiltScene, Scene, gallery};
use thixo_sim::measure::Totals;
#[test]
fn adhoc() {
    let name = std::env::var("NAME").unwrap();
    let settings: Vec<String> = std::env::var("SET").unwrap_or_default().split(';').filter(|s| !s.is_empty()).map(str::to_owned).collect();
    let range: Vec<u64> = std::env::var("STEPS").unwrap().split(',').map(|s| s.parse().unwrap()).collect();
    let text = gallery().iter().find(|e| e.name == name).map(|e| e.text.to_owned()).unwrap_or_else(|| std::fs::read_to_string(&name).unwrap());
    let scene = Scene::read(&name, &text, &settings).unwrap_or_else(|p| panic!("{p}"));
    let BuiltScene { mut simulation, .. } = scene.build().unwrap();
    simulation.prepare().unwrap();
    let show = |s: &thixo_sim::Simulation, r: &thixo_sim::StepReport| {
        let t = Totals::of(s, None);
        println!("A {} {:.5} dt {:.2e} tries {} K {:.4e} P {:.5e} C {:.3e} D {:.4e} sum {:.6e} W {:.4e} err {:.2e} worst {:.2e} fast {:.3} it {} div {} pe {:.1e}", s.steps(), s.time(), r.dt, r.tries, t.kinetic, t.potential, t.compression, t.deformation, t.energy(), s.energy().map_or(0.0, |b| b.work), r.density_error, r.worst_density_error, r.fastest, r.iterations, r.divergence_iterations, r.predicted_error);
    };
    show(&simulation, &Default::default());
    while simulation.time() < scene.time.end && simulation.steps() < range[1] {
        let r = simulation.step_until(scene.time.end).unwrap();
        if simulation.steps() >= range[0] { show(&simulation, &r); }
    }
}

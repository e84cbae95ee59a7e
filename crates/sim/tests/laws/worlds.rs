//! Worlds that several laws are tried in.

use thixo_sim::{
    Dfsph, Dimension, Elastic, Iisph, Implicit, Material, NewBody, NewWall, Pcisph, Pressure, Real, Settings,
    Simulation, StVenantKirchhoff, StepSize, Vec3, Viscosity, Xsph,
};

/// The solvers that find pressures by iteration.
pub(crate) fn incompressible() -> [Pressure; 3] {
    [Pressure::Pcisph(Pcisph::default()), Pressure::Iisph(Iisph::default()), Pressure::Dfsph(Dfsph::default())]
}

/// Cell centres of a lattice of `cells` cells, the first corner at `corner` (in cells).
pub(crate) fn lattice(spacing: Real, corner: [i32; 3], cells: [i32; 3]) -> Vec<Vec3> {
    let mut points = Vec::new();
    for z in 0..cells[2].max(1) {
        for y in 0..cells[1] {
            for x in 0..cells[0] {
                let centre = |k: i32, n: i32| (k + n) as Real * spacing + 0.5 * spacing;
                points.push(Vec3::new(
                    centre(x, corner[0]),
                    centre(y, corner[1]),
                    if cells[2] == 0 { 0.0 } else { centre(z, corner[2]) },
                ));
            }
        }
    }
    points
}

/// The wall cells around a cavity of `cells` cells that starts at the origin, `layers` thick, with their vectors
/// to the surface.
pub(crate) fn shell(spacing: Real, cells: [i32; 3], layers: i32) -> (Vec<Vec3>, Vec<Vec3>) {
    let flat = cells[2] == 0;
    let corner = [-layers, -layers, if flat { 0 } else { -layers }];
    let outer = [cells[0] + 2 * layers, cells[1] + 2 * layers, if flat { 0 } else { cells[2] + 2 * layers }];
    let size = Vec3::new(cells[0] as Real, cells[1] as Real, cells[2] as Real) * spacing;
    lattice(spacing, corner, outer)
        .into_iter()
        .map(|x| (x, x.clamp(Vec3::ZERO, size) - x))
        .filter(|(_, to_surface)| to_surface.length() > 0.1 * spacing)
        .unzip()
}

/// A tank of `cavity` cells (the third 0 for 2D) that holds a block of `fluid` cells in its lower corner.
pub(crate) struct Tank {
    pub(crate) spacing: Real,
    pub(crate) cavity: [i32; 3],
    pub(crate) fluid: [i32; 3],
    pub(crate) viscosity: Viscosity,
    pub(crate) step: StepSize,
    pub(crate) pressure: Pressure,
}

impl Default for Tank {
    fn default() -> Self {
        Tank {
            spacing: 0.05,
            cavity: [10, 14, 10],
            fluid: [10, 10, 10],
            viscosity: Viscosity::Xsph(Xsph { strength: 0.02 }),
            step: StepSize::default(),
            pressure: Pressure::default(),
        }
    }
}

impl Tank {
    pub(crate) fn dimension(&self) -> Dimension {
        if self.cavity[2] == 0 { Dimension::Two } else { Dimension::Three }
    }

    pub(crate) fn build(&self) -> Simulation {
        self.build_with([])
    }

    /// The tank, in a world with elastic materials after water.
    pub(crate) fn build_with<const N: usize>(&self, elastic: [Elastic; N]) -> Simulation {
        let settings = Settings {
            spacing: self.spacing,
            dimension: self.dimension(),
            step: self.step.clone(),
            pressure: self.pressure.clone(),
            ..Settings::default()
        };
        let mut material = Material::default();
        material.fluid.viscosity = self.viscosity.clone();
        let mut materials = vec![material];
        materials.extend(elastic.map(|elastic| Material { elastic: Some(elastic), ..Material::default() }));
        let mut simulation = Simulation::new(settings, materials).unwrap();
        let position = lattice(self.spacing, [0, 0, 0], self.fluid);
        simulation.add_body(NewBody { name: "water".into(), position, ..NewBody::default() }).unwrap();
        let layers = if self.dimension() == Dimension::Two { 2 } else { 1 };
        let (position, to_surface) = shell(self.spacing, self.cavity, layers);
        let wall = NewWall { name: "tank".into(), position, to_surface, no_slip: true, ..NewWall::default() };
        simulation.add_wall(wall).unwrap();
        simulation.prepare().unwrap();
        simulation
    }
}

/// Two elastic cubes, one solved implicitly and one explicitly, that fall into shallow water.
pub(crate) fn jellies() -> Simulation {
    let tank = Tank { cavity: [14, 14, 8], fluid: [14, 4, 8], ..Tank::default() };
    let soft = Elastic::Implicit(Implicit { young_modulus: Some(3e4), ..Implicit::default() });
    let stiff = Elastic::StVenantKirchhoff(StVenantKirchhoff { young_modulus: Some(1e5), ..Default::default() });
    let mut simulation = tank.build_with([soft, stiff]);
    for (name, material, x) in [("soft", 1, 2), ("stiff", 2, 8)] {
        let position = lattice(tank.spacing, [x, 5, 2], [4, 4, 4]);
        let velocity = vec![Vec3::new(0.0, -1.0, 0.3)];
        simulation.add_body(NewBody { name: name.into(), material, position, velocity, ..NewBody::default() }).unwrap();
    }
    simulation.prepare().unwrap();
    simulation
}

/// A hash of all columns, bit for bit, in the order of the particles' identifiers.
pub(crate) fn fingerprint(simulation: &Simulation) -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    use thixo_sim::Values;
    let mut hasher = DefaultHasher::new();
    simulation.time().to_bits().hash(&mut hasher);
    for (info, values) in simulation.particles().columns() {
        info.name.hash(&mut hasher);
        match values {
            Values::Scalar(values) => values.iter().for_each(|v| v.to_bits().hash(&mut hasher)),
            Values::Vector(values) => {
                values.iter().flat_map(|v| v.to_array()).for_each(|v| v.to_bits().hash(&mut hasher));
            }
            Values::Index(values) => values.hash(&mut hasher),
        }
    }
    hasher.finish()
}

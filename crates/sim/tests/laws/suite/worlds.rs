//! Worlds that several laws are tried in.

use thixo_sim::{
    Cohesion, Dfsph, Dimension, Elastic, Iisph, Implicit, Individual, Material, NewBody, NewWall, Pcisph, Pressure,
    Real, Settings, StVenantKirchhoff, StepSize, Vec3, Viscosity, Xsph,
};

use super::{Recipe, Stepper};

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

    /// The tank at its beginning.
    pub(crate) fn make<S: Stepper>(&self) -> S {
        self.recipe().prepared()
    }

    /// Water is the first body, the tank the second.
    pub(crate) fn recipe(&self) -> Recipe {
        let settings = Settings {
            spacing: self.spacing,
            dimension: self.dimension(),
            step: self.step.clone(),
            pressure: self.pressure.clone(),
            ..Settings::default()
        };
        let mut material = Material::default();
        material.fluid.viscosity = self.viscosity.clone();
        let mut world = Recipe::new(settings, vec![material]);
        let position = lattice(self.spacing, [0, 0, 0], self.fluid);
        world.add(NewBody { name: "water".into(), position, ..NewBody::default() });
        let layers = if self.dimension() == Dimension::Two { 2 } else { 1 };
        let (position, to_surface) = shell(self.spacing, self.cavity, layers);
        world.add(NewWall { name: "tank".into(), position, to_surface, no_slip: true, ..NewWall::default() });
        world
    }
}

/// Two elastic cubes, one solved implicitly and one explicitly, that fall into shallow water.
pub(crate) fn jellies() -> Recipe {
    let tank = Tank { cavity: [14, 14, 8], fluid: [14, 4, 8], ..Tank::default() };
    let soft = Elastic::Implicit(Implicit { young_modulus: Some(3e4), ..Implicit::default() });
    let stiff = Elastic::StVenantKirchhoff(StVenantKirchhoff { young_modulus: Some(1e5), ..Default::default() });
    let mut world = tank.recipe();
    world.materials.extend([soft, stiff].map(|elastic| Material { elastic: Some(elastic), ..Material::default() }));
    for (name, material, x) in [("soft", 1, 2), ("stiff", 2, 8)] {
        let position = lattice(tank.spacing, [x, 5, 2], [4, 4, 4]);
        let velocity = vec![Vec3::new(0.0, -1.0, 0.3)];
        world.add(NewBody { name: name.into(), material, position, velocity, ..NewBody::default() });
    }
    world
}

/// Soft water, in which only a stiff block needs short steps, and whoever is beside it.
pub(crate) fn stiff_in_soft(levels: u32) -> Recipe {
    let step = StepSize::Individual(Individual { levels, ..Individual::default() });
    let tank = Tank { cavity: [24, 14, 0], fluid: [16, 10, 0], step, ..Tank::default() };
    let mut world = tank.recipe();
    let elastic = Elastic::StVenantKirchhoff(StVenantKirchhoff { young_modulus: Some(3e7), ..Default::default() });
    world.materials.push(Material { elastic: Some(elastic), ..Material::default() });
    let position = lattice(tank.spacing, [4, 11, 0], [3, 3, 0]);
    let velocity = vec![Vec3::new(0.5, -2.0, 0.0)];
    world.add(NewBody { name: "block".into(), material: 1, position, velocity, ..NewBody::default() });
    world
}

/// Two soft drops in the plane, without walls, that collide fast, each particle in a step of its own.
pub(crate) fn splash(levels: u32, viscosity: Viscosity) -> Recipe {
    let settings = Settings {
        spacing: 0.05,
        gravity: Vec3::ZERO,
        dimension: Dimension::Two,
        pressure: Pressure::Cohesion(Cohesion { stiffness: Some(10.0), ..Cohesion::default() }),
        step: StepSize::Individual(Individual { levels, ..Individual::default() }),
        ..Settings::default()
    };
    let mut material = Material::default();
    material.fluid.viscosity = viscosity;
    let mut world = Recipe::new(settings, vec![material]);
    let large = lattice(0.05, [0, -10, 0], [20, 20, 0]);
    world.add(NewBody { name: "large".into(), position: large, ..NewBody::default() });
    let velocity = vec![Vec3::new(4.0, 0.3, 0.0)];
    let small = lattice(0.05, [-8, -1, 0], [4, 3, 0]);
    world.add(NewBody { name: "small".into(), position: small, velocity, ..NewBody::default() });
    world
}

/// Water that collapses.
pub(crate) fn dam() -> Recipe {
    dam_with(Pressure::default())
}

pub(crate) fn dam_with(pressure: Pressure) -> Recipe {
    Tank { cavity: [24, 14, 8], fluid: [10, 12, 8], pressure, ..Tank::default() }.recipe()
}

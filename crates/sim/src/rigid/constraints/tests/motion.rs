//! Boxes and balls that move freely between two solves, and where they touch.

use glam::{DMat3, DQuat, DVec3};

use super::super::{Contact, Control, Inertia, Joint, Outcome, Pose, Solver, Twist};

/// A box (or, for its inertia, a ball) with exact angular momentum.
#[derive(Clone, Debug)]
pub(super) struct Body {
    pub(super) mass: f64,
    /// Principal moments.
    pub(super) moments: DVec3,
    pub(super) half: DVec3,
    pub(super) position: DVec3,
    pub(super) orientation: DQuat,
    pub(super) velocity: DVec3,
    pub(super) angular_momentum: DVec3,
}

impl Body {
    pub(super) fn cuboid(mass: f64, half: DVec3, position: DVec3) -> Self {
        let square = half * half;
        let moments = mass / 3.0 * DVec3::new(square.y + square.z, square.z + square.x, square.x + square.y);
        let (velocity, angular_momentum) = (DVec3::ZERO, DVec3::ZERO);
        Self { mass, moments, half, position, orientation: DQuat::IDENTITY, velocity, angular_momentum }
    }

    pub(super) fn ball(mass: f64, radius: f64, position: DVec3) -> Self {
        let moments = DVec3::splat(0.4 * mass * radius * radius);
        Self { moments, ..Self::cuboid(mass, DVec3::splat(radius), position) }
    }

    pub(super) fn pose(&self) -> Pose {
        Pose { centre: self.position, orientation: self.orientation }
    }

    pub(super) fn inertia_tensor(&self) -> DMat3 {
        let turn = DMat3::from_quat(self.orientation);
        turn * DMat3::from_diagonal(self.moments) * turn.transpose()
    }

    /// Does anything move it?
    pub(super) fn gives_way(&self) -> bool {
        self.mass.is_finite()
    }

    pub(super) fn inertia(&self) -> Inertia {
        if !self.gives_way() {
            return Inertia { centre: self.position, ..Inertia::default() };
        }
        Inertia {
            inverse_mass: 1.0 / self.mass,
            inverse_inertia: self.inertia_tensor().inverse(),
            centre: self.position,
        }
    }

    pub(super) fn spin(&self) -> DVec3 {
        if !self.gives_way() {
            return DVec3::ZERO;
        }
        self.inertia_tensor().inverse() * self.angular_momentum
    }

    pub(super) fn twist(&self) -> Twist {
        Twist { velocity: self.velocity, spin: self.spin() }
    }

    pub(super) fn set_twist(&mut self, twist: &Twist) {
        self.velocity = twist.velocity;
        if !self.gives_way() {
            return;
        }
        self.angular_momentum = self.inertia_tensor() * twist.spin;
    }

    pub(super) fn shift(&mut self, displacement: &Twist) {
        self.position += displacement.velocity;
        self.orientation = (DQuat::from_scaled_axis(displacement.spin) * self.orientation).normalize();
    }

    pub(super) fn energy(&self) -> f64 {
        0.5 * (self.mass * self.velocity.length_squared() + self.spin().dot(self.angular_momentum))
    }

    /// Points of the face whose outward normal is `axis` (of the body), `across` in each direction.
    pub(super) fn face(&self, axis: DVec3, across: usize) -> Vec<DVec3> {
        let (p, q) = axis.any_orthonormal_pair();
        let place = |k: usize| 2.0 * k as f64 / (across - 1) as f64 - 1.0;
        let point = |k: usize| (axis + place(k / across) * p + place(k % across) * q) * self.half;
        (0..across * across).map(|k| self.position + self.orientation * point(k)).collect()
    }
}

/// What bodies stand on.
#[derive(Clone, Copy)]
pub(super) struct Surface {
    pub(super) friction: f64,
    pub(super) restitution: f64,
    /// Contacts along an edge of a face.
    pub(super) across: usize,
}

pub(super) fn contact(first: usize, second: Option<usize>, point: DVec3, normal: DVec3, gap: f64) -> Contact {
    let (wall_velocity, impulse) = (DVec3::ZERO, DVec3::ZERO);
    Contact { first, second, point, normal, gap, wall_velocity, friction: 0.0, restitution: 0.0, impulse }
}

/// A stack, every box on the one before, the first on the floor y = 0; any of them may be alone.
pub(super) fn stack_contacts(bodies: &[Body], surface: &Surface) -> Vec<Contact> {
    let mut contacts = Vec::new();
    for (k, body) in bodies.iter().enumerate() {
        let below = k.checked_sub(1).map(|below| (below, &bodies[below]));
        let (normal, top) = below.map_or((DVec3::Y, DVec3::ZERO), |(_, below)| {
            let normal = below.orientation * DVec3::Y;
            (normal, below.position + below.half.y * normal)
        });
        for point in body.face(DVec3::NEG_Y, surface.across) {
            let gap = (point - top).dot(normal);
            contacts.push(contact(k, below.map(|below| below.0), point, normal, gap));
        }
    }
    contacts
}

/// Bodies that move, step by step.
pub(super) struct World {
    pub(super) bodies: Vec<Body>,
    pub(super) gravity: DVec3,
    pub(super) control: Control,
    pub(super) solver: Solver,
    pub(super) contacts: Vec<Contact>,
    pub(super) joints: Vec<Joint>,
    pub(super) outcome: Outcome,
}

fn control(dt: f64) -> Control {
    Control { dt, bounce_speed: 20.0 * dt, tolerance: 1e-6, most_sweeps: 1000, slop: 1e-4, share: 0.2 }
}

impl World {
    pub(super) fn new(bodies: Vec<Body>, gravity: DVec3, dt: f64) -> Self {
        Self {
            bodies,
            gravity,
            control: control(dt),
            solver: Solver::default(),
            contacts: Vec::new(),
            joints: Vec::new(),
            outcome: Outcome::default(),
        }
    }

    /// Makes joints ready where bodies are.
    pub(super) fn prepare(&mut self) -> (Vec<Inertia>, Vec<Twist>) {
        let inertias: Vec<Inertia> = self.bodies.iter().map(Body::inertia).collect();
        let orientations: Vec<DQuat> = self.bodies.iter().map(|body| body.orientation).collect();
        self.solver.prepare(&inertias, &orientations, &mut self.joints, &[]);
        (inertias, self.bodies.iter().map(Body::twist).collect())
    }

    /// One step without contacts.
    pub(super) fn free_step(&mut self) {
        self.step(&Surface { friction: 0.0, restitution: 0.0, across: 2 }, |_| Vec::new());
    }

    /// One step; the contacts of the step before lend their impulses if there are as many.
    pub(super) fn step(&mut self, surface: &Surface, find: impl Fn(&[Body]) -> Vec<Contact>) {
        let mut contacts = find(&self.bodies);
        let known = self.contacts.len() == contacts.len();
        for (k, contact) in contacts.iter_mut().enumerate() {
            (contact.friction, contact.restitution) = (surface.friction, surface.restitution);
            contact.impulse = if known { self.contacts[k].impulse } else { DVec3::ZERO };
        }
        let dt = self.control.dt;
        for body in self.bodies.iter_mut().filter(|body| body.gives_way()) {
            body.velocity += dt * self.gravity;
        }
        let (inertias, mut twists) = self.prepare();
        self.outcome = self.solver.solve(&inertias, &mut twists, &mut contacts, &mut self.joints, &self.control);
        let mut displacements = vec![Twist::default(); twists.len()];
        let (joints, control) = (&self.joints, &self.control);
        self.solver.displacements(&inertias, &twists, &contacts, joints, control, &mut displacements);
        for ((body, twist), displacement) in self.bodies.iter_mut().zip(&twists).zip(&displacements) {
            body.set_twist(twist);
            let angular_momentum = body.angular_momentum;
            body.shift(&Twist { velocity: dt * twist.velocity, spin: dt * twist.spin });
            body.shift(displacement);
            body.angular_momentum = angular_momentum;
        }
        self.contacts = contacts;
    }
}

/// Numbers that nobody chose (a linear congruential generator, Knuth's constants).
pub(super) struct Random(pub(super) u64);

impl Random {
    /// Between 0 and 1.
    pub(super) fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// In a cube from -1 to 1.
    pub(super) fn vector(&mut self) -> DVec3 {
        DVec3::new(self.unit(), self.unit(), self.unit()) * 2.0 - 1.0
    }
}

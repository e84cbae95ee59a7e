//! Kinds of matter: which particles, what moves them, how they respond to an impulse, which neighbours they have.
//!
//! One table, owned by the world. Each kind has one segment of memory, and the segments lie in an order in which every
//! capability below is one run of particles:
//!
//! ```text
//! bonded | rigid | loose | flowing || moved by paths
//! └────── moved by the step ─────┘
//! ```
//!
//! Loops ask for a capability ([`Kinds::matter`], [`Kinds::bonded`], [`Kinds::coherent`], [`Kinds::flowing`],
//! [`Kinds::walls`]), never for an index. A new kind is a row ([`Simulation::add_kind`](crate::Simulation::add_kind)) and the forces or processes that act
//! on it; the column `phase` says which row a particle is in.

use std::cmp::Ordering;
use std::ops::Range;

use crate::neighbors::Part;

/// Who moves the particles of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MovedBy {
    /// The integrator, by the accelerations of a step.
    Step,
    /// A path or the caller: no force moves them.
    Path,
}

/// What holds the particles of a kind together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Structure {
    /// Bonds: they remember their neighbours, and see those in their bonds, not in lists.
    Bonded,
    /// They do not move against each other: the body has a place, a turn and momenta, and they follow.
    Rigid,
    /// Nothing, and pressure on them is contact.
    Loose,
    /// Pressure, as in a continuum: walls and neighbours continue it.
    Flowing,
}

/// How particles respond to an impulse J.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Response {
    /// Each for itself: J/m.
    Alone,
    /// With the body they belong to.
    WithBody,
    /// Not at all.
    Fixed,
}

/// A kind of matter: a row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// Its name, for messages.
    pub name: &'static str,
    /// Who moves it.
    pub moved_by: MovedBy,
    /// How it responds to an impulse.
    pub response: Response,
    /// What holds it together.
    pub structure: Structure,
}

impl Kind {
    /// Whom its particles see: the parts that their neighbourhoods can have.
    pub fn sees(&self) -> &'static [Part] {
        match (self.moved_by, self.structure) {
            (MovedBy::Path, _) => &[Part::Free],
            (MovedBy::Step, Structure::Bonded) => &[Part::Free, Part::Bonded, Part::Walls],
            (MovedBy::Step, Structure::Rigid) => &[Part::Free],
            (MovedBy::Step, Structure::Loose | Structure::Flowing) => &[Part::Free, Part::Walls],
        }
    }
}

/// Which kind: a row of the table, by the order in which rows were added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KindId(pub(crate) u32);

impl KindId {
    /// What flows. Zero, so that a world of one fluid never writes the column of phases, which then takes no memory.
    pub const FLUID: KindId = KindId(0);
    /// Solids that spring back.
    pub const ELASTIC: KindId = KindId(1);
    /// Walls.
    pub const WALL: KindId = KindId(2);
    /// Bodies that do not deform.
    pub const RIGID: KindId = KindId(3);
}

const FLUID: Kind =
    Kind { name: "fluid", moved_by: MovedBy::Step, response: Response::Alone, structure: Structure::Flowing };

/// The kinds that every world has, by identifier.
const BUILT_IN: [Kind; 4] = [
    FLUID,
    Kind { name: "elastic", moved_by: MovedBy::Step, response: Response::WithBody, structure: Structure::Bonded },
    Kind { name: "wall", moved_by: MovedBy::Path, response: Response::Fixed, structure: Structure::Loose },
    Kind { name: "rigid", moved_by: MovedBy::Step, response: Response::WithBody, structure: Structure::Rigid },
];

/// The table of kinds, and where the particles of each are.
#[derive(Clone, Debug)]
pub struct Kinds {
    /// By identifier.
    kinds: Vec<Kind>,
    /// How many particles each has.
    counts: Vec<usize>,
    /// Identifiers in the order of memory.
    order: Vec<KindId>,
    fluid: Range<usize>,
    bonded: Range<usize>,
    rigid: Range<usize>,
    flowing: Range<usize>,
    matter: Range<usize>,
    walls: Range<usize>,
}

impl Default for Kinds {
    fn default() -> Self {
        let mut table = Kinds {
            kinds: Vec::new(),
            counts: Vec::new(),
            order: Vec::new(),
            fluid: 0..0,
            bonded: 0..0,
            rigid: 0..0,
            flowing: 0..0,
            matter: 0..0,
            walls: 0..0,
        };
        for kind in BUILT_IN {
            table.add(kind);
        }
        table
    }
}

impl Kinds {
    /// So many particles that flow, and no others: for a search of its own.
    pub(crate) fn fluid_alone(count: usize) -> Self {
        let mut kinds = Kinds::default();
        kinds.count(KindId::FLUID, count as isize);
        kinds
    }

    /// Adds a row.
    pub(crate) fn add(&mut self, kind: Kind) -> KindId {
        let id = KindId(self.kinds.len() as u32);
        self.kinds.push(kind);
        self.counts.push(0);
        self.order.push(id);
        let kinds = &self.kinds;
        self.order.sort_by_key(|id| {
            let Kind { moved_by, structure, .. } = kinds[id.0 as usize];
            (moved_by, structure, id.0)
        });
        id
    }

    /// A row of the table, if it exists.
    pub fn get(&self, id: KindId) -> Option<&Kind> {
        self.kinds.get(id.0 as usize)
    }

    /// Do paths move a kind, and no forces?
    pub(crate) fn is_moved_by_path(&self, id: KindId) -> bool {
        self.get(id).is_some_and(|kind| kind.moved_by == MovedBy::Path)
    }

    /// Do the particles of a kind have bonds?
    pub(crate) fn is_bonded(&self, id: KindId) -> bool {
        self.get(id).is_some_and(|kind| kind.structure == Structure::Bonded)
    }

    /// The kind of particle `i`, and the next in the order of memory on the way to another; none if it is of that kind.
    pub(crate) fn towards(&self, i: usize, to: KindId) -> Option<(KindId, KindId)> {
        let place = |id: KindId| self.order.iter().position(|other| *other == id);
        let here = self.order.iter().position(|id| self.segment(*id).contains(&i))?;
        let next = match here.cmp(&place(to)?) {
            Ordering::Less => here + 1,
            Ordering::Greater => here - 1,
            Ordering::Equal => return None,
        };
        Some((self.order[here], self.order[next]))
    }

    /// The particles of a kind.
    pub fn segment(&self, id: KindId) -> Range<usize> {
        let before = self.order.iter().take_while(|other| **other != id);
        let start = before.map(|other| self.counts[other.0 as usize]).sum();
        start..start + self.counts.get(id.0 as usize).copied().unwrap_or(0)
    }

    /// Those of matter that is held together by nothing, kind by kind: within each of them, memory may be put in order.
    pub(crate) fn sortable(&self) -> impl Iterator<Item = Range<usize>> {
        let is_sortable = |id: &&KindId| {
            let Kind { moved_by, structure, .. } = self.kinds[id.0 as usize];
            moved_by == MovedBy::Step && matches!(structure, Structure::Loose | Structure::Flowing)
        };
        self.order.iter().filter(is_sortable).map(|id| self.segment(*id))
    }

    /// A kind has so many particles more, or fewer.
    pub(crate) fn count(&mut self, id: KindId, change: isize) {
        let count = &mut self.counts[id.0 as usize];
        *count = count.saturating_add_signed(change);
        self.find_runs();
    }

    /// The kinds have as many particles as the column of phases says; false if these are not in the order of memory.
    pub(crate) fn recount(&mut self, phase: &[u32]) -> bool {
        self.counts.fill(0);
        for &phase in phase {
            match self.counts.get_mut(phase as usize) {
                Some(count) => *count += 1,
                None => return false,
            }
        }
        self.find_runs();
        let in_order = |id: &KindId| phase[self.segment(*id)].iter().all(|phase| *phase == id.0);
        self.order.iter().all(in_order)
    }

    /// Finds the runs of particles that have each capability.
    fn find_runs(&mut self) {
        let run = |has: &dyn Fn(&Kind) -> bool| {
            let mut such = self.order.iter().filter(|id| has(&self.kinds[id.0 as usize]));
            let first = such.next().map_or(0..0, |id| self.segment(*id));
            first.start..such.last().map_or(first.end, |id| self.segment(*id).end)
        };
        let bonded = run(&|kind| kind.structure == Structure::Bonded);
        let rigid = run(&|kind| kind.structure == Structure::Rigid);
        let flowing = run(&|kind| kind.structure == Structure::Flowing);
        let matter = run(&|kind| kind.moved_by == MovedBy::Step);
        let walls = run(&|kind| kind.moved_by == MovedBy::Path);
        (self.bonded, self.rigid, self.flowing, self.matter, self.walls) = (bonded, rigid, flowing, matter, walls);
        self.fluid = self.segment(KindId::FLUID);
    }

    /// The particles that a step moves.
    pub fn matter(&self) -> Range<usize> {
        self.matter.clone()
    }

    /// Those of them that have bonds.
    pub fn bonded(&self) -> Range<usize> {
        self.bonded.clone()
    }

    /// Those of them that belong to rigid bodies.
    pub fn rigid(&self) -> Range<usize> {
        self.rigid.clone()
    }

    /// Those of them that move with their bodies, bonded or rigid.
    pub fn coherent(&self) -> Range<usize> {
        self.bonded.start..self.rigid.end
    }

    /// Those of them that flow.
    pub fn flowing(&self) -> Range<usize> {
        self.flowing.clone()
    }

    /// Those of them that do not flow: pressure on them is contact.
    pub fn solid(&self) -> Range<usize> {
        self.matter.start..self.flowing.start
    }

    /// The particles that paths or the caller move.
    pub fn walls(&self) -> Range<usize> {
        self.walls.clone()
    }

    /// How particle `i` responds to an impulse.
    #[inline(always)]
    pub fn response(&self, i: usize) -> Response {
        // Most particles are fluid, for which nothing is looked up.
        if self.fluid.contains(&i) { FLUID.response } else { self.kind_at(i).response }
    }

    /// The kind of particle `i`.
    #[inline]
    pub fn kind_at(&self, i: usize) -> &Kind {
        let mut end = 0;
        let id = self.order.iter().find(|id| {
            end += self.counts[id.0 as usize];
            i < end
        });
        &self.kinds[id.map_or(KindId::WALL.0, |id| id.0) as usize]
    }
}

//! Points-to analysis: the objects that each pointer may lead to, for values and for the contents of memory, solved
//! over the whole device module.
//!
//! This is Andersen's inclusion-based analysis, which ignores the order of instructions. [`super::pointer_flow`]
//! derives the constraints from the IR; this file does not depend on the IR. Memory is distinguished by byte offsets,
//! modulo a stride if an index is not known, so the pointers and the lengths in an array of slices stay separate. An
//! object that unknown code may write to has *escaped*: a pointer loaded from it may lead anywhere.
//!
//! A node without constraints may lead anywhere, too: an empty set is the start of the solution, and never an answer.
//! Numbers and null are a separate object, so that "leads to no memory" is the result of a constraint.

mod offset;

use std::collections::BTreeMap;

pub(crate) use offset::Offset;

/// A value, or one field of an aggregate value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Node(u32);

/// A piece of memory, or one of the constants of [`Object`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ObjectId(u32);

impl Node {
    fn index(self) -> usize {
        self.0 as usize
    }
}

impl ObjectId {
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// The node of a value that may lead anywhere.
pub(super) const ANYTHING: Node = Node(0);
/// The node of values that lead to no memory: null, numbers, and functions.
pub(super) const NUMBER: Node = Node(1);
/// The node of undefined values: an empty set, which adds nothing to the sets it is copied to.
pub(super) const UNDEFINED: Node = Node(2);
/// The node of values that reach unknown code: the objects they lead to escape.
pub(super) const LEAK: Node = Node(3);
/// The number of nodes above.
const NAMED: usize = 4;

/// Any object, in any address space.
const UNKNOWN: ObjectId = ObjectId(0);
/// The object that null and numbers lead to.
const NO_OBJECT: ObjectId = ObjectId(1);

/// A set with more objects than this collapses: only their address spaces are kept.
const MAX_OBJECTS: usize = 16;
/// An object with this many cells collapses: further values go to one cell that overlaps all others.
const MAX_CELLS: usize = 128;

/// A points-to set: the objects that a pointer may lead to, and its offset in each.
type Points = BTreeMap<ObjectId, Offset>;

/// A piece of memory.
struct Object {
    /// Its address space.
    space: u32,
    contents: Contents,
}

enum Contents {
    /// Unknown code may write to the object.
    Unknown,
    /// Pointers that the host has written.
    FromHost,
    /// The values that the constraints store.
    Cells(Vec<Cell>),
}

/// Bytes of an object that hold a value.
struct Cell {
    at: Offset,
    width: u64,
    points: Points,
}

/// How pointers move: one inclusion between sets. The address-of constraint is [`PointsTo::point`].
pub(super) enum Constraint {
    /// `to` is `from` plus `by` bytes.
    Copy { to: Node, from: Node, by: Offset },
    /// `to` is loaded from `address`, `at` bytes further.
    Load { to: Node, address: Node, at: i64, width: u64 },
    /// `value` is stored at `address`, `at` bytes further.
    Store { value: Node, address: Node, at: i64, width: u64 },
    /// `value` is a part of the initializer of `object`.
    Initialize { object: ObjectId, at: i64, width: u64, value: Node },
    /// Bytes are copied from one address to another.
    CopyMemory { to: Node, from: Node },
}

/// The points-to sets, and the constraints between them.
pub(super) struct PointsTo {
    nodes: Vec<Points>,
    objects: Vec<Object>,
    constraints: Vec<Constraint>,
    /// By address space: the object that represents every object of this space.
    any_in: BTreeMap<u32, ObjectId>,
    global: u32,
    changed: bool,
}

impl PointsTo {
    /// An empty problem. `generic` and `global` are address spaces.
    pub(super) fn new(generic: u32, global: u32) -> Self {
        let unknown = || Object { space: generic, contents: Contents::Unknown };
        let mut new = PointsTo {
            nodes: vec![Points::new(); NAMED],
            objects: vec![unknown(), unknown()],
            constraints: Vec::new(),
            any_in: BTreeMap::from([(generic, UNKNOWN)]),
            global,
            changed: false,
        };
        new.nodes[ANYTHING.index()].insert(UNKNOWN, Offset::ANY);
        new.nodes[NUMBER.index()].insert(NO_OBJECT, Offset::ANY);
        new
    }

    /// Adds a node.
    pub(super) fn node(&mut self) -> Node {
        let node = Node(number(self.nodes.len()));
        self.nodes.push(Points::new());
        node
    }

    fn object(&mut self, space: u32, contents: Contents) -> ObjectId {
        let object = ObjectId(number(self.objects.len()));
        self.objects.push(Object { space, contents });
        object
    }

    /// New memory. The constraints alone determine its contents and the holders of its address.
    pub(super) fn memory(&mut self, space: u32) -> ObjectId {
        self.object(space, Contents::Cells(Vec::new()))
    }

    /// Adds an object with the arguments of a kernel.
    pub(super) fn arguments(&mut self, space: u32) -> ObjectId {
        self.object(space, Contents::FromHost)
    }

    /// Unknown memory of an address space.
    pub(super) fn any_in(&mut self, space: u32) -> ObjectId {
        if let Some(object) = self.any_in.get(&space) {
            return *object;
        }
        let object = self.object(space, Contents::Unknown);
        self.any_in.insert(space, object);
        object
    }

    /// The address-of constraint: `node` may be the address of `object`.
    pub(super) fn point(&mut self, node: Node, object: ObjectId) {
        self.include(node, &Points::from([(object, Offset::exact(0))]));
    }

    /// Unknown code may write to `object`, and to every object that it leads to.
    pub(super) fn escape(&mut self, object: ObjectId) {
        let mut escaping = vec![object];
        while let Some(object) = escaping.pop() {
            let contents = &mut self.objects[object.index()].contents;
            if let Contents::Cells(cells) = contents {
                escaping.extend(cells.iter().flat_map(|cell| cell.points.keys().copied()));
                *contents = Contents::Unknown;
                self.changed = true;
            }
        }
    }

    fn is_arguments(&self, object: ObjectId) -> bool {
        matches!(self.objects[object.index()].contents, Contents::FromHost)
    }

    /// Adds a constraint.
    pub(super) fn constrain(&mut self, constraint: Constraint) {
        self.constraints.push(constraint);
    }

    /// Computes the least sets that satisfy the constraints. Sets that are still empty then become "anything", which
    /// may enlarge others.
    pub(super) fn solve(&mut self) {
        let constraints = std::mem::take(&mut self.constraints);
        self.propagate(&constraints);
        self.fill_empty_sets();
        self.propagate(&constraints);
        self.constraints = constraints;
    }

    /// Applies the constraints until a fixed point is reached.
    fn propagate(&mut self, constraints: &[Constraint]) {
        self.changed = true;
        while self.changed {
            self.changed = false;
            constraints.iter().for_each(|constraint| self.apply(constraint));
        }
    }

    /// Makes each empty set "anything". No constraint empties a set again.
    fn fill_empty_sets(&mut self) {
        let anything = self.nodes[ANYTHING.index()].clone();
        let empty = self.nodes.iter_mut().skip(NAMED).filter(|points| points.is_empty());
        empty.for_each(|points| *points = anything.clone());
    }

    /// The one address space that a pointer can lead to; none if there are several.
    ///
    /// `casts_null` returns whether a cast to this space and back preserves null.
    pub(super) fn space(&self, node: Node, casts_null: impl Fn(u32) -> bool) -> Option<u32> {
        let points = &self.nodes[node.index()];
        let mut spaces = points.keys().filter(|o| **o != NO_OBJECT).map(|o| self.objects[o.index()].space);
        let first = spaces.next()?;
        let known = !points.contains_key(&UNKNOWN) && spaces.all(|space| space == first);
        (known && (casts_null(first) || !points.contains_key(&NO_OBJECT))).then_some(first)
    }

    fn apply(&mut self, constraint: &Constraint) {
        match *constraint {
            Constraint::Copy { to, from, by } => {
                let points: Points = self.nodes[from.index()].iter().map(|(o, at)| (*o, at.plus(by))).collect();
                self.include(to, &points);
            }
            Constraint::Load { to, address, at, width } => {
                for (object, offset) in self.nodes[address.index()].clone() {
                    let loaded = self.load(object, offset.plus(Offset::exact(at)), width);
                    self.include(to, &loaded);
                }
            }
            Constraint::Store { value, address, at, width } => {
                let points = self.nodes[value.index()].clone();
                for (object, offset) in self.nodes[address.index()].clone() {
                    self.store(object, offset.plus(Offset::exact(at)), width, &points);
                }
            }
            Constraint::Initialize { object, at, width, value } => {
                let points = self.nodes[value.index()].clone();
                self.store(object, Offset::exact(at), width, &points);
            }
            Constraint::CopyMemory { to, from } => {
                for (source, from_offset) in self.nodes[from.index()].clone() {
                    for (target, to_offset) in self.nodes[to.index()].clone() {
                        self.copy(target, to_offset, source, from_offset);
                    }
                }
            }
        }
    }

    fn copy(&mut self, target: ObjectId, to: Offset, source: ObjectId, from: Offset) {
        let shift = to.plus(from.negated());
        let cells: Vec<(Offset, u64, Points)> = match &self.objects[source.index()].contents {
            Contents::Cells(cells) => cells.iter().map(|c| (c.at.plus(shift), c.width, c.points.clone())).collect(),
            _ => vec![(Offset::ANY, 1, self.load_unknown(source))],
        };
        for (at, width, points) in cells {
            self.store(target, at, width, &points);
        }
    }

    /// The pointers in an object without cells.
    fn load_unknown(&mut self, object: ObjectId) -> Points {
        let host = self.any_in(self.global);
        let target = if self.is_arguments(object) { host } else { UNKNOWN };
        Points::from([(target, Offset::ANY)])
    }

    fn load(&mut self, object: ObjectId, at: Offset, width: u64) -> Points {
        let mut points = Points::new();
        match &self.objects[object.index()].contents {
            Contents::Cells(cells) => {
                for cell in cells.iter().filter(|c| c.at.overlaps(c.width, at, width)) {
                    unite(&mut points, &cell.points);
                }
            }
            _ if object == NO_OBJECT => {}
            _ => return self.load_unknown(object),
        }
        points
    }

    fn store(&mut self, object: ObjectId, at: Offset, width: u64, points: &Points) {
        let Contents::Cells(cells) = &mut self.objects[object.index()].contents else {
            points.keys().for_each(|o| self.escape(*o));
            return;
        };
        let at = if cells.len() < MAX_CELLS { at } else { Offset::ANY };
        match cells.iter_mut().find(|c| c.at == at && c.width == width) {
            Some(cell) => self.changed |= unite(&mut cell.points, points),
            None => {
                cells.push(Cell { at, width, points: points.clone() });
                self.changed = true;
            }
        }
    }

    fn include(&mut self, node: Node, points: &Points) {
        match node {
            LEAK => points.keys().for_each(|o| self.escape(*o)),
            ANYTHING | NUMBER | UNDEFINED => {}
            _ => {
                let distinct = points.iter().filter(|(object, _)| !self.is_collapsed(node, **object));
                let points = distinct.map(|(object, at)| (*object, *at)).collect();
                self.changed |= unite(&mut self.nodes[node.index()], &points);
                if self.nodes[node.index()].len() > MAX_OBJECTS {
                    self.collapse(node);
                }
            }
        }
    }

    /// Whether `object` has escaped, and `node` leads to any object of its address space already.
    fn is_collapsed(&self, node: Node, object: ObjectId) -> bool {
        let any = self.any_in.get(&self.objects[object.index()].space);
        let escaped = matches!(self.objects[object.index()].contents, Contents::Unknown);
        escaped && any.is_some_and(|any| self.nodes[node.index()].contains_key(any))
    }

    /// Replaces the objects of a node by those for their address spaces.
    fn collapse(&mut self, node: Node) {
        for (object, _) in std::mem::take(&mut self.nodes[node.index()]) {
            self.escape(object);
            let any = if object == NO_OBJECT { object } else { self.any_in(self.objects[object.index()].space) };
            self.nodes[node.index()].insert(any, Offset::ANY);
        }
    }
}

/// The number of the next node or object.
fn number(count: usize) -> u32 {
    u32::try_from(count).expect("a module has fewer than 4,294,967,296 values")
}

/// Adds the set `from` to the set `into`. Returns whether `into` has changed.
fn unite(into: &mut Points, from: &Points) -> bool {
    let mut changed = false;
    for (object, at) in from {
        let either = into.get(object).map_or(*at, |old| old.join(*at));
        changed |= into.insert(*object, either) != Some(either);
    }
    changed
}

#[cfg(test)]
#[path = "points_to_tests.rs"]
mod tests;

//! Points-to analysis: the objects that each pointer may lead to, for values and for the contents of memory, solved
//! over the whole device module.
//!
//! This is Andersen's inclusion-based analysis, which ignores the order of instructions. [`super::pointer_flow`]
//! derives the constraints from the IR; this file does not know the IR. Memory is distinguished by byte offsets, modulo
//! a stride if an index is not known, so the pointers and the lengths in an array of slices stay separate. An object
//! that unknown code may write to has *escaped*: a pointer loaded from it may lead anywhere.
//!
//! A node without constraints may lead anywhere, too: an empty set is the start of the solution, and never an answer.
//! Numbers and null are an object of their own, so that "leads to no memory" is the result of a constraint.

use std::collections::BTreeMap;

/// A value, or one field of an aggregate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Node(usize);

/// A piece of memory, or one of the constants of [`Object`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ObjectId(usize);

/// The node of what nothing is known of.
pub(super) const ANYTHING: Node = Node(0);
/// The node of what leads to no memory: null, numbers, and functions.
pub(super) const NUMBER: Node = Node(1);
/// The node of what has no value: where it meets another, it is as good as that one.
pub(super) const UNDEFINED: Node = Node(2);
/// The node whose objects escape.
pub(super) const LEAK: Node = Node(3);
/// How many nodes have a name.
const NAMED: usize = 4;

/// The object that stands for every other one.
const UNKNOWN: ObjectId = ObjectId(0);
/// The object of pointers to no memory.
const NO_OBJECT: ObjectId = ObjectId(1);

/// More objects than this in one set are told apart by their address spaces only.
const MOST_OBJECTS: usize = 16;
/// More cells than this in one object become one.
const MOST_CELLS: usize = 128;

/// A number of bytes: `base`, plus any multiple of `stride` when that is not 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Offset {
    base: i64,
    stride: i64,
}

impl Offset {
    /// Any number.
    pub(super) const ANY: Offset = Offset { base: 0, stride: 1 };

    /// So many bytes.
    pub(super) fn exact(base: i64) -> Self {
        Offset { base, stride: 0 }
    }

    /// Any multiple of `size`.
    pub(super) fn multiple(size: u64) -> Self {
        Offset { base: 0, stride: size as i64 }
    }

    /// The sum.
    pub(super) fn plus(self, other: Self) -> Self {
        Self::new(self.base.wrapping_add(other.base), gcd(self.stride, other.stride))
    }

    fn new(base: i64, stride: i64) -> Self {
        Offset { base: if stride == 0 { base } else { base.rem_euclid(stride) }, stride }
    }

    /// Either of the two.
    fn or(self, other: Self) -> Self {
        let apart = self.base.wrapping_sub(other.base).saturating_abs();
        Self::new(self.base, gcd(gcd(self.stride, other.stride), apart))
    }

    /// Whether `width` bytes here and `other_width` bytes there may have one in common.
    fn overlaps(self, width: u64, other: Self, other_width: u64) -> bool {
        let (width, other_width) = (width.min(1 << 40) as i64, other_width.min(1 << 40) as i64);
        let apart = self.base.wrapping_sub(other.base);
        match gcd(self.stride, other.stride) {
            0 => apart < other_width && -width < apart,
            step => apart.rem_euclid(step) < other_width || step - apart.rem_euclid(step) < width,
        }
    }
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The objects a pointer may lead to, and where in them.
type Points = BTreeMap<ObjectId, Offset>;

/// What one piece of memory is.
struct Object {
    /// The address space it lies in.
    space: u32,
    contents: Contents,
}

enum Contents {
    /// Nothing is known.
    Unknown,
    /// Pointers that a host wrote.
    FromHost,
    /// What the rules say.
    Cells(Vec<Cell>),
}

/// Some bytes of an object that hold a value.
struct Cell {
    at: Offset,
    width: u64,
    points: Points,
}

/// How pointers move.
pub(super) enum Rule {
    /// `to` is `from`, so many bytes on.
    Copy { to: Node, from: Node, by: Offset },
    /// `to` is loaded.
    Load { to: Node, address: Node, at: i64, width: u64 },
    /// `value` is stored.
    Store { value: Node, address: Node, at: i64, width: u64 },
    /// An object holds `value` from the start.
    Hold { object: ObjectId, at: i64, width: u64, value: Node },
    /// Bytes are copied from memory to memory.
    CopyMemory { to: Node, from: Node },
}

/// The sets and the rules between them.
pub(super) struct PointsTo {
    nodes: Vec<Points>,
    objects: Vec<Object>,
    rules: Vec<Rule>,
    /// The object for all others of one address space.
    any_in: BTreeMap<u32, ObjectId>,
    global: u32,
    changed: bool,
}

impl PointsTo {
    /// No values, no memory yet. `generic` and `global` are address spaces.
    pub(super) fn new(generic: u32, global: u32) -> Self {
        let unknown = || Object { space: generic, contents: Contents::Unknown };
        let mut new = PointsTo {
            nodes: vec![Points::new(); NAMED],
            objects: vec![unknown(), unknown()],
            rules: Vec::new(),
            any_in: BTreeMap::from([(generic, UNKNOWN)]),
            global,
            changed: false,
        };
        new.nodes[ANYTHING.0].insert(UNKNOWN, Offset::ANY);
        new.nodes[NUMBER.0].insert(NO_OBJECT, Offset::ANY);
        new
    }

    /// A new node.
    pub(super) fn node(&mut self) -> Node {
        self.nodes.push(Points::new());
        Node(self.nodes.len() - 1)
    }

    /// Memory of its own whose contents the rules tell; its address alone.
    pub(super) fn memory(&mut self, space: u32) -> ObjectId {
        self.objects.push(Object { space, contents: Contents::Cells(Vec::new()) });
        ObjectId(self.objects.len() - 1)
    }

    /// Memory that holds a kernel's arguments.
    pub(super) fn arguments(&mut self, space: u32) -> ObjectId {
        self.objects.push(Object { space, contents: Contents::FromHost });
        ObjectId(self.objects.len() - 1)
    }

    /// Some memory of an address space.
    pub(super) fn any_in(&mut self, space: u32) -> ObjectId {
        if let Some(object) = self.any_in.get(&space) {
            return *object;
        }
        self.objects.push(Object { space, contents: Contents::Unknown });
        self.any_in.insert(space, ObjectId(self.objects.len() - 1));
        ObjectId(self.objects.len() - 1)
    }

    /// Says that a node may be the address of an object.
    pub(super) fn point(&mut self, node: Node, object: ObjectId) {
        self.include(node, &Points::from([(object, Offset::exact(0))]));
    }

    /// Says that others may write to an object.
    pub(super) fn escape(&mut self, object: ObjectId) {
        let mut escaping = vec![object];
        while let Some(object) = escaping.pop() {
            let contents = &mut self.objects[object.0].contents;
            if let Contents::Cells(cells) = contents {
                escaping.extend(cells.iter().flat_map(|cell| cell.points.keys().copied()));
                *contents = Contents::Unknown;
                self.changed = true;
            }
        }
    }

    fn is_arguments(&self, object: ObjectId) -> bool {
        matches!(self.objects[object.0].contents, Contents::FromHost)
    }

    /// Adds a rule.
    pub(super) fn rule(&mut self, rule: Rule) {
        self.rules.push(rule);
    }

    /// Finds every set: the least ones that the rules allow, after which what is still empty is taken for anything.
    pub(super) fn solve(&mut self) {
        let rules = std::mem::take(&mut self.rules);
        self.settle(&rules);
        self.take_unsaid_for_anything();
        self.settle(&rules);
        self.rules = rules;
    }

    /// Applies the rules until nothing changes.
    fn settle(&mut self, rules: &[Rule]) {
        self.changed = true;
        while self.changed {
            self.changed = false;
            rules.iter().for_each(|rule| self.apply(rule));
        }
    }

    /// No set is empty behind this, and no rule makes one so.
    fn take_unsaid_for_anything(&mut self) {
        let anything = self.nodes[ANYTHING.0].clone();
        self.nodes
            .iter_mut()
            .skip(NAMED)
            .filter(|points| points.is_empty())
            .for_each(|points| *points = anything.clone());
    }

    /// The address space that a pointer leads to whatever happens; none when there is more than one, or any.
    ///
    /// `casts_null` tells the spaces whose pointers keep their value, null included, on the way there and back.
    pub(super) fn space(&self, node: Node, casts_null: impl Fn(u32) -> bool) -> Option<u32> {
        let points = &self.nodes[node.0];
        let mut spaces = points.keys().filter(|o| **o != NO_OBJECT).map(|o| self.objects[o.0].space);
        let first = spaces.next()?;
        let known = !points.contains_key(&UNKNOWN) && spaces.all(|space| space == first);
        (known && (casts_null(first) || !points.contains_key(&NO_OBJECT))).then_some(first)
    }

    fn apply(&mut self, rule: &Rule) {
        match *rule {
            Rule::Copy { to, from, by } => {
                let points: Points = self.nodes[from.0].iter().map(|(o, at)| (*o, at.plus(by))).collect();
                self.include(to, &points);
            }
            Rule::Load { to, address, at, width } => {
                for (object, offset) in self.nodes[address.0].clone() {
                    let held = self.get(object, offset.plus(Offset::exact(at)), width);
                    self.include(to, &held);
                }
            }
            Rule::Store { value, address, at, width } => {
                let points = self.nodes[value.0].clone();
                for (object, offset) in self.nodes[address.0].clone() {
                    self.put(object, offset.plus(Offset::exact(at)), width, &points);
                }
            }
            Rule::Hold { object, at, width, value } => {
                let points = self.nodes[value.0].clone();
                self.put(object, Offset::exact(at), width, &points);
            }
            Rule::CopyMemory { to, from } => {
                for (source, from_offset) in self.nodes[from.0].clone() {
                    for (target, to_offset) in self.nodes[to.0].clone() {
                        self.copy(target, to_offset, source, from_offset);
                    }
                }
            }
        }
    }

    fn copy(&mut self, target: ObjectId, to: Offset, source: ObjectId, from: Offset) {
        let back = Offset::new(from.base.wrapping_neg(), from.stride);
        let held: Vec<(Offset, u64, Points)> = match &self.objects[source.0].contents {
            Contents::Cells(cells) => {
                cells.iter().map(|c| (c.at.plus(back).plus(to), c.width, c.points.clone())).collect()
            }
            _ => vec![(Offset::ANY, 1, self.get_unheld(source))],
        };
        for (at, width, points) in held {
            self.put(target, at, width, &points);
        }
    }

    /// What an object without cells holds.
    fn get_unheld(&mut self, object: ObjectId) -> Points {
        let host = self.any_in(self.global);
        let held = if self.is_arguments(object) { host } else { UNKNOWN };
        Points::from([(held, Offset::ANY)])
    }

    fn get(&mut self, object: ObjectId, at: Offset, width: u64) -> Points {
        let mut points = Points::new();
        match &self.objects[object.0].contents {
            Contents::Cells(cells) => {
                for cell in cells.iter().filter(|c| c.at.overlaps(c.width, at, width)) {
                    unite(&mut points, &cell.points);
                }
            }
            _ if object == NO_OBJECT => {}
            _ => return self.get_unheld(object),
        }
        points
    }

    fn put(&mut self, object: ObjectId, at: Offset, width: u64, points: &Points) {
        let Contents::Cells(cells) = &mut self.objects[object.0].contents else {
            points.keys().for_each(|o| self.escape(*o));
            return;
        };
        let at = if cells.len() < MOST_CELLS { at } else { Offset::ANY };
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
                let told_apart = points.iter().filter(|(object, _)| !self.is_blurred(node, **object));
                let points = told_apart.map(|(object, at)| (*object, *at)).collect();
                self.changed |= unite(&mut self.nodes[node.0], &points);
                if self.nodes[node.0].len() > MOST_OBJECTS {
                    self.blur(node);
                }
            }
        }
    }

    /// Whether a node may lead to any object of this one's address space already, and this one has escaped.
    fn is_blurred(&self, node: Node, object: ObjectId) -> bool {
        let any = self.any_in.get(&self.objects[object.0].space);
        let escaped = matches!(self.objects[object.0].contents, Contents::Unknown);
        object > NO_OBJECT && escaped && any.is_some_and(|any| *any != object && self.nodes[node.0].contains_key(any))
    }

    /// Replaces the objects of a node by their address spaces.
    fn blur(&mut self, node: Node) {
        for (object, _) in std::mem::take(&mut self.nodes[node.0]) {
            self.escape(object);
            let any = if object == NO_OBJECT { object } else { self.any_in(self.objects[object.0].space) };
            self.nodes[node.0].insert(any, Offset::ANY);
        }
    }
}

/// Adds one set to another; whether that changed it.
fn unite(into: &mut Points, from: &Points) -> bool {
    let mut changed = false;
    for (object, at) in from {
        let either = into.get(object).map_or(*at, |old| old.or(*at));
        changed |= into.insert(*object, either) != Some(either);
    }
    changed
}

#[cfg(test)]
#[path = "points_to_tests.rs"]
mod tests;

//! Draws kernels. A seed is one kernel: a pair of features that it combines, the set of rustc's flags, and two devices.
//!
//! The pair, the set and the devices go through all combinations as seeds count up; everything else is drawn.

/// The parts of kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Feature {
    Slice,
    Struct,
    Enum,
    Shared,
    Dynamic,
    Barrier,
    Warp,
    Atomic,
    Box,
    Vec,
    Object,
    Recursion,
    Panic,
    Closure,
    Pointer,
    Wide,
    Text,
    Table,
    Position,
    Static,
    Float,
    Extreme,
    Narrow,
    Guard,
    Uniform,
    Chosen,
    Rounds,
    Carry,
    Bytes,
}

use Feature::{
    Atomic, Barrier, Box as Boxed, Bytes, Carry, Chosen, Closure, Dynamic, Enum, Extreme, Float, Guard, Narrow, Object,
    Panic, Pointer, Position, Recursion, Rounds, Shared, Slice, Static, Struct, Table, Text, Uniform, Vec as Vector,
    Warp, Wide,
};

const FEATURES: [Feature; 29] = [
    Slice, Struct, Enum, Shared, Dynamic, Barrier, Warp, Atomic, Boxed, Vector, Object, Recursion, Panic, Closure,
    Pointer, Wide, Text, Table, Position, Static, Float, Extreme, Narrow, Guard, Uniform, Chosen, Rounds, Carry, Bytes,
];

/// Pairs among so many features come first, then those with each further feature. A feature that is added at the end
/// leaves the kernels of the first seeds as they are.
const FIRST_FEATURES: usize = 18;

impl Feature {
    /// Whether all threads of a block must come there.
    pub(crate) fn meets(self) -> bool {
        matches!(self, Shared | Dynamic | Barrier | Warp | Rounds)
    }

    /// Whether its inner code is run by some threads only, or after a call where threads cannot meet.
    fn divides(self) -> bool {
        matches!(self, Enum | Object | Recursion | Pointer | Vector | Slice | Text)
    }
}

/// The blocks of each launch (`tests/run/common/compared.rs`).
const BLOCKS: usize = 3;

/// An expression of type `u64`.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    Leaf(usize, u64),
    Operation(usize, Box<Node>, Box<Node>),
    /// A feature with the number of its form. Its operand is computed first, its inner expression inside.
    Feature(Feature, usize, Box<Node>, Box<Node>),
}

pub(crate) const LEAVES: usize = 6;
pub(crate) const OPERATIONS: usize = 10;

impl Node {
    /// The nodes that may stand for this one.
    pub(crate) fn children(&self) -> Vec<&Node> {
        match self {
            Node::Leaf(..) => Vec::new(),
            Node::Operation(_, a, b) | Node::Feature(_, _, a, b) => vec![a, b],
        }
    }

    pub(crate) fn children_mut(&mut self) -> Vec<&mut Node> {
        match self {
            Node::Leaf(..) => Vec::new(),
            Node::Operation(_, a, b) | Node::Feature(_, _, a, b) => vec![a, b],
        }
    }

    pub(crate) fn uses(&self, feature: Feature) -> bool {
        let own = matches!(self, Node::Feature(own, ..) if *own == feature);
        own || self.children().into_iter().any(|child| child.uses(feature))
    }
}

/// A kernel: each statement changes `acc` by its expression.
#[derive(Clone, Debug)]
pub(crate) struct Kernel {
    pub(crate) seed: u64,
    pub(crate) pair: (Feature, Feature),
    pub(crate) set: usize,
    pub(crate) devices: [usize; 2],
    /// The blocks and the threads of each block in three dimensions, in one without `Position`.
    pub(crate) grid: [usize; 3],
    pub(crate) block: [usize; 3],
    /// The only thread that panics, which may not exist. With lanes, its warp panics.
    pub(crate) panics: u64,
    pub(crate) statements: Vec<Node>,
}

impl Kernel {
    /// The kernel of a seed, for so many sets of flags and devices.
    pub(crate) fn new(seed: u64, sets: usize, devices: usize) -> Kernel {
        Kernel::among(&pairs(), seed, sets, devices)
    }

    /// The kernel that a seed had when there were only these pairs.
    pub(crate) fn among(pairs: &[(Feature, Feature)], seed: u64, sets: usize, devices: usize) -> Kernel {
        let (which, round) = ((seed % pairs.len() as u64) as usize, (seed / pairs.len() as u64) as usize);
        let set = (which + round) % sets;
        let first = (which + round / sets) % devices;
        let second = (first + 1 + round / sets / devices % (devices - 1)) % devices;
        let mut random = Random::new(seed);
        let pair = pairs[which];
        let drawn = [64, 64, 40, 32, 1][random.below(5)];
        // A lane that reads the value of an absent lane gets an arbitrary value on GPUs, so all warps are full.
        let threads = if pair.0 == Warp || pair.1 == Warp { 64 } else { drawn };
        let panics = random.below(2 * BLOCKS * threads) as u64;
        let statements = random.statements(pair);
        let in_three = pair.0 == Position || pair.1 == Position;
        let (grid, block) = random.shape(in_three, threads);
        // Intel's OpenCL begins a warp at each row of a block.
        let block = if pair.0 == Warp || pair.1 == Warp { [threads, 1, 1] } else { block };
        Kernel { seed, pair, set, devices: [first, second], grid, block, panics, statements }
    }

    pub(crate) fn sorted_devices(&self) -> [usize; 2] {
        let [a, b] = self.devices;
        [a.min(b), a.max(b)]
    }

    /// Whether the pair has a feature of this name.
    pub(crate) fn is_of(&self, name: &str) -> bool {
        [self.pair.0, self.pair.1].iter().any(|feature| format!("{feature:?}") == name)
    }

    pub(crate) fn uses(&self, feature: Feature) -> bool {
        self.statements.iter().any(|statement| statement.uses(feature))
    }
}

/// All pairs of different features.
pub(crate) fn pairs() -> Vec<(Feature, Feature)> {
    let (first, more) = FEATURES.split_at(FIRST_FEATURES);
    let after = |at: usize| first[at + 1..].iter().map(move |second| (first[at], *second));
    let before = |at: usize| FEATURES[..FIRST_FEATURES + at].iter().map(move |first| (*first, more[at]));
    (0..first.len()).flat_map(after).chain((0..more.len()).flat_map(before)).collect()
}

/// Pseudorandom numbers (splitmix64).
struct Random {
    state: u64,
}

impl Random {
    fn new(seed: u64) -> Random {
        Random { state: seed }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.state ^ self.state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    /// The blocks and the threads of a launch.
    fn shape(&mut self, in_three: bool, threads: usize) -> ([usize; 3], [usize; 3]) {
        let blocks = [[BLOCKS, 1, 1], [1, BLOCKS, 1], [1, 1, BLOCKS]];
        let of_eight = [[threads, 1, 1], [8, threads / 8, 1], [4, 2, threads / 8], [2, threads / 8, 4]];
        if !in_three || threads == 1 {
            return (blocks[0], of_eight[0]);
        }
        (blocks[self.below(3)], of_eight[self.below(4)])
    }

    /// Each feature around the other, and sometimes one after the other.
    fn statements(&mut self, (a, b): (Feature, Feature)) -> Vec<Node> {
        let mut statements = vec![self.nest(a, b), self.nest(b, a)];
        for _ in 0..self.below(3) {
            let feature = if self.below(2) == 0 { a } else { b };
            let operand = self.plain(2);
            let inner = self.plain(2);
            statements.push(self.feature(feature, true, operand, inner));
        }
        let at = self.below(statements.len());
        statements.rotate_left(at);
        statements
    }

    /// `outer` with `inner` in its operand, and inside if threads can meet there or need not.
    fn nest(&mut self, outer: Feature, inner: Feature) -> Node {
        let (operand, inside) = (self.plain(2), self.plain(1));
        let first = self.feature(inner, true, operand, inside);
        let operand = self.around(first);
        let (below, inside) = (self.plain(1), self.plain(2));
        let second = self.feature(inner, !outer.divides(), below, inside);
        let inside = self.around(second);
        self.feature(outer, true, operand, inside)
    }

    fn around(&mut self, node: Node) -> Node {
        let other = self.plain(1);
        Node::Operation(self.below(OPERATIONS), Box::new(node), Box::new(other))
    }

    /// Form 0 of a feature needs no other thread.
    fn feature(&mut self, feature: Feature, together: bool, operand: Node, inner: Node) -> Node {
        let form = if !feature.meets() {
            self.below(4)
        } else if together {
            1 + self.below(3)
        } else {
            0
        };
        Node::Feature(feature, form, Box::new(operand), Box::new(inner))
    }

    fn plain(&mut self, depth: usize) -> Node {
        if depth == 0 || self.below(3) == 0 {
            return Node::Leaf(self.below(LEAVES), self.next() >> self.below(64));
        }
        let (a, b) = (self.plain(depth - 1), self.plain(depth - 1));
        Node::Operation(self.below(OPERATIONS), Box::new(a), Box::new(b))
    }
}

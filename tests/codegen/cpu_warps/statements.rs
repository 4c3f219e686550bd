//! Random statements in which the lanes of a warp diverge and reconverge, and their interpreter.
//!
//! The interpreter follows the documented rule: lanes that reach a statement together execute it together. A branch
//! lets lanes diverge until its end, and a loop until its last lane has left it.

/// The number of variables of each thread.
pub(super) const VARIABLES: usize = 4;
/// The blocks that kernels are launched with: rows that are longer or shorter than a warp, and blocks whose size is not
/// a multiple of it.
pub(super) const SHAPES: [[u32; 3]; 5] = [[70, 1, 1], [5, 13, 1], [32, 2, 2], [3, 5, 7], [64, 2, 1]];

/// The lanes that take part in an operation with a lane.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Group {
    /// All active lanes, without a mask.
    There,
    /// All lanes, with a mask.
    Named,
    /// The same with a constant, where every lane of a warp is there.
    Every,
    /// The lanes in its row of 8.
    Eight,
    /// The lanes with the same lowest bit in a variable.
    Alike,
}

impl Group {
    /// The number of the group of a lane with this variable.
    pub(super) fn key(self, lane: usize, variable: u32) -> usize {
        match self {
            Group::There | Group::Named | Group::Every => 0,
            Group::Eight => lane / 8,
            Group::Alike => variable as usize & 1,
        }
    }
}

/// The lane or the distance of a shuffle.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Distance {
    /// The constant, in all lanes.
    Constant,
    /// The constant and a variable.
    Own,
}

/// An operation on variables.
#[derive(Clone, Copy)]
pub(super) enum Step {
    /// `to = a * 5 + b ^ constant`
    Compute,
    /// The cross-lane operation with this name, within the lane's group.
    Lanes(&'static str, Group, Distance),
    /// Through the block's shared memory, between two barriers.
    Exchange,
}

pub(super) enum Statement {
    Step {
        step: Step,
        to: usize,
        a: usize,
        b: usize,
        constant: u32,
    },
    /// Executed if a bit of a variable is set.
    If {
        of: usize,
        bit: u32,
        then: Vec<Statement>,
        or_else: Vec<Statement>,
    },
    /// Executed a variable number of times, up to 3, or always 3 times.
    Loop {
        of: Option<usize>,
        body: Vec<Statement>,
    },
    Break,
    Continue,
    Return,
}

/// A linear congruential generator.
pub(super) struct Random {
    state: u64,
    /// Whether each warp has all of its lanes, and none has returned.
    all_there: bool,
}

impl Random {
    pub(super) fn new(state: u64, all_there: bool) -> Self {
        Random { state, all_there }
    }

    fn below(&mut self, limit: u32) -> u32 {
        self.state = self.state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.state >> 33) % u64::from(limit)) as u32
    }

    pub(super) fn variable(&mut self) -> usize {
        self.below(VARIABLES as u32) as usize
    }

    fn step(&mut self, barriers: bool, outside: bool) -> Statement {
        const LANES: [&str; 7] = ["shuffle", "shuffle_xor", "shuffle_up", "shuffle_down", "ballot", "any", "all"];
        let step = match self.below(8) {
            0..3 => Step::Compute,
            3 if barriers => Step::Exchange,
            _ => {
                let group = [Group::There, Group::There, Group::There, Group::Named, Group::Eight, Group::Alike];
                let name = LANES[self.below(LANES.len() as u32) as usize];
                let group = match group[self.below(6) as usize] {
                    Group::Named if outside && self.all_there => Group::Every,
                    group => group,
                };
                Step::Lanes(name, group, [Distance::Constant, Distance::Own][self.below(2) as usize])
            }
        };
        let (to, a, b) = (self.variable(), self.variable(), self.variable());
        Statement::Step { step, to, a, b, constant: self.below(70) }
    }

    /// A body that all threads run. `depth` is the number of levels of control flow.
    pub(super) fn body(&mut self, depth: u32, barriers: bool) -> Vec<Statement> {
        self.statements(depth, false, barriers, true)
    }

    /// `inside` is whether it is in a loop; `outside`, whether all threads come there.
    fn statements(&mut self, depth: u32, inside: bool, barriers: bool, outside: bool) -> Vec<Statement> {
        let mut all = Vec::new();
        for _ in 0..1 + self.below(3) {
            all.push(self.step(barriers, outside));
            if depth == 0 {
                continue;
            }
            match self.below(4) {
                0 | 1 => {
                    let (of, bit) = (self.variable(), self.below(5));
                    let mut then = self.statements(depth - 1, inside, false, false);
                    match self.below(5) {
                        0 if inside => then.push(Statement::Break),
                        1 if inside => then.push(Statement::Continue),
                        2 => {
                            then.push(Statement::Return);
                            self.all_there = false;
                        }
                        _ => {}
                    }
                    let or_else =
                        if self.below(2) == 0 { self.statements(depth - 1, inside, false, false) } else { Vec::new() };
                    all.push(Statement::If { of, bit, then, or_else });
                }
                2 => {
                    let of = (self.below(3) > 0).then(|| self.variable());
                    all.push(Statement::Loop { of, body: self.statements(depth - 1, true, false, false) });
                }
                _ => {}
            }
        }
        all
    }
}

/// The threads of a block while a kernel is interpreted.
pub(super) struct Block {
    pub(super) variables: Vec<[u32; VARIABLES]>,
    shared: Vec<u32>,
    lanes: usize,
}

/// The threads that have left the current loop, and those that continue with its next iteration.
#[derive(Default)]
pub(super) struct Left {
    broken: Vec<usize>,
    continued: Vec<usize>,
}

impl Block {
    pub(super) fn new(threads: usize, lanes: usize) -> Self {
        let start = |t: usize| std::array::from_fn(|v| (t as u32 + 1).wrapping_mul(2654435761) >> (3 * v + 5));
        Block { variables: (0..threads).map(start).collect(), shared: vec![0; threads], lanes }
    }

    /// Executes statements for the `active` threads of one warp, or of all warps at the top level. Returns the threads
    /// that continue after them.
    pub(super) fn run(&mut self, statements: &[Statement], mut active: Vec<usize>, left: &mut Left) -> Vec<usize> {
        for statement in statements {
            match statement {
                Statement::Step { step, to, a, b, constant } => self.step(*step, [*to, *a, *b], *constant, &active),
                Statement::If { of, bit, then, or_else } => {
                    let set = |t: &usize| self.variables[*t][*of] >> bit & 1 == 1;
                    let (yes, no): (Vec<_>, Vec<_>) = active.iter().partition(|t| set(t));
                    active = self.run(then, yes, left);
                    active.extend(self.run(or_else, no, left));
                    active.sort_unstable();
                }
                Statement::Loop { of, body } => active = self.repeat(*of, body, active),
                Statement::Break => left.broken.append(&mut active),
                Statement::Continue => left.continued.append(&mut active),
                Statement::Return => active.clear(),
            }
        }
        active
    }

    fn repeat(&mut self, of: Option<usize>, body: &[Statement], active: Vec<usize>) -> Vec<usize> {
        let limit = |block: &Block, t: usize| of.map_or(3, |of| block.variables[t][of] % 4);
        let limits: Vec<(usize, u32)> = active.into_iter().map(|t| (t, limit(self, t))).collect();
        let limit_of = |t: usize| limits.iter().find(|(other, _)| *other == t).map_or(0, |(_, limit)| *limit);
        let (mut inside, mut behind): (Vec<_>, Vec<_>) = (limits.iter().map(|(t, _)| *t).collect(), Vec::new());
        for iteration in 0.. {
            let (on, out): (Vec<_>, Vec<_>) = inside.iter().partition(|t| iteration < limit_of(**t));
            behind.extend(out);
            if on.is_empty() {
                break;
            }
            let mut left = Left::default();
            inside = self.run(body, on, &mut left);
            inside.append(&mut left.continued);
            inside.sort_unstable();
            behind.append(&mut left.broken);
        }
        behind.sort_unstable();
        behind
    }

    fn step(&mut self, step: Step, [to, a, b]: [usize; 3], constant: u32, active: &[usize]) {
        let before = self.variables.clone();
        if let Step::Exchange = step {
            active.iter().for_each(|t| self.shared[*t] = before[*t][a]);
        }
        for t in active.iter().copied() {
            self.variables[t][to] = match step {
                Step::Compute => before[t][a].wrapping_mul(5).wrapping_add(before[t][b]) ^ constant,
                Step::Exchange => self.shared[(t + constant as usize) % self.shared.len()],
                Step::Lanes(name, group, distance) => {
                    let lane = |lane: usize| (t / self.lanes * self.lanes + lane, &before);
                    let argument = match distance {
                        Distance::Constant => constant,
                        Distance::Own => before[t][b].wrapping_add(constant),
                    };
                    let argument = argument as usize % self.lanes;
                    let own = t % self.lanes;
                    let key = |t: usize| group.key(t % self.lanes, before[t][b]);
                    let together = |from: &usize| active.contains(from) && key(*from) == key(t);
                    let value = |from: usize| Some(lane(from).0).filter(together);
                    let votes = (0..self.lanes).filter(|l| value(*l).is_some()).map(|l| (l, before[lane(l).0][a] & 1));
                    let from = match name {
                        "shuffle" => argument,
                        "shuffle_xor" => own ^ argument,
                        "shuffle_up" => own.checked_sub(argument).unwrap_or(own),
                        "shuffle_down" if own + argument < self.lanes => own + argument,
                        _ => own,
                    };
                    let votes: Vec<_> = votes.collect();
                    match name {
                        "ballot" => votes.iter().fold(0, |bits, (lane, vote)| bits ^ vote << (lane % 32)),
                        "any" => votes.iter().any(|(_, vote)| *vote == 1).into(),
                        "all" => votes.iter().all(|(_, vote)| *vote == 1).into(),
                        _ => before[value(from).unwrap_or(t)][a],
                    }
                }
            };
        }
    }
}

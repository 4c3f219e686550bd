//! Random kernels whose barriers all threads reach, in a small structured language.
//!
//! Barriers are only in uniform control flow. Between two barriers, threads either write their own cell of the shared
//! array or read other cells, but not both, so there is no race.

/// The number of threads in the only block.
pub(crate) const THREADS: usize = 32;
/// The number of variables of each thread, and of uniform variables.
pub(crate) const OWN: usize = 3;
pub(crate) const SAME: usize = 2;

/// An expression with a number. `Same`, `Count` and `Parameter` are uniform.
#[derive(Clone, Debug)]
pub(crate) enum Expr {
    Own(usize),
    Thread,
    Same(usize),
    /// The counter of a loop, by the number of loops around it.
    Count(usize),
    Parameter(usize),
    Constant(u32),
    Binary(Op, Box<Expr>, Box<Expr>),
    /// The thread's number, asked for again.
    ThreadAgain,
    /// A number of the thread in shared memory, by an atomic load.
    Atomic,
    /// A cell of the shared array, while no thread writes.
    Cell(usize),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Op {
    Add,
    Sub,
    Mul,
    Xor,
    Rem,
}

/// A condition. `Fixed` ones were computed at the start.
#[derive(Clone, Debug)]
pub(crate) enum Cond {
    Fixed(usize),
    Done,
    Less(Expr, Expr),
    Equal(Expr, Expr),
    Not(Box<Cond>),
    And(Box<Cond>, Box<Cond>),
    /// Half of a number is less than another number, as floats.
    HalfLess(Expr, u32),
    /// The result of a function that is not inlined: whether a number is odd.
    Call(Expr),
}

#[derive(Clone, Debug)]
pub(crate) enum Statement {
    Set(usize, Expr),
    SetSame(usize, Expr),
    /// Writes to the thread's own cell.
    Write(Expr),
    /// Combines another thread's cell with a variable.
    Read(usize, u32),
    Barrier,
    /// Write, barrier, read, barrier, in a separate function.
    Exchange(usize, u32),
    If(Cond, Vec<Statement>, Vec<Statement>),
    Loop(Form, Expr, Vec<Statement>, Option<(Cond, Vec<Statement>)>),
    SetDone(Cond),
    SetOption(Cond, Expr),
    UseOption(usize),
    /// By the remainder of a number.
    Match(Expr, Vec<Vec<Statement>>),
    /// Adds which threads of the warp the condition holds for.
    Ballot(usize, Cond),
    /// Takes another thread's variable.
    Shuffle(usize, u32),
    /// Ends the kernel, for all threads.
    Return(Cond),
    /// A return that no thread takes.
    Guard(u32),
}

/// The form of a loop.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Form {
    For,
    While,
    /// With an exit in the middle.
    Loop,
    /// With a float that counts as well.
    Real,
}

/// A kernel.
#[derive(Clone, Debug)]
pub(crate) struct Kernel {
    pub(crate) name: String,
    pub(crate) fixed: Vec<Cond>,
    pub(crate) body: Vec<Statement>,
}

/// A random number generator with the same sequence on all machines.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5DEE_CE66)
    }

    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % limit
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// The accesses to the shared array that are allowed until the next barrier.
#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Writing,
    Reading,
}

struct Generator {
    random: Random,
    mode: Mode,
    loops: usize,
    budget: usize,
    /// Whether there are votes, shuffles, returns, and every kind of condition.
    rich: bool,
}

/// The kernel for a seed.
pub(crate) fn kernel(seed: u64) -> Kernel {
    generate(format!("k{seed}"), seed, false)
}

/// The kernel for a seed with votes, shuffles, returns, and every kind of condition.
pub(crate) fn rich_kernel(seed: u64) -> Kernel {
    generate(format!("r{seed}"), seed, true)
}

fn generate(name: String, seed: u64, rich: bool) -> Kernel {
    let mut g = Generator { random: Random::new(seed), mode: Mode::Writing, loops: 0, budget: 14, rich };
    let fixed = (0..2).map(|_| g.own_condition(0)).collect();
    let mut body = Vec::new();
    if rich && g.random.chance(50) {
        body.push(Statement::Guard(THREADS as u32 + g.random.below(3) as u32));
    }
    body.extend(g.block(3));
    if g.mode == Mode::Writing {
        body.push(Statement::Barrier);
    }
    body.push(Statement::Read(0, 1));
    Kernel { name, fixed, body }
}

impl Generator {
    fn same(&mut self, depth: usize) -> Expr {
        if self.rich && self.mode == Mode::Reading && self.random.chance(20) {
            return Expr::Cell(self.random.below(THREADS));
        }
        match self.random.below(if depth > 1 { 4 } else { 6 }) {
            0 => Expr::Same(self.random.below(SAME)),
            1 if self.loops > 0 => Expr::Count(self.random.below(self.loops)),
            1 | 2 => Expr::Parameter(self.random.below(2)),
            3 => Expr::Constant(self.random.below(7) as u32),
            _ => self.binary(depth, Self::same),
        }
    }

    fn own(&mut self, depth: usize) -> Expr {
        if self.rich && self.random.chance(20) {
            return if self.random.chance(50) { Expr::ThreadAgain } else { Expr::Atomic };
        }
        match self.random.below(if depth > 1 { 6 } else { 9 }) {
            0 | 1 => Expr::Own(self.random.below(OWN)),
            2 | 3 => Expr::Thread,
            4 | 5 => self.same(2),
            _ => self.binary(depth, Self::own),
        }
    }

    fn binary(&mut self, depth: usize, side: fn(&mut Self, usize) -> Expr) -> Expr {
        let op = [Op::Add, Op::Sub, Op::Mul, Op::Xor, Op::Rem][self.random.below(5)];
        let right =
            if matches!(op, Op::Rem) { Expr::Constant(2 + self.random.below(5) as u32) } else { side(self, depth + 1) };
        Expr::Binary(op, Box::new(side(self, depth + 1)), Box::new(right))
    }

    fn same_condition(&mut self) -> Cond {
        let left = self.same(1);
        if self.rich && self.random.chance(50) {
            let call = self.random.chance(40);
            return if call { Cond::Call(left) } else { Cond::HalfLess(left, self.random.below(4) as u32) };
        }
        match self.random.below(3) {
            0 => Cond::Equal(Expr::Binary(Op::Rem, Box::new(left), Box::new(Expr::Constant(2))), Expr::Constant(0)),
            1 => Cond::Less(left, Expr::Constant(1 + self.random.below(4) as u32)),
            _ => Cond::Not(Box::new(Cond::Less(left, self.same(1)))),
        }
    }

    fn own_condition(&mut self, fixed: usize) -> Cond {
        match self.random.below(8) {
            0 | 1 if fixed > 0 => Cond::Fixed(self.random.below(fixed)),
            2 if fixed > 0 => Cond::Not(Box::new(Cond::Fixed(self.random.below(fixed)))),
            3 if fixed > 0 => Cond::Not(Box::new(Cond::Done)),
            4 if fixed > 0 => Cond::And(Box::new(Cond::Fixed(0)), Box::new(self.same_condition())),
            5 => Cond::Less(self.own(1), self.own(1)),
            6 => Cond::Equal(
                Expr::Binary(Op::Rem, Box::new(Expr::Thread), Box::new(Expr::Constant(3))),
                Expr::Constant(self.random.below(3) as u32),
            ),
            _ => Cond::Less(Expr::Thread, Expr::Constant(1 + self.random.below(THREADS - 1) as u32)),
        }
    }

    /// Statements that all threads execute.
    fn block(&mut self, depth: usize) -> Vec<Statement> {
        let mut body = Vec::new();
        for _ in 0..2 + self.random.below(4) {
            if self.budget == 0 {
                break;
            }
            self.budget -= 1;
            let statement = self.statement(depth);
            body.push(statement);
        }
        body
    }

    fn statement(&mut self, depth: usize) -> Statement {
        if self.rich && self.random.chance(30) {
            return self.rich_statement(depth);
        }
        match self.random.below(if depth == 0 { 12 } else { 16 }) {
            0 | 1 => self.barrier(),
            2..=4 => {
                let then = self.apart(1);
                let other = if self.random.chance(30) { self.apart(1) } else { Vec::new() };
                Statement::If(self.own_condition(2), then, other)
            }
            5 => Statement::SetSame(self.random.below(SAME), self.same(0)),
            6 => Statement::SetOption(self.own_condition(2), self.own(0)),
            7 => Statement::UseOption(self.random.below(OWN)),
            8 => {
                let mut then = self.apart(0);
                then.push(Statement::SetDone(self.own_condition(0)));
                Statement::If(Cond::Not(Box::new(Cond::Done)), then, Vec::new())
            }
            9 if self.mode == Mode::Writing => {
                Statement::Exchange(self.random.below(OWN), 1 + self.random.below(9) as u32)
            }
            9..=11 => self.plain(),
            12 | 13 => self.same_if(depth - 1),
            _ => self.same_loop(depth - 1),
        }
    }

    fn rich_statement(&mut self, depth: usize) -> Statement {
        match self.random.below(if depth == 0 { 3 } else { 5 }) {
            0 => Statement::Ballot(self.random.below(OWN), self.own_condition(2)),
            1 => Statement::Shuffle(self.random.below(OWN), 1 + self.random.below(9) as u32),
            2 => Statement::Return(Cond::And(Box::new(self.same_condition()), Box::new(self.same_condition()))),
            _ => self.same_match(depth - 1),
        }
    }

    fn same_match(&mut self, depth: usize) -> Statement {
        let (value, before) = (self.same(1), self.mode);
        let mut arms: Vec<_> = (0..3)
            .map(|_| {
                self.mode = before;
                (self.block(depth), self.mode)
            })
            .collect();
        let after = arms[0].1;
        arms.iter_mut().filter(|(_, mode)| *mode != after).for_each(|(arm, _)| arm.push(Statement::Barrier));
        self.mode = after;
        Statement::Match(value, arms.into_iter().map(|(arm, _)| arm).collect())
    }

    fn barrier(&mut self) -> Statement {
        self.mode = if self.mode == Mode::Writing { Mode::Reading } else { Mode::Writing };
        Statement::Barrier
    }

    fn plain(&mut self) -> Statement {
        match (self.random.below(3), self.mode) {
            (0, Mode::Writing) => Statement::Write(self.own(0)),
            (0 | 1, Mode::Reading) => Statement::Read(self.random.below(OWN), 1 + self.random.below(9) as u32),
            _ => Statement::Set(self.random.below(OWN), self.own(0)),
        }
    }

    /// Statements in divergent control flow, without barriers and without uniform variables.
    fn apart(&mut self, depth: usize) -> Vec<Statement> {
        let count = 1 + self.random.below(2);
        let mut body: Vec<_> = (0..count).map(|_| self.plain()).collect();
        if depth > 0 && self.random.chance(20) {
            let inner = self.apart(depth - 1);
            body.push(Statement::If(self.own_condition(2), inner, Vec::new()));
        }
        body
    }

    fn same_if(&mut self, depth: usize) -> Statement {
        let condition = self.same_condition();
        let before = self.mode;
        let then = self.block(depth);
        let after = std::mem::replace(&mut self.mode, before);
        let mut other = if self.random.chance(50) { self.block(depth) } else { Vec::new() };
        if self.mode != after {
            let barrier = self.barrier();
            other.push(barrier);
        }
        Statement::If(condition, then, other)
    }

    fn same_loop(&mut self, depth: usize) -> Statement {
        let forms = [Form::For, Form::While, Form::Loop, Form::Real];
        let form = forms[self.random.below(if self.rich { 4 } else { 3 })];
        let bound = Expr::Binary(Op::Rem, Box::new(self.same(1)), Box::new(Expr::Constant(5)));
        let bound = if self.random.chance(60) { Expr::Parameter(self.random.below(2)) } else { bound };
        let before = self.mode;
        self.loops += 1;
        let mut body = self.block(depth);
        if self.mode != before {
            let barrier = self.barrier();
            body.push(barrier);
        }
        let more = self.random.chance(20).then(|| {
            let condition = self.same_condition();
            let mut rest = self.block(depth.saturating_sub(1).min(1));
            if self.mode != before {
                let barrier = self.barrier();
                rest.push(barrier);
            }
            (condition, rest)
        });
        self.loops -= 1;
        Statement::Loop(form, bound, body, more)
    }
}

//! Computes the results of a random kernel, statement by statement for all threads of the block.

use super::generate::{Cond, Expr, Form, Kernel, OWN, Op, SAME, Statement, THREADS};

/// The state of a block's threads.
struct Block {
    parameters: [u32; 2],
    own: [[u32; OWN]; THREADS],
    same: [u32; SAME],
    counts: Vec<u32>,
    fixed: Vec<[bool; THREADS]>,
    done: [bool; THREADS],
    option: [Option<u32>; THREADS],
    cells: [u32; THREADS],
    /// Whether all threads have returned.
    returned: bool,
}

/// The output buffer after a launch.
pub(crate) fn run(kernel: &Kernel, parameters: [u32; 2]) -> Vec<u32> {
    let mut block = Block {
        parameters,
        own: std::array::from_fn(|t| [t as u32, (t as u32).wrapping_mul(7), 3]),
        same: [1, parameters[0]],
        counts: Vec::new(),
        fixed: Vec::new(),
        done: [false; THREADS],
        option: [None; THREADS],
        cells: std::array::from_fn(|t| t as u32),
        returned: false,
    };
    for condition in &kernel.fixed {
        let value = std::array::from_fn(|t| block.holds(condition, t));
        block.fixed.push(value);
    }
    block.run(&kernel.body, &[true; THREADS]);
    let last = |t: usize| block.own[t][2] ^ block.same[0] ^ block.same[1].wrapping_mul(3) ^ u32::from(block.done[t]);
    (0..THREADS).flat_map(|t| [block.own[t][0], block.own[t][1], last(t)]).collect()
}

impl Block {
    fn value(&self, expr: &Expr, t: usize) -> u32 {
        match expr {
            Expr::Own(v) => self.own[t][*v],
            Expr::Thread | Expr::ThreadAgain => t as u32,
            Expr::Atomic => (t as u32).wrapping_mul(3),
            Expr::Cell(at) => self.cells[*at],
            Expr::Same(v) => self.same[*v],
            Expr::Count(v) => self.counts[*v],
            Expr::Parameter(v) => self.parameters[*v],
            Expr::Constant(v) => *v,
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.value(a, t), self.value(b, t));
                match op {
                    Op::Add => a.wrapping_add(b),
                    Op::Sub => a.wrapping_sub(b),
                    Op::Mul => a.wrapping_mul(b),
                    Op::Xor => a ^ b,
                    Op::Rem => a % b,
                }
            }
        }
    }

    fn holds(&self, condition: &Cond, t: usize) -> bool {
        match condition {
            Cond::Fixed(v) => self.fixed[*v][t],
            Cond::Done => self.done[t],
            Cond::Less(a, b) => self.value(a, t) < self.value(b, t),
            Cond::Equal(a, b) => self.value(a, t) == self.value(b, t),
            Cond::HalfLess(a, b) => self.value(a, t) as f32 * 0.5 < *b as f32,
            Cond::Call(a) => self.value(a, t) % 2 == 1,
            Cond::Not(c) => !self.holds(c, t),
            Cond::And(a, b) => self.holds(a, t) && self.holds(b, t),
        }
    }

    /// Executes the statements in order, each for the threads that reach it.
    fn run(&mut self, body: &[Statement], here: &[bool; THREADS]) {
        for statement in body {
            if self.returned {
                return;
            }
            let threads = (0..THREADS).filter(|t| here[*t]);
            match statement {
                Statement::Barrier => {}
                Statement::SetSame(v, e) => self.same[*v] = self.value(e, 0),
                Statement::Set(v, e) => threads.for_each(|t| self.own[t][*v] = self.value(e, t)),
                Statement::Write(e) => threads.for_each(|t| self.cells[t] = self.value(e, t)),
                Statement::Read(v, k) => threads.for_each(|t| {
                    self.own[t][*v] = self.own[t][*v].wrapping_mul(5) ^ self.cells[(t + *k as usize) % THREADS];
                }),
                Statement::Exchange(v, k) => {
                    (0..THREADS).for_each(|t| self.cells[t] = self.own[t][*v]);
                    (0..THREADS).for_each(|t| self.own[t][*v] = self.cells[(t + *k as usize) % THREADS]);
                }
                Statement::SetDone(c) => threads.for_each(|t| self.done[t] = self.holds(c, t)),
                Statement::SetOption(c, e) => {
                    threads.for_each(|t| self.option[t] = self.holds(c, t).then(|| self.value(e, t)));
                }
                Statement::UseOption(v) => {
                    threads.for_each(|t| self.own[t][*v] = self.own[t][*v].wrapping_add(self.option[t].unwrap_or(0)));
                }
                Statement::Match(value, arms) => self.run(&arms[self.value(value, 0) as usize % 3], here),
                Statement::Ballot(v, c) => {
                    let votes = (0..THREADS).filter(|t| self.holds(c, *t)).fold(0, |all, t| all | 1 << t);
                    threads.for_each(|t| self.own[t][*v] = self.own[t][*v].wrapping_add(votes));
                }
                Statement::Shuffle(v, k) => {
                    let values: [u32; THREADS] = std::array::from_fn(|t| self.own[t][*v]);
                    threads.for_each(|t| self.own[t][*v] = values[(t + *k as usize) % THREADS]);
                }
                Statement::Return(c) => self.returned = self.holds(c, 0),
                Statement::Guard(_) => {}
                Statement::If(c, then, other) => self.branch(c, then, other, here),
                Statement::Loop(form, bound, body, more) => self.repeat(*form, bound, body, more),
            }
        }
    }

    fn branch(&mut self, c: &Cond, then: &[Statement], other: &[Statement], here: &[bool; THREADS]) {
        let yes: [bool; THREADS] = std::array::from_fn(|t| here[t] && self.holds(c, t));
        let no: [bool; THREADS] = std::array::from_fn(|t| here[t] && !yes[t]);
        if yes.contains(&true) {
            self.run(then, &yes);
        }
        if no.contains(&true) {
            self.run(other, &no);
        }
    }

    fn repeat(&mut self, form: Form, bound: &Expr, body: &[Statement], more: &Option<(Cond, Vec<Statement>)>) {
        let bound = self.value(bound, 0);
        let depth = self.counts.len();
        self.counts.push(0);
        while matches!(form, Form::Loop) || self.counts[depth] < bound {
            self.run(body, &[true; THREADS]);
            if self.returned {
                break;
            }
            if matches!(form, Form::Loop) && self.counts[depth] >= bound {
                break;
            }
            if let Some((condition, rest)) = more {
                if self.holds(condition, 0) {
                    break;
                }
                self.run(rest, &[true; THREADS]);
            }
            if self.returned {
                break;
            }
            self.counts[depth] += 1;
        }
        let _own = self.counts.pop();
    }
}

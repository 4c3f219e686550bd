//! Which registers may be read before anything is written to them: only these must be undefined when a function begins.

use super::code::{CONSTANTS, Code, FIRST, Op, Source};

/// A set of registers.
#[derive(Clone, PartialEq)]
struct Set(Vec<u64>);

impl Set {
    fn new(count: u32) -> Set {
        Set(vec![0; count.div_ceil(64) as usize])
    }

    fn add(&mut self, register: Source) {
        if register < CONSTANTS {
            self.0[register as usize / 64] |= 1 << (register % 64);
        }
    }

    fn remove(&mut self, register: Source) {
        if register < CONSTANTS {
            self.0[register as usize / 64] &= !(1 << (register % 64));
        }
    }

    fn unite(&mut self, other: &Set) -> bool {
        let mut grows = false;
        for (own, other) in self.0.iter_mut().zip(&other.0) {
            grows |= *other & !*own != 0;
            *own |= other;
        }
        grows
    }
}

/// A piece of code that is entered at its begin alone.
struct Span {
    begin: usize,
    end: usize,
    live: Set,
}

/// The registers that are live where the function begins.
pub(super) fn read_first(code: &[Code], registers: u32) -> Vec<Source> {
    let mut spans = spans(code, registers);
    let starts: Vec<usize> = spans.iter().map(|span| span.begin).collect();
    let mut changes = true;
    while changes {
        changes = false;
        for i in (0..spans.len()).rev() {
            let mut live = Set::new(registers);
            for target in successors(code, spans[i].end - 1) {
                if let Ok(next) = starts.binary_search(&target) {
                    live.unite(&spans[next].live);
                }
            }
            code[spans[i].begin..spans[i].end].iter().rev().for_each(|one| step_back(one, &mut live));
            changes |= spans[i].live.unite(&live);
        }
    }
    let first = spans.first().map(|span| span.live.clone());
    let is_live = |register: &Source| {
        first.as_ref().is_some_and(|live| live.0[*register as usize / 64] >> (register % 64) & 1 != 0)
    };
    (FIRST..registers).filter(is_live).collect()
}

fn spans(code: &[Code], registers: u32) -> Vec<Span> {
    let mut begins = vec![0];
    for (i, one) in code.iter().enumerate() {
        match &one.op {
            Op::Branch { target } | Op::NextRound { target } => begins.extend([*target, i + 1]),
            Op::BranchIndex { targets, .. } => {
                begins.extend(targets);
                begins.push(i + 1);
            }
            Op::Return | Op::Exit | Op::Trap(_) => begins.push(i + 1),
            _ => {}
        }
    }
    begins.sort_unstable();
    begins.dedup();
    begins.retain(|begin| *begin < code.len());
    let ends = begins.iter().skip(1).copied().chain([code.len()]);
    begins.iter().zip(ends).map(|(begin, end)| Span { begin: *begin, end, live: Set::new(registers) }).collect()
}

fn successors(code: &[Code], last: usize) -> Vec<usize> {
    let guarded = code[last].guard.is_some();
    let mut next = match &code[last].op {
        Op::Branch { target } | Op::NextRound { target } => vec![*target],
        Op::BranchIndex { targets, .. } => targets.clone(),
        Op::Return | Op::Exit | Op::Trap(_) => Vec::new(),
        _ => return vec![last + 1],
    };
    if guarded {
        next.push(last + 1);
    }
    next
}

fn step_back(code: &Code, live: &mut Set) {
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    operands(&code.op, &mut reads, &mut writes);
    if code.guard.is_none() {
        writes.iter().for_each(|register| live.remove(*register));
    }
    reads.extend(code.guard.map(|(register, _)| register));
    reads.iter().for_each(|register| live.add(*register));
}

/// The registers that an operation reads, and those that it writes whole.
fn operands(op: &Op, reads: &mut Vec<Source>, writes: &mut Vec<Source>) {
    match op {
        Op::Unary { d, a, .. }
        | Op::ToGeneric { d, a, .. }
        | Op::FromGeneric { d, a, .. }
        | Op::IsSpace { d, a, .. } => {
            reads.push(*a);
            writes.push(*d);
        }
        Op::Binary { d, a, b, .. } => {
            reads.extend([a, b]);
            writes.push(*d);
        }
        Op::Ternary { d, a, .. } | Op::Logic3 { d, a, .. } | Op::General { d, a, .. } => {
            reads.extend(a);
            writes.push(*d);
        }
        Op::Insert { d, a, .. } => {
            reads.extend(a);
            writes.push(*d);
        }
        Op::Compare { p, q, combine, a, b, .. } => {
            reads.extend([a, b]);
            reads.extend(combine.map(|(_, register, _)| register));
            writes.extend(p.iter().chain(q));
        }
        Op::Set { combine, d, a, b, .. } => {
            reads.extend([a, b]);
            reads.extend(combine.map(|(_, register, _)| register));
            writes.push(*d);
        }
        Op::Select { d, a, b, p } => {
            reads.extend([a, b, p]);
            writes.push(*d);
        }
        Op::CarryChain { d, a, carry, reads: reads_carry, .. } => {
            reads.extend(a);
            reads.extend(reads_carry.then_some(*carry));
            writes.push(*d);
        }
        Op::Special { d, .. } | Op::ActiveMask { d } => writes.push(*d),
        Op::Pack { d, parts } => {
            reads.extend(parts.iter().map(|(part, _)| *part));
            writes.push(*d);
        }
        Op::Unpack { parts, a } => {
            reads.push(*a);
            writes.extend(parts.iter().filter_map(|(part, _)| *part));
        }
        Op::FromWord { d, word, .. } => {
            reads.push(*word);
            writes.push(*d);
        }
        // The rest of the word stays, so it must have been made undefined.
        Op::ToWord { word, a, shift, width } => {
            reads.push(*a);
            if (*shift, *width) == (0, 64) { writes.push(*word) } else { reads.push(*word) }
        }
        _ => of_memory_and_control(op, reads, writes),
    }
}

fn of_memory_and_control(op: &Op, reads: &mut Vec<Source>, writes: &mut Vec<Source>) {
    match op {
        Op::Load { d, address, .. } => {
            reads.push(address.base);
            writes.extend(d.iter().flatten());
        }
        Op::Store { a, address, .. } => {
            reads.push(address.base);
            reads.extend(a);
        }
        Op::Atomic { d, address, b, c, .. } => {
            reads.extend([address.base, *b, *c]);
            writes.extend(d);
        }
        Op::CopyAsync { to, from, size, .. } => {
            reads.extend([to.base, from.base]);
            reads.extend(size);
        }
        Op::Cross { d, p, a, mask, .. } => {
            reads.extend(a);
            reads.push(*mask);
            writes.extend(d.iter().chain(p));
        }
        Op::Matrix { matrix, .. } => {
            reads.extend(matrix.reads());
            writes.extend(matrix.writes());
        }
        Op::Barrier { number, count, p, d, .. } => {
            reads.push(*number);
            reads.extend(count);
            reads.extend(p.map(|(register, _)| register));
            writes.extend(d);
        }
        Op::BranchIndex { a, .. } => reads.push(*a),
        Op::Call { function, results, arguments } => {
            reads.extend(function.as_ref().err());
            reads.extend(arguments.iter().flat_map(|one| &one.words));
            writes.extend(results.iter().flat_map(|one| &one.words));
        }
        Op::Builtin { results, arguments, .. } => {
            reads.extend(arguments.iter().flat_map(|one| &one.words));
            writes.extend(results.iter().flat_map(|one| &one.words));
        }
        _ => {}
    }
}

//! The loops of an entry over the threads of a block.

use super::counted_loop::Loop;
use super::launch::{Arguments, Launch, Thread};
use crate::analysis::effects::is_ordered;
use crate::contract::abi::CpuBlock;
use crate::llvm::{Attribute, Block, Builder, Function, IntPredicate, Opcode, Place, Value};
use crate::spmd::region::code_table::KernelCode;
use crate::spmd::region::versions::{Group, Guard, Rows, Version};
use crate::spmd::vectorize::memory::interleaved::keeps_order;
use crate::spmd::version::row_range;

/// Emits the call of a function for a thread, or for the first thread of a group.
pub(crate) type Body<'a, 'c> = dyn FnMut(&Builder<'c>, Function<'c>, &Thread<'c>) + 'a;

/// Code with a version for the range of a row, and one for the other threads.
struct SplitRow<'a, 'c> {
    rows: &'a Rows<'c>,
    sides: &'a [Version<'c>; 2],
    /// The arguments of a thread.
    more: &'a Arguments<'a, 'c>,
}

/// A version, and the threads of a row that it runs.
struct Segment<'a, 'c> {
    begin: Value<'c>,
    end: Value<'c>,
    version: &'a Version<'c>,
    /// Whether there are no such threads, if this is known of all rows.
    none: Option<Value<'c>>,
}

impl<'c> Launch<'_, 'c> {
    /// `for z { for y { row } }`; no dimension is 0. `row` receives the number of the first thread, y and z.
    pub(crate) fn each_row(
        &self,
        builder: &Builder<'c>,
        row: impl FnOnce(&Builder<'c>, Value<'c>, Value<'c>, Value<'c>),
    ) {
        let (zero, i64) = (self.dim[0].ty().zero(), self.module.types().i64());
        let wide = |v: Value<'c>| builder.cast(Opcode::ZExt, v, i64, "");
        let z = Loop::begin(builder, zero, self.dim[2], "z");
        let y = Loop::begin(builder, zero, self.dim[1], "y");
        let number = builder.add(builder.mul(wide(z.counter), wide(self.dim[1]), ""), wide(y.counter), "");
        row(builder, builder.mul(number, wide(self.dim[0]), ""), y.counter, z.counter);
        y.end(builder);
        z.end(builder);
    }

    /// Branches to a new block, to which it moves the builder, if each row of the block consists of whole warps.
    /// Returns the basic block for other blocks of threads, and one for the code after both.
    pub(crate) fn if_rows_of_warps(&self, builder: &Builder<'c>, lanes: u32) -> (Block<'c>, Block<'c>) {
        let (function, i32) = (builder.block().function(), self.dim[0].ty());
        let [rows, others, after] = ["rows", "others", "after"].map(|name| function.append_block(name));
        let rest = builder.binary(Opcode::And, self.dim[0], i32.constant((lanes - 1).into()), "");
        builder.cond_br(builder.icmp(IntPredicate::Eq, rest, i32.zero(), ""), rows, others);
        builder.move_to_end(rows);
        (others, after)
    }

    /// `for z { for y { for x { body } } }`.
    pub(crate) fn each_thread(&self, builder: &Builder<'c>, body: impl FnOnce(&Builder<'c>, &Thread<'c>)) {
        let i64 = self.module.types().i64();
        let wide = |v: Value<'c>| builder.cast(Opcode::ZExt, v, i64, "");
        self.each_row(builder, |builder, row, y, z| {
            let x = Loop::begin(builder, self.dim[0].ty().zero(), self.dim[0], "x");
            let number = builder.add(row, wide(x.counter), "");
            body(builder, &Thread { id: [x.counter, y, z], number });
            x.end(builder);
        });
    }

    /// The same with the versions of some code for rows and groups. `more` are its arguments after the position. `body`
    /// calls a function for a thread, or for the first one of a group.
    pub(crate) fn each_version(
        &self,
        builder: &Builder<'c>,
        version: &Version<'c>,
        more: &Arguments<'_, 'c>,
        body: &mut Body<'_, 'c>,
    ) {
        if self.one_by_one {
            let function = version.any().function;
            return self.each_thread(builder, |builder, thread| body(builder, function, thread));
        }
        let Version::If(Guard::Row(rows), sides) = version else {
            return self.each_segment(builder, body, &|_, start| {
                vec![Segment { begin: start.id[0], end: self.dim[0], version, none: None }]
            });
        };
        let split = SplitRow { rows, sides, more };
        match (rows.whole, self.size.filter(|[_, y, z]| y * z > 1)) {
            (Some(whole), Some(size)) => self.if_whole(builder, &split, whole, size, body),
            (whole, _) => {
                let all = whole.map(|whole| self.all_in_range(builder, whole, more));
                self.each_segment(builder, body, &|builder, start| {
                    self.prefetch(builder, &split, start);
                    self.segments(builder, &split, start, all)
                });
            }
        }
    }

    /// Runs the version of the range alone if the block has the size that its kernel promises and all threads may run
    /// it: then the numbers of iterations are constants.
    fn if_whole(
        &self,
        builder: &Builder<'c>,
        split: &SplitRow<'_, 'c>,
        whole: Function<'c>,
        size: [u32; 3],
        body: &mut Body<'_, 'c>,
    ) {
        let entry = builder.block().function();
        let dim: [_; 3] = std::array::from_fn(|axis| self.dim[axis].ty().constant(size[axis].into()));
        let mut holds = self.call(builder, whole, &self.first(), &(split.more)(&self.first()));
        for (own, promised) in self.dim.into_iter().zip(dim) {
            let same = builder.icmp(IntPredicate::Eq, own, promised, "");
            holds = builder.binary(Opcode::And, holds, same, "");
        }
        let [known, other, after] = ["known", "other", "after"].map(|name| entry.append_block(name));
        builder.cond_br(holds, known, other);
        builder.move_to_end(known);
        let count = entry.blocks().len();
        self.with_size(dim).each_segment(builder, body, &|builder, start| {
            self.prefetch(builder, split, start);
            vec![Segment { begin: start.id[0], end: dim[0], version: &split.sides[0], none: None }]
        });
        mark_calls(known, count, "alwaysinline");
        builder.br(after);
        builder.move_to_end(other);
        let count = entry.blocks().len();
        self.each_segment(builder, body, &|builder, start| self.segments(builder, split, start, None));
        // Two copies of the code would cost time and registers, and few blocks are at an edge.
        mark_calls(other, count, "noinline");
        builder.br(after);
        builder.move_to_end(after);
    }

    /// Prefetches the elements that a row of a later block reads.
    fn prefetch(&self, builder: &Builder<'c>, split: &SplitRow<'_, 'c>, start: &Thread<'c>) {
        if let Some(prefetch) = split.rows.prefetch {
            self.call(builder, prefetch, start, &(split.more)(start));
        }
    }

    /// Whether all threads of the block are in the range. A block of one row looks at the row alone.
    fn all_in_range(&self, builder: &Builder<'c>, whole: Function<'c>, more: &Arguments<'_, 'c>) -> Value<'c> {
        let one = self.dim[1].ty().constant(1);
        let rows = builder.binary(Opcode::Or, self.dim[1], self.dim[2], "");
        let several = builder.icmp(IntPredicate::Ugt, rows, one, "several");
        let no = self.types().i1().zero();
        ask_if(builder, several, true, no, "all", || self.call(builder, whole, &self.first(), &more(&self.first())))
    }

    /// Runs a version for some threads of a block of one row.
    pub(crate) fn each_of_row(
        &self,
        builder: &Builder<'c>,
        version: &Version<'c>,
        [begin, end]: [Value<'c>; 2],
        body: &mut Body<'_, 'c>,
    ) {
        self.each_in_segment(builder, &Segment { begin, end, version, none: None }, &self.first(), body);
    }

    /// Runs the segments of each row.
    fn each_segment<'a>(
        &self,
        builder: &Builder<'c>,
        body: &mut Body<'_, 'c>,
        segments: &dyn Fn(&Builder<'c>, &Thread<'c>) -> Vec<Segment<'a, 'c>>,
    ) where
        'c: 'a,
    {
        self.each_row(builder, |builder, row, y, z| {
            let start = Thread { id: [self.dim[0].ty().zero(), y, z], number: row };
            for segment in segments(builder, &start) {
                let mut run = |builder: &Builder<'c>| self.each_in_segment(builder, &segment, &start, body);
                match segment.none {
                    Some(none) => self.unless(builder, none, run),
                    None => run(builder),
                }
            }
        });
    }

    /// The parts of a row and the versions that run them. `all` is whether all threads of the block are in the range,
    /// if this is known.
    fn segments<'a>(
        &self,
        builder: &Builder<'c>,
        split: &SplitRow<'a, 'c>,
        start: &Thread<'c>,
        all: Option<Value<'c>>,
    ) -> Vec<Segment<'a, 'c>> {
        let ([fast, others], dim) = (split.sides, self.dim[0]);
        let part = || self.call(builder, split.rows.range, start, &(split.more)(start));
        let range = match all {
            Some(all) => {
                let i64 = self.types().i64();
                let row = builder.binary(Opcode::Shl, builder.cast(Opcode::ZExt, dim, i64, ""), i64.constant(32), "");
                ask_if(builder, all, false, row, "range", part)
            }
            None => part(),
        };
        let [begin, end] = ends_of(builder, range);
        vec![
            Segment { begin: start.id[0], end: begin, version: others, none: all },
            Segment { begin, end, version: fast, none: None },
            Segment { begin: end, end: dim, version: others, none: all },
        ]
    }

    /// Runs groups of threads, and then each other thread of the segment.
    fn each_in_segment(
        &self,
        builder: &Builder<'c>,
        segment: &Segment<'_, 'c>,
        start: &Thread<'c>,
        body: &mut Body<'_, 'c>,
    ) {
        let (i32, i64) = (self.types().i32(), self.types().i64());
        let one = Group { function: segment.version.any().function, width: 1 };
        let is_straight = row_range::is_straight(one.function);
        let group = segment.version.group(false);
        let mut parts = Vec::new();
        let mut begin = segment.begin;
        if let Some(group) = group {
            let count = builder.binary(Opcode::Sub, segment.end, begin, "");
            let in_groups = builder.binary(Opcode::And, count, i32.constant((!(group.width - 1)).into()), "groups");
            let end = builder.add(begin, in_groups, "");
            parts.push((begin, end, group));
            begin = end;
        }
        parts.push((begin, segment.end, one));
        for (begin, end, Group { function, width }) in parts {
            let mut run = |builder: &Builder<'c>| {
                let x = Loop::begin(builder, begin, end, "x");
                if width == 1 && !is_straight {
                    self.assume_in_row(builder, x.counter);
                }
                let number = builder.add(start.number, builder.cast(Opcode::ZExt, x.counter, i64, ""), "");
                body(builder, function, &Thread { id: [x.counter, start.id[1], start.id[2]], number });
                let call = builder.block().instructions().filter(|i| i.is_call()).last();
                let steps = [x.counter, number];
                let latch = x.end_by(builder, i32.constant(width.into()));
                // LLVM vectorises it.
                let is_left = group.is_none() && is_straight;
                if let Some(call) = call.filter(|call| is_left && self.may_reorder(*call, steps)) {
                    // An inlined parameter with this attribute becomes an access that belongs to no call.
                    let parameters = 0..function.parameters().len() as u32;
                    parameters.for_each(|number| function.remove_attribute(Place::Parameter(number), "noalias"));
                    latch.iterate_in_any_order(call);
                }
            };
            // A row has a thread.
            let is_row = (begin, end) == (start.id[0], self.dim[0]);
            if is_row { run(builder) } else { self.if_any(builder, begin, end, run) }
        }
    }

    /// Tells LLVM that the number of a thread is below a size that is known. A check of an index such as
    /// `digit * 128 + x` then always holds, although `digit` is data.
    fn assume_in_row(&self, builder: &Builder<'c>, x: Value<'c>) {
        if self.dim[0].as_u64().is_some() {
            let below = builder.icmp(IntPredicate::Ult, x, self.dim[0], "");
            builder.call(self.module.intrinsic("llvm.assume", &[]), &[below], "");
        }
    }

    /// Whether LLVM may execute a call of neighbouring threads in any order, without a comparison of their addresses.
    /// An atomic operation of a block becomes an ordinary one later, and a local variable would be that of all
    /// iterations. `affine` are the values that increase by one.
    fn may_reorder(&self, call: Value<'c>, affine: [Value<'c>; 2]) -> bool {
        let Some(function) = call.called_function().filter(|_| self.is_plain()) else { return false };
        let passed = call.arguments().into_iter().zip(function.parameters());
        let (steps, others): (Vec<_>, Vec<_>) = passed.partition(|(argument, _)| affine.contains(argument));
        let is_own = |argument: Value<'c>| argument.is_instruction() && argument.block() == call.block();
        let parameters = |all: Vec<(Value<'c>, Value<'c>)>| all.into_iter().map(|(_, own)| own).collect::<Vec<_>>();
        let varying = others.into_iter().filter(|(argument, _)| is_own(*argument)).collect();
        !function.instructions().any(|i| i.is(Opcode::Alloca) || is_ordered(i))
            && keeps_order(self.module, function, &parameters(steps), &parameters(varying))
    }

    /// `if begin < end { body }`.
    fn if_any(&self, builder: &Builder<'c>, begin: Value<'c>, end: Value<'c>, body: impl FnOnce(&Builder<'c>)) {
        self.unless(builder, builder.icmp(IntPredicate::Uge, begin, end, ""), body);
    }

    /// `if !condition { body }`.
    fn unless(&self, builder: &Builder<'c>, condition: Value<'c>, body: impl FnOnce(&Builder<'c>)) {
        let entry = builder.block().function();
        let (enter, after) = (entry.append_block("enter"), entry.append_block("after"));
        builder.cond_br(condition, after, enter);
        builder.move_to_end(enter);
        body(builder);
        builder.br(after);
        builder.move_to_end(after);
    }
}

/// The x of the first thread in a range of a row, and the end (see [`Rows::range`]).
pub(crate) fn ends_of<'c>(builder: &Builder<'c>, range: Value<'c>) -> [Value<'c>; 2] {
    let i32 = range.types().i32();
    let upper = builder.binary(Opcode::LShr, range, range.ty().constant(32), "");
    [range, upper].map(|v| builder.cast(Opcode::Trunc, v, i32, ""))
}

/// `condition == asked ? ask() : value`, with branches.
fn ask_if<'c>(
    builder: &Builder<'c>,
    condition: Value<'c>,
    asked: bool,
    value: Value<'c>,
    name: &str,
    ask: impl FnOnce() -> Value<'c>,
) -> Value<'c> {
    let before = builder.block();
    let blocks = ["ask", "asked"].map(|name| before.function().append_block(name));
    let [then, or_else] = if asked { blocks } else { [blocks[1], blocks[0]] };
    builder.cond_br(condition, then, or_else);
    builder.move_to_end(blocks[0]);
    let mut incoming = [(ask(), builder.block()), (value, before)];
    builder.br(blocks[1]);
    builder.move_to_end(blocks[1]);
    if !asked {
        incoming.reverse();
    }
    let phi = builder.phi(value.ty(), name);
    incoming.into_iter().for_each(|(value, from)| phi.add_incoming(value, from));
    phi
}

/// Lets LLVM read the block and the arguments in front of the loops over threads, although a loop may have no
/// iterations: each row would read them again. In blocks of one row, they would only take registers.
pub(crate) fn read_once(entry: Function<'_>, code: &KernelCode<'_>, size: Option<[u32; 3]>) {
    let [_, _, y, z] = code.regions.position();
    let may_have_rows = size.map_or(y.is_used() || z.is_used(), |[_, y, z]| y > 1 || z > 1);
    let sizes = [size_of::<CpuBlock>() as u64, code.argument_bytes.into()];
    for (index, bytes) in (0..).zip(sizes).filter(|(_, bytes)| may_have_rows && *bytes > 0) {
        entry.add_attribute(Place::Parameter(index), &Attribute::Enum("dereferenceable", bytes));
    }
}

/// Marks the calls in a block, and in those of its function from a number on.
fn mark_calls(block: Block<'_>, count: usize, name: &'static str) {
    let more = block.function().blocks().into_iter().skip(count);
    let calls = [block].into_iter().chain(more).flat_map(|block| block.instructions());
    let calls = calls.filter(|i| i.is_call() && i.called_intrinsic().is_none());
    calls.for_each(|call| call.add_attribute(Place::Function, &Attribute::Enum(name, 0)));
}

//! The loops of an entry over the threads of a block.

use super::counted_loop::Loop;
use super::entry::{Launch, Thread};
use super::regions::Faster;
use super::vectors::Vectorized;
use crate::llvm::{Builder, Function, IntPredicate, Opcode, Value};

/// A version of a function, and the threads of a row that are executed with each.
struct Segment<'c> {
    begin: Value<'c>,
    end: Value<'c>,
    one: Function<'c>,
    together: Option<Vectorized<'c>>,
}

impl<'c> Launch<'_, 'c> {
    /// `for z { for y { row } }`; no dimension is 0.
    fn each_row(&self, builder: &Builder<'c>, row: impl FnOnce(&Builder<'c>, Value<'c>, Value<'c>)) {
        let zero = self.dim[0].ty().zero();
        let z = Loop::begin(builder, zero, self.dim[2], "z");
        let y = Loop::begin(builder, zero, self.dim[1], "y");
        row(builder, y.counter, z.counter);
        y.end(builder);
        z.end(builder);
    }

    /// `for z { for y { for x { body } } }`.
    pub(super) fn each_thread(&self, builder: &Builder<'c>, body: impl FnOnce(&Builder<'c>, &Thread<'c>)) {
        let i64 = self.module.types().i64();
        let wide = |v: Value<'c>| builder.cast(Opcode::ZExt, v, i64, "");
        self.each_row(builder, |builder, y, z| {
            let row = builder.add(builder.mul(wide(z), wide(self.dim[1]), ""), wide(y), "");
            let row = builder.mul(row, wide(self.dim[0]), "");
            let x = Loop::begin(builder, self.dim[0].ty().zero(), self.dim[0], "x");
            let number = builder.add(row, wide(x.counter), "");
            body(builder, &Thread { id: [x.counter, y, z], number });
            x.end(builder);
        });
    }

    /// The same with the faster versions of a function. `more` are its arguments after the position. `body` calls a
    /// version for a thread, or for the first of the threads that it executes together.
    pub(super) fn each_faster(
        &self,
        builder: &Builder<'c>,
        (function, faster): (Function<'c>, &Faster<'c>),
        more: &dyn Fn(&Thread<'c>) -> Vec<Value<'c>>,
        body: &mut dyn FnMut(&Builder<'c>, Vectorized<'c>, &Thread<'c>),
    ) {
        let i64 = self.types().i64();
        let wide = |v: Value<'c>| builder.cast(Opcode::ZExt, v, i64, "");
        self.each_row(builder, |builder, y, z| {
            let row = builder.add(builder.mul(wide(z), wide(self.dim[1]), ""), wide(y), "");
            let row = builder.mul(row, wide(self.dim[0]), "");
            let start = Thread { id: [self.dim[0].ty().zero(), y, z], number: row };
            for segment in self.segments(builder, (function, faster), &start, &more(&start)) {
                self.each_in_segment(builder, &segment, &start, body);
            }
        });
    }

    /// The parts of a row and the versions that run them.
    fn segments(
        &self,
        builder: &Builder<'c>,
        (one, faster): (Function<'c>, &Faster<'c>),
        start: &Thread<'c>,
        more: &[Value<'c>],
    ) -> Vec<Segment<'c>> {
        let (zero, dim, together) = (self.dim[0].ty().zero(), self.dim[0], faster.together);
        let Some(rows) = &faster.rows else { return vec![Segment { begin: zero, end: dim, one, together }] };
        let range = self.call(builder, rows.range, start, more);
        let upper = builder.binary(Opcode::LShr, range, range.ty().constant(32), "");
        let [begin, end] = [range, upper].map(|v| builder.cast(Opcode::Trunc, v, dim.ty(), ""));
        vec![
            Segment { begin: zero, end: begin, one, together },
            Segment { begin, end, one: rows.fast, together: faster.rows_together },
            Segment { begin: end, end: dim, one, together },
        ]
    }

    /// Runs groups of threads that are executed together, and then each other thread of the segment.
    fn each_in_segment(
        &self,
        builder: &Builder<'c>,
        segment: &Segment<'c>,
        start: &Thread<'c>,
        body: &mut dyn FnMut(&Builder<'c>, Vectorized<'c>, &Thread<'c>),
    ) {
        let (i32, i64) = (self.types().i32(), self.types().i64());
        let one = Vectorized { function: segment.one, width: 1 };
        let mut parts = Vec::new();
        let mut begin = segment.begin;
        if let Some(together) = segment.together {
            let count = builder.binary(Opcode::Sub, segment.end, begin, "");
            let in_groups = builder.binary(Opcode::And, count, i32.constant((!(together.width - 1)).into()), "groups");
            let end = builder.add(begin, in_groups, "");
            parts.push((begin, end, together));
            begin = end;
        }
        parts.push((begin, segment.end, one));
        for (begin, end, version) in parts {
            let mut run = |builder: &Builder<'c>| {
                let x = Loop::begin(builder, begin, end, "x");
                let number = builder.add(start.number, builder.cast(Opcode::ZExt, x.counter, i64, ""), "");
                body(builder, version, &Thread { id: [x.counter, start.id[1], start.id[2]], number });
                x.end_by(builder, i32.constant(version.width.into()));
            };
            // A row has a thread.
            let is_row = (begin, end) == (start.id[0], self.dim[0]);
            if is_row { run(builder) } else { self.if_any(builder, begin, end, run) }
        }
    }

    /// `if begin < end { body }`.
    fn if_any(&self, builder: &Builder<'c>, begin: Value<'c>, end: Value<'c>, body: impl FnOnce(&Builder<'c>)) {
        let entry = builder.block().function();
        let some = builder.icmp(IntPredicate::Ult, begin, end, "");
        let (enter, after) = (entry.append_block("enter"), entry.append_block("after"));
        builder.cond_br(some, enter, after);
        builder.move_to_end(enter);
        body(builder);
        builder.br(after);
        builder.move_to_end(after);
    }
}

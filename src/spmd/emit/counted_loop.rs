//! Loops over numbers, such as the threads of a row.

use crate::llvm::{Block, Builder, IntPredicate, Value};

/// A loop over the numbers from one value to another, exclusive. It has at least one iteration.
pub(crate) struct Loop<'c> {
    start: Block<'c>,
    pub(crate) counter: Value<'c>,
    limit: Value<'c>,
}

impl<'c> Loop<'c> {
    /// Ends the builder's block, and moves the builder to the loop's body.
    pub(crate) fn begin(builder: &Builder<'c>, from: Value<'c>, limit: Value<'c>, name: &str) -> Self {
        let before = builder.block();
        let start = before.function().append_block(name);
        builder.br(start);
        builder.move_to_end(start);
        let counter = builder.phi(limit.ty(), name);
        counter.add_incoming(from, before);
        Loop { start, counter, limit }
    }

    /// Ends the body, and moves the builder to the block after the loop.
    pub(crate) fn end(self, builder: &Builder<'c>) {
        let one = self.counter.ty().constant(1);
        self.end_by(builder, one);
    }

    /// The same with another step. Returns the branch at the end of the loop.
    pub(crate) fn end_by(self, builder: &Builder<'c>, step: Value<'c>) -> Value<'c> {
        let after = self.start.function().append_block("");
        let next = builder.add_no_wrap(self.counter, step, "");
        self.counter.add_incoming(next, builder.block());
        let more = builder.icmp(IntPredicate::Ult, next, self.limit, "");
        let latch = builder.block();
        builder.cond_br(more, self.start, after);
        builder.move_to_end(after);
        latch.terminator().expect("it was just made")
    }
}

//! The variable with the path on which a thread has come to a merged place.

use crate::llvm::{Block, Builder, Function, Type, Value};

/// An alloca for a variable.
pub(super) fn variable<'c>(function: Function<'c>, ty: Type<'c>, name: &str) -> Value<'c> {
    Builder::at_start(function.blocks()[0]).alloca(ty, name)
}

/// The number of a path to a merged place.
#[derive(Clone, Copy)]
pub(super) struct Path<'c>(Value<'c>);

impl<'c> Path<'c> {
    /// A variable with at least `count` values.
    pub(super) fn new(function: Function<'c>, count: usize) -> Self {
        Path(variable(function, function.types().int(if count == 2 { 1 } else { 32 }), "way"))
    }

    /// Goes to the merged place `to` on the path with this number.
    pub(super) fn take(self, builder: &Builder<'c>, number: usize, to: Block<'c>) {
        builder.store(self.0.allocated_type().constant(number as u64), self.0, 0);
        builder.br(to);
    }

    /// Branches from the merged place to the block that belongs to the path of the thread.
    pub(super) fn branch(self, builder: &Builder<'c>, to: &[Block<'c>]) {
        let ty = self.0.allocated_type();
        if to.iter().all(|block| *block == to[0]) {
            builder.br(to[0]);
        } else if let [first, second] = to {
            let path = builder.load(ty, self.0, 0, "way");
            builder.cond_br(path, *second, *first);
        } else {
            let path = builder.load(ty, self.0, 0, "way");
            let case = |number: usize| (ty.constant(number as u64), to[number]);
            builder.switch(path, to[0], &(1..to.len()).map(case).collect::<Vec<_>>());
        }
    }
}

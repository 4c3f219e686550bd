//! A value of several threads.

use crate::llvm::{Builder, Module, Opcode, Value};
use crate::spmd::facts::shape::{Offsets, is_element};

/// The values of lanes of a group.
#[derive(Clone)]
pub(crate) enum Wide<'c> {
    /// All have this one.
    Same(Value<'c>),
    /// The first one has this one, and each other one this number more than the one before it.
    Steps(Value<'c>, i64),
    /// The first one has this one, and each other one a constant more.
    Offsets(Value<'c>, Offsets),
    /// Elements of a vector.
    Vector(Value<'c>),
    /// One for each, of a type that is no element of vectors.
    Each(Vec<Value<'c>>),
}

/// Builds values of several threads.
pub(crate) struct Widener<'m, 'c> {
    pub(crate) module: &'m Module<'c>,
    pub(crate) builder: Builder<'c>,
    /// The number of lanes of a group.
    pub(crate) width: u32,
}

impl<'c> Widener<'_, 'c> {
    /// The number of a lane.
    pub(crate) fn number(&self, thread: u32) -> Value<'c> {
        self.module.types().i64().constant(thread.into())
    }

    /// The value of one thread.
    pub(crate) fn of_thread(&self, value: &Wide<'c>, thread: u32) -> Value<'c> {
        match value {
            Wide::Same(value) => *value,
            Wide::Steps(first, _) | Wide::Offsets(first, _) if thread == 0 => *first,
            Wide::Offsets(first, offsets) => {
                let more = offsets[thread as usize] as u64;
                self.more(*first, self.module.types().i64().constant(more))
            }
            Wide::Steps(first, step) => {
                let bytes = (i64::from(thread).wrapping_mul(*step)) as u64;
                self.more(*first, self.module.types().i64().constant(bytes))
            }
            Wide::Vector(vector) => self.builder.extract_element(*vector, self.number(thread), ""),
            Wide::Each(values) => values[thread as usize],
        }
    }

    /// `value + by`, where `by` is an `i64`; of a pointer, this number of bytes after it.
    pub(crate) fn more(&self, value: Value<'c>, by: Value<'c>) -> Value<'c> {
        let ty = value.ty();
        if ty.is_pointer() {
            return self.builder.byte_offsets(value, by);
        }
        let by = match ty.int_width() {
            Some(64) => by,
            Some(width) if width < 64 => self.builder.cast(Opcode::Trunc, by, ty, ""),
            _ => unreachable!("only integers of up to 64 bits and pointers are affine"),
        };
        self.builder.add(value, by, "")
    }

    /// The values as a vector.
    pub(crate) fn vector(&self, value: &Wide<'c>) -> Value<'c> {
        match value {
            Wide::Same(value) => self.builder.splat(*value, self.width),
            Wide::Steps(first, step) => {
                let i64 = self.module.types().i64();
                if first.ty().is_pointer() {
                    return self.builder.byte_offsets(*first, i64.steps(0, *step, self.width));
                }
                let steps = first.ty().steps(0, *step, self.width);
                self.builder.add(self.builder.splat(*first, self.width), steps, "")
            }
            Wide::Offsets(first, offsets) => {
                let own = &offsets[..self.width as usize];
                if first.ty().is_pointer() {
                    return self.builder.byte_offsets(*first, self.module.types().i64().numbers(own));
                }
                self.builder.add(self.builder.splat(*first, self.width), first.ty().numbers(own), "")
            }
            Wide::Vector(vector) => *vector,
            Wide::Each(values) => self.collect(values),
        }
    }

    /// A vector of these values.
    fn collect(&self, values: &[Value<'c>]) -> Value<'c> {
        let empty = values[0].ty().vector(self.width).poison();
        (0..)
            .zip(values)
            .fold(empty, |vector, (thread, value)| self.builder.insert_element(vector, *value, self.number(thread), ""))
    }

    /// The values of all threads, as a vector if there are such vectors. Pointers are used one by one.
    pub(crate) fn gather(&self, values: Vec<Value<'c>>) -> Wide<'c> {
        let ty = values[0].ty();
        if is_element(ty) && !ty.is_pointer() { Wide::Vector(self.collect(&values)) } else { Wide::Each(values) }
    }
}

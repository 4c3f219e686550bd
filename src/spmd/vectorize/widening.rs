//! The state of widening, and the values of the lanes.

use std::collections::HashMap;

use super::memory::access::Groups;
use super::scalar_path::Code;
use super::wide::{Wide, Widener};
use crate::llvm::{Block, Builder, Function, Type, Value};
use crate::spmd::facts::divergence::Plan;
use crate::spmd::facts::shape::{Offsets, Shape, is_element};
use crate::spmd::options::VectorOptions;

/// The state of the transformation.
pub(crate) struct Widening<'p, 'm, 'c> {
    pub(crate) plan: &'p Plan<'m, 'c>,
    pub(crate) wide: Widener<'m, 'c>,
    pub(crate) function: Function<'c>,
    pub(crate) code: &'p Code<'c>,
    /// Where each lane executes the whole function as scalar code, if anything was assumed.
    pub(crate) fallback: Option<Block<'c>>,
    /// For each block of a part in which values are assumed to be affine, where threads go if they are not.
    pub(crate) unless_affine: HashMap<Block<'c>, Block<'c>>,
    /// The parameters that are affine, such as x, and the number of the thread, with their steps.
    pub(crate) affine: HashMap<Value<'c>, i64>,
    /// The new block for each old one.
    pub(crate) blocks: HashMap<Block<'c>, Block<'c>>,
    /// Allocates variables.
    pub(crate) entry: Builder<'c>,
    /// The variables of values that other blocks use.
    pub(crate) kept: HashMap<Value<'c>, Variable<'c>>,
    /// The variables that the predecessors of a phi's block set.
    pub(crate) incoming: HashMap<Value<'c>, Variable<'c>>,
    /// The values of the current block, and those that it has loaded.
    pub(crate) local: HashMap<Value<'c>, Wide<'c>>,
    /// The interleaved accesses.
    pub(crate) groups: Groups<'c>,
    pub(crate) options: VectorOptions,
    /// The place to which threads store that are in no mask.
    pub(crate) elsewhere: Option<Value<'c>>,
}

/// A variable for the values of all threads.
#[derive(Clone)]
pub(crate) enum Variable<'c> {
    Same(Value<'c>, Type<'c>),
    Steps(Value<'c>, Type<'c>, i64),
    Offsets(Value<'c>, Type<'c>, Offsets),
    Vector(Value<'c>, Type<'c>),
    Each(Vec<Value<'c>>, Type<'c>),
}

impl<'c> Widening<'_, '_, 'c> {
    pub(crate) fn builder(&self) -> &Builder<'c> {
        &self.wide.builder
    }

    /// A variable for a value.
    pub(crate) fn variable(&self, value: Value<'c>) -> Variable<'c> {
        let ty = value.ty();
        let new = |ty: Type<'c>| self.entry.alloca(ty, "");
        match self.plan.shapes.of(value) {
            Shape::Uniform => Variable::Same(new(ty), ty),
            Shape::Affine(step) => Variable::Steps(new(ty), ty, step),
            Shape::Offsets(offsets) => Variable::Offsets(new(ty), ty, offsets),
            Shape::Varying if is_element(ty) => {
                let vector = ty.vector(self.wide.width);
                Variable::Vector(new(vector), vector)
            }
            Shape::Varying => Variable::Each((0..self.wide.width).map(|_| new(ty)).collect(), ty),
        }
    }

    pub(crate) fn store(&self, value: &Wide<'c>, variable: &Variable<'c>) {
        let builder = self.builder();
        match variable {
            Variable::Same(at, _) | Variable::Steps(at, ..) | Variable::Offsets(at, ..) => {
                builder.store(self.wide.of_thread(value, 0), *at, 0);
            }
            Variable::Vector(at, _) => builder.store(self.wide.vector(value), *at, 0),
            Variable::Each(all, _) => {
                for (thread, at) in (0..).zip(all) {
                    builder.store(self.wide.of_thread(value, thread), *at, 0);
                }
            }
        }
    }

    pub(crate) fn load(&self, variable: &Variable<'c>) -> Wide<'c> {
        let builder = self.builder();
        match variable {
            Variable::Same(at, ty) => Wide::Same(builder.load(*ty, *at, 0, "")),
            Variable::Steps(at, ty, step) => Wide::Steps(builder.load(*ty, *at, 0, ""), *step),
            Variable::Offsets(at, ty, offsets) => Wide::Offsets(builder.load(*ty, *at, 0, ""), *offsets),
            Variable::Vector(at, ty) => Wide::Vector(builder.load(*ty, *at, 0, "")),
            Variable::Each(all, ty) => Wide::Each(all.iter().map(|at| builder.load(*ty, *at, 0, "")).collect()),
        }
    }

    /// The values of an operand.
    pub(crate) fn get(&mut self, value: Value<'c>) -> Wide<'c> {
        if !value.is_instruction() {
            return self.affine.get(&value).map_or(Wide::Same(value), |step| Wide::Steps(value, *step));
        }
        if let Some(known) = self.local.get(&value) {
            return known.clone();
        }
        let loaded = self.load(&self.kept[&value]);
        self.local.insert(value, loaded.clone());
        loaded
    }

    pub(crate) fn define(&mut self, value: Value<'c>, wide: Wide<'c>) {
        if let Some(variable) = self.kept.get(&value) {
            self.store(&wide, variable);
        }
        self.local.insert(value, wide);
    }

    /// A copy of an instruction for one thread.
    pub(crate) fn copy(&mut self, instruction: Value<'c>, thread: u32) -> Value<'c> {
        let count = instruction.operand_count();
        let operands: Vec<_> = (0..count).map(|i| instruction.operand(i)).collect();
        let values: Vec<_> = operands
            .into_iter()
            .map(|operand| match operand.is_instruction() || self.affine.contains_key(&operand) {
                true => {
                    let value = self.get(operand);
                    self.wide.of_thread(&value, thread)
                }
                false => operand,
            })
            .collect();
        let copy = instruction.duplicate();
        for (index, value) in (0..).zip(values) {
            copy.set_operand(index, value);
        }
        self.builder().insert(copy);
        copy
    }
}

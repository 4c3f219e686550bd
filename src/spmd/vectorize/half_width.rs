//! For the row "convolution 5 x 5": groups of half the size, where values are not affine in a whole group.
//!
//! The row of a tile with the points around it has 20 or 18 elements, so that each fifth or fourth group of eight
//! threads lies in two rows. Its two halves mostly do not. So the threads of a part whose values are not affine
//! execute it in groups of half the size, which look at the first and the last thread again.

use super::function::in_groups;
use super::group::{Lanes, Rising};
use super::wide::Wide;
use super::widening::Widening;
use crate::llvm::{Builder, Function, Place, Value};
use crate::spmd::facts::divergence::Divergence;
use crate::spmd::facts::markers::Masked;
use crate::spmd::options::VectorOptions;
use crate::spmd::region::versions::Group;
use crate::spmd::tuning::WIDTH;

impl<'c> Widening<'_, '_, 'c> {
    /// A version for half of the threads of scalar code, if it is such a part, and the values that
    /// it needs are uniform or affine. `given` are the condition and these values.
    pub(crate) fn at_half_width(
        &self,
        divergence: &Divergence<'c>,
        condition: Value<'c>,
        scalar: Function<'c>,
        given: &[Wide<'c>],
    ) -> Option<Group<'c>> {
        let is_part = condition.is_instruction() && Masked::of(condition) == Some(Masked::Assumed);
        let is_known = |value: &Wide<'c>| matches!(value, Wide::Same(_) | Wide::Steps(..));
        if !is_part || self.wide.width != WIDTH || !given.iter().all(is_known) {
            return None;
        }
        debug_assert!(divergence.results.is_empty(), "no value of a part is used behind it");
        let own = self.function.parameters();
        let position = own.iter().map(|parameter| self.affine.get(parameter).copied());
        let steps = given.iter().map(|value| if let Wide::Steps(_, step) = value { Some(*step) } else { None });
        let steps = (0..).zip(position.chain(steps));
        let affine: Vec<_> = steps.filter_map(|(number, step)| Some(Rising { number, step: step? })).collect();
        let half = scalar.clone_function();
        half.set_name(&format!("{}.half", scalar.name()));
        freeze(half, &half.parameters()[own.len()..]);
        ["noinline", "cold"].iter().for_each(|name| half.remove_attribute(Place::Function, name));
        let options = VectorOptions { of_warp: false, ..self.options };
        let halves =
            in_groups(self.wide.module, half, Lanes { affine: &affine, kept: &[], options, width: WIDTH / 2 }).ok();
        let halves = halves.map(|made| made.group);
        if halves.is_none() {
            half.erase_global();
        }
        halves
    }
}

/// Freezes parameters. Unlike the position of a thread, a computed value may overflow between the threads of a group,
/// or be poison. Code assumes neither of a parameter.
fn freeze<'c>(function: Function<'c>, parameters: &[Value<'c>]) {
    let start = function.blocks()[0];
    let builder = Builder::before(start.instructions().next().expect("a block has a terminator"));
    for parameter in parameters {
        let frozen = builder.freeze(*parameter, "");
        parameter.replace_all_uses_with(frozen);
        frozen.set_operand(0, *parameter);
    }
}

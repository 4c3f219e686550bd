//! Numbers of panics in a module that is one of several parts of the device code.
//!
//! A part numbers its messages and locations from 1, so its code does not depend on the other parts. The code adds how
//! many messages and locations the parts before it have. These numbers are in two constants, whose values are known
//! when all parts are made. Until then, the optimiser must not use the initial value, so the constants are weak.

use crate::contract::panic_table::PanicCounts;
use crate::contract::symbols::{MESSAGES_BEFORE, PLACES_BEFORE};
use crate::llvm::{Builder, IntPredicate, Linkage, Module, Value};

/// The messages and locations that the numbers of a module's panics count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Numbering {
    /// The messages and locations of the program.
    #[default]
    OfProgram,
    /// Those of a part of the program.
    OfPart,
}

impl Numbering {
    /// The number of a message in the program.
    pub(super) fn message<'c>(self, module: &Module<'c>, builder: &Builder<'c>, number: Value<'c>) -> Value<'c> {
        self.in_program(module, builder, number, MESSAGES_BEFORE)
    }

    /// The number of a location in the program.
    pub(super) fn place<'c>(self, module: &Module<'c>, builder: &Builder<'c>, number: Value<'c>) -> Value<'c> {
        self.in_program(module, builder, number, PLACES_BEFORE)
    }

    /// A number with those before it; 0 remains 0, which is unknown.
    fn in_program<'c>(self, module: &Module<'c>, builder: &Builder<'c>, number: Value<'c>, before: &str) -> Value<'c> {
        let constant = number.as_u64();
        if self == Self::OfProgram || constant == Some(0) {
            return number;
        }
        let i32 = module.types().i32();
        let before = module.variable(before).unwrap_or_else(|| {
            let variable = module.add_variable(before, i32, 0);
            variable.set_initializer(Some(i32.zero()));
            variable.set_constant_global(true);
            variable.set_linkage(Linkage::WeakAny);
            variable.set_alignment(4);
            variable
        });
        let sum = builder.add(number, builder.load(i32, before, 4, ""), "");
        if constant.is_some() {
            return sum;
        }
        let is_unknown = builder.icmp(IntPredicate::Eq, number, i32.zero(), "");
        builder.select(is_unknown, number, sum, "")
    }
}

/// Gives the constants their values: how many messages and locations the parts before this one have.
pub fn number_panics(module: &Module<'_>, before: PanicCounts) {
    set_counts(module, before);
}

/// The same for a module that no stage works on.
pub fn set_counts(module: &Module<'_>, before: PanicCounts) {
    let values = [(MESSAGES_BEFORE, before.messages), (PLACES_BEFORE, before.places)];
    for (name, value) in values {
        let Some(variable) = module.variable(name) else { continue };
        variable.set_initializer(Some(variable.value_type().constant(value.into())));
        variable.set_linkage(Linkage::Internal);
        variable.set_unnamed_address();
    }
}

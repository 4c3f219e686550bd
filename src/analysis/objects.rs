//! The object that an access refers to, as far as its function shows it.

use std::collections::HashSet;

use crate::contract::builtin::SHARED_SECTION;
use crate::contract::kernel::{KernelSet, ParameterKind};
use crate::llvm::{Module, Opcode, Value};

/// An object.
pub enum Object<'c> {
    /// Memory that no other thread writes, at a known offset.
    Private,
    /// A local or a constant with this address and this size, at an offset that is not known.
    Bounded(Value<'c>, u64),
    /// Any other memory.
    Any,
}

/// Finds the objects of a module.
pub struct Objects<'m, 'c> {
    module: &'m Module<'c>,
    /// The parameters of kernels that are addresses of their arguments' bytes.
    arguments: HashSet<Value<'c>>,
}

impl<'m, 'c> Objects<'m, 'c> {
    /// Looks at the parameters of the kernels.
    pub fn new(module: &'m Module<'c>, kernels: &KernelSet) -> Self {
        let mut arguments = HashSet::new();
        for kernel in kernels.iter() {
            let Some(function) = module.function(&kernel.name) else { continue };
            for (index, (parameter, row)) in function.parameters().into_iter().zip(&kernel.parameters).enumerate() {
                if row.kind == ParameterKind::Block || function.byval_type(index as u32).is_some() {
                    arguments.insert(parameter);
                }
            }
        }
        Self { module, arguments }
    }

    /// The object that a pointer refers to.
    pub fn of(&self, pointer: Value<'c>) -> Object<'c> {
        let (mut base, mut is_known) = (pointer, true);
        loop {
            let opcode = if base.is_instruction() { Some(base.opcode()) } else { base.constant_opcode() };
            match opcode {
                Some(Opcode::GetElementPtr) => {
                    is_known &= base.operands()[1..].iter().all(|index| index.as_u64().is_some());
                    base = base.operand(0);
                }
                Some(Opcode::BitCast | Opcode::AddrSpaceCast) => base = base.operand(0),
                _ => break,
            }
        }
        if self.arguments.contains(&base) {
            return Object::Private;
        }
        let Some(size) = self.private_size(base) else { return Object::Any };
        if is_known { Object::Private } else { Object::Bounded(base, size) }
    }

    /// The size of a local or of a constant.
    fn private_size(&self, base: Value<'c>) -> Option<u64> {
        if base.is_instruction() {
            let count = base.is(Opcode::Alloca).then(|| base.operand(0).as_u64())??;
            return Some(count * base.allocated_type().alloc_size(self.module));
        }
        let is_constant = base.is_global_variable() && base.is_constant_global() && !base.is_declaration();
        let ours = is_constant && base.section() != SHARED_SECTION;
        ours.then(|| base.value_type().alloc_size(self.module))
    }
}

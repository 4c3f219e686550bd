//! Derives the constraints of [`super::points_to`] from the IR, for all code that the kernels reach.
//!
//! Integers of 64 bits and more count as pointers, since rustc's C convention passes slices as two of them and LLVM
//! copies memory in such pieces. Two assumptions are not in the IR: the host wrote the pointers among a kernel's
//! arguments and in their bytes, and it has addresses of global memory only; and device code calls no kernel.

use std::collections::{HashMap, HashSet};

use super::gep_offset::gep_offset;
use super::points_to::{ANYTHING, Constraint, LEAK, NUMBER, Node, ObjectId, Offset, PointsTo, UNDEFINED};
use super::reach::Reach;
use crate::analysis::entry_points::EntryPoints;
use crate::contract::address_space::{AddressSpaceMap, Role};
use crate::contract::symbols::RECORD;
use crate::llvm::{Function, Module, Opcode, Type, TypeKind, Value};

/// A struct with more fields than this has one node.
const MAX_FIELDS: usize = 8;
/// Narrower integers hold no pointer.
const POINTER_BITS: u32 = 64;

/// The objects that each pointer of a module may lead to.
pub(crate) struct PointerFlow<'a, 'c> {
    module: &'a Module<'c>,
    spaces: &'a AddressSpaceMap,
    solution: PointsTo,
    nodes: HashMap<(Value<'c>, usize), Node>,
    objects: HashMap<Value<'c>, ObjectId>,
    /// The functions that the kernels reach, in the order of [`Reach`].
    pub(crate) functions: Vec<Function<'c>>,
    /// The same functions, as a set.
    followed: HashSet<Function<'c>>,
}

impl<'a, 'c> PointerFlow<'a, 'c> {
    /// Analyses all code that the entry points reach.
    pub(crate) fn new(module: &'a Module<'c>, spaces: &'a AddressSpaceMap, entries: &EntryPoints<'c>) -> Self {
        let reached = Reach::new(&entries.functions).order;
        let functions = reached.iter().filter_map(|g| g.as_function());
        let functions: Vec<_> = functions.filter(|f| !f.is_declaration()).collect();
        let solution = PointsTo::new(spaces.of(Role::Generic), spaces.of(Role::Global));
        let (nodes, objects) = (HashMap::new(), HashMap::new());
        let followed = functions.iter().copied().collect();
        let mut flow = PointerFlow { module, spaces, solution, nodes, objects, functions, followed };
        for variable in reached.iter().filter(|g| g.is_global_variable()) {
            let object = flow.solution.memory(variable.ty().address_space());
            flow.objects.insert(*variable, object);
        }
        for variable in reached.iter().filter(|g| g.is_global_variable()) {
            flow.read_variable(*variable);
        }
        for function in flow.functions.clone() {
            flow.read_parameters(function, entries);
            function.instructions().collect::<Vec<_>>().into_iter().for_each(|i| flow.read(i));
        }
        flow.solution.solve();
        flow
    }

    /// The one address space that a value's pointer can lead to; none if there are several, or if only the generic one
    /// is known.
    pub(crate) fn space(&self, value: Value<'c>) -> Option<u32> {
        let node = *self.nodes.get(&(value, 0))?;
        self.solution.space(node, |space| self.spaces.is_flat(space)).filter(|s| *s != self.spaces.of(Role::Generic))
    }

    /// Reads the initializer of a static. The host, or any code that has its address, may write to a mutable static of
    /// device memory.
    fn read_variable(&mut self, variable: Value<'c>) {
        let object = self.objects[&variable];
        let shared = variable.ty().address_space() == self.spaces.of(Role::Shared);
        match variable.initializer() {
            Some(initializer) if variable.is_constant_global() => self.initialize(object, initializer, 0),
            _ if shared => {}
            _ => self.solution.escape(object),
        }
        if !variable.is_constant_global()
            && let Some(initializer) = variable.initializer()
        {
            let node = self.operand(initializer, 0);
            self.copy(LEAK, node);
        }
    }

    fn initialize(&mut self, object: ObjectId, value: Value<'c>, at: u64) {
        let ty = value.ty();
        let aggregate = matches!(ty.kind(), TypeKind::Struct | TypeKind::Array);
        if !aggregate {
            let (value, width) = (self.operand(value, 0), ty.store_size(self.module));
            self.solution.constrain(Constraint::Initialize { object, at: at as i64, width, value });
            return;
        }
        let element = ty.parts().first().map_or(0, |first| first.alloc_size(self.module));
        for (i, part) in value.operands().into_iter().enumerate() {
            let offset = match ty.kind() {
                TypeKind::Struct => ty.field_offset(self.module, i as u32),
                _ => element * i as u64,
            };
            self.initialize(object, part, at + offset);
        }
    }

    fn read_parameters(&mut self, function: Function<'c>, entries: &EntryPoints<'c>) {
        let kernel = entries.functions.contains(&function);
        let generic = self.spaces.of(Role::Generic);
        let called_only = function.has_local_linkage() && function.is_only_called();
        for (i, parameter) in function.parameters().into_iter().enumerate() {
            for field in 0..fields(parameter.ty()) {
                let node = self.node(parameter, field);
                if entries.arguments.contains(&parameter) {
                    let object = self.solution.arguments(parameter.ty().address_space());
                    self.solution.point(node, object);
                } else if kernel {
                    let placed = parameter.ty().is_pointer() && parameter.ty().address_space() != generic;
                    let space = if placed { parameter.ty().address_space() } else { self.spaces.of(Role::Global) };
                    let host = self.solution.any_in(space);
                    self.solution.point(node, host);
                } else if !called_only || function.byval_type(i as u32).is_some() {
                    self.copy(node, ANYTHING);
                }
            }
        }
        let result = function.function_type().result();
        for field in 0..if called_only { 0 } else { fields(result) } {
            let node = self.node(*function, field);
            self.copy(LEAK, node);
        }
    }

    /// The node of an instruction, of a parameter, or of the result of a function.
    fn node(&mut self, value: Value<'c>, field: usize) -> Node {
        let solution = &mut self.solution;
        *self.nodes.entry((value, field)).or_insert_with(|| solution.node())
    }

    /// The node of an operand.
    fn operand(&mut self, value: Value<'c>, field: usize) -> Node {
        if value.is_undef() {
            UNDEFINED
        } else if fields(value.ty()) == 0 {
            NUMBER
        } else if value.is_instruction() || value.is_argument() {
            self.node(value, field)
        } else if let Some(node) = self.nodes.get(&(value, field)) {
            *node
        } else {
            let node = self.constant(value, field);
            self.nodes.insert((value, field), node);
            node
        }
    }

    fn constant(&mut self, value: Value<'c>, field: usize) -> Node {
        if let Some(object) = self.objects.get(&value).copied() {
            let node = self.solution.node();
            self.solution.point(node, object);
            return node;
        }
        match value.constant_opcode() {
            Some(Opcode::AddrSpaceCast | Opcode::BitCast | Opcode::PtrToInt) => self.operand(value.operand(0), 0),
            Some(Opcode::IntToPtr) if value.operand(0).constant_opcode().is_none() => NUMBER,
            Some(Opcode::IntToPtr) => self.operand(value.operand(0), 0),
            Some(Opcode::GetElementPtr) => {
                let (from, by) = (self.operand(value.operand(0), 0), gep_offset(self.module, value));
                let node = self.solution.node();
                self.solution.constrain(Constraint::Copy { to: node, from, by });
                node
            }
            Some(_) => self.mixed(value),
            None if value.is_function() => NUMBER,
            None if value.is_global() => ANYTHING,
            None if value.ty().kind() == TypeKind::Struct && fields(value.ty()) > 1 => {
                value.operands().get(field).map_or(NUMBER, |part| self.operand(*part, 0))
            }
            None if value.operands().is_empty() => NUMBER,
            None => self.mixed(value),
        }
    }

    /// The node of a constant that is computed from others in a way that is not analysed.
    fn mixed(&mut self, value: Value<'c>) -> Node {
        let node = self.solution.node();
        self.copy(node, NUMBER);
        for part in value.operands() {
            for field in 0..fields(part.ty()) {
                let from = self.operand(part, field);
                self.copy(node, from);
            }
        }
        if value.constant_opcode().is_some() {
            self.copy(LEAK, node);
            self.copy(node, ANYTHING);
        }
        node
    }

    fn copy(&mut self, to: Node, from: Node) {
        self.solution.constrain(Constraint::Copy { to, from, by: Offset::exact(0) });
    }

    fn copy_fields(&mut self, to: Value<'c>, from: Value<'c>) {
        for field in 0..fields(to.ty()) {
            let (to, from) = (self.node(to, field), self.operand(from, field));
            self.copy(to, from);
        }
    }

    /// A value reaches code that is not analysed.
    fn leak(&mut self, value: Value<'c>) {
        for field in 0..fields(value.ty()) {
            let node = self.operand(value, field);
            self.copy(LEAK, node);
        }
    }

    fn anything(&mut self, value: Value<'c>) {
        self.copy_fields_from(value, ANYTHING);
    }

    fn copy_fields_from(&mut self, value: Value<'c>, from: Node) {
        for field in 0..fields(value.ty()) {
            let node = self.node(value, field);
            self.copy(node, from);
        }
    }

    fn read(&mut self, i: Value<'c>) {
        match i.opcode() {
            Opcode::Alloca => {
                let object = self.solution.memory(self.spaces.of(Role::Private));
                let node = self.node(i, 0);
                self.solution.point(node, object);
            }
            Opcode::AddrSpaceCast
            | Opcode::BitCast
            | Opcode::Freeze
            | Opcode::IntToPtr
            | Opcode::PtrToInt
            | Opcode::ZExt
            | Opcode::Trunc => self.read_cast(i),
            Opcode::GetElementPtr => {
                let (to, from, by) = (self.node(i, 0), self.operand(i.operand(0), 0), gep_offset(self.module, i));
                self.solution.constrain(Constraint::Copy { to, from, by });
            }
            Opcode::Load => self.read_load(i, i.operand(0)),
            Opcode::Store => self.read_store(i.operand(0), i.operand(1)),
            Opcode::AtomicRMW => {
                self.read_load(i, i.operand(0));
                self.read_store(i.operand(1), i.operand(0));
            }
            Opcode::AtomicCmpXchg => {
                self.read_store(i.operand(2), i.operand(0));
                let (address, width) = (self.operand(i.operand(0), 0), i.operand(2).ty().store_size(self.module));
                self.solution.constrain(Constraint::Load { to: LEAK, address, at: 0, width });
                self.anything(i);
            }
            Opcode::Phi => i.incoming().into_iter().for_each(|(value, _)| self.copy_fields(i, value)),
            Opcode::Select => [1, 2].into_iter().for_each(|n| self.copy_fields(i, i.operand(n))),
            Opcode::ExtractValue => self.read_extract(i),
            Opcode::InsertValue => self.read_insert(i),
            Opcode::ExtractElement => self.read_mix(i, &[i.operand(0)]),
            Opcode::InsertElement | Opcode::ShuffleVector => self.read_mix(i, &[i.operand(0), i.operand(1)]),
            Opcode::Ret => {
                for value in i.operands() {
                    self.copy_fields_to_result(i.function(), value);
                }
            }
            Opcode::Call => self.read_call(i),
            Opcode::ICmp | Opcode::FCmp | Opcode::Br | Opcode::Switch | Opcode::Unreachable => {}
            _ => self.read_arithmetic(i),
        }
    }

    fn copy_fields_to_result(&mut self, function: Function<'c>, value: Value<'c>) {
        for field in 0..fields(value.ty()) {
            let (to, from) = (self.node(*function, field), self.operand(value, field));
            self.copy(to, from);
        }
    }

    fn read_cast(&mut self, i: Value<'c>) {
        let from = i.operand(0);
        if fields(from.ty()) == 0 {
            self.anything(i);
        } else if fields(i.ty()) == 0 {
            self.leak(from);
        } else if i.is(Opcode::IntToPtr) && from.is_constant() && from.constant_opcode().is_none() {
            let node = self.node(i, 0);
            self.copy(node, NUMBER);
        } else {
            self.copy_fields(i, from);
        }
    }

    /// Loads each field separately. A value that is narrower than a pointer may be a part of one.
    fn read_load(&mut self, i: Value<'c>, address: Value<'c>) {
        let address = self.operand(address, 0);
        if fields(i.ty()) == 0 {
            let width = i.ty().store_size(self.module);
            self.solution.constrain(Constraint::Load { to: LEAK, address, at: 0, width });
        }
        for (field, at, width) in self.layout(i.ty()) {
            let to = self.node(i, field);
            self.solution.constrain(Constraint::Load { to, address, at, width });
        }
    }

    fn read_store(&mut self, value: Value<'c>, address: Value<'c>) {
        let address = self.operand(address, 0);
        if fields(value.ty()) == 0 {
            let width = value.ty().store_size(self.module);
            let value = if value.is_constant() || value.ty().int_width().is_none() { NUMBER } else { ANYTHING };
            self.solution.constrain(Constraint::Store { value, address, at: 0, width });
            return;
        }
        for (field, at, width) in self.layout(value.ty()) {
            let value = self.operand(value, field);
            self.solution.constrain(Constraint::Store { value, address, at, width });
        }
    }

    /// The fields of a type, with their offsets and widths in bytes.
    fn layout(&self, ty: Type<'c>) -> Vec<(usize, i64, u64)> {
        match fields(ty) {
            0 => Vec::new(),
            1 => vec![(0, 0, ty.store_size(self.module))],
            _ => {
                let field = |(i, part): (usize, Type<'c>)| {
                    (i, ty.field_offset(self.module, i as u32) as i64, part.store_size(self.module))
                };
                ty.parts().into_iter().enumerate().map(field).collect()
            }
        }
    }

    fn read_extract(&mut self, i: Value<'c>) {
        let aggregate = i.operand(0);
        let index = if fields(aggregate.ty()) > 1 { i.aggregate_indices()[0] as usize } else { 0 };
        let from = self.operand(aggregate, index);
        for field in 0..fields(i.ty()) {
            let to = self.node(i, field);
            self.copy(to, from);
        }
        if fields(i.ty()) == 0 {
            self.copy(LEAK, from);
        }
    }

    fn read_insert(&mut self, i: Value<'c>) {
        let (aggregate, element, indices) = (i.operand(0), i.operand(1), i.aggregate_indices());
        let count = fields(i.ty());
        for field in 0..count {
            let to = self.node(i, field);
            let here = count == 1 || field == indices[0] as usize;
            if !here || count == 1 || indices.len() > 1 {
                let from = self.operand(aggregate, field);
                self.copy(to, from);
            }
            for part in 0..if here { fields(element.ty()) } else { 0 } {
                let from = self.operand(element, part);
                self.copy(to, from);
            }
            if here && fields(element.ty()) == 0 {
                let narrow = element.ty().int_width().is_some() && !element.is_constant();
                self.copy(to, if narrow { ANYTHING } else { NUMBER });
            }
        }
    }

    /// All lanes of a vector have one node.
    fn read_mix(&mut self, i: Value<'c>, sources: &[Value<'c>]) {
        for source in sources {
            if fields(i.ty()) == 0 {
                self.leak(*source);
            } else if fields(source.ty()) == 0 {
                self.anything(i);
            } else {
                self.copy_fields(i, *source);
            }
        }
    }

    /// Arithmetic with a constant may move a pointer within its object. Any other arithmetic hides its object.
    fn read_arithmetic(&mut self, i: Value<'c>) {
        let operands = i.operands();
        let moving: Vec<_> = operands.iter().filter(|o| !o.is_constant()).collect();
        let floats = i.ty().kind() != TypeKind::Pointer && i.ty().int_width().is_none();
        match moving[..] {
            [one] if operands.len() <= 2 && fields(i.ty()) == 1 && fields(one.ty()) == 1 && !floats => {
                let (to, from) = (self.node(i, 0), self.operand(*one, 0));
                self.solution.constrain(Constraint::Copy { to, from, by: Offset::ANY });
            }
            _ => {
                operands.iter().for_each(|operand| self.leak(*operand));
                // The result of arithmetic with floats is no pointer.
                match i.ty().kind() {
                    TypeKind::Double => self.copy_fields_from(i, NUMBER),
                    _ => self.anything(i),
                }
            }
        }
    }

    fn read_call(&mut self, call: Value<'c>) {
        let callee = call.called_function();
        let arguments = call.arguments();
        match callee {
            Some(f) if f.is_intrinsic() => self.read_intrinsic(call, &f.name(), &arguments),
            Some(f) if self.follows(f) && call.is_plain_call_of(f) => {
                // The record of a panic is for the host: no device code reads it.
                let followed = if f.name() == RECORD { 1 } else { arguments.len() };
                for (parameter, argument) in f.parameters().into_iter().zip(arguments).take(followed) {
                    self.copy_fields(parameter, argument);
                }
                for field in 0..fields(call.ty()) {
                    let (to, from) = (self.node(call, field), self.node(*f, field));
                    self.copy(to, from);
                }
            }
            _ => self.read_unknown_call(call, &arguments),
        }
    }

    /// Whether the body of a function is analysed.
    fn follows(&self, function: Function<'c>) -> bool {
        self.followed.contains(&function)
    }

    fn read_unknown_call(&mut self, call: Value<'c>, arguments: &[Value<'c>]) {
        arguments.iter().for_each(|argument| self.leak(*argument));
        self.anything(call);
    }

    fn read_intrinsic(&mut self, call: Value<'c>, name: &str, arguments: &[Value<'c>]) {
        let is =
            |names: &[&str]| names.iter().any(|base| name.strip_prefix("llvm.").is_some_and(|n| n.starts_with(base)));
        if is(&["memcpy", "memmove"]) {
            let (to, from) = (self.operand(arguments[0], 0), self.operand(arguments[1], 0));
            self.solution.constrain(Constraint::CopyMemory { to, from });
        } else if is(&["memset"]) {
            let address = self.operand(arguments[0], 0);
            let width = arguments[2].as_u64().unwrap_or(1 << 40);
            self.solution.constrain(Constraint::Store { value: NUMBER, address, at: 0, width });
        } else if is(&["launder.invariant", "strip.invariant", "ptrmask", "ssa.copy", "expect"]) {
            for field in 0..fields(call.ty()) {
                let (to, from) = (self.node(call, field), self.operand(arguments[0], field));
                self.solution.constrain(Constraint::Copy { to, from, by: Offset::ANY });
            }
        } else if !is(&["lifetime.", "assume", "dbg.", "prefetch", "invariant.", "experimental.noalias"]) {
            self.read_unknown_call(call, arguments);
        }
    }
}

/// The number of nodes that a value of a type has, one for each field; none if it cannot contain a pointer.
fn fields(ty: Type<'_>) -> usize {
    match ty.kind() {
        TypeKind::Pointer | TypeKind::Double => 1,
        TypeKind::Integer => usize::from(ty.int_width().is_some_and(|width| width >= POINTER_BITS)),
        TypeKind::Vector | TypeKind::Array => 1,
        TypeKind::Struct => match ty.parts().len() {
            count if count <= MAX_FIELDS => count,
            _ => 1,
        },
        _ => 0,
    }
}

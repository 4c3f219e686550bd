//! For the rows "FFT" for each thread and "Keccak": arrays of the threads, with the same element of all threads side by
//! side.
//!
//! Each thread of a group has its own array, such as the points of a transform. If one array lay after the other, an
//! element of all threads would be gathered. So their first elements lie side by side, then their second ones, and so
//! on, and an access to the same place by all threads is one of a vector. This is done in the code of one thread,
//! before it is widened: the start of its array is a call of a function that exists only until the end of `vectorize`,
//! and everything that is added to it is multiplied by the number of threads. Scalar code finds its
//! elements by the same addresses.
//!
//! All accesses have to be of one size, or of twice that: a complex number is copied as an integer of 64 bits. Copies
//! become accesses of elements.

use crate::analysis::effects::is_ordered;
use crate::analysis::locals::is_copy;
use crate::llvm::{Attribute, Builder, Function, IntPredicate, Module, Opcode, Place, Type, Value};
use crate::spmd::facts::affine_sum::Sum;
use crate::spmd::facts::divergence::Plan;
use crate::spmd::facts::markers::START;
use crate::spmd::facts::shape::is_element;
use crate::spmd::options::VectorOptions;
use crate::spmd::tuning::{COPIED_AT_ONCE, COPIED_ELEMENTS};

/// The arrays of a thread.
pub(crate) fn of_thread<'c>(function: Function<'c>) -> Vec<Value<'c>> {
    function.blocks()[0].instructions().filter(|i| i.is_fixed_alloca()).collect()
}

/// Erases the function, of which nothing that is executed has a call.
pub(crate) fn erase_starts(module: &Module<'_>) {
    if let Some(function) = module.function(START) {
        for call in function.users() {
            call.replace_all_uses_with(call.operand(0));
            call.erase();
        }
        function.erase_global();
    }
}

/// Puts the elements of all threads side by side, in the arrays of `function` that all threads access at the same
/// places.
pub(crate) fn put_side_by_side<'c>(
    module: &Module<'c>,
    function: Function<'c>,
    plan: &Plan<'_, 'c>,
    options: VectorOptions,
) {
    let agrees = |array: &Array<'c>| {
        let own = plan.shapes.of(array.alloca);
        array.accesses.iter().all(|(_, pointer)| plan.shapes.of(*pointer) == own)
    };
    let arrays = of_thread(function).into_iter().filter_map(|alloca| Array::of(module, alloca)).filter(agrees);
    for alloca in arrays.map(|array| array.alloca).collect::<Vec<_>>() {
        // A copy from one to the other has become accesses.
        let Some(array) = Array::of(module, alloca) else { continue };
        let layout = Layout { module, size: array.size, width: plan.shapes.width().into() };
        array.lay_out(&layout, if options.long_vectors { 32 } else { 16 });
    }
}

/// An array, and its accesses with their addresses.
struct Array<'c> {
    alloca: Value<'c>,
    /// The bytes of an element.
    size: u64,
    accesses: Vec<(Value<'c>, Value<'c>)>,
}

impl<'c> Array<'c> {
    /// None if it is not accessed element by element.
    fn of(module: &Module<'c>, alloca: Value<'c>) -> Option<Self> {
        let (mut accesses, mut pointers) = (Vec::new(), vec![alloca]);
        while let Some(pointer) = pointers.pop() {
            for user in pointer.users() {
                match user.opcode() {
                    Opcode::GetElementPtr if user.operand(0) == pointer => pointers.push(user),
                    Opcode::Load if !is_ordered(user) => accesses.push((user, pointer)),
                    Opcode::Store if !is_ordered(user) && user.operand(0) != pointer => accesses.push((user, pointer)),
                    Opcode::Call if is_copy(user) => accesses.push((user, pointer)),
                    _ => return None,
                }
            }
        }
        let types = accesses.iter().filter_map(|(access, _)| accessed(*access));
        let size = types.map(|ty| ty.store_size(module)).min()?;
        let array = Array { alloca, size, accesses };
        let fits = |(access, pointer): &(Value<'c>, Value<'c>)| {
            let is_once = array.accesses.iter().filter(|(other, _)| other == access).count() == 1;
            is_once && array.has_parts(module, *access) && array.is_at_element(module, *pointer)
        };
        (matches!(size, 1 | 2 | 4 | 8) && array.accesses.iter().all(fits)).then_some(array)
    }

    /// Whether an access is one of whole elements.
    fn has_parts(&self, module: &Module<'c>, access: Value<'c>) -> bool {
        match accessed(access) {
            Some(ty) if !is_element(ty) => false,
            Some(ty) => {
                let size = ty.store_size(module);
                size == self.size || size == 2 * self.size && !ty.is_pointer()
            }
            None => {
                let arguments = access.arguments();
                let is_set = is_set(access);
                let is_known = !is_set || arguments[1].as_u64().is_some();
                is_known
                    && arguments[3].as_u64() == Some(0)
                    && arguments[2].as_u64().is_some_and(|bytes| bytes.is_multiple_of(self.size))
            }
        }
    }

    /// Whether an address is certainly that of an element.
    fn is_at_element(&self, module: &Module<'c>, pointer: Value<'c>) -> bool {
        let mut address = Sum::default();
        let is_multiple = |number: i64| (number as u64).is_multiple_of(self.size);
        let is_own = |value: Value<'c>, factor: i64| value == self.alloca && factor == 1;
        address.add(module, pointer, 1).is_some()
            && is_multiple(address.constant)
            && address.terms.iter().any(|(value, _, factor)| is_own(*value, *factor))
            && address.terms.iter().all(|(value, _, factor)| is_own(*value, *factor) || is_multiple(*factor))
    }

    /// Replaces it by memory for all threads.
    fn lay_out(&self, layout: &Layout<'_, 'c>, align: u32) {
        let Layout { module, size, width } = *layout;
        let builder = Builder::before(self.alloca);
        let count = self.alloca.operand(0).as_u64().unwrap_or(1);
        let bytes = (count * self.alloca.allocated_type().alloc_size(module)).next_multiple_of(size);
        // An address one element past the end is in bounds, for the last thread too.
        let memory = builder.alloca(module.types().i8().array((bytes + size) * width), "");
        memory.set_alignment(align);
        let (pointer, i64) = (memory.ty(), module.types().i64());
        let start = module.declare(START, pointer.function(&[pointer, i64]));
        for name in ["nounwind", "willreturn"] {
            start.mark(name);
        }
        start.add_attribute(Place::Function, &Attribute::Enum("memory", 0));
        layout.rebase(self.alloca, builder.call(start, &[memory, i64.constant(size)], ""));
        self.alloca.erase();
    }
}

fn is_set(copy: Value<'_>) -> bool {
    copy.called_intrinsic().is_some_and(|intrinsic| intrinsic.name().starts_with("llvm.memset."))
}

/// The type that a load or a store accesses.
fn accessed(access: Value<'_>) -> Option<Type<'_>> {
    match access.opcode() {
        Opcode::Load => Some(access.ty()),
        Opcode::Store => Some(access.operand(0).ty()),
        _ => None,
    }
}

/// How the elements of all threads lie in memory.
struct Layout<'m, 'c> {
    module: &'m Module<'c>,
    /// The bytes of an element.
    size: u64,
    /// The number of threads.
    width: u64,
}

impl<'c> Layout<'_, 'c> {
    /// Lets everything that uses the address `old` use `new`, where a thread's elements are `width` elements apart.
    fn rebase(&self, old: Value<'c>, new: Value<'c>) {
        for user in old.users() {
            let builder = Builder::before(user);
            builder.locate_as(user);
            match user.opcode() {
                Opcode::GetElementPtr => {
                    self.rebase(user, self.moved(&builder, user, new));
                    user.erase();
                }
                Opcode::Load if user.ty().store_size(self.module) == self.size => self.access(user, 0, new),
                Opcode::Load => {
                    user.replace_all_uses_with(self.load_both(&builder, user, new));
                    user.erase();
                }
                Opcode::Store if user.operand(0).ty().store_size(self.module) == self.size => self.access(user, 1, new),
                Opcode::Store => {
                    self.store_both(&builder, user, new);
                    user.erase();
                }
                _ => {
                    self.expand(user, old, new);
                    user.erase();
                }
            }
        }
    }

    /// Lets a load or a store of an element use its new address. This is aligned as an element is, perhaps not as the
    /// array was.
    fn access(&self, access: Value<'c>, place: u32, address: Value<'c>) {
        access.set_operand(place, address);
        access.set_alignment(access.alignment().min(self.size as u32));
    }

    /// The address of an element, counted from `start`, where a thread's elements are this many bytes apart.
    fn element(&self, builder: &Builder<'c>, start: Value<'c>, number: Value<'c>, bytes: u64) -> Value<'c> {
        builder.gep(self.module.types().i8().array(bytes), start, &[number], "")
    }

    /// The address that a `getelementptr` computes, from `new`.
    fn moved(&self, builder: &Builder<'c>, gep: Value<'c>, new: Value<'c>) -> Value<'c> {
        let (mut ty, mut at) = (gep.gep_source_type(), new);
        for (number, index) in gep.operands()[1..].iter().enumerate() {
            if number > 0 {
                ty = ty.parts()[0];
            }
            if index.as_u64() != Some(0) {
                gep.set_operand(0, at);
                let step = self.module.types().i8().array(ty.alloc_size(self.module) * self.width);
                at = builder.gep_like(gep, step, &[*index]);
            }
        }
        at
    }

    /// The two elements that a load takes as one number.
    fn load_both(&self, builder: &Builder<'c>, load: Value<'c>, new: Value<'c>) -> Value<'c> {
        let bits = 8 * self.size as u32;
        let (one, both) = (self.module.types().int(bits), self.module.types().int(2 * bits));
        let part = |number: u64| {
            let address = self.element(builder, new, both.types().i64().constant(number), self.size * self.width);
            let part = builder.load(one, address, load.alignment().min(self.size as u32), "");
            builder.cast(Opcode::ZExt, part, both, "")
        };
        let (low, high) = (part(0), part(1));
        let whole =
            builder.binary(Opcode::Or, builder.binary(Opcode::Shl, high, both.constant(bits.into()), ""), low, "");
        if load.ty() == both { whole } else { builder.cast(Opcode::BitCast, whole, load.ty(), "") }
    }

    fn store_both(&self, builder: &Builder<'c>, store: Value<'c>, new: Value<'c>) {
        let bits = 8 * self.size as u32;
        let (one, both) = (self.module.types().int(bits), self.module.types().int(2 * bits));
        let value = store.operand(0);
        let whole = if value.ty() == both { value } else { builder.cast(Opcode::BitCast, value, both, "") };
        let high = builder.binary(Opcode::LShr, whole, both.constant(bits.into()), "");
        for (number, part) in (0..).zip([whole, high]) {
            let address = self.element(builder, new, both.types().i64().constant(number), self.size * self.width);
            let part = builder.cast(Opcode::Trunc, part, one, "");
            builder.store(part, address, store.alignment().min(self.size as u32));
        }
    }

    /// Copies or sets elements one by one.
    fn expand(&self, copy: Value<'c>, old: Value<'c>, new: Value<'c>) {
        let arguments = copy.arguments();
        let count = arguments[2].as_u64().unwrap_or(0) / self.size;
        let i64 = self.module.types().i64();
        let at_once = if count.is_multiple_of(COPIED_AT_ONCE) { COPIED_AT_ONCE } else { 1 };
        if count > COPIED_ELEMENTS {
            each(copy, count, at_once, |builder, number| {
                let numbers = (0..at_once).map(|more| builder.add(number, i64.constant(more), ""));
                self.copy(builder, copy, [old, new], &numbers.collect::<Vec<_>>());
            });
            return;
        }
        let builder = Builder::before(copy);
        builder.locate_as(copy);
        let numbers: Vec<_> = (0..count).map(|number| i64.constant(number)).collect();
        numbers.chunks(COPIED_AT_ONCE as usize).for_each(|some| self.copy(&builder, copy, [old, new], some));
    }

    /// Copies or sets the elements with these numbers.
    fn copy(&self, builder: &Builder<'c>, copy: Value<'c>, [old, new]: [Value<'c>; 2], numbers: &[Value<'c>]) {
        let arguments = copy.arguments();
        let ty = self.module.types().int(8 * self.size as u32);
        let address = |place: u32, number: Value<'c>| match arguments[place as usize] == old {
            true => self.element(builder, new, number, self.size * self.width),
            false => self.element(builder, arguments[place as usize], number, self.size),
        };
        let align = |place: u32| {
            let align = copy.attribute_value(Place::Parameter(place), "align").unwrap_or(1);
            align.min(self.size) as u32
        };
        let values: Vec<_> = match is_set(copy) {
            true => {
                let byte = arguments[1].as_u64().unwrap_or(0) & 0xff;
                vec![ty.constant((byte * 0x0101_0101_0101_0101) >> (64 - 8 * self.size)); numbers.len()]
            }
            false => numbers.iter().map(|n| builder.load(ty, address(1, *n), align(1), "")).collect(),
        };
        for (number, value) in numbers.iter().zip(values) {
            builder.store(value, address(0, *number), align(0));
        }
    }
}

/// Inserts a loop in front of an instruction, whose numbers are 0, `step`, … below `count`.
fn each<'c>(before: Value<'c>, count: u64, step: u64, body: impl FnOnce(&Builder<'c>, Value<'c>)) {
    let head = before.block();
    let behind = before.split_block("behind");
    let again = behind.insert_before("elements");
    let (entering, i64) = (head.terminator().expect("it was split"), before.types().i64());
    Builder::before(entering).br(again);
    entering.erase();
    let builder = Builder::at_end(again);
    builder.locate_as(before);
    let number = builder.phi(i64, "");
    body(&builder, number);
    let next = builder.add(number, i64.constant(step), "");
    number.add_incoming(i64.zero(), head);
    number.add_incoming(next, again);
    let goes_on = builder.icmp(IntPredicate::Ult, next, i64.constant(count), "");
    builder.cond_br(goes_on, again, behind);
}

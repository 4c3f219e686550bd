//! Operations that threads execute under a mask, while a function is flattened (`flatten.rs`) and widened.
//!
//! They are calls of functions that exist only until the end of `vectorize`: "whether any thread is in the mask", and
//! loads and stores of the threads in it. In the code of several threads, they become operations on vectors. In the
//! code of one thread, they become branches again.

use super::wide::Wide;
use super::widening::Widening;
use crate::llvm::{Attribute, Builder, Function, IntPredicate, Module, Opcode, Place, Type, TypeKind, Value};
use crate::spmd::facts::markers::{MASKED, Masked};
use crate::spmd::facts::shape::{Shape, is_element};

/// Whether any thread is in a mask.
pub(crate) fn any<'c>(module: &Module<'c>, builder: &Builder<'c>, mask: Value<'c>) -> Value<'c> {
    let i1 = module.types().i1();
    builder.call(module.declare(&format!("{MASKED}any"), i1.function(&[i1])), &[mask], "")
}

/// The condition of a branch to a part in which values are assumed to be affine. It is true.
pub(crate) fn assumed<'c>(module: &Module<'c>, builder: &Builder<'c>) -> Value<'c> {
    let i1 = module.types().i1();
    builder.call(module.declare(&format!("{MASKED}assumed"), i1.function(&[])), &[], "")
}

/// The same load by the threads in a mask; poison for all others.
pub(crate) fn load<'c>(module: &Module<'c>, builder: &Builder<'c>, load: Value<'c>, mask: Value<'c>) -> Value<'c> {
    let (ty, address) = (load.ty(), load.operand(0));
    let name = format!("{MASKED}load.{}", suffix(ty));
    let callee = module.declare(&name, ty.function(&[address.ty(), mask.ty()]));
    let call = builder.call(callee, &[address, mask], "");
    call.add_attribute(Place::Parameter(0), &Attribute::Enum("align", load.alignment().into()));
    call
}

/// The same store by the threads in a mask.
pub(crate) fn store<'c>(module: &Module<'c>, builder: &Builder<'c>, store: Value<'c>, mask: Value<'c>) {
    let (value, address) = (store.operand(0), store.operand(1));
    let name = format!("{MASKED}store.{}", suffix(value.ty()));
    let ty = module.types().void().function(&[value.ty(), address.ty(), mask.ty()]);
    let call = builder.call(module.declare(&name, ty), &[value, address, mask], "");
    call.add_attribute(Place::Parameter(1), &Attribute::Enum("align", store.alignment().into()));
}

/// Whether memory of this type is accessed under a mask.
pub(crate) fn is_accessible(ty: Type<'_>) -> bool {
    is_element(ty) && ty.int_width() != Some(1)
}

fn suffix(ty: Type<'_>) -> String {
    match ty.kind() {
        TypeKind::Half => "f16".to_owned(),
        TypeKind::Float => "f32".to_owned(),
        TypeKind::Double => "f64".to_owned(),
        TypeKind::Pointer => "ptr".to_owned(),
        _ => format!("i{}", ty.int_width().unwrap_or(0)),
    }
}

/// Makes branches of the calls that are left, which are in the code of one thread, and erases the declarations.
pub(crate) fn lower_to_branches(module: &Module<'_>) {
    for function in module.functions().into_iter().filter(|f| f.name().starts_with(MASKED)) {
        for call in function.users() {
            match Masked::of(call) {
                Some(Masked::Any) => call.replace_all_uses_with(call.operand(0)),
                Some(Masked::Assumed) => call.replace_all_uses_with(call.ty().constant(1)),
                Some(Masked::Load) => {
                    let loaded = on_branch(call, call.operand(1), |builder| {
                        Some(builder.load(call.ty(), call.operand(0), alignment(call, 0), ""))
                    });
                    call.replace_all_uses_with(loaded.expect("a load has a value"));
                }
                Some(Masked::Store) => {
                    on_branch(call, call.operand(2), |builder| {
                        builder.store(call.operand(0), call.operand(1), alignment(call, 1));
                        None
                    });
                }
                None => continue,
            }
            call.erase();
        }
        function.erase_global();
    }
}

fn alignment(call: Value<'_>, parameter: u32) -> u32 {
    call.attribute_value(Place::Parameter(parameter), "align").unwrap_or(1) as u32
}

/// Executes something before a call if a condition holds. Returns its value, which is poison otherwise.
fn on_branch<'c>(
    call: Value<'c>,
    condition: Value<'c>,
    execute: impl FnOnce(&Builder<'c>) -> Option<Value<'c>>,
) -> Option<Value<'c>> {
    let head = call.block();
    let tail = call.split_block("behind");
    let body = tail.insert_before("masked");
    let builder = Builder::at_end(body);
    builder.locate_as(call);
    let value = execute(&builder);
    builder.br(tail);
    let end = head.terminator().expect("it was split");
    Builder::before(end).cond_br(condition, body, tail);
    end.erase();
    let value = value?;
    let phi = Builder::at_start(tail).phi(value.ty(), "");
    phi.add_incoming(value, body);
    phi.add_incoming(value.ty().poison(), head);
    Some(phi)
}

impl<'c> Widening<'_, '_, 'c> {
    /// Widens an operation under a mask. The result is the value that it defines, if any.
    pub(crate) fn masked(&mut self, operation: Masked, call: Value<'c>) -> Option<Wide<'c>> {
        let mask = |widening: &mut Self, number: u32| {
            let mask = widening.get(call.operand(number));
            widening.wide.vector(&mask)
        };
        match operation {
            Masked::Any => Some(Wide::Same(match self.get(call.operand(0)) {
                Wide::Same(value) => value,
                value => {
                    let bits = self.builder().bits(self.wide.vector(&value));
                    self.builder().icmp(IntPredicate::Ne, bits, bits.ty().zero(), "")
                }
            })),
            Masked::Assumed => Some(Wide::Same(call.ty().constant(1))),
            Masked::Load => {
                let (address, align) = (call.operand(0), alignment(call, 0));
                if self.plan.shapes.of(address) == Shape::Uniform {
                    // Code with loads is reached only if some thread is in its mask.
                    let address = self.get(address);
                    return Some(Wide::Same(self.builder().load(
                        call.ty(),
                        self.wide.of_thread(&address, 0),
                        align,
                        "",
                    )));
                }
                let (mask, ty) = (mask(self, 1), call.ty().vector(self.wide.width));
                let (name, address) = self.addresses("load", "gather", address, call.ty());
                let intrinsic = self.wide.module.intrinsic(name, &[ty, address.ty()]);
                Some(Wide::Vector(self.call_masked(intrinsic, &[address, mask, ty.poison()], 0, align)))
            }
            Masked::Store => {
                let (value, align) = (self.get(call.operand(0)), alignment(call, 1));
                let (value, mask) = (self.wide.vector(&value), mask(self, 2));
                let size = call.operand(0).ty().store_size(self.wide.module) as i64;
                if !self.options.scatters && self.plan.shapes.of(call.operand(1)) != Shape::Affine(size) {
                    let addresses = self.get(call.operand(1));
                    self.store_each(value, &addresses, mask, align);
                    return None;
                }
                let (name, address) = self.addresses("store", "scatter", call.operand(1), call.operand(0).ty());
                let intrinsic = self.wide.module.intrinsic(name, &[value.ty(), address.ty()]);
                self.call_masked(intrinsic, &[value, address, mask], 1, align);
                None
            }
        }
    }

    /// Stores of single threads. One that is not in the mask stores to a place that nothing reads: LLVM would make a
    /// branch for each thread, of which a processor mispredicts many if the mask depends on data.
    fn store_each(&mut self, value: Value<'c>, addresses: &Wide<'c>, mask: Value<'c>, align: u32) {
        let elsewhere = self.elsewhere();
        let bits = self.builder().bits(mask);
        for thread in 0..self.wide.width {
            let address = self.wide.of_thread(addresses, thread);
            let builder = self.builder();
            let bit = builder.binary(Opcode::And, bits, bits.ty().constant(1 << thread), "");
            let is_in = builder.icmp(IntPredicate::Ne, bit, bits.ty().zero(), "");
            let element = builder.extract_element(value, self.wide.number(thread), "");
            builder.store(element, builder.select(is_in, address, elsewhere, ""), align.min(8));
        }
    }

    /// A place that nothing reads, for one element. LLVM would make branches of stores to a variable that it knows.
    fn elsewhere(&mut self) -> Value<'c> {
        let (entry, module) = (&self.entry, self.wide.module);
        *self.elsewhere.get_or_insert_with(|| {
            let place = entry.alloca(module.types().i64(), "elsewhere");
            entry.pure_assembly(place.ty(), "", "=r,0", &[place])
        })
    }

    /// The intrinsic for an access, and its address or addresses.
    fn addresses(
        &mut self,
        consecutive: &str,
        other: &str,
        address: Value<'c>,
        ty: Type<'c>,
    ) -> (&'static str, Value<'c>) {
        let size = ty.store_size(self.wide.module) as i64;
        let is_consecutive = self.plan.shapes.of(address) == Shape::Affine(size);
        let value = self.get(address);
        match (is_consecutive, consecutive, other) {
            (true, "load", _) => ("llvm.masked.load", self.wide.of_thread(&value, 0)),
            (true, ..) => ("llvm.masked.store", self.wide.of_thread(&value, 0)),
            (false, _, "gather") => ("llvm.masked.gather", self.wide.vector(&value)),
            (false, ..) => ("llvm.masked.scatter", self.wide.vector(&value)),
        }
    }

    /// A call of one of LLVM's masked accesses. Newer versions of LLVM have the alignment as an attribute of the
    /// address, older ones as an argument after it.
    fn call_masked(&self, intrinsic: Function<'c>, arguments: &[Value<'c>], address: u32, align: u32) -> Value<'c> {
        let mut arguments = arguments.to_vec();
        let is_argument = intrinsic.parameters().len() > arguments.len();
        if is_argument {
            arguments.insert(address as usize + 1, self.wide.module.types().i32().constant(align.into()));
        }
        let call = self.builder().call(intrinsic, &arguments, "");
        if !is_argument {
            call.add_attribute(Place::Parameter(address), &Attribute::Enum("align", align.into()));
        }
        call
    }
}

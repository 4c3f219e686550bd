//! The device contract's atomics: functions for operations that Rust's atomics do not have, with a narrower scope or on
//! floats. Their parameters are those of clang's `__scoped_atomic_*`.
//!
//! ```c
//! T    __offload_atomic_load_T(const T *at, uint32_t ordering, uint32_t scope);
//! void __offload_atomic_store_T(T *at, T value, uint32_t ordering, uint32_t scope);
//! T    __offload_atomic_OPERATION_T(T *at, T value, uint32_t ordering, uint32_t scope);
//! T    __offload_atomic_compare_exchange_T(T *at, T expected, T value, uint32_t success, uint32_t failure, uint32_t scope);
//! void __offload_atomic_fence(uint32_t ordering, uint32_t scope);
//! ```

use crate::llvm::{AtomicOperation, Module, Ordering, Type, Value};

/// The prefix of their names.
const PREFIX: &str = "__offload_atomic_";

/// The threads that agree about an atomic access, widest first. The numbers are clang's `__MEMORY_SCOPE_*`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All devices and the host.
    System,
    /// The threads of this device.
    Device,
    /// The threads of this block.
    Block,
    /// The lanes of this warp.
    Warp,
    /// This thread only.
    Thread,
}

/// Every scope, by number.
pub const SCOPES: [Scope; 5] = [Scope::System, Scope::Device, Scope::Block, Scope::Warp, Scope::Thread];

impl Scope {
    /// The name of the scope in the neutral device module.
    pub fn neutral(self) -> &'static str {
        match self {
            Scope::System => "",
            Scope::Device => "device",
            Scope::Block => "workgroup",
            Scope::Warp => "subgroup",
            Scope::Thread => "singlethread",
        }
    }

    /// The scope of an atomic instruction in the neutral device module. A scope with an unknown name is the widest.
    pub fn of(instruction: Value<'_>) -> Scope {
        SCOPES.into_iter().find(|scope| instruction.has_scope(scope.neutral())).unwrap_or(Scope::System)
    }
}

/// The ordering with this number of C's `memory_order`.
pub fn ordering(number: u64) -> Option<Ordering> {
    match number {
        0 => Some(Ordering::Monotonic),
        2 => Some(Ordering::Acquire),
        3 => Some(Ordering::Release),
        4 => Some(Ordering::AcquireRelease),
        5 => Some(Ordering::SequentiallyConsistent),
        _ => None,
    }
}

/// The number of an ordering in C's `memory_order`.
pub fn number_of_ordering(ordering: Ordering) -> u64 {
    (0..6).find(|number| self::ordering(*number) == Some(ordering)).unwrap_or(0)
}

/// The operation of an atomic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Operation {
    /// Returns the value in memory.
    Load,
    /// Stores a value.
    Store,
    /// Stores the result of an operation with the value in memory, and returns the previous value.
    Update(AtomicOperation),
    /// Stores a value if another one is in memory, and returns the previous value.
    CompareExchange,
    /// Orders other accesses.
    Fence,
}

/// The type of the accessed value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// An integer with this width.
    Integer(u32),
    /// `f32`.
    Float,
    /// `f64`.
    Double,
}

/// An atomic of the contract.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AtomicBuiltin {
    /// Its operation.
    pub operation: Operation,
    /// The value's type; a fence has none.
    element: Option<Element>,
}

impl AtomicBuiltin {
    /// The atomic with this symbol.
    pub fn named(symbol: &str) -> Option<Self> {
        let rest = symbol.strip_prefix(PREFIX)?;
        if rest == "fence" {
            return Some(AtomicBuiltin { operation: Operation::Fence, element: None });
        }
        let (operation, ty) = rest.rsplit_once('_')?;
        let (element, signed) = element(ty)?;
        let operation = self::operation(operation, element, signed)?;
        Some(AtomicBuiltin { operation, element: Some(element) })
    }

    /// Whether a symbol has the prefix but is not an atomic.
    pub fn is_misspelt(symbol: &str) -> bool {
        symbol.starts_with(PREFIX) && Self::named(symbol).is_none()
    }

    /// Its function type in a module's context.
    pub fn function_type<'c>(&self, module: &Module<'c>) -> Type<'c> {
        let types = module.types();
        let (void, number) = (types.void(), types.i32());
        let (pointer, value) = (types.ptr(0), self.value_type(module));
        match self.operation {
            Operation::Load => value.function(&[pointer, number, number]),
            Operation::Store => void.function(&[pointer, value, number, number]),
            Operation::Update(_) => value.function(&[pointer, value, number, number]),
            Operation::CompareExchange => value.function(&[pointer, value, value, number, number, number]),
            Operation::Fence => void.function(&[number, number]),
        }
    }

    /// The type of the value; `void` for a fence.
    pub fn value_type<'c>(&self, module: &Module<'c>) -> Type<'c> {
        let types = module.types();
        match self.element {
            None => types.void(),
            Some(Element::Integer(bits)) => types.int(bits),
            Some(Element::Float) => types.float(),
            Some(Element::Double) => types.double(),
        }
    }

    /// The number of operands before the orderings and the scope.
    pub fn values(&self) -> usize {
        match self.operation {
            Operation::Fence => 0,
            Operation::Load => 1,
            Operation::Store | Operation::Update(_) => 2,
            Operation::CompareExchange => 3,
        }
    }

    /// Whether LLVM has the operation with these orderings: one, or those of success and failure.
    pub fn allows(&self, orderings: &[Ordering]) -> bool {
        use Ordering::*;
        let acquires = |o: &Ordering| !matches!(o, Release | AcquireRelease);
        let releases = |o: &Ordering| !matches!(o, Acquire | AcquireRelease);
        match self.operation {
            Operation::Load => orderings.iter().all(acquires),
            Operation::Store => orderings.iter().all(releases),
            Operation::Update(_) => true,
            Operation::CompareExchange => orderings.iter().skip(1).all(acquires),
            Operation::Fence => !orderings.contains(&Monotonic),
        }
    }
}

/// The type with this name in symbols, which are Rust's names, and whether it is signed.
fn element(name: &str) -> Option<(Element, bool)> {
    let bits =
        |digits: &str| digits.parse().ok().filter(|bits| [8, 16, 32, 64].contains(bits) && !digits.starts_with('+'));
    match name.split_at_checked(1)? {
        _ if name == "f32" => Some((Element::Float, true)),
        _ if name == "f64" => Some((Element::Double, true)),
        ("u", digits) => Some((Element::Integer(bits(digits)?), false)),
        ("i", digits) => Some((Element::Integer(bits(digits)?), true)),
        _ => None,
    }
}

fn operation(name: &str, element: Element, signed: bool) -> Option<Operation> {
    use AtomicOperation::*;
    let update = match (name, matches!(element, Element::Integer(_)), signed) {
        ("load", ..) => return Some(Operation::Load),
        ("store", ..) => return Some(Operation::Store),
        ("compare_exchange", ..) => return Some(Operation::CompareExchange),
        ("exchange", ..) => Xchg,
        ("add", true, _) => Add,
        ("sub", true, _) => Sub,
        ("and", true, _) => And,
        ("or", true, _) => Or,
        ("xor", true, _) => Xor,
        ("max", true, true) => Max,
        ("max", true, false) => UMax,
        ("min", true, true) => Min,
        ("min", true, false) => UMin,
        ("add", false, _) => FAdd,
        ("sub", false, _) => FSub,
        ("max", false, _) => FMax,
        ("min", false, _) => FMin,
        _ => return None,
    };
    Some(Operation::Update(update))
}

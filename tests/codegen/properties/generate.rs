//! Random modules for one pass. The same seed generates the same module.
//!
//! A module has kernels `k0`, `k1`, … of `(ptr %in, ptr %out, i64 %n)`, and functions that belong to one kernel. Each
//! statement belongs to a feature: a kind of code that the pass rewrites. A body is straight code with diamonds,
//! switches and loops of a few rounds. Its result is mixed into a number at `%out`, so that the order counts. No
//! statement has undefined behaviour or a result that LLVM does not determine.

mod blocks;
mod calls;
mod lanes;
mod memory;
mod numbers;
mod panics;
mod steps;
mod types;

pub(super) use types::Ty;

use std::fmt::Write;

use types::{ARRAYS, FLOATS, INTEGERS, NARROW, ODD, ODD_VECTORS, STRUCTS, VECTORS, WIDE};

/// A kind of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Feature {
    /// Integers of 8 to 64 bits.
    Integers,
    /// Integers of other widths up to 64 bits.
    Odd,
    /// Integers of 65 to 256 bits.
    Wide,
    /// Single bits as numbers.
    Bits,
    /// Sums with an overflow bit, saturation, minimum, reversed bits and the like.
    Arithmetic,
    /// Bit counts.
    Counts,
    /// Floats.
    Floats,
    /// Conversions between floats and integers.
    Conversions,
    /// Vectors of 2, 4 and 8 elements.
    Vectors,
    /// Vectors of other lengths.
    OddVectors,
    /// Reductions of vectors.
    Reductions,
    /// Sums of parts of a vector, and interleaved vectors.
    PartialSums,
    /// Bit casts between vectors and integers.
    Bitcasts,
    /// Masked loads and stores.
    Masked,
    /// Values that are structs and arrays.
    Aggregates,
    /// Diamonds, switches and loops.
    Control,
    /// Switches over 128 bits.
    WideSwitches,
    /// Local memory, also of large alignment, and statics.
    Memory,
    /// Locals of types that only LLVM has in memory.
    OddMemory,
    /// Copies, moves and fills of a known size.
    Copies,
    /// Copies, moves and fills of any size.
    LongCopies,
    /// Pointers that meet, that are compared with null, and that are loaded and stored.
    Pointers,
    /// Pointers to workgroup memory that may be null.
    SharedNulls,
    /// Comparisons of addresses with numbers.
    NumberedAddresses,
    /// Functions that return pointers.
    ReturnedPointers,
    /// Tables of distances.
    Distances,
    /// Other names of statics.
    Aliases,
    /// Atomic instructions.
    Atomics,
    /// Calls of the contract's atomics.
    AtomicCalls,
    /// Calls of functions of the same kernel.
    Calls,
    /// Calls that pass structs by value.
    ByValue,
    /// Functions that call themselves and each other.
    Recursion,
    /// Calls through pointers: tables, choices, locals, parameters.
    FunctionPointers,
    /// Functions of Rust's that panic.
    RustPanics,
    /// Calls of `__offload_panic`.
    Panics,
    /// Loops with checks of a number that changes by a constant.
    CheckedLoops,
    /// Loops over every n-th number, with counters.
    SteppedLoops,
    /// Loops that leave for one block from their first and from their last block.
    TwoExits,
    /// Indices that are the largest number for some threads.
    ChosenIndices,
    /// Branches and switches whose sides begin with a check.
    CheckedSides,
    /// Threads that leave.
    Leaves,
    /// SPIR-V's barriers.
    Barriers,
    /// Traps.
    Traps,
    /// The launch's state.
    LaunchState,
    /// The heap.
    Heap,
    /// Products of 256 bits, of which one half is used.
    Products,
    /// Divisions of numbers that are narrow in their type, also of the smallest one by -1.
    NarrowDivisions,
    /// Products of numbers that are narrow in their type.
    NarrowProducts,
    /// Numbers of 32 bits whose low part is put in, and which are extended.
    Merged,
    /// Vectors of words that are cut from shifted products of words.
    WordProducts,
    /// Numbers shifted by bytes with their signs, of which parts are put together with others.
    SignBytes,
    /// Sums of 32 bits to which a carry is added.
    Carries,
    /// Numbers that are truncated and widened again.
    Truncations,
    /// Hints that only an optimiser reads.
    Hints,
    /// Functions that may unwind, and the blocks where an unwinding would continue.
    Unwinding,
    /// Intrinsics of the host's processor.
    HostInstructions,
    /// Structs, bits and numbers as parameters of kernels.
    Parameters,
    /// Cross-lane operations with a mask.
    Masks,
    /// The function that panics for a lane.
    LanePanic,
    /// A kernel that is too large to inline all that it calls.
    Large,
    /// Kernels for blocks of threads, and conditions on the x of a thread.
    Threads,
    /// Barriers of the block.
    BlockBarriers,
    /// Exchanges of numbers in shared memory.
    Exchanges,
    /// Numbers of threads at a distance.
    Partners,
    /// Loops in steps of the size of the block.
    BlockSteps,
    /// Loops in steps of the size of the grid.
    GridSteps,
}

/// A value: its type, and its name or constant.
pub(super) type Value = (Ty, String);

/// A function that may be called.
#[derive(Clone)]
struct Signature {
    name: String,
    parameters: Vec<Ty>,
    result: Ty,
    /// The struct that it gets by value.
    by_value: Option<Ty>,
}

/// A module, and the arguments that its kernels expect.
pub(super) struct Generated {
    pub(super) text: String,
    /// The types of the parameters of each kernel after the first three; a struct is passed by value in memory.
    pub(super) parameters: Vec<Vec<Ty>>,
}

pub(super) struct Generator {
    state: u64,
    features: &'static [Feature],
    types: Vec<Ty>,
    /// Statics and finished functions.
    module: String,
    allocas: String,
    body: String,
    names: usize,
    kernel: usize,
    block: String,
    /// The values that are available.
    values: Vec<Value>,
    /// Local memory of 64 bytes, aligned to 16.
    locals: Vec<String>,
    functions: Vec<Signature>,
    /// The functions of the kernel that are finished.
    finished: usize,
    /// How many branches surround this place.
    depth: usize,
}

/// A module with `kernels` kernels, whose statements are of these features.
pub(super) fn module(seed: u64, kernels: usize, features: &'static [Feature]) -> Generated {
    let state = (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut g = Generator::new(state, features);
    g.header();
    let mut parameters = Vec::new();
    for kernel in 0..kernels {
        g.kernel = kernel;
        g.statics();
        g.functions_of_kernel();
        parameters.push(g.kernel());
    }
    Generated { text: g.module, parameters }
}

impl Generator {
    fn new(state: u64, features: &'static [Feature]) -> Self {
        let (module, allocas, body, block) = Default::default();
        let (values, locals, functions) = Default::default();
        let types = types_of(features);
        Self {
            state,
            features,
            types,
            module,
            allocas,
            body,
            names: 0,
            kernel: 0,
            block,
            values,
            locals,
            functions,
            finished: 0,
            depth: 0,
        }
    }

    fn has(&self, feature: Feature) -> bool {
        self.features.contains(&feature)
    }

    /// A number below `limit`.
    fn below(&mut self, limit: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 11) as usize % limit
    }

    fn one_of<T: Clone>(&mut self, all: &[T]) -> T {
        let index = self.below(all.len());
        all[index].clone()
    }

    fn name(&mut self) -> String {
        self.names += 1;
        format!("v{}", self.names)
    }

    fn line(&mut self, line: &str) {
        writeln!(self.body, "  {line}").expect("a string takes everything");
    }

    /// Adds `%name = line`. Returns the name.
    fn set(&mut self, line: &str) -> String {
        let name = format!("%{}", self.name());
        self.line(&format!("{name} = {line}"));
        name
    }

    /// Adds `%name = line`, a value of this type that others may use.
    fn value(&mut self, ty: &Ty, line: &str) -> String {
        let name = self.set(line);
        self.values.push((*ty, name.clone()));
        name
    }

    /// A new local of the function.
    fn alloca(&mut self, ty: &str, align: u32) -> String {
        let name = format!("%{}", self.name());
        writeln!(self.allocas, "  {name} = alloca {ty}, align {align}").expect("a string takes everything");
        name
    }

    fn label(&mut self, label: &str) {
        writeln!(self.body, "{label}:").expect("a string takes everything");
        self.block = label.to_owned();
    }

    fn header(&mut self) {
        // In kernels of many threads, a call would be all that they do.
        let inlined = if self.has(Feature::Threads) { "alwaysinline" } else { "noinline" };
        self.module += &format!("define internal void @mix(ptr %out, i64 %v) {inlined} {{\n");
        self.module += "\
  %old = load i64, ptr %out
  %high = lshr i64 %old, 29
  %both = xor i64 %old, %high
  %spread = mul i64 %both, 6364136223846793005
  %new = add i64 %spread, %v
  store i64 %new, ptr %out
  ret void
}
";
        if self.has(Feature::Recursion) || self.has(Feature::FunctionPointers) {
            self.module += "@fuel = internal global i32 0\n";
        }
        self.declare_contract();
        if self.has(Feature::Threads) {
            self.declare_threads();
        }
    }

    /// The functions of a kernel. Those of one kernel have the same type, so that pointers to them may meet.
    fn functions_of_kernel(&mut self) {
        use Feature::{ByValue, Calls, FunctionPointers, Leaves, Panics, Recursion, RustPanics, Unwinding};
        self.functions.clear();
        self.finished = 0;
        let calling = [Calls, ByValue, Recursion, FunctionPointers, RustPanics, Panics, Leaves, Unwinding];
        if !calling.iter().any(|feature| self.has(*feature)) {
            return;
        }
        let (first, second, result) = (self.ty(), self.ty(), self.ty());
        let by_value = self.has(ByValue).then(|| self.one_of(&STRUCTS));
        for number in 0..3 {
            let name = format!("@k{}_f{number}", self.kernel);
            let parameters = vec![first, second];
            self.functions.push(Signature { name, parameters, result, by_value });
        }
        for number in 0..self.functions.len() {
            self.finished = number;
            self.function(number);
        }
        self.finished = self.functions.len();
        if self.has(Feature::FunctionPointers) {
            self.function_table();
        }
    }

    fn begin(&mut self) {
        (self.depth, self.values, self.locals) = Default::default();
        self.allocas.clear();
        self.body.clear();
        self.block = "entry".to_owned();
        if self.uses_locals() {
            self.local();
            self.local();
        }
    }

    fn function(&mut self, number: usize) {
        let function = self.functions[number].clone();
        self.begin();
        let mut parameters = "ptr %in, ptr %out, i64 %n".to_owned();
        for (index, ty) in function.parameters.iter().enumerate() {
            parameters += &format!(", {ty} %p{index}");
            self.values.push((*ty, format!("%p{index}")));
        }
        if let Some(ty) = &function.by_value {
            parameters += &format!(", ptr byval({ty}) align 8 %s");
            self.change_struct(ty, "%s");
        }
        let count = 2 + self.below(3);
        self.statements(count);
        let result = self.pick(&function.result);
        self.line(&format!("ret {} {result}", function.result));
        let header = format!("define internal {} {}({parameters}) noinline", function.result, function.name);
        self.finish(&header);
    }

    fn finish(&mut self, header: &str) {
        let personality = if self.has(Feature::Unwinding) { " personality ptr @rust_eh_personality" } else { "" };
        let (allocas, body) = (&self.allocas, &self.body);
        write!(self.module, "\n{header}{personality} {{\nentry:\n{allocas}{body}}}\n")
            .expect("a string takes everything");
    }

    fn kernel(&mut self) -> Vec<Ty> {
        self.begin();
        let extra = if self.has(Feature::Parameters) { types::parameters(self.below(6)) } else { Vec::new() };
        let mut parameters = "ptr %in, ptr %out, i64 %n".to_owned();
        if self.has(Feature::Threads) {
            parameters = "ptr %all.in, ptr %all.out, i64 %n".to_owned();
            self.begin_thread();
        }
        for (index, ty) in extra.iter().enumerate() {
            parameters += &format!(", {} %p{index}", ty.as_parameter());
        }
        for (index, ty) in extra.iter().enumerate() {
            self.observe_parameter(ty, &format!("%p{index}"));
        }
        if self.has(Feature::Recursion) || self.has(Feature::FunctionPointers) {
            self.line("store i32 24, ptr @fuel");
        }
        self.begin_statics();
        let count = 6 + self.below(6);
        self.statements(count);
        self.line("ret void");
        self.finish(&format!("define void @k{}({parameters})", self.kernel));
        extra
    }

    fn statements(&mut self, count: usize) {
        for _ in 0..count {
            let feature = self.one_of(self.features);
            let before = self.values.len();
            self.statement(feature);
            // The newest value counts, and sometimes another one.
            if self.values.len() > before || self.below(4) == 0 {
                let index = if self.values.len() > before { self.values.len() - 1 } else { before.saturating_sub(1) };
                if let Some((ty, value)) = self.values.get(index).cloned() {
                    self.observe(&ty, &value);
                }
            }
        }
    }

    fn statement(&mut self, feature: Feature) {
        match feature {
            Feature::Integers => self.integer(&INTEGERS),
            Feature::Odd => self.integer(&ODD),
            Feature::Wide => self.integer(&WIDE),
            Feature::Bits => self.bit(),
            Feature::Arithmetic => self.arithmetic(),
            Feature::Counts => self.count(),
            Feature::Floats => self.float(),
            Feature::Conversions => self.conversion(),
            Feature::Vectors => self.vector(&VECTORS),
            Feature::OddVectors => self.vector(&ODD_VECTORS),
            Feature::Reductions => self.reduction(),
            Feature::PartialSums => self.partial_sum(),
            Feature::Bitcasts => self.bitcast(),
            Feature::Masked => self.masked(),
            Feature::Aggregates => self.aggregate(),
            Feature::Control => self.branch(),
            Feature::WideSwitches => self.wide_switch(),
            Feature::Memory => self.memory(),
            Feature::OddMemory => self.odd_memory(),
            Feature::Copies => self.copy(),
            Feature::LongCopies => self.long_copy(),
            Feature::Pointers => self.pointer(),
            Feature::SharedNulls => self.shared_null(),
            Feature::NumberedAddresses => self.numbered_address(),
            Feature::ReturnedPointers => self.returned_pointer(),
            Feature::Distances => self.distance(),
            Feature::Aliases => self.alias(),
            Feature::Atomics => self.atomic(),
            Feature::AtomicCalls => self.atomic_call(),
            Feature::Calls | Feature::ByValue | Feature::Recursion => self.call(),
            Feature::FunctionPointers => self.indirect_call(),
            Feature::RustPanics => self.rust_panic(),
            Feature::Panics => self.panic(),
            Feature::CheckedLoops => self.checked_loop(),
            Feature::SteppedLoops => self.stepped_loop(),
            Feature::TwoExits => self.loop_with_two_exits(),
            Feature::ChosenIndices => self.chosen_index(),
            Feature::CheckedSides => self.checked_sides(),
            Feature::Leaves => self.leave(),
            Feature::Barriers => self.barrier(),
            Feature::Traps => self.trap(),
            Feature::LaunchState => self.launch_state(),
            Feature::Heap => self.heap(),
            Feature::Products => self.product(),
            Feature::NarrowDivisions => self.narrow_division(),
            Feature::NarrowProducts => self.narrow_product(),
            Feature::Merged => self.merged(),
            Feature::WordProducts => self.word_product(),
            Feature::SignBytes => self.sign_byte(),
            Feature::Carries => self.carry(),
            Feature::Truncations => self.truncation(),
            Feature::Hints => self.hint(),
            Feature::Unwinding => self.invoke(),
            Feature::HostInstructions => self.host_instruction(),
            Feature::Parameters => self.integer(&NARROW),
            Feature::Masks | Feature::LanePanic => self.mask(),
            Feature::Large => self.large_call(),
            Feature::Threads => self.row_guard(),
            Feature::BlockBarriers => self.block_barrier(),
            Feature::Exchanges => self.exchange(),
            Feature::Partners => self.partner(),
            Feature::BlockSteps => self.counted_by_block(),
            Feature::GridSteps => self.strided(),
        }
    }

    /// A type of the features' values.
    fn ty(&mut self) -> Ty {
        let index = self.below(self.types.len());
        self.types[index]
    }

    /// A value of the type: one that is available, or a new one.
    fn pick(&mut self, ty: &Ty) -> String {
        let have: Vec<String> = self.values.iter().filter(|(t, _)| t == ty).map(|(_, name)| name.clone()).collect();
        match self.below(8) {
            0 if ty.is_integer() => self.constant(ty),
            1..8 if !have.is_empty() => self.one_of(&have),
            _ => self.make(ty),
        }
    }

    /// A single bit that depends on the input.
    fn condition(&mut self) -> String {
        let ty = self.one_of(&INTEGERS[..2]);
        let value = self.make(&ty);
        let mask = 1 << self.below(4);
        let bit = self.set(&format!("and {ty} {value}, {mask}"));
        self.set(&format!("icmp ne {ty} {bit}, 0"))
    }
}

/// The types of the values that these features make.
fn types_of(features: &[Feature]) -> Vec<Ty> {
    let mut types = Vec::new();
    for feature in features {
        types.extend_from_slice(match feature {
            Feature::Odd => &ODD,
            Feature::Wide => &WIDE,
            Feature::Floats => &FLOATS,
            Feature::Vectors => &VECTORS,
            Feature::OddVectors => &ODD_VECTORS,
            Feature::Aggregates => &STRUCTS,
            _ => continue,
        });
        if *feature == Feature::Aggregates {
            types.extend_from_slice(&ARRAYS);
        }
    }
    if types.is_empty() || features.contains(&Feature::Integers) {
        types.extend_from_slice(&INTEGERS);
    }
    types
}

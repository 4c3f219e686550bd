//! The device contract in SPIR-V: functions of OpenCL, by the names that LLVM's back end turns into instructions, and
//! launch-sized shared memory as a parameter of the kernels that use it.

use std::collections::{HashMap, HashSet};

use super::calls::{CROSS_DEVICE, DEVICE, Effect, SEQUENTIAL, TRAPS, WORKGROUP, call, memory_barrier};
use super::types::{has_few_parameters, has_legal_signature, is_legal_in_signature};
use super::{ADDRESS_SPACES, SPIR_KERNEL};
use crate::contract::builtin::{
    Axis, DeviceBuiltin, FenceScope, LAUNCH_STATE, LEAVE, LaneOperation, Participants, ShuffleMode,
};
use crate::contract::kernel::KernelSet;
use crate::contract::symbols::RECORD;
use crate::error::Result;
use crate::llvm::{Attribute, Builder, Function, IntPredicate, Module, Opcode, Place, Type, Value};
use crate::passes::calls::pass_in_memory::pass_in_memory;
use crate::passes::launch::launch_state::{pass_down, pass_launch_state};
use crate::passes::panic::lower_thread_exit::lower_thread_exit;

/// `memory_scope_sub_group`.
const SUBGROUP_SCOPE: u64 = 3;
/// The functions that stand for the address and the size of launch-sized memory until these are parameters.
const DYNAMIC_SHARED_ADDRESS: &str = "__offload_dynamic_shared_address";
const DYNAMIC_SHARED_SIZE: &str = "__offload_dynamic_shared_bytes";
/// The order is that of the parameters.
const DYNAMIC_SHARED: [&str; 2] = [DYNAMIC_SHARED_ADDRESS, DYNAMIC_SHARED_SIZE];
/// The functions that end a thread.
pub(super) const EXITS: [&str; 3] = [TRAPS[0], TRAPS[1], LEAVE];
/// Instructions of SPIR-V 1.3, as functions.
const LANES: [&str; 2] = ["_Z17sub_group_shufflejj", "_Z16sub_group_balloti"];
/// Other functions that need a subgroup.
const SUBGROUP: [&str; 5] = [LANE_ID, LANES_PRESENT, LANE_COUNT, VOTES[0], VOTES[1]];
const LANE_ID: &str = "_Z22get_sub_group_local_idv";
/// The number of lanes of this subgroup: the last subgroup of a block may have fewer lanes.
const LANES_PRESENT: &str = "_Z18get_sub_group_sizev";
const LANE_COUNT: &str = "_Z22get_max_sub_group_sizev";
const VOTES: [&str; 2] = ["_Z13sub_group_anyi", "_Z13sub_group_alli"];
/// `OpControlBarrier`.
pub(super) const BARRIER: &str = "_Z22__spirv_ControlBarrierjjj";
/// The position of a thread in its block, and the extents of the block.
pub(super) const LOCAL_ID: &str = "_Z12get_local_idj";
pub(super) const LOCAL_SIZE: &str = "_Z14get_local_sizej";

/// The prefixes of the back end's own subgroup intrinsics, which the input may call.
const SUBGROUP_INTRINSICS: [&str; 3] = ["llvm.spv.wave.", "llvm.spv.subgroup.", "llvm.spv.num.subgroups"];

/// If a kernel has this number of instructions after inlining, larger functions that are called more than once are not
/// inlined. Inlining turns a panic into a single return, and drivers inline anyway.
const LARGE: u64 = 20_000;
/// The size of a larger function in instructions, including its callees.
const WORTH_CALLING: u64 = 100;

/// Inlines code that must be in the kernel itself: code that leaves it or reads its parameters or the position of the
/// thread, and functions with parameters or results that SPIR-V does not support. If kernels would become too large,
/// the remaining functions leave by returning, and receive parameters from their callers and in memory.
pub(super) fn inline_into_kernels(module: &Module<'_>, kernels: &KernelSet) -> Result<()> {
    let bodies = || {
        let is_kernel = |f: &Function<'_>| kernels.has_name(&f.name());
        module.functions().into_iter().filter(move |f| !f.is_declaration() && !is_kernel(f))
    };
    let worth = functions_worth_calling(module, kernels);
    let illegal = |f: &Function<'_>| !has_legal_signature(*f);
    pass_in_memory(module, &bodies().filter(|f| illegal(f) && worth.contains(&f.name())).collect::<Vec<_>>(), &|ty| {
        is_legal_in_signature(ty)
    });
    let callers = |names: &[&str]| callers_of(names.iter().filter_map(|name| module.function(name)).collect());
    // `leave_after_barriers` finds both in kernels only.
    let meeting = if callers(&EXITS).is_empty() { Vec::new() } else { callers(&[BARRIER]) };
    let leaving = callers(&[&EXITS[..], &[LAUNCH_STATE], &DYNAMIC_SHARED].concat());
    let in_kernels: HashSet<_> = meeting.iter().copied().chain(leaving).chain(readers_of_position(module)).collect();
    let (kept, inlined): (Vec<_>, Vec<_>) = bodies()
        .filter(|f| in_kernels.contains(f) || illegal(f))
        .partition(|f| worth.contains(&f.name()) && !meeting.contains(f));
    inlined.into_iter().for_each(Function::inline_calls);
    for function in &kept {
        function.remove_attribute(Place::Function, "alwaysinline");
    }
    module.run_neutral_passes("always-inline")?;
    lower_thread_exit(module, kernels, &kept, &EXITS);
    pass_launch_state(module, kernels, ADDRESS_SPACES.shared);
    for asked in DYNAMIC_SHARED {
        pass_down(module, kernels, asked);
    }
    module.run_neutral_passes("globaldce")
}

/// The functions that read the position of the thread in its block, also through calls. Intel's OpenCL gives them an
/// arbitrary position if all their arguments are constants. A panic's record is not one of them: it receives the
/// launch's state, which is no constant.
fn readers_of_position<'c>(module: &'c Module<'_>) -> Vec<Function<'c>> {
    let read = module.function(LOCAL_ID).into_iter().collect();
    callers_through(read, &|function| function.name() != RECORD)
}

/// The names of the functions that are not inlined because a kernel would become too large: all larger functions that
/// are called more than once, if there is such a kernel.
fn functions_worth_calling(module: &Module<'_>, kernels: &KernelSet) -> HashSet<String> {
    let mut sizes = HashMap::new();
    let largest = kernels.functions(module).map(|k| inlined_size(k, &mut sizes)).max();
    let worth = |(f, size): &(Function<'_>, u64)| {
        *size > WORTH_CALLING && f.users().len() > 1 && f.is_only_called() && has_few_parameters(*f)
    };
    let functions = sizes.into_iter().filter(worth).map(|(function, _)| function.name());
    if largest > Some(LARGE) { functions.collect() } else { HashSet::new() }
}

/// The functions that call one of these, directly or not, in the order found.
fn callers_of(callees: Vec<Function<'_>>) -> Vec<Function<'_>> {
    callers_through(callees, &|_| true)
}

/// Like [`callers_of`], without the functions that are not `followed`, and those that call only them.
fn callers_through<'c>(mut work: Vec<Function<'c>>, followed: &dyn Fn(&Function<'c>) -> bool) -> Vec<Function<'c>> {
    let (mut seen, mut order) = (HashSet::new(), Vec::new());
    while let Some(callee) = work.pop() {
        for caller in callee.users().into_iter().filter(|u| u.is_instruction()).map(Value::function) {
            if followed(&caller) && seen.insert(caller) {
                order.push(caller);
                work.push(caller);
            }
        }
    }
    order
}

/// The number of a function's instructions if all its callees are inlined. There is no recursion.
fn inlined_size<'c>(function: Function<'c>, known: &mut HashMap<Function<'c>, u64>) -> u64 {
    if let Some(size) = known.get(&function) {
        return *size;
    }
    let mut size = 0u64;
    for instruction in function.instructions() {
        let callee = instruction.called_function().filter(|callee| !callee.is_declaration());
        size = size.saturating_add(callee.map_or(1, |callee| inlined_size(callee, known)));
    }
    known.insert(function, size);
    size
}

/// Appends a parameter `ptr addrspace(3)` to each kernel that uses launch-sized memory, and replaces its address by the
/// parameter. A kernel that asks for the size has it as the next parameter.
pub(super) fn pass_dynamic_shared(module: &Module<'_>, kernels: &KernelSet) {
    let types = module.types();
    let parameters = [("dynamic_shared", types.ptr(ADDRESS_SPACES.shared)), ("dynamic_shared_size", types.i32())];
    let asked = DYNAMIC_SHARED.map(|name| module.function(name));
    for kernel in kernels.functions(module) {
        let calls = asked.map(|asked| {
            let users = asked.map_or_else(Vec::new, |asked| asked.users());
            users.into_iter().filter(|u| u.is_call() && u.function() == kernel).collect::<Vec<_>>()
        });
        let Some(last) = calls.iter().rposition(|calls| !calls.is_empty()) else { continue };
        let extended = kernel.extend_signature(types.void(), &parameters.map(|(_, ty)| ty)[..=last]);
        kernel.erase_global();
        extended.set_calling_convention(SPIR_KERNEL);
        let first = extended.parameters().len() - 1 - last;
        extended.add_attribute(Place::Parameter(first as u32), &Attribute::Enum("align", 16));
        let builder = Builder::at_start(extended.blocks()[0]);
        for ((parameter, (name, _)), calls) in extended.parameters().into_iter().skip(first).zip(parameters).zip(calls)
        {
            parameter.set_name(name);
            for call in calls {
                let is_address = call.ty().is_pointer();
                let value = if is_address { builder.address_space_cast(parameter, call.ty(), "") } else { parameter };
                call.replace_all_uses_with(value);
                call.erase();
            }
        }
    }
    for function in asked.into_iter().flatten().filter(|function| !function.is_used()) {
        function.erase_global();
    }
}

/// Whether the module needs the version with cross-lane operations.
pub(super) fn exchanges_between_lanes(module: &Module<'_>) -> bool {
    let named = |f: &Function<'_>| f.name().starts_with(SUBGROUP_INTRINSICS[0]) && f.is_used();
    LANES.iter().any(|name| module.function(name).is_some_and(|f| f.is_used())) || module.functions().iter().any(named)
}

/// The functions that reach a builtin for lane numbers or cross-lane operations.
pub(super) fn reaching_lanes<'c>(module: &Module<'c>) -> HashSet<Function<'c>> {
    let named = |f: &Function<'_>| {
        let name = f.name();
        LANES.iter().chain(&SUBGROUP).any(|n| name == *n) || SUBGROUP_INTRINSICS.iter().any(|n| name.starts_with(n))
    };
    callers_of(module.functions().into_iter().filter(named).collect()).into_iter().collect()
}

/// The body of a builtin.
pub(super) fn lower<'c>(
    module: &Module<'c>,
    builtin: DeviceBuiltin,
    builder: &Builder<'c>,
    parameters: &[Value<'c>],
) -> Option<Value<'c>> {
    Lowering { module, builder, parameters }.builtin(builtin)
}

/// Builds the body of a builtin.
struct Lowering<'a, 'c> {
    module: &'a Module<'c>,
    builder: &'a Builder<'c>,
    parameters: &'a [Value<'c>],
}

impl<'c> Lowering<'_, 'c> {
    fn builtin(&self, builtin: DeviceBuiltin) -> Option<Value<'c>> {
        match builtin {
            DeviceBuiltin::ThreadId(axis) => Some(self.position(LOCAL_ID, axis)),
            DeviceBuiltin::BlockId(axis) => Some(self.position("_Z12get_group_idj", axis)),
            DeviceBuiltin::BlockDim(axis) => Some(self.position(LOCAL_SIZE, axis)),
            DeviceBuiltin::GridDim(axis) => Some(self.position("_Z14get_num_groupsj", axis)),
            DeviceBuiltin::LaneId => Some(self.lane_id()),
            DeviceBuiltin::LaneCount => Some(self.lane_count()),
            DeviceBuiltin::SyncThreads => self.barrier(),
            DeviceBuiltin::Fence(FenceScope::Block) => self.fence(WORKGROUP),
            DeviceBuiltin::Fence(FenceScope::Device) => self.fence(DEVICE),
            DeviceBuiltin::Fence(FenceScope::System) => self.fence(CROSS_DEVICE),
            DeviceBuiltin::Lanes(operation) => self.lanes(operation),
            // Both are parameters of the kernel: `pass_dynamic_shared` puts them in the places of these calls.
            DeviceBuiltin::DynamicShared => Some(self.of_launch(DYNAMIC_SHARED_ADDRESS, self.module.types().ptr(0))),
            DeviceBuiltin::DynamicSharedSize => Some(self.of_launch(DYNAMIC_SHARED_SIZE, self.module.types().i32())),
        }
    }

    fn i32(&self, value: u64) -> Value<'c> {
        self.module.types().i32().constant(value)
    }

    /// `(uint)get_local_id(axis)` and its like.
    fn position(&self, function: &str, axis: Axis) -> Value<'c> {
        let i64 = self.module.types().i64();
        let axis = self.i32(axis.number() as u64);
        let wide = call(self.module, self.builder, (function, Effect::None), i64, &[axis]);
        self.builder.cast(Opcode::Trunc, wide, i64.types().i32(), "")
    }

    /// A value that only a kernel has, as a parameter.
    fn of_launch(&self, name: &str, ty: Type<'c>) -> Value<'c> {
        let function = self.module.declare(name, ty.function(&[]));
        function.mark("nounwind");
        function.mark("willreturn");
        // memory(none) is encoded as 0.
        function.add_attribute(Place::Function, &Attribute::Enum("memory", 0));
        self.builder.call(function, &[], "")
    }

    fn i32_call(&self, name: &str, effect: Effect, arguments: &[Value<'c>]) -> Value<'c> {
        call(self.module, self.builder, (name, effect), self.module.types().i32(), arguments)
    }

    fn lane_id(&self) -> Value<'c> {
        self.i32_call(LANE_ID, Effect::None, &[])
    }

    /// It is the same for all subgroups of a launch, as on a GPU.
    fn lane_count(&self) -> Value<'c> {
        self.i32_call(LANE_COUNT, Effect::None, &[])
    }

    fn lanes_present(&self) -> Value<'c> {
        self.i32_call(LANES_PRESENT, Effect::None, &[])
    }

    /// `barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)`
    fn barrier(&self) -> Option<Value<'c>> {
        let arguments = [WORKGROUP, WORKGROUP, SEQUENTIAL].map(|n| self.i32(n));
        let name = (BARRIER, Effect::Convergent);
        call(self.module, self.builder, name, self.module.types().void(), &arguments);
        None
    }

    /// An operation of lanes. The lanes of a mask are all active (`require_lanes`). Their votes are implemented as
    /// ballots, because a subgroup's own votes need all of its lanes.
    fn lanes(&self, operation: LaneOperation) -> Option<Value<'c>> {
        use Participants::{Active, Masked};
        let (builder, given) = (self.builder, self.parameters);
        Some(match operation {
            LaneOperation::Shuffle(mode, Active) => self.shuffle(mode, given[0], given[1]).1,
            LaneOperation::Shuffle(mode, Masked) => self.masked_shuffle(mode, given[0], given[1], given[2]),
            LaneOperation::Ballot(Active) => self.ballot(given[0]),
            LaneOperation::Ballot(Masked) => self.masked_ballot(given[0], given[1]),
            LaneOperation::Any(Active) => self.vote(VOTES[0]),
            LaneOperation::Any(Masked) => {
                let some = self.masked_ballot(given[0], given[1]);
                builder.icmp(IntPredicate::Ne, some, some.ty().zero(), "")
            }
            LaneOperation::All(Active) => self.vote(VOTES[1]),
            LaneOperation::All(Masked) => {
                let not = builder.binary(Opcode::Xor, given[1], given[1].ty().constant(1), "");
                let against = self.masked_ballot(given[0], not);
                builder.icmp(IntPredicate::Eq, against, against.ty().zero(), "")
            }
            LaneOperation::ActiveMask => self.ballot(self.module.types().i1().constant(1)),
            // The lanes have synchronised when they checked that all of them are active.
            LaneOperation::SyncWarp => return self.fence(SUBGROUP_SCOPE),
        })
    }

    fn masked_ballot(&self, mask: Value<'c>, vote: Value<'c>) -> Value<'c> {
        self.builder.binary(Opcode::And, self.ballot(vote), mask, "")
    }

    /// The value of another lane of the mask, or this one's.
    fn masked_shuffle(&self, mode: ShuffleMode, mask: Value<'c>, value: Value<'c>, operand: Value<'c>) -> Value<'c> {
        let builder = self.builder;
        let (from, other) = self.shuffle(mode, value, operand);
        let from = builder.cast(Opcode::ZExt, from, mask.ty(), "");
        let bit = builder.binary(Opcode::LShr, mask, from, "");
        builder.select(builder.cast(Opcode::Trunc, bit, mask.types().i1(), "named"), other, value, "")
    }

    fn fence(&self, scope: u64) -> Option<Value<'c>> {
        memory_barrier(self.module, self.builder, scope, SEQUENTIAL);
        None
    }

    /// Whether a condition holds in any lane, or in all lanes.
    fn vote(&self, name: &str) -> Value<'c> {
        let condition = self.builder.cast(Opcode::ZExt, self.parameters[0], self.module.types().i32(), "");
        let verdict = self.i32_call(name, Effect::Convergent, &[condition]);
        self.builder.icmp(IntPredicate::Ne, verdict, self.i32(0), "")
    }

    /// The low 64 bits of `uint4 sub_group_ballot(int)`. Intel's compiler for CPUs has subgroups of one lane in kernels
    /// that it does not vectorise, and there its `sub_group_ballot` ends the program. Such a lane's vote is the ballot.
    fn ballot(&self, vote: Value<'c>) -> Value<'c> {
        let (builder, i64) = (self.builder, self.module.types().i64());
        let lanes = self.lane_count();
        let [several, counted] = ["several", "counted"].map(|name| lanes.function().append_block(name));
        let own = builder.cast(Opcode::ZExt, vote, i64, "");
        builder.cond_br(builder.icmp(IntPredicate::Eq, lanes, self.i32(1), ""), counted, several);
        builder.move_to_end(several);
        let votes = self.votes_of_lanes(vote);
        builder.br(counted);
        builder.move_to_end(counted);
        let ballot = builder.phi(i64, "");
        ballot.add_incoming(own, lanes.block());
        ballot.add_incoming(votes, several);
        ballot
    }

    fn votes_of_lanes(&self, vote: Value<'c>) -> Value<'c> {
        let types = self.module.types();
        let (i32, i64) = (types.i32(), types.i64());
        let condition = self.builder.cast(Opcode::ZExt, vote, i32, "");
        let name = (LANES[1], Effect::Convergent);
        let words = call(self.module, self.builder, name, i32.vector(4), &[condition]);
        let [low, high] = [0, 1].map(|i| {
            let word = self.builder.extract_element(words, self.i32(i), "");
            self.builder.cast(Opcode::ZExt, word, i64, "")
        });
        let high = self.builder.binary(Opcode::Shl, high, i64.constant(32), "");
        self.builder.binary(Opcode::Or, low, high, "")
    }

    /// The number of another lane, and its value. Lane numbers wrap around; the number of a missing lane is replaced by
    /// the lane's own.
    fn shuffle(&self, mode: ShuffleMode, value: Value<'c>, operand: Value<'c>) -> (Value<'c>, Value<'c>) {
        let builder = self.builder;
        let binary = |opcode, left, right| builder.binary(opcode, left, right, "");
        let own = self.lane_id();
        // In OpenCL, the number of lanes need not be a power of two.
        let operand = binary(Opcode::URem, operand, self.lane_count());
        let lane = match mode {
            ShuffleMode::Index => operand,
            ShuffleMode::Xor => binary(Opcode::Xor, own, operand),
            // Below lane 0 the number wraps around, so it is not the number of a lane.
            ShuffleMode::Up => binary(Opcode::Sub, own, operand),
            ShuffleMode::Down => binary(Opcode::Add, own, operand),
        };
        let present = builder.icmp(IntPredicate::Ult, lane, self.lanes_present(), "");
        let lane = builder.select(present, lane, own, "");
        (lane, self.i32_call(LANES[0], Effect::Convergent, &[value, lane]))
    }
}

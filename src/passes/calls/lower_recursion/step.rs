//! Step functions, each of which executes a function from one call within the component to the next, and the loop that
//! runs them.
//!
//! ```c
//! uint32_t fib_step(char *stack, uint32_t *at, uint32_t step) {
//!   uint32_t frame = step == 1 ? *at : *at - sizeof(frame);  // after a call: below the callee's
//!   uint32_t next = frame + sizeof(frame);
//!   switch (step) {
//!   default: ...;                                            // fib's start
//!     if (next > STACK - sizeof(frame)) offload_stack_full();
//!     frame_at(stack, next) = {.back = 2, .n = n - 1}; *at = next; return 1;
//!   case 2: ... *result_at(stack, next) ...;                 // after the first call
//!     *result_at(stack, frame) = result; *at = frame; return frame_at(stack, frame).back;
//!   }
//! }
//! ```

use super::frame::{Layout, get, move_slot, put, result_offset};
use super::own_stack;
use crate::llvm::{Block, Builder, Function, IntPredicate, Linkage, Module, Opcode, Place, Type, Value};
use crate::passes::region_graph::RegionGraph;

/// One function of a component while it is being rewritten.
struct Step<'c> {
    /// The function; its body moves to the step function.
    function: Function<'c>,
    step: Function<'c>,
    prologue: Block<'c>,
    /// The offset of this call's frame, and that of the next frame.
    frame: Value<'c>,
    next: Value<'c>,
    /// The instructions whose second operand becomes the frame's size.
    sized: [Value<'c>; 2],
    /// The number of the step at the function's entry.
    start: u32,
    /// The other steps, with the blocks after the calls.
    resume: Vec<(u32, Block<'c>)>,
    /// The calls within the component, each with the step after it; none for a tail call.
    calls: Vec<(Value<'c>, Option<u32>)>,
    /// The offsets of the parameters.
    parameters: Vec<u64>,
    layout: Layout,
}

/// The values that all functions of a component share.
struct Component<'m, 'c> {
    module: &'m Module<'c>,
    /// The size of the stack in bytes.
    bytes: u64,
    /// The function that is called if the stack is full.
    full: Function<'c>,
    /// The alignment of frames.
    align: u64,
}

/// Rewrites the functions of a component, whose last two parameters are the stack and the number of bytes in use.
/// Returns the alignment that the stack needs.
pub(super) fn lower_component<'c>(
    module: &Module<'c>,
    members: &[Function<'c>],
    bytes: u32,
    full: Function<'c>,
) -> u32 {
    let mut steps = Vec::new();
    let mut number = 1;
    for member in members {
        steps.push(Step::open(module, *member, members, &mut number));
    }
    let align = steps.iter().map(|step| step.layout.align).max().unwrap_or(1);
    for step in &mut steps {
        step.layout.bytes = step.layout.bytes.next_multiple_of(align);
    }
    let component = Component { module, bytes: bytes.into(), full, align };
    steps.iter().for_each(|step| component.finish(step, &steps));
    let run = component.run(&steps);
    for step in &steps {
        if step.function.is_used() {
            component.enter(step, run);
        } else {
            step.function.erase_global();
        }
    }
    align as u32
}

/// Whether a call is a tail call: its value is returned at once, directly or through a phi.
fn is_last(call: Value<'_>) -> bool {
    let next = call.next().expect("a call is no terminator");
    let (end, from) = match if next.is_terminator() { next.successors() } else { Vec::new() }[..] {
        [resume] if next.is(Opcode::Br) => (resume.instructions().find(|i| !i.is(Opcode::Phi)), Some(resume)),
        _ => (Some(next), None),
    };
    let Some(end) = end.filter(|end| end.is(Opcode::Ret)) else { return false };
    if end.operand_count() == 0 || end.operand(0) == call {
        return true;
    }
    let (phi, at) = (end.operand(0), (call, call.block()));
    phi.is(Opcode::Phi) && Some(phi.block()) == from && phi.incoming().contains(&at)
}

impl<'c> Step<'c> {
    fn open(module: &Module<'c>, function: Function<'c>, members: &[Function<'c>], number: &mut u32) -> Self {
        let mut take = || std::mem::replace(number, *number + 1);
        let within = |i: &Value<'c>| i.called_function().is_some_and(|f| members.contains(&f));
        let calls: Vec<_> = function.instructions().filter(within).collect();
        let has_locals = function.instructions().any(|i| i.is(Opcode::Alloca))
            || (0..function.parameters().len() as u32).any(|index| function.byval_type(index).is_some());
        let (last, stops): (Vec<_>, Vec<_>) = calls.into_iter().partition(|call| !has_locals && is_last(*call));

        let types = module.types();
        let (pointer, i32) = (types.ptr(0), types.i32());
        let step = module.add_function(&format!("{}.step", function.name()), i32.function(&[pointer, pointer, i32]));
        step.set_linkage(Linkage::Internal);
        step.mark("nounwind");
        step.take_body(function);
        let graph = RegionGraph::split(step, &stops);
        let start = take();
        let (prologue, frame, next, sized) = open_prologue(step, start);
        let resume: Vec<_> = graph.starts[1..].iter().map(|at| (take(), graph.blocks[*at])).collect();
        let calls = stops.iter().zip(&resume).map(|(call, (number, _))| (*call, Some(*number)));
        let calls = calls.chain(last.into_iter().map(|call| (call, None))).collect();
        let layout = Layout::new();
        let mut own =
            Step { function, step, prologue, frame, next, sized, start, resume, calls, parameters: vec![], layout };
        own.keep(module, &graph, &stops);
        own
    }

    /// Moves parameters, locals and values that are live across calls into the frame.
    fn keep(&mut self, module: &Module<'c>, graph: &RegionGraph<'c>, stops: &[Value<'c>]) {
        let builder = Builder::at_end(self.prologue);
        let byte = module.types().i8();
        let stack = self.step.parameters()[0];
        let base = builder.gep(byte, stack, &[self.frame], "");
        let [old_stack, used] = own_stack(self.function);
        old_stack.replace_all_uses_with(stack);
        used.replace_all_uses_with(self.next);
        let parameters = self.function.parameters();
        for (index, parameter) in (0..).zip(&parameters[..parameters.len() - 2]) {
            let offset = self.layout.place_value(module, parameter.ty());
            self.parameters.push(offset);
            let mut value = get(module, &builder, parameter.ty(), builder.byte_offset(base, offset, ""));
            if let Some(ty) = self.function.byval_type(index) {
                let said = self.function.attribute_value(Place::Parameter(index), "align").unwrap_or(0);
                let own = self.layout.place(ty.alloc_size(module), said.max(ty.alignment(module).into()));
                value = copy(module, graph.blocks[0], ty, builder.byte_offset(base, own, ""), value);
            }
            parameter.replace_all_uses_with(value);
        }
        for (call, (_, resume)) in stops.iter().zip(&self.resume) {
            if call.is_used() {
                let at = Builder::at_start(*resume);
                let above = at.gep(byte, stack, &[self.next], "");
                let result = at.byte_offset(above, result_offset(module, call.ty()), "");
                call.replace_all_uses_with(get(module, &at, call.ty(), result));
            }
        }
        for (_, slot) in graph.keep_values() {
            let offset = self.layout.place_value(module, slot.allocated_type());
            move_slot(module, slot, builder.byte_offset(base, offset, ""));
            slot.erase();
        }
        for local in self.step.instructions().filter(|i| i.is_fixed_alloca()).collect::<Vec<_>>() {
            let bytes = local.operand(0).as_u64().unwrap_or(1) * local.allocated_type().alloc_size(module);
            let offset = self.layout.place(bytes, local.alignment().into());
            local.erase_lifetime_markers();
            local.replace_all_uses_with(builder.byte_offset(base, offset, ""));
            local.erase();
        }
        self.layout.place_result(module, self.function.function_type().result());
    }

    fn size(&self) -> u64 {
        self.layout.bytes
    }
}

/// Creates the entry block of a step function, which computes the frame's offset. Sizes in it are 1 until they are
/// known.
fn open_prologue<'c>(step: Function<'c>, start: u32) -> (Block<'c>, Value<'c>, Value<'c>, [Value<'c>; 2]) {
    let prologue = step.blocks()[0].insert_before("prologue");
    let builder = Builder::at_end(prologue);
    let [_, at, number] = step.parameters()[..] else { unreachable!("a step function has three parameters") };
    let i32 = number.ty();
    let top = builder.load(i32, at, 0, "");
    let below = builder.binary(Opcode::Sub, top, i32.constant(1), "");
    let starts = builder.icmp(IntPredicate::Eq, number, i32.constant(start.into()), "");
    let frame = builder.select(starts, top, below, "frame");
    let next = builder.add(frame, i32.constant(1), "next");
    (prologue, frame, next, [below, next])
}

/// Copies bytes that are passed by value to their place in the callee's frame.
fn copy<'c>(module: &Module<'c>, start: Block<'c>, ty: Type<'c>, own: Value<'c>, from: Value<'c>) -> Value<'c> {
    let types = ty.types();
    let (i1, i64) = (types.i1(), types.i64());
    let copy = module.intrinsic("llvm.memcpy", &[own.ty(), own.ty(), i64]);
    let bytes = i64.constant(ty.alloc_size(module));
    Builder::at_start(start).call(copy, &[own, from, bytes, i1.zero()], "");
    own
}

impl<'c> Component<'_, 'c> {
    fn number(&self, number: u64) -> Value<'c> {
        self.module.types().i32().constant(number)
    }

    /// The address of an offset of the stack.
    fn address(&self, builder: &Builder<'c>, stack: Value<'c>, offset: Value<'c>) -> Value<'c> {
        builder.gep(self.module.types().i8(), stack, &[offset], "")
    }

    /// Checks that a frame of `size` bytes fits at `at`. Returns the block that continues.
    fn push(&self, builder: &Builder<'c>, at: Value<'c>, size: u64) -> Block<'c> {
        let function = builder.block().function();
        let [full, push] = ["full", "push"].map(|name| function.append_block(name));
        match self.bytes.checked_sub(size) {
            Some(last) => {
                let fits = builder.icmp(IntPredicate::Ule, at, self.number(last), "");
                builder.cond_br(fits, push, full)
            }
            None => builder.br(full),
        }
        let builder = Builder::at_end(full);
        builder.call(self.full, &[], "");
        builder.unreachable();
        push
    }

    fn put_arguments(&self, builder: &Builder<'c>, base: Value<'c>, callee: &Step<'c>, arguments: &[Value<'c>]) {
        for (argument, offset) in arguments.iter().zip(&callee.parameters) {
            put(self.module, builder, *argument, builder.byte_offset(base, *offset, ""));
        }
    }

    /// Replaces calls and returns by returns from the step function.
    fn finish(&self, step: &Step<'c>, steps: &[Step<'c>]) {
        step.sized.iter().for_each(|sized| sized.set_operand(1, self.number(step.size())));
        let ends_in_call = |end: &Value<'c>| step.calls.iter().any(|(call, _)| call.block() == end.block());
        let ends = step.step.instructions().filter(|i| i.is(Opcode::Ret) && !ends_in_call(i));
        let ends: Vec<_> = ends.collect();
        for (call, resume) in &step.calls {
            let callee = call.called_function().and_then(|f| steps.iter().find(|step| step.function == f));
            self.leave_for(step, *call, *resume, callee.expect("it is a call within the component"));
        }
        ends.into_iter().for_each(|end| self.leave(step, end));
        let cases: Vec<_> = step.resume.iter().map(|(n, block)| (self.number((*n).into()), *block)).collect();
        let start = step.step.blocks()[1];
        Builder::at_end(step.prologue).switch(step.step.parameters()[2], start, &cases);
        step.step.erase_unreachable_blocks();
    }

    /// Replaces a call: it writes the callee's frame and returns the number of the callee's first step.
    fn leave_for(&self, step: &Step<'c>, call: Value<'c>, resume: Option<u32>, callee: &Step<'c>) {
        let (block, arguments) = (call.block(), call.arguments());
        let end = block.terminator().expect("every block of a valid function ends");
        if call.is_used() {
            call.replace_all_uses_with(call.ty().poison());
        }
        call.erase();
        if !end.successors().is_empty() {
            // The unreachable rest of the block becomes a new block, so that phis keep valid incoming blocks.
            end.split_block("");
        }
        block.terminator().expect("a block that was split ends").erase();
        let builder = Builder::at_end(block);
        let at = if resume.is_some() { step.next } else { step.frame };
        let push = self.push(&builder, at, callee.size());
        builder.move_to_end(push);
        let [stack, place] = [0, 1].map(|index| step.step.parameters()[index]);
        let base = self.address(&builder, stack, at);
        if let Some(resume) = resume {
            builder.store(self.number(resume.into()), base, 0);
        }
        self.put_arguments(&builder, base, callee, &arguments);
        builder.store(at, place, 0);
        builder.ret(self.number(callee.start.into()));
    }

    /// Replaces a return: it writes the result and returns the number of the caller's next step.
    fn leave(&self, step: &Step<'c>, end: Value<'c>) {
        let builder = Builder::before(end);
        let [stack, place] = [0, 1].map(|index| step.step.parameters()[index]);
        let base = self.address(&builder, stack, step.frame);
        if end.operand_count() == 1 {
            let result = end.operand(0);
            let at = builder.byte_offset(base, result_offset(self.module, result.ty()), "");
            put(self.module, &builder, result, at);
        }
        builder.store(step.frame, place, 0);
        builder.ret(builder.load(self.number(0).ty(), base, 0, ""));
        end.erase();
    }

    /// `void run(char *stack, uint32_t at, uint32_t step) { while (step) step = step_of(step)(stack, &at, step); }`
    fn run(&self, steps: &[Step<'c>]) -> Function<'c> {
        let types = self.module.types();
        let (pointer, i32) = (types.ptr(0), types.i32());
        let name = format!("{}.run", steps[0].function.name());
        let run = self.module.add_function(&name, self.module.types().void().function(&[pointer, i32, i32]));
        run.set_linkage(Linkage::Internal);
        run.mark("nounwind");
        let [stack, at, first] = run.parameters()[..] else { unreachable!("it was just given three parameters") };
        let [entry, turn, done] = ["entry", "turn", "done"].map(|name| run.append_block(name));
        let builder = Builder::at_end(entry);
        let place = builder.address_space_cast(builder.alloca(i32, "at"), pointer, "");
        builder.store(at, place, 0);
        builder.br(turn);
        builder.move_to_end(turn);
        let number = builder.phi(i32, "step");
        number.add_incoming(first, entry);
        let mut cases = Vec::new();
        for step in steps {
            let block = run.append_block("");
            let builder = Builder::at_end(block);
            number.add_incoming(builder.call(step.step, &[stack, place, number], ""), block);
            builder.br(turn);
            let numbers = step.resume.iter().map(|(number, _)| *number).chain([step.start]);
            cases.extend(numbers.map(|number| (self.number(number.into()), block)));
        }
        builder.switch(number, done, &cases);
        builder.move_to_end(done);
        builder.ret_void();
        run
    }

    /// Builds the function itself: it writes the first frame, calls the loop, and loads the result.
    fn enter(&self, step: &Step<'c>, run: Function<'c>) {
        let function = step.function;
        function.set_linkage(Linkage::Internal);
        let builder = Builder::at_end(function.append_block("entry"));
        let [stack, used] = own_stack(function);
        let up = builder.add(used, self.number(self.align - 1), "");
        let at = builder.binary(Opcode::And, up, self.number(self.align.wrapping_neg() & u64::from(u32::MAX)), "");
        let push = self.push(&builder, at, step.size());
        builder.move_to_end(push);
        let base = self.address(&builder, stack, at);
        builder.store(self.number(0), base, 0);
        let parameters = function.parameters();
        self.put_arguments(&builder, base, step, &parameters);
        builder.call(run, &[stack, at, self.number(step.start.into())], "");
        let result = function.function_type().result();
        builder.ret_result((!result.is_void()).then(|| {
            let at = builder.byte_offset(base, result_offset(self.module, result), "");
            get(self.module, &builder, result, at)
        }));
    }
}

//! Statements of kernels that a block of threads executes. Each thread has its part of the input and a number as its
//! result. Threads read the values of others only after a barrier, and barriers are where all threads come to.

use super::Generator;
use super::types::Ty;

/// The number of places in shared memory, more than a thread of the largest block adds to the largest distance.
const PLACES: u32 = 128;

impl Generator {
    /// The functions of the position, and the shared memory of a kernel.
    pub(super) fn declare_threads(&mut self) {
        for builtin in ["thread_id", "block_id", "block_dim", "grid_dim"] {
            for axis in ["x", "y", "z"] {
                self.module += &format!("declare i32 @__offload_{builtin}_{axis}()\n");
            }
        }
        self.module += "declare void @__offload_sync_threads()\n";
        self.module += "declare i64 @llvm.usub.sat.i64(i64, i64)\n";
        for name in ["pairs", "places"] {
            self.module +=
                &format!("@{name} = internal global [{PLACES} x i64] undef, section \".offload.shared\", align 16\n");
        }
    }

    /// The thread's number in its block, and its parts of the input and the output.
    pub(super) fn begin_thread(&mut self) {
        for (builtin, name) in [("thread_id", "t"), ("block_id", "b"), ("block_dim", "d"), ("grid_dim", "g")] {
            for axis in ["x", "y", "z"] {
                self.line(&format!("%{name}{axis} = call i32 @__offload_{builtin}_{axis}()"));
            }
        }
        self.line("%plane = mul i32 %tz, %dy");
        self.line("%line = add i32 %plane, %ty");
        self.line("%row = mul i32 %line, %dx");
        self.line("%number32 = add i32 %row, %tx");
        self.line("%number = zext i32 %number32 to i64");
        self.line("%in = getelementptr i64, ptr %all.in, i64 %number");
        self.line("%out = getelementptr i64, ptr %all.out, i64 %number");
        // Numbers that all threads have.
        self.line("%few = and i64 %n, 3");
        self.line("%shift = add i64 %few, 2");
        self.line("%many = and i64 %n, 63");
        self.line("%many32 = trunc i64 %many to i32");
    }

    /// Threads of a row up to a number do something, or all at an edge something else.
    pub(super) fn row_guard(&mut self) {
        let tag = self.name();
        let value = self.pick(&Ty::Int(64));
        let (predicate, limit) = self.one_of(&[("ult", "%many32"), ("uge", "%many32"), ("ne", "0"), ("ult", "5")]);
        self.line(&format!("%in{tag} = icmp {predicate} i32 %tx, {limit}"));
        self.line(&format!("br i1 %in{tag}, label %in{tag}.then, label %in{tag}.end"));
        self.label(&format!("in{tag}.then"));
        self.observe(&Ty::Int(64), &value);
        self.line(&format!("br label %in{tag}.end"));
        self.label(&format!("in{tag}.end"));
    }

    /// A barrier, perhaps in a loop that all threads run equally often, and a load that all of them do after it.
    pub(super) fn block_barrier(&mut self) {
        if self.depth > 0 {
            return;
        }
        let (tag, value, offset) = (self.name(), self.pick(&Ty::Int(64)), 8 * self.below(8));
        if self.below(2) == 0 {
            self.line("call void @__offload_sync_threads()");
            let at = self.set(&format!("getelementptr i8, ptr %all.in, i64 {offset}"));
            let loaded = self.value(&Ty::Int(64), &format!("load i64, ptr {at}"));
            self.observe(&Ty::Int(64), &loaded);
            return;
        }
        let from = self.block.clone();
        self.line(&format!("br label %each{tag}"));
        self.label(&format!("each{tag}"));
        self.line(&format!("%k{tag} = phi i64 [ 0, %{from} ], [ %next{tag}, %each{tag} ]"));
        self.line(&format!("%v{tag} = phi i64 [ {value}, %{from} ], [ %w{tag}, %each{tag} ]"));
        self.line(&format!("%w{tag} = mul i64 %v{tag}, 5"));
        self.observe(&Ty::Int(64), &format!("%w{tag}"));
        self.line("call void @__offload_sync_threads()");
        self.line(&format!("%next{tag} = add i64 %k{tag}, 1"));
        self.line(&format!("%more{tag} = icmp ult i64 %k{tag}, %few"));
        self.line(&format!("br i1 %more{tag}, label %each{tag}, label %last{tag}"));
        self.label(&format!("last{tag}"));
        self.values.push((Ty::Int(64), format!("%w{tag}")));
    }

    /// Sorts the thread's pair of numbers in shared memory.
    pub(super) fn exchange(&mut self) {
        if self.depth > 0 {
            return;
        }
        let (tag, ty) = (self.name(), Ty::Int(64));
        let [first, second] = [self.pick(&ty), self.pick(&ty)];
        self.line(&format!("%twice{tag} = shl i64 %number, 1"));
        self.line(&format!("%low{tag} = getelementptr i64, ptr @pairs, i64 %twice{tag}"));
        self.line(&format!("%high{tag} = getelementptr i64, ptr %low{tag}, i64 1"));
        self.line(&format!("store i64 {first}, ptr %low{tag}"));
        self.line(&format!("store i64 {second}, ptr %high{tag}"));
        self.line("call void @__offload_sync_threads()");
        self.line(&format!("%a{tag} = load i64, ptr %low{tag}"));
        self.line(&format!("%b{tag} = load i64, ptr %high{tag}"));
        self.line(&format!("%wrong{tag} = icmp ugt i64 %a{tag}, %b{tag}"));
        self.line(&format!("br i1 %wrong{tag}, label %exchange{tag}, label %sorted{tag}"));
        self.label(&format!("exchange{tag}"));
        self.line(&format!("store i64 %b{tag}, ptr %low{tag}"));
        self.line(&format!("store i64 %a{tag}, ptr %high{tag}"));
        self.line(&format!("br label %sorted{tag}"));
        self.label(&format!("sorted{tag}"));
        // Without the barrier, LLVM would forward the stored values.
        self.line("call void @__offload_sync_threads()");
        for place in ["low", "high"] {
            let sorted = self.value(&ty, &format!("load i64, ptr %{place}{tag}"));
            self.observe(&ty, &sorted);
        }
    }

    /// Reads the value of the thread at a distance, which is a power of two.
    pub(super) fn partner(&mut self) {
        if self.depth > 0 {
            return;
        }
        let (tag, value) = (self.name(), self.pick(&Ty::Int(64)));
        let shift = self.one_of(&["%shift", "%shift", "%few", "3"]);
        let operation =
            self.one_of(&["xor i64 %number, %distance", "and i64 %number, %mask", "and i64 %mask, %number"]);
        self.line(&format!("%own{tag} = getelementptr i64, ptr @places, i64 %number"));
        self.line(&format!("store i64 {value}, ptr %own{tag}"));
        self.line("call void @__offload_sync_threads()");
        self.line(&format!("%distance{tag} = shl i64 1, {shift}"));
        self.line(&format!("%mask{tag} = add i64 %distance{tag}, -1"));
        let operation = operation.replace("%distance", &format!("%distance{tag}"));
        self.line(&format!("%at{tag} = {}", operation.replace("%mask", &format!("%mask{tag}"))));
        self.line(&format!("%there{tag} = getelementptr i64, ptr @places, i64 %at{tag}"));
        let read = self.value(&Ty::Int(64), &format!("load i64, ptr %there{tag}"));
        self.observe(&Ty::Int(64), &read);
        self.line("call void @__offload_sync_threads()");
    }

    /// A loop from the thread's x in steps of the size of a row, as Rust's `step_by` has it.
    pub(super) fn counted_by_block(&mut self) {
        if self.depth > 0 {
            return;
        }
        let tag = self.name();
        self.line(&format!("%i{tag} = zext i32 %tx to i64"));
        self.line(&format!("%step{tag} = zext i32 %dx to i64"));
        self.line(&format!("%left{tag} = call i64 @llvm.usub.sat.i64(i64 %many, i64 %i{tag})"));
        self.line(&format!("%whole{tag} = udiv i64 %left{tag}, %step{tag}"));
        self.line(&format!("%rest{tag} = urem i64 %left{tag}, %step{tag}"));
        self.line(&format!("%has{tag} = icmp ne i64 %rest{tag}, 0"));
        self.line(&format!("%one{tag} = zext i1 %has{tag} to i64"));
        self.line(&format!("%count{tag} = add i64 %whole{tag}, %one{tag}"));
        self.line(&format!("%some{tag} = icmp ne i64 %count{tag}, 0"));
        let from = self.block.clone();
        self.line(&format!("br i1 %some{tag}, label %each{tag}, label %last{tag}"));
        self.label(&format!("each{tag}"));
        self.line(&format!("%k{tag} = phi i64 [ 0, %{from} ], [ %next{tag}, %each{tag} ]"));
        self.observe(&Ty::Int(64), &format!("%k{tag}"));
        self.line(&format!("%next{tag} = add i64 %k{tag}, 1"));
        self.line(&format!("%more{tag} = icmp ult i64 %next{tag}, %count{tag}"));
        self.line(&format!("br i1 %more{tag}, label %each{tag}, label %last{tag}"));
        self.label(&format!("last{tag}"));
        self.line("call void @__offload_sync_threads()");
    }

    /// A loop over numbers in steps of the size of the grid. It reads its part of the input, of which there is enough.
    pub(super) fn strided(&mut self) {
        if self.depth > 0 {
            return;
        }
        let tag = self.name();
        self.line(&format!("%before{tag} = mul i32 %bx, %dx"));
        self.line(&format!("%first{tag} = add i32 %before{tag}, %tx"));
        self.line(&format!("%start{tag} = zext i32 %first{tag} to i64"));
        self.line(&format!("%all{tag} = mul i32 %gx, %dx"));
        self.line(&format!("%step{tag} = zext i32 %all{tag} to i64"));
        self.line(&format!("%end{tag} = add i64 %many, 400"));
        self.line(&format!("%some{tag} = icmp ult i64 %start{tag}, %end{tag}"));
        let from = self.block.clone();
        self.line(&format!("br i1 %some{tag}, label %each{tag}, label %last{tag}"));
        self.label(&format!("each{tag}"));
        self.line(&format!("%i{tag} = phi i64 [ %start{tag}, %{from} ], [ %next{tag}, %each{tag} ]"));
        self.line(&format!("%from{tag} = getelementptr i64, ptr %all.in, i64 %i{tag}"));
        self.line(&format!("%read{tag} = load i64, ptr %from{tag}"));
        self.observe(&Ty::Int(64), &format!("%read{tag}"));
        self.line(&format!("%next{tag} = add i64 %i{tag}, %step{tag}"));
        self.line(&format!("%more{tag} = icmp ult i64 %next{tag}, %end{tag}"));
        self.line(&format!("br i1 %more{tag}, label %each{tag}, label %last{tag}"));
        self.label(&format!("last{tag}"));
    }
}

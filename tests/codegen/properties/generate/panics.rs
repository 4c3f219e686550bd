//! Statements that end a thread.

use super::types::Ty;
use super::{Feature, Generator};

/// Functions of Rust's that panic, and where.
pub(super) const PANIC_DECLARATIONS: &str = r#"
declare void @_ZN4core9panicking18panic_bounds_check17h0123456789abcdefE(i64, i64, ptr) noreturn
declare void @_ZN4core9panicking11panic_const24panic_const_add_overflow17h0123456789abcdefE(ptr) noreturn
declare void @_ZN4core9panicking5panic17h0123456789abcdefE(ptr, i64, ptr) noreturn
declare void @_ZN4core5slice5index24slice_end_index_len_fail17h0123456789abcdefE(i64, i64, ptr) noreturn
@file = private constant [4 x i8] c"a.rs"
@text = private constant [11 x i8] c"not reached"
@other = private constant [7 x i8] c"too far"
@place0 = private unnamed_addr constant <{ ptr, [16 x i8] }> <{ ptr @file, [16 x i8] c"\04\00\00\00\00\00\00\00\07\00\00\00\09\00\00\00" }>, align 8
@place1 = private unnamed_addr constant <{ ptr, [16 x i8] }> <{ ptr @file, [16 x i8] c"\04\00\00\00\00\00\00\00\08\00\00\00\05\00\00\00" }>, align 8
@place2 = private unnamed_addr constant <{ ptr, [16 x i8] }> <{ ptr @file, [16 x i8] c"\04\00\00\00\00\00\00\00\15\00\00\00\01\00\00\00" }>, align 8
"#;

impl Generator {
    /// A branch that a thread seldom takes, to a block that the caller ends.
    fn seldom(&mut self) -> String {
        let (number, tag, rest) = (self.input_word(), self.name(), self.below(12));
        let low = self.set(&format!("urem i64 {number}, 12"));
        let bit = self.set(&format!("icmp eq i64 {low}, {rest}"));
        self.line(&format!("br i1 {bit}, label %ends{tag}, label %goes{tag}"));
        self.label(&format!("ends{tag}"));
        format!("goes{tag}")
    }

    fn ends(&mut self, next: &str) {
        self.line("unreachable");
        self.label(next);
    }

    pub(super) fn rust_panic(&mut self) {
        let next = self.seldom();
        let (a, b) = (self.pick(&Ty::Int(64)), self.pick(&Ty::Int(64)));
        let place = if self.below(3) == 0 {
            let bit = self.condition();
            self.set(&format!("select i1 {bit}, ptr @place1, ptr @place2"))
        } else {
            format!("@place{}", self.below(3))
        };
        let (name, arguments) = match self.below(5) {
            0 => ("9panicking18panic_bounds_check", format!("i64 {a}, i64 {b}, ptr {place}")),
            1 => ("9panicking11panic_const24panic_const_add_overflow", format!("ptr {place}")),
            2 => ("9panicking5panic", format!("ptr @text, i64 11, ptr {place}")),
            3 => ("9panicking5panic", format!("ptr @other, i64 7, ptr {place}")),
            _ => ("5slice5index24slice_end_index_len_fail", format!("i64 {a}, i64 {b}, ptr {place}")),
        };
        self.line(&format!("call void @_ZN4core{name}17h0123456789abcdefE({arguments})"));
        self.ends(&next);
    }

    pub(super) fn panic(&mut self) {
        let next = self.seldom();
        let (a, b) = (self.pick(&Ty::Int(64)), self.pick(&Ty::Int(64)));
        let (message, place) = (1 + self.below(4), 1 + self.below(4));
        self.line(&format!("call void @__offload_panic(i32 {message}, i32 {place}, i64 {a}, i64 {b}, i64 3)"));
        self.ends(&next);
    }

    /// A loop with few iterations, in which a thread panics unless a number that changes by a constant compares with
    /// another one. The number and its limit are close to each other, or close to where numbers wrap around.
    pub(super) fn checked_loop(&mut self) {
        let (tag, ty) = (self.name(), self.one_of(&[Ty::Int(64), Ty::Int(32)]));
        let mut near_zero = || {
            let (word, offset) = (self.input_word(), self.below(30) as i64 - 15);
            let low = self.set(&format!("urem i64 {word}, 12"));
            let near = self.set(&format!("add i64 {low}, {offset}"));
            if ty == Ty::Int(64) { near } else { self.set(&format!("trunc i64 {near} to {ty}")) }
        };
        let (first, mut limit) = (near_zero(), near_zero());
        let word = self.input_word();
        let mut count = self.set(&format!("urem i64 {word}, 7"));
        let step = [1, -1, 1, 2, -3, 4, 64, -1000][self.below(8)];
        let mut predicate = ["ult", "ult", "ule", "ugt", "uge", "ne", "slt"][self.below(7)];
        // Some loops would run for very long, and the check ends them.
        if self.below(4) == 0 {
            count = self.set(&format!("or i64 {count}, 4611686018427387904"));
            limit = self.set(&format!("and {ty} {limit}, 31"));
            predicate = "ult";
        }
        let (from, is_late) = (self.block.clone(), self.below(2) == 0);
        self.line(&format!("br label %loop{tag}"));
        self.label(&format!("loop{tag}"));
        self.line(&format!("%i{tag} = phi {ty} [ {first}, %{from} ], [ %i.next{tag}, %next{tag} ]"));
        self.line(&format!("%k{tag} = phi i64 [ 0, %{from} ], [ %k.next{tag}, %next{tag} ]"));
        if is_late {
            self.line(&format!("%end{tag} = icmp uge i64 %k{tag}, {count}"));
            self.line(&format!("br i1 %end{tag}, label %done{tag}, label %test{tag}"));
            self.label(&format!("test{tag}"));
        }
        self.line(&format!("%holds{tag} = icmp {predicate} {ty} %i{tag}, {limit}"));
        self.line(&format!("br i1 %holds{tag}, label %next{tag}, label %ends{tag}"));
        self.label(&format!("ends{tag}"));
        self.line(&format!("call void @__offload_panic(i32 1, i32 2, i64 %k{tag}, i64 2, i64 3)"));
        self.ends(&format!("next{tag}"));
        self.line(&format!("call void @mix(ptr %out, i64 %k{tag})"));
        self.line(&format!("%i.next{tag} = add {ty} %i{tag}, {step}"));
        self.line(&format!("%k.next{tag} = add i64 %k{tag}, 1"));
        if is_late {
            self.line(&format!("br label %loop{tag}"));
        } else {
            self.line(&format!("%more{tag} = icmp ult i64 %k.next{tag}, {count}"));
            self.line(&format!("br i1 %more{tag}, label %loop{tag}, label %done{tag}"));
        }
        self.label(&format!("done{tag}"));
        self.values.push((ty, format!("%i{tag}")));
    }

    /// A branch or switch with two sides, each of which begins with a check that seldom fails.
    pub(super) fn checked_sides(&mut self) {
        let tag = self.name();
        let (word, numbers) = (self.input_word(), [self.pick(&Ty::Int(64)), self.pick(&Ty::Int(64))]);
        let has_second = self.below(3) != 0;
        if self.below(2) == 0 {
            let low = self.set(&format!("and i64 {word}, 3"));
            let cases = format!("[ i64 0, label %one{tag} i64 2, label %two{tag} ]");
            self.line(&format!("switch i64 {low}, label %after{tag} {cases}"));
        } else {
            let bit = self.condition();
            self.line(&format!("br i1 {bit}, label %one{tag}, label %two{tag}"));
        }
        for (side, number) in ["one", "two"].into_iter().zip(numbers) {
            self.label(&format!("{side}{tag}"));
            if side == "one" || has_second {
                let (place, rest) = (1 + self.below(4), self.below(8));
                let low = self.set(&format!("and i64 {number}, 7"));
                let (predicate, sides) =
                    if self.below(2) == 0 { ("eq", ["ends", "goes"]) } else { ("ne", ["goes", "ends"]) };
                let bit = self.set(&format!("icmp {predicate} i64 {low}, {rest}"));
                let [first, second] = sides;
                self.line(&format!("br i1 {bit}, label %{first}{side}{tag}, label %{second}{side}{tag}"));
                self.label(&format!("ends{side}{tag}"));
                self.line(&format!("call void @__offload_panic(i32 1, i32 {place}, i64 {low}, i64 {number}, i64 3)"));
                self.ends(&format!("goes{side}{tag}"));
            }
            self.line(&format!("call void @mix(ptr %out, i64 {number})"));
            self.line(&format!("br label %after{tag}"));
        }
        self.label(&format!("after{tag}"));
    }

    pub(super) fn leave(&mut self) {
        let next = self.seldom();
        self.line("call void @__offload_leave()");
        self.ends(&next);
    }

    pub(super) fn barrier(&mut self) {
        self.line("call void @_Z22__spirv_ControlBarrierjjj(i32 2, i32 2, i32 784)");
    }

    pub(super) fn trap(&mut self) {
        let next = self.seldom();
        self.line("call void @llvm.trap()");
        self.ends(&next);
    }

    /// A cross-lane operation, whose mask has lane 0, the only one that runs.
    pub(super) fn mask(&mut self) {
        let ty = Ty::Int(32);
        let (value, number) = (self.pick(&ty), self.input_word());
        let mask = self.set(&format!("or i64 {number}, 1"));
        let distance = self.below(4);
        match self.below(3) {
            0 => {
                self.value(
                    &ty,
                    &format!("call i32 @__offload_shuffle_xor_sync(i64 {mask}, i32 {value}, i32 {distance})"),
                );
            }
            1 => {
                let bit = self.condition();
                self.value(&Ty::Int(64), &format!("call i64 @__offload_ballot_sync(i64 {mask}, i1 {bit})"));
            }
            _ => self.line(&format!("call void @__offload_sync_warp(i64 {mask})")),
        }
    }

    /// The declarations of the contract that the features call.
    pub(super) fn declare_contract(&mut self) {
        let rows: [(Feature, &str); 11] = [
            (Feature::CheckedLoops, "declare void @__offload_panic(i32, i32, i64, i64, i64)"),
            (Feature::CheckedSides, "declare void @__offload_panic(i32, i32, i64, i64, i64)"),
            (Feature::Panics, "declare void @__offload_panic(i32, i32, i64, i64, i64)"),
            (Feature::Leaves, "declare void @__offload_leave()"),
            (Feature::Barriers, "declare void @_Z22__spirv_ControlBarrierjjj(i32, i32, i32)"),
            (Feature::Unwinding, "declare i32 @rust_eh_personality(...)"),
            (Feature::LaunchState, "declare ptr @__offload_launch_state()"),
            (
                Feature::Heap,
                "declare ptr @_RNvCs2_7___rustc12___rust_alloc(i64, i64)\n\
                 declare ptr @_RNvCs2_7___rustc19___rust_alloc_zeroed(i64, i64)\n\
                 declare ptr @_RNvCs2_7___rustc14___rust_realloc(ptr, i64, i64, i64)\n\
                 declare void @_RNvCs2_7___rustc14___rust_dealloc(ptr, i64, i64)",
            ),
            (
                Feature::Masks,
                "declare i32 @__offload_shuffle_xor_sync(i64, i32, i32)\ndeclare i64 @__offload_ballot_sync(i64, i1)\n\
                 declare void @__offload_sync_warp(i64)\ndeclare i32 @__offload_lane_id()",
            ),
            (
                Feature::LanePanic,
                "define internal void @offload_lane_panic(i32, i32, i64, i64) noreturn cold {\n  \
                 call void @__offload_leave()\n  unreachable\n}\ndeclare void @__offload_leave()",
            ),
            (Feature::RustPanics, PANIC_DECLARATIONS),
        ];
        for (feature, declarations) in rows {
            if self.has(feature) {
                self.module += &format!("{declarations}\n");
            }
        }
        if self.has(Feature::Large) {
            self.define_large();
        }
        if self.has(Feature::AtomicCalls) {
            self.declare_atomics();
        }
    }
}

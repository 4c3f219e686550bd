//! Control flow, calls, and functions of the contract.

use std::fmt::Write;

use super::types::{INTEGERS, Ty};
use super::{Feature, Generator, Signature};

/// The instructions of a large function, and its calls in one statement. A kernel with two such statements is too large
/// to inline all.
const LARGE_STEPS: usize = 400;
const LARGE_CALLS: usize = 30;

impl Generator {
    /// A diamond, a switch or a loop.
    pub(super) fn branch(&mut self) {
        if self.depth > 1 {
            return;
        }
        self.depth += 1;
        match self.below(3) {
            0 => self.diamond(),
            1 => self.switch(),
            _ => self.rounds(),
        }
        self.depth -= 1;
    }

    /// Statements whose values are gone afterwards; a value of the type.
    fn side(&mut self, label: &str, ty: &Ty) -> (String, String) {
        let known = self.values.len();
        self.label(label);
        let count = 1 + self.below(3);
        self.statements(count);
        let result = self.pick(ty);
        self.values.truncate(known);
        (result, self.block.clone())
    }

    fn diamond(&mut self) {
        let (bit, tag, ty) = (self.condition(), self.name(), self.ty());
        self.line(&format!("br i1 {bit}, label %then{tag}, label %else{tag}"));
        let (a, from_a) = self.side(&format!("then{tag}"), &ty);
        self.line(&format!("br label %end{tag}"));
        let (b, from_b) = self.side(&format!("else{tag}"), &ty);
        self.line(&format!("br label %end{tag}"));
        self.label(&format!("end{tag}"));
        self.value(&ty, &format!("phi {ty} [ {a}, %{from_a} ], [ {b}, %{from_b} ]"));
    }

    fn switch(&mut self) {
        let (on, tag, ty) = (self.one_of(&INTEGERS), self.name(), self.ty());
        let number = self.make(&on);
        let chosen = self.set(&format!("and {on} {number}, 3"));
        // Two cases have one block.
        self.line(&format!(
            "switch {on} {chosen}, label %other{tag} [ {on} 1, label %one{tag} {on} 2, label %two{tag} {on} 3, label %one{tag} ]"
        ));
        let mut incoming = Vec::new();
        for side in ["one", "two", "other"] {
            let (value, from) = self.side(&format!("{side}{tag}"), &ty);
            self.line(&format!("br label %end{tag}"));
            incoming.push(format!("[ {value}, %{from} ]"));
        }
        self.label(&format!("end{tag}"));
        self.value(&ty, &format!("phi {ty} {}", incoming.join(", ")));
    }

    /// One to four rounds, with a value that goes from round to round.
    fn rounds(&mut self) {
        let (number, tag, ty) = (self.input_word(), self.name(), self.ty());
        let (first, start) = (self.pick(&ty), self.block.clone());
        let most = self.set(&format!("and i64 {number}, 3"));
        let start = if self.block == start { start } else { self.block.clone() };
        self.line(&format!("br label %loop{tag}"));
        let known = self.values.len();
        self.label(&format!("loop{tag}"));
        // The ends of the round are known when its statements are.
        let head = self.body.len();
        self.values.extend([(Ty::Int(64), format!("%round{tag}")), (ty, format!("%carried{tag}"))]);
        let count = 2 + self.below(3);
        self.statements(count);
        let next = self.pick(&ty);
        let more = self.set(&format!("icmp ult i64 %round{tag}, {most}"));
        self.line(&format!("%next{tag} = add i64 %round{tag}, 1"));
        let end = self.block.clone();
        self.line(&format!("br i1 {more}, label %loop{tag}, label %end{tag}"));
        let phis = format!(
            "  %round{tag} = phi i64 [ 0, %{start} ], [ %next{tag}, %{end} ]\n  \
             %carried{tag} = phi {ty} [ {first}, %{start} ], [ {next}, %{end} ]\n"
        );
        self.body.insert_str(head, &phis);
        self.values.truncate(known);
        self.label(&format!("end{tag}"));
        // Values of the last round leave the loop.
        self.value(&ty, &format!("phi {ty} [ {next}, %{end} ]"));
    }

    pub(super) fn wide_switch(&mut self) {
        if self.depth > 1 {
            return;
        }
        self.depth += 1;
        let (ty, tag) = (Ty::Int(128), self.name());
        let number = self.make(&Ty::Int(32));
        let low = self.set(&format!("and i32 {number}, 3"));
        let wide = self.set(&format!("zext i32 {low} to i128"));
        let high = self.set(&format!("shl i128 {wide}, 70"));
        self.line(&format!(
            "switch i128 {high}, label %other{tag} [ i128 1180591620717411303424, label %one{tag} \
             i128 2361183241434822606848, label %two{tag} i128 2, label %other{tag} ]"
        ));
        let mut incoming = Vec::new();
        for side in ["one", "two", "other"] {
            let (value, from) = self.side(&format!("{side}{tag}"), &ty);
            self.line(&format!("br label %end{tag}"));
            incoming.push(format!("[ {value}, %{from} ]"));
        }
        self.label(&format!("end{tag}"));
        self.value(&ty, &format!("phi {ty} {}", incoming.join(", ")));
        self.depth -= 1;
    }

    /// The arguments of a call.
    fn arguments(&mut self, callee: &Signature) -> String {
        let number = self.input_word();
        let mut arguments = format!("ptr %in, ptr %out, i64 {number}");
        for ty in &callee.parameters {
            let value = self.pick(ty);
            write!(arguments, ", {ty} {value}").expect("a string takes everything");
        }
        if let Some(ty) = &callee.by_value {
            let at = self.alloca(&ty.to_string(), 8);
            for index in 0..ty.length() {
                let (field, value) = (ty.field(index), self.make(&ty.field(index)));
                let part = self.set(&format!("getelementptr {ty}, ptr {at}, i64 0, i32 {index}"));
                self.line(&format!("store {field} {value}, ptr {part}"));
            }
            write!(arguments, ", ptr byval({ty}) align 8 {at}").expect("a string takes everything");
        }
        arguments
    }

    /// Calls a function of the kernel. Without recursion, it is one that comes after this function.
    pub(super) fn call(&mut self) {
        let recursive = self.has(Feature::Recursion);
        let callee = if recursive { Some(self.one_of(&self.functions.clone())) } else { self.callee() };
        let Some(callee) = callee else { return };
        let (arguments, name) = (self.arguments(&callee), callee.name.clone());
        if recursive {
            self.call_with_fuel(&callee, &name, &arguments);
        } else {
            let result = callee.result;
            self.value(&result, &format!("call {result} {name}({arguments})"));
        }
        // The callee has changed its own copy. An optimiser can see that, so the load is volatile.
        if let (Some(ty), Some((_, at))) = (callee.by_value, arguments.rsplit_once(' ')) {
            let field = ty.field(0);
            let kept = self.set(&format!("load volatile {field}, ptr {at}"));
            self.observe(&field, &kept);
        }
    }

    /// A function that this one may call without a cycle: functions call those with smaller numbers.
    pub(super) fn callee(&mut self) -> Option<Signature> {
        if self.finished == 0 {
            return None;
        }
        let index = self.below(self.finished);
        Some(self.functions[index].clone())
    }

    /// A call that ends a cycle when the fuel is used up.
    fn call_with_fuel(&mut self, callee: &Signature, target: &str, arguments: &str) {
        let (tag, ty) = (self.name(), callee.result);
        let other = self.pick(&ty);
        let fuel = self.set("load i32, ptr @fuel");
        let some = self.set(&format!("icmp ne i32 {fuel}, 0"));
        let start = self.block.clone();
        self.line(&format!("br i1 {some}, label %call{tag}, label %end{tag}"));
        self.label(&format!("call{tag}"));
        let less = self.set(&format!("sub i32 {fuel}, 1"));
        self.line(&format!("store i32 {less}, ptr @fuel"));
        let result = self.set(&format!("call {ty} {target}({arguments})"));
        self.line(&format!("br label %end{tag}"));
        self.label(&format!("end{tag}"));
        self.value(&ty, &format!("phi {ty} [ {result}, %call{tag} ], [ {other}, %{start} ]"));
    }

    pub(super) fn function_table(&mut self) {
        let k = self.kernel;
        let names: Vec<_> = [0, 1, 2, 0].iter().map(|n| format!("ptr @k{k}_f{n}")).collect();
        let names = names.join(", ");
        writeln!(
            self.module,
            "@k{k}_functions = internal constant [4 x ptr] [{names}]\n@k{k}_kept = internal global ptr null"
        )
        .expect("a string takes everything");
    }

    pub(super) fn indirect_call(&mut self) {
        let k = self.kernel;
        let callee = self.functions[0].clone();
        let (arguments, bit) = (self.arguments(&callee), self.condition());
        let pointer = match self.below(5) {
            0 => self.set(&format!("select i1 {bit}, ptr @k{k}_f0, ptr @k{k}_f1")),
            1 | 2 => {
                let number = self.input_word();
                let index = self.set(&format!("and i64 {number}, 3"));
                let at = self.set(&format!("getelementptr ptr, ptr @k{k}_functions, i64 {index}"));
                self.set(&format!("load ptr, ptr {at}"))
            }
            3 => {
                let slot = self.alloca("ptr", 8);
                let chosen = self.set(&format!("select i1 {bit}, ptr @k{k}_f2, ptr @k{k}_f0"));
                self.line(&format!("store ptr {chosen}, ptr {slot}"));
                self.set(&format!("load ptr, ptr {slot}"))
            }
            _ => {
                self.line(&format!("store ptr @k{k}_f1, ptr @k{k}_kept"));
                self.set(&format!("load ptr, ptr @k{k}_kept"))
            }
        };
        let same = self.set(&format!("icmp eq ptr {pointer}, @k{k}_f0"));
        self.observe(&Ty::Int(1), &same);
        let some = self.set(&format!("icmp ne ptr {pointer}, null"));
        self.observe(&Ty::Int(1), &some);
        self.call_with_fuel(&callee, &pointer, &arguments);
    }

    /// A function that is called so often that its kernel would be too large with all copies inlined.
    pub(super) fn define_large(&mut self) {
        self.module += "define internal i64 @large(i64 %x, { i64, i32 } %pair) noinline {\n";
        self.module += "  %part = extractvalue { i64, i32 } %pair, 0\n  %v0 = add i64 %x, %part\n";
        for step in 1..LARGE_STEPS {
            let opcode = ["add", "xor", "mul"][step % 3];
            self.module += &format!("  %v{step} = {opcode} i64 %v{}, {}\n", step - 1, 2 * step + 1);
        }
        let last = LARGE_STEPS - 1;
        if self.has(Feature::Leaves) {
            self.module += &format!("  %low = and i64 %v{last}, 127\n  %ends = icmp eq i64 %low, 5\n");
            self.module += "  br i1 %ends, label %leaves, label %goes\nleaves:\n";
            self.module += "  call void @__offload_leave()\n  unreachable\ngoes:\n";
        }
        self.module += &format!("  ret i64 %v{last}\n}}\n");
    }

    pub(super) fn large_call(&mut self) {
        let mut value = self.pick(&Ty::Int(64));
        for _ in 0..LARGE_CALLS {
            let pair = self.set(&format!("insertvalue {{ i64, i32 }} {{ i64 3, i32 4 }}, i64 {value}, 0"));
            value = self.set(&format!("call i64 @large(i64 {value}, {{ i64, i32 }} {pair})"));
        }
        self.values.push((Ty::Int(64), value));
    }

    /// A call that would continue elsewhere if the callee unwound.
    pub(super) fn invoke(&mut self) {
        let Some(callee) = self.callee() else { return };
        let (arguments, tag, ty) = (self.arguments(&callee), self.name(), callee.result);
        let name = format!("%{}", self.name());
        self.line(&format!(
            "{name} = invoke {ty} {}({arguments}) to label %next{tag} unwind label %pad{tag}",
            callee.name
        ));
        self.label(&format!("pad{tag}"));
        self.line(&format!("%caught{tag} = landingpad {{ ptr, i32 }} cleanup"));
        self.line("call void @mix(ptr %out, i64 1)");
        self.line(&format!("resume {{ ptr, i32 }} %caught{tag}"));
        self.label(&format!("next{tag}"));
        self.values.push((ty, name));
    }

    pub(super) fn launch_state(&mut self) {
        let state = self.set("call ptr @__offload_launch_state()");
        let offset = self.below(8) * 8 + 256;
        let at = self.set(&format!("getelementptr i8, ptr {state}, i64 {offset}"));
        self.value(&Ty::Int(64), &format!("load i64, ptr {at}"));
    }

    /// An allocation that is written, grown, read and freed.
    pub(super) fn heap(&mut self) {
        let (number, size) = (self.pick(&Ty::Int(64)), 8 * (1 + self.below(4)));
        let align = 1 << self.below(6);
        let name = ["alloc", "alloc_zeroed"][self.below(2)];
        let memory =
            self.set(&format!("call ptr @_RNvCs2_7___rustc{}___rust_{name}(i64 {size}, i64 {align})", 7 + name.len()));
        if name == "alloc_zeroed" {
            let zero = self.set(&format!("load i64, ptr {memory}, align 1"));
            self.observe(&Ty::Int(64), &zero);
        }
        self.line(&format!("store i64 {number}, ptr {memory}, align 1"));
        let more = size + 16;
        let (grown, size) = if self.below(2) == 0 {
            let call =
                format!("@_RNvCs2_7___rustc14___rust_realloc(ptr {memory}, i64 {size}, i64 {align}, i64 {more})");
            (self.set(&format!("call ptr {call}")), more)
        } else {
            (memory, size)
        };
        let bits = self.set(&format!("ptrtoint ptr {grown} to i64"));
        let rest = self.set(&format!("and i64 {bits}, {}", align - 1));
        self.observe(&Ty::Int(64), &rest);
        self.value(&Ty::Int(64), &format!("load i64, ptr {grown}, align 1"));
        if self.below(2) == 0 {
            self.line(&format!("call void @_RNvCs2_7___rustc14___rust_dealloc(ptr {grown}, i64 {size}, i64 {align})"));
        }
    }

    /// An instruction of every x86-64 processor.
    pub(super) fn host_instruction(&mut self) {
        let (words, shorts) = (Ty::Vector(4, &Ty::Int(32)), Ty::Vector(8, &Ty::Int(16)));
        let (bytes, floats) = (Ty::Vector(16, &Ty::Int(8)), Ty::Vector(4, &Ty::Float));
        let rows: [(&str, Ty, Ty); 12] = [
            ("sse2.packssdw.128", words, shorts),
            ("sse2.packsswb.128", shorts, bytes),
            ("sse2.packuswb.128", shorts, bytes),
            ("sse2.pmadd.wd", shorts, words),
            ("sse2.psad.bw", bytes, Ty::Vector(2, &Ty::Int(64))),
            ("sse2.psll.w", shorts, shorts),
            ("sse2.psrl.d", words, words),
            ("sse2.psra.d", words, words),
            ("sse2.psra.w", shorts, shorts),
            ("sse.min.ps", floats, floats),
            ("sse.max.ss", floats, floats),
            ("sse.min.ss", floats, floats),
        ];
        match self.below(6) {
            0 => {
                let name = ["addcarry", "subborrow"][self.below(2)];
                let (carry, a, b) = (self.condition(), self.make(&Ty::Int(64)), self.make(&Ty::Int(64)));
                let carry = self.set(&format!("zext i1 {carry} to i8"));
                let both = self.set(&format!("call {{ i8, i64 }} @llvm.x86.{name}.64(i8 {carry}, i64 {a}, i64 {b})"));
                let carry = self.set(&format!("extractvalue {{ i8, i64 }} {both}, 0"));
                self.observe(&Ty::Int(8), &carry);
                self.value(&Ty::Int(64), &format!("extractvalue {{ i8, i64 }} {both}, 1"));
            }
            1 => {
                let (name, ty) = [
                    ("sse2.pmovmskb.128", bytes),
                    ("sse.movmsk.ps", floats),
                    ("sse.cvtss2si", floats),
                    ("sse.cvttss2si", floats),
                ][self.below(4)];
                let a = self.make(&ty);
                self.value(&Ty::Int(32), &format!("call i32 @llvm.x86.{name}({ty} {a})"));
            }
            // All comparisons of two values, which are often equal.
            2 => {
                let doubles = Ty::Vector(2, &Ty::Double);
                let (set, ty, suffix) = [("sse", floats, "ss"), ("sse2", doubles, "sd")][self.below(2)];
                let comparison = ["comi", "ucomi"][self.below(2)];
                let a = self.make(&ty);
                let b = if self.below(2) == 0 { a.clone() } else { self.make(&ty) };
                for kind in ["eq", "lt", "le", "gt", "ge", "neq"] {
                    let name = format!("{set}.{comparison}{kind}.{suffix}");
                    let holds = self.value(&Ty::Int(32), &format!("call i32 @llvm.x86.{name}({ty} {a}, {ty} {b})"));
                    self.observe(&Ty::Int(32), &holds);
                }
            }
            _ => {
                let (name, ty, result) = rows[self.below(rows.len())];
                let (a, b) = (self.make(&ty), self.make(&ty));
                let small = if name.contains("psll") || name.contains("psr") {
                    self.set(&format!("and {ty} {b}, {}", amount_mask(&ty)))
                } else {
                    b
                };
                self.value(&result, &format!("call {result} @llvm.x86.{name}({ty} {a}, {ty} {small})"));
            }
        }
    }
}

/// A constant that leaves a shift amount below 32, mostly below the width.
fn amount_mask(ty: &Ty) -> String {
    let element = ty.element();
    let parts: Vec<_> = (0..ty.length()).map(|i| format!("{element} {}", if i == 0 { 31 } else { 0 })).collect();
    format!("<{}>", parts.join(", "))
}

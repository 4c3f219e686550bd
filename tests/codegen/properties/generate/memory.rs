//! Statements about memory.

use std::fmt::Write;

use super::types::{ARRAYS, INTEGERS, STRUCTS, Ty};
use super::{Feature, Generator};

const BYTES: usize = 64;
const ORDERINGS: [&str; 5] = ["monotonic", "acquire", "release", "acq_rel", "seq_cst"];
const SCOPES: [&str; 4] = ["", "syncscope(\"device\") ", "syncscope(\"workgroup\") ", "syncscope(\"subgroup\") "];
/// The contract's numbers of orderings.
const NUMBERS: [u32; 5] = [0, 2, 3, 4, 5];

impl Generator {
    /// 64 bytes of a function's own, whose contents are known. The lowest bits of the address, which a large alignment
    /// makes zero, are added to the first number.
    pub(super) fn local(&mut self) {
        let align = if self.has(Feature::OddMemory) { [16, 128, 256][self.below(3)] } else { 16 };
        let local = self.alloca("[8 x i64]", align);
        for word in 0..8 {
            let (mut number, at) = (self.below(1 << 40).to_string(), self.offset(&local, word * 8));
            if word == 0 && align > 16 {
                let address = self.set(&format!("ptrtoint ptr {local} to i64"));
                let low = self.set(&format!("and i64 {address}, {}", align - 1));
                number = self.set(&format!("add i64 {low}, {number}"));
            }
            self.line(&format!("store i64 {number}, ptr {at}"));
        }
        self.locals.push(local);
    }

    fn offset(&mut self, base: &str, bytes: usize) -> String {
        self.set(&format!("getelementptr i8, ptr {base}, i64 {bytes}"))
    }

    /// The statics of the kernel.
    pub(super) fn statics(&mut self) {
        let k = self.kernel;
        let numbers: Vec<_> = (0..16).map(|_| format!("i32 {}", self.below(1 << 31))).collect();
        let [table, seven] = [&numbers[..], &numbers[..7]].map(|all| all.join(", "));
        let mut text = format!("\n@k{k}_table = internal constant [16 x i32] [{table}]\n");
        if self.uses_statics() {
            text += &format!("@k{k}_state = internal global [8 x i64] zeroinitializer, align 16\n");
            text += &format!(
                "@k{k}_tile = internal global [8 x i64] zeroinitializer, section \".offload.shared\", align 16\n"
            );
            text += &format!("@k{k}_where = internal constant [2 x ptr] [ptr @k{k}_table, ptr @k{k}_state]\n");
        }
        if self.has(Feature::OddMemory) {
            let wide = (1 + self.below(99)) as u128 * 12_345_678_901_234_567_890_123;
            text += &format!("@k{k}_seven = internal constant <7 x i32> <{seven}>\n");
            text += &format!("@k{k}_wide = internal constant [2 x i128] [i128 {wide}, i128 -{wide}], align 16\n");
        }
        if self.has(Feature::Distances) {
            let distance = |at: usize| {
                format!(
                    "i32 trunc (i64 sub (i64 ptrtoint (ptr getelementptr (i8, ptr @k{k}_table, i64 {at}) to i64), \
                     i64 ptrtoint (ptr @k{k}_distances to i64)) to i32)"
                )
            };
            let all: Vec<_> = (0..4).map(|_| distance(self.below(16) * 4)).collect();
            text += &format!("@k{k}_distances = internal constant [4 x i32] [{}]\n", all.join(", "));
        }
        if self.has(Feature::SharedNulls) {
            text += &format!("@k{k}_near = internal addrspace(3) global [8 x i64] poison, align 16\n");
        }
        if self.has(Feature::ReturnedPointers) {
            text += &format!(
                "define internal ptr @k{k}_choose(ptr %a, ptr %b, i1 %c, i64 %n) noinline {{
  br i1 %c, label %one, label %two
one:
  %p = getelementptr i64, ptr %a, i64 %n
  ret ptr %p
two:
  %q = getelementptr i32, ptr %b, i64 %n
  ret ptr %q
}}
"
            );
        }
        if self.has(Feature::Aliases) {
            let at = self.below(8) * 8;
            text += &format!("@k{k}_alias = internal alias i32, getelementptr (i8, ptr @k{k}_state, i64 {at})\n");
        }
        self.module += &text;
    }

    pub(super) fn uses_locals(&self) -> bool {
        use Feature::{AtomicCalls, LongCopies, Masked};
        self.uses_statics() || [AtomicCalls, LongCopies, Masked].iter().any(|feature| self.has(*feature))
    }

    fn uses_statics(&self) -> bool {
        use Feature::{Aliases, Atomics, Copies, Memory, Pointers, ReturnedPointers};
        [Aliases, Atomics, Copies, Memory, Pointers, ReturnedPointers].iter().any(|feature| self.has(*feature))
    }

    /// Workgroup memory has no value at first.
    pub(super) fn begin_statics(&mut self) {
        if self.uses_statics() {
            for word in 0..8 {
                let (value, tile) = (self.input_word(), format!("@k{}_tile", self.kernel));
                let at = self.offset(&tile, word * 8);
                self.line(&format!("store i64 {value}, ptr {at}"));
            }
        }
    }

    /// 64 bytes that can be written, aligned to 16.
    fn place(&mut self) -> String {
        let local = self.one_of(&self.locals.clone());
        match self.below(4) {
            0 if self.uses_statics() => format!("@k{}_state", self.kernel),
            1 if self.uses_statics() => format!("@k{}_tile", self.kernel),
            _ => local,
        }
    }

    /// An address in a place where `bytes` bytes follow, aligned to 4.
    fn address(&mut self, bytes: usize) -> String {
        let (base, slots) = (self.place(), (BYTES - bytes) / 4 + 1);
        if self.below(2) == 0 {
            let at = self.below(slots) * 4;
            return self.offset(&base, at);
        }
        let number = self.make(&INTEGERS[1]);
        let slot = self.set(&format!("urem i32 {number}, {slots}"));
        let wide = self.set(&format!("zext i32 {slot} to i64"));
        self.set(&format!("getelementptr i32, ptr {base}, i64 {wide}"))
    }

    pub(super) fn memory(&mut self) {
        let ty = self.one_of(&INTEGERS);
        let volatile = ["", "", "", "volatile "][self.below(4)];
        match self.below(4) {
            0 => {
                let (value, at) = (self.pick(&ty), self.address(8));
                self.line(&format!("store {volatile}{ty} {value}, ptr {at}, align 1"));
            }
            1 => {
                let at = self.address(8);
                self.value(&ty, &format!("load {volatile}{ty}, ptr {at}, align 1"));
            }
            2 => {
                let number = self.make(&INTEGERS[3]);
                let index = self.set(&format!("and i8 {number}, 15"));
                let table = format!("@k{}_table", self.kernel);
                let at = self.set(&format!("getelementptr i32, ptr {table}, i8 {index}"));
                self.value(&INTEGERS[1], &format!("load i32, ptr {at}"));
            }
            _ => {
                // A value of any type goes through separate memory, because it may have padding.
                let ty = self.ty();
                let (value, at) = (self.pick(&ty), self.alloca(&ty.to_string(), 32));
                self.line(&format!("store {ty} {value}, ptr {at}"));
                self.value(&ty, &format!("load {ty}, ptr {at}"));
            }
        }
    }

    pub(super) fn odd_memory(&mut self) {
        let k = self.kernel;
        let number = self.make(&INTEGERS[1]);
        match self.below(4) {
            0 => {
                let seven = Ty::Vector(7, &Ty::Int(32));
                let (value, at) = (self.make(&seven), self.alloca("<7 x i32>", 32));
                self.line(&format!("store <7 x i32> {value}, ptr {at}"));
                let index = self.set(&format!("urem i32 {number}, 7"));
                let part = self.set(&format!("getelementptr <7 x i32>, ptr {at}, i64 0, i32 {index}"));
                self.value(&INTEGERS[1], &format!("load i32, ptr {part}"));
            }
            1 => {
                let index = self.set(&format!("urem i32 {number}, 7"));
                let part = self.set(&format!("getelementptr <7 x i32>, ptr @k{k}_seven, i64 0, i32 {index}"));
                self.value(&INTEGERS[1], &format!("load i32, ptr {part}"));
            }
            2 => {
                let index = self.set(&format!("and i32 {number}, 1"));
                let part = self.set(&format!("getelementptr i128, ptr @k{k}_wide, i32 {index}"));
                self.value(&Ty::Int(128), &format!("load i128, ptr {part}"));
            }
            _ => {
                let align = [128_u32, 512][self.below(2)];
                let at = self.alloca("[3 x i32]", align);
                let bits = self.set(&format!("ptrtoint ptr {at} to i64"));
                let rest = self.set(&format!("and i64 {bits}, {}", align - 1));
                self.observe(&Ty::Int(64), &rest);
                let last = self.offset(&at, 8);
                self.line(&format!("store i32 {number}, ptr {last}"));
                self.value(&INTEGERS[1], &format!("load i32, ptr {last}"));
            }
        }
    }

    pub(super) fn copy(&mut self) {
        let size = 1 + self.below(32);
        self.copy_of(&size.to_string());
    }

    pub(super) fn long_copy(&mut self) {
        let number = self.input_word();
        let size = self.set(&format!("and i64 {number}, 31"));
        self.copy_of(&size);
    }

    /// A copy, move or fill of at most 32 bytes, and a load of the written bytes.
    fn copy_of(&mut self, size: &str) {
        let (first, second) = (self.locals[0].clone(), self.locals[1].clone());
        let (from, to) = (self.below(32), self.below(32));
        let [here, there] = [self.offset(&first, from), self.offset(&second, to)];
        let volatile = self.below(6) == 0;
        match self.below(4) {
            0 => {
                let byte = self.make(&INTEGERS[3]);
                let byte = [byte, "7".to_owned()][self.below(2)].clone();
                self.line(&format!("call void @llvm.memset.p0.i64(ptr {there}, i8 {byte}, i64 {size}, i1 {volatile})"));
            }
            1 => {
                let near = self.offset(&second, from);
                self.line(&format!(
                    "call void @llvm.memmove.p0.p0.i64(ptr {there}, ptr {near}, i64 {size}, i1 {volatile})"
                ));
            }
            2 => self.line(&format!(
                "call void @llvm.memcpy.p0.p0.i64(ptr align 16 {second}, ptr align 16 {first}, i64 {size}, i1 false)"
            )),
            _ => self
                .line(&format!("call void @llvm.memcpy.p0.p0.i64(ptr {there}, ptr {here}, i64 {size}, i1 {volatile})")),
        }
        for word in 0..8 {
            let at = self.offset(&second, word * 8);
            let loaded = self.set(&format!("load i64, ptr {at}"));
            self.observe(&Ty::Int(64), &loaded);
        }
        let (number, at) = (self.pick(&Ty::Int(64)), self.below(8) * 8);
        let at = self.offset(&first, at);
        self.line(&format!("store i64 {number}, ptr {at}"));
    }

    /// Pointers that meet.
    pub(super) fn pointer(&mut self) {
        let (a, b, bit) = (self.place(), self.place(), self.condition());
        let chosen = match self.below(6) {
            0 => self.set(&format!("select i1 {bit}, ptr {a}, ptr {b}")),
            1 => {
                let slot = self.alloca("ptr", 8);
                self.line(&format!("store ptr {a}, ptr {slot}"));
                self.set(&format!("load ptr, ptr {slot}"))
            }
            2 => {
                let first = self.set(&format!("ptrtoint ptr {a} to i64"));
                let moved = self.set(&format!("add i64 {first}, 8"));
                self.set(&format!("inttoptr i64 {moved} to ptr"))
            }
            3 => {
                let some = self.set(&format!("select i1 {bit}, ptr {a}, ptr null"));
                let none = self.set(&format!("icmp eq ptr {some}, null"));
                self.observe(&Ty::Int(1), &none);
                self.set(&format!("select i1 {none}, ptr {b}, ptr {some}"))
            }
            4 => {
                let other = self.condition();
                let joined = self.set(&format!("select i1 {other}, ptr {a}, ptr {b}"));
                self.diamond_of(&bit, &joined, &b)
            }
            _ => {
                let index = self.set(&format!("zext i1 {bit} to i64"));
                let slot = self.set(&format!("getelementptr ptr, ptr @k{}_where, i64 {index}", self.kernel));
                self.set(&format!("load ptr, ptr {slot}"))
            }
        };
        let at = self.below(7) * 8;
        let part = self.offset(&chosen, at);
        self.value(&Ty::Int(64), &format!("load i64, ptr {part}, align 4"));
    }

    fn diamond_of(&mut self, bit: &str, a: &str, b: &str) -> String {
        let (tag, start) = (self.name(), self.block.clone());
        self.line(&format!("br i1 {bit}, label %other{tag}, label %end{tag}"));
        self.label(&format!("other{tag}"));
        self.line(&format!("br label %end{tag}"));
        self.label(&format!("end{tag}"));
        self.set(&format!("phi ptr [ {a}, %{start} ], [ {b}, %other{tag} ]"))
    }

    /// A pointer to workgroup memory that may be null, in its own address space and as a generic one.
    pub(super) fn shared_null(&mut self) {
        let (near, null) = (format!("@k{}_near", self.kernel), "addrspacecast (ptr null to ptr addrspace(3))");
        let (bit, number) = (self.condition(), self.input_word());
        self.line(&format!("store i64 {number}, ptr addrspace(3) {near}"));
        let either = self.set(&format!("select i1 {bit}, ptr addrspace(3) {near}, ptr addrspace(3) {null}"));
        let none = self.set(&format!("icmp eq ptr addrspace(3) {either}, {null}"));
        self.observe(&Ty::Int(1), &none);
        let generic = self.set(&format!("addrspacecast ptr addrspace(3) {either} to ptr"));
        let none = self.set(&format!("icmp eq ptr {generic}, null"));
        self.observe(&Ty::Int(1), &none);
        let known = self.set(&format!("addrspacecast ptr addrspace(3) {near} to ptr"));
        let some = self.set(&format!("select i1 {none}, ptr {known}, ptr {generic}"));
        self.value(&Ty::Int(64), &format!("load i64, ptr {some}"));
    }

    /// An address of any space that is compared with a number. Both sides are small numbers, so that they may be equal.
    pub(super) fn numbered_address(&mut self) {
        let number = self.input_word();
        let mask = ["7", "-9223372036854775801", "-1"][self.below(3)];
        let low = self.set(&format!("and i64 {number}, {mask}"));
        let generic = self.set(&format!("inttoptr i64 {low} to ptr"));
        let limit = self.one_of(&["i64 1", "i64 3", "i64 6", "i32 5", "i64 128", "i64 -9", "i64 -9223372036854775803"]);
        let limit = format!("inttoptr ({limit} to ptr)");
        let (ty, address, limit) = match self.below(3) {
            0 => ("ptr".to_owned(), generic, limit),
            space => {
                let ty = format!("ptr addrspace({})", [0, 3, 5][space]);
                let near = self.set(&format!("addrspacecast ptr {generic} to {ty}"));
                (ty.clone(), near, format!("addrspacecast (ptr {limit} to {ty})"))
            }
        };
        let (left, right) = if self.below(2) == 0 { (address, limit) } else { (limit, address) };
        let predicate = self.one_of(&["eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge"]);
        self.value(&Ty::Int(1), &format!("icmp {predicate} {ty} {left}, {right}"));
    }

    /// A pointer that a function returns, which computes it from one of two.
    pub(super) fn returned_pointer(&mut self) {
        let (a, b, bit) = (self.place(), self.place(), self.condition());
        let step = self.below(3);
        let first = self.set(&format!("call ptr @k{}_choose(ptr {a}, ptr {b}, i1 {bit}, i64 {step})", self.kernel));
        let again = format!("call ptr @k{}_choose(ptr {first}, ptr {first}, i1 {bit}, i64 {step})", self.kernel);
        let second = self.set(&again);
        let known = self.set(&format!("icmp eq ptr {first}, {second}"));
        self.observe(&Ty::Int(1), &known);
        let (ty, index) = (self.one_of(&INTEGERS), self.below(2));
        let chosen = self.one_of(&[first, second]);
        let part = self.set(&format!("getelementptr {ty}, ptr {chosen}, i64 {index}"));
        if self.below(2) == 0 {
            let value = self.pick(&ty);
            self.line(&format!("store {ty} {value}, ptr {part}, align 1"));
        }
        self.value(&ty, &format!("load {ty}, ptr {part}, align 1"));
    }

    /// A table of distances.
    pub(super) fn distance(&mut self) {
        let number = self.input_word();
        let slot = self.set(&format!("and i64 {number}, 3"));
        let offset = self.set(&format!("shl i64 {slot}, 2"));
        let table = format!("@k{}_distances", self.kernel);
        let at = self.set(&format!("call ptr @llvm.load.relative.i64(ptr {table}, i64 {offset})"));
        self.value(&INTEGERS[1], &format!("load i32, ptr {at}"));
    }

    pub(super) fn alias(&mut self) {
        let (alias, number) = (format!("@k{}_alias", self.kernel), self.pick(&INTEGERS[1]));
        if self.below(2) == 0 {
            self.line(&format!("store i32 {number}, ptr {alias}"));
        }
        self.value(&INTEGERS[1], &format!("load i32, ptr {alias}"));
    }

    pub(super) fn atomic(&mut self) {
        let (ty, size) = [(Ty::Int(32), 4), (Ty::Int(64), 8)][self.below(2)];
        let base = self.place();
        let offset = self.below(8) * 8;
        let (at, value) = (self.offset(&base, offset), self.pick(&ty));
        let (scope, order) = (SCOPES[self.below(4)], self.below(5));
        let (any, order) = (ORDERINGS[order], order);
        match self.below(5) {
            0 => {
                let order = ["monotonic", "acquire", "seq_cst"][self.below(3)];
                self.value(&ty, &format!("load atomic {ty}, ptr {at} {scope}{order}, align {size}"));
            }
            1 => {
                let order = ["monotonic", "release", "seq_cst"][self.below(3)];
                self.line(&format!("store atomic {ty} {value}, ptr {at} {scope}{order}, align {size}"));
            }
            2 => {
                let expected = self.set(&format!("load {ty}, ptr {at}, align {size}"));
                let other = self.pick(&ty);
                let expected = [expected, other][self.below(2)].clone();
                let failure = ["monotonic", "acquire", "seq_cst"][self.below(3)];
                let both = self.set(&format!(
                    "cmpxchg ptr {at}, {ty} {expected}, {ty} {value} {scope}{any} {failure}, align {size}"
                ));
                let done = self.set(&format!("extractvalue {{ {ty}, i1 }} {both}, 1"));
                self.observe(&Ty::Int(1), &done);
                self.value(&ty, &format!("extractvalue {{ {ty}, i1 }} {both}, 0"));
            }
            3 if order > 0 => self.line(&format!("fence {scope}{any}")),
            _ => {
                let names = ["add", "sub", "and", "or", "xor", "max", "min", "umax", "umin", "xchg"];
                let operation = self.one_of(&names);
                self.value(&ty, &format!("atomicrmw {operation} ptr {at}, {ty} {value} {scope}{any}, align {size}"));
            }
        }
    }

    /// A call of an atomic of the contract.
    pub(super) fn atomic_call(&mut self) {
        let (ty, name) = [(Ty::Int(32), "u32"), (Ty::Int(64), "u64"), (Ty::Int(32), "i32")][self.below(3)];
        let (base, offset) = (self.place(), self.below(8) * 8);
        let (at, value) = (self.offset(&base, offset), self.pick(&ty));
        let ordering = NUMBERS[self.below(5)].to_string();
        let any = self.set("and i64 %n, 0");
        let any = self.set(&format!("trunc i64 {any} to i32"));
        let ordering = [ordering.clone(), ordering, any][self.below(3)].clone();
        let scope = self.below(4);
        let call = match self.below(4) {
            0 => format!("call {ty} @__offload_atomic_load_{name}(ptr {at}, i32 0, i32 {scope})"),
            1 => {
                let expected = self.set(&format!("load {ty}, ptr {at}, align 4"));
                format!(
                    "call {ty} @__offload_atomic_compare_exchange_{name}(ptr {at}, {ty} {expected}, {ty} {value}, \
                     i32 {ordering}, i32 0, i32 {scope})"
                )
            }
            _ => {
                let names = ["add", "sub", "and", "or", "xor", "max", "min", "exchange"];
                let operation = self.one_of(&names);
                format!(
                    "call {ty} @__offload_atomic_{operation}_{name}(ptr {at}, {ty} {value}, i32 {ordering}, i32 {scope})"
                )
            }
        };
        self.value(&ty, &call);
    }

    /// The declarations of all atomics that are called.
    pub(super) fn declare_atomics(&mut self) {
        for (ty, name) in [("i32", "u32"), ("i64", "u64"), ("i32", "i32")] {
            for operation in ["add", "sub", "and", "or", "xor", "max", "min", "exchange"] {
                writeln!(self.module, "declare {ty} @__offload_atomic_{operation}_{name}(ptr, {ty}, i32, i32)")
                    .expect("a string takes everything");
            }
            let [load, exchange] = ["load", "compare_exchange"].map(|o| format!("@__offload_atomic_{o}_{name}"));
            writeln!(
                self.module,
                "declare {ty} {load}(ptr, i32, i32)\ndeclare {ty} {exchange}(ptr, {ty}, {ty}, i32, i32, i32)"
            )
            .expect("a string takes everything");
        }
    }

    pub(super) fn aggregate(&mut self) {
        let all: Vec<Ty> = STRUCTS.iter().chain(&ARRAYS).copied().collect();
        let ty = self.one_of(&all);
        let (a, b) = (self.pick(&ty), self.pick(&ty));
        let index = self.below(ty.length());
        let field = ty.field(index);
        match self.below(6) {
            0 => {
                let part = self.pick(&field);
                self.value(&ty, &format!("insertvalue {ty} {a}, {field} {part}, {index}"));
            }
            1 => {
                self.value(&field, &format!("extractvalue {ty} {a}, {index}"));
            }
            2 => {
                let bit = self.condition();
                self.value(&ty, &format!("select i1 {bit}, {ty} {a}, {ty} {b}"));
            }
            3 => {
                self.value(&ty, &format!("freeze {ty} {a}"));
            }
            4 => {
                let (bit, tag, start) = (self.condition(), self.name(), self.block.clone());
                self.line(&format!("br i1 {bit}, label %other{tag}, label %end{tag}"));
                self.label(&format!("other{tag}"));
                self.line(&format!("br label %end{tag}"));
                self.label(&format!("end{tag}"));
                self.value(&ty, &format!("phi {ty} [ {a}, %{start} ], [ {b}, %other{tag} ]"));
            }
            _ => {
                let at = self.alloca(&ty.to_string(), 8);
                self.line(&format!("store {ty} {a}, ptr {at}"));
                let part = self.set(&format!("getelementptr {ty}, ptr {at}, i64 0, i32 {index}"));
                let loaded = self.set(&format!("load {field}, ptr {part}"));
                self.observe(&field, &loaded);
                self.value(&ty, &format!("load {ty}, ptr {at}"));
            }
        }
    }
}

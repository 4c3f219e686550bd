//! Random modules that mostly move pointers. The same seed generates the same module.
//!
//! Bodies are straight lines and diamonds without loops. Functions call later ones, and themselves a limited number of
//! times. No code accesses memory through a pointer that may be null.

use std::fmt::Write;

/// The number of functions besides the kernel; the last one is called through a pointer, too.
const FUNCTIONS: usize = 4;
const FIRST_LINES: &str = "
@shared = internal global [8 x ptr] zeroinitializer, section \".offload.shared\"
@tile = internal global [8 x i64] zeroinitializer, section \".offload.shared\"
@mutable = internal global [8 x ptr] zeroinitializer
@odd = internal constant [8 x i64] zeroinitializer
@even = internal constant [8 x i64] zeroinitializer
@table = internal constant [4 x ptr] [ptr @odd, ptr @even, ptr @odd, ptr @mutable]
@pairs = internal constant [2 x { ptr, i64 }] [{ ptr, i64 } { ptr @odd, i64 7 }, { ptr, i64 } { ptr @even, i64 8 }]
@calls = internal constant [1 x ptr] [ptr @f3]
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
";
const STATICS: [&str; 7] = ["@shared", "@tile", "@mutable", "@odd", "@even", "@table", "@pairs"];

struct Generator {
    state: u64,
    text: String,
    names: usize,
    block: String,
    /// The available pointers, and the addresses where pointers have been stored.
    pointers: Vec<String>,
    stored: Vec<(String, u64)>,
    /// The first function that may be called.
    callable: usize,
    devious: bool,
}

/// A module with the kernel `k(ptr, ptr, i64, {i64, i64})`. With `devious`, it has recursion and calls through
/// pointers.
pub(crate) fn module(seed: u64, devious: bool) -> String {
    let state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let kept = |line: &&str| devious || !line.starts_with("@calls");
    let text = FIRST_LINES.lines().filter(kept).collect::<Vec<_>>().join("\n");
    let (pointers, stored) = (Vec::new(), Vec::new());
    let mut g = Generator { state, text, names: 0, block: String::new(), pointers, stored, callable: 0, devious };
    for number in 0..FUNCTIONS {
        g.function(number);
    }
    g.kernel();
    g.text
}

impl Generator {
    fn below(&mut self, limit: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 11) as usize % limit
    }

    fn name(&mut self) -> String {
        self.names += 1;
        format!("%v{}", self.names)
    }

    fn line(&mut self, line: &str) {
        writeln!(self.text, "  {line}").expect("a string takes everything");
    }

    /// Adds `%name = line`. Returns the name.
    fn value(&mut self, line: &str) -> String {
        let name = self.name();
        self.line(&format!("{name} = {line}"));
        name
    }

    fn start(&mut self, parameters: &[&str]) {
        self.block = "entry".into();
        self.pointers = parameters.iter().map(|p| (*p).to_owned()).collect();
        self.stored.clear();
        writeln!(self.text, "entry:").expect("a string takes everything");
        for _ in 0..2 {
            let local = self.value("alloca [8 x ptr]");
            let to = self.pointer();
            self.line(&format!("store ptr {to}, ptr {local}"));
            self.stored.push((local.clone(), 0));
            self.pointers.push(local);
        }
    }

    fn function(&mut self, number: usize) {
        let header = format!("define internal ptr @f{number}(ptr %a, ptr %b, {{ ptr, i64 }} %s, i64 %n) noinline {{");
        self.text += &format!("\n{header}\n");
        self.callable = number + 1;
        self.start(&["%a", "%b"]);
        let slice = self.value("extractvalue { ptr, i64 } %s, 0");
        self.pointers.push(slice);
        let count = 6 + self.below(8);
        self.statements(count, true);
        self.recurse(number);
        let result = self.pointer();
        self.line(&format!("ret ptr {result}"));
        self.text += "}\n";
    }

    fn kernel(&mut self) {
        self.text += "\ndefine void @k(ptr %a, ptr %b, i64 %n, { i64, i64 } %s) {\n";
        self.callable = 0;
        self.start(&["%a", "%b"]);
        let address = self.value("extractvalue { i64, i64 } %s, 0");
        let slice = self.value(&format!("inttoptr i64 {address} to ptr"));
        self.pointers.push(slice);
        self.statements(14, true);
        self.line("ret void");
        self.text += "}\n";
    }

    /// Calls the function itself, unless the limit has been reached.
    fn recurse(&mut self, number: usize) {
        if self.below(3) > 0 || !self.devious {
            return;
        }
        let (a, b) = (self.pointer(), self.pointer());
        let less = self.value("sub i64 %n, 1");
        let more = self.value(&format!("icmp sgt i64 {less}, 0"));
        let name = self.name();
        let tag = &name[1..];
        self.line(&format!("br i1 {more}, label %again{tag}, label %done{tag}"));
        self.text += &format!("again{tag}:\n");
        self.line(&format!("{name} = call ptr @f{number}(ptr {a}, ptr {b}, {{ ptr, i64 }} %s, i64 {less})"));
        self.line(&format!("br label %done{tag}"));
        self.text += &format!("done{tag}:\n");
        self.line(&format!("{name}r = phi ptr [ {name}, %again{tag} ], [ {a}, %{} ]", self.block));
        self.block = format!("done{tag}");
        self.pointers.push(format!("{name}r"));
    }

    /// An available pointer, or a static.
    fn pointer(&mut self) -> String {
        if self.below(4) == 0 {
            return STATICS[self.below(STATICS.len())].to_owned();
        }
        let at = self.below(self.pointers.len());
        self.pointers[at].clone()
    }

    fn condition(&mut self) -> String {
        let bit = self.below(4);
        let shifted = self.value(&format!("and i64 %n, {}", 1 << bit));
        self.value(&format!("icmp ne i64 {shifted}, 0"))
    }

    /// An address where a pointer is stored, in most cases.
    fn place(&mut self) -> String {
        let (pointer, offset) = match self.below(self.stored.len() + 3) {
            at if at < self.stored.len() => self.stored[at].clone(),
            _ => (["@table", "@pairs"][self.below(2)].to_owned(), 16 * self.below(2) as u64),
        };
        self.value(&format!("getelementptr i8, ptr {pointer}, i64 {offset}"))
    }

    fn statements(&mut self, count: usize, branches: bool) {
        for _ in 0..count {
            match self.below(if branches { 15 } else { 13 }) {
                0..=2 => self.load(),
                3 | 4 => self.store(),
                5 => self.select(),
                6 => self.call(),
                7 => self.through_integer(),
                8 => self.copy(),
                9 => self.through_struct(),
                10 => self.exchange(),
                11 => self.read(),
                12 => self.indirect_call(),
                _ => self.diamond(),
            }
        }
    }

    fn load(&mut self) {
        let place = self.place();
        let volatile = if self.below(5) == 0 { "volatile " } else { "" };
        let loaded = self.value(&format!("load {volatile}ptr, ptr {place}"));
        self.pointers.push(loaded);
    }

    fn store(&mut self) {
        let (value, target) = (self.pointer(), self.pointer());
        if ["@odd", "@even", "@table", "@pairs"].contains(&target.as_str()) {
            return;
        }
        let offset = 8 * self.below(4) as u64;
        let place = self.value(&format!("getelementptr i8, ptr {target}, i64 {offset}"));
        if self.below(4) == 0 {
            let bits = self.value(&format!("ptrtoint ptr {value} to i64"));
            self.line(&format!("store i64 {bits}, ptr {place}"));
        } else {
            self.line(&format!("store ptr {value}, ptr {place}"));
        }
        self.stored.push((target, offset));
    }

    fn select(&mut self) {
        let (condition, a, b) = (self.condition(), self.pointer(), self.pointer());
        let chosen = self.value(&format!("select i1 {condition}, ptr {a}, ptr {b}"));
        self.pointers.push(chosen);
    }

    fn call(&mut self) {
        if self.callable >= FUNCTIONS {
            return;
        }
        let callee = self.callable + self.below(FUNCTIONS - self.callable);
        let (a, b, c) = (self.pointer(), self.pointer(), self.pointer());
        let slice = self.value(&format!("insertvalue {{ ptr, i64 }} {{ ptr poison, i64 3 }}, ptr {c}, 0"));
        let less = self.value("lshr i64 %n, 1");
        let arguments = format!("ptr {a}, ptr {b}, {{ ptr, i64 }} {slice}, i64 {less}");
        let result = self.value(&format!("call ptr @f{callee}({arguments})"));
        self.pointers.push(result);
    }

    /// Called only in functions that the callee cannot call.
    fn indirect_call(&mut self) {
        if self.callable >= FUNCTIONS || !self.devious {
            return;
        }
        let callee = self.value("load ptr, ptr @calls");
        let (a, b) = (self.pointer(), self.pointer());
        let arguments = format!("ptr {a}, ptr {b}, {{ ptr, i64 }} {{ ptr @odd, i64 1 }}, i64 0");
        let result = self.value(&format!("call ptr {callee}({arguments})"));
        self.pointers.push(result);
    }

    fn through_integer(&mut self) {
        let from = self.pointer();
        let bits = self.value(&format!("ptrtoint ptr {from} to i64"));
        let moved = self.value(&format!("add i64 {bits}, 8"));
        let back = self.value(&format!("inttoptr i64 {moved} to ptr"));
        self.pointers.push(back);
    }

    fn copy(&mut self) {
        let (place, target) = (self.place(), self.pointer());
        if !["@odd", "@even", "@table", "@pairs"].contains(&target.as_str()) {
            self.line(&format!("call void @llvm.memcpy.p0.p0.i64(ptr {target}, ptr {place}, i64 16, i1 false)"));
            self.stored.push((target, 0));
        }
    }

    fn through_struct(&mut self) {
        let (place, local) = (self.place(), self.pointers[self.pointers.len() - 1].clone());
        let pair = self.value(&format!("load {{ ptr, i64 }}, ptr {place}"));
        let other = self.value(&format!("insertvalue {{ ptr, i64 }} {pair}, i64 %n, 1"));
        let first = self.value(&format!("extractvalue {{ ptr, i64 }} {other}, 0"));
        let other = self.value(&format!("insertvalue {{ ptr, i64 }} {other}, ptr {local}, 0"));
        let second = self.value(&format!("extractvalue {{ ptr, i64 }} {other}, 0"));
        self.pointers.extend([first, second]);
    }

    fn exchange(&mut self) {
        let at = self.below(self.stored.len());
        let (target, offset) = self.stored[at].clone();
        let (value, place) = (self.pointer(), self.value(&format!("getelementptr i8, ptr {target}, i64 {offset}")));
        let old = self.value(&format!("atomicrmw xchg ptr {place}, ptr {value} monotonic"));
        self.pointers.push(old);
    }

    fn read(&mut self) {
        let from = self.pointer();
        let place = self.value(&format!("getelementptr i8, ptr {from}, i64 128"));
        let _read = self.value(&format!("load i32, ptr {place}"));
    }

    fn diamond(&mut self) {
        let condition = self.condition();
        let name = self.name();
        let tag = &name[1..];
        self.line(&format!("br i1 {condition}, label %then{tag}, label %else{tag}"));
        let (pointers, stored) = (self.pointers.len(), self.stored.len());
        let mut ends = Vec::new();
        for side in ["then", "else"] {
            self.text += &format!("{side}{tag}:\n");
            self.block = format!("{side}{tag}");
            self.statements(3, false);
            ends.push(self.pointer());
            self.line(&format!("br label %join{tag}"));
            self.pointers.truncate(pointers);
            self.stored.truncate(stored);
        }
        self.text += &format!("join{tag}:\n");
        self.line(&format!("{name} = phi ptr [ {}, %then{tag} ], [ {}, %else{tag} ]", ends[0], ends[1]));
        self.block = format!("join{tag}");
        self.pointers.push(name);
    }
}

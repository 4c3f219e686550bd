//! Small modules for all constructs of IR: Khronos' validator accepts the code of the SPIR-V target, or the target
//! refuses the module, and LLVM never aborts.
//!
//! An abort ends this test program. The last module that it has tried is in `target/tmp/last-spirv-probe-*.ll`.

use std::process::Command;

use crate::gpu::{Setup, kernel};
use harness::run;
use offloadc::contract::kernel::ParameterKind::Pointer;
use offloadc::llvm::OptLevel;

/// A name and a module.
type Probe = (String, String);

/// A kernel with this body; `%p` and `%q` are pointers.
fn probe(name: impl Into<String>, outside: &str, body: &str) -> Probe {
    (name.into(), format!("{outside}\ndefine void @k(ptr %p, ptr %q) {{\n{body}\n  ret void\n}}\n"))
}

/// Compiles every probe with and without optimisation, and validates all modules. Returns the names of those that were
/// refused.
#[track_caller]
fn refused(probes: &[Probe]) -> Vec<&str> {
    let folder = harness::scratch();
    let mut refused = Vec::new();
    let mut files = Vec::new();
    let thread = std::thread::current();
    let last = format!("last-spirv-probe-{}.ll", thread.name().unwrap_or("probe").replace(':', "_"));
    let last = harness::temporary().join(last);
    for (i, (name, text)) in probes.iter().enumerate() {
        for level in [OptLevel::O0, OptLevel::O2] {
            std::fs::write(&last, format!("; {name} at {level:?}\n{text}")).expect("the folder can be written");
            let kernels = vec![kernel("k", &[(Pointer, 8), (Pointer, 8)])];
            match (Setup { level, ..Setup::new(text, kernels) }).generate("spirv64") {
                Ok(compiled) => {
                    let file = folder.path().join(format!("{i}.{level:?}.spv"));
                    std::fs::write(&file, &compiled.code).expect("the folder can be written");
                    files.push((name, level, file));
                }
                Err(error) => {
                    let abort = ["internal error", "was killed"].iter().any(|text| error.contains(text));
                    assert!(!abort, "{name} at {level:?}: {error}");
                    refused.push(name.as_str());
                }
            }
        }
    }
    refused.dedup();
    for (name, level, file) in files {
        let outcome = run(Command::new("spirv-val").args(["--target-env", "spv1.3"]).arg(&file));
        assert!(outcome.code() == 0, "{name} at {level:?}: {}\n{}", outcome.report(), text_of(probes, name));
    }
    refused
}

fn text_of<'a>(probes: &'a [Probe], name: &str) -> &'a str {
    probes.iter().find(|(n, _)| n == name).map_or("", |(_, text)| text)
}

/// The name of a type in IR, and its suffix in the names of intrinsics.
const FLOATS: &[(&str, &str)] = &[("half", "f16"), ("float", "f32"), ("double", "f64")];
const INTS: [&str; 9] = ["i8", "i16", "i32", "i64", "i128", "i7", "i24", "i48", "i96"];

/// `%r = call T @llvm.NAME.SUFFIX(arguments)` on a loaded `%a`, the result stored.
fn call(name: &str, (ty, suffix): (&str, &str), arguments: &str) -> Probe {
    let body = format!(
        "  %a = load {ty}, ptr %q\n  %r = call {ty} @llvm.{name}.{suffix}({arguments})\n  store {ty} %r, ptr %p"
    );
    probe(format!("{name}.{suffix}"), "", &body.replace("$T", ty))
}

#[test]
fn integers_of_every_width() {
    let mut probes = Vec::new();
    for int in INTS {
        let two = format!("  %a = load {int}, ptr %q\n  %b = load {int}, ptr %p\n");
        let mut binary = |name: &str, result: &str| {
            probes.push(probe(format!("{name}.{int}"), "", &format!("{two}  %r = {result}\n  store {int} %r, ptr %p")));
        };
        for name in "add sub mul udiv sdiv urem srem shl lshr ashr and or xor".split(' ') {
            binary(name, &format!("{name} {int} %a, %b"));
        }
        for name in "smax umin sadd.sat ssub.sat uadd.sat usub.sat sshl.sat ushl.sat".split(' ') {
            binary(name, &format!("call {int} @llvm.{name}.{int}({int} %a, {int} %b)"));
        }
        binary("freeze", &format!("freeze {int} %a"));
        for name in ["ctpop", "bitreverse"] {
            probes.push(call(name, (int, int), "$T %a"));
        }
        for name in ["ctlz", "cttz", "abs"] {
            probes.push(call(name, (int, int), "$T %a, i1 false"));
        }
        for name in ["fshl", "fshr"] {
            probes.push(call(name, (int, int), "$T %a, $T 5, $T %a"));
        }
        for name in "sadd uadd ssub usub smul umul".split(' ') {
            let body = format!(
                "{two}  %s = call {{{int}, i1}} @llvm.{name}.with.overflow.{int}({int} %a, {int} %b)\n  %r = extractvalue {{{int}, i1}} %s, 0\n  %o = extractvalue {{{int}, i1}} %s, 1\n  store {int} %r, ptr %p\n  store i1 %o, ptr %q"
            );
            probes.push(probe(format!("{name}.with.overflow.{int}"), "", &body));
        }
        for (name, result) in [("scmp", "i8"), ("ucmp", "i32")] {
            let body = format!(
                "{two}  %r = call {result} @llvm.{name}.{result}.{int}({int} %a, {int} %b)\n  store {result} %r, ptr %p"
            );
            probes.push(probe(format!("{name}.{int}"), "", &body));
        }
        for predicate in ["eq", "ult", "sge", "sgt"] {
            let body = format!(
                "{two}  %c = icmp {predicate} {int} %a, %b\n  %r = select i1 %c, {int} %a, {int} 3\n  store {int} %r, ptr %p"
            );
            probes.push(probe(format!("{predicate}.{int}"), "", &body));
        }
        for (to, opcodes) in [("i1", "trunc"), ("i256", ""), ("i40", ""), ("i64", ""), ("i8", "")] {
            let width = |t: &str| t[1..].parse::<u32>().expect("a width");
            let opcodes = match (opcodes, width(to) > width(int)) {
                ("trunc", _) => "trunc",
                _ if width(to) == width(int) || to == "i256" => continue,
                (_, true) => "zext sext",
                (_, false) => "trunc",
            };
            for opcode in opcodes.split(' ') {
                let body = format!("{two}  %r = {opcode} {int} %a to {to}\n  store {to} %r, ptr %p");
                probes.push(probe(format!("{opcode}.{int}.{to}"), "", &body));
            }
        }
        let switch = format!(
            "{two}  switch {int} %a, label %d [{int} 0, label %x {int} 5, label %y]\nx:\n  store {int} %b, ptr %q\n  br label %d\ny:\n  br label %d\nd:\n  %r = phi {int} [%a, %0], [%b, %x], [7, %y]\n  store volatile {int} %r, ptr %p"
        );
        probes.push(probe(format!("switch.{int}"), "", &switch));
        let memory = format!(
            "{two}  %x = alloca [3 x {int}]\n  %i = load i32, ptr %q\n  %e = getelementptr [3 x {int}], ptr %x, i32 0, i32 %i\n  store {int} %a, ptr %e\n  %r = load volatile {int}, ptr %x\n  store {int} %r, ptr %p, align 1"
        );
        probes.push(probe(format!("memory.{int}"), "", &memory));
        let function =
            format!("define internal {int} @f({int} %x) noinline {{\n  %y = add {int} %x, 1\n  ret {int} %y\n}}");
        let body = format!("{two}  %r = call {int} @f({int} %a)\n  store {int} %r, ptr %p");
        probes.push(probe(format!("call.{int}"), &function, &body));
    }
    assert_eq!(refused(&probes), [""; 0]);
}

#[test]
fn floats_and_their_library() {
    let mut probes = Vec::new();
    let one = "sqrt fabs floor ceil trunc rint nearbyint round roundeven sin cos tan asin acos atan sinh cosh tanh exp exp2 \
               exp10 log log2 log10 canonicalize";
    for &float in FLOATS {
        let (ty, suffix) = float;
        probes.extend(one.split_whitespace().map(|name| call(name, float, "$T %a")));
        for name in "copysign minnum maxnum minimumnum maximumnum minimum pow atan2".split(' ') {
            probes.push(call(name, float, "$T %a, $T %a"));
        }
        for name in ["fma", "fmuladd"] {
            probes.push(call(name, float, "$T %a, $T %a, $T %a"));
        }
        for name in ["fadd", "fsub", "fmul", "fdiv", "frem"] {
            let body = format!("  %a = load {ty}, ptr %q\n  %r = {name} {ty} %a, %a\n  store {ty} %r, ptr %p");
            probes.push(probe(format!("{name}.{ty}"), "", &body));
        }
        for int in ["i1", "i8", "i16", "i32", "i64", "i24", "i128"] {
            for name in ["fptosi", "fptoui"] {
                let plain =
                    format!("  %a = load {ty}, ptr %q\n  %r = {name} {ty} %a to {int}\n  store {int} %r, ptr %p");
                probes.push(probe(format!("{name}.{suffix}.{int}"), "", &plain));
                let sat = format!(
                    "  %a = load {ty}, ptr %q\n  %r = call {int} @llvm.{name}.sat.{int}.{suffix}({ty} %a)\n  store {int} %r, ptr %p"
                );
                probes.push(probe(format!("{name}.sat.{suffix}.{int}"), "", &sat));
            }
            for name in ["sitofp", "uitofp"] {
                let body =
                    format!("  %a = load {int}, ptr %q\n  %r = {name} {int} %a to {ty}\n  store {ty} %r, ptr %p");
                probes.push(probe(format!("{name}.{suffix}.{int}"), "", &body));
            }
        }
        for name in ["lrint", "lround"] {
            let body = format!(
                "  %a = load {ty}, ptr %q\n  %r = call i64 @llvm.{name}.i64.{suffix}({ty} %a)\n  store i64 %r, ptr %p"
            );
            probes.push(probe(format!("{name}.{suffix}"), "", &body));
        }
        for (name, power) in [("powi", "3"), ("powi", "%n"), ("ldexp", "%n")] {
            let body = format!(
                "  %a = load {ty}, ptr %q\n  %n = load i32, ptr %p\n  %r = call {ty} @llvm.{name}.{suffix}.i32({ty} %a, i32 {power})\n  store {ty} %r, ptr %p"
            );
            probes.push(probe(format!("{name}.{power}.{suffix}"), "", &body));
        }
        for predicate in "oeq ogt one ord ueq ult une uno".split(' ') {
            let body = format!(
                "  %a = load {ty}, ptr %q\n  %c = fcmp {predicate} {ty} %a, 1.0\n  %r = zext i1 %c to i8\n  store i8 %r, ptr %p"
            );
            probes.push(probe(format!("{predicate}.{suffix}"), "", &body));
        }
    }
    let mut expected = Vec::new();
    for (_, suffix) in FLOATS {
        for name in ["canonicalize", "minimum"] {
            expected.push(format!("{name}.{suffix}"));
        }
        for name in ["fptosi", "fptosi.sat", "fptoui", "fptoui.sat", "sitofp", "uitofp"] {
            expected.push(format!("{name}.{suffix}.i128"));
        }
    }
    assert_eq!(refused(&probes), expected);
}

#[test]
fn atomics_of_four_and_eight_bytes() {
    let outside = "@s = internal global i128 0, section \".offload.shared\", align 16";
    let mut probes = Vec::new();
    for (at, place) in [("global", "ptr %p"), ("shared", "ptr @s")] {
        for ty in ["i8", "i16", "i32", "i64", "i128", "ptr", "float", "double"] {
            let load = format!("  %a = load {ty}, ptr %q\n");
            let names = match ty {
                "ptr" => "xchg",
                "float" | "double" => "xchg fadd fsub fmax fmin",
                _ => "xchg add sub and nand or xor max min umax umin",
            };
            for name in names.split(' ') {
                let body = format!("{load}  %r = atomicrmw {name} {place}, {ty} %a acq_rel\n  store {ty} %r, ptr %q");
                probes.push(probe(format!("{name}.{ty}.{at}"), outside, &body));
            }
            for (ordering, other) in [("monotonic", "monotonic"), ("acquire", "release"), ("seq_cst", "seq_cst")] {
                let body = format!("  %r = load atomic {ty}, {place} {ordering}, align 16\n  store {ty} %r, ptr %q");
                probes.push(probe(format!("load.{ty}.{at}"), outside, &body));
                let body = format!("{load}  store atomic {ty} %a, {place} {other}, align 16");
                probes.push(probe(format!("store.{ty}.{at}"), outside, &body));
                if ty.starts_with(['i', 'p']) {
                    let body = format!(
                        "{load}  %x = cmpxchg weak {place}, {ty} %a, {ty} %a {ordering} monotonic\n  %r = extractvalue {{{ty}, i1}} %x, 0\n  store {ty} %r, ptr %q"
                    );
                    probes.push(probe(format!("cmpxchg.{ty}.{at}"), outside, &body));
                }
            }
        }
    }
    for ordering in ["acquire", "release", "acq_rel", "seq_cst"] {
        for scope in ["", "syncscope(\"singlethread\") "] {
            probes.push(probe(format!("fence {scope}{ordering}"), "", &format!("  fence {scope}{ordering}")));
        }
    }
    let refused = refused(&probes);
    let wrong = |name: &&str| !name.contains(".i128.");
    assert_eq!(refused.iter().copied().find(wrong), None);
    assert_eq!(refused.len(), 2 * 20);
}

#[test]
fn memory_and_odd_code() {
    let function = "define internal void @f(ptr %x) noinline {\n  store volatile i32 1, ptr %x\n  ret void\n}\n";
    let shared = "@s = internal global [8 x i32] zeroinitializer, section \".offload.shared\"\n";
    let recursion = "define internal i32 @f(i32 %x) noinline {\n  %c = icmp eq i32 %x, 0\n  br i1 %c, label %a, label %b\na:\n  ret i32 1\nb:\n  %y = sub i32 %x, 1\n  %r = call i32 @f(i32 %y)\n  %s = mul i32 %r, %x\n  ret i32 %s\n}";
    let table = format!("{function}@t = internal constant [2 x ptr] [ptr @f, ptr @f]");
    let mut probes: Vec<Probe> = [
        ("function", function, "  %x = alloca [4 x i32]\n  call void @f(ptr %x)\n  call void @f(ptr %p)\n  %v = load i32, ptr %x\n  store i32 %v, ptr %q"),
        ("trap", "", "  %n = load i32, ptr %q\n  %c = icmp eq i32 %n, 0\n  br i1 %c, label %x, label %y\nx:\n  call void @llvm.trap()\n  unreachable\ny:"),
        ("trap in function", "define internal i32 @g(i32 %n) noinline {\n  %c = icmp eq i32 %n, 0\n  br i1 %c, label %x, label %y\nx:\n  call void @llvm.trap()\n  unreachable\ny:\n  ret i32 %n\n}", "  %n = load i32, ptr %q\n  %r = call i32 @g(i32 %n)\n  store i32 %r, ptr %p"),
        ("pointers in memory", "", "  %x = alloca [4 x ptr]\n  %i = load i64, ptr %p\n  %e = getelementptr ptr, ptr %x, i64 %i\n  store ptr %q, ptr %e\n  %r = load ptr, ptr %x\n  %v = load i32, ptr %r\n  store i32 %v, ptr %p"),
        ("pointer choice", shared, "  %x = alloca i32\n  %i = load i1, ptr %p\n  %e = select i1 %i, ptr %x, ptr @s\n  %f = select i1 %i, ptr %e, ptr %q\n  store volatile i32 3, ptr %f\n  %c = icmp eq ptr %f, null\n  store i1 %c, ptr %p"),
        ("chosen constants", "", "  %c = load volatile i1, ptr %p\n  br i1 %c, label %a, label %b\na:\n  %d = load volatile i1, ptr %p\n  %n = select i1 %d, ptr null, ptr inttoptr (i64 3 to ptr)\n  br label %m\nb:\n  br label %m\nm:\n  %e = phi ptr [ %n, %a ], [ %q, %b ]\n  %f = getelementptr i8, ptr %e, i64 1\n  store volatile i8 3, ptr %f"),
        ("frozen struct", "", "  %a = load {i32, i8}, ptr %q\n  %b = freeze {i32, i8} %a\n  %c = extractvalue {i32, i8} %b, 1\n  store i8 %c, ptr %p"),
        ("empty array", "", "  %x = alloca { [0 x i32], [4 x i8], i16 }\n  %i = load i64, ptr %q\n  %e = getelementptr { [0 x i64], [4 x i8], i16 }, ptr %q, i64 %i, i32 1, i64 %i\n  %f = getelementptr { [0 x i32], [4 x i8], i16 }, ptr %x, i64 0, i32 1, i64 %i\n  %v = load i8, ptr %e\n  store i8 %v, ptr %f\n  %w = load i8, ptr %x\n  store i8 %w, ptr %p"),
        ("static with address", "@s = internal constant [2 x i32] [i32 1, i32 2]\n@t = internal constant { ptr, i64, ptr } { ptr @s, i64 2, ptr getelementptr (i8, ptr @s, i64 4) }", "  %i = load i64, ptr %p\n  %e = getelementptr i64, ptr @t, i64 %i\n  %a = load ptr, ptr %e\n  %v = load i32, ptr %a\n  store i32 %v, ptr %p"),
        ("address as integer", "@s = internal constant i32 3\n@t = internal constant i64 ptrtoint (ptr @s to i64)", "  %v = load volatile i64, ptr @t\n  store i64 %v, ptr %p"),
        ("large constant", "@t = internal constant [4 x { i8, i32, float, double, i64 }] [{ i8, i32, float, double, i64 } { i8 1, i32 2, float 3.0, double 4.0, i64 5 }, { i8, i32, float, double, i64 } zeroinitializer, { i8, i32, float, double, i64 } undef, { i8, i32, float, double, i64 } poison]", "  %i = load i64, ptr %p\n  %e = getelementptr i8, ptr @t, i64 %i\n  %v = load i32, ptr %e\n  store i32 %v, ptr %p"),
        ("packed bytes", "@t = internal constant <{ [3 x i8], [5 x i8] }> <{ [3 x i8] c\"abc\", [5 x i8] undef }>, align 1", "  %i = load i64, ptr %p\n  %e = getelementptr i8, ptr @t, i64 %i\n  %v = load i8, ptr %e\n  store i8 %v, ptr %p"),
        ("wide constant", "@t = internal constant [2 x i128] [i128 1, i128 2]", "  %i = load i64, ptr %p\n  %e = getelementptr i128, ptr @t, i64 %i\n  %v = load i128, ptr %e\n  store i128 %v, ptr %p"),
        ("poison", "", "  store i32 poison, ptr %p\n  store ptr undef, ptr %q\n  store float undef, ptr %p\n  store {i32, i64} poison, ptr %p"),
        ("aggregates", "", "  %a = load {i32, i64}, ptr %p\n  %b = insertvalue {i32, i64} %a, i32 4, 0\n  %c = extractvalue {i32, i64} %b, 1\n  store {i32, i64} %b, ptr %q\n  store i64 %c, ptr %p"),
        ("aggregate function", "define internal {i32, ptr} @g(ptr %x, {i64, [2 x i32]} %y) noinline {\n  %v = load volatile i32, ptr %x\n  %a = insertvalue {i32, ptr} undef, i32 %v, 0\n  %b = insertvalue {i32, ptr} %a, ptr %x, 1\n  ret {i32, ptr} %b\n}", "  %y = load {i64, [2 x i32]}, ptr %q\n  %r = call {i32, ptr} @g(ptr %p, {i64, [2 x i32]} %y)\n  %a = extractvalue {i32, ptr} %r, 1\n  store i32 4, ptr %a"),
        ("irregular", "", "  %n = load i32, ptr %p\n  switch i32 %n, label %a [i32 1, label %b i32 2, label %c]\na:\n  store volatile i32 1, ptr %q\n  br label %b\nb:\n  %m = load volatile i32, ptr %q\n  %t = icmp eq i32 %m, 3\n  br i1 %t, label %c, label %d\nc:\n  store volatile i32 5, ptr %q\n  %u = load volatile i1, ptr %q\n  br i1 %u, label %a, label %b\nd:"),
        ("endless", "", "  br label %a\na:\n  store volatile i32 1, ptr %p\n  br label %a\nb:"),
        ("hints", "", "  %c = load i1, ptr %p\n  call void @llvm.assume(i1 %c)\n  call void @llvm.prefetch.p0(ptr %p, i32 0, i32 3, i32 1)\n  call void @llvm.debugtrap()\n  %e = call i1 @llvm.expect.i1(i1 %c, i1 true)\n  %k = call i1 @llvm.is.constant.i1(i1 %c)\n  store i1 %k, ptr %q\n  call void @llvm.experimental.noalias.scope.decl(metadata !0)\n  %i = call ptr @llvm.invariant.start.p0(i64 4, ptr %p)\n  call void @llvm.invariant.end.p0(ptr %i, i64 4, ptr %p)"),
        ("i1 arithmetic", "", "  %a = load i1, ptr %p\n  %b = load i1, ptr %q\n  %c = add i1 %a, %b\n  %d = mul i1 %c, %b\n  %e = xor i1 %d, true\n  %f = freeze i1 %e\n  %g = icmp ult i1 %f, %a\n  %h = sub i1 %g, %a\n  store i1 %h, ptr %p"),
        ("recursion", recursion, "  %v = load i32, ptr %q\n  %r = call i32 @f(i32 %v)\n  store i32 %r, ptr %p"),
        ("table", table.as_str(), "  %v = load i64, ptr %q\n  %e = getelementptr ptr, ptr @t, i64 %v\n  %f = load ptr, ptr %e\n  call void %f(ptr %p)"),
        ("address of function", function, "  store ptr @f, ptr %p"),
        ("indirectbr", "", "  %g = load ptr, ptr %q\n  indirectbr ptr %g, [label %a, label %b]\na:\n  br label %b\nb:"),
        ("stacksave", "", "  %s = call ptr @llvm.stacksave.p0()\n  store ptr %s, ptr %p"),
        ("dynamic alloca", "", "  %n = load i32, ptr %q\n  %a = alloca i32, i32 %n\n  store volatile i32 3, ptr %a"),
        ("i256", "", "  %a = load i256, ptr %q\n  %b = add i256 %a, 1\n  store i256 %b, ptr %p"),
        ("masked load", "", "  %a = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr %q, i32 4, <4 x i1> <i1 1, i1 0, i1 1, i1 1>, <4 x i32> zeroinitializer)\n  store <4 x i32> %a, ptr %p"),
        ("x86_fp80", "", "  %a = load x86_fp80, ptr %q\n  store x86_fp80 %a, ptr %p"),
    ]
    .into_iter()
    .map(|(name, outside, body)| probe(name, outside, body))
    .collect();
    probes[18].1 += "\n!0 = !{!1}\n!1 = distinct !{!1, !2}\n!2 = distinct !{!2}\n";
    for (length, number) in [(2, "i2"), (4, "i4"), (8, "i8"), (16, "i16"), (16, "<2 x i8>")] {
        let body = format!(
            "  %a = load <{length} x i8>, ptr %q\n  %b = icmp slt <{length} x i8> %a, zeroinitializer\n  %c = bitcast <{length} x i1> %b to {number}\n  store {number} %c, ptr %p\n  %d = load {number}, ptr %q\n  %e = bitcast {number} %d to <{length} x i1>\n  %f = sext <{length} x i1> %e to <{length} x i8>\n  store <{length} x i8> %f, ptr %p"
        );
        probes.push(probe(format!("mask of {length} in {number}"), "", &body));
    }
    for size in ["0", "1", "7", "16", "%n"] {
        let body = format!(
            "  %n = load i64, ptr %q\n  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 {size}, i1 false)\n  call void @llvm.memmove.p0.p0.i64(ptr %p, ptr %q, i64 {size}, i1 false)\n  call void @llvm.memset.p0.i64(ptr %p, i8 7, i64 {size}, i1 false)"
        );
        probes.push(probe(format!("memory {size}"), "", &body));
    }
    for (size, is_volatile) in [("0", 0), ("12", 0), ("12", 1), ("100", 0), ("1000", 1), ("%n", 0), ("%n", 1)] {
        let body = format!(
            "  %n = load i64, ptr %q\n  call void @llvm.memcpy.inline.p0.p0.i64(ptr %p, ptr %q, i64 {size}, i1 {is_volatile})\n  call void @llvm.memset.inline.p0.i64(ptr %p, i8 7, i64 {size}, i1 {is_volatile})"
        );
        probes.push(probe(format!("inline {size} {is_volatile}"), "", &body));
    }
    for vector in ["<2 x i32>", "<3 x float>", "<5 x i8>", "<16 x i8>", "<32 x i16>", "<1 x i64>", "<4 x i1>"] {
        let op = if vector.contains("float") { "fadd" } else { "add" };
        let body = format!(
            "  %a = load {vector}, ptr %q\n  %b = {op} {vector} %a, %a\n  %c = shufflevector {vector} %b, {vector} %a, <2 x i32> <i32 0, i32 1>\n  store {vector} %b, ptr %p"
        );
        let body = if vector.starts_with("<1") { body.replace("<i32 0, i32 1>", "<i32 0, i32 0>") } else { body };
        probes.push(probe(format!("vector {vector}"), "", &body));
    }
    let bits = "  %a = load <2 x i64>, ptr %q\n  %b = bitcast <2 x i64> %a to i128\n  %c = add i128 %b, 1\n  %d = bitcast i128 %c to <4 x i32>\n  store <4 x i32> %d, ptr %p";
    probes.push(probe("bits of a vector", "", bits));
    assert_eq!(refused(&probes), ["indirectbr", "stacksave", "dynamic alloca", "x86_fp80"]);
}

//! Small modules for all constructs of IR: each GPU target compiles or refuses them, and LLVM never aborts.
//!
//! An abort ends this test program. The last module that it has tried is in `target/tmp/last-probe-*.ll`.

use crate::gpu::{Setup, kernel};
use offloadc::contract::kernel::ParameterKind::Pointer;
use offloadc::llvm::OptLevel;

/// Old and new archs, with and without optimisation.
const ARCHS: &[(&str, OptLevel)] = &[
    ("sm_50", OptLevel::O0),
    ("sm_70", OptLevel::O2),
    ("gfx700", OptLevel::O0),
    ("gfx90a", OptLevel::O2),
    ("gfx1100", OptLevel::O0),
];

/// A name and a module.
type Probe = (String, String);

/// A kernel with this body; `%p` and `%q` are pointers.
fn probe(name: impl Into<String>, outside: &str, body: &str) -> Probe {
    (name.into(), format!("{outside}\ndefine void @k(ptr %p, ptr %q) {{\n{body}\n  ret void\n}}\n"))
}

/// The result of a probe on one arch: success, or the reason for the refusal.
fn outcome(text: &str, arch: &str, level: OptLevel) -> Result<(), String> {
    let kernels = vec![kernel("k", &[(Pointer, 8), (Pointer, 8)])];
    Setup { level, ..Setup::new(text, kernels) }.generate(arch).map(|_| ())
}

/// Tries every probe with all archs. Returns lines "name: arch arch" for those that were refused.
#[track_caller]
fn refused(probes: &[Probe]) -> Vec<String> {
    let mut lines = Vec::new();
    for (name, text) in probes {
        let mut archs = Vec::new();
        for (arch, level) in ARCHS {
            let _told = std::fs::write(last_probe(), format!("; {name} on {arch} at {level:?}\n{text}"));
            if let Err(error) = outcome(text, arch, *level) {
                assert!(!error.contains("internal error"), "{name} on {arch}: {error}");
                archs.push(*arch);
            }
        }
        if !archs.is_empty() {
            lines.push(format!("{name}: {}", archs.join(" ")));
        }
    }
    lines
}

/// The file with the current probe, to find the one that has aborted LLVM.
fn last_probe() -> std::path::PathBuf {
    let name = std::thread::current().name().unwrap_or("probe").replace(':', "_");
    harness::temporary().join(format!("last-probe-{name}.ll"))
}

const NVIDIA: &str = "sm_50 sm_70";
const ALL: &str = "sm_50 sm_70 gfx700 gfx90a gfx1100";

/// The name of a type in IR, and its suffix in the names of intrinsics.
const FLOATS: &[(&str, &str)] = &[("half", "f16"), ("float", "f32"), ("double", "f64"), ("<4 x float>", "v4f32")];

/// `%r = call T @llvm.NAME.SUFFIX(arguments)` on a loaded `%a`, the result stored.
fn call(name: &str, (ty, suffix): (&str, &str), arguments: &str) -> Probe {
    let body = format!(
        "  %a = load {ty}, ptr %q\n  %r = call {ty} @llvm.{name}.{suffix}({arguments})\n  store {ty} %r, ptr %p"
    );
    probe(format!("{name}.{suffix}"), "", &body.replace("$T", ty))
}

#[test]
fn arithmetic_on_floats_compiles() {
    let mut probes = Vec::new();
    for &float in FLOATS {
        for name in "sqrt fabs floor ceil trunc rint nearbyint round roundeven canonicalize".split(' ') {
            probes.push(call(name, float, "$T %a"));
        }
        for name in "copysign minnum maxnum minimum maximum".split(' ') {
            probes.push(call(name, float, "$T %a, $T %a"));
        }
        for name in ["fma", "fmuladd"] {
            probes.push(call(name, float, "$T %a, $T %a, $T %a"));
        }
        let ty = float.0;
        for name in ["fadd", "fsub", "fmul", "fdiv", "frem"] {
            let body = format!("  %a = load {ty}, ptr %q\n  %r = {name} {ty} %a, %a\n  store {ty} %r, ptr %p");
            probes.push(probe(format!("{name}.{ty}"), "", &body));
        }
    }
    assert_eq!(refused(&probes), [format!("canonicalize.f16: {NVIDIA}")]);
}

#[test]
fn math_without_a_library_is_refused() {
    let names = "sin cos tan asin acos atan sinh cosh tanh exp exp2 exp10 log log2 log10";
    let mut probes = Vec::new();
    for &float in FLOATS {
        probes.extend(names.split(' ').map(|name| call(name, float, "$T %a")));
        probes.extend(["pow", "atan2"].map(|name| call(name, float, "$T %a, $T %a")));
    }
    let mut expected = Vec::new();
    for (ty, suffix) in FLOATS {
        for name in names.split(' ').chain(["pow", "atan2"]) {
            let amd = name.starts_with("exp") || name.starts_with("log");
            match (name, *ty) {
                ("exp2", "half" | "float" | "<4 x float>") => {}
                (_, ty) if amd && ty != "double" => expected.push(format!("{name}.{suffix}: {NVIDIA}")),
                _ => expected.push(format!("{name}.{suffix}: {ALL}")),
            }
        }
    }
    assert_eq!(refused(&probes), expected);
    let sine = call("sin", FLOATS[1], "float %a").1;
    let said = outcome(&sine, "sm_80", OptLevel::O2).unwrap_err();
    assert_eq!(said, "kernel `k` calls the math function `sin` (`llvm.sin.f32`), which has no device code yet");
}

#[test]
fn conversions_compile_up_to_64_bits() {
    let mut probes = Vec::new();
    for &(float, suffix) in &FLOATS[..3] {
        for int in ["i1", "i8", "i16", "i32", "i64", "i128"] {
            let convert = |name: &str, from: &str, to: &str| {
                let body =
                    format!("  %a = load {from}, ptr %q\n  %r = {name} {from} %a to {to}\n  store {to} %r, ptr %p");
                probe(format!("{name}.{suffix}.{int}"), "", &body)
            };
            probes.push(convert("fptosi", float, int));
            probes.push(convert("uitofp", int, float));
            let body = format!(
                "  %a = load {float}, ptr %q\n  %r = call {int} @llvm.fptoui.sat.{int}.{suffix}({float} %a)\n  store {int} %r, ptr %p"
            );
            probes.push(probe(format!("fptoui.sat.{suffix}.{int}"), "", &body));
        }
        let body = format!(
            "  %a = load {float}, ptr %q\n  %r = call i64 @llvm.lrint.i64.{suffix}({float} %a)\n  store i64 %r, ptr %p"
        );
        probes.push(probe(format!("lrint.{suffix}"), "", &body));
        for power in ["3", "%n"] {
            let body = format!(
                "  %a = load {float}, ptr %q\n  %n = load i32, ptr %p\n  %r = call {float} @llvm.powi.{suffix}.i32({float} %a, i32 {power})\n  store {float} %r, ptr %p"
            );
            probes.push(probe(format!("powi.{power}.{suffix}"), "", &body));
        }
    }
    let expected = ["f16", "f32", "f64"].map(|float| {
        let rows = [("fptosi", NVIDIA), ("uitofp", NVIDIA), ("fptoui.sat", ALL)]
            .map(|(n, a)| format!("{n}.{float}.i128: {a}"));
        [rows.as_slice(), &[format!("lrint.{float}: {NVIDIA}"), format!("powi.%n.{float}: {ALL}")]].concat()
    });
    assert_eq!(refused(&probes), expected.concat());
}

#[test]
fn integers_of_every_width_compile() {
    let mut probes = Vec::new();
    for int in ["i8", "i16", "i32", "i64", "i128", "i24"] {
        let two = format!("  %a = load {int}, ptr %q\n  %b = load {int}, ptr %p\n");
        for name in "add mul udiv sdiv urem srem shl lshr ashr".split(' ') {
            probes.push(probe(
                format!("{name}.{int}"),
                "",
                &format!("{two}  %r = {name} {int} %a, %b\n  store {int} %r, ptr %p"),
            ));
        }
        for name in "smax umin sadd.sat usub.sat".split(' ') {
            probes.push(probe(
                format!("{name}.{int}"),
                "",
                &format!("{two}  %r = call {int} @llvm.{name}.{int}({int} %a, {int} %b)\n  store {int} %r, ptr %p"),
            ));
        }
        for name in ["ctpop", "bitreverse"] {
            probes.push(call(name, (int, int), "$T %a"));
        }
        for name in ["ctlz", "cttz", "abs"] {
            probes.push(call(name, (int, int), "$T %a, i1 false"));
        }
        let both = "  %d = udiv $T %a, %b\n  %e = urem $T %a, %b\n  store $T %d, ptr %p\n  store $T %e, ptr %q";
        probes.push(probe(format!("divrem.{int}"), "", &format!("{two}{}", both.replace("$T", int))));
        probes.push(call("fshl", (int, int), "$T %a, $T %a, $T %a"));
        for name in "sadd uadd ssub usub smul umul".split(' ') {
            let body = format!(
                "{two}  %s = call {{{int}, i1}} @llvm.{name}.with.overflow.{int}({int} %a, {int} %b)\n  %r = extractvalue {{{int}, i1}} %s, 0\n  %o = extractvalue {{{int}, i1}} %s, 1\n  store {int} %r, ptr %p\n  store i1 %o, ptr %q"
            );
            probes.push(probe(format!("{name}.with.overflow.{int}"), "", &body));
        }
    }
    assert_eq!(refused(&probes), [""; 0]);
}

#[test]
fn atomics_compile_up_to_64_bits() {
    let outside = "@s = internal global i128 0, section \".offload.shared\", align 16";
    let mut probes = Vec::new();
    for (place, scope) in [("ptr %p", "syncscope(\"device\") "), ("ptr @s", "")] {
        for int in ["i8", "i16", "i32", "i64", "i128"] {
            let load = format!("  %a = load {int}, ptr %q\n");
            for name in "xchg add sub and nand or xor max min umax umin".split(' ') {
                for ordering in ["monotonic", "seq_cst"] {
                    let body = format!(
                        "{load}  %r = atomicrmw {name} {place}, {int} %a {scope}{ordering}\n  store {int} %r, ptr %q"
                    );
                    probes.push(probe(format!("{name}.{int}"), outside, &body));
                }
            }
            for (ordering, other) in [("monotonic", "monotonic"), ("acquire", "release"), ("seq_cst", "seq_cst")] {
                let body =
                    format!("  %r = load atomic {int}, {place} {scope}{ordering}, align 16\n  store {int} %r, ptr %q");
                probes.push(probe(format!("load.{int}"), outside, &body));
                let body = format!("{load}  store atomic {int} %a, {place} {scope}{other}, align 16");
                probes.push(probe(format!("store.{int}"), outside, &body));
                let body = format!(
                    "{load}  %x = cmpxchg weak {place}, {int} %a, {int} 3 {scope}{ordering} monotonic\n  %r = extractvalue {{{int}, i1}} %x, 0\n  store {int} %r, ptr %q"
                );
                probes.push(probe(format!("cmpxchg.{int}"), outside, &body));
            }
        }
        for float in ["float", "double"] {
            let body = format!(
                "  %a = load {float}, ptr %q\n  %r = atomicrmw fadd {place}, {float} %a {scope}monotonic\n  store {float} %r, ptr %q"
            );
            probes.push(probe(format!("fadd.{float}"), outside, &body));
        }
    }
    for ordering in ["acquire", "release", "acq_rel", "seq_cst"] {
        for scope in ["", "syncscope(\"singlethread\") "] {
            probes.push(probe(format!("fence {scope}{ordering}"), "", &format!("  fence {scope}{ordering}")));
        }
    }
    let lines = refused(&probes);
    assert!(lines.iter().all(|line| line.contains("i128: ") && line.ends_with(ALL)), "{lines:#?}");
    assert_eq!(lines.len(), probes.iter().filter(|(name, _)| name.ends_with("i128")).count());
    let system =
        ["  %a = atomicrmw add ptr %p, i32 1 monotonic", "  %a = cmpxchg ptr %p, i64 1, i64 2 monotonic monotonic"];
    let system = system.map(|body| probe("system", "", body));
    assert_eq!(refused(&system), ["system: sm_50"; 2], "archs without scopes");
}

/// Constructs in Rust's own libraries and in unusual IR, other than arithmetic.
fn odd_probes() -> Vec<Probe> {
    let function = "define internal void @f(ptr %x) noinline {\n  store volatile i32 1, ptr %x\n  ret void\n}\n";
    let table = format!("{function}@t = internal constant [2 x ptr] [ptr @f, ptr @f]");
    let shared = "@s = internal global i32 0, section \".offload.shared\"\n";
    let recursion = "define internal i32 @f(i32 %x) noinline {\n  %c = icmp eq i32 %x, 0\n  br i1 %c, label %a, label %b\na:\n  ret i32 1\nb:\n  %y = sub i32 %x, 1\n  %r = call i32 @f(i32 %y)\n  %s = mul i32 %r, %x\n  ret i32 %s\n}";
    let mut all: Vec<Probe> = [
        ("table", table.as_str(), "  %v = load i64, ptr %q\n  %e = getelementptr ptr, ptr @t, i64 %v\n  %f = load ptr, ptr %e\n  call void %f(ptr %p)"),
        ("recursion", recursion, "  %v = load i32, ptr %q\n  %r = call i32 @f(i32 %v)\n  store i32 %r, ptr %p"),
        ("musttail", &format!("{function}define internal void @g(ptr %x) noinline {{\n  musttail call void @f(ptr %x)\n  ret void\n}}"), "  call void @g(ptr %p)"),
        ("fastcc", "define internal fastcc void @f(ptr %x) noinline {\n  store volatile i32 1, ptr %x\n  ret void\n}", "  call fastcc void @f(ptr %p)"),
        ("wide arguments", "define internal i128 @f(i128 %x, {i64, [3 x i8]} %y) noinline {\n  ret i128 %x\n}", "  %v = load i128, ptr %q\n  %y = load {i64, [3 x i8]}, ptr %q\n  %r = call i128 @f(i128 %v, {i64, [3 x i8]} %y)\n  store i128 %r, ptr %p"),
        ("chosen constants", "", "  %c = load volatile i1, ptr %p\n  br i1 %c, label %a, label %b\na:\n  %d = load volatile i1, ptr %p\n  %n = select i1 %d, ptr null, ptr inttoptr (i64 3 to ptr)\n  br label %m\nb:\n  br label %m\nm:\n  %e = phi ptr [ %n, %a ], [ %q, %b ]\n  %f = getelementptr i8, ptr %e, i64 1\n  store volatile i8 3, ptr %f"),
        ("prefetch", "", "  call void @llvm.prefetch.p0(ptr %p, i32 0, i32 3, i32 1)"),
        ("debugtrap", "", "  call void @llvm.debugtrap()"),
        ("ubsantrap", "", "  call void @llvm.ubsantrap(i8 3)"),
        ("assume", "", "  call void @llvm.assume(i1 true)"),
        ("reduce", "", "  %a = load <16 x i8>, ptr %q\n  %r = call i8 @llvm.vector.reduce.add.v16i8(<16 x i8> %a)\n  store i8 %r, ptr %p"),
        ("masked load", "", "  %a = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr %q, i32 4, <4 x i1> <i1 1, i1 0, i1 1, i1 1>, <4 x i32> zeroinitializer)\n  store <4 x i32> %a, ptr %p"),
        ("static to itself", "@t = internal global ptr @t", "  %v = load volatile ptr, ptr @t"),
        ("packed pointer", "@s = internal global i32 0\n@t = internal global <{ i8, ptr, [7 x i8] }> <{ i8 1, ptr @s, [7 x i8] undef }>", "  %v = load volatile i8, ptr @t"),
        ("pointer inside", "@s = internal global [4 x i32] zeroinitializer\n@t = internal global <{ [8 x i8], ptr }> <{ [8 x i8] undef, ptr getelementptr (i8, ptr @s, i64 4) }>", "  %v = load volatile i8, ptr @t"),
        ("pointer as integer", "@s = internal global i32 0\n@t = internal global i64 ptrtoint (ptr @s to i64)", "  %v = load volatile i64, ptr @t"),
        ("half a pointer", "@s = internal global i32 0\n@t = internal global i32 trunc (i64 ptrtoint (ptr @s to i64) to i32)", "  %v = load volatile i32, ptr @t"),
        ("shared address", &format!("{shared}@t = internal global ptr @s"), "  %v = load volatile ptr, ptr @t\n  store volatile i32 1, ptr @s"),
        ("fp128", "", "  %a = load fp128, ptr %q\n  %r = fadd fp128 %a, %a\n  store fp128 %r, ptr %p"),
        ("x86_fp80", "", "  %a = load x86_fp80, ptr %q\n  store x86_fp80 %a, ptr %p"),
        ("scalable", "", "  %a = load <vscale x 4 x i32>, ptr %q\n  store <vscale x 4 x i32> %a, ptr %p"),
        ("indirectbr", "", "  %g = load ptr, ptr %q\n  indirectbr ptr %g, [label %a, label %b]\na:\n  br label %b\nb:"),
        ("blockaddress", "", "  store ptr blockaddress(@k, %b), ptr %p\n  br label %b\nb:"),
        ("stacksave", "", "  %s = call ptr @llvm.stacksave.p0()\n  store ptr %s, ptr %p"),
        ("dynamic alloca", "", "  %n = load i32, ptr %q\n  %a = alloca i32, i32 %n\n  store volatile i32 3, ptr %a"),
        ("frameaddress", "", "  %r = call ptr @llvm.frameaddress.p0(i32 0)\n  store ptr %r, ptr %p"),
        ("element copy", "", "  call void @llvm.memcpy.element.unordered.atomic.p0.p0.i64(ptr align 4 %p, ptr align 4 %q, i64 4, i32 4)"),
        ("fixed point", "", "  %a = load i32, ptr %q\n  %r = call i32 @llvm.sdiv.fix.i32(i32 %a, i32 %a, i32 2)\n  store i32 %r, ptr %p"),
        ("foreign hint", "", "  call void @llvm.arm.hint(i32 1)"),
        ("vscale", "", "  %r = call i64 @llvm.vscale.i64()\n  store i64 %r, ptr %p"),
        ("rounding", "", "  call void @llvm.set.rounding(i32 1)"),
        ("clear cache", "", "  call void @llvm.clear_cache(ptr %p, ptr %q)"),
    ]
    .into_iter()
    .map(|(name, outside, body)| probe(name, outside, body))
    .collect();
    for size in ["16", "%n"] {
        let body = format!(
            "  %n = load i64, ptr %q\n  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 {size}, i1 false)\n  call void @llvm.memmove.p0.p0.i64(ptr %p, ptr %q, i64 {size}, i1 false)\n  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 {size}, i1 false)"
        );
        all.push(probe(format!("memory {size}"), "", &body));
    }
    for (size, is_volatile) in [("0", 0), ("12", 0), ("12", 1), ("100", 0), ("1000", 1), ("%n", 0), ("%n", 1)] {
        let body = format!(
            "  %n = load i64, ptr %q\n  call void @llvm.memcpy.inline.p0.p0.i64(ptr %p, ptr %q, i64 {size}, i1 {is_volatile})\n  call void @llvm.memset.inline.p0.i64(ptr %p, i8 7, i64 {size}, i1 {is_volatile})"
        );
        all.push(probe(format!("inline {size} {is_volatile}"), "", &body));
    }
    all
}

#[test]
fn everything_else_compiles_or_is_refused() {
    let refused = refused(&odd_probes());
    let only_nvidia = ["static to itself", "packed pointer"];
    let everywhere = [
        "half a pointer",
        "shared address",
        "fp128",
        "x86_fp80",
        "scalable",
        "indirectbr",
        "blockaddress",
        "dynamic alloca",
        "stacksave",
        "frameaddress",
        "element copy",
        "fixed point",
        "foreign hint",
        "vscale",
        "rounding",
        "clear cache",
    ];
    let mut expected: Vec<String> = only_nvidia.iter().map(|name| format!("{name}: {NVIDIA}")).collect();
    expected.extend(everywhere.iter().map(|name| format!("{name}: {ALL}")));
    let sorted = |mut lines: Vec<String>| {
        lines.sort_unstable();
        lines
    };
    assert_eq!(sorted(refused), sorted(expected));
}

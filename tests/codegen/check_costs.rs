//! How many machine instructions a bounds check costs: kernels with few and with many checks, and the same kernels
//! without any. The code that runs only in a panic is counted, too.

use std::fmt::Write as _;
use std::process::Command;

use offloadc::contract::kernel::ParameterKind::Block;

use crate::gpu::{Setup, kernel};

/// The checks of the smaller kernel, and of the larger one. The bytes of their arguments are a power of two.
const COUNTS: [u32; 2] = [7, 15];
/// The most instructions that a check may cost.
const MOST: f64 = 4.0;

/// The indices and lengths that the checks compare.
#[derive(Clone, Copy, Debug)]
enum Pattern {
    /// One index with the lengths of several slices, as in `z[i] = x[i] + y[i]` with `thread::index_1d()`.
    Slices,
    /// The same with `y * width + x`, the index of a row and a column.
    RowsAndColumns,
    /// Indices at a distance with the length of one slice, as in a stencil.
    Distances,
}

/// A kernel of this pattern as it comes from `validate`: its argument has a width, an output, and the slices.
fn module(pattern: Pattern, checks: u32, is_checked: bool) -> String {
    let mut text = String::from(
        "declare i32 @__offload_thread_id_x()\ndeclare i32 @__offload_block_id_x()\n\
         declare i32 @__offload_block_dim_x()\ndeclare i32 @__offload_block_id_y()\n\
         declare void @__offload_leave() noreturn\n\
         define internal void @offload_record(ptr %state, i32 %message, i32 %place, i64 %a, i64 %b, i64 %c) cold \
         noinline nounwind {\n  store volatile i32 %message, ptr %state\n  store volatile i32 %place, ptr %state\n  \
         store volatile i64 %a, ptr %state\n  store volatile i64 %b, ptr %state\n  \
         store volatile i64 %c, ptr %state\n  ret void\n}\n",
    );
    let size = 16 * (checks + 1);
    let mut line = |line: &str| writeln!(text, "{line}").expect("a string has room");
    line(&format!("define void @k(ptr align 8 dereferenceable({size}) %args) {{"));
    line("  %width = load i64, ptr %args");
    line("  %out.at = getelementptr i8, ptr %args, i64 8\n  %out = load ptr, ptr %out.at");
    for slice in 0..checks {
        let (at, length) = (16 * (slice + 1), 16 * (slice + 1) + 8);
        line(&format!(
            "  %x{slice}.at = getelementptr i8, ptr %args, i64 {at}\n  %x{slice} = load ptr, ptr %x{slice}.at"
        ));
        line(&format!("  %n{slice}.at = getelementptr i8, ptr %args, i64 {length}"));
        line(&format!("  %n{slice} = load i64, ptr %n{slice}.at"));
    }
    line("  %t = call i32 @__offload_thread_id_x()\n  %b = call i32 @__offload_block_id_x()");
    line("  %d = call i32 @__offload_block_dim_x()\n  %t.64 = zext i32 %t to i64\n  %b.64 = zext i32 %b to i64");
    line("  %d.64 = zext i32 %d to i64\n  %start = mul nuw i64 %b.64, %d.64\n  %column = add nuw i64 %start, %t.64");
    line("  %y = call i32 @__offload_block_id_y()\n  %row = zext i32 %y to i64\n  %above = mul i64 %row, %width");
    let index = if matches!(pattern, Pattern::RowsAndColumns) { "%above" } else { "0" };
    line(&format!("  %i = add i64 %column, {index}\n  br label %at0\nat0:"));
    for check in 0..checks {
        let (slice, distance) = if matches!(pattern, Pattern::Distances) { (0, check) } else { (check, 0) };
        line(&format!("  %i{check} = add nuw i64 %i, {distance}"));
        line(&format!("  %holds{check} = icmp ult i64 %i{check}, %n{slice}"));
        let condition = if is_checked { format!("%holds{check}") } else { "true".to_owned() };
        line(&format!("  br i1 {condition}, label %at{0}, label %panic\nat{0}:", check + 1));
        line(&format!("  %e{check}.at = getelementptr inbounds float, ptr %x{slice}, i64 %i{check}"));
        line(&format!("  %e{check} = load float, ptr %e{check}.at, !invariant.load !0"));
        let before = if check == 0 { "0.0".to_owned() } else { format!("%sum{}", check - 1) };
        line(&format!("  %sum{check} = fadd float {before}, %e{check}"));
    }
    line("  %to = getelementptr inbounds float, ptr %out, i64 %i");
    line(&format!("  store float %sum{}, ptr %to\n  ret void\npanic:", checks - 1));
    let incoming = |of: &dyn Fn(u32) -> String| {
        (0..checks).map(|check| format!("[ {}, %at{check} ]", of(check))).collect::<Vec<_>>().join(", ")
    };
    line(&format!("  %place = phi i32 {}", incoming(&|check| (check + 1).to_string())));
    line(&format!("  %index = phi i64 {}", incoming(&|check| format!("%i{check}"))));
    let slice = |check: u32| if matches!(pattern, Pattern::Distances) { 0 } else { check };
    line(&format!("  %length = phi i64 {}", incoming(&|check| format!("%n{}", slice(check)))));
    line("  call void @offload_record(ptr %out, i32 1, i32 %place, i64 %index, i64 %length, i64 0)");
    line("  call void @__offload_leave()\n  unreachable\n}\n!0 = !{}");
    text
}

/// The instructions of a kernel and of its callees.
fn instructions(arch: &str, pattern: Pattern, checks: u32, is_checked: bool) -> u32 {
    let text = module(pattern, checks, is_checked);
    let compiled = Setup::new(&text, vec![kernel("k", &[(Block, 16 * (checks + 1))])]).expect(arch);
    if arch.starts_with("gfx") {
        let is_instruction = |line: &&str| line.starts_with('\t') && !line.contains("s_nop") && line.contains("//");
        return compiled.assembly().lines().filter(is_instruction).count() as u32;
    }
    let folder = harness::scratch();
    let file = |name: &str| folder.path().join(name);
    std::fs::write(file("k.ptx"), &compiled.code).expect("the folder was made");
    let mut assembler = Command::new(harness::ptxas().expect("`make test-deps` installs NVIDIA's assembler"));
    harness::run(assembler.args(["-O3", "-arch", arch]).arg(file("k.ptx")).arg("-o").arg(file("k.cubin"))).success();
    let mut section = Command::new(harness::llvm_tool("llvm-objcopy"));
    section.arg(format!("--dump-section=.text.k={}", file("k.code").display()));
    harness::run(section.arg(file("k.cubin")).arg(file("k.copy"))).success();
    let code = std::fs::read(file("k.code")).expect("the section was written");
    // An instruction has 16 bytes, of which the lowest 12 bits are the operation. The end is filled with this one.
    const NOP: u16 = 0x918;
    let operation = |word: &&[u8]| u16::from_le_bytes([word[0], word[1]]) & 0xfff;
    code.chunks_exact(16).filter(|word| operation(word) != NOP).count() as u32
}

/// The cost of one more check.
fn cost(arch: &str, pattern: Pattern) -> f64 {
    let [checked, unchecked] = [true, false].map(|is_checked| {
        let [few, many] = COUNTS.map(|count| f64::from(instructions(arch, pattern, count, is_checked)));
        many - few
    });
    (checked - unchecked) / f64::from(COUNTS[1] - COUNTS[0])
}

#[test]
fn a_check_costs_four_instructions_at_most() {
    for arch in ["sm_80", "gfx90a"] {
        for pattern in [Pattern::Slices, Pattern::RowsAndColumns, Pattern::Distances] {
            let cost = cost(arch, pattern);
            println!("{arch}, {pattern:?}: {cost:.2}");
            assert!((1.0..=MOST).contains(&cost), "{arch}, {pattern:?}: a check costs {cost:.2} instructions");
        }
    }
}

//! Guards of a kernel, which the CPU target removes from the loop over the threads that pass them.

use crate::cpu_by_hand::{check, kernel, module};
use offloadc::contract::kernel::ParameterKind::{Pointer, Value};

/// A kernel that counts in `out[x]` whether `compare` of `start + x` and `n` lets the thread continue.
fn guarded(name: &str, predicate: &str, extend: &str, swap: bool, invert: bool) -> String {
    let (wide, operands) = match (extend, swap) {
        ("", false) => ("i32", "%i, %m"),
        ("", true) => ("i32", "%m, %i"),
        (_, false) => ("i64", "%w, %n"),
        (_, true) => ("i64", "%n, %w"),
    };
    let extended = if extend.is_empty() { String::new() } else { format!("%w = {extend} i32 %i to i64") };
    let (then, or_else) = if invert { ("out", "in") } else { ("in", "out") };
    format!(
        "define void @{name}(i32 %start, i64 %n, ptr %to) {{
  %own = alloca [4 x i32]
  %element = getelementptr i32, ptr %own, i64 2
  store volatile i32 1, ptr %element
  %x = call i32 @__offload_thread_id_x()
  %i = add i32 %start, %x
  %m = trunc i64 %n to i32
  {extended}
  %c = icmp {predicate} {wide} {operands}
  br i1 %c, label %{then}, label %{or_else}
in:
  %z = zext i32 %x to i64
  %p = getelementptr i32, ptr %to, i64 %z
  %v = load i32, ptr %p
  %one = load volatile i32, ptr %element
  %s = add i32 %v, %one
  store i32 %s, ptr %p
  br label %out
out:
  ret void
}}
"
    )
}

#[test]
fn guards_hold_for_the_right_threads() {
    let operators = [
        ("ult", "<", "u"),
        ("ule", "<=", "u"),
        ("ugt", ">", "u"),
        ("uge", ">=", "u"),
        ("slt", "<", ""),
        ("sle", "<=", ""),
        ("sgt", ">", ""),
        ("sge", ">=", ""),
        ("eq", "==", "u"),
        ("ne", "!=", "u"),
    ];
    let (mut text, mut program, mut calls, mut kernels) = (String::new(), String::new(), String::new(), Vec::new());
    for (predicate, operator, sign) in operators {
        for (extend, index, bits) in [("", "int32_t", 32), ("zext", "uint32_t", 64), ("sext", "int32_t", 64)] {
            for (swap, invert) in [(false, false), (true, false), (false, true), (true, true)] {
                let name = format!("k{}", kernels.len());
                text += &guarded(&name, predicate, extend, swap, invert);
                let i = format!("({sign}int{bits}_t)({index})i");
                let n = format!("({sign}int{bits}_t)n");
                let (left, right) = if swap { (n, i) } else { (i, n) };
                let holds = format!("(({left} {operator} {right}) != {})", u8::from(invert));
                program +=
                    &format!("ENTRY({name});\nstatic int h{name}(uint32_t i, int64_t n) {{ return {holds}; }}\n");
                calls += &format!("  try({name}, h{name}, {name:?});\n");
                kernels.push(kernel(&name, &[(Value, 4, 4), (Value, 8, 8), (Pointer, 8, 8)]));
            }
        }
    }
    let main = format!(
        r#"
static void try(offload_cpu_entry entry, int (*holds)(uint32_t, int64_t), const char *name) {{
  static const uint32_t starts[] = {{0, 1, 100, 0x7ffffff0, 0x80000000, 0xffffffc0, 0xfffffff0}};
  static const int64_t limits[] = {{0, 1, 37, 100, 164, 0x7ffffff8, 0x80000000, 0xffffffff, 0x100000010, -1, -5,
                                   INT64_MAX, INT64_MIN, INT64_MIN + 1}};
  for (int s = 0; s < 7; s++)
    for (int l = 0; l < 14; l++)
      for (uint32_t d = 1; d < 80; d += 39) {{
        int out[80] = {{0}}, bad = 0;
        struct {{ uint32_t start; int64_t n; int *out; }} a = {{starts[s], limits[l], out}};
        CHECK(!offload_cpu_run(entry, (uint32_t[]){{1, 1, 1}}, (uint32_t[]){{d, 1, 1}}, 0, 0, (unsigned char *)&a, NULL));
        for (uint32_t x = 0; x < 80; x++) bad += out[x] != (x < d && holds(starts[s] + x, limits[l]));
        if (bad) wrong = 1, printf("%s: start %u limit %lld threads %u\n", name, a.start, (long long)a.n, d);
      }}
}}
int main(void) {{
{calls}  return wrong;
}}"#
    );
    check(&module(&text), &kernels, &format!("{program}{main}"));
}

#[test]
fn a_guard_behind_a_condition_is_not_computed_for_every_thread() {
    // `base + x` wraps for threads that never compute it, so it must not be assumed that it does not wrap.
    let text = "
define void @inner(i32 %base, i32 %n, ptr %out) {
  %x = call i32 @__offload_thread_id_x()
  %some = icmp ult i32 %x, 10
  %wide = zext i32 %x to i64
  %to = getelementptr i32, ptr %out, i64 %wide
  store i32 1, ptr %to
  br i1 %some, label %check, label %leave
check:
  %i = add nuw i32 %base, %x
  %in = icmp ult i32 %i, %n
  br i1 %in, label %write, label %leave
write:
  %behind = getelementptr i32, ptr %to, i64 64
  store i32 2, ptr %behind
  br label %leave
leave:
  ret void
}";
    let program = r#"
ENTRY(inner);
int main(void) {
  int out[128] = {0};
  struct { uint32_t base, n; int *out; } a = {0xfffffff0, 0xfffffff5, out};
  RUN(inner, 1, 1, 1, 64, 1, 1, 0, &a);
  for (int x = 0; x < 64; x++) CHECK(out[x] == 1 && out[64 + x] == (x < 5 ? 2 : 0));
  return wrong;
}"#;
    check(&module(text), &[kernel("inner", &[(Value, 4, 4), (Value, 4, 4), (Pointer, 8, 8)])], program);
}

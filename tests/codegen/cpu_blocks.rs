//! Blocks whose threads agree, and those at an edge or with numbers that wrap: the range of all rows at once, tiles
//! that are fetched with divisions and clamps, and branches that one thread takes.

use crate::cpu_by_hand::{check_at, check_for, compile, kernel, module};
use offloadc::bundle::Runtime;
use offloadc::contract::kernel::Kernel;
use offloadc::contract::kernel::ParameterKind::{Pointer, Value};
use offloadc::llvm::OptLevel;

const LEVELS: [OptLevel; 2] = [OptLevel::O1, OptLevel::O3];

/// Executes the kernels, and looks for a word in their code.
fn check(text: &str, word: &str, kernels: &[Kernel], program: &str) {
    let text = module(text);
    let compiled = compile(&text, kernels, OptLevel::O3, "cpu", Runtime::Offloadrt).expect("the kernel compiles");
    assert!(compiled.optimized.contains(word), "no {word} in\n{}", compiled.optimized);
    check_at(&LEVELS, &text, kernels, program, None);
}

/// A kernel that counts in `to[number]` whether `compare` of an index in two dimensions and `n` lets the thread
/// continue. The index is of 32 bits and then extended, or of 64 bits.
fn guarded(name: &str, predicate: &str, extend: &str, promise: &str) -> String {
    let index = match extend {
        "" => {
            "%a = zext i32 %start to i64
  %b = zext i32 %y to i64
  %c = zext i32 %pitch to i64
  %d = mul i64 %b, %c
  %e = add i64 %a, %d
  %f = zext i32 %x to i64
  %g = add i64 %e, %f
  %i = add i64 %g, -3"
        }
        _ => &format!(
            "%a = mul i32 %y, %pitch
  %b = add i32 %start, %a
  %c = add i32 %b, %x
  %i = {extend} i32 %c to i64"
        ),
    };
    format!(
        "define void @{name}(i32 %start, i32 %pitch, i64 %n, ptr %to) {promise} {{
  %x = call i32 @__offload_thread_id_x()
  %y = call i32 @__offload_thread_id_y()
  %z = call i32 @__offload_thread_id_z()
  %w = call i32 @__offload_block_dim_x()
  %h = call i32 @__offload_block_dim_y()
  {index}
  %holds = icmp {predicate} i64 %i, %n
  br i1 %holds, label %in, label %out
in:
  %zh = mul i32 %z, %h
  %r = add i32 %zh, %y
  %rw = mul i32 %r, %w
  %t = add i32 %rw, %x
  %number = zext i32 %t to i64
  %p = getelementptr i32, ptr %to, i64 %number
  %v = load i32, ptr %p
  %s = add i32 %v, 1
  store i32 %s, ptr %p
  br label %out
out:
  ret void
}}
"
    )
}

#[test]
fn all_rows_of_a_block_are_looked_at_together() {
    let operators = [("ult", "<", "u"), ("uge", ">=", "u"), ("sle", "<=", ""), ("sgt", ">", ""), ("ne", "!=", "u")];
    let (mut text, mut program, mut calls, mut kernels) = (String::new(), String::new(), String::new(), Vec::new());
    for (predicate, operator, sign) in operators {
        for (extend, index) in [
            ("", "(uint64_t)start + (uint64_t)y * pitch + x - 3"),
            ("zext", "(uint32_t)(start + y * pitch + x)"),
            ("sext", "(int32_t)(start + y * pitch + x)"),
        ] {
            for promise in ["", "\"offload-launch-bounds\"=\"0,0,16,4,1\""] {
                let name = format!("k{}", kernels.len());
                text += &guarded(&name, predicate, extend, promise);
                let holds = format!("({sign}int64_t)({index}) {operator} ({sign}int64_t)n");
                program += &format!(
                    "ENTRY({name});
static int h{name}(uint32_t start, uint32_t pitch, int64_t n, uint32_t x, uint32_t y) {{ return {holds}; }}\n"
                );
                calls += &format!("  try({name}, h{name}, {name:?});\n");
                kernels.push(kernel(&name, &[(Value, 4, 4), (Value, 4, 4), (Value, 8, 8), (Pointer, 8, 8)]));
            }
        }
    }
    let main = format!(
        r#"
static void try(offload_cpu_entry entry, int (*holds)(uint32_t, uint32_t, int64_t, uint32_t, uint32_t),
                const char *name) {{
  static const uint32_t starts[] = {{0, 3, 100, 0x7ffffff0, 0xfffffff0}};
  static const uint32_t pitches[] = {{0, 1, 7, 1000, 0x40000001, 0xffffffff}};
  static const int64_t limits[] = {{0, 3, 120, 164, 2000, 0x7ffffff8, 0x80000000, 0x100000010, -1, -5, INT64_MIN}};
  static const uint32_t dims[][3] = {{{{16, 4, 1}}, {{16, 4, 2}}, {{17, 2, 1}}, {{1, 5, 1}}, {{8, 1, 3}}, {{24, 1, 1}}}};
  for (int s = 0; s < 5; s++)
    for (int p = 0; p < 6; p++)
      for (int l = 0; l < 11; l++)
        for (int d = 0; d < 6; d++) {{
          int out[128] = {{0}}, bad = 0;
          const uint32_t *dim = dims[d];
          struct {{ uint32_t start, pitch; int64_t n; int *out; }} a = {{starts[s], pitches[p], limits[l], out}};
          CHECK(!offload_cpu_run(entry, (uint32_t[]){{1, 1, 1}}, dim, 0, 0, (unsigned char *)&a, NULL));
          for (uint32_t t = 0; t < 128; t++)
            bad += out[t] != (t < dim[0] * dim[1] * dim[2] &&
                              holds(a.start, a.pitch, a.n, t % dim[0], t / dim[0] % dim[1]));
          if (bad)
            wrong = 1, printf("%s: start %u pitch %u limit %lld dim %u\n", name, a.start, a.pitch, (long long)a.n, d);
        }}
}}
int main(void) {{
{calls}  return wrong;
}}"#
    );
    check(&text, "known", &kernels, &format!("{program}{main}"));
}

/// A kernel that fetches a tile in four turns, so that the rows of the tile end at other threads in each. It adds
/// `%own`, which `more` computes, to the elements. `clamps` computes `%e`, the column, of `%c`.
fn fetching(name: &str, [clamps, more]: [&str; 2]) -> String {
    format!(
        "define void @{name}(i32 %base, i32 %count, i64 %left, i64 %top, i64 %width, i64 %height, ptr %from, ptr %to) {{
entry:
  %x = call i32 @__offload_thread_id_x()
  %n = add i32 %base, %x
  %first = zext i32 %n to i64
  %xw = zext i32 %x to i64
  %lastx = add i64 %width, -1
  %lasty = add i64 %height, -1
  %end = zext i32 %count to i64
  %any = icmp ult i64 %xw, %end
  br i1 %any, label %turn, label %out
turn:
  %i = phi i64 [ %first, %entry ], [ %next, %turn ]
  %k = phi i64 [ 0, %entry ], [ %more, %turn ]
  %small = trunc i64 %i to i16
  %third = add i64 %i, 3
  %other = trunc i64 %third to i16
  %twice = shl i32 %x, 1
  %q = udiv i16 %small, 20
  %r = urem i16 %small, 20
  %qw = zext i16 %q to i64
  %rw = zext i16 %r to i64
  %a = add i64 %top, %qw
  %b = call i64 @llvm.usub.sat.i64(i64 %a, i64 2)
  %y = call i64 @llvm.umin.i64(i64 %lasty, i64 %b)
  %row = mul i64 %y, %width
  %c = add i64 %left, %rw
  {clamps}
  %at = add i64 %row, %e
  %p = getelementptr i32, ptr %from, i64 %at
  %v = load i32, ptr %p
  {more}
  %sum = add i32 %v, %own
  %kw = mul i64 %k, 256
  %place = add i64 %kw, %xw
  %t = getelementptr i32, ptr %to, i64 %place
  store i32 %sum, ptr %t
  %next = add i64 %i, 5
  %more = add i64 %k, 1
  %again = icmp ult i64 %more, 4
  br i1 %again, label %turn, label %out
out:
  ret void
}}
"
    )
}

#[test]
fn tiles_are_fetched_with_divisions_and_clamps() {
    let clamps = "%d = call i64 @llvm.usub.sat.i64(i64 %c, i64 2)
  %e = call i64 @llvm.umin.i64(i64 %d, i64 %lastx)";
    let low = "%d = call i64 @llvm.usub.sat.i64(i64 %c, i64 2)\n  %e = add i64 0, 0";
    let high = "%d = call i64 @llvm.umax.i64(i64 %c, i64 5)\n  %e = add i64 0, 0";
    // `wide` wraps around between other threads than the number that is divided, and `twice` rises by 2.
    let kernels = [
        ("near", [clamps, "%own = add i32 0, 0"]),
        ("wide", [clamps, "%own = zext i16 %other to i32"]),
        ("twice", [clamps, "%own = add i32 %twice, 0"]),
        ("low", [low, "%own = trunc i64 %d to i32"]),
        ("high", [high, "%own = trunc i64 %d to i32"]),
    ];
    let declared = ["usub.sat", "umin", "umax"].map(|name| format!("declare i64 @llvm.{name}.i64(i64, i64)\n"));
    let text = kernels.iter().fold(declared.concat(), |text, (name, parts)| text + &fetching(name, *parts));
    let program = r#"
ENTRY(near); ENTRY(wide); ENTRY(twice); ENTRY(low); ENTRY(high);
static uint64_t at(uint64_t at, uint64_t end) { uint64_t v = at < 2 ? 0 : at - 2; return v < end - 1 ? v : end - 1; }
static void try(offload_cpu_entry entry, int own) {
  static const uint32_t bases[] = {0, 1, 13, 390, 65400, 65531, 0xfffffff0}, counts[] = {1, 9, 64, 100, 256};
  static const uint64_t places[] = {0, 1, 5, 40, UINT64_MAX - 3}, sizes[] = {1, 3, 16, 50};
  static int from[2500], to[1024];
  for (int i = 0; i < 2500; i++) from[i] = 3 * i + 1;
  for (int b = 0; b < 7; b++)
    for (int c = 0; c < 5; c++)
      for (int l = 0; l < 5; l++)
        for (int s = 0; s < 4; s++) {
          uint64_t left = places[l], top = places[(l + s) % 5], width = sizes[s], height = sizes[(s + b) % 4];
          struct { uint32_t base, count; uint64_t left, top, width, height; int *from, *to; } a =
            {bases[b], counts[c], left, top, width, height, from, to};
          memset(to, 0, sizeof to);
          CHECK(!offload_cpu_run(entry, (uint32_t[]){1, 1, 1}, (uint32_t[]){c % 2 ? 256 : 64, 1, 1}, 0, 0,
                                 (unsigned char *)&a, NULL));
          for (uint32_t k = 0; k < 4; k++)
            for (uint32_t x = 0; x < 256; x++) {
              uint16_t i = (uint64_t)(uint32_t)(a.base + x) + 5 * k, other = i + 3;
              int there = x < a.count && x < (c % 2 ? 256 : 64);
              uint64_t from_left = left + i % 20, low = from_left < 2 ? 0 : from_left - 2;
              uint64_t column = own < 3 ? at(from_left, width) : 0;
              uint64_t more[] = {0, other, 2 * x, low, from_left < 5 ? 5 : from_left};
              int found = from[at(top + i / 20, height) * width + column] + (uint32_t)more[own];
              CHECK(to[256 * k + x] == (there ? found : 0));
            }
        }
}
int main(void) {
  try(near, 0);
  try(wide, 1);
  try(twice, 2);
  try(low, 3);
  try(high, 4);
  return wrong;
}"#;
    let rows = [(Value, 4, 4), (Value, 4, 4), (Value, 8, 8), (Value, 8, 8), (Value, 8, 8), (Value, 8, 8)];
    let rows = [&rows[..], &[(Pointer, 8, 8), (Pointer, 8, 8)]].concat();
    let kernels = kernels.map(|(name, _)| kernel(name, &rows));
    check(&text, "irregular", &kernels, program);
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512vl") {
        check_for(("cpu:x86-64-v4", "_v4"), &LEVELS[1..], &module(&text), &kernels, program, None);
    }
}

#[test]
fn steps_of_a_power_of_two_are_counted_once() {
    let text = "
declare i32 @llvm.usub.sat.i32(i32, i32)
define void @turns(i32 %base, i32 %end, i32 %limit, ptr %to) {
entry:
  %x = call i32 @__offload_thread_id_x()
  %i = add i32 %base, %x
  %n = call i32 @llvm.usub.sat.i32(i32 %end, i32 %i)
  %up = add nuw i32 %n, 1048575
  %count = lshr i32 %up, 20
  %w = zext i32 %x to i64
  %p = getelementptr i32, ptr %to, i64 %w
  %some = icmp ne i32 %count, 0
  br i1 %some, label %turn, label %out
turn:
  %k = phi i32 [ 0, %entry ], [ %more, %go ]
  %sum = phi i32 [ %x, %entry ], [ %next, %go ]
  %at = add i32 %i, %k
  %in = icmp ult i32 %at, %limit
  br i1 %in, label %go, label %set
go:
  %times = mul i32 %sum, 3
  %next = add i32 %times, %k
  %more = add nuw i32 %k, 1
  %again = icmp ult i32 %more, %count
  br i1 %again, label %turn, label %set
set:
  %own = phi i32 [ %sum, %turn ], [ %next, %go ]
  store i32 %own, ptr %p
  br label %out
out:
  ret void
}";
    let program = r#"
ENTRY(turns);
int main(void) {
  static const uint32_t bases[] = {0, 7, 0xfffff, 0x1ffffd, 0xfffffff9, 0xfffffffe};
  static const uint32_t ends[] = {0, 3, 5, 9, 0x100000, 0x100001, 0x200004, 0xffe00000};
  static const uint32_t limits[] = {0xffffffff, 0, 3, 15, 23, 0x100006, 0x200004, 0xfffffffe};
  for (int b = 0; b < 6; b++)
    for (int e = 0; e < 64; e++) {
      uint32_t to[41] = {0};
      struct { uint32_t base, end, limit; uint32_t *to; } a = {bases[b], ends[e / 8], limits[e % 8], to};
      RUN(turns, 1, 1, 1, 41, 1, 1, 0, &a);
      for (uint32_t x = 0; x < 41; x++) {
        uint32_t i = a.base + x, n = a.end > i ? a.end - i : 0, count = (n + 0xfffff) >> 20, sum = x;
        for (uint32_t k = 0; k < count && i + k < a.limit; k++) sum = sum * 3 + k;
        CHECK(to[x] == (count ? sum : 0));
      }
    }
  return wrong;
}"#;
    let kernels = [kernel("turns", &[(Value, 4, 4), (Value, 4, 4), (Value, 4, 4), (Pointer, 8, 8)])];
    check(text, "alike", &kernels, program);
}

/// `if x == a && s != 0 { one } else if x == b && x + s < n { two }`, with the sides of both branches in each order.
fn threaded(name: &str, side_first: bool, join_first: bool, promise: &str) -> String {
    let (one, other) = if side_first { ("one", "other") } else { ("other", "one") };
    let (two, join) = if join_first { ("join", "two") } else { ("two", "join") };
    let negate =
        |value: &str, is: bool| if is { format!("xor i1 {value}, true") } else { format!("or i1 {value}, false") };
    let (c, f) = (negate("%c1", !side_first), negate("%f1", join_first));
    format!(
        "define void @{name}(i32 %a, i32 %b, i32 %s, i32 %n, ptr %from, ptr %to) {promise} {{
  %x = call i32 @__offload_thread_id_x()
  %w = zext i32 %x to i64
  %p = getelementptr float, ptr %from, i64 %w
  %q = getelementptr float, ptr %to, i64 %w
  %v = load float, ptr %p
  %v2 = fmul float %v, %v
  %v3 = fadd float %v2, 1.0
  %v4 = fmul float %v3, %v
  %v5 = fadd float %v4, %v2
  %xf = uitofp i32 %x to float
  %v6 = fadd float %v5, %xf
  store float %v6, ptr %q
  %c0 = icmp eq i32 %x, %a
  %d = icmp ne i32 %s, 0
  %c1 = and i1 %c0, %d
  %c = {c}
  %e0 = icmp eq i32 %x, %b
  %i = add i32 %x, %s
  %e1 = icmp ult i32 %i, %n
  %f1 = select i1 %e0, i1 %e1, i1 false
  %f = {f}
  br i1 %c, label %{one}, label %{other}
one:
  %g = getelementptr float, ptr %q, i64 64
  store float 1.0, ptr %g
  br label %join
other:
  br i1 %f, label %{two}, label %{join}
two:
  %h = getelementptr float, ptr %q, i64 128
  store float 2.0, ptr %h
  br label %join
join:
  %m = phi float [ %v, %one ], [ %v2, %other ], [ %v3, %two ]
  %o = getelementptr float, ptr %q, i64 192
  store float %m, ptr %o
  ret void
}}
"
    )
}

#[test]
fn one_thread_takes_a_branch_of_several() {
    let (mut text, mut program, mut calls, mut kernels) = (String::new(), String::new(), String::new(), Vec::new());
    let promises = ["", "\"offload-launch-bounds\"=\"0,0,64,1,1\""];
    let orders = [(true, false), (true, true), (false, false), (false, true)];
    for ((side_first, join_first), promise) in orders.into_iter().flat_map(|order| promises.map(|p| (order, p))) {
        let name = format!("k{}", kernels.len());
        text += &threaded(&name, side_first, join_first, promise);
        program += &format!("ENTRY({name});\n");
        calls += &format!("  try({name});\n");
        let values = [(Value, 4, 4); 4];
        kernels.push(kernel(&name, &[&values[..], &[(Pointer, 8, 8), (Pointer, 8, 8)]].concat()));
    }
    let main = format!(
        r#"
static void try(offload_cpu_entry entry) {{
  static const uint32_t at[] = {{0, 3, 7, 15, 63, 70, 0xffffffff}}, starts[] = {{0, 1, 0xfffffff5}}, ends[] = {{0, 9, 99}};
  float from[64], to[256];
  for (int x = 0; x < 64; x++) from[x] = x * 0.5f - 7;
  for (int c = 0; c < 7 * 7 * 3 * 3; c++) {{
    uint32_t a = at[c % 7], b = at[c / 7 % 7], s = starts[c / 49 % 3], n = ends[c / 147];
    struct {{ uint32_t a, b, s, n; float *from, *to; }} all = {{a, b, s, n, from, to}};
    memset(to, 0, sizeof to);
    CHECK(!offload_cpu_run(entry, (uint32_t[]){{1, 1, 1}}, (uint32_t[]){{64, 1, 1}}, 0, 0, (unsigned char *)&all, NULL));
    for (uint32_t x = 0; x < 64; x++) {{
      float v = from[x], v2 = v * v, v3 = v2 + 1;
      int one = x == a && s, two = !one && x == b && x + s < n;
      CHECK(to[x] == v3 * v + v2 + x && to[64 + x] == (one ? 1 : 0) && to[128 + x] == (two ? 2 : 0));
      CHECK(to[192 + x] == (one ? v : two ? v3 : v2));
    }}
  }}
}}
int main(void) {{
{calls}  return wrong;
}}"#
    );
    let program = format!("{program}{main}");
    check(&text, "only", &kernels, &program);
    // Rows of sixteen are promised, so groups have sixteen threads where vectors have 256 bits.
    #[cfg(target_arch = "x86_64")]
    for (level, there) in [("v3", is_x86_feature_detected!("avx2")), ("v4", is_x86_feature_detected!("avx512vl"))] {
        let (arch, text) = (format!("cpu:x86-64-{level}"), module(&text));
        let compiled = compile(&text, &kernels, OptLevel::O3, &arch, Runtime::Offloadrt).expect("the kernel compiles");
        assert!(compiled.optimized.contains("<16 x float>"), "no group of sixteen in\n{}", compiled.optimized);
        if there {
            check_for((&arch, &format!("_{level}")), &LEVELS[1..], &text, &kernels, &program, None);
        }
    }
}

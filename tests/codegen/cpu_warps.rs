//! Warps on the CPU target: random kernels in which lanes diverge and reconverge, compared with an interpreter.

mod statements;
mod text;

use std::fmt::Write;

use harness::turns;

use crate::cpu_by_hand::{LEVELS, check_at, check_warps, kernel, module};
use offloadc::contract::kernel::Kernel;
use offloadc::contract::kernel::ParameterKind::Pointer;
use offloadc::llvm::{Context, Module};
use offloadc::passes::convergence::mask_operations::{Masks, mask_operations};
use statements::{Block, Left, Random, SHAPES};
use text::text;

/// The transformations of a random kernel before the CPU target.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    /// None.
    Plain,
    /// Variables are promoted to registers.
    Registers,
    /// The same, and each operation without a mask gets the mask for devices with independent thread scheduling.
    Masked,
}

/// A module in a form.
fn in_form(form: Form, text: &str, kernels: &[Kernel]) -> String {
    if form == Form::Plain {
        return text.to_owned();
    }
    let context = Context::create();
    let module = Module::from_text(&context, text.as_bytes(), "test").expect("the test's IR is valid");
    module.run_neutral_passes("function(mem2reg,simplifycfg)").expect("LLVM knows the passes");
    if form == Form::Masked {
        mask_operations(&module, &kernels.to_vec().into(), Masks::Everywhere, |_| false)
            .expect("there is no computed goto");
        module.verify().unwrap_or_else(|e| panic!("{e}\n{}", module.text()));
    }
    module.text()
}

/// Kernels from `first` are correct with this number of lanes in a warp. Half of them run, in turn.
fn random_kernels(first: u64, count: u64, lanes: u32, form: Form) {
    let (mut kernels, mut texts, mut program) = (Vec::<Kernel>::new(), String::new(), String::new());
    let mut calls = String::new();
    let half = count / 2;
    let in_turn = first + half * turns::next(2) as u64;
    let seeds = if turns::all() { first..first + count } else { in_turn..in_turn + half };
    for seed in seeds {
        let [x, y, z] = SHAPES[(seed / 2 % SHAPES.len() as u64) as usize];
        let threads = (x * y * z) as usize;
        let all_there = threads.is_multiple_of(lanes as usize);
        let mut random = Random::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) + 1, all_there);
        let statements = random.body(1 + (seed % 3) as u32, seed % 2 == 1);
        let mut block = Block::new(threads, lanes as usize);
        let _left = block.run(&statements, (0..threads).collect(), &mut Left::default());
        let name = format!("k{seed}");
        texts += &text(&name, &statements);
        let expected: Vec<String> = block.variables.iter().flatten().map(|v| format!("{v}u")).collect();
        let _ok =
            writeln!(program, "ENTRY({name});\nstatic const uint32_t want_{name}[] = {{{}}};", expected.join(", "));
        let _ok = writeln!(
            calls,
            "  RUN({name}, 1, 1, 1, {x}, {y}, {z}, {}, &p);\n  CHECK(!memcmp(out, want_{name}, sizeof want_{name}));",
            4 * threads
        );
        kernels.push(kernel(&name, &[(Pointer, 8, 8)]));
    }
    let program =
        format!("{program}int main(void) {{\n  static uint32_t out[4096], *p = out;\n{calls}  return wrong;\n}}\n");
    let texts = in_form(form, &module(&texts), &kernels);
    // The pass that adds masks must run before any optimisation.
    let levels = if form == Form::Masked { &LEVELS[..1] } else { &LEVELS[..] };
    check_at(levels, &texts, &kernels, &program, Some(lanes));
}

#[test]
fn random_kernels_are_right() {
    random_kernels(0, 16, 32, Form::Plain);
    random_kernels(16, 16, 32, Form::Registers);
}

#[test]
fn random_kernels_are_right_with_64_lanes() {
    random_kernels(32, 16, 64, Form::Registers);
}

#[test]
fn random_kernels_are_right_with_one_lane() {
    random_kernels(48, 8, 1, Form::Registers);
}

/// The masks contain exactly the lanes that take part: an operation waits for all lanes of its mask, and continues
/// without others.
#[test]
fn computed_masks_are_right() {
    random_kernels(64, 64, 32, Form::Masked);
    random_kernels(1000, 32, 64, Form::Masked);
}

/// All lanes reach `all`, but this is not known in advance. The votes on `few` are therefore among the same lanes as
/// the votes on `last`, and on the path through `left`, `last` is decided first.
#[test]
fn votes_among_equal_lanes_keep_their_order() {
    let text = module(
        r#"
define void @equal(ptr %out) convergent {
entry:
  %t = call i32 @__offload_thread_id_x()
  %lane = call i32 @__offload_lane_id()
  %odd = trunc i32 %lane to i1
  %second = lshr i32 %lane, 1
  %set = trunc i32 %second to i1
  %row = getelementptr [4 x i64], ptr %out, i32 %t
  %out0 = getelementptr i64, ptr %row, i32 0
  %out1 = getelementptr i64, ptr %row, i32 1
  %out2 = getelementptr i64, ptr %row, i32 2
  %out3 = getelementptr i64, ptr %row, i32 3
  %some = icmp ult i32 %lane, 64
  br i1 %some, label %all, label %others

others:
  br i1 %odd, label %last, label %join

all:
  %a = call i64 @__offload_ballot(i1 true)
  store i64 %a, ptr %out0
  br i1 %odd, label %right, label %left

left:
  store i64 1, ptr %out1
  br i1 %set, label %few, label %join

right:
  store i64 2, ptr %out1
  br i1 %set, label %few, label %last

few:
  %b = call i64 @__offload_ballot(i1 true)
  store i64 %b, ptr %out1
  br label %join

last:
  %c = call i64 @__offload_ballot(i1 true)
  store i64 %c, ptr %out2
  br label %join

join:
  %d = call i64 @__offload_ballot(i1 %set)
  store i64 %d, ptr %out3
  ret void
}
"#,
    );
    let program = r"
ENTRY(equal);
int main(void) {
  static uint64_t out[32][4];
  uint64_t *p = out[0];
  RUN(equal, 1, 1, 1, 32, 1, 1, 0, &p);
  for (uint32_t t = 0; t < 32; t++) {
    CHECK(out[t][0] == 0xffffffff);
    CHECK(out[t][1] == (t & 2 ? 0xcccccccc : t & 1 ? 2 : 1));
    CHECK(out[t][2] == ((t & 3) == 1 ? 0x22222222 : 0));
    CHECK(out[t][3] == 0xcccccccc);
  }
  return wrong;
}
";
    let kernels = vec![kernel("equal", &[(Pointer, 8, 8)])];
    for form in [Form::Registers, Form::Masked] {
        check_at(&LEVELS[..1], &in_form(form, &text, &kernels), &kernels, program, Some(32));
    }
}

/// Lanes reach an operation in different iterations, and in another order than that of the stops: each waits for its
/// mask.
#[test]
fn a_mask_is_waited_for() {
    let text = module(
        r#"
define void @skewed(ptr %out) convergent {
entry:
  %t = call i32 @__offload_thread_id_x()
  %lane = call i32 @__offload_lane_id()
  %late = lshr i32 %lane, 4
  br label %head

head:
  %round = phi i32 [ 0, %entry ], [ %next, %latch ]
  %sum = phi i32 [ %t, %entry ], [ %new, %latch ]
  %from = sub i32 %round, %late
  %inside = icmp ult i32 %from, 4
  br i1 %inside, label %meet, label %latch

meet:
  %other = call i32 @__offload_shuffle_xor_sync(i64 -1, i32 %sum, i32 16)
  %both = mul i32 %other, 3
  %more = add i32 %both, %round
  br label %latch

latch:
  %new = phi i32 [ %sum, %head ], [ %more, %meet ]
  %next = add i32 %round, 1
  %again = icmp ult i32 %next, 5
  br i1 %again, label %head, label %done

done:
  %at = getelementptr i32, ptr %out, i32 %t
  store i32 %new, ptr %at
  ret void
}

define void @rows(ptr %out) convergent {
entry:
  %t = call i32 @__offload_thread_id_x()
  %lane = call i32 @__offload_lane_id()
  %row = and i32 %lane, 56
  %wide = zext i32 %row to i64
  %mask = shl i64 255, %wide
  br label %head

head:
  %round = phi i32 [ 0, %entry ], [ %next, %meet ]
  %sum = phi i32 [ %t, %entry ], [ %both, %meet ]
  %odd = and i32 %round, 1
  %low = icmp eq i32 %odd, 0
  br i1 %low, label %wait, label %meet

wait:
  call void @__offload_sync_warp(i64 %mask)
  br label %meet

meet:
  %distance = phi i32 [ 1, %head ], [ 2, %wait ]
  %other = call i32 @__offload_shuffle_down_sync(i64 %mask, i32 %sum, i32 %distance)
  %both = add i32 %sum, %other
  %next = add i32 %round, 1
  %again = icmp ule i32 %next, %row
  br i1 %again, label %head, label %done

done:
  %at = getelementptr i32, ptr %out, i32 %t
  store i32 %both, ptr %at
  ret void
}
"#,
    );
    let program = r"
ENTRY(skewed);
ENTRY(rows);
int main(void) {
  static uint32_t out[64], *p = out;
  RUN(skewed, 1, 1, 1, 64, 1, 1, 0, &p);
  uint32_t want[64], before[64];
  for (uint32_t t = 0; t < 64; t++) want[t] = t;
  for (uint32_t k = 0; k < 4; k++) {
    memcpy(before, want, sizeof want);
    for (uint32_t t = 0; t < 64; t++) want[t] = before[t ^ 16] * 3 + k + t % LANES / 16;
  }
  CHECK(!memcmp(out, want, sizeof want));
  RUN(rows, 1, 1, 1, 64, 1, 1, 0, &p);
  for (uint32_t t = 0; t < 64; t++) want[t] = t;
  for (uint32_t k = 0; k < 64; k++) {
    memcpy(before, want, sizeof want);
    for (uint32_t t = 0, d = k % 2 ? 1 : 2; t < 64; t++)
      if (k <= t % LANES / 8 * 8) want[t] = before[t] + before[t % 8 + d < 8 ? t + d : t];
  }
  CHECK(!memcmp(out, want, sizeof want));
  return wrong;
}
";
    check_warps(&text, &["skewed", "rows"].map(|name| kernel(name, &[(Pointer, 8, 8)])), program, Some(32));
}

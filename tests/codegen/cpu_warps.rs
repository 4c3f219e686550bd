//! Warps on the cpu target: random kernels in which lanes part and meet, against an interpreter of their source.
//!
//! The interpreter has the rule as it is written down: the lanes of a warp that came to a statement together go through
//! it together, so a branch takes lanes apart until it ends, and a loop until its last lane has left.

use std::fmt::Write;

use crate::cpu_by_hand::{LEVELS, check_at, check_warps, kernel, module};
use offloadc::contract::kernel::Kernel;
use offloadc::contract::kernel::ParameterKind::Pointer;
use offloadc::llvm::{Context, Module};
use offloadc::passes::convergence::mask_operations::{Masks, mask_operations};

/// Variables of each thread.
const VARIABLES: usize = 4;
/// Blocks of threads that kernels are launched with: rows that are longer and shorter than a warp, and one that is
/// none.
const SHAPES: [[u32; 3]; 4] = [[70, 1, 1], [5, 13, 1], [32, 2, 2], [3, 5, 7]];

/// With which of the lanes that are there a lane does something.
#[derive(Clone, Copy, PartialEq)]
enum Group {
    /// All, without a mask.
    There,
    /// All, which the mask says.
    Named,
    /// Those of its row of 8.
    Eight,
    /// Those with the same lowest bit in a variable.
    Alike,
}

impl Group {
    /// What tells groups apart, for the lane of a number with a variable.
    fn key(self, lane: usize, variable: u32) -> usize {
        match self {
            Group::There | Group::Named => 0,
            Group::Eight => lane / 8,
            Group::Alike => variable as usize & 1,
        }
    }
}

/// What is done with a variable.
#[derive(Clone, Copy)]
enum Step {
    /// `to = a * 5 + b ^ constant`
    Compute,
    /// An operation of this name, each lane with those of its group; `constant` is the lane or the distance.
    Lanes(&'static str, Group),
    /// Through the block's shared memory, between two barriers.
    Exchange,
}

enum Statement {
    Step {
        step: Step,
        to: usize,
        a: usize,
        b: usize,
        constant: u32,
    },
    /// Where a bit of a variable is set.
    If {
        of: usize,
        bit: u32,
        then: Vec<Statement>,
        or_else: Vec<Statement>,
    },
    /// So often as a variable says, up to 3, or always 3 times.
    Loop {
        of: Option<usize>,
        body: Vec<Statement>,
    },
    Break,
    Continue,
    Return,
}

/// A linear congruential generator.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) % u64::from(limit)) as u32
    }

    fn variable(&mut self) -> usize {
        self.below(VARIABLES as u32) as usize
    }

    fn step(&mut self, barriers: bool) -> Statement {
        const LANES: [&str; 7] = ["shuffle", "shuffle_xor", "shuffle_up", "shuffle_down", "ballot", "any", "all"];
        let step = match self.below(8) {
            0..3 => Step::Compute,
            3 if barriers => Step::Exchange,
            _ => {
                let group = [Group::There, Group::There, Group::There, Group::Named, Group::Eight, Group::Alike];
                Step::Lanes(LANES[self.below(LANES.len() as u32) as usize], group[self.below(6) as usize])
            }
        };
        let (to, a, b) = (self.variable(), self.variable(), self.variable());
        Statement::Step { step, to, a, b, constant: self.below(70) }
    }

    /// `depth` more levels of control flow; `inside` a loop.
    fn statements(&mut self, depth: u32, inside: bool, barriers: bool) -> Vec<Statement> {
        let mut all = Vec::new();
        for _ in 0..1 + self.below(3) {
            all.push(self.step(barriers));
            if depth == 0 {
                continue;
            }
            match self.below(4) {
                0 | 1 => {
                    let (of, bit) = (self.variable(), self.below(5));
                    let mut then = self.statements(depth - 1, inside, false);
                    match self.below(5) {
                        0 if inside => then.push(Statement::Break),
                        1 if inside => then.push(Statement::Continue),
                        2 => then.push(Statement::Return),
                        _ => {}
                    }
                    let or_else =
                        if self.below(2) == 0 { self.statements(depth - 1, inside, false) } else { Vec::new() };
                    all.push(Statement::If { of, bit, then, or_else });
                }
                2 => {
                    let of = (self.below(3) > 0).then(|| self.variable());
                    all.push(Statement::Loop { of, body: self.statements(depth - 1, true, false) });
                }
                _ => {}
            }
        }
        all
    }
}

/// A block's threads while a kernel is interpreted.
struct Block {
    variables: Vec<[u32; VARIABLES]>,
    shared: Vec<u32>,
    lanes: usize,
}

/// Which threads left the loop that is run, and which go on with its next iteration.
#[derive(Default)]
struct Left {
    broken: Vec<usize>,
    continued: Vec<usize>,
}

impl Block {
    fn new(threads: usize, lanes: usize) -> Self {
        let start = |t: usize| std::array::from_fn(|v| (t as u32 + 1).wrapping_mul(2654435761) >> (3 * v + 5));
        Block { variables: (0..threads).map(start).collect(), shared: vec![0; threads], lanes }
    }

    /// Runs statements for `active` threads of one warp, or of all at the top; gives those that go on behind them.
    fn run(&mut self, statements: &[Statement], mut active: Vec<usize>, left: &mut Left) -> Vec<usize> {
        for statement in statements {
            match statement {
                Statement::Step { step, to, a, b, constant } => self.step(*step, [*to, *a, *b], *constant, &active),
                Statement::If { of, bit, then, or_else } => {
                    let set = |t: &usize| self.variables[*t][*of] >> bit & 1 == 1;
                    let (yes, no): (Vec<_>, Vec<_>) = active.iter().partition(|t| set(t));
                    active = self.run(then, yes, left);
                    active.extend(self.run(or_else, no, left));
                    active.sort_unstable();
                }
                Statement::Loop { of, body } => active = self.repeat(*of, body, active),
                Statement::Break => left.broken.append(&mut active),
                Statement::Continue => left.continued.append(&mut active),
                Statement::Return => active.clear(),
            }
        }
        active
    }

    fn repeat(&mut self, of: Option<usize>, body: &[Statement], active: Vec<usize>) -> Vec<usize> {
        let limit = |block: &Block, t: usize| of.map_or(3, |of| block.variables[t][of] % 4);
        let limits: Vec<(usize, u32)> = active.into_iter().map(|t| (t, limit(self, t))).collect();
        let limit_of = |t: usize| limits.iter().find(|(other, _)| *other == t).map_or(0, |(_, limit)| *limit);
        let (mut inside, mut behind): (Vec<_>, Vec<_>) = (limits.iter().map(|(t, _)| *t).collect(), Vec::new());
        for iteration in 0.. {
            let (on, out): (Vec<_>, Vec<_>) = inside.iter().partition(|t| iteration < limit_of(**t));
            behind.extend(out);
            if on.is_empty() {
                break;
            }
            let mut left = Left::default();
            inside = self.run(body, on, &mut left);
            inside.append(&mut left.continued);
            inside.sort_unstable();
            behind.append(&mut left.broken);
        }
        behind.sort_unstable();
        behind
    }

    fn step(&mut self, step: Step, [to, a, b]: [usize; 3], constant: u32, active: &[usize]) {
        let before = self.variables.clone();
        if let Step::Exchange = step {
            active.iter().for_each(|t| self.shared[*t] = before[*t][a]);
        }
        for t in active.iter().copied() {
            self.variables[t][to] = match step {
                Step::Compute => before[t][a].wrapping_mul(5).wrapping_add(before[t][b]) ^ constant,
                Step::Exchange => self.shared[(t + constant as usize) % self.shared.len()],
                Step::Lanes(name, group) => {
                    let lane = |lane: usize| (t / self.lanes * self.lanes + lane, &before);
                    let argument = before[t][b].wrapping_add(constant) as usize % self.lanes;
                    let own = t % self.lanes;
                    let key = |t: usize| group.key(t % self.lanes, before[t][b]);
                    let together = |from: &usize| active.contains(from) && key(*from) == key(t);
                    let value = |from: usize| Some(lane(from).0).filter(together);
                    let votes = (0..self.lanes).filter(|l| value(*l).is_some()).map(|l| (l, before[lane(l).0][a] & 1));
                    let from = match name {
                        "shuffle" => argument,
                        "shuffle_xor" => own ^ argument,
                        "shuffle_up" => own.checked_sub(argument).unwrap_or(own),
                        "shuffle_down" if own + argument < self.lanes => own + argument,
                        _ => own,
                    };
                    let votes: Vec<_> = votes.collect();
                    match name {
                        "ballot" => votes.iter().fold(0, |bits, (lane, vote)| bits ^ vote << (lane % 32)),
                        "any" => votes.iter().any(|(_, vote)| *vote == 1).into(),
                        "all" => votes.iter().all(|(_, vote)| *vote == 1).into(),
                        _ => before[value(from).unwrap_or(t)][a],
                    }
                }
            };
        }
    }
}

/// A kernel as LLVM's IR.
struct Text {
    text: String,
    names: usize,
}

impl Text {
    fn name(&mut self, what: &str) -> String {
        self.names += 1;
        format!("{what}{}", self.names)
    }

    /// An instruction that gives a value, whose name comes back.
    fn value(&mut self, instruction: &str) -> String {
        let name = self.name("%x");
        let _ok = writeln!(self.text, "  {name} = {instruction}");
        name
    }

    fn line(&mut self, line: &str) {
        let _ok = writeln!(self.text, "  {line}");
    }

    fn block(&mut self, name: &str) {
        let _ok = writeln!(self.text, "{name}:");
    }

    fn load(&mut self, variable: usize) -> String {
        self.value(&format!("load i32, ptr %v{variable}"))
    }

    /// Ends where control goes on behind them; `exits` are where a loop is left, and where its next iteration begins.
    fn statements(&mut self, statements: &[Statement], exits: Option<&[String; 2]>) {
        for statement in statements {
            match statement {
                Statement::Step { step, to, a, b, constant } => self.step(*step, [*to, *a, *b], *constant),
                Statement::If { of, bit, then, or_else } => {
                    let names = ["then", "else", "end"].map(|what| self.name(what));
                    let value = self.load(*of);
                    let bit = self.value(&format!("lshr i32 {value}, {bit}"));
                    let set = self.value(&format!("trunc i32 {bit} to i1"));
                    self.line(&format!("br i1 {set}, label %{}, label %{}", names[0], names[1]));
                    for (name, statements) in names.iter().zip([then, or_else]) {
                        self.block(name);
                        self.statements(statements, exits);
                        self.line(&format!("br label %{}", names[2]));
                    }
                    self.block(&names[2]);
                }
                Statement::Loop { of, body } => self.repeat(*of, body),
                Statement::Break => self.leave(&exits.expect("in a loop")[0].clone()),
                Statement::Continue => self.leave(&exits.expect("in a loop")[1].clone()),
                Statement::Return => self.leave("last"),
            }
        }
    }

    /// Nothing comes to what is behind it.
    fn leave(&mut self, to: &str) {
        let behind = self.name("behind");
        self.line(&format!("br label %{to}"));
        self.block(&behind);
    }

    fn repeat(&mut self, of: Option<usize>, body: &[Statement]) {
        let counter = self.name("%count");
        let [head, inside, end, next] = ["head", "body", "end", "next"].map(|what| self.name(what));
        let limit = match of {
            Some(of) => {
                let value = self.load(of);
                self.value(&format!("urem i32 {value}, 4"))
            }
            None => "3".to_owned(),
        };
        // Of a size of its own: the entry block has all of them.
        self.text = self.text.replacen("entry:\n", &format!("entry:\n  {counter} = alloca i32\n"), 1);
        self.line(&format!("store i32 0, ptr {counter}"));
        self.line(&format!("br label %{head}"));
        self.block(&head);
        let count = self.value(&format!("load i32, ptr {counter}"));
        let more = self.value(&format!("icmp ult i32 {count}, {limit}"));
        self.line(&format!("br i1 {more}, label %{inside}, label %{end}"));
        self.block(&inside);
        self.statements(body, Some(&[end.clone(), next.clone()]));
        self.line(&format!("br label %{next}"));
        self.block(&next);
        let count = self.value(&format!("load i32, ptr {counter}"));
        let count = self.value(&format!("add i32 {count}, 1"));
        self.line(&format!("store i32 {count}, ptr {counter}"));
        self.line(&format!("br label %{head}"));
        self.block(&end);
    }

    /// What stands behind an operation's name, and before its operands.
    fn mask(&mut self, group: Group, variable: &str) -> (&'static str, String) {
        if group == Group::There {
            return ("", String::new());
        }
        let there = self.value("call i64 @__offload_active_mask()");
        let mask = match group {
            Group::There | Group::Named => there,
            Group::Eight => {
                let row = self.value("and i64 %wide.lane, 56");
                let row = self.value(&format!("shl i64 255, {row}"));
                self.value(&format!("and i64 {there}, {row}"))
            }
            Group::Alike => {
                let set = self.value(&format!("trunc i32 {variable} to i1"));
                let alike = self.value(&format!("call i64 @__offload_ballot(i1 {set})"));
                let others = self.value(&format!("xor i64 {there}, {alike}"));
                self.value(&format!("select i1 {set}, i64 {alike}, i64 {others}"))
            }
        };
        self.line(&format!("call void @__offload_sync_warp(i64 {mask})"));
        ("_sync", format!("i64 {mask}, "))
    }

    fn step(&mut self, step: Step, [to, a, b]: [usize; 3], constant: u32) {
        let (a, b) = (self.load(a), self.load(b));
        let result = match step {
            Step::Compute => {
                let times = self.value(&format!("mul i32 {a}, 5"));
                let sum = self.value(&format!("add i32 {times}, {b}"));
                self.value(&format!("xor i32 {sum}, {constant}"))
            }
            Step::Exchange => {
                self.line(&format!("store i32 {a}, ptr %mine"));
                self.line("call void @__offload_sync_threads()");
                let other = self.value(&format!("add i32 %t, {constant}"));
                let other = self.value(&format!("urem i32 {other}, %n"));
                let at = self.value(&format!("getelementptr i32, ptr %tile, i32 {other}"));
                let value = self.value(&format!("load i32, ptr {at}"));
                self.line("call void @__offload_sync_threads()");
                value
            }
            Step::Lanes(name @ ("ballot" | "any" | "all"), group) => {
                let vote = self.value(&format!("trunc i32 {a} to i1"));
                let (sync, mask) = self.mask(group, &b);
                if name == "ballot" {
                    let all = self.value(&format!("call i64 @__offload_ballot{sync}({mask}i1 {vote})"));
                    let high = self.value(&format!("lshr i64 {all}, 32"));
                    let both = self.value(&format!("xor i64 {all}, {high}"));
                    self.value(&format!("trunc i64 {both} to i32"))
                } else {
                    let vote = self.value(&format!("call i1 @__offload_{name}{sync}({mask}i1 {vote})"));
                    self.value(&format!("zext i1 {vote} to i32"))
                }
            }
            Step::Lanes(name, group) => {
                let argument = self.value(&format!("add i32 {b}, {constant}"));
                let (sync, mask) = self.mask(group, &b);
                self.value(&format!("call i32 @__offload_{name}{sync}({mask}i32 {a}, i32 {argument})"))
            }
        };
        self.line(&format!("store i32 {result}, ptr %v{to}"));
        self.line(&format!("store i32 {result}, ptr %to{to}"));
    }
}

/// A kernel of this name, which writes each thread's variables to its argument.
fn text(name: &str, statements: &[Statement]) -> String {
    let mut text = Text { text: format!("define void @{name}(ptr %out) convergent {{\nentry:\n"), names: 0 };
    for v in 0..VARIABLES {
        text.line(&format!("%v{v} = alloca i32"));
    }
    for (value, axis) in [("id", "x"), ("id", "y"), ("id", "z"), ("dim", "x"), ("dim", "y"), ("dim", "z")] {
        let what = if value == "id" { "thread" } else { "block" };
        text.line(&format!("%{value}.{axis} = call i32 @__offload_{what}_{value}_{axis}()"));
    }
    for line in [
        "%layer = mul i32 %dim.y, %id.z",
        "%row = add i32 %layer, %id.y",
        "%before = mul i32 %row, %dim.x",
        "%t = add i32 %before, %id.x",
        "%area = mul i32 %dim.x, %dim.y",
        "%n = mul i32 %area, %dim.z",
        "%lane = call i32 @__offload_lane_id()",
        "%wide.lane = zext i32 %lane to i64",
        "%tile = call ptr @__offload_dynamic_shared()",
        "%mine = getelementptr i32, ptr %tile, i32 %t",
        // What a thread that returns leaves for others.
        "store i32 0, ptr %mine",
        "%number = add i32 %t, 1",
        "%start = mul i32 %number, -1640531535",
    ] {
        text.line(line);
    }
    text.line("%own = getelementptr [4 x i32], ptr %out, i32 %t");
    for v in 0..VARIABLES {
        text.line(&format!("%to{v} = getelementptr i32, ptr %own, i32 {v}"));
        text.line(&format!("%start{v} = lshr i32 %start, {}", 3 * v + 5));
        text.line(&format!("store i32 %start{v}, ptr %v{v}"));
        text.line(&format!("store i32 %start{v}, ptr %to{v}"));
    }
    text.statements(statements, None);
    text.line("br label %last");
    text.block("last");
    text.text + "  ret void\n}\n"
}

/// What is done with a random kernel before the cpu target gets it.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    /// Nothing.
    Plain,
    /// Variables are in no memory.
    Registers,
    /// The same, and each operation without a mask has the one that it would have on devices whose lanes go their own
    /// ways.
    Masked,
}

/// A module in a form.
fn in_form(form: Form, text: &str, kernels: &Vec<Kernel>) -> String {
    if form == Form::Plain {
        return text.to_owned();
    }
    let context = Context::create();
    let module = Module::from_text(&context, text.as_bytes(), "test").expect("the test's IR is valid");
    module.run_neutral_passes("function(mem2reg,simplifycfg)").expect("LLVM knows the passes");
    if form == Form::Masked {
        mask_operations(&module, kernels, Masks::Everywhere, |_| false).expect("there is no computed goto");
        module.verify().unwrap_or_else(|e| panic!("{e}\n{}", module.text()));
    }
    module.text()
}

/// Kernels `first` and on are right with so many lanes in a warp.
fn random_kernels(first: u64, count: u64, lanes: u32, form: Form) {
    let (mut kernels, mut texts, mut program) = (Vec::<Kernel>::new(), String::new(), String::new());
    let mut calls = String::new();
    for seed in first..first + count {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) + 1);
        let statements = random.statements(1 + (seed % 3) as u32, false, seed % 2 == 1);
        let [x, y, z] = SHAPES[(seed / 2 % 4) as usize];
        let threads = (x * y * z) as usize;
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
    // What names the masks comes before any optimisation.
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

/// The masks name exactly the lanes that come: an operation waits for all of its mask, and goes on without others.
#[test]
fn computed_masks_are_right() {
    random_kernels(64, 128, 32, Form::Masked);
    random_kernels(1000, 32, 64, Form::Masked);
}

/// All lanes come to `all`, which nobody knows before. So votes on `few` are among the same lanes as votes on `last`,
/// and on the way by `left` it is `last` that is decided first.
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

/// Lanes come to an operation in different iterations, and in an order that is not the stops': each waits for its mask.
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

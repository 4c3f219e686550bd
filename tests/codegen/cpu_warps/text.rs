//! Random statements as LLVM's IR.

use std::fmt::Write;

use super::statements::{Distance, Group, Statement, Step, VARIABLES};

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

    /// Adds an instruction with a result. Returns the name of the result.
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

    /// Adds statements. `exits` are the blocks after the loop and at the start of its next iteration.
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

    /// Branches away, so that the code after it is unreachable.
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
        // The alloca of each counter is in the entry block.
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

    /// The suffix of an operation's name, and its mask operand.
    fn mask(&mut self, group: Group, variable: &str) -> (&'static str, String) {
        if group == Group::There {
            return ("", String::new());
        }
        let there = |text: &mut Self| text.value("call i64 @__offload_active_mask()");
        let mask = match group {
            Group::Every => "-1".to_owned(),
            Group::There | Group::Named => there(self),
            Group::Eight => {
                let there = there(self);
                let row = self.value("and i64 %wide.lane, 56");
                let row = self.value(&format!("shl i64 255, {row}"));
                self.value(&format!("and i64 {there}, {row}"))
            }
            Group::Alike => {
                let there = there(self);
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
            Step::Lanes(name @ ("ballot" | "any" | "all"), group, _) => {
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
            Step::Lanes(name, group, distance) => {
                let argument = match distance {
                    Distance::Constant => constant.to_string(),
                    Distance::Own => self.value(&format!("add i32 {b}, {constant}")),
                };
                let (sync, mask) = self.mask(group, &b);
                self.value(&format!("call i32 @__offload_{name}{sync}({mask}i32 {a}, i32 {argument})"))
            }
        };
        self.line(&format!("store i32 {result}, ptr %v{to}"));
        self.line(&format!("store i32 {result}, ptr %to{to}"));
    }
}

/// A kernel with this name, which writes each thread's variables to its argument.
pub(super) fn text(name: &str, statements: &[Statement]) -> String {
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
        // Values for other threads, from a thread that returns.
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

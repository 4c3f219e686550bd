//! Statements about indices: loops over every n-th number, and indices that a thread may lack.

use super::Generator;
use super::types::Ty;

impl Generator {
    /// A loop from a number to another one by steps, with a counter of its iterations, as Rust's `step_by` has it. The
    /// numbers are close to each other, and close to 0 or to where numbers wrap around.
    pub(super) fn stepped_loop(&mut self) {
        let (tag, ty) = (self.name(), self.one_of(&[Ty::Int(64), Ty::Int(32)]));
        let base = [0, 0, -24, -40][self.below(4)];
        let (start, end) = (self.near(&ty, base), self.near(&ty, base));
        let start = if base == 0 && self.below(3) == 0 { "0".to_owned() } else { start };
        // An end below the step, whose size is not visible in the code.
        let end = if base == 0 && self.below(2) == 0 { self.hidden(&ty, &end) } else { end };
        let constant = [1, 2, 2, 3, 4, 7, 8, 64][self.below(8)];
        let step = if self.below(4) == 0 { self.near(&ty, 1) } else { constant.to_string() };
        let distance = match self.below(3) {
            0 if start == "0" => end.clone(),
            0 => {
                let least = self.set(&format!("call {ty} @llvm.umax.{ty}({ty} {end}, {ty} {start})"));
                self.set(&format!("sub {ty} {least}, {start}"))
            }
            _ => self.set(&format!("call {ty} @llvm.usub.sat.{ty}({ty} {end}, {ty} {start})")),
        };
        let (count, wide) = self.rounded_up(&ty, &distance, &step);
        let counter = self.resized(&count, &wide, &ty);
        let guard = match self.below(3) {
            0 => self.set(&format!("icmp ugt {ty} {end}, {start}")),
            1 => self.set(&format!("icmp ne {wide} {count}, 0")),
            // Some loops have a counter that other code reads, too.
            _ => {
                self.values.push((ty, counter.clone()));
                self.set(&format!("icmp ne {ty} {counter}, 0"))
            }
        };
        let from = self.block.clone();
        self.line(&format!("br i1 {guard}, label %loop{tag}, label %done{tag}"));
        self.label(&format!("loop{tag}"));
        self.line(&format!("%i{tag} = phi {ty} [ {start}, %{from} ], [ %i.next{tag}, %next{tag} ]"));
        self.line(&format!("%left{tag} = phi {ty} [ {counter}, %{from} ], [ %less{tag}, %next{tag} ]"));
        self.line(&format!("%below{tag} = icmp ult {ty} %i{tag}, {end}"));
        self.line(&format!("br i1 %below{tag}, label %inside{tag}, label %next{tag}"));
        self.label(&format!("inside{tag}"));
        if ty == Ty::Int(64) {
            self.line(&format!("call void @mix(ptr %out, i64 %i{tag})"));
        } else {
            let index = self.set(&format!("zext {ty} %i{tag} to i64"));
            self.line(&format!("call void @mix(ptr %out, i64 {index})"));
        }
        self.line(&format!("br label %next{tag}"));
        self.label(&format!("next{tag}"));
        self.line(&format!("%i.next{tag} = add {ty} %i{tag}, {step}"));
        self.line(&format!("%less{tag} = add {ty} %left{tag}, -1"));
        let ends = self.below(2) == 0;
        self.line(&format!("%test{tag} = icmp {} {ty} %less{tag}, 0", if ends { "eq" } else { "ne" }));
        let [first, second] = if ends { ["done", "loop"] } else { ["loop", "done"] };
        self.line(&format!("br i1 %test{tag}, label %{first}{tag}, label %{second}{tag}"));
        self.label(&format!("done{tag}"));
    }

    /// A loop whose first block may leave it, and whose last block leaves it for the same block after 12 iterations at
    /// most. Its results may be those with which the first block would leave next.
    pub(super) fn loop_with_two_exits(&mut self) {
        let (tag, ty) = (self.name(), Ty::Int(64));
        let (limit, first, other) = (self.near(&ty, 1), self.pick(&ty), self.pick(&ty));
        let from = self.block.clone();
        self.line(&format!("br label %loop{tag}"));
        self.label(&format!("loop{tag}"));
        self.line(&format!("%i{tag} = phi i64 [ 0, %{from} ], [ %i.next{tag}, %again{tag} ]"));
        self.line(&format!("%v{tag} = phi i64 [ {first}, %{from} ], [ %v.next{tag}, %again{tag} ]"));
        self.line(&format!("%a{tag} = xor i64 %v{tag}, %i{tag}"));
        let operation = self.one_of(&["lshr", "add nuw", "urem"]);
        self.line(&format!("%b{tag} = {operation} i64 %a{tag}, 3"));
        self.line(&format!("%c{tag} = and i64 %b{tag}, 7"));
        let leaves = self.below(2) == 0;
        self.line(&format!("%q{tag} = icmp {} i64 %c{tag}, 5", if leaves { "eq" } else { "ne" }));
        let [one, two] = if leaves { ["done", "body"] } else { ["body", "done"] };
        self.line(&format!("br i1 %q{tag}, label %{one}{tag}, label %{two}{tag}"));
        self.label(&format!("body{tag}"));
        let seen = self.one_of(&["a", "b", "v"]);
        self.line(&format!("call void @mix(ptr %out, i64 %{seen}{tag})"));
        self.line(&format!("br label %again{tag}"));
        self.label(&format!("again{tag}"));
        self.line(&format!("%i.next{tag} = add i64 %i{tag}, 1"));
        let next = self.one_of(&["mul i64 %v", "mul i64 %a", "mul i64 %b"]);
        self.line(&format!("%v.next{tag} = {next}{tag}, 5"));
        let ends = self.below(2) == 0;
        self.line(&format!("%p{tag} = icmp {} i64 %i.next{tag}, {limit}", if ends { "eq" } else { "ne" }));
        let [one, two] = if ends { ["done", "loop"] } else { ["loop", "done"] };
        self.line(&format!("br i1 %p{tag}, label %{one}{tag}, label %{two}{tag}"));
        self.label(&format!("done{tag}"));
        let last = match self.below(5) {
            0 => format!("%i{tag}"),
            1 | 2 => limit,
            _ => format!("%i.next{tag}"),
        };
        self.line(&format!("%r{tag} = phi i64 [ %i{tag}, %loop{tag} ], [ {last}, %again{tag} ]"));
        let [kept, next] = match self.below(2) {
            0 => [format!("%v{tag}"), format!("%v.next{tag}")],
            _ => [other.clone(), other],
        };
        self.line(&format!("%s{tag} = phi i64 [ {kept}, %loop{tag} ], [ {next}, %again{tag} ]"));
        for result in [format!("%r{tag}"), format!("%s{tag}")] {
            self.observe(&ty, &result);
            self.values.push((ty, result));
        }
    }

    /// A number in memory, of which nothing is known.
    fn hidden(&mut self, ty: &Ty, number: &str) -> String {
        let place = self.set(&format!("alloca {ty}"));
        self.line(&format!("store {ty} {number}, ptr {place}"));
        self.set(&format!("load {ty}, ptr {place}"))
    }

    /// A number up to 11 above the base.
    fn near(&mut self, ty: &Ty, base: i64) -> String {
        let word = self.input_word();
        let low = self.set(&format!("urem i64 {word}, 12"));
        let near = self.set(&format!("add i64 {low}, {base}"));
        if *ty == Ty::Int(64) { near } else { self.set(&format!("trunc i64 {near} to {ty}")) }
    }

    /// How many steps a distance has, and the type of that number. A distance of 32 bits may be computed with in 64.
    fn rounded_up(&mut self, ty: &Ty, distance: &str, step: &str) -> (String, Ty) {
        let wide = if *ty == Ty::Int(32) && self.below(2) == 0 { Ty::Int(64) } else { *ty };
        let distance = self.resized(distance, ty, &wide);
        let constant = step.parse::<u64>().ok();
        let step = if constant.is_none() { self.resized(step, ty, &wide) } else { step.to_owned() };
        let halves = constant == Some(2) && self.below(2) == 0;
        if halves {
            let half = self.set(&format!("lshr {wide} {distance}, 1"));
            let text = if self.below(2) == 0 {
                format!("sub {wide} {distance}, {half}")
            } else {
                let rest = self.set(&format!("and {wide} {distance}, 1"));
                format!("add {wide} {rest}, {half}")
            };
            return (self.set(&text), wide);
        }
        let power = constant.filter(|step| step.is_power_of_two());
        if let (Some(step), true) = (power, wide != *ty && self.below(2) == 0) {
            let sum = self.set(&format!("add nuw {wide} {distance}, {}", step - 1));
            return (self.set(&format!("lshr {wide} {sum}, {}", step.trailing_zeros())), wide);
        }
        let (down, rest) = match power {
            Some(step) => (
                self.set(&format!("lshr {wide} {distance}, {}", step.trailing_zeros())),
                self.set(&format!("and {wide} {distance}, {}", step - 1)),
            ),
            None => (
                self.set(&format!("udiv {wide} {distance}, {step}")),
                self.set(&format!("urem {wide} {distance}, {step}")),
            ),
        };
        let is_more = self.set(&format!("icmp ne {wide} {rest}, 0"));
        let more = self.set(&format!("zext i1 {is_more} to {wide}"));
        (self.set(&format!("add {wide} {down}, {more}")), wide)
    }

    /// A number in another type.
    fn resized(&mut self, number: &str, from: &Ty, to: &Ty) -> String {
        match (from == to, *to == Ty::Int(64)) {
            (true, _) => number.to_owned(),
            (_, true) => self.set(&format!("zext {from} {number} to {to}")),
            _ => self.set(&format!("trunc {from} {number} to {to}")),
        }
    }

    /// An index that is the largest number for some threads, and a limit of it.
    pub(super) fn chosen_index(&mut self) {
        let (tag, ty) = (self.name(), self.one_of(&[Ty::Int(64), Ty::Int(32)]));
        let (has, value, base) = (self.condition(), self.pick(&ty), [0, -12][self.below(2)]);
        let limit = if self.below(2) == 0 { self.near(&ty, base) } else { self.pick(&ty) };
        let sides = [format!("{ty} {value}, {ty} -1"), format!("{ty} -1, {ty} {value}")];
        let is_swapped = usize::from(self.below(5) == 0);
        let index = self.set(&format!("select i1 {has}, {}", sides[is_swapped]));
        let text = [
            format!("icmp ult {ty} {index}, {limit}"),
            format!("icmp uge {ty} {index}, {limit}"),
            format!("icmp ugt {ty} {limit}, {index}"),
            format!("icmp ule {ty} {index}, {limit}"),
        ];
        let text = self.one_of(&text);
        let test = self.set(&text);
        self.line(&format!("br i1 {test}, label %in{tag}, label %out{tag}"));
        for (side, next) in [("in", "out"), ("out", "end")] {
            self.label(&format!("{side}{tag}"));
            let sum = self.set(&format!("add {ty} {index}, 5"));
            self.observe(&ty, &sum);
            self.line(&format!("br label %{next}{tag}"));
        }
        self.label(&format!("end{tag}"));
        self.values.push((ty, index));
    }
}

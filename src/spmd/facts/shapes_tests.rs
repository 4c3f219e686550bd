//! The shapes of random straight code, compared with the values that each thread computes.

use std::fmt::Write as _;

use super::shape::Shape;
use super::shapes::{Shapes, exact};
use crate::llvm::{Context, Module, Opcode, Value};
use crate::spmd::tuning::{MOST_WIDTH, WIDTH};

const LANES: usize = MOST_WIDTH as usize;

/// A generator of numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}

/// The results of the threads of a group: for each of them the number, none if it is poison; and the number that the
/// first thread computes if the flags of its instruction are ignored.
#[derive(Clone)]
struct Computed {
    name: String,
    /// The first operand.
    of: String,
    width: u32,
    lanes: [Option<u64>; LANES],
    first: u64,
}

fn cut(number: i128, width: u32) -> u64 {
    number as u64 & (u64::MAX >> (64 - width))
}

fn signed(number: u64, width: u32) -> i128 {
    i128::from(((number << (64 - width)) as i64) >> (64 - width))
}

/// The result of an operation for the operands of a thread.
type Compute = Box<dyn Fn(&[u64]) -> i128>;

/// Whether it is poison for these operands.
type IsPoison = Box<dyn Fn(&[u64]) -> bool>;

/// An instruction: its text without the name, and its result for the operands of a thread.
struct Operation<'a> {
    text: String,
    width: u32,
    operands: Vec<&'a Computed>,
    compute: Compute,
    is_poison: IsPoison,
}

impl Operation<'_> {
    fn run(self, name: String) -> (String, Computed) {
        let Operation { text, width, operands, compute, is_poison } = self;
        let lanes = std::array::from_fn(|lane| {
            let values: Vec<u64> = operands.iter().map(|operand| operand.lanes[lane]).collect::<Option<_>>()?;
            let result = compute(&values);
            (!is_poison(&values)).then(|| cut(result, width))
        });
        let values: Vec<u64> = operands.iter().map(|operand| operand.first).collect();
        let first = cut(compute(&values), width);
        let of = operands[0].name.clone();
        (format!("  {name} = {text}\n"), Computed { name, of, width, lanes, first })
    }
}

/// A random number of a kind that occurs: small, at the end of a type, or anything.
fn constant(random: &mut Random, width: u32) -> Computed {
    let some = (random.below(1 << 30) as i128) << random.below(34);
    let number = random.of(&[0, 1, 2, 3, 4, 5, 7, 8, 12, 31, 100, -1, -2, -3, -8, 1 << 31, (1 << 31) - 1, some]);
    fixed(number, width)
}

fn fixed(number: i128, width: u32) -> Computed {
    let number = cut(number, width);
    let text = signed(number, width).to_string();
    Computed { name: text, of: String::new(), width, lanes: [Some(number); LANES], first: number }
}

fn random_operation<'a>(random: &mut Random, values: &'a [Computed], constants: &'a [Computed]) -> Operation<'a> {
    let a = &values[random.below(values.len())];
    let width = a.width;
    let ty = format!("i{width}");
    if random.below(4) == 0 && width > 1 {
        return cast(random, a);
    }
    let others: Vec<_> = values.iter().chain(constants).filter(|other| other.width == width).collect();
    let b = random.of(&others);
    let [a, b] = if random.below(3) == 0 { [b, a] } else { [a, b] };
    let (left, right) = (&a.name, &b.name);
    let promises = move |exact: i128| {
        let unsigned = !(0..1_i128 << width).contains(&exact);
        let half = 1_i128 << (width - 1);
        [unsigned, !(-half..half).contains(&exact)]
    };
    let [nuw, nsw] = [random.below(2) == 0, random.below(2) == 0];
    let flags = format!("{}{}", if nuw { " nuw" } else { "" }, if nsw { " nsw" } else { "" });
    // The exact results, of numbers with a sign and without.
    let arithmetic = |name: &str, exact: fn(i128, i128) -> i128, operands: Vec<&'a Computed>| {
        let is_poison = move |values: &[u64]| {
            let [x, y] = [values[0], values[1]];
            let unsigned = promises(exact(x.into(), y.into()))[0];
            unsigned && nuw || promises(exact(signed(x, width), signed(y, width)))[1] && nsw
        };
        Operation {
            text: format!("{name}{flags} {ty} {}, {}", operands[0].name, operands[1].name),
            width,
            operands,
            compute: Box::new(move |values| exact(values[0].into(), values[1].into())),
            is_poison: Box::new(is_poison),
        }
    };
    let bits = |name: &str, result: fn(u64, u64) -> u64, disjoint: bool| Operation {
        text: format!("{name} {ty} {left}, {right}"),
        width,
        operands: vec![a, b],
        compute: Box::new(move |values| result(values[0], values[1]).into()),
        is_poison: Box::new(move |values| disjoint && values[0] & values[1] != 0),
    };
    let by_constant = |random: &mut Random| {
        let all: Vec<_> = constants.iter().filter(|c| c.width == width && (1..8).contains(&c.first)).collect();
        random.of(&all)
    };
    match random.below(if width > 1 { 12 } else { 2 }) {
        0 => bits("and", |x, y| x & y, false),
        1 => bits("xor", |x, y| x ^ y, false),
        2 | 3 => arithmetic("add", |x, y| x + y, vec![a, b]),
        4 | 5 => arithmetic("sub", |x, y| x - y, vec![a, b]),
        6 => arithmetic("mul", |x, y| x.wrapping_mul(y), vec![a, b]),
        // The first thread of a group executes it as an addition.
        7 => bits("or disjoint", u64::wrapping_add, true),
        8 => arithmetic("shl", |x, y| x << y, vec![a, by_constant(random)]),
        9 | 10 => {
            let by = by_constant(random);
            let (name, result): (_, fn(u64, u64) -> u64) =
                random.of(&[("lshr", |x, y| x >> y), ("udiv", |x, y| x / y), ("urem", |x, y| x % y)]);
            Operation {
                text: format!("{name} {ty} {left}, {}", by.name),
                width,
                operands: vec![a, by],
                compute: Box::new(move |values| result(values[0], values[1]).into()),
                is_poison: Box::new(|_| false),
            }
        }
        _ => Operation {
            text: format!("icmp ult {ty} {left}, {right}"),
            width: 1,
            operands: vec![a, b],
            compute: Box::new(|values| (values[0] < values[1]).into()),
            is_poison: Box::new(|_| false),
        },
    }
}

fn cast<'a>(random: &mut Random, a: &'a Computed) -> Operation<'a> {
    let from = a.width;
    let widths: Vec<u32> = [8, 16, 32, 64].into_iter().filter(|width| *width != from).collect();
    let width = random.of(&widths);
    let is_signed = random.below(2) == 0;
    let name = match (width < from, is_signed) {
        (true, _) => "trunc",
        (false, true) => "sext",
        (false, false) => "zext",
    };
    let is_signed = is_signed && width > from;
    Operation {
        text: format!("{name} i{from} {} to i{width}", a.name),
        width,
        operands: vec![a],
        compute: Box::new(move |values| if is_signed { signed(values[0], from) } else { values[0].into() }),
        is_poison: Box::new(|_| false),
    }
}

/// The inputs of a thread: its x, and parameters that are the same in all threads, or vary.
fn parameters(random: &mut Random) -> Vec<Computed> {
    let start = random.of(&[0, 0, 8, 16, 96, 1000]);
    let parameter = |name: &str, width: u32, lanes: [u64; LANES]| Computed {
        name: name.to_owned(),
        of: String::new(),
        width,
        lanes: lanes.map(Some),
        first: lanes[0],
    };
    let (n, m) = (constant(random, 32).first, constant(random, 64).first);
    let any = std::array::from_fn(|_| constant(random, 32).first);
    vec![
        parameter("%x", 32, std::array::from_fn(|lane| start + lane as u64)),
        parameter("%n", 32, [n; LANES]),
        parameter("%m", 64, [m; LANES]),
        parameter("%v", 32, any),
    ]
}

/// How many values of a kind of shape were checked: uniform, affine, others that are known, and those that vary.
type Seen = [usize; 4];

/// Checks the shapes of a function in groups of this many threads.
fn check(random: &mut Random, width: u32, seen: &mut Seen) {
    let mut values = parameters(random);
    let small = [8, 16, 32, 64].into_iter().flat_map(|width| [1, 2, 3, 4, 5, 7].map(|number| fixed(number, width)));
    let any = (0..12).map(|number| constant(random, if number % 3 == 0 { 64 } else { 32 }));
    let constants: Vec<_> = small.chain(any).collect();
    let mut text = "define void @f(i32 %x, i32 %n, i64 %m, i32 %v) {\n".to_owned();
    for number in 0..12 {
        let (line, value) = random_operation(random, &values, &constants).run(format!("%r{number}"));
        text += &line;
        values.push(value);
    }
    text += "  ret void\n}\n";
    let context = Context::create();
    let module = Module::from_text(&context, text.as_bytes(), "f").unwrap();
    let function = module.function("f").unwrap();
    let [x, .., v] = function.parameters()[..] else { panic!("there are four parameters") };
    let mut shapes = Shapes::new(&module, &[x]).in_groups(width);
    shapes.vary(&[v]);
    shapes.compute(function);
    // Operations on single bits, where the first number is aligned.
    for (instruction, value) in function.instructions().zip(&values[4..]) {
        let number = values.iter().find(|other| other.name == value.of);
        let is_aligned =
            number.and_then(|number| number.lanes[0]).is_some_and(|first| first.is_multiple_of(width.into()));
        if is_aligned
            && matches!(instruction.opcode(), Opcode::And | Opcode::Xor | Opcode::LShr | Opcode::UDiv | Opcode::URem)
        {
            shapes.assume_aligned(instruction);
            shapes.compute(function);
        }
    }
    for (instruction, value) in function.instructions().zip(&values[4..]) {
        let shape = shapes.of(instruction);
        seen[match shape {
            Shape::Uniform => 0,
            Shape::Affine(_) => 1,
            Shape::Offsets(_) => 2,
            Shape::Varying => 3,
        }] += 1;
        let Some(offsets) = shape.offsets(width) else { continue };
        let report = || {
            let mut all = text.clone();
            values.iter().for_each(|v| writeln!(all, "{}: {} {:x?}", v.name, v.first, v.lanes).unwrap());
            format!("{} of {width} has {shape:?} in\n{all}", value.name)
        };
        for (lane, own) in value.lanes.iter().enumerate().take(width as usize) {
            let expected = cut(i128::from(value.first) + i128::from(offsets[lane]), value.width);
            assert!(own.is_none_or(|own| own == expected), "thread {lane}: {}", report());
        }
        if keeps_promises(instruction, &shapes) && value.lanes[0].is_none() {
            let others = &value.lanes[..width as usize];
            assert!(others.iter().all(Option::is_none), "the first thread alone is poison: {}", report());
        }
    }
}

/// Whether the instruction of the first thread makes the promises of all threads. Its operands do, too.
fn keeps_promises<'c>(value: Value<'c>, shapes: &Shapes<'_, 'c>) -> bool {
    if !value.is_instruction() {
        return true;
    }
    let flags = [(value.never_wraps(), false), (value.never_wraps_signed(), true)];
    let own = flags.into_iter().all(|(has, signed)| !has || exact(value, shapes, signed));
    let is_sum = !value.is(Opcode::Or) || !value.is_disjoint();
    own && is_sum && value.operands().into_iter().all(|v| keeps_promises(v, shapes))
}

#[test]
fn shapes_are_those_of_the_values() {
    let mut random = Random(1);
    let mut seen = [0; 4];
    for number in 0..6000 {
        check(&mut random, if number % 2 == 0 { WIDTH } else { MOST_WIDTH }, &mut seen);
    }
    assert!(seen.into_iter().all(|count| count > 100), "{seen:?}");
}

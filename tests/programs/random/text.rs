//! Writes random kernels as a Rust program.

use super::edges;
use super::generate::{Feature, Kernel, Node};

/// The text of a program with these kernels.
pub(crate) fn program(kernels: &[Kernel]) -> String {
    let file = |name: &str| harness::root().join(name).display().to_string();
    let mut text = String::from("#![allow(warnings)]\n");
    for (module, name) in [
        ("offload", "examples/contract/common/offload.rs"),
        ("block", "tests/run/common/block.rs"),
        ("compared", "tests/run/common/compared.rs"),
    ] {
        text += &format!("#[macro_use]\n#[path = {:?}]\nmod {module};\n", file(name));
    }
    text += "use compared::Case;\n\n";
    kernels.iter().for_each(|kernel| text += &module(kernel));
    text += "fn main() {\n    compared::run(&[\n";
    for kernel in kernels {
        let Kernel { seed, grid, block, .. } = kernel;
        let (uses_lanes, is_dynamic) = (kernel.uses(Feature::Warp), kernel.uses(Feature::Dynamic));
        text += &format!(
            "        Case {{ seed: {seed}, handle: kernel!(k{seed}::k{seed}), function: k{seed}::body, \
             grid: {grid:?}, block: {block:?}, uses_lanes: {uses_lanes}, is_dynamic: {is_dynamic} }},\n"
        );
    }
    text + "    ]);\n}\n"
}

/// The module of one kernel.
pub(crate) fn module(kernel: &Kernel) -> String {
    let Kernel { seed, pair, grid, block, panics, .. } = kernel;
    // A value that a lane reads from one that panicked is undefined, so warps panic together.
    let fault = match kernel.uses(Feature::Warp) {
        true => format!("c.global as u64 / 64 == {}", panics / 64),
        false => format!("c.global as u64 == {panics}"),
    };
    let mut writer = Writer { items: String::new(), names: 0, fault };
    let mut body = String::new();
    for statement in &kernel.statements {
        body += &format!("    acc = mix(acc, {});\n", writer.node(statement));
    }
    let lanes = if kernel.uses(Feature::Warp) {
        "    if c.global == 0 {\n        unsafe { *out.add(3 * c.threads) = block::lane_count().into() }\n    }\n"
    } else {
        ""
    };
    let begin = if kernel.uses(Feature::Panic) { first_writes(&writer, kernel) } else { String::new() };
    let in_three = [pair.0, pair.1].contains(&Feature::Position);
    let context = if in_three { "in_three" } else { "new" };
    let items = &writer.items;
    format!(
        "/// {pair:?}, {grid:?} blocks of {block:?} threads\nmod k{seed} {{\nuse crate::block;\nuse crate::compared::{{decimal, extreme, mix, pieces, Context, Given}};\n\
         use std::sync::atomic::{{AtomicU64, Ordering::Relaxed}};\n\n\
         {items}\n// A panic may leave this function on the host.\npub fn body(given: Given, out: *mut u64) {{\n    let c = Context::{context}(given);\n{begin}{lanes}    \
         let mut acc = c.global as u64 + 1;\n{body}    unsafe {{ *out.add(c.global) = acc }}\n}}\n\n\
         pub extern \"C\" fn k{seed}(given: Given, out: *mut u64) {{\n    // The host runs `body` itself.\n    if block::is_device() {{\n        body(given, out)\n    }}\n}}\n}}\n\n"
    )
}

/// Each thread writes its shared memory before any thread panics: else others would read memory that a thread that
/// panicked never wrote, and an emulated GPU reports it if such a value decides an address. Without the barrier, no
/// other thread need see the value of a thread that panics, and optimisers remove the store.
fn first_writes(writer: &Writer, kernel: &Kernel) -> String {
    let write = |to: &str| format!("    unsafe {{ *{to}.add(c.thread) = 0 }}\n");
    let names = writer.items.split("static mut ").skip(1).filter_map(|item| item.split(':').next());
    let tiles = names.filter(|name| name.starts_with("TILE"));
    let mut text: String = tiles.map(|name| write(&format!("std::ptr::addr_of_mut!({name}).cast::<u64>()"))).collect();
    if kernel.uses(Feature::Dynamic) {
        text += &write("block::dynamic_shared()");
    }
    if !text.is_empty() {
        text += "    block::sync_threads();\n";
    }
    text
}

/// Writes the expressions of one kernel, and collects the items that they need.
struct Writer {
    items: String,
    names: usize,
    /// Whether the thread panics.
    fault: String,
}

const OPERATIONS: [&str; 10] = [
    "(A).wrapping_add(B)",
    "(A).wrapping_mul(B)",
    "(A) ^ (B)",
    "(A).wrapping_sub(B)",
    "(A) / ((B) | 1)",
    "(A) % ((B) | 1)",
    "(A).rotate_left((B) as u32 & 63)",
    "(A) >> ((B) & 63)",
    "(A).min(B)",
    "((A) & 0xffff_ffff) + ((B) & 0xffff)",
];

impl Writer {
    fn node(&mut self, node: &Node) -> String {
        match node {
            Node::Leaf(which, number) => leaf(*which, *number),
            Node::Operation(which, a, b) => {
                let (a, b) = (self.node(a), self.node(b));
                format!("({})", OPERATIONS[*which].replace('A', "\0").replace('B', &b).replace('\0', &a))
            }
            Node::Feature(feature, form, operand, inner) => {
                let (x, i) = (self.node(operand), self.node(inner));
                self.names += 1;
                let name = self.names;
                let filled =
                    |text: &str| text.replace("@N", &name.to_string()).replace("@P", &self.fault).replace("@I", &i);
                let (items, body) = feature_text(*feature, *form);
                let (items, body) = (filled(items), filled(body));
                self.items += &items;
                format!("{{ let x: u64 = {x}; {body} }}")
            }
        }
    }
}

fn leaf(which: usize, number: u64) -> String {
    match which {
        0 => "(c.thread as u64)".into(),
        1 => "(c.global as u64)".into(),
        2 => "acc".into(),
        3 => format!("{number}u64"),
        4 => "c.given.wide".into(),
        _ => format!("c.element(acc ^ {number})"),
    }
}

/// The items and the expression of a feature: `x` is its operand, `@I` its inner expression, which reads `c` and `acc`,
/// `@N` a number for names, and `@P` whether the thread panics.
fn feature_text(feature: Feature, form: usize) -> (&'static str, &'static str) {
    match feature {
        Feature::Slice | Feature::Struct | Feature::Enum | Feature::Table => values(feature, form),
        Feature::Wide | Feature::Float => numbers(feature, form),
        Feature::Extreme | Feature::Narrow | Feature::Guard => edges::numbers(feature, form),
        Feature::Carry => edges::carries(form),
        Feature::Bytes => edges::bytes(form),
        Feature::Uniform | Feature::Chosen | Feature::Rounds => edges::control(feature, form),
        Feature::Shared | Feature::Dynamic | Feature::Barrier | Feature::Warp | Feature::Atomic => {
            together(feature, form)
        }
        Feature::Position => position(form),
        Feature::Box | Feature::Vec | Feature::Text | Feature::Static => memory(feature, form),
        _ => calls(feature, form),
    }
}

fn values(feature: Feature, form: usize) -> (&'static str, &'static str) {
    match (feature, form) {
        (Feature::Slice, 0) => (
            "",
            "let at = (x % c.elements.len() as u64) as usize; c.elements[at..].iter().take(5).fold(acc, |acc, v| { \
             let acc = mix(acc, u64::from(*v)); @I })",
        ),
        (Feature::Slice, 1) => (
            "",
            "let mut local = [x, acc, 1, 2, 3, x >> 7, 5, 6]; local[(x & 7) as usize] = @I; \
             local.rotate_left((x >> 3) as usize % 8); local[1..7].sort_unstable(); \
             local.windows(2).fold(acc, |acc, w| mix(acc, w[0].wrapping_sub(w[1])))",
        ),
        (Feature::Slice, 2) => (
            "",
            "c.elements.chunks(1 + (x % 7) as usize).enumerate().map(|(at, chunk)| { let acc = chunk.len() as u64 + \
             u64::from(chunk[0]); if at == 2 { @I } else { acc } }).fold(x, mix)",
        ),
        (Feature::Slice, _) => (
            "#[inline(never)]\nfn halves@N<'a>(all: &'a mut [u16], at: usize) -> (&'a mut [u16], &'a mut [u16]) {\n    \
             all.split_at_mut(at)\n}\n",
            "let mut local = [3u16; 12]; let (a, b) = halves@N(&mut local, (x % 12) as usize); b[0] = x as u16; \
             if let Some(last) = a.last_mut() { *last = (@I) as u16 } \
             local.iter().rev().fold(acc, |acc, v| mix(acc, u64::from(*v)))",
        ),
        (Feature::Struct, 0 | 1) => (
            "#[derive(Clone, Copy)]\nstruct S@N {\n    a: u64,\n    b: u8,\n    c: [u32; 3],\n    d: u16,\n}\n\
             #[inline(never)]\nfn s@N(c: Context, s: S@N, acc: u64) -> S@N {\n    let acc = s.a ^ acc;\n    \
             let a: u64 = @I;\n    S@N { a, b: s.b.wrapping_add(1), c: [s.c[2], a as u32, s.c[0]], d: s.d ^ u16::from(s.b) }\n}\n",
            "let s = s@N(c, S@N { a: x, b: acc as u8, c: [1, x as u32, 3], d: (x >> 40) as u16 }, acc); \
             mix(s.a, u64::from(s.b)) ^ u64::from(s.c[0]) ^ u64::from(s.c[1]) << 20 ^ u64::from(s.c[2]) << 9 ^ u64::from(s.d)",
        ),
        (Feature::Struct, _) => (
            "#[derive(Clone, Copy, PartialEq)]\nstruct P@N(u8, u64, Option<u32>);\n\
             #[inline(never)]\nfn p@N((p, n): (P@N, u16), many: [P@N; 3]) -> (P@N, [u16; 3]) {\n    \
             let best = if many[1].1 > p.1 { many[(n % 3) as usize] } else { p };\n    \
             (P@N(best.0 ^ n as u8, best.1.wrapping_add(u64::from(n)), best.2.filter(|v| v % 2 == 0)), [n, n / 3, u16::from(best == p)])\n}\n",
            "let p = P@N(x as u8, @I, Some(x as u32)); let (q, three) = p@N((p, acc as u16), [P@N(1, x, None), p, P@N(2, acc, Some(4))]); \
             mix(q.1, u64::from(q.0)) ^ u64::from(q.2.unwrap_or(77)) ^ u64::from(three[1]) << 16 ^ u64::from(three[2])",
        ),
        (Feature::Enum, 0 | 1) => (
            "#[derive(Clone, Copy)]\nenum E@N {\n    Empty,\n    One(u32),\n    Pair { a: u64, b: u16 },\n    List([u32; 4]),\n}\n\
             #[inline(never)]\nfn e@N(x: u64) -> E@N {\n    match x % 5 {\n        0 => E@N::Empty,\n        1 => E@N::One(x as u32),\n        \
             2 | 3 => E@N::Pair { a: x, b: (x >> 3) as u16 },\n        _ => E@N::List([x as u32, 2, 3, (x >> 32) as u32]),\n    }\n}\n",
            "match e@N(x) { E@N::Empty => acc, E@N::One(v) => u64::from(v) + 1, \
             E@N::Pair { a, b } => { let acc = a ^ u64::from(b); @I } \
             E@N::List(list) => list.iter().map(|v| u64::from(*v)).fold(x, mix) }",
        ),
        (Feature::Enum, _) => (
            "enum T@N {\n    Low(u8),\n    High(Result<u64, u32>),\n    None,\n}\n\
             #[inline(never)]\nfn t@N(x: u64) -> Option<T@N> {\n    Some(match x % 4 {\n        0 => T@N::Low(x as u8),\n        \
             1 => T@N::High(Ok(x)),\n        2 => T@N::High(x.checked_shl(x as u32 % 90).ok_or(x as u32)),\n        _ => if x % 3 == 0 { return None } else { T@N::None },\n    })\n}\n",
            "let mut sum = acc; let mut n = x; while let Some(v) = t@N(n) { match v { T@N::Low(v) => sum = mix(sum, v.into()), \
             T@N::High(Ok(v)) => { let acc = v; sum = mix(sum, @I) } T@N::High(Err(v)) => sum ^= u64::from(v), T@N::None => sum ^= 9 } \
             n >>= 9; if n == 0 { break } } sum",
        ),
        (Feature::Table, 0 | 1) => (
            "static TABLE@N: [(u16, u64); 5] = [(3, 1), (1, 4), (1, 5), (9, u64::MAX), (2, 6)];\n",
            "let (small, large) = TABLE@N[(x % 5) as usize]; let acc = large ^ acc; mix(u64::from(small), @I)",
        ),
        (Feature::Table, 2) => (
            "static WORDS@N: [&str; 4] = [\"one\", \"\", \"three\", \"fifteen\"];\n",
            "let word = WORDS@N[(x & 3) as usize]; let acc = word.bytes().map(u64::from).fold(acc, mix); (@I) ^ word.len() as u64",
        ),
        (_, _) => (
            "#[unsafe(link_section = \".offload.constant\")]\nstatic CONSTANT@N: [u32; 9] = [9, 8, 7, 6, 5, 4, 3, 2, 1];\n",
            "let acc = mix(acc, u64::from(CONSTANT@N[(x % 9) as usize])); let y: u64 = @I; y ^ u64::from(CONSTANT@N[(y % 9) as usize])",
        ),
    }
}

fn numbers(feature: Feature, form: usize) -> (&'static str, &'static str) {
    match (feature, form) {
        (Feature::Wide, 0 | 1) => (
            "",
            "let w = u128::from(x) << 64 | u128::from(acc); let y: u64 = @I; let v = w.wrapping_mul(u128::from(y) + 3) / (u128::from(y | 1) << (y % 50)); \
             (v >> 64) as u64 ^ v as u64",
        ),
        (Feature::Wide, _) => (
            "#[inline(never)]\nfn w@N(a: i128, b: i128) -> i128 {\n    (a % b).wrapping_shl(b as u32 & 127) ^ a.rotate_left(9)\n}\n",
            "let v = w@N(i128::from(x as i64) * 0x1234_5678_9abc_def1, i128::from((@I) as i64) | 1); v as u64 ^ (v >> 64) as u64 ^ u64::from(v.leading_zeros())",
        ),
        (_, 0) => (
            "",
            "let f = (x >> 20) as f64 / 1024.0 - 2.0e9; let y: u64 = @I; \
             let g = (f * (y as f64 + 0.5) - acc as i64 as f64) / (f * f + 1.0); g.to_bits() ^ g.floor() as i64 as u64",
        ),
        (_, 1) => (
            "",
            "let (f, g) = (f64::from_bits(x), f32::from_bits(acc as u32)); \
             let acc = mix(acc, f as i32 as u64 ^ f as f32 as u64 ^ u64::from(g as u8) ^ g as i64 as u64); \
             mix(@I, u64::from(f < 1.0) | u64::from(f.is_nan()) << 1 | u64::from(g.is_finite()) << 2 | u64::from(f >= g.into()) << 3)",
        ),
        _ => (
            "#[inline(never)]\nfn f@N(a: f32, b: i16) -> [f32; 2] {\n    let c = f32::from(b) * 0.37;\n    \
             [(a.abs().sqrt() + c).trunc(), if a < c { a * 1.0e-3 - c } else { c / (a.abs() + 1.0) }]\n}\n",
            "let [f, g] = f@N(x as i32 as f32 * 0.125, acc as i16); let acc = acc ^ u64::from(g.to_bits()) ^ (f as i32 as u64) << 20; \
             let y: u64 = @I; y ^ u64::from((g * y as f32).to_bits())",
        ),
    }
}

/// Shared memory with a word for each thread.
pub(crate) const TILE: &str =
    "#[unsafe(link_section = \".offload.shared\")]\nstatic mut TILE@N: [u64; 64] = [0; 64];\n";

fn together(feature: Feature, form: usize) -> (&'static str, &'static str) {
    match (feature, form) {
        (Feature::Shared, 0) => (
            TILE,
            "let own = unsafe { &mut *std::ptr::addr_of_mut!(TILE@N).cast::<u64>().add(c.thread) }; *own = x; \
             let y: u64 = @I; *own ^= y; *own",
        ),
        (Feature::Shared, _) => (
            TILE,
            "let tile = std::ptr::addr_of_mut!(TILE@N).cast::<u64>(); unsafe { *tile.add(c.thread) = x } block::sync_threads(); \
             let other = unsafe { *tile.add((c.thread * 7 + 3) % c.threads) }; let acc = mix(acc, other); let y: u64 = @I; \
             block::sync_threads(); y",
        ),
        (Feature::Dynamic, 0) => (
            "",
            "let own = unsafe { block::dynamic_shared().add(c.thread) }; unsafe { *own = x } let y: u64 = @I; \
             unsafe { *own = mix(y, x); *own }",
        ),
        (Feature::Dynamic, _) => (
            "",
            "block::sync_threads(); unsafe { *block::dynamic_shared().add(c.threads - 1 - c.thread) = x } block::sync_threads(); \
             let all = unsafe { std::slice::from_raw_parts(block::dynamic_shared().cast_const(), c.threads) }; \
             let acc = all.iter().fold(acc, |acc, v| mix(acc, *v)) ^ all[c.thread]; block::sync_threads(); @I",
        ),
        (Feature::Barrier, 0) => ("", "let acc = x; @I"),
        (Feature::Barrier, _) => (
            TILE,
            "let tile = std::ptr::addr_of_mut!(TILE@N).cast::<u64>(); let mut acc = acc ^ x; let mut step = 1; while step < c.threads { \
             unsafe { *tile.add(c.thread) = acc } block::sync_threads(); \
             if c.thread >= step { acc = mix(acc, unsafe { *tile.add(c.thread - step) }) } block::sync_threads(); \
             acc = acc.wrapping_add(@I); step *= 4 } acc",
        ),
        (Feature::Warp, 0) => ("", "let acc = u64::from(block::lane()) ^ x; @I"),
        (Feature::Warp, 1) => (
            "",
            "let mut acc = x; let mut distance = block::lane_count() / 2; while distance > 0 { \
             acc = acc.wrapping_add(block::shuffle_xor(acc as u32, distance).into()); distance /= 2 } @I",
        ),
        (Feature::Warp, 2) => (
            "",
            "let bits = block::ballot_where(x % 3 != 0, x % 2 == 0); let (any, all) = block::any_all(x % 9 < 5); \
             let acc = mix(bits, u64::from(any) << 1 | u64::from(all)); @I",
        ),
        (Feature::Warp, _) => (
            "",
            "let from = (block::lane() + 3) % block::lane_count(); let low = block::shuffle(x as u32, from); \
             let acc = u64::from(low) ^ acc; let y: u64 = @I; \
             u64::from(block::shuffle(y as u32, 0)) << 32 | u64::from(block::shuffle((y >> 32) as u32, from ^ 0))",
        ),
        (_, 0) => ("", "c.counters[(x % 8) as usize / 2].fetch_add(x, Relaxed); @I"),
        (_, 1) => ("", "let y: u64 = @I; c.counters[4].fetch_max(y, Relaxed); c.counters[5].fetch_or(x, Relaxed); y"),
        (_, 2) => ("", "let y: u64 = @I; c.counters[6].fetch_xor(y.rotate_left(x as u32 & 63), Relaxed); y ^ x"),
        _ => (
            "",
            "let y: u64 = @I; let counter = &c.counters[7]; let mut old = counter.load(Relaxed); \
             while let Err(now) = counter.compare_exchange(old, old.wrapping_add(y), Relaxed, Relaxed) { old = now } y.wrapping_add(x)",
        ),
    }
}

fn position(form: usize) -> (&'static str, &'static str) {
    match form {
        0 => (
            "",
            "let [tx, ty, tz] = block::thread(); let [bx, by, bz] = block::block(); \
             let acc = mix(acc, u64::from(tx) | u64::from(ty) << 20 | u64::from(tz) << 40); (@I) ^ u64::from(bx + 3 * by + 9 * bz) ^ x",
        ),
        1 => (
            "",
            "let [tx, ty, tz] = block::thread(); let [dx, dy, dz] = block::threads(); let mut acc = acc; \
             for z in 0..=tz { for y in ty..dy { acc = mix(acc, c.elements[((z * dy + y) * dx + tx) as usize % 61].into()) } } \
             let y: u64 = @I; y.rotate_left(dz) ^ x",
        ),
        2 => (
            "",
            "let ([tx, ty, tz], [_, dy, _]) = (block::thread(), block::threads()); \
             let acc = if ty + tz > tx { x } else { acc.wrapping_mul(dy.into()) }; @I",
        ),
        _ => (
            "#[inline(never)]\nfn at@N(axis: usize) -> u32 {\n    block::block()[axis] * block::threads()[axis] + block::thread()[axis]\n}\n",
            "let acc = acc ^ u64::from(at@N((x % 3) as usize)) << 7; let y: u64 = @I; y.wrapping_sub(at@N((y % 3) as usize).into())",
        ),
    }
}

fn memory(feature: Feature, form: usize) -> (&'static str, &'static str) {
    match (feature, form) {
        (Feature::Box, 0 | 1) => (
            "struct Node@N {\n    value: u64,\n    next: Option<Box<Node@N>>,\n}\n",
            "let mut list: Option<Box<Node@N>> = None; for k in 0..x % 5 { list = Some(Box::new(Node@N { value: k ^ x, next: list })) } \
             let y: u64 = @I; let mut sum = y; while let Some(node) = list { sum = mix(sum, node.value); list = node.next } sum",
        ),
        (Feature::Box, _) => (
            "#[inline(never)]\nfn b@N(mut of: Box<[u64; 5]>, x: u64) -> Box<[u64]> {\n    of[(x % 5) as usize] = x;\n    of\n}\n",
            "let boxed = b@N(Box::new([1, 2, acc, 4, 5]), x); let acc = boxed.iter().fold(acc, |acc, v| mix(acc, *v)); \
             let y: u64 = @I; drop(boxed); y",
        ),
        (Feature::Vec, 0 | 1) => (
            "",
            "let mut v: Vec<u64> = Vec::new(); for k in 0..x % 9 { let acc = mix(acc, k); v.push(@I) } \
             v.extend_from_slice(&[x, 3]); v.insert(1, acc); v.sort_unstable(); v.dedup(); v.iter().fold(acc, |acc, v| mix(acc, *v))",
        ),
        (Feature::Vec, _) => (
            "",
            "let v: Vec<u32> = c.elements.iter().copied().filter(|v| v % 3 == (x % 3) as u32).collect(); \
             let mut rows: Vec<Vec<u32>> = v.chunks(4).map(|row| row.to_vec()).collect(); let y: u64 = @I; rows.reverse(); \
             rows.into_iter().flatten().fold(y, |acc, v| mix(acc, v.into()))",
        ),
        (Feature::Static, 0) => (
            "#[unsafe(link_section = \".offload.static\")]\nstatic mut OWN@N: [u64; 192] = [7; 192];\n",
            "let own = unsafe { &mut *std::ptr::addr_of_mut!(OWN@N).cast::<u64>().add(c.global) }; *own ^= x; \
             let y: u64 = @I; *own = mix(*own, y); *own",
        ),
        (Feature::Static, 1) => (
            "#[unsafe(link_section = \".offload.static\")]\nstatic SEEN@N: AtomicU64 = AtomicU64::new(0x1234_5678_9abc);\n",
            "let acc = mix(acc, SEEN@N.fetch_or(x & 0x1234_5678_9abc, Relaxed)); let y: u64 = @I; y ^ SEEN@N.load(Relaxed).wrapping_mul(x)",
        ),
        (Feature::Static, _) => (
            "struct Row@N {\n    name: &'static str,\n    cells: [u16; 6],\n}\n\
             #[unsafe(link_section = \".offload.static\")]\nstatic mut ROWS@N: [Row@N; 192] = [const { Row@N { name: \"a row\", cells: [1, 2, 3, 4, 5, 6] } }; 192];\n\
             #[inline(never)]\nfn change@N(row: &mut Row@N, x: u64) -> u16 {\n    let (a, b) = row.cells.split_at_mut((x % 6) as usize);\n    \
             if let Some(last) = a.last_mut() {\n        *last ^= x as u16;\n    }\n    row.name = &row.name[(x % 2) as usize..][..3];\n    \
             std::mem::replace(&mut b[0], (x >> 9) as u16)\n}\n",
            "let row = unsafe { &mut *std::ptr::addr_of_mut!(ROWS@N).cast::<Row@N>().add(c.global) }; let old = change@N(row, x); \
             let y: u64 = @I; row.name = \"other row\"; mix(y, old.into()) ^ row.cells.iter().map(|v| u64::from(*v)).fold(row.name.len() as u64, mix)",
        ),
        (_, 0) => {
            ("", "let text = (x % 100_000).to_string(); let acc = text.bytes().map(u64::from).fold(acc, mix); @I")
        }
        // Code that makes text is large, so most kernels share it.
        (_, 1) => ("", "let text = decimal(x); let acc = text.bytes().map(u64::from).fold(acc, mix); @I"),
        (_, 3) => (
            "",
            "let mut text = pieces(x as u16, acc as i8); let acc = (@I) % 10; text.insert(1, (b'0' + acc as u8) as char); \
             text.char_indices().fold(acc, |acc, (at, one)| mix(acc, at as u64 + u64::from(one as u32)))",
        ),
        _ => (
            "",
            "let mut text = String::from(\"ab\"); text.push_str(&format!(\"{:x}-{}\", x as u16, acc as i8)); let acc = (@I) % 10; \
             text.insert(1, (b'0' + acc as u8) as char); text.char_indices().fold(acc, |acc, (at, one)| mix(acc, at as u64 + u64::from(one as u32)))",
        ),
    }
}

fn calls(feature: Feature, form: usize) -> (&'static str, &'static str) {
    match (feature, form) {
        (Feature::Object, form) => (
            "trait Shape@N {\n    fn area(&self, c: Context, acc: u64) -> u64;\n    fn name(&self) -> u64 {\n        4\n    }\n}\n\
             struct Square@N(u64);\nstruct Circle@N {\n    r: u32,\n    s: u64,\n}\n\
             impl Shape@N for Square@N {\n    fn area(&self, c: Context, acc: u64) -> u64 {\n        let acc = mix(acc, self.0);\n        @I\n    }\n}\n\
             impl Shape@N for Circle@N {\n    fn area(&self, c: Context, acc: u64) -> u64 {\n        \
             mix(self.s, acc) ^ u64::from(self.r)\n    }\n    fn name(&self) -> u64 {\n        self.s\n    }\n}\n",
            if form < 2 {
                "let (square, circle) = (Square@N(x), Circle@N { r: x as u32, s: acc }); \
                 let shape: &dyn Shape@N = if x % 3 == 0 { &square } else { &circle }; shape.area(c, acc) ^ shape.name()"
            } else {
                "let shapes: [Box<dyn Shape@N>; 2] = [Box::new(Circle@N { r: x as u32, s: acc }), Box::new(Square@N(x))]; \
                 shapes.iter().fold(acc, |acc, shape| shape.area(c, acc).wrapping_add(shape.name()))"
            },
        ),
        (Feature::Recursion, 0 | 1) => (
            "#[inline(never)]\nfn r@N(c: Context, depth: u32, acc: u64) -> u64 {\n    if depth == 0 {\n        return @I;\n    }\n    \
             let below = r@N(c, depth - 1, mix(acc, depth.into()));\n    below.wrapping_mul(3) ^ r@N(c, depth / 2, below)\n}\n",
            "r@N(c, (x % 5) as u32, acc)",
        ),
        (Feature::Recursion, _) => (
            "#[inline(never)]\nfn even@N(c: Context, list: &mut [u64], acc: u64) -> u64 {\n    \
             let Some((first, rest)) = list.split_first_mut() else { return @I };\n    *first ^= acc;\n    odd@N(c, rest, *first)\n}\n\
             #[inline(never)]\nfn odd@N(c: Context, list: &mut [u64], acc: u64) -> u64 {\n    let mut local = [acc, 2];\n    \
             if list.len() < 2 {\n        return mix(acc, list.len() as u64);\n    }\n    let y = even@N(c, &mut list[1..], acc ^ 5);\n    \
             local[(y % 2) as usize] ^= y;\n    mix(local[0], local[1])\n}\n",
            "let mut list = [1, 2, x, 4, 5, 6]; let y = even@N(c, &mut list[(x % 6) as usize..], acc); list.iter().fold(y, |acc, v| mix(acc, *v))",
        ),
        (Feature::Panic, 0) => ("", "if @P { panic!(\"number @N\") } let acc = x; @I"),
        (Feature::Panic, 1) => {
            ("", "let at = if @P { 1000 } else { (x % 61) as usize }; let acc = acc ^ u64::from(c.elements[at]); @I")
        }
        (Feature::Panic, 2) => (
            "#[inline(never)]\nfn q@N(a: u64, b: u64) -> u64 {\n    a / b + a % b\n}\n",
            "let y: u64 = @I; q@N(x, if @P { 0 } else { y | 1 })",
        ),
        (Feature::Panic, _) => (
            "#[inline(never)]\nfn o@N(c: Context, x: u64) -> Option<u64> {\n    (!(@P)).then_some(x)\n}\n",
            "let acc = o@N(c, x).expect(\"a value of @N\"); @I",
        ),
        (Feature::Closure, 0 | 1) => (
            "#[inline(never)]\nfn twice@N<F: Fn(u64) -> u64>(f: F, x: u64) -> u64 {\n    f(x) ^ f(x.rotate_left(5))\n}\n",
            "let (a, b) = (acc as u16, [x, acc]); twice@N(|acc| { let acc = mix(acc, u64::from(a)) ^ b[1]; @I }, x)",
        ),
        (Feature::Closure, _) => (
            "#[inline(never)]\nfn each@N(mut f: impl FnMut(u64)) {\n    for k in 0..3 {\n        f(k);\n    }\n}\n",
            "let mut sum = acc; each@N(|k| { let acc = mix(sum, k ^ x); sum = @I }); sum",
        ),
        (_, 0 | 1) => (
            "#[inline(never)]\nfn first@N(c: Context, acc: u64) -> u64 {\n    @I\n}\nfn second@N(c: Context, acc: u64) -> u64 {\n    acc ^ c.given.wide\n}\n\
             static FUNCTIONS@N: [fn(Context, u64) -> u64; 2] = [first@N, second@N];\n",
            "FUNCTIONS@N[(x % 2) as usize](c, acc)",
        ),
        _ => (
            "fn low@N(c: Context, acc: u64) -> u64 {\n    mix(acc, c.thread as u64)\n}\nfn high@N(c: Context, acc: u64) -> u64 {\n    @I\n}\n\
             #[inline(never)]\nfn choose@N(x: u64) -> fn(Context, u64) -> u64 {\n    if x % 3 == 0 {\n        high@N\n    } else {\n        low@N\n    }\n}\n",
            "let (f, g) = (choose@N(x), choose@N(x / 3)); let y = f(c, acc); g(c, y) ^ x",
        ),
    }
}

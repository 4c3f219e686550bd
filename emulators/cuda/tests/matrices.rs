//! Matrix instructions. Where elements are is written here as the PTX ISA has it, under "Matrix Fragments".

mod common;

use common::{kernel, launch};

/// A matrix by rows.
type Rows = Vec<Vec<f64>>;

fn matrix(rows: usize, columns: usize, at: impl Fn(usize, usize) -> f64) -> Rows {
    (0..rows).map(|row| (0..columns).map(|column| at(row, column)).collect()).collect()
}

fn product(a: &Rows, b: &Rows, c: &Rows) -> Rows {
    let sum = |row: usize, column: usize| (0..b.len()).map(|k| a[row][k] * b[k][column]).sum::<f64>();
    matrix(c.len(), c[0].len(), |row, column| sum(row, column) + c[row][column])
}

/// Halves of small integers.
fn half(value: f64) -> u64 {
    let (sign, value) = if value < 0.0 { (0x8000, -value) } else { (0, value) };
    if value == 0.0 {
        return sign;
    }
    let exponent = value.log2().floor();
    sign | ((exponent as u64 + 15) << 10) | ((value / exponent.exp2() - 1.0) * 1024.0) as u64
}

fn words(registers: &[u64]) -> Vec<u64> {
    registers.chunks(2).map(|pair| pair[0] | pair.get(1).unwrap_or(&0) << 32).collect()
}

/// Executes an instruction in a warp. `registers` are the 32-bit registers of each lane, A's, then B's and C's. Returns
/// the two registers of the result from the one with the number `from`.
fn execute(instruction: &str, counts: [usize; 4], from: usize, registers: &dyn Fn(usize) -> Vec<u64>) -> Vec<u64> {
    let input: Vec<u64> = (0..32)
        .flat_map(|lane| {
            let mut own = words(&registers(lane));
            assert!(own.len() <= 3, "a lane has three words");
            own.resize(3, 0);
            own
        })
        .collect();
    let mut next = 0;
    let mut vector = |count: usize| {
        let names: Vec<_> = (next..next + count).map(|register| format!("%m{register}")).collect();
        next += count;
        format!("{{{}}}", names.join(", "))
    };
    let [a, b, c, d] = counts.map(&mut vector);
    let all = counts.iter().sum::<usize>();
    let first = counts[..3].iter().sum::<usize>() + from;
    let mut body = format!(".reg .b32 %m<{}>;", all.max(6) + 1);
    for (at, word) in ["%a", "%b", "%c"].into_iter().enumerate().take(counts[..3].iter().sum::<usize>().div_ceil(2)) {
        let name = |at: usize| if at < all - counts[3] { format!("%m{at}") } else { format!("%m{}", all.max(6)) };
        body += &format!("mov.b64 {{{}, {}}}, {word};", name(2 * at), name(2 * at + 1));
    }
    body += &format!("{instruction} {d}, {a}, {b}, {c}; mov.b64 %d, {{%m{first}, %m{}}};", first + 1);
    launch(&kernel(&body), &input, 32).unwrap_or_else(|status| panic!("{body}: error {status}"))
}

#[test]
fn halves_with_halves() {
    let a = matrix(16, 8, |row, k| (row as f64 - 7.0) * (k as f64 + 1.0));
    let b = matrix(8, 8, |k, column| k as f64 - column as f64);
    let c = matrix(16, 8, |row, column| (8 * row + column) as f64);
    let pair = |low: f64, high: f64| half(low) | half(high) << 16;
    let registers = |lane: usize| {
        let (group, thread) = (lane / 4, lane % 4);
        let of = |m: &Rows, row: usize| pair(m[row][2 * thread], m[row][2 * thread + 1]);
        vec![
            of(&a, group),
            of(&a, group + 8),
            pair(b[2 * thread][group], b[2 * thread + 1][group]),
            of(&c, group),
            of(&c, group + 8),
        ]
    };
    let d = execute("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16", [2, 1, 2, 2], 0, &registers);
    let expected = product(&a, &b, &c);
    for (lane, word) in d.into_iter().enumerate() {
        let (group, thread) = (lane / 4, lane % 4);
        let of = |row: usize| pair(expected[row][2 * thread], expected[row][2 * thread + 1]);
        assert_eq!(word, of(group) | of(group + 8) << 32, "lane {lane}");
    }
}

#[test]
fn halves_become_floats() {
    let a = matrix(16, 16, |row, k| row as f64 - 2.0 * k as f64);
    let b = matrix(16, 8, |k, column| (k * column % 5) as f64 - 1.0);
    let pair = |low: f64, high: f64| half(low) | half(high) << 16;
    let registers = |lane: usize| {
        let (group, thread) = (lane / 4, lane % 4);
        let of_a = |i: usize| {
            let row = if i < 2 || (4..6).contains(&i) { group } else { group + 8 };
            let column = 2 * thread + (i & 1) + if i < 4 { 0 } else { 8 };
            a[row][column]
        };
        let of_b = |i: usize| b[2 * thread + (i & 1) + if i < 2 { 0 } else { 8 }][group];
        let of_a: Vec<_> = (0..4).map(|r| pair(of_a(2 * r), of_a(2 * r + 1))).collect();
        let of_b: Vec<_> = (0..2).map(|r| pair(of_b(2 * r), of_b(2 * r + 1))).collect();
        [of_a, of_b].concat()
    };
    let expected = product(&a, &b, &matrix(16, 8, |_, _| 0.0));
    for from in [0, 2] {
        let instruction = "mov.b32 %m6, 0; mov.b32 %m7, 0; mov.b32 %m8, 0; mov.b32 %m9, 0;
            mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32";
        let d = execute(instruction, [4, 2, 4, 4], from, &registers);
        for (lane, word) in d.into_iter().enumerate() {
            let row = lane / 4 + if from == 0 { 0 } else { 8 };
            let of = |i: usize| u64::from((expected[row][2 * (lane % 4) + i] as f32).to_bits());
            assert_eq!(word, of(0) | of(1) << 32, "lane {lane}");
        }
    }
}

#[test]
fn floats_with_short_fractions() {
    let a = matrix(16, 4, |row, k| row as f64 * 0.5 - k as f64);
    let b = matrix(4, 8, |k, column| (k + 2 * column) as f64);
    let float = |value: f64| u64::from((value as f32).to_bits());
    let registers = |lane: usize| {
        let (group, thread) = (lane / 4, lane % 4);
        vec![float(a[group][thread]), float(a[group + 8][thread]), float(b[thread][group])]
    };
    let instruction = "mov.b32 %m3, 0; mov.b32 %m4, 0; mov.b32 %m5, 0; mov.b32 %m6, 0;
        mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32";
    let expected = product(&a, &b, &matrix(16, 8, |_, _| 0.0));
    let d = execute(instruction, [2, 1, 4, 4], 2, &registers);
    for (lane, word) in d.into_iter().enumerate() {
        let of = |i: usize| float(expected[lane / 4 + 8][2 * (lane % 4) + i]);
        assert_eq!(word, of(0) | of(1) << 32, "lane {lane}");
    }
}

#[test]
fn bytes_with_and_without_signs() {
    let (a, b) = (|row: usize, k: usize| (17 * row + 29 * k + 100) as u8, |k: usize, n: usize| (40 * n + 7 * k) as u8);
    let bytes = |at: &dyn Fn(usize) -> u8| (0..4).fold(0, |word, i| word | u64::from(at(i)) << (8 * i));
    let start = [1_i32 << 30, -5];
    let registers = |lane: usize| {
        let (group, thread) = (lane / 4, lane % 4);
        let of_a = bytes(&|i| a(group, 4 * thread + i));
        let of_b = bytes(&|i| b(4 * thread + i, group));
        vec![of_a, of_b, u64::from(start[0] as u32), u64::from(start[1] as u32)]
    };
    for (ty, signed) in [("s8", [true, true]), ("u8", [false, false])] {
        let d = execute(&format!("mma.sync.aligned.m8n8k16.row.col.s32.{ty}.{ty}.s32"), [1, 1, 2, 2], 0, &registers);
        let number = |byte: u8, signed: bool| if signed { i32::from(byte as i8) } else { i32::from(byte) };
        for (lane, word) in d.into_iter().enumerate() {
            let of = |i: usize| {
                let each = |k| number(a(lane / 4, k), signed[0]) * number(b(k, 2 * (lane % 4) + i), signed[1]);
                (0..16).map(each).sum::<i32>().wrapping_add(start[i]) as u32
            };
            assert_eq!(word, u64::from(of(0)) | u64::from(of(1)) << 32, "{ty}, lane {lane}");
        }
    }
}

#[test]
fn sums_of_integers_wrap_or_saturate() {
    let most = |_: usize| vec![0x7f7f_7f7f, 0x7f7f_7f7f, 0x7fff_ffff, 0x8000_0000];
    let sum = |satfinite: &str| {
        let name = format!("mma.sync.aligned.m8n8k16.row.col{satfinite}.s32.s8.s8.s32");
        execute(&name, [1, 1, 2, 2], 0, &most)[9]
    };
    let added = 16 * 127 * 127_u64;
    assert_eq!(sum(".satfinite"), 0x7fff_ffff | (0x8000_0000 + added) << 32);
    assert_eq!(sum(""), (0x7fff_ffff + added) | (0x8000_0000 + added) << 32);
}

#[test]
fn bits() {
    let registers = |lane: usize| vec![0xffff_ffff, (1 << (lane / 4)) - 1, 7, 0];
    let of = |name: &str| {
        let name = format!("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.{name}.popc");
        execute(&name, [1, 1, 2, 2], 0, &registers)
    };
    // Column n of B has n bits in each of its four registers.
    let expected = |f: &dyn Fn(u64) -> u64| -> Vec<u64> {
        (0..32).map(|lane| (f(2 * (lane % 4)) + 7) | f(2 * (lane % 4) + 1) << 32).collect()
    };
    assert_eq!(of("xor"), expected(&|n| 4 * (32 - n)));
    assert_eq!(of("and"), expected(&|n| 4 * n));
}

#[test]
fn doubles() {
    let body = ".reg .f64 %f<2>;
        mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%f0, %f1}, {%a}, {%b}, {%c, %c}; mov.b64 %d, %f1;";
    let (a, b) = (|row: usize, k: usize| row as f64 + 0.25 * k as f64, |k: usize, n: usize| (k * n) as f64 - 1.5);
    let input = (0..32).flat_map(|lane| [a(lane / 4, lane % 4), b(lane % 4, lane / 4), 100.0].map(f64::to_bits));
    let d = launch(&kernel(body), &input.collect::<Vec<_>>(), 32).unwrap();
    for (lane, word) in d.into_iter().enumerate() {
        let each = |k| a(lane / 4, k) * b(k, 2 * (lane % 4) + 1);
        assert_eq!(f64::from_bits(word), 100.0 + (0..4).map(each).sum::<f64>(), "lane {lane}");
    }
}

/// Rows of 16 bytes in shared memory: element `column` of row `row` is `8 * row + column`.
const TILES: &str = ".shared .align 16 .b8 tiles[512];
    .reg .b32 %q<8>; .reg .b16 %s<2>; mov.u32 %q0, tiles; mad.lo.u32 %q1, %tid, 16, %q0; shl.b32 %q2, %tid, 3;
    FILL: cvt.u16.u32 %s0, %q2; st.shared.b16 [%q1], %s0; add.u32 %q1, %q1, 2; add.u32 %q2, %q2, 1;
    and.b32 %q3, %q2, 7; setp.ne.u32 %p3, %q3, 0; @%p3 bra FILL;
    bar.warp.sync -1; mad.lo.u32 %q1, %tid, 16, %q0;";

#[test]
fn rows_are_loaded_and_transposed() {
    let of = |instruction: &str| {
        let body = format!("{TILES} {instruction}; mov.b64 %d, {{%q4, %q7}};");
        launch(&kernel(&body), &[0; 96], 32).unwrap_or_else(|status| panic!("{instruction}: error {status}"))
    };
    let pair = |low: u64, high: u64| low | high << 16;
    let by_rows = |tile: u64, lane: u64| pair(64 * tile + 2 * lane, 64 * tile + 2 * lane + 1);
    let by_columns = |tile: u64, lane: u64| {
        let row = 2 * (lane % 4);
        pair(64 * tile + 8 * row + lane / 4, 64 * tile + 8 * (row + 1) + lane / 4)
    };
    let all = |f: &dyn Fn(u64) -> u64| (0..32).map(f).collect::<Vec<_>>();
    let load = |kind: &str| of(&format!("ldmatrix.sync.aligned.m8n8.{kind}.shared.b16 {{%q4, %q5, %q6, %q7}}, [%q1]"));
    assert_eq!(load("x4"), all(&|lane| by_rows(0, lane) | by_rows(3, lane) << 32));
    assert_eq!(load("x4.trans"), all(&|lane| by_columns(0, lane) | by_columns(3, lane) << 32));
    // Of one matrix, only the addresses of lanes 0 to 7 count.
    let one = "mov.u32 %q7, 0; setp.ge.u32 %p4, %tid, 8; @%p4 mov.u32 %q1, 77777777;
        ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%q4}, [%q1]";
    assert_eq!(of(one), all(&|lane| by_rows(0, lane)));
    let moved = "mov.u32 %q7, 0; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%q5}, [%q1];
        movmatrix.sync.aligned.m8n8.trans.b16 %q4, %q5";
    assert_eq!(of(moved), all(&|lane| by_columns(0, lane)));
    let stored = "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%q5, %q6}, [%q1];
        stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%q1], {%q5, %q6};
        ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%q4, %q7}, [%q1]";
    assert_eq!(of(stored), all(&|lane| by_columns(0, lane) | by_columns(1, lane) << 32));
}

#[test]
fn matrices_of_a_warp() {
    // The input is A by rows, then B by columns, 16 x 16 halves each; the output is D by rows.
    let body = ".reg .b32 %v<32>; .reg .b64 %y<2>; setp.ge.u32 %p0, %tid, 32; @%p0 bra REST;
        add.u64 %y0, %from, 512; mul.wide.u32 %y1, %tid, 8; sub.u64 %y1, %to, %y1;
        wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%v0, %v1, %v2, %v3, %v4, %v5, %v6, %v7}, [%from], 16;
        wmma.load.b.sync.aligned.col.m16n16k16.global.f16 {%v8, %v9, %v10, %v11, %v12, %v13, %v14, %v15}, [%y0];
        mov.b32 %v16, 0x40000000; mov.b32 %v17, %v16; mov.b32 %v18, %v16; mov.b32 %v19, %v16;
        mov.b32 %v20, %v16; mov.b32 %v21, %v16; mov.b32 %v22, %v16; mov.b32 %v23, %v16;
        wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%v24, %v25, %v26, %v27, %v28, %v29, %v30, %v31},
            {%v0, %v1, %v2, %v3, %v4, %v5, %v6, %v7}, {%v8, %v9, %v10, %v11, %v12, %v13, %v14, %v15},
            {%v16, %v17, %v18, %v19, %v20, %v21, %v22, %v23};
        wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%y1], {%v24, %v25, %v26, %v27, %v28, %v29, %v30, %v31}, 16;
        REST: bar.sync 0; ld.global.u64 %d, [%to];";
    let (a, b) = (|row: usize, k: usize| row as f64 - k as f64, |k: usize, n: usize| (k * n % 7) as f64 - 3.0);
    let of_a = (0..256).map(|at| half(a(at / 16, at % 16)));
    let of_b = (0..256).map(|at| half(b(at % 16, at / 16)));
    let halves: Vec<u64> = of_a.chain(of_b).collect();
    let mut input: Vec<u64> =
        halves.chunks(4).map(|each| each.iter().rev().fold(0, |word, half| word << 16 | half)).collect();
    input.resize(3 * 128, 0);
    let d = launch(&kernel(body), &input, 128).unwrap_or_else(|status| panic!("error {status}"));
    for (at, word) in d.into_iter().enumerate() {
        let of = |i: usize| {
            let (row, column) = ((2 * at + i) / 16, (2 * at + i) % 16);
            let sum = (0..16).map(|k| a(row, k) * b(k, column)).sum::<f64>() + 2.0;
            u64::from((sum as f32).to_bits())
        };
        assert_eq!(word, of(0) | of(1) << 32, "word {at}");
    }
}

#[test]
fn all_lanes_must_take_part() {
    let mma = "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r3, %r4}, {%ra}, {%rb}, {%rc, %rc};";
    const LAUNCH_FAILED: i32 = 719;
    let failed = |body: &str, threads: u32| launch(&kernel(body), &vec![0; 3 * threads as usize], threads);
    assert!(failed(mma, 32).is_ok() && failed(mma, 64).is_ok());
    assert_eq!(failed(mma, 31), Err(LAUNCH_FAILED));
    let some = format!("setp.lt.u32 %p0, %tid, 30; @!%p0 bra OUT; {mma} OUT:");
    assert_eq!(failed(&some, 32), Err(LAUNCH_FAILED));
    let two = format!("setp.lt.u32 %p0, %tid, 30; @%p0 bra LOW; {mma} bra OUT; LOW: {mma} OUT:");
    assert_eq!(failed(&two, 32), Err(LAUNCH_FAILED));
}

#[test]
fn undefined_elements_make_their_sums_undefined() {
    const LAUNCH_FAILED: i32 = 719;
    let mma = "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r3, %r4}, {%ra}, {%rb}, {%rc, %rc};";
    // The elements of lane 9, which are in row 2, were never written. Row 2 is that of the lanes 8 to 11.
    let body = |from: u32, to: u32| {
        let lanes = format!("setp.lt.u32 %p0, %tid, {from}; @%p0 bra OUT; setp.ge.u32 %p0, %tid, {to}; @%p0 bra OUT;");
        let branch = "setp.eq.u32 %p1, %r3, 0; @%p1 bra OUT; mov.u64 %d, 1; OUT:";
        let left = ".local .b32 t; setp.ne.u32 %p2, %tid, 9; @%p2 bra KNOWN; ld.local.u32 %ra, [t]; KNOWN:";
        format!("{left} bar.warp.sync -1; {mma} {lanes} {branch}")
    };
    let status = |from, to| launch(&kernel(&body(from, to)), &[1; 96], 32).err();
    assert_eq!((status(0, 8), status(12, 32)), (None, None));
    for lane in 8..12 {
        assert_eq!(status(lane, lane + 1), Some(LAUNCH_FAILED), "lane {lane}");
    }
}

//! Instructions that compute one value for each lane. The expected results are those of IEEE arithmetic, the host's, or
//! those that the ISA documents state.

mod common;

use common::{BOTH, GCN, Kernel, Processor, RDNA, random};

/// Runs a body on random words, several waves of them, and compares `v10` of each lane.
#[track_caller]
fn agrees(processors: &[Processor], body: &str, expected: impl Fn([u32; 4]) -> u32) {
    for processor in processors {
        let mut next = random(7);
        let words: Vec<[u32; 4]> = (0..512).map(|i| interesting(i, &mut next)).collect();
        let kernel = Kernel { threads: words.len(), ..Kernel::new(*processor, body) };
        for (words, output) in words.iter().zip(kernel.run(|thread| words[thread])) {
            let wanted = expected(*words);
            assert_eq!(output[0], wanted, "{} {body}: {words:x?}: {:#x}, not {wanted:#x}", processor.name, output[0]);
        }
    }
}

/// Small numbers and limits now and then.
fn interesting(i: usize, next: &mut impl FnMut() -> u64) -> [u32; 4] {
    const SPECIAL: [u32; 8] = [0, 1, u32::MAX, 0x8000_0000, 0x7fff_ffff, 0x3f80_0000, 0x7f80_0000, 0x0000_0001];
    std::array::from_fn(|_| {
        let word = next();
        if i.is_multiple_of(3) { SPECIAL[(word >> 40) as usize % 8] } else { word as u32 }
    })
}

const ZERO_V11: &str = "  v_mov_b32 v11, 0\n";

fn body(text: &str) -> String {
    format!("{ZERO_V11}{text}")
}

#[test]
fn sums_and_products_of_integers() {
    agrees(&[RDNA], &body("  v_add_nc_u32 v10, v1, v2"), |[a, b, ..]| a.wrapping_add(b));
    agrees(&[GCN], &body("  v_sub_u32 v10, v1, v2"), |[a, b, ..]| a.wrapping_sub(b));
    agrees(&BOTH, &body("  v_mul_lo_u32 v10, v1, v2"), |[a, b, ..]| a.wrapping_mul(b));
    agrees(&BOTH, &body("  v_mul_hi_i32 v10, v1, v2"), |[a, b, ..]| {
        ((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32
    });
    agrees(&BOTH, &body("  v_add3_u32 v10, v1, v2, v3"), |[a, b, c, _]| a.wrapping_add(b).wrapping_add(c));
    agrees(&[RDNA], &body("  v_add_nc_u32_e64 v10, v1, v2 clamp"), |[a, b, ..]| a.saturating_add(b));
    agrees(&[RDNA], &body("  v_sub_nc_i32 v10, v1, v2 clamp"), |[a, b, ..]| (a as i32).saturating_sub(b as i32) as u32);
    agrees(&BOTH, &body("  v_mad_i32_i24 v10, v1, v2, v3"), |[a, b, c, _]| {
        let low = |word: u32| (word << 8) as i32 >> 8;
        low(a).wrapping_mul(low(b)).wrapping_add(c as i32) as u32
    });
}

#[test]
fn bits_are_moved() {
    agrees(&BOTH, &body("  v_bfe_i32 v10, v1, 5, 7"), |[a, ..]| ((a << 20) as i32 >> 25) as u32);
    agrees(&BOTH, &body("  v_bfi_b32 v10, v1, v2, v3"), |[a, b, c, _]| (a & b) | (!a & c));
    agrees(&BOTH, &body("  v_alignbit_b32 v10, v1, v2, 9"), |[a, b, ..]| a << 23 | b >> 9);
    agrees(&BOTH, &body("  v_lshl_or_b32 v10, v1, v2, v3"), |[a, b, c, _]| a << (b & 31) | c);
    agrees(&BOTH, &body("  v_bcnt_u32_b32 v10, v1, v2"), |[a, b, ..]| a.count_ones().wrapping_add(b));
    // Bytes of the second source have the numbers 0 to 3, those of the first 4 to 7; 12 is zero.
    agrees(&BOTH, &body("  s_mov_b32 s8, 0x0c060401\n  v_perm_b32 v10, v1, v2, s8"), |[a, b, ..]| {
        let ([_, b1, ..], [a0, _, a2, _]) = (b.to_le_bytes(), a.to_le_bytes());
        u32::from_le_bytes([b1, a0, a2, 0])
    });
    agrees(&[RDNA], &body("  v_clz_i32_u32 v10, v1"), |[a, ..]| if a == 0 { u32::MAX } else { a.leading_zeros() });
}

#[test]
fn wide_integers() {
    agrees(&BOTH, &body("  v_lshlrev_b64 v[10:11], v3, v[50:51]"), |[a, b, c, _]| {
        ((u64::from(a) | u64::from(b) << 32) << (c & 63)) as u32
    });
    let vcc = |processor: Processor| if processor == RDNA { "vcc_lo" } else { "vcc" };
    for processor in BOTH {
        let vcc = vcc(processor);
        let mad = body(&format!("  v_mad_u64_u32 v[10:11], {vcc}, v1, v2, v[52:53]\n  v_mov_b32 v10, v11"));
        agrees(&[processor], &mad, |[a, b, c, d]| {
            let third = u64::from(c) | u64::from(d) << 32;
            ((u64::from(a) * u64::from(b)).wrapping_add(third) >> 32) as u32
        });
        let (add, with_carry) = match processor == RDNA {
            true => ("v_add_co_u32", "v_add_co_ci_u32"),
            false => ("v_add_co_u32", "v_addc_co_u32"),
        };
        let sum = body(&format!("  {add} v10, {vcc}, v1, v3\n  {with_carry} v10, {vcc}, v2, v4, {vcc}"));
        agrees(&[processor], &sum, |[a, b, c, d]| {
            let wide = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
            (wide(a, b).wrapping_add(wide(c, d)) >> 32) as u32
        });
    }
}

/// AMD's NaNs: those of the sources are passed on, quiet; one that arises is positive.
fn float(sources: &[u32], result: f32) -> u32 {
    match sources.iter().find(|word| f32::from_bits(**word).is_nan()) {
        Some(nan) => nan | 0x0040_0000,
        None if result.is_nan() => 0x7fc0_0000,
        None => result.to_bits(),
    }
}

#[test]
fn floats_are_ieee() {
    let f = f32::from_bits;
    agrees(&BOTH, &body("  v_add_f32 v10, v1, v2"), |[a, b, ..]| float(&[a, b], f(a) + f(b)));
    agrees(&BOTH, &body("  v_mul_f32 v10, v1, v2"), |[a, b, ..]| float(&[a, b], f(a) * f(b)));
    agrees(&BOTH, &body("  v_fma_f32 v10, v1, v2, v3"), |[a, b, c, _]| float(&[a, b, c], f(a).mul_add(f(b), f(c))));
    agrees(&BOTH, &body("  v_fma_f32 v10, -v1, |v2|, v3"), |[a, b, c, _]| {
        float(&[a ^ 0x8000_0000, b & 0x7fff_ffff, c], (-f(a)).mul_add(f(b).abs(), f(c)))
    });
    agrees(&BOTH, &body("  v_cvt_u32_f32 v10, v1"), |[a, ..]| f(a) as u32);
    agrees(&BOTH, &body("  v_cvt_f32_i32 v10, v1"), |[a, ..]| (a as i32 as f32).to_bits());
    agrees(&BOTH, &body("  v_rndne_f32 v10, v1"), |[a, ..]| float(&[a], f(a).round_ties_even()));
}

#[test]
fn approximations_are_within_their_error() {
    for (name, of) in [
        ("v_rcp_f32", (|x: f64| 1.0 / x) as fn(f64) -> f64),
        ("v_rsq_f32", |x| 1.0 / x.sqrt()),
        ("v_sqrt_f32", f64::sqrt),
        ("v_exp_f32", f64::exp2),
    ] {
        for processor in BOTH {
            let text = body(&format!("  {name} v10, v1"));
            let input = |thread: usize| 0.03 + thread as f32 * 0.37;
            let outputs = Kernel::new(processor, &text).run(|thread| [input(thread).to_bits(), 0, 0, 0]);
            let (mut above, mut below) = (0, 0);
            for (thread, output) in outputs.iter().enumerate() {
                let exact = of(input(thread).into());
                let got = f32::from_bits(output[0]);
                let unit = f64::from(f32::from_bits((exact as f32).to_bits() + 1)) - f64::from(exact as f32);
                assert!((f64::from(got) - exact).abs() <= unit, "{name}({}) = {got}, not {exact}", input(thread));
                above += u32::from(f64::from(got) > exact);
                below += u32::from(f64::from(got) < exact);
            }
            // Both ends of the error are there.
            assert!(above.min(below) > 5, "{name}: {above} above, {below} below");
        }
    }
}

#[test]
fn comparisons_make_masks() {
    for processor in BOTH {
        let vcc = if processor == RDNA { "vcc_lo" } else { "vcc" };
        for (name, of) in [
            ("v_cmp_lt_i32", (|a, b| (a as i32) < b as i32) as fn(u32, u32) -> bool),
            ("v_cmp_le_u32", |a, b| a <= b),
            ("v_cmp_nlt_f32", |a, b| {
                !f32::from_bits(a).partial_cmp(&f32::from_bits(b)).is_some_and(|order| order.is_lt())
            }),
            ("v_cmp_u_f32", |a, b| f32::from_bits(a).is_nan() || f32::from_bits(b).is_nan()),
        ] {
            let text =
                body(&format!("  {name} {vcc}, v1, v2\n  v_cndmask_b32 v10, 7, v3, {vcc}").replace("7, v3", "v4, v3"));
            agrees(&[processor], &text, |[a, b, c, d]| if of(a, b) { c } else { d });
        }
    }
}

#[test]
fn halves_of_registers_are_kept_or_zero() {
    // RDNA3 keeps the other half; CDNA2 makes it zero.
    agrees(&[RDNA], "  v_mov_b32 v11, 0\n  v_alignbit_b32 v10, v1, v2, v3.h", |[a, b, c, _]| {
        (((u64::from(a) << 32) | u64::from(b)) >> ((c >> 16) & 31)) as u32
    });
    agrees(
        &[RDNA],
        "  v_mov_b32 v10, v1\n  v_mov_b32 v12, v2\n  v_mov_b32 v11, 0\n  v_swap_b16 v10.h, v12.l\n  v_xor_b32 v10, v10, v12",
        |[a, b, ..]| (b << 16 | a & 0xffff) ^ (b & 0xffff_0000 | a >> 16),
    );
    agrees(&[RDNA], "  v_mov_b32 v11, 0\n  v_mov_b32 v10, v3\n  v_add_nc_u16 v10.h, v1.l, v2.h", |[a, b, c, _]| {
        c & 0xffff | u32::from((a as u16).wrapping_add((b >> 16) as u16)) << 16
    });
    agrees(&[GCN], "  v_mov_b32 v11, 0\n  v_mov_b32 v10, v3\n  v_add_u16 v10, v1, v2", |[a, b, ..]| {
        u32::from((a as u16).wrapping_add(b as u16))
    });
}

#[test]
fn sub_dwords_are_sources_and_results() {
    let parts = "dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_1 src1_sel:BYTE_3";
    let text = format!("  v_mov_b32 v11, 0\n  v_mov_b32 v10, v3\n  v_add_u32_sdwa v10, v1, sext(v2) {parts}");
    agrees(&[GCN], &text, |[a, b, c, _]| {
        let sum = (a >> 8 & 0xff).wrapping_add((b as i32 >> 24) as u32);
        c & 0xffff | sum << 16
    });
}

#[test]
fn two_instructions_at_once_read_before_they_write() {
    let text = "  v_mov_b32 v10, v1\n  v_mov_b32 v11, v2\n  v_dual_mov_b32 v10, v11 :: v_dual_mov_b32 v11, v10";
    let outputs = Kernel::new(RDNA, text).run(|thread| [thread as u32, 1000, 0, 0]);
    assert!(outputs.iter().enumerate().all(|(thread, output)| *output == [1000, thread as u32]));
}

#[test]
fn sums_of_products_of_parts() {
    let part = |word: u32, i: u32, width: u32| i64::from((word << (32 - width * (i + 1))) as i32 >> (32 - width));
    let sum = |a: u32, b: u32, width: u32| (0..32 / width).map(|i| part(a, i, width) * part(b, i, width)).sum::<i64>();
    let total = |a, b, c: u32, width| (sum(a, b, width) + i64::from(c as i32)) as u32;
    agrees(&[GCN], &body("  v_dot4_i32_i8 v10, v1, v2, v3"), |[a, b, c, _]| total(a, b, c, 8));
    agrees(&[GCN], &body("  v_dot8_i32_i4 v10, v1, v2, v3"), |[a, b, c, _]| total(a, b, c, 4));
    agrees(&[GCN], &body("  v_dot2_i32_i16 v10, v1, v2, v3"), |[a, b, c, _]| total(a, b, c, 16));
    agrees(&[RDNA], &body("  v_dot4_i32_iu8 v10, v1, v2, v3 neg_lo:[1,1,0]"), |[a, b, c, _]| total(a, b, c, 8));
    // These add to their result.
    agrees(&[GCN], &body("  v_mov_b32 v10, v3\n  v_dot4c_i32_i8 v10, v1, v2"), |[a, b, c, _]| total(a, b, c, 8));
    agrees(&[GCN], &body("  v_mov_b32 v10, v3\n  v_dot8c_i32_i4 v10, v1, v2"), |[a, b, c, _]| total(a, b, c, 4));
    agrees(&[GCN], &body("  v_mov_b32 v10, v3\n  v_dot2c_i32_i16 v10, v1, v2"), |[a, b, c, _]| total(a, b, c, 16));
    agrees(&[GCN], &body("  v_dot4_i32_i8 v10, v1, v2, v3 clamp"), |[a, b, c, _]| {
        (sum(a, b, 8) + i64::from(c as i32)).clamp(i32::MIN.into(), i32::MAX.into()) as u32
    });
}

//! Code with edge cases: the largest and smallest numbers, narrow ones in wider types, shifts by too much, values that
//! all threads of a block share and that decide a branch, and loops that begin with a barrier.

use super::generate::Feature;
use super::text::TILE;

/// Numbers and their operations: items and an expression, as in `text.rs`.
pub(crate) fn numbers(feature: Feature, form: usize) -> (&'static str, &'static str) {
    match (feature, form) {
        (Feature::Extreme, 0) => ("", "let acc = extreme(x); @I"),
        (Feature::Extreme, 1) => (
            "",
            "let (a, b) = (extreme(x) as i64, extreme(acc) as i64); let b = if b == 0 { 3 } else { b }; \
             let acc = mix(a.wrapping_div(b) as u64, a.wrapping_rem(b) as u64); @I",
        ),
        (Feature::Extreme, 2) => (
            "",
            "let (a, b) = (extreme(x) as i64, extreme(acc) as i64); let y: u64 = @I; let sum = a.checked_add(b).map_or(9, |v| v as u64); \
             mix(y, a.saturating_mul(b) as u64) ^ sum ^ u64::from(a.overflowing_sub(b).1) ^ a.abs_diff(b)",
        ),
        (Feature::Extreme, _) => (
            "",
            "let (a, b) = (extreme(x), extreme(acc)); let (s, t) = (a as i32, b as i32); \
             let acc = mix(acc, u64::from(a < b) | u64::from((a as i64) < b as i64) << 1 | u64::from(s > t) << 2 | u64::from(s == i32::MIN) << 3); \
             let y: u64 = @I; y ^ s.wrapping_neg() as u64 ^ u64::from(t.wrapping_abs().leading_zeros()) << 40 ^ a.min(b).trailing_ones() as u64",
        ),
        (Feature::Narrow, 0) => (
            "",
            "let (a, b) = (extreme(x), extreme(acc)); let (p, q) = (i32::from(a as i8), i32::from(b as i8)); let q = if q == 0 { 5 } else { q }; \
             let (r, s) = (i32::from(a as i16), if b as i16 == 0 { 3 } else { i32::from(b as i16) }); \
             let acc = mix(acc, (p / q) as u64 ^ ((p % q) as u64) << 16 ^ ((r / s) as u64) << 32); @I",
        ),
        (Feature::Narrow, 1) => (
            "",
            "let (a, b) = (i64::from(extreme(x) as i32), i64::from(extreme(acc) as i32)); let b = if b == 0 { 7 } else { b }; \
             let y: u64 = @I; mix(y, (a / b) as u64) ^ (a % b) as u64",
        ),
        // Dividends of 23 and 24 bits just below a multiple of the divisor, where quotients are almost whole.
        (Feature::Narrow, 2) => (
            "",
            "let (p, q) = (0xc00 | x as u32 & 0x3ff, 0xc00 | acc as u32 & 0x3ff); let (all, a) = (p * q & 0xff_ffff, p * q - 1 & 0xff_ffff); \
             let acc = mix(acc, u64::from(a / q) ^ u64::from(a % p) << 32 ^ u64::from((a >> 1) / q) << 16 ^ u64::from(all / p)); let b = extreme(acc) as u32 & 0xff_ffff | 1; \
             let y: u64 = @I; mix(y, u64::from((extreme(x) as u32 & 0xff_ffff) / b)) ^ u64::from((a >> 1) % b) \
             ^ (u64::from(acc as u32 & 0xff_ffff) * u64::from(x as u32 & 0xff_ffff)).wrapping_add(y)",
        ),
        (Feature::Narrow, _) => (
            "#[inline(never)]\nfn sign@N(v: i32, w: i16) -> i64 {\n    let (s, t) = (if v == -1 || v == 0 { v } else { 0 }, if w == -1 || w == 0 { w } else { 0 });\n    \
             (s << 31) as i64 ^ i64::from((t << 15) as i32).rotate_left(9) ^ (s.wrapping_mul(i32::MIN) as i64).rotate_left(21)\n}\n",
            "let (a, b) = (extreme(x), extreme(acc)); let s = if a > b { -1i32 } else { 0 }; \
             let acc = mix(acc, sign@N(a as i32, b as i16) as u64 ^ (s << 31) as i64 as u64); let y: u64 = @I; \
             y ^ u64::from((a as u8).saturating_mul(b as u8)) ^ (a as i16).checked_mul(b as i16).map_or(6, |v| v as u64)",
        ),
        (_, 0) => ("", "let n = extreme(x); let y: u64 = @I; y ^ if n < 64 { acc << n } else { 0 }"),
        (_, 1) => ("", "let n = extreme(acc); let acc = if n > 63 { 0 } else { x >> n }; @I"),
        (_, 2) => (
            "",
            "let n = extreme(x) % (1 << 34 | 41); let acc = mix(acc, u64::from(if n < 32 { (x as u32) << n } else { 0 })); @I",
        ),
        _ => (
            "",
            "let (n, w) = (extreme(acc), u128::from(x) << 61 | u128::from(acc)); let y: u64 = @I; \
             let v = if n < 128 { w << n } else { 0 }; v as u64 ^ (v >> 64) as u64 ^ y.checked_shr(n as u32).unwrap_or(3)",
        ),
    }
}

/// Sums of several words, of which all threads share some and others not.
pub(crate) fn carries(form: usize) -> (&'static str, &'static str) {
    match form {
        0 => (
            "",
            "let w = |lo: u64, hi: u64| u128::from(hi) << 64 | u128::from(lo); \
             let (a, b) = (w(c.given.wide | 1 << 63, x), w(c.given.wide | 3 << 62, extreme(acc))); \
             let (s, d) = (a.wrapping_add(b).wrapping_add(w(u64::MAX, acc)), b.wrapping_sub(a >> 1).wrapping_sub(1 << 63)); \
             let acc = mix(mix(s as u64, (s >> 64) as u64), mix(d as u64, (d >> 64) as u64)); @I",
        ),
        1 => (
            "",
            "let (a, b) = (u128::from(x) << 70 | u128::from(c.given.wide), u128::from(acc & 0xff) << 66 | u128::from(c.block as u32) + 1); \
             let (q, r) = (a / b, (a as i128).wrapping_neg() / b as i128); let acc = mix(mix(q as u64, r as u64), (q >> 64) as u64 ^ (r >> 64) as u64); \
             let y: u64 = @I; let (q, r) = (a % (b | 1 << 127), (a as i128).wrapping_neg() % (u128::from(y) << 64 | 5) as i128); \
             mix(mix(q as u64, r as u64), (q >> 64) as u64 ^ (r >> 64) as u64)",
        ),
        2 => (
            "",
            "let (p, q) = ([x as u32, (x >> 32) as u32, acc as u32], [extreme(acc) as u32, (acc >> 32) as u32 | 1 << 31, c.given.wide as u32]); \
             let (s, carry) = p[0].overflowing_add(q[0]); let (t, carry) = p[1].wrapping_add(q[1]).overflowing_add(carry.into()); \
             let u = p[2].wrapping_add(q[2]).wrapping_add(carry.into()); let acc = mix(u64::from(s) << 32 | u64::from(t), u.into()); let y: u64 = @I; \
             let (s, carry) = q[0].overflowing_sub(p[0]); let (t, carry) = q[1].wrapping_sub(p[1]).overflowing_sub(carry.into()); \
             y ^ mix(u64::from(s) << 32 | u64::from(t), (q[2] ^ p[2]).wrapping_sub(carry.into()).into())",
        ),
        _ => (
            "",
            "let (a, b) = (u128::from(x) << 96 | 0xdead_beef << 40 | u128::from(c.block as u32), (i128::from(acc as i64) << 64) - 7); \
             let y: u64 = @I; let (s, over) = (a as i128).overflowing_sub(b); let t = (a as i128).saturating_add(b); \
             let u = a.checked_add(u128::from(y) << 64 | 1 << 63).unwrap_or(a.abs_diff(u128::from(y) << 65)); \
             [s as u128, t as u128, u, (a >> 64) * u128::from(c.given.wide)].into_iter().fold(over.into(), |sum, v| mix(sum, mix(v as u64, (v >> 64) as u64)))",
        ),
    }
}

/// Bytes and halves, shifted with their signs, put together again, and as factors.
pub(crate) fn bytes(form: usize) -> (&'static str, &'static str) {
    match form {
        0 => (
            "",
            "let (p, q) = ((x as i32 >> 8).to_le_bytes(), ((acc >> 9) as i32 >> 16).to_le_bytes()); \
             let acc = mix(acc, u32::from_le_bytes([p[2], p[1], p[3], p[3]]).into()); let y: u64 = @I; \
             let (r, s) = (((y as i64) >> 40).to_le_bytes(), (x as i16 >> 8).to_le_bytes()); \
             y ^ u64::from_le_bytes([r[2], s[1], r[3], q[3], r[7], s[0], r[4], p[0]])",
        ),
        1 => (
            "",
            "let (p, q) = ((x as u32).wrapping_mul(0x9e37_79b9), (acc as u32).wrapping_mul(0x85eb_ca6b)); let by = |k: u32| (p >> (8 * k) & 0xff) * (q >> (8 * k) & 0xff); \
             let acc = mix(acc, by(0).wrapping_sub(acc as u32).wrapping_add(by(1)).wrapping_add(by(2)).into()); let y: u64 = @I; \
             let signed = |k: u32| i32::from((y >> (8 * k)) as i8) * i32::from((q >> (8 * k)) as i8); \
             mix(y, (signed(0) + (signed(1) & 1023)) as u64) ^ (0..4).fold(y, |sum, k| sum.wrapping_add(by(k).into()))",
        ),
        2 => (
            "",
            "let (h, g) = ((x as i16 >> 8) as u16, acc as u32); let w = u32::from(h); \
             let acc = mix(acc, u64::from(w ^ g) << 32 | u64::from(w.wrapping_mul(g) ^ (w | g << 16))); let y: u64 = @I; \
             let (a, b) = (y as i8, (y >> 8) as i8); let v = f32::from_bits(i32::from(y as i16 >> 3) as u32); \
             mix(y, (i64::from(a) << 24 | i64::from(b as u8)) as u64) ^ u64::from((w & g).min(0x1ff)) ^ if v.is_nan() { 7 } else { (v.abs() * 0.5) as u64 }",
        ),
        _ => (
            "",
            "let m = 0xff_ffffu64; let acc = mix(acc, ((x & m) * (acc & m)).wrapping_add(x) ^ (x.swap_bytes() & m) * (acc >> 40)); let y: u64 = @I; \
             let (v, w) = (y.wrapping_mul(0x9e37_79b9_7f4a_7c15), u64::from(x as u32)); \
             v.checked_add(w).unwrap_or(3) ^ v.saturating_sub(w << 1 & 0xffff_ffff).rotate_left(11) ^ u64::from(v.wrapping_add(w) < v)",
        ),
    }
}

/// Branches, selections and loops.
pub(crate) fn control(feature: Feature, form: usize) -> (&'static str, &'static str) {
    match (feature, form) {
        // The selection stays after the branch in code that is not optimised.
        (Feature::Uniform, 0) => (
            "#[inline(always)]\nfn either@N(first: bool, a: i64, b: i64) -> i64 {\n    if first { a } else { b }\n}\n",
            "let n = 1 + (c.given.wide >> 3 & 3) as i64; let (mut k, mut sum) = (1i64, x); loop { let over = k > n; let last = either@N(over, k - 1, n); \
             if !over { let mut r = k; loop { sum = mix(sum, c.elements[r as usize].into()); if r == last { break } r += 1; } } \
             if k > n + 2 { break } k += 1; } let acc = sum; @I",
        ),
        (Feature::Uniform, 1) => (
            "",
            "let n = c.given.wide as i64; let (mut k, end, mut sum) = (n.wrapping_sub(3), n.wrapping_add(2), x); loop { \
             let last = if k > n { k.wrapping_sub(1) } else { n }; \
             if k <= n { let mut r = k; loop { sum = mix(sum, c.element(r as u64)); if r == last { break } r = r.wrapping_add(1); } } \
             if k == end { break } k = k.wrapping_add(1); } let acc = sum; @I",
        ),
        (Feature::Uniform, 2) => (
            "",
            "let (limit, mut at, mut sum) = (1.0 + c.block as f64, 0.5f64, x); loop { let next = if at > limit { limit } else { at + 1.0 }; \
             if at <= limit { sum = mix(sum, next.to_bits() ^ acc) } at += 1.0; if at > 3.0 { break } } let y: u64 = @I; y ^ sum",
        ),
        (Feature::Uniform, _) => (
            "",
            "let (n, mut k) = (c.block as u64 ^ c.given.wide & 3, 0u64); let mut acc = acc; while k < 4 { \
             let step = if n < k { c.given.wide } else { x }; if n < k { acc = mix(acc, step) } else { acc ^= step.rotate_left(k as u32) } k += 1 } @I",
        ),
        (Feature::Chosen, 0 | 1) => (
            "#[inline(never)]\nfn fill@N(of: &mut [u32; 16], x: u32) -> u32 {\n    for (i, v) in of.iter_mut().enumerate() {\n        \
             *v = v.wrapping_add(x ^ i as u32);\n    }\n    of[x as usize & 15]\n}\n\
             #[inline(never)]\nfn pick@N(c: Context, x: u64) -> u64 {\n    let (mut p, mut q) = ([3u32; 16], [1u32; 16]);\n    \
             p[x as usize & 15] = 7;\n    q[x as usize + 1 & 15] = 9;\n    let chosen = if block::block()[0] == 1 { &mut p } else { &mut q };\n    \
             let sum = u64::from(fill@N(chosen, x as u32));\n    p.iter().chain(&q).fold(sum, |sum, v| mix(sum, u64::from(*v)))\n}\n",
            "let acc = mix(acc, pick@N(c, x & 0xffff)); @I",
        ),
        // The result of a function with the address of a local array, compared with the result of another one.
        (Feature::Chosen, 2) => (
            "#[inline(never)]\nfn first@N(of: &mut [u64], x: u64) -> u64 {\n    of[0] ^= x;\n    of[(x % 9) as usize]\n}\n\
             #[inline(never)]\nfn both@N(a: u32, b: u32) -> u32 {\n    a ^ b\n}\n\
             #[inline(never)]\nfn key@N(c: Context, x: u64) -> u64 {\n    let (mut p, mut q) = ([x; 9], [x ^ 1; 9]);\n    \
             let sum = first@N(&mut p, x) ^ first@N(&mut q, x);\n    let at = p.as_ptr() as usize as u32;\n    \
             let turned = block::block()[0] > block::threads()[0] % 2;\n    let (turn, times) = (at.reverse_bits(), at.wrapping_mul(1_234_567));\n    \
             let (a, b) = (if turned { turn } else { times }, if turned { times } else { 9 });\n    \
             sum ^ u64::from(both@N(a, b) == if turned { turn ^ times } else { times ^ 9 }) << 40\n}\n",
            "let acc = mix(acc, key@N(c, x & 0xffff)); @I",
        ),
        (Feature::Chosen, _) => (
            "#[inline(never)]\nfn last@N(of: &[u64], x: u64) -> u64 {\n    of.iter().rev().fold(x, |sum, v| mix(sum, *v))\n}\n\
             #[inline(never)]\nfn read@N(c: Context, x: u64) -> u64 {\n    let (mut p, mut q, r) = ([x; 9], [c.block as u64; 12], [5, x, 7]);\n    \
             p[x as usize % 9] = 1;\n    q[x as usize % 12] ^= x;\n    let chosen: &[u64] = if c.given.wide % 3 == 0 {\n        &p\n    } else if block::block()[0] == 0 {\n        &q\n    } else {\n        &r\n    };\n    \
             last@N(chosen, x).wrapping_add(chosen[x as usize % chosen.len()])\n}\n",
            "let acc = acc ^ read@N(c, x & 0xffff); let y: u64 = @I; y ^ read@N(c, y & 0xff)",
        ),
        (_, 0) => ("", "let mut acc = acc; for round in 0..3 { acc = mix(acc, x ^ round) } @I"),
        (_, 1) => (
            TILE,
            "let tile = std::ptr::addr_of_mut!(TILE@N).cast::<u64>(); unsafe { *tile.add(c.thread) = x } block::sync_threads(); \
             for _ in 0..c.given.small[1] { block::sync_threads(); \
             let v = unsafe { mix(*tile.add((c.thread + 1) % c.threads), *tile.add((c.thread + 5) % c.threads)) }; block::sync_threads(); \
             unsafe { *tile.add(c.thread) = v } } block::sync_threads(); \
             let acc = mix(acc, unsafe { *tile.add((c.thread + 2) % c.threads) }); let y: u64 = @I; block::sync_threads(); y",
        ),
        _ => (
            TILE,
            "let tile = std::ptr::addr_of_mut!(TILE@N).cast::<u64>(); unsafe { *tile.add(c.thread) = acc } let (mut round, mut sum) = (0, x); loop { \
             block::sync_threads(); sum = mix(sum, unsafe { *tile.add((c.thread * 3 + round) % c.threads) }); if round == 3 { break } \
             block::sync_threads(); unsafe { *tile.add(c.thread) = sum } round += 1 } block::sync_threads(); let acc = sum; @I",
        ),
    }
}

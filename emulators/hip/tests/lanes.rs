//! Values that go from lane to lane, and masks of lanes.

mod common;

use common::{BOTH, GCN, Kernel, Processor, RDNA};

/// `v10` of each lane, whose number is in `v1`.
#[track_caller]
fn permutes(processor: Processor, body: &str, from: impl Fn(usize) -> u32) {
    let text = format!("  v_mov_b32 v11, 0\n{body}");
    let outputs =
        Kernel::new(processor, &text).run(|thread| [thread as u32, 4 * ((thread as u32 * 7 + 3) % 64), 100, 0]);
    let got: Vec<u32> = outputs.iter().map(|output| output[0]).collect();
    let wanted: Vec<u32> = (0..processor.lanes).map(from).collect();
    assert_eq!(got, wanted, "{} {body}", processor.name);
}

#[test]
fn rows_are_shifted_and_quads_permuted() {
    for processor in BOTH {
        permutes(processor, "  v_mov_b32_dpp v10, v1 quad_perm:[3,2,1,0] row_mask:0xf bank_mask:0xf", |lane| {
            (lane ^ 3) as u32
        });
        permutes(
            processor,
            "  v_mov_b32 v10, v3\n  v_mov_b32_dpp v10, v1 row_shr:1 row_mask:0xf bank_mask:0xf",
            |lane| {
                if lane % 16 == 0 { 100 } else { lane as u32 - 1 }
            },
        );
        permutes(processor, "  v_mov_b32_dpp v10, v1 row_half_mirror row_mask:0xf bank_mask:0xf", |lane| {
            (lane ^ 7) as u32
        });
        permutes(
            processor,
            "  v_mov_b32 v10, v3\n  v_mov_b32_dpp v10, v1 row_ror:4 row_mask:0x1 bank_mask:0x3",
            |lane| {
                let place = (lane + 12) % 16;
                if lane < 8 { place as u32 } else { 100 }
            },
        );
    }
    permutes(RDNA, "  v_mov_b32_dpp v10, v1 dpp8:[7,6,5,4,3,2,1,0]", |lane| (lane ^ 7) as u32);
    permutes(GCN, "  v_mov_b32 v10, v3\n  v_mov_b32_dpp v10, v1 row_bcast:15 row_mask:0xa bank_mask:0xf", |lane| {
        if lane / 16 % 2 == 1 { (lane & !15) as u32 - 1 } else { 100 }
    });
}

#[test]
fn lanes_are_pulled_and_pushed() {
    for processor in BOTH {
        let count = processor.lanes as u32;
        let other = |lane: usize| (lane as u32 * 7 + 3) % 64 % count;
        permutes(processor, "  ds_bpermute_b32 v10, v2, v1\n  s_waitcnt lgkmcnt(0)", other);
        permutes(processor, "  ds_permute_b32 v10, v2, v1\n  s_waitcnt lgkmcnt(0)", |lane| {
            (0..count).find(|from| other(*from as usize) == lane as u32).unwrap_or(0)
        });
        permutes(processor, "  ds_swizzle_b32 v10, v1 offset:swizzle(SWAP,8)\n  s_waitcnt lgkmcnt(0)", |lane| {
            (lane ^ 8) as u32
        });
        for (swizzle, by) in [("swizzle(ROTATE,0,3)", 3), ("swizzle(ROTATE,1,3)", 29), ("0xc060", 3), ("0xc460", 29)] {
            let body = format!("  ds_swizzle_b32 v10, v1 offset:{swizzle}\n  s_waitcnt lgkmcnt(0)");
            permutes(processor, &body, |lane| (lane & !31 | (lane + by) & 31) as u32);
        }
        // Pairs of lanes rotate.
        permutes(processor, "  ds_swizzle_b32 v10, v1 offset:0xc041\n  s_waitcnt lgkmcnt(0)", |lane| {
            (lane & !31 | lane & 1 | (lane + 2) & 30) as u32
        });
    }
    permutes(RDNA, "  v_permlanex16_b32 v10, v1, 0, 0", |lane| ((lane & !15) ^ 16) as u32);
}

#[test]
fn scalars_are_read_from_lanes_and_written_to_them() {
    for processor in BOTH {
        permutes(processor, "  v_readlane_b32 s8, v1, 5\n  s_nop 4\n  v_mov_b32 v10, s8", |_| 5);
        permutes(processor, "  v_mov_b32 v10, v1\n  s_movk_i32 s8, 0x4d\n  v_writelane_b32 v10, s8, 9", |lane| {
            if lane == 9 { 77 } else { lane as u32 }
        });
    }
}

#[test]
fn masks_decide_who_takes_part() {
    let rdna = "  v_mov_b32 v10, v3
  v_cmp_gt_u32 vcc_lo, 8, v1
  s_and_saveexec_b32 s8, vcc_lo
  v_readfirstlane_b32 s9, v1
  v_mov_b32 v10, 1
  s_and_not1_saveexec_b32 s10, s8
  s_or_b32 exec_lo, exec_lo, s8";
    permutes(RDNA, rdna, |lane| if lane < 8 { 1 } else { 100 });
    let gcn = "  v_mov_b32 v10, v3
  v_cmp_lt_u32 vcc, 59, v1
  s_and_saveexec_b64 s[8:9], vcc
  v_readfirstlane_b32 s10, v1
  v_mov_b32 v10, s10
  s_mov_b64 exec, s[8:9]";
    permutes(GCN, gcn, |lane| if lane >= 60 { 60 } else { 100 });
}

#[test]
fn lanes_count_those_before_them() {
    permutes(RDNA, "  v_mbcnt_lo_u32_b32 v10, 0x0f0f0f0f, 0", |lane| {
        (0x0f0f_0f0fu32 & ((1u64 << lane) - 1) as u32).count_ones()
    });
    let text = "  v_mbcnt_lo_u32_b32 v10, -1, 0\n  v_mbcnt_hi_u32_b32 v10, -1, v10";
    permutes(GCN, text, |lane| lane as u32);
}

#[test]
fn blocks_share_memory_behind_a_barrier() {
    for processor in BOTH {
        let (store, load) =
            if processor == RDNA { ("ds_store_b32", "ds_load_b32") } else { ("ds_write_b32", "ds_read_b32") };
        let text = format!(
            "  v_mov_b32 v11, 0
  v_lshlrev_b32 v12, 2, v1
  {store} v12, v1
  s_waitcnt lgkmcnt(0)
  s_barrier
  v_sub_nc_u32 v12, 0x3fc, v12
  {load} v10, v12
  s_waitcnt lgkmcnt(0)"
        );
        let text = if processor == RDNA { text } else { text.replace("v_sub_nc_u32", "v_sub_u32") };
        let kernel = Kernel { threads: 256, shared: 1024, ..Kernel::new(processor, &text) };
        let outputs = kernel.run(|thread| [thread as u32, 0, 0, 0]);
        assert!(outputs.iter().enumerate().all(|(thread, output)| output[0] == 255 - thread as u32));
    }
}

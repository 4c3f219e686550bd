//! Operations of several lanes, barriers, and how lanes diverge and meet.

mod common;

use common::{kernel, launch, launch_blocks};

fn lanes(body: &str, threads: u32) -> Vec<u64> {
    let input: Vec<u64> = (0..3 * u64::from(threads)).collect();
    launch(&kernel(body), &input, threads).unwrap_or_else(|status| panic!("{body}: error {status}"))
}

fn of(count: u64, f: impl Fn(u64) -> u64) -> Vec<u64> {
    (0..count).map(f).collect()
}

#[test]
fn shuffles() {
    let shuffle =
        |instruction: &str| lanes(&format!("{instruction}; cvt.u64.u32 %d, %rd; @%p0 or.b64 %d, %d, 256;"), 32);
    let flag = |inside: bool| if inside { 256 } else { 0 };
    let expected = of(32, |i| if i < 31 { i + 1 } else { 31 } | flag(i < 31));
    assert_eq!(shuffle("shfl.sync.down.b32 %rd|%p0, %tid, 1, 31, -1"), expected);
    let expected = of(32, |i| if i >= 2 { i - 2 } else { i } | flag(i >= 2));
    assert_eq!(shuffle("shfl.sync.up.b32 %rd|%p0, %tid, 2, 0, -1"), expected);
    assert_eq!(shuffle("shfl.sync.bfly.b32 %rd|%p0, %tid, 5, 31, -1"), of(32, |i| i ^ 5 | 256));
    // Segments of 8 lanes: bits 8 to 12 are the mask of segments.
    assert_eq!(shuffle("shfl.sync.idx.b32 %rd|%p0, %tid, 3, 0x181f, -1"), of(32, |i| (i / 8 * 8 + 3) | 256));
}

#[test]
fn votes_matches_and_reductions() {
    let odd = "and.b32 %r3, %tid, 1; setp.eq.u32 %p1, %r3, 1;";
    assert_eq!(lanes(&format!("{odd} vote.sync.ballot.b32 %rd, %p1, -1; cvt.u64.u32 %d, %rd;"), 32)[7], 0xaaaa_aaaa);
    assert_eq!(lanes(&format!("{odd} vote.sync.all.pred %p0, !%p1, -1; selp.u64 %d, 1, 0, %p0;"), 32)[0], 0);
    assert_eq!(lanes(&format!("{odd} vote.sync.any.pred %p0, %p1, -1; selp.u64 %d, 1, 0, %p0;"), 32)[0], 1);
    assert_eq!(lanes(&format!("{odd} match.any.sync.b32 %rd, %r3, -1; cvt.u64.u32 %d, %rd;"), 32)[1], 0xaaaa_aaaa);
    assert_eq!(lanes("redux.sync.add.s32 %rd, %tid, -1; cvt.u64.u32 %d, %rd;", 32)[9], 496);
    assert_eq!(lanes("redux.sync.max.u32 %rd, %tid, -1; cvt.u64.u32 %d, %rd;", 32)[9], 31);
    assert_eq!(lanes("activemask.b32 %rd; cvt.u64.u32 %d, %rd;", 5)[0], 0x1f);
}

/// `vote.sync` waits for the lanes of its mask, also if these execute another instruction of the same kind.
#[test]
fn lanes_wait_for_one_another_in_different_places() {
    let body = "setp.lt.u32 %p1, %tid, 10; setp.ne.u32 %p2, %tid, 100;
        @%p1 bra LOW;
        vote.sync.ballot.b32 %rd, %p2, -1; bra DONE;
        LOW: vote.sync.ballot.b32 %rd, %p2, -1;
        DONE: cvt.u64.u32 %d, %rd;";
    assert_eq!(lanes(body, 32), of(32, |_| 0xffff_ffff));
}

#[test]
fn lanes_meet_where_paths_join() {
    let body = "and.b32 %r3, %tid, 3; mov.u32 %r4, 0;
        LOOP: setp.ge.u32 %p1, %r4, %r3; @%p1 bra OUT; add.u32 %r4, %r4, 1; bra LOOP;
        OUT: activemask.b32 %rd; cvt.u64.u32 %d, %rd;";
    assert_eq!(lanes(body, 32), of(32, |_| 0xffff_ffff));
}

/// A lane that holds a lock is not kept from giving it back by those that wait for it.
#[test]
fn every_lane_makes_progress() {
    let module = format!(
        ".global .u32 lock; .global .u32 sum; {}",
        kernel(
            "TRY: atom.global.cas.b32 %r3, [lock], 0, 1; setp.ne.u32 %p1, %r3, 0; @%p1 bra TRY;
             ld.volatile.global.u32 %r4, [sum]; add.u32 %r4, %r4, 1; st.volatile.global.u32 [sum], %r4;
             atom.global.exch.b32 %r5, [lock], 0; cvt.u64.u32 %d, %r4;"
        )
    );
    let mut got = launch_blocks(&module, &[0; 192], 2, 32).expect("each lane gets the lock");
    got.sort_unstable();
    assert_eq!(got, of(64, |i| i + 1));
}

#[test]
fn barriers_order_shared_memory() {
    let module = format!(
        ".shared .align 4 .b32 t[64]; {}",
        kernel(
            "mov.u64 %x0, t; mad.wide.u32 %x1, %tid, 4, %x0; st.shared.u32 [%x1], %tid; bar.sync 0;
             sub.u32 %r3, 63, %tid; mad.wide.u32 %x1, %r3, 4, %x0; ld.shared.u32 %rd, [%x1];
             setp.lt.u32 %p1, %tid, 40; bar.red.popc.u32 %r4, 0, %p1; mad.lo.u32 %rd, %r4, 1000, %rd; cvt.u64.u32 %d, %rd;"
        )
    );
    assert_eq!(launch(&module, &[0; 192], 64), Ok(of(64, |i| 40_000 + 63 - i)));
}

#[test]
fn blocks_may_wait_for_later_ones() {
    let module = format!(
        ".global .u32 flag; {}",
        kernel(
            "setp.ne.u32 %p1, %r0, 0; @%p1 bra GIVE;
             WAIT: ld.acquire.gpu.global.u32 %r3, [flag]; setp.eq.u32 %p2, %r3, 0; @%p2 bra WAIT; bra END;
             GIVE: st.release.gpu.global.u32 [flag], 1; mov.u32 %r3, 7;
             END: cvt.u64.u32 %d, %r3;"
        )
    );
    assert_eq!(launch_blocks(&module, &[0; 6], 2, 1), Ok(vec![1, 7]));
}

//! `cp.async` writes when the thread waits, and not before.

mod common;

use common::{kernel, launch};

fn one(body: &str) -> u64 {
    let module = format!(".shared .align 16 .b8 s[64]; {}", kernel(body));
    launch(&module, &[3, 5, 7], 1).unwrap_or_else(|status| panic!("{body}: error {status}"))[0]
}

/// Copies two words in two groups, with some waits between the copies and the loads.
fn copied(waits: &str) -> u64 {
    one(&format!(
        "mov.u64 %x0, s; mov.u64 %x1, 100; st.shared.u64 [%x0], %x1; st.shared.u64 [%x0+8], %x1;
         cp.async.ca.shared.global [%x0], [%at], 8; cp.async.commit_group;
         add.u64 %x2, %at, 8; add.u64 %x3, %x0, 8; cp.async.ca.shared.global [%x3], [%x2], 8; {waits}
         ld.shared.u64 %x4, [%x0]; ld.shared.u64 %x5, [%x0+8]; mad.lo.u64 %d, %x5, 1000, %x4;"
    ))
}

#[test]
fn copies_wait_for_their_groups() {
    assert_eq!(copied("cp.async.commit_group; cp.async.wait_group 0;"), 5003);
    assert_eq!(copied("cp.async.wait_all;"), 5003);
    // The last group need not be complete.
    assert_eq!(copied("cp.async.commit_group; cp.async.wait_group 1;"), 100_003);
    // A copy in no group is not waited for.
    assert_eq!(copied("cp.async.wait_group 0;"), 100_003);
    assert_eq!(copied("cp.async.commit_group; cp.async.wait_group 2;"), 100_100);
    assert_eq!(copied("cp.async.commit_group;"), 100_100);
}

//! Asynchronous copies of the lanes of a warp (PTX ISA, "cp.async"): each thread has groups of them, which are written
//! when it waits.

use std::collections::VecDeque;

/// Bytes that are to be written to shared memory, with the masks of their undefined bits.
#[derive(Clone)]
pub(super) struct Copy {
    pub(super) to: u64,
    pub(super) bytes: Vec<(u8, u8)>,
}

/// The copies of a lane.
#[derive(Clone, Default)]
pub(super) struct Copies {
    /// Those of no group yet.
    open: Vec<Copy>,
    groups: VecDeque<Vec<Copy>>,
}

impl Copies {
    pub(super) fn add(&mut self, copy: Copy) {
        self.open.push(copy);
    }

    /// `cp.async.commit_group`
    pub(super) fn commit(&mut self) {
        self.groups.push_back(std::mem::take(&mut self.open));
    }

    /// `cp.async.wait_group`: the copies that are complete when at most `left` groups are not.
    pub(super) fn wait(&mut self, left: usize) -> Vec<Copy> {
        let complete = self.groups.len().saturating_sub(left);
        self.groups.drain(..complete).flatten().collect()
    }

    /// `cp.async.wait_all`
    pub(super) fn wait_all(&mut self) -> Vec<Copy> {
        self.commit();
        self.wait(0)
    }
}

//! Makes a kernel smaller that differs from the host on a device: statements go, and expressions become their parts.

use super::generate::{Kernel, Node};
use super::{fault, run_all};

/// The most kernels that are tried; each takes some seconds.
const TRIES: usize = 40;

/// The smallest kernel found that still differs.
pub(crate) fn reduce(kernel: &Kernel, device: usize) -> Kernel {
    let mut smallest = kernel.clone();
    let mut tries = 0;
    while let Some(smaller) = candidates(&smallest).into_iter().find(|candidate| {
        tries += 1;
        tries <= TRIES && differs(candidate, device)
    }) {
        smallest = smaller;
    }
    smallest
}

fn differs(kernel: &Kernel, device: usize) -> bool {
    let rows = run_all(std::slice::from_ref(kernel), &[device]);
    rows.into_iter().any(|(_, _, verdict)| fault(kernel, verdict).is_some())
}

/// The kernel without each statement, and with each expression replaced by one of its parts or by a number.
fn candidates(kernel: &Kernel) -> Vec<Kernel> {
    let mut found = Vec::new();
    for at in 0..kernel.statements.len() {
        let mut smaller = kernel.clone();
        smaller.statements.remove(at);
        found.push(smaller);
    }
    for at in 0..kernel.statements.len() {
        for index in 0..size(&kernel.statements[at]) {
            for which in 0..3 {
                let mut smaller = kernel.clone();
                if shrink(&mut smaller.statements[at], &mut { index }, which) {
                    found.push(smaller);
                }
            }
        }
    }
    found
}

fn size(node: &Node) -> usize {
    1 + node.children().into_iter().map(size).sum::<usize>()
}

/// Replaces the node with this index, counted from the outside, by one of its two parts or by 1. Returns whether it had
/// parts.
fn shrink(node: &mut Node, index: &mut usize, which: usize) -> bool {
    if *index > 0 {
        *index -= 1;
        for child in node.children_mut() {
            let below = size(child);
            if *index < below {
                return shrink(child, index, which);
            }
            *index -= below;
        }
        return false;
    }
    let mut parts: Vec<Node> = node.children().into_iter().cloned().collect();
    if parts.is_empty() {
        return false;
    }
    parts.push(Node::Leaf(3, 1));
    *node = parts.swap_remove(which);
    true
}

//! Gives every loop a single header.
//!
//! A loop that was merged from several has one entry for each of them. Devices let threads reconverge at loop headers,
//! so there must be one header that all threads pass:
//!
//! ```text
//! in front of header 0:  way = 0; goto header              (also from inside the loop)
//! header:                switch (way) { header 0, header 1, ... }
//! ```

use std::collections::HashSet;

use super::path::Path;
use crate::analysis::cycles::cycles;
use crate::llvm::{Block, Builder, Function};

/// Changes a function without phis so that every loop is entered at one block.
pub(super) fn insert_headers(function: Function<'_>) {
    let mut work = vec![function.blocks()];
    while let Some(blocks) = work.pop() {
        for cycle in cycles(&blocks) {
            let inside: HashSet<_> = cycle.iter().copied().collect();
            let entered =
                |b: &Block<'_>| function.blocks().iter().any(|p| !inside.contains(p) && p.successors().contains(b));
            let entries: Vec<_> = cycle.iter().copied().filter(entered).collect();
            if entries.len() > 1 {
                insert_header(function, &entries);
                // The loops within the cycle are examined without the new header.
                work.push(cycle);
            } else {
                work.push(cycle.into_iter().filter(|b| !entries.contains(b)).collect());
            }
        }
    }
}

fn insert_header<'c>(function: Function<'c>, entries: &[Block<'c>]) {
    let path = Path::new(function, entries.len());
    let blocks = function.blocks();
    let header = function.append_block("header");
    for from in blocks {
        let Some(end) = from.terminator() else { continue };
        for (index, to) in end.successors().into_iter().enumerate() {
            let Some(number) = entries.iter().position(|entry| *entry == to) else { continue };
            let edge = function.append_block("to_header");
            path.take(&Builder::at_end(edge), number, header);
            end.set_successor(index as u32, edge);
        }
    }
    let builder = Builder::at_end(header);
    builder.keep_whole();
    path.branch(&builder, entries);
}

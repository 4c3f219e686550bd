//! Gives every loop one header.
//!
//! Loops that were made one are entered where each of them began. Devices bring threads together again at the headers of
//! loops, so there must be one that all come by:
//!
//! ```text
//! in front of header 0:  way = 0; goto header              (also from inside the loop)
//! header:                switch (way) { header 0, header 1, ... }
//! ```

use std::collections::{HashMap, HashSet};

use super::fuse::{go_on, variable, way_type};
use crate::llvm::{Block, Builder, Value};

/// Changes a function without phis so that control enters each loop at one block.
pub(super) fn give_headers(function: Value<'_>) {
    let mut work = vec![function.blocks()];
    while let Some(blocks) = work.pop() {
        for cycle in cycles(&blocks) {
            let inside: HashSet<_> = cycle.iter().copied().collect();
            let entered =
                |b: &Block<'_>| function.blocks().iter().any(|p| !inside.contains(p) && p.successors().contains(b));
            let entries: Vec<_> = cycle.iter().copied().filter(entered).collect();
            if entries.len() > 1 {
                give_header(function, &entries);
                // The new header is no part of what is left to look at.
                work.push(cycle);
            } else {
                work.push(cycle.into_iter().filter(|b| !entries.contains(b)).collect());
            }
        }
    }
}

fn give_header<'c>(function: Value<'c>, entries: &[Block<'c>]) {
    let way = variable(function, way_type(function, entries.len()), "way");
    let blocks = function.blocks();
    let header = function.append_block("header");
    for from in blocks {
        let Some(end) = from.terminator() else { continue };
        for (index, to) in end.successors().into_iter().enumerate() {
            let Some(number) = entries.iter().position(|entry| *entry == to) else { continue };
            let edge = function.append_block("to_header");
            let builder = Builder::at_end(edge);
            let _number = builder.store(way.allocated_type().constant(number as u64), way, 0);
            let _branch = builder.br(header);
            end.set_successor(index as u32, edge);
        }
    }
    let builder = Builder::at_end(header);
    let _whole = builder.keep_whole();
    go_on(&builder, way, entries);
}

/// The strongly connected components that are loops, by Tarjan's algorithm, of the graph that `blocks` span.
fn cycles<'c>(blocks: &[Block<'c>]) -> Vec<Vec<Block<'c>>> {
    let inside: HashSet<_> = blocks.iter().copied().collect();
    let successors =
        |block: Block<'c>| block.successors().into_iter().filter(|b| inside.contains(b)).collect::<Vec<_>>();
    let (mut number, mut low, mut stack, mut found) = (HashMap::new(), HashMap::new(), Vec::new(), Vec::new());
    let mut on_stack = HashSet::new();
    for root in blocks {
        let mut calls = vec![(*root, 0)];
        while let Some((block, next)) = calls.pop() {
            if next == 0 {
                if number.contains_key(&block) {
                    continue;
                }
                let count = number.len();
                let _new = (number.insert(block, count), low.insert(block, count), on_stack.insert(block));
                stack.push(block);
            }
            let all = successors(block);
            if next > 0 && on_stack.contains(&all[next - 1]) {
                let least = low[&block].min(low[&all[next - 1]]);
                let _old = low.insert(block, least);
            }
            if let Some(to) = all.get(next) {
                calls.push((block, next + 1));
                calls.push((*to, 0));
                continue;
            }
            if low[&block] == number[&block] {
                let at = stack.iter().position(|b| *b == block).expect("it was pushed when it was numbered");
                let component = stack.split_off(at);
                component.iter().for_each(|b| {
                    let _there = on_stack.remove(b);
                });
                if component.len() > 1 || all.contains(&block) {
                    found.push(component);
                }
            }
        }
    }
    found
}

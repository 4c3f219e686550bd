//! The order of a function's blocks: the lanes of a warp meet again because those at the lowest place run first.
//!
//! Blocks are in topological order, each loop is in one piece, and the code that follows a loop comes after it. A
//! branch back to a loop's head goes to a block at the loop's end, where lanes wait for those that are still in this
//! round.

use super::code::{Code, NO_STATEMENT, Op};

/// Marks a target that is the number of a label and not yet a place.
pub(super) const LABEL: usize = 1 << 40;

/// A block: its code, and the blocks it may go to.
struct Block {
    code: Vec<Code>,
    next: Vec<usize>,
}

/// Code in its order, with targets that are indices of code.
pub(super) fn arrange(code: Vec<Code>) -> Vec<Code> {
    let blocks = blocks(code);
    let order = order(&blocks);
    place(blocks, &order)
}

fn is_label(code: &Code) -> bool {
    code.statement == NO_STATEMENT
}

fn targets(op: &Op) -> &[usize] {
    match op {
        Op::Branch { target } => std::slice::from_ref(target),
        Op::BranchIndex { targets, .. } => targets,
        _ => &[],
    }
}

/// Whether control never goes on after the operation.
fn ends(code: &Code) -> bool {
    let leaves = matches!(code.op, Op::Branch { .. } | Op::BranchIndex { .. } | Op::Return | Op::Exit | Op::Trap(_));
    leaves && code.guard.is_none()
}

/// Splits code at labels and after branches; targets become numbers of blocks.
fn blocks(code: Vec<Code>) -> Vec<Block> {
    let mut labels = std::collections::HashMap::new();
    let mut blocks = vec![Block { code: Vec::new(), next: Vec::new() }];
    for one in code {
        if is_label(&one) {
            if let Op::Branch { target } = one.op {
                blocks.push(Block { code: Vec::new(), next: Vec::new() });
                labels.insert(target, blocks.len() - 1);
            }
            continue;
        }
        let splits = !targets(&one.op).is_empty() || ends(&one);
        if let Some(last) = blocks.last_mut() {
            last.code.push(one);
        }
        if splits {
            blocks.push(Block { code: Vec::new(), next: Vec::new() });
        }
    }
    let resolve = |target: &mut usize| *target = labels.get(target).copied().unwrap_or(0);
    for (number, block) in blocks.iter_mut().enumerate() {
        let Some(last) = block.code.last_mut() else {
            block.next = vec![number + 1];
            continue;
        };
        match &mut last.op {
            Op::Branch { target } => resolve(target),
            Op::BranchIndex { targets, .. } => targets.iter_mut().for_each(resolve),
            _ => {}
        }
        block.next = targets(&last.op).to_vec();
        if !ends(last) {
            block.next.push(number + 1);
        }
    }
    let count = blocks.len();
    blocks.iter_mut().for_each(|block| block.next.retain(|next| *next < count));
    blocks
}

/// A block in the order, or the end of the loop that begins with a block.
#[derive(Clone, Copy, PartialEq)]
enum Placed {
    Block(usize),
    NextRound(usize),
}

fn order(blocks: &[Block]) -> Vec<Placed> {
    let mut order = Vec::new();
    let mut inside = vec![false; blocks.len()];
    for number in reachable(blocks) {
        inside[number] = true;
    }
    components_in_order(blocks, &mut inside, 0, &mut order);
    order
}

fn reachable(blocks: &[Block]) -> Vec<usize> {
    let mut seen = vec![false; blocks.len()];
    let (mut open, mut found) = (vec![0], Vec::new());
    while let Some(number) = open.pop() {
        if !std::mem::replace(&mut seen[number], true) {
            found.push(number);
            open.extend(&blocks[number].next);
        }
    }
    found
}

/// Puts the blocks that are `inside` in order: strongly connected components topologically, and within each the entry
/// first, then the rest without the edges back to it.
fn components_in_order(blocks: &[Block], inside: &mut [bool], start: usize, order: &mut Vec<Placed>) {
    for component in components(blocks, inside, start) {
        let [only] = component[..] else {
            // The block of the component that the search came to first is the head of the loop.
            let head = component[component.len() - 1];
            order.push(Placed::Block(head));
            let mut within = vec![false; blocks.len()];
            component.iter().filter(|number| **number != head).for_each(|number| within[*number] = true);
            components_in_order(blocks, &mut within, head, order);
            order.push(Placed::NextRound(head));
            continue;
        };
        order.push(Placed::Block(only));
        if blocks[only].next.contains(&only) {
            order.push(Placed::NextRound(only));
        }
    }
}

/// Strongly connected components (Tarjan) in topological order. Each lists its blocks in the order in which the search
/// left them, so its entry is last. `start` is where the search begins, also if it is itself not inside.
fn components(blocks: &[Block], inside: &[bool], start: usize) -> Vec<Vec<usize>> {
    const UNSEEN: usize = usize::MAX;
    let mut state = Tarjan { number: vec![UNSEEN; blocks.len()], low: vec![0; blocks.len()], ..Tarjan::default() };
    let first = if inside[start] { vec![start] } else { blocks[start].next.clone() };
    let rest = (0..blocks.len()).filter(|number| inside[*number]);
    for root in first.into_iter().filter(|number| inside[*number]).chain(rest) {
        if state.number[root] == UNSEEN {
            state.search(blocks, inside, root);
        }
    }
    state.found.reverse();
    state.found
}

#[derive(Default)]
struct Tarjan {
    number: Vec<usize>,
    low: Vec<usize>,
    stack: Vec<usize>,
    is_open: Vec<bool>,
    count: usize,
    found: Vec<Vec<usize>>,
}

impl Tarjan {
    fn enter(&mut self, block: usize) {
        self.is_open.resize(self.number.len(), false);
        self.number[block] = self.count;
        self.low[block] = self.count;
        self.count += 1;
        self.stack.push(block);
        self.is_open[block] = true;
    }

    /// A search without recursion: functions have thousands of blocks.
    fn search(&mut self, blocks: &[Block], inside: &[bool], root: usize) {
        self.enter(root);
        let mut path = vec![(root, 0)];
        while let Some((block, next)) = path.last_mut() {
            let block = *block;
            match blocks[block].next.get(*next) {
                Some(&target) => {
                    *next += 1;
                    if !inside[target] {
                        continue;
                    }
                    if self.number[target] == usize::MAX {
                        self.enter(target);
                        path.push((target, 0));
                    } else if self.is_open[target] {
                        self.low[block] = self.low[block].min(self.number[target]);
                    }
                }
                None => {
                    path.pop();
                    if let Some((parent, _)) = path.last() {
                        self.low[*parent] = self.low[*parent].min(self.low[block]);
                    }
                    self.close(block);
                }
            }
        }
    }

    fn close(&mut self, block: usize) {
        if self.low[block] != self.number[block] {
            return;
        }
        let mut component = Vec::new();
        while let Some(last) = self.stack.pop() {
            self.is_open[last] = false;
            component.push(last);
            if last == block {
                break;
            }
        }
        self.found.push(component);
    }
}

/// Puts blocks one after the other, with branches where the next block is another.
fn place(mut blocks: Vec<Block>, order: &[Placed]) -> Vec<Code> {
    let falls: Vec<Option<usize>> = blocks.iter().enumerate().map(|(number, block)| falls_to(block, number)).collect();
    let position: std::collections::HashMap<usize, usize> =
        order.iter().enumerate().filter_map(|(at, placed)| block_of(*placed).map(|block| (block, at))).collect();
    let round_of: std::collections::HashMap<usize, usize> =
        order.iter().enumerate().filter_map(|(at, placed)| head_of(*placed).map(|head| (head, at))).collect();
    let (mut code, mut begins) = (Vec::new(), vec![0; order.len()]);
    for (at, placed) in order.iter().enumerate() {
        begins[at] = code.len();
        match *placed {
            Placed::NextRound(head) => code.push(plain(Op::NextRound { target: position[&head] })),
            Placed::Block(number) => {
                let mut own = std::mem::take(&mut blocks[number].code);
                if let Some(next) = falls[number].filter(|next| position[next] != at + 1) {
                    own.push(plain(Op::Branch { target: next }));
                }
                // Back to a head: by the end of its loop. `position` is where this block is.
                let towards = |target: &mut usize| {
                    let is_back = position[target] <= at;
                    *target = if is_back {
                        round_of.get(target).copied().unwrap_or(position[target])
                    } else {
                        position[target]
                    };
                };
                own.iter_mut().for_each(|one| match &mut one.op {
                    Op::Branch { target } => towards(target),
                    Op::BranchIndex { targets, .. } => targets.iter_mut().for_each(towards),
                    _ => {}
                });
                code.extend(own);
            }
        }
    }
    code.iter_mut().for_each(|one| match &mut one.op {
        Op::Branch { target } | Op::NextRound { target } => *target = begins[*target],
        Op::BranchIndex { targets, .. } => targets.iter_mut().for_each(|target| *target = begins[*target]),
        _ => {}
    });
    code
}

fn plain(op: Op) -> Code {
    Code { guard: None, op, statement: NO_STATEMENT, place: (0, 0) }
}

fn falls_to(block: &Block, number: usize) -> Option<usize> {
    let falls = block.code.last().is_none_or(|last| !ends(last));
    falls.then_some(number + 1)
}

fn block_of(placed: Placed) -> Option<usize> {
    match placed {
        Placed::Block(block) => Some(block),
        Placed::NextRound(_) => None,
    }
}

fn head_of(placed: Placed) -> Option<usize> {
    match placed {
        Placed::NextRound(head) => Some(head),
        Placed::Block(_) => None,
    }
}

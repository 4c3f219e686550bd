//! Merges the nodes of each class into one place in the code.
//!
//! ```text
//! member 0:              way = 0; goto one                 (each member: its own number)
//! one, of barriers:      barrier();                    (and empty assembly, which lists the merged ones)
//!                        or result = exchange(argument), both in memory
//!                        switch (way) { after member 0, after member 1, ... }
//! one, of choices:       if (condition) goto yes; else goto no;
//! yes (no is alike):     switch (way) { where member 0 goes, where member 1 goes, ... }
//! ```
//!
//! Values that are live across blocks are in memory while the control flow changes. A pass of LLVM promotes them to
//! registers afterwards.

use super::graph::{Choice, Graph, Node, NodeId};
use super::lockstep::Lockstep;
use super::loops::insert_headers;
use super::path::{Path, variable};
use crate::llvm::{Block, Builder, Function, Opcode, Value};

/// Merges the nodes of each class with several.
pub(super) fn fuse<'c>(function: Function<'c>, lockstep: &Lockstep<'c>) {
    let shared = lockstep.classes.shared();
    if shared.is_empty() {
        return;
    }
    demote(function);
    for members in &shared {
        fuse_class(function, &lockstep.graph, members);
    }
    // Each of the merged loops was entered at its own header.
    insert_headers(function);
}

/// Demotes each value that is used in another block than the one that computes it.
fn demote(function: Function<'_>) {
    let elsewhere = |value: &Value<'_>| {
        let block = value.block();
        value.users().into_iter().any(|user| user.block() != block || user.is(Opcode::Phi))
    };
    let wanted = |i: &Value<'_>| !i.is(Opcode::Alloca) && elsewhere(i);
    for value in function.instructions().filter(wanted).collect::<Vec<_>>() {
        value.demote_to_stack();
    }
    for phi in function.instructions().filter(|i| i.is(Opcode::Phi)).collect::<Vec<_>>() {
        phi.demote_phi();
    }
}

fn fuse_class<'c>(function: Function<'c>, graph: &Graph<'c>, members: &[NodeId]) {
    let (mut barriers, mut choices) = (Vec::new(), Vec::new());
    for node in members {
        match graph.node(*node) {
            Node::Barrier(call) => barriers.push(*call),
            Node::Choice(choice) => choices.push(choice),
            Node::Start | Node::End | Node::Never => {}
        }
    }
    if choices.is_empty() {
        fuse_barriers(function, &barriers);
    } else {
        fuse_choices(function, &choices);
    }
}

fn fuse_barriers<'c>(function: Function<'c>, barriers: &[Value<'c>]) {
    let one = function.append_block("barrier");
    let builder = Builder::at_end(one);
    let path = Path::new(function, barriers.len());
    let (first, rest) = barriers.split_first().expect("a class has members");
    let alike = |index: usize| barriers.iter().all(|b| b.operand(index as u32) == first.operand(index as u32));
    // Some operands of intrinsics must remain constants.
    let variables = first.arguments().into_iter().enumerate().filter(|(index, a)| !(a.is_constant() && alike(*index)));
    let variables: Vec<_> =
        variables.map(|(index, a)| (index as u32, variable(function, a.ty(), "argument"))).collect();
    let mut after = Vec::new();
    for (number, barrier) in barriers.iter().enumerate() {
        for (index, variable) in &variables {
            Builder::before(*barrier).store(barrier.operand(*index), *variable, 0);
        }
        after.push(take_result(function, *barrier));
        replace_end(barrier.block(), path, number, one);
    }
    first.move_to(&builder);
    builder.locate_as(*first);
    for (index, variable) in variables {
        let value = Builder::before(*first).load(variable.allocated_type(), variable, 0, "argument");
        first.set_operand(index, value);
    }
    for barrier in rest {
        barrier.replace_all_uses_with(*first);
        barrier.erase();
    }
    builder.keep_whole();
    path.branch(&builder, &after);
}

/// The block after a member. Before it, the result of the merged call is copied to where the member's result is stored.
fn take_result<'c>(function: Function<'c>, barrier: Value<'c>) -> Block<'c> {
    let after = barrier.block().successors()[0];
    let kept = barrier.users();
    if kept.is_empty() {
        return after;
    }
    let block = function.append_block("result");
    let builder = Builder::at_end(block);
    kept.into_iter().for_each(|store| store.move_to(&builder));
    builder.br(after);
    block
}

fn fuse_choices<'c>(function: Function<'c>, choices: &[&Choice<'c>]) {
    let one = function.append_block("choice");
    let builder = Builder::at_end(one);
    builder.locate_as(choices[0].branch);
    let path = Path::new(function, choices.len());
    let ty = canonical_condition(choices[0]).ty();
    let condition = variable(function, ty, "condition");
    for (number, choice) in choices.iter().enumerate() {
        let value = canonical_condition(choice);
        Builder::before(choice.branch).store(value, condition, 0);
        replace_end(choice.branch.block(), path, number, one);
    }
    // Otherwise LLVM would duplicate the branch for each member.
    builder.keep_whole();
    let condition = builder.load(ty, condition, 0, "condition");
    let mut targets = Vec::new();
    for (outcome, (key, _)) in choices[0].outcomes.iter().enumerate() {
        let block = function.append_block("outcome");
        let to: Vec<_> = choices.iter().map(|choice| choice.outcomes[outcome].1).collect();
        path.branch(&Builder::at_end(block), &to);
        targets.push((*key, block));
    }
    match targets[..] {
        [(Some(_), yes), (Some(_), no)] => {
            builder.cond_br(condition, yes, no);
        }
        _ => {
            let constant = |key: &Option<u64>| key.map(|key| ty.constant(key));
            let cases: Vec<_> = targets.iter().filter_map(|(key, to)| Some((constant(key)?, *to))).collect();
            builder.switch(condition, targets[0].1, &cases);
        }
    }
}

/// The condition in the canonical form of its class.
fn canonical_condition<'c>(choice: &Choice<'c>) -> Value<'c> {
    let condition = choice.branch.condition().expect("a choice has a condition");
    if !choice.negated {
        return condition;
    }
    let opposite = condition.ty().constant(1);
    Builder::before(choice.branch).binary(Opcode::Xor, condition, opposite, "")
}

/// Ends a member's block with a branch to the merged place.
fn replace_end<'c>(block: Block<'c>, path: Path<'c>, number: usize, one: Block<'c>) {
    let end = block.terminator().expect("a member's block has an end");
    path.take(&Builder::before(end), number, one);
    end.erase();
}

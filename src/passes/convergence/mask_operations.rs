//! Adds masks to cross-lane operations, for devices with independent thread scheduling, whose operations wait for the
//! lanes in their mask. The mask contains the lanes that execute the operation together.
//!
//! `analysis/lane_groups.rs` determines these lanes, and where ballots compute them. Example:
//!
//! ```c
//! if (lane < 8)                          m = ballot_sync(~0, lane < 8);
//!   r = any(c);                  =>      if (lane < 8)
//! ...                                      r = any_sync(m, c);
//! ```
//!
//! An operation that all lanes of the warp execute is not changed. A mask may contain lanes that have returned. Only
//! the operations of kernels are analysed. Operations that could not be inlined into a kernel, and operations in
//! irreducible loops, get the mask of the active lanes.

use std::collections::HashMap;

use crate::analysis::divergence::{Divergence, divergence_sources};
use crate::analysis::lane_groups::{At, Ballot, Group, LaneGroups, Vote};
use crate::contract::builtin::{BUILTINS, Builtin, LaneOperation, Participants};
use crate::contract::kernel::KernelSet;
use crate::error::{Error, Result};
use crate::llvm::{Block, Builder, Function, Module, Opcode, Type, Value};

/// Which operations get which masks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Masks {
    /// Operations that only some lanes may execute: the lanes that take part, computed by ballots.
    Ballots,
    /// Operations that only some lanes may execute: the active lanes, which a device with one program counter per warp
    /// has in a register.
    Active,
    /// All operations: the lanes that take part, computed by ballots. A warp that synchronises only by these masks then
    /// behaves like a warp that reconverges where control flow joins. The tests run both on the CPU.
    Everywhere,
}

/// Adds masks to operations without one. `is_source` decides by the name of an intrinsic whether its result may differ
/// between threads.
pub fn mask_operations(
    module: &Module<'_>,
    kernels: &KernelSet,
    masks: Masks,
    is_source: impl Fn(&str) -> bool,
) -> Result<()> {
    if !BUILTINS.iter().any(|b| has_no_mask(b) && module.function(b.name).is_some_and(|f| f.is_used())) {
        return Ok(());
    }
    let mut sources = divergence_sources(module);
    let intrinsics = module.functions().into_iter().filter(|f| f.is_intrinsic() && is_source(&f.name()));
    sources.extend(intrinsics.map(Value::from));
    let mut changed = false;
    for function in module.definitions() {
        let operations: Vec<_> = function.instructions().filter(|i| operation(*i).is_some()).collect();
        if operations.is_empty() {
            continue;
        }
        let (allocas, rounds, starts) = (HashMap::new(), HashMap::new(), HashMap::new());
        let mut names = Names { module, masks, allocas, rounds, starts };
        if kernels.has_name(&function.name()) {
            let divergence = Divergence::of(module, function, &sources);
            changed |= names.name(function, &operations, LaneGroups::of(function, &divergence))?;
        } else {
            operations.into_iter().for_each(|operation| names.mask(operation, Group::Unknown));
        }
    }
    if changed { module.run_neutral_passes("function(mem2reg)") } else { Ok(()) }
}

fn has_no_mask(builtin: &Builtin) -> bool {
    builtin.lane_operation().is_some_and(|operation| !operation.is_masked())
}

/// The operation without a mask that an instruction calls.
fn operation(instruction: Value<'_>) -> Option<LaneOperation> {
    let builtin = Builtin::called_by(instruction)?;
    builtin.lane_operation().filter(|operation| !operation.is_masked())
}

fn vote_of<'c>(builder: &Builder<'c>, vote: Vote, condition: Option<Value<'c>>, bool: Type<'c>) -> Value<'c> {
    match (vote, condition) {
        (Vote::Condition(true), Some(condition)) => condition,
        (Vote::Condition(false), Some(condition)) => builder.binary(Opcode::Xor, condition, bool.constant(1), ""),
        (vote, _) => bool.constant(u64::from(vote == Vote::Is(true))),
    }
}

/// The masks of one function while they are being created.
struct Names<'m, 'c> {
    module: &'m Module<'c>,
    masks: Masks,
    /// The alloca of each ballot's result.
    allocas: HashMap<Ballot, Value<'c>>,
    /// The alloca with the mask of each loop's current iteration, by the number of its frame.
    rounds: HashMap<usize, Value<'c>>,
    /// For a block that was inserted on an edge, the block where the edge starts.
    starts: HashMap<Block<'c>, Block<'c>>,
}

impl<'c> Names<'_, 'c> {
    /// Returns whether ballots were inserted.
    fn name(&mut self, kernel: Function<'c>, operations: &[Value<'c>], mut groups: LaneGroups<'c>) -> Result<bool> {
        let found: Vec<_> = operations.iter().map(|call| (*call, groups.group(call.block()))).collect();
        let votes = if self.masks == Masks::Active { Vec::new() } else { groups.votes() };
        if !votes.is_empty() {
            self.reserve(kernel, &groups);
            self.vote(&votes, &mut groups)?;
            groups.iterations().into_iter().for_each(|(frame, header)| self.go_round(frame, header, &mut groups));
        }
        for (operation, group) in found {
            if group != Group::All || self.masks == Masks::Everywhere {
                self.mask(operation, group);
            }
        }
        Ok(!votes.is_empty())
    }

    fn reserve(&mut self, kernel: Function<'c>, groups: &LaneGroups<'c>) {
        let builder = Builder::at_start(kernel.blocks()[0]);
        let i64 = self.module.types().i64();
        let ballots = groups.ballots().into_iter().map(|ballot| (ballot, builder.alloca(i64, "lanes")));
        self.allocas = ballots.collect();
        let iterations = groups.iterations().into_iter().map(|(frame, _)| (frame, builder.alloca(i64, "round")));
        self.rounds = iterations.collect();
    }

    fn vote(&mut self, votes: &[(At<'c>, Ballot, Vote)], groups: &mut LaneGroups<'c>) -> Result<()> {
        let mut edges: HashMap<(Block<'c>, Block<'c>), Block<'c>> = HashMap::new();
        for (at, ballot, vote) in votes {
            let block = match at {
                At::End(block) => *block,
                At::Edge(from, to) => match edges.get(&(*from, *to)) {
                    Some(edge) => *edge,
                    None => {
                        let edge = self.split(*from, *to)?;
                        edges.insert((*from, *to), edge);
                        edge
                    }
                },
            };
            let end = block.terminator().expect("the block has successors");
            let builder = Builder::before(end);
            let vote = vote_of(&builder, *vote, end.condition(), self.module.types().i1());
            let voters = self.lanes(&builder, groups.voters(*ballot));
            let lanes = self.ballot(&builder, voters, vote);
            builder.store(lanes, self.allocas[ballot], 0);
        }
        Ok(())
    }

    fn split(&mut self, from: Block<'c>, to: Block<'c>) -> Result<Block<'c>> {
        let edge = to.split_predecessors(&[from]);
        let edge = edge.ok_or_else(|| Error::new("a computed goto leads to or around a cross-lane operation"))?;
        self.starts.insert(edge, from);
        Ok(edge)
    }

    /// Updates the mask of a loop: the lanes that enter it, then in each iteration the lanes that take the back edge.
    fn go_round(&self, frame: usize, header: Block<'c>, groups: &mut LaneGroups<'c>) {
        let builder = Builder::at_start(header);
        let i64 = self.module.types().i64();
        let [enter, back] = groups.entering(frame);
        let mut incoming = Vec::new();
        for from in header.function().blocks() {
            let ways = from.successors().into_iter().filter(|to| *to == header).count();
            if ways > 0 {
                let before = Builder::before(from.terminator().expect("it has successors"));
                let starts = self.starts.get(&from).copied().unwrap_or(from);
                let lanes = self.lanes(&before, if groups.is_inside(frame, starts) { back } else { enter });
                incoming.extend(std::iter::repeat_n((lanes, from), ways));
            }
        }
        let lanes = builder.phi(i64, "round");
        incoming.into_iter().for_each(|(value, from)| lanes.add_incoming(value, from));
        builder.store(lanes, self.rounds[&frame], 0);
    }

    /// The mask of a group.
    fn lanes(&self, builder: &Builder<'c>, group: Group) -> Value<'c> {
        let i64 = self.module.types().i64();
        match group {
            Group::All => i64.constant(u64::MAX),
            Group::Voted(ballot) if self.masks != Masks::Active => builder.load(i64, self.allocas[&ballot], 0, "lanes"),
            Group::Iteration(frame) if self.masks != Masks::Active => {
                builder.load(i64, self.rounds[&frame], 0, "lanes")
            }
            _ => self.call(builder, LaneOperation::ActiveMask, &[]),
        }
    }

    fn ballot(&self, builder: &Builder<'c>, mask: Value<'c>, vote: Value<'c>) -> Value<'c> {
        self.call(builder, LaneOperation::Ballot(Participants::Masked), &[mask, vote])
    }

    /// Replaces an operation without a mask by one with a mask.
    fn mask(&self, call: Value<'c>, group: Group) {
        let builder = Builder::before(call);
        let measured = matches!(group, Group::Unknown) || self.masks == Masks::Active;
        let masked = operation(call).and_then(LaneOperation::masked);
        if masked.is_none() && measured && group != Group::All {
            return;
        }
        let lanes = self.lanes(&builder, group);
        let result = match masked {
            Some(masked) => self.call(&builder, masked, &[&[lanes], &call.arguments()[..]].concat()),
            // The lanes that reach an active mask together are those that vote for it.
            None => self.ballot(&builder, lanes, lanes.types().i1().constant(1)),
        };
        call.replace_all_uses_with(result);
        call.erase();
    }

    fn call(&self, builder: &Builder<'c>, operation: LaneOperation, arguments: &[Value<'c>]) -> Value<'c> {
        let builtin = operation.builtin();
        let function = self.module.declare(builtin.name, builtin.function_type(self.module));
        let call = builder.call(function, arguments, "");
        call.mark("convergent");
        call
    }
}

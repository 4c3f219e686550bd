//! Gives operations between lanes the mask of the lanes that come to them together, for devices whose lanes go their own ways
//! and whose operations wait for the lanes that they name.
//!
//! `analysis/lane_groups.rs` says which lanes these are and where they find out, by ballots. Example:
//!
//! ```c
//! if (lane < 8)                          m = ballot_sync(~0, lane < 8);
//!   r = any(c);                  =>      if (lane < 8)
//! ...                                      r = any_sync(m, c);
//! ```
//!
//! An operation stays as it is where all lanes of the warp come to it. The masks may name lanes that have returned. Only a
//! kernel's operations are looked at; what could not be inlined into one gets the lanes that are there as the device sees it,
//! and so does what stands in a loop that control enters at several blocks.

use std::collections::HashMap;

use crate::analysis::divergence::{Divergence, divergence_sources};
use crate::analysis::lane_groups::{At, Ballot, Group, LaneGroups, Vote};
use crate::contract::builtin::{ACTIVE_MASK, BALLOT, BUILTINS, Builtin};
use crate::contract::kernel::KernelSet;
use crate::error::{Error, Result};
use crate::llvm::{Attribute, Block, Builder, Module, Opcode, Ordering, Place, Type, Value};

/// What stands behind the name of an operation with a mask.
const SYNC: &str = "_sync";

/// The attribute of a kernel all of whose masks may name lanes that have returned.
pub const NAMES_RETURNED: &str = "offload-masks-name-returned-lanes";

/// Which operations get which masks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Masks {
    /// Where some lanes may be elsewhere, those that tell each other that they come.
    Ballots,
    /// Where some lanes may be elsewhere, those that are there as a device with one program counter per warp sees it.
    Active,
    /// The ballots' masks for all operations, also where all lanes of the warp come: a warp whose lanes wait for nothing but
    /// these masks does what one does whose lanes wait where control flow meets. The tests run both on the CPU.
    Everywhere,
}

/// Gives operations without a mask theirs. `is_source` says of an intrinsic's name whether its value may differ between
/// threads.
pub fn mask_operations(
    module: &Module<'_>,
    kernels: &KernelSet,
    masks: Masks,
    is_source: impl Fn(&str) -> bool,
) -> Result<()> {
    if !BUILTINS.iter().any(|b| has_no_mask(b) && module.function(b.name).is_some_and(Value::is_used)) {
        return Ok(());
    }
    let mut sources = divergence_sources(module);
    sources.extend(module.functions().into_iter().filter(|f| f.is_intrinsic() && is_source(&f.name())));
    // Other threads may have written between the loads of two lanes.
    let is_shared = |i: &Value<'_>| i.is(Opcode::Load) && (i.is_volatile() || i.ordering() != Ordering::NotAtomic);
    sources.extend(module.functions().into_iter().flat_map(|f| f.instructions()).filter(is_shared));
    let mut changed = false;
    for function in module.functions().into_iter().filter(|f| !f.is_declaration()) {
        let operations: Vec<_> = function.instructions().filter(|i| is_operation(*i)).collect();
        if operations.is_empty() {
            continue;
        }
        let (allocas, rounds, starts) = (HashMap::new(), HashMap::new(), HashMap::new());
        let mut names = Names { module, masks, allocas, rounds, starts };
        if kernels.iter().any(|kernel| kernel.name == function.name()) {
            let divergence = Divergence::of(function, &sources);
            changed |= names.name(function, &operations, LaneGroups::of(function, &divergence))?;
        } else {
            operations.into_iter().for_each(|operation| names.mask(operation, Group::Unknown));
        }
    }
    if changed { module.run_neutral_passes("function(mem2reg)") } else { Ok(()) }
}

fn has_no_mask(builtin: &Builtin) -> bool {
    builtin.convergent && !builtin.barrier && !builtin.masked
}

fn is_operation(instruction: Value<'_>) -> bool {
    instruction.called_function().and_then(|f| Builtin::named(&f.name())).is_some_and(has_no_mask)
}

fn vote_of<'c>(builder: &Builder<'c>, vote: Vote, condition: Option<Value<'c>>, bool: Type<'c>) -> Value<'c> {
    match (vote, condition) {
        (Vote::Condition(true), Some(condition)) => condition,
        (Vote::Condition(false), Some(condition)) => builder.binary(Opcode::Xor, condition, bool.constant(1), ""),
        (vote, _) => bool.constant(u64::from(vote == Vote::Is(true))),
    }
}

/// The masks of one function while they are made.
struct Names<'m, 'c> {
    module: &'m Module<'c>,
    masks: Masks,
    /// Where each ballot's result is.
    allocas: HashMap<Ballot, Value<'c>>,
    /// Where the mask of each loop's iteration is, by the number of its frame.
    rounds: HashMap<usize, Value<'c>>,
    /// Where the edge starts that a block was put on.
    starts: HashMap<Block<'c>, Block<'c>>,
}

impl<'c> Names<'_, 'c> {
    /// Says whether there are ballots now.
    fn name(&mut self, kernel: Value<'c>, operations: &[Value<'c>], mut groups: LaneGroups<'c>) -> Result<bool> {
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
        if self.masks == Masks::Everywhere {
            kernel.add_attribute(Place::Function, &Attribute::Text(NAMES_RETURNED.to_owned(), String::new()));
        }
        Ok(!votes.is_empty())
    }

    fn reserve(&mut self, kernel: Value<'c>, groups: &LaneGroups<'c>) {
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

    /// Gives a loop's next iteration the lanes that go back to its header, and its first one those that enter it.
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
            _ => self.call(builder, ACTIVE_MASK, &[]),
        }
    }

    fn ballot(&self, builder: &Builder<'c>, mask: Value<'c>, vote: Value<'c>) -> Value<'c> {
        self.call(builder, &format!("{BALLOT}{SYNC}"), &[mask, vote])
    }

    /// Puts an operation with a mask in the place of one without.
    fn mask(&self, operation: Value<'c>, group: Group) {
        let name = operation.called_function().map(Value::name).unwrap_or_default();
        let builder = Builder::before(operation);
        let measured = matches!(group, Group::Unknown) || self.masks == Masks::Active;
        if name == ACTIVE_MASK && measured && group != Group::All {
            return;
        }
        let lanes = self.lanes(&builder, group);
        let result = if name == ACTIVE_MASK {
            self.ballot(&builder, lanes, lanes.types().i1().constant(1))
        } else {
            self.call(&builder, &format!("{name}{SYNC}"), &[&[lanes], &operation.arguments()[..]].concat())
        };
        operation.replace_all_uses_with(result);
        operation.erase();
    }

    fn call(&self, builder: &Builder<'c>, name: &str, arguments: &[Value<'c>]) -> Value<'c> {
        let builtin = Builtin::named(name).expect("each operation of lanes has one with a mask");
        let call = builder.call(self.module.declare(name, builtin.function_type(self.module)), arguments, "");
        call.mark("convergent");
        call
    }
}

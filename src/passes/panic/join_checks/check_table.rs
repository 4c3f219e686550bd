//! A constant table of a kernel's bounds checks, which the code of failed checks reads.
//!
//! The length of most slices is in the bytes of the kernel's arguments. Code that finds the failed check and its length
//! would need five instructions for each check. A row of a table needs none:
//!
//! ```c
//! static const uint32_t checks[][3] = {{8, 0, 1}, {24, 0, 2}};      // offset of the length, distance, panic
//! failed:                                                           // reached with the number of the first check
//!   do {
//!     length = *(uint64_t *)(arguments + checks[row].offset);
//!     index = first_index + checks[row++].distance;
//!   } while (index < length);
//!   goto panic;
//! ```
//!
//! Before: panics of a function share a block (`merge_panics.rs`), whose phis have the number of the place, the index
//! and the length. After: the panics of the checks in the table share one edge to this block.

use std::collections::HashMap;

use super::{Check, forwards};
use crate::contract::kernel::{Kernel, ParameterKind};
use crate::llvm::{Block, Builder, Function, IntPredicate, Linkage, Module, Opcode, Type, Value};

/// The bytes of a field.
const FIELD: u64 = 4;
/// The bytes of a length, and their alignment.
const LENGTH: u32 = 8;

/// The rows of a function's checks.
pub(super) struct CheckTable<'c> {
    /// The number and the first index of each row, by the block that leads to the table's code.
    rows: HashMap<Block<'c>, (usize, Value<'c>)>,
}

impl<'c> CheckTable<'c> {
    /// Makes a table of checks if they are in kernels, and lets their panics lead to its code. It pays if at least
    /// `saved` checks need no separate code: those that compare the same index as the check before them.
    pub(super) fn of(
        module: &Module<'c>,
        function: Function<'c>,
        kernels: &[Kernel],
        chains: &mut [Vec<Check<'c>>],
        saved: usize,
    ) -> Option<Self> {
        let lengths = Lengths::of(function, kernels.iter().find(|kernel| kernel.name == function.name())?);
        let mut draft: Option<Draft<'c>> = None;
        for (at, check) in chains.iter().flatten().enumerate() {
            let Some((bounds, edge)) = lengths.bounds(*check).zip(Edge::of(*check)) else { continue };
            match &mut draft {
                Some(draft) => draft.add(at, bounds, &edge),
                None => draft = Draft::new(at, bounds, &edge),
            }
        }
        let draft = draft.filter(|draft| draft.saved() >= saved)?;
        Some(draft.build(module, function, chains.iter_mut().flatten().collect()))
    }

    /// Whether the code that looks at the row of one panic continues with that of another.
    pub(super) fn continues(&self, panic: Block<'c>, next: Block<'c>) -> bool {
        let rows = self.rows.get(&panic).zip(self.rows.get(&next));
        rows.is_some_and(|((row, first), (other, same))| row + 1 == *other && first == same)
    }
}

/// The index and the length of a check.
#[derive(Clone, Copy)]
struct Bounds<'c> {
    /// The block of the check.
    check: Block<'c>,
    index: Value<'c>,
    length: Value<'c>,
    /// The index is this value...
    first: Value<'c>,
    /// ...and this distance.
    distance: u32,
    /// Where the length is in the bytes of the arguments.
    offset: u32,
    arguments: Value<'c>,
}

/// The lengths that are in the bytes of a kernel's arguments.
struct Lengths<'c> {
    /// By the instruction that loads them: the parameter and the offset.
    loads: HashMap<Value<'c>, (Value<'c>, u32)>,
}

impl<'c> Lengths<'c> {
    fn of(function: Function<'c>, kernel: &Kernel) -> Self {
        let mut loads = HashMap::new();
        for (at, parameter) in function.parameters().into_iter().enumerate() {
            let Some(row) = kernel.parameters.get(at) else { continue };
            let is_in_memory = row.kind == ParameterKind::Block || function.byval_type(at as u32).is_some();
            if !is_in_memory || !row.align.is_multiple_of(LENGTH) {
                continue;
            }
            let mut own = Vec::new();
            if only_loaded(parameter, 0, &mut own) {
                loads.extend(own.into_iter().map(|(load, offset)| (load, (parameter, offset))));
            }
        }
        Lengths { loads }
    }

    /// The index and the length that a check compares, if the thread panics unless the index is below a length among
    /// the arguments.
    fn bounds(&self, check: Check<'c>) -> Option<Bounds<'c>> {
        let compared = check.condition;
        if !compared.is(Opcode::ICmp) {
            return None;
        }
        let [left, right] = [compared.operand(0), compared.operand(1)];
        let (index, length) = match (compared.icmp_predicate(), check.is_positive) {
            (IntPredicate::Ult, true) | (IntPredicate::Uge, false) => (left, right),
            (IntPredicate::Ugt, true) | (IntPredicate::Ule, false) => (right, left),
            _ => return None,
        };
        let (arguments, offset) = self.loads.get(&length).copied().filter(|_| index.ty().int_width() == Some(64))?;
        let distance = index.is(Opcode::Add).then(|| index.operand(1).as_u64()).flatten();
        let (first, distance) = match distance.and_then(|distance| i32::try_from(distance.cast_signed()).ok()) {
            Some(distance) => (index.operand(0), distance.cast_unsigned()),
            None => (index, 0),
        };
        Some(Bounds { check: check.block, index, length, first, distance, offset, arguments })
    }
}

/// Whether a pointer is only used for loads at constant offsets. They are added to `loads`.
fn only_loaded<'c>(pointer: Value<'c>, offset: u32, loads: &mut Vec<(Value<'c>, u32)>) -> bool {
    pointer.users().into_iter().all(|user| match user.opcode() {
        Opcode::Load if !user.is_volatile() && !user.is_atomic() => {
            if user.ty().int_width() == Some(64) && offset.is_multiple_of(LENGTH) {
                loads.push((user, offset));
            }
            true
        }
        Opcode::GetElementPtr if user.gep_source_type().int_width() == Some(8) => {
            let further = user.operand(1).as_u64().and_then(|bytes| u32::try_from(bytes).ok());
            let offset = further.and_then(|bytes| offset.checked_add(bytes));
            offset.is_some_and(|offset| user.operand_count() == 2 && only_loaded(user, offset, loads))
        }
        _ => false,
    })
}

/// The edge to the block of a function's panics.
struct Edge<'c> {
    /// The block, and its predecessor.
    panics: Block<'c>,
    from: Block<'c>,
    /// The values of the block's phis.
    values: Vec<Value<'c>>,
}

impl<'c> Edge<'c> {
    fn of(check: Check<'c>) -> Option<Self> {
        let (panics, from) = forwards(check.panic).map_or((check.panic, check.block), |end| (end, check.panic));
        let value = |phi: Value<'c>| phi.incoming().into_iter().find(|(_, block)| *block == from).map(|(v, _)| v);
        let values: Vec<_> = phis(panics).into_iter().map(value).collect::<Option<_>>()?;
        (!values.is_empty()).then_some(Edge { panics, from, values })
    }
}

fn phis(block: Block<'_>) -> Vec<Value<'_>> {
    block.instructions().take_while(|i| i.is(Opcode::Phi)).collect()
}

/// The meaning of a phi of the panics' block in all rows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Meaning<'c> {
    Same(Value<'c>),
    Index,
    Length,
    /// A number that is a field of the row.
    Field,
}

impl<'c> Meaning<'c> {
    fn fits(self, value: Value<'c>, bounds: &Bounds<'c>) -> bool {
        match self {
            Meaning::Same(same) => same == value,
            Meaning::Index => value == bounds.index || is_last_index(value, bounds),
            Meaning::Length => value == bounds.length,
            Meaning::Field => value.as_u64().is_some() && value.ty().int_width() == Some(32),
        }
    }

    fn all(value: Value<'c>) -> Vec<Self> {
        let same = value.is_constant().then_some(Meaning::Same(value));
        same.into_iter().chain([Meaning::Index, Meaning::Length, Meaning::Field]).collect()
    }
}

/// Whether a value is the index of the iteration that panics, in LLVM's form: the larger one of the first index and the
/// length, in a loop whose index grows by 1 and is compared in each iteration.
fn is_last_index<'c>(value: Value<'c>, bounds: &Bounds<'c>) -> bool {
    let index = bounds.index;
    let is_largest = value.called_function().is_some_and(|callee| callee.name() == "llvm.umax.i64");
    if !is_largest || !index.is(Opcode::Phi) || bounds.check != index.block() {
        return false;
    }
    let grown = |v: Value<'c>| v.is(Opcode::Add) && v.operand(0) == index && v.operand(1).as_u64() == Some(1);
    let first: Vec<_> = index.incoming().into_iter().map(|(v, _)| v).filter(|v| !grown(*v)).collect();
    let [one, other] = [value.operand(0), value.operand(1)];
    let is_first = |v: Value<'c>| first[..] == [v] && index.incoming().len() == 2;
    (one == bounds.length && is_first(other)) || (other == bounds.length && is_first(one))
}

/// A row that is not yet in the table.
struct Row<'c> {
    /// The place of the check among all.
    check: usize,
    bounds: Bounds<'c>,
    values: Vec<Value<'c>>,
    from: Block<'c>,
}

/// The rows that a table will have.
struct Draft<'c> {
    panics: Block<'c>,
    arguments: Value<'c>,
    /// The possible meanings of each phi.
    meanings: Vec<Vec<Meaning<'c>>>,
    rows: Vec<Row<'c>>,
}

impl<'c> Draft<'c> {
    fn new(at: usize, bounds: Bounds<'c>, edge: &Edge<'c>) -> Option<Self> {
        let meanings = edge.values.iter().map(|value| Meaning::all(*value)).collect();
        let mut draft = Draft { panics: edge.panics, arguments: bounds.arguments, meanings, rows: Vec::new() };
        draft.add(at, bounds, edge);
        (!draft.rows.is_empty()).then_some(draft)
    }

    /// Adds a row, unless its panic is of another form than those of the rows so far.
    fn add(&mut self, check: usize, bounds: Bounds<'c>, edge: &Edge<'c>) {
        if edge.panics != self.panics || bounds.arguments != self.arguments {
            return;
        }
        let fitting = |(meanings, value): (&Vec<Meaning<'c>>, &Value<'c>)| {
            meanings.iter().copied().filter(|meaning| meaning.fits(*value, &bounds)).collect::<Vec<_>>()
        };
        let meanings: Vec<_> = self.meanings.iter().zip(&edge.values).map(fitting).collect();
        if meanings.iter().all(|left| !left.is_empty()) {
            self.meanings = meanings;
            self.rows.push(Row { check, bounds, values: edge.values.clone(), from: edge.from });
        }
    }

    /// The phis whose numbers are fields, by their place.
    fn fields(&self) -> Vec<usize> {
        (0..self.meanings.len()).filter(|at| self.meanings[*at][0] == Meaning::Field).collect()
    }

    /// The checks that need no separate code.
    fn saved(&self) -> usize {
        self.rows.windows(2).filter(|pair| pair[0].bounds.first == pair[1].bounds.first).count()
    }

    fn has_distances(&self) -> bool {
        self.rows.iter().any(|row| row.bounds.distance != 0)
    }

    /// The fields of all rows.
    fn numbers(&self) -> Vec<u64> {
        let numbers_of = |row: &Row<'c>| {
            let distance = self.has_distances().then_some(u64::from(row.bounds.distance));
            let fields = self.fields();
            let others = fields.into_iter().map(|at| row.values[at].as_u64().expect("a field is a number"));
            [u64::from(row.bounds.offset)].into_iter().chain(distance).chain(others).collect::<Vec<_>>()
        };
        self.rows.iter().flat_map(numbers_of).collect()
    }

    /// Writes the table and its code.
    fn build(self, module: &Module<'c>, function: Function<'c>, mut checks: Vec<&mut Check<'c>>) -> CheckTable<'c> {
        let [start, search] = ["failed", "search"].map(|name| function.append_block(name));
        let types = module.types();
        let builder = Builder::at_end(start);
        let first = builder.phi(types.i64(), "first");
        let entered = builder.phi(types.i32(), "row");
        builder.br(search);
        let width = self.numbers().len() / self.rows.len();
        let mut rows = HashMap::new();
        for (number, row) in self.rows.iter().enumerate() {
            let check = &mut *checks[row.check];
            let end = check.block.terminator().expect("a check is a branch");
            let edge = function.append_block("failed");
            let builder = Builder::at_end(edge);
            builder.locate_as(end);
            builder.br(start);
            first.add_incoming(row.bounds.first, edge);
            entered.add_incoming(types.i32().constant((number * width) as u64 * FIELD), edge);
            end.set_successor(u32::from(check.is_positive), edge);
            check.panic = edge;
            rows.insert(edge, (number, row.bounds.first));
        }
        let found = self.search(module, search, (start, first, entered));
        self.lead_from(search, &found);
        CheckTable { rows }
    }

    /// Writes the loop over the rows. Returns the values of the phis after it.
    fn search(
        &self,
        module: &Module<'c>,
        block: Block<'c>,
        (start, first, entered): (Block<'c>, Value<'c>, Value<'c>),
    ) -> Vec<Value<'c>> {
        let (i8, i32, i64) = (module.types().i8(), module.types().i32(), module.types().i64());
        let table = self.table(module);
        let builder = Builder::at_end(block);
        builder.locate_as(self.panics.terminator().expect("a block has an end"));
        let row = builder.phi(i32, "row");
        row.add_incoming(entered, start);
        let address = builder.gep(i8, table, &[builder.cast(Opcode::ZExt, row, i64, "")], "");
        let field = |at: usize| builder.load(i32, builder.byte_offset(address, at as u64 * FIELD, ""), 4, "");
        let offset = builder.cast(Opcode::ZExt, field(0), i64, "");
        let length = builder.load(i64, builder.gep(i8, self.arguments, &[offset], ""), LENGTH, "length");
        let index = match self.has_distances() {
            true => builder.add(first, builder.cast(Opcode::SExt, field(1), i64, ""), "index"),
            false => first,
        };
        let before = 1 + usize::from(self.has_distances());
        let fields: Vec<_> = (0..self.fields().len()).map(|at| field(before + at)).collect();
        let width = (before + fields.len()) as u64 * FIELD;
        let next = builder.add(row, i32.constant(width), "");
        row.add_incoming(next, block);
        let holds = builder.icmp(IntPredicate::Ult, index, length, "");
        builder.cond_br(holds, block, self.panics);
        let mut fields = fields.into_iter();
        let mut value = |meaning: &Vec<Meaning<'c>>| match meaning[0] {
            Meaning::Same(value) => value,
            Meaning::Index => index,
            Meaning::Length => length,
            Meaning::Field => fields.next().expect("each field has been loaded"),
        };
        self.meanings.iter().map(&mut value).collect()
    }

    fn table(&self, module: &Module<'c>) -> Value<'c> {
        let i32: Type<'c> = module.types().i32();
        let numbers: Vec<_> = self.numbers().into_iter().map(|number| i32.constant(number)).collect();
        let table = module.add_variable("offload_checks", i32.array(numbers.len() as u64), 0);
        table.set_initializer(Some(i32.constant_array(&numbers)));
        table.set_constant_global(true);
        table.set_linkage(Linkage::Internal);
        table.set_unnamed_address();
        table.set_alignment(8);
        table
    }

    /// Gives the panics' block the values that the loop has found, in the place of those of the rows.
    fn lead_from(&self, search: Block<'c>, found: &[Value<'c>]) {
        for (phi, value) in phis(self.panics).into_iter().zip(found) {
            let renewed = Builder::before(phi).phi(phi.ty(), "");
            renewed.add_incoming(*value, search);
            for (value, from) in phi.incoming() {
                let is_old_edge = self.rows.iter().any(|row| row.from == from && !leads_to(from, self.panics));
                if !is_old_edge {
                    renewed.add_incoming(value, from);
                }
            }
            phi.replace_all_uses_with(renewed);
            phi.erase();
        }
    }
}

fn leads_to(from: Block<'_>, to: Block<'_>) -> bool {
    from.successors().contains(&to)
}

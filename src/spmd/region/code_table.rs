//! The table of the kernels' code: the state that one pass leaves for the next.
//!
//! From `internalize_kernels` to `emit_entries`, the code of a kernel is a set of functions: the regions and their
//! versions. Which function is which stands in named metadata. So a module is all that a pass needs: `--print-after`
//! shows the table, and `--run-pass` reads it from its input, which another pass may have printed.
//!
//! ```text
//! !offload.spmd.code = !{!0}
//! !0 = !{!"k", !1, i64 8, i64 8, !2}                the kernel, its arguments, their bytes and alignment, its code
//! !1 = !{!3}                                        an argument for each parameter
//! !2 = !{!"one", !4}                                a kernel without stops: the tree of its versions, here a leaf
//! !3 = !{i64 0, i64 8, ptr poison}                  its offset, its alignment, and its type
//! !4 = !{ptr @k.thread, !5, i1 false}               a function without a result
//! !5 = !{}
//! ```
//!
//! A field of a struct is an operand of a node, in the order of the lists below. A type is that of a `poison`.

use super::position::PARAMETERS;
use super::signature::SLOT_PARAMETERS;
use super::slots::{FrameLayout, Kept, Step};
use super::stops::{Mailbox, Operands, Stop, Warps};
use super::types::{Region, Regions, SplitKernel};
use super::uniform_slots::{Source, UniformSlot};
use super::versions::{Code, Guard, Iterations, Rows, Version};
use crate::contract::builtin::{BUILTINS, Builtin, LaneOperation};
use crate::error::{Error, Result};
use crate::llvm::{Function, Module, Node, Type, Types};

/// The name of the metadata.
const NAME: &str = "offload.spmd.code";

/// The code of a kernel.
pub(crate) struct KernelCode<'c> {
    /// The name of the kernel.
    pub(crate) name: String,
    /// Its arguments, in the order of its parameters.
    pub(crate) arguments: Vec<Argument<'c>>,
    /// The size of the packed arguments in bytes.
    pub(crate) argument_bytes: u32,
    /// Their alignment in bytes.
    pub(crate) argument_align: u32,
    pub(crate) regions: Regions<'c>,
}

/// An argument of a kernel.
pub(crate) struct Argument<'c> {
    /// The offset of its bytes in the packed arguments.
    pub(crate) offset: u32,
    /// Their alignment.
    pub(crate) align: u32,
    /// The type of its value; none if the code takes the address of the bytes.
    pub(crate) ty: Option<Type<'c>>,
}

/// Reads the table of a module.
pub(crate) fn read<'c>(module: &Module<'c>) -> Result<Vec<KernelCode<'c>>> {
    let Some(nodes) = module.named_nodes(NAME) else {
        return Err(Error::new(format!("the module has no metadata `{NAME}`, which `internalize_kernels` adds")));
    };
    let all: Option<Vec<KernelCode<'c>>> = nodes.iter().map(Entry::of).collect();
    let all = all.filter(|all| all.iter().all(has_parameters));
    all.ok_or_else(|| Error::new(format!("the metadata `{NAME}` of the module is not what the passes write")))
}

/// Writes it.
pub(crate) fn write<'c>(module: &Module<'c>, all: &[KernelCode<'c>]) {
    let types = module.types();
    let node = |code: &KernelCode<'c>| match code.node(types) {
        Node::Operands(operands) => operands,
        other => vec![other],
    };
    module.set_named_nodes(NAME, &all.iter().map(node).collect::<Vec<_>>());
}

/// Changes the code of each kernel.
pub(crate) fn change<'c>(module: &Module<'c>, mut change: impl FnMut(&mut Regions<'c>) -> Result<()>) -> Result<()> {
    let mut all = read(module)?;
    for code in &mut all {
        change(&mut code.regions)?;
    }
    write(module, &all);
    Ok(())
}

/// Removes it.
pub(crate) fn erase(module: &Module<'_>) {
    module.erase_named_metadata(NAME);
}

/// Whether the functions have the parameters of the kernel, the position, and those of regions.
fn has_parameters(code: &KernelCode<'_>) -> bool {
    let own = code.arguments.len() + PARAMETERS;
    let of_region = own + SLOT_PARAMETERS;
    let has = |function: Function<'_>, count: usize| function.parameters().len() == count;
    match &code.regions {
        Regions::One(version) => has(version.any().function, own),
        Regions::Several(split) => {
            let is_region = |region: &Region<'_>| {
                let function = region.any().function;
                has(function, of_region + region.uniform_slots.len()) && function != split.any
            };
            has(split.any, of_region) && split.regions.iter().all(is_region)
        }
    }
}

/// A part of the table that an operand of a node describes.
trait Entry<'c>: Sized {
    fn node(&self, types: Types<'c>) -> Node<'c>;
    /// None if the operand does not describe such a part.
    fn of(node: &Node<'c>) -> Option<Self>;
}

/// A struct is a node with an operand for each of these fields. The others are not in the table.
macro_rules! entry {
    ($name:ident$(<$life:lifetime>)? { $($field:ident),* $(; $other:ident: $value:expr)* }) => {
        impl<'c> Entry<'c> for $name$(<$life>)? {
            fn node(&self, types: Types<'c>) -> Node<'c> {
                Node::Operands(vec![$(self.$field.node(types)),*])
            }

            fn of(node: &Node<'c>) -> Option<Self> {
                let [$($field),*] = operands(node)? else { return None };
                Some($name { $($field: Entry::of($field)?,)* $($other: $value,)* })
            }
        }
    };
}

entry!(KernelCode<'c> { name, arguments, argument_bytes, argument_align, regions });
entry!(Argument<'c> { offset, align, ty });
entry!(SplitKernel<'c> { any, regions, frame, kept, real_stops, warps });
entry!(Region<'c> { version, agrees, uniform_slots });
entry!(Code<'c> { function, exits, is_scattered; cause: None });
entry!(Rows<'c> { range, whole, prefetch, others_leave });
entry!(Iterations<'c> { counter, whole, next, prefetch });
entry!(UniformSlot<'c> { source, ty });
entry!(FrameLayout { state_offset });
entry!(Kept<'c> { offset, ty, step });
entry!(Warps { lanes, stops, operands, full, mailbox });
entry!(Operands { argument, all });
entry!(MailboxOffsets { value, argument, word, result, mask });

/// The offsets of the mailbox of a warp's lanes.
type MailboxOffsets = Mailbox<u64>;

fn operands<'a, 'c>(node: &'a Node<'c>) -> Option<&'a [Node<'c>]> {
    match node {
        Node::Operands(operands) => Some(operands),
        _ => None,
    }
}

/// A node that says its kind first.
fn tagged<'c>(tag: &str, rest: Vec<Node<'c>>) -> Node<'c> {
    Node::Operands([vec![Node::Text(tag.to_owned())], rest].concat())
}

/// The kind of such a node, and its other operands.
fn tag<'a, 'c>(node: &'a Node<'c>) -> Option<(&'a str, &'a [Node<'c>])> {
    match operands(node)?.split_first()? {
        (Node::Text(tag), rest) => Some((tag, rest)),
        _ => None,
    }
}

impl<'c> Entry<'c> for Regions<'c> {
    fn node(&self, types: Types<'c>) -> Node<'c> {
        match self {
            Regions::One(version) => tagged("one", vec![version.node(types)]),
            Regions::Several(split) => tagged("several", vec![split.node(types)]),
        }
    }

    fn of(node: &Node<'c>) -> Option<Self> {
        match tag(node)? {
            ("one", [version]) => Some(Regions::One(Entry::of(version)?)),
            ("several", [split]) => Some(Regions::Several(Entry::of(split)?)),
            _ => None,
        }
    }
}

/// A leaf is its code. Another node starts with its kind, its guard and its two versions.
impl<'c> Entry<'c> for Version<'c> {
    fn node(&self, types: Types<'c>) -> Node<'c> {
        let (guard, [then, or_else]) = match self {
            Version::Code(code) => return code.node(types),
            Version::If(guard, sides) => (guard, &**sides),
        };
        let (kind, guard) = match guard {
            Guard::Block(function) => ("block", function.node(types)),
            Guard::Iteration(iterations) => ("iteration", iterations.node(types)),
            Guard::Row(rows) => ("row", rows.node(types)),
            Guard::Group(width) => ("group", width.node(types)),
            Guard::Lane(lane) => ("lane", lane.node(types)),
        };
        tagged(kind, vec![guard, then.node(types), or_else.node(types)])
    }

    fn of(node: &Node<'c>) -> Option<Self> {
        let Some((kind, [guard, then, or_else])) = tag(node) else { return Entry::of(node).map(Version::Code) };
        let guard = match kind {
            "block" => Guard::Block(Entry::of(guard)?),
            "iteration" => Guard::Iteration(Entry::of(guard)?),
            "row" => Guard::Row(Entry::of(guard)?),
            "group" => Guard::Group(Entry::of(guard)?),
            "lane" => Guard::Lane(Entry::of(guard)?),
            _ => return None,
        };
        Some(Version::choice(guard, Entry::of(then)?, Entry::of(or_else)?))
    }
}

impl<'c> Entry<'c> for Source<'c> {
    fn node(&self, types: Types<'c>) -> Node<'c> {
        match self {
            Source::Slot(offset) => offset.node(types),
            Source::Computed(function) => function.node(types),
        }
    }

    fn of(node: &Node<'c>) -> Option<Self> {
        Some(match u64::of(node) {
            Some(offset) => Source::Slot(offset),
            None => Source::Computed(Entry::of(node)?),
        })
    }
}

impl<'c> Entry<'c> for Step {
    fn node(&self, types: Types<'c>) -> Node<'c> {
        match self {
            Step::Certain(step) => tagged("certain", vec![(*step as u64).node(types)]),
            Step::Likely(step) => tagged("likely", vec![(*step as u64).node(types)]),
        }
    }

    fn of(node: &Node<'c>) -> Option<Self> {
        match tag(node)? {
            ("certain", [step]) => Some(Step::Certain(u64::of(step)? as i64)),
            ("likely", [step]) => Some(Step::Likely(u64::of(step)? as i64)),
            _ => None,
        }
    }
}

impl<'c> Entry<'c> for Stop {
    fn node(&self, types: Types<'c>) -> Node<'c> {
        let name = |operation: LaneOperation| {
            let builtin = BUILTINS.iter().find(|builtin| builtin.lane_operation() == Some(operation));
            Node::Text(builtin.expect("each operation is a builtin").name.to_owned())
        };
        match self {
            Stop::Barrier => tagged("barrier", Vec::new()),
            Stop::Latch => tagged("latch", Vec::new()),
            Stop::Operation(operation) => tagged("operation", vec![name(*operation)]),
            Stop::Masked(operation, place) => tagged("masked", vec![name(*operation), place.node(types)]),
        }
    }

    fn of(node: &Node<'c>) -> Option<Self> {
        let operation = |name: &str| Builtin::named(name)?.lane_operation();
        match tag(node)? {
            ("barrier", []) => Some(Stop::Barrier),
            ("latch", []) => Some(Stop::Latch),
            ("operation", [Node::Text(name)]) => Some(Stop::Operation(operation(name)?)),
            ("masked", [Node::Text(name), place]) => Some(Stop::Masked(operation(name)?, Entry::of(place)?)),
            _ => None,
        }
    }
}

impl<'c> Entry<'c> for Function<'c> {
    fn node(&self, _: Types<'c>) -> Node<'c> {
        Node::Constant(**self)
    }

    fn of(node: &Node<'c>) -> Option<Self> {
        match node {
            Node::Constant(value) => value.as_function().filter(|function| !function.is_declaration()),
            _ => None,
        }
    }
}

impl<'c> Entry<'c> for Type<'c> {
    fn node(&self, _: Types<'c>) -> Node<'c> {
        Node::Constant(self.poison())
    }

    fn of(node: &Node<'c>) -> Option<Self> {
        match node {
            Node::Constant(value) => Some(value.ty()),
            _ => None,
        }
    }
}

impl<'c> Entry<'c> for String {
    fn node(&self, _: Types<'c>) -> Node<'c> {
        Node::Text(self.clone())
    }

    fn of(node: &Node<'c>) -> Option<Self> {
        match node {
            Node::Text(text) => Some(text.clone()),
            _ => None,
        }
    }
}

impl<'c> Entry<'c> for u64 {
    fn node(&self, types: Types<'c>) -> Node<'c> {
        Node::Constant(types.i64().constant(*self))
    }

    fn of(node: &Node<'c>) -> Option<Self> {
        match node {
            Node::Constant(value) => value.as_u64(),
            _ => None,
        }
    }
}

impl<'c> Entry<'c> for u32 {
    fn node(&self, types: Types<'c>) -> Node<'c> {
        u64::from(*self).node(types)
    }

    fn of(node: &Node<'c>) -> Option<Self> {
        u32::try_from(u64::of(node)?).ok()
    }
}

impl<'c> Entry<'c> for bool {
    fn node(&self, types: Types<'c>) -> Node<'c> {
        Node::Constant(types.i1().constant((*self).into()))
    }

    fn of(node: &Node<'c>) -> Option<Self> {
        Some(u64::of(node)? != 0)
    }
}

/// Null is none.
impl<'c, T: Entry<'c>> Entry<'c> for Option<T> {
    fn node(&self, types: Types<'c>) -> Node<'c> {
        self.as_ref().map_or(Node::Null, |entry| entry.node(types))
    }

    fn of(node: &Node<'c>) -> Option<Self> {
        match node {
            Node::Null => Some(None),
            node => Some(Some(T::of(node)?)),
        }
    }
}

impl<'c, T: Entry<'c>> Entry<'c> for Vec<T> {
    fn node(&self, types: Types<'c>) -> Node<'c> {
        Node::Operands(self.iter().map(|entry| entry.node(types)).collect())
    }

    fn of(node: &Node<'c>) -> Option<Self> {
        operands(node)?.iter().map(T::of).collect()
    }
}

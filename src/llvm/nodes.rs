//! Named metadata of nodes: trees of texts and constants.

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::{LLVMContextRef, LLVMMetadataRef};

use super::value::{borrowed, c_name};
use super::{Module, Value, shim};

/// Nodes of a tree that are deeper than this are not read: a node may be an operand of itself.
const MOST_DEPTH: u32 = 128;
/// Operands beyond this number are not read either: a node may be an operand of many others.
const MOST_OPERANDS: usize = 1 << 20;

/// An operand of a node.
#[derive(Clone, Debug, PartialEq)]
pub enum Node<'c> {
    /// Nothing, also where a global was that is erased.
    Null,
    /// A text.
    Text(String),
    /// A constant or a global.
    Constant(Value<'c>),
    /// A node with operands.
    Operands(Vec<Node<'c>>),
}

impl<'c> Module<'c> {
    /// Replaces the operands of named metadata. Each is a node with operands.
    pub fn set_named_nodes(&self, name: &str, nodes: &[Vec<Node<'c>>]) {
        self.erase_named_metadata(name);
        self.add_named_metadata(name);
        let c_name = c_name(name);
        for node in nodes {
            // SAFETY: the context and the metadata are the live module's, and the metadata is a node.
            unsafe {
                let node = written_operands(LLVMGetModuleContext(self.raw()), node);
                shim::ofc_add_named_node(self.raw(), c_name.as_ptr(), node);
            }
        }
    }

    /// The operands of named metadata; none if there is no such metadata.
    pub fn named_nodes(&self, name: &str) -> Option<Vec<Node<'c>>> {
        let (c_name, mut left) = (c_name(name), MOST_OPERANDS);
        // SAFETY: the name outlives the calls, and the numbers are below that of the operands, which are the module's.
        unsafe {
            let count = u32::try_from(shim::ofc_named_node_count(self.raw(), c_name.as_ptr())).ok()?;
            let node = |number| shim::ofc_named_node(self.raw(), c_name.as_ptr(), number);
            Some((0..count).map(|number| read(node(number), MOST_DEPTH, &mut left)).collect())
        }
    }
}

/// # Safety
/// The constants of the node must be of the context.
unsafe fn written(context: LLVMContextRef, node: &Node<'_>) -> LLVMMetadataRef {
    // SAFETY: pointer and length describe the text, and the constants are of the context.
    unsafe {
        match node {
            Node::Null => std::ptr::null_mut(),
            Node::Text(text) => LLVMMDStringInContext2(context, text.as_ptr().cast(), text.len()),
            Node::Constant(value) => {
                assert!(value.is_constant(), "other values belong to a function");
                LLVMValueAsMetadata(value.raw)
            }
            Node::Operands(operands) => written_operands(context, operands),
        }
    }
}

/// # Safety
/// As for [`written`].
unsafe fn written_operands(context: LLVMContextRef, operands: &[Node<'_>]) -> LLVMMetadataRef {
    // SAFETY: the array has this number of operands, which are null or of the context.
    unsafe {
        let mut all: Vec<_> = operands.iter().map(|operand| written(context, operand)).collect();
        LLVMMDNodeInContext2(context, all.as_mut_ptr(), all.len())
    }
}

/// # Safety
/// The metadata must be null or that of a live module.
unsafe fn read<'c>(metadata: LLVMMetadataRef, depth: u32, left: &mut usize) -> Node<'c> {
    if metadata.is_null() || depth == 0 || *left == 0 {
        return Node::Null;
    }
    *left -= 1;
    // SAFETY: the metadata is not null, and the numbers are below that of its operands.
    unsafe {
        let mut length = 0;
        let text = shim::ofc_metadata_text(metadata, &raw mut length);
        if !text.is_null() {
            return Node::Text(borrowed(text, length));
        }
        if let Some(constant) = Value::maybe(shim::ofc_metadata_constant(metadata)) {
            return Node::Constant(constant);
        }
        let Ok(count) = u32::try_from(shim::ofc_node_operand_count(metadata)) else { return Node::Null };
        let operand = |number| shim::ofc_node_operand(metadata, number);
        Node::Operands((0..count).map(|number| read(operand(number), depth - 1, left)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::Context;

    #[test]
    fn what_is_written_is_read() {
        let context = Context::create();
        let module = Module::from_text(&context, b"define void @f() {\n  ret void\n}\n", "f").unwrap();
        let number = Node::Constant(module.types().i64().constant(7));
        let function = module.function("f").unwrap();
        let inner = Node::Operands(vec![Node::Null, Node::Constant(*function)]);
        let single = [Node::Null, Node::Text("".to_owned()), number.clone()].map(|node| Node::Operands(vec![node]));
        let nodes = [vec![Node::Text("k".to_owned()), number, inner], single.to_vec()];
        assert_eq!(module.named_nodes("table"), None);
        module.set_named_nodes("table", &nodes);
        module.set_named_nodes("table", &nodes);
        module.verify().unwrap();
        let copy = Module::from_text(&context, module.text().as_bytes(), "copy").unwrap();
        let read = module.named_nodes("table").unwrap();
        assert_eq!(read, nodes.clone().map(Node::Operands));
        assert_eq!(format!("{:?}", copy.named_nodes("table").unwrap()), format!("{read:?}"));
        function.erase_global();
        let [Node::Operands(first), _] = &module.named_nodes("table").unwrap()[..] else { panic!("two nodes") };
        assert_eq!(first[2], Node::Operands(vec![Node::Null, Node::Null]));
    }

    #[test]
    fn a_node_may_be_an_operand_of_itself() {
        let context = Context::create();
        let module = Module::from_text(&context, b"!table = !{!0}\n!0 = distinct !{!0, !0}\n", "f").unwrap();
        assert!(module.named_nodes("table").is_some());
    }
}

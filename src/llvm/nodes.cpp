// Operands of metadata. The C API reads them by values, and takes a node with one constant for this constant. Declared in
// shim.rs.
#include "llvm-c/Core.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"

using namespace llvm;

// The number of operands of named metadata; -1 if there is no such metadata.
extern "C" int ofc_named_node_count(LLVMModuleRef module, const char *name) {
  const NamedMDNode *named = unwrap(module)->getNamedMetadata(name);
  return named ? int(named->getNumOperands()) : -1;
}

extern "C" LLVMMetadataRef ofc_named_node(LLVMModuleRef module, const char *name, unsigned number) {
  return wrap(unwrap(module)->getNamedMetadata(name)->getOperand(number));
}

extern "C" void ofc_add_named_node(LLVMModuleRef module, const char *name, LLVMMetadataRef node) {
  unwrap(module)->getOrInsertNamedMetadata(name)->addOperand(cast<MDNode>(unwrap(node)));
}

// The text; null if it is none.
extern "C" const char *ofc_metadata_text(LLVMMetadataRef metadata, size_t *length) {
  const auto *text = dyn_cast<MDString>(unwrap(metadata));
  *length = text ? text->getLength() : 0;
  return text ? text->getString().data() : nullptr;
}

// The constant; null if it is none.
extern "C" LLVMValueRef ofc_metadata_constant(LLVMMetadataRef metadata) {
  const auto *constant = dyn_cast<ConstantAsMetadata>(unwrap(metadata));
  return constant ? wrap(constant->getValue()) : nullptr;
}

// The number of operands; -1 if it is no node.
extern "C" int ofc_node_operand_count(LLVMMetadataRef metadata) {
  const auto *node = dyn_cast<MDNode>(unwrap(metadata));
  return node ? int(node->getNumOperands()) : -1;
}

extern "C" LLVMMetadataRef ofc_node_operand(LLVMMetadataRef node, unsigned number) {
  return wrap(cast<MDNode>(unwrap(node))->getOperand(number).get());
}

// What the optimisations are told of loops. Declared in shim.rs.
#include "llvm-c/Core.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Metadata.h"

using namespace llvm;

extern "C" {

// Adds the number of copies of a loop's body to its latch: 1 is the loop as it is, and 0 is all of its iterations. LLVM's
// C API has no distinct nodes.
void ofc_unroll_loop(LLVMValueRef latch, unsigned count) {
  LLVMContext &context = unwrap<Instruction>(latch)->getContext();
  SmallVector<Metadata *, 2> hint;
  hint.push_back(MDString::get(context, count == 0   ? "llvm.loop.unroll.full"
                                        : count == 1 ? "llvm.loop.unroll.disable"
                                                     : "llvm.loop.unroll.count"));
  if (count > 1)
    hint.push_back(ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(context), count)));
  MDNode *loop = MDNode::getDistinct(context, {nullptr, MDNode::get(context, hint)});
  loop->replaceOperandWith(0, loop);
  unwrap<Instruction>(latch)->setMetadata(LLVMContext::MD_loop, loop);
}

// Says of the loop with this latch that no iteration depends on the accesses that another one makes in a call.
void ofc_iterate_in_any_order(LLVMValueRef latch, LLVMValueRef call) {
  LLVMContext &context = unwrap<Instruction>(latch)->getContext();
  MDNode *accesses = MDNode::getDistinct(context, {});
  unwrap<Instruction>(call)->setMetadata(LLVMContext::MD_access_group, accesses);
  MDNode *hint = MDNode::get(context, {MDString::get(context, "llvm.loop.parallel_accesses"), accesses});
  MDNode *loop = MDNode::getDistinct(context, {nullptr, hint});
  loop->replaceOperandWith(0, loop);
  unwrap<Instruction>(latch)->setMetadata(LLVMContext::MD_loop, loop);
}

}

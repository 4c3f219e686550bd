// Clones of functions. Declared in shim.rs.
#include "llvm-c/Core.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

extern "C" {

// A clone of a function.
LLVMValueRef ofc_clone_function(LLVMValueRef function) {
  ValueToValueMapTy map;
  return wrap(CloneFunction(unwrap<Function>(function), map));
}

// The same. Replaces instructions and blocks of the function by their copies.
LLVMValueRef ofc_clone_with_copies(LLVMValueRef function, LLVMValueRef *instructions, size_t instruction_count,
                                   LLVMBasicBlockRef *blocks, size_t block_count) {
  ValueToValueMapTy map;
  Function *clone = CloneFunction(unwrap<Function>(function), map);
  for (LLVMValueRef &instruction : MutableArrayRef(instructions, instruction_count))
    instruction = wrap(static_cast<Value *>(map.lookup(unwrap(instruction))));
  for (LLVMBasicBlockRef &block : MutableArrayRef(blocks, block_count))
    block = wrap(cast<BasicBlock>(static_cast<Value *>(map.lookup(unwrap(block)))));
  return wrap(clone);
}

// The instructions of a prologue that these blocks need, directly or through others, in the order of the prologue.
static SmallVector<Instruction *> needed_of(BasicBlock *prologue, const SmallVectorImpl<BasicBlock *> &blocks) {
  SmallPtrSet<Instruction *, 32> needed;
  SmallVector<Instruction *> work;
  auto take = [&](Instruction &user) {
    for (Value *operand : user.operands())
      if (auto *own = dyn_cast<Instruction>(operand); own && own->getParent() == prologue && needed.insert(own).second)
        work.push_back(own);
  };
  for (BasicBlock *block : blocks)
    for (Instruction &instruction : *block)
      take(instruction);
  while (!work.empty())
    take(*work.pop_back_val());
  SmallVector<Instruction *> order(needed.begin(), needed.end());
  llvm::sort(order, [](Instruction *a, Instruction *b) { return a->comesBefore(b); });
  return order;
}

// A clone of a function with these blocks, in the function's order, and with the instructions of its first block that
// they need. It continues in `start`, which is one of them. No edge leads from them to other blocks. A subprogram
// belongs to a single function, and only CloneFunction, which copies all blocks, can copy it.
LLVMValueRef ofc_clone_region(LLVMValueRef function, LLVMBasicBlockRef start, LLVMBasicBlockRef *list, size_t count) {
  auto *old = unwrap<Function>(function);
  BasicBlock *prologue = &old->getEntryBlock();
  ValueToValueMapTy map;
  if (old->getSubprogram()) {
    Function *copy = CloneFunction(old, map);
    Instruction *end = copy->getEntryBlock().getTerminator();
    IRBuilder<>(end).CreateBr(cast<BasicBlock>(map[unwrap(start)]));
    end->eraseFromParent();
    EliminateUnreachableBlocks(*copy);
    return wrap(copy);
  }
  Function *copy = Function::Create(old->getFunctionType(), old->getLinkage(), old->getAddressSpace(), old->getName(),
                                    old->getParent());
  copy->copyAttributesFrom(old);
  for (Argument &argument : old->args()) {
    Argument *own = copy->getArg(argument.getArgNo());
    own->setName(argument.getName());
    map[&argument] = own;
  }
  SmallVector<BasicBlock *> blocks;
  for (size_t i = 0; i < count; ++i)
    blocks.push_back(unwrap(list[i]));
  BasicBlock *entry = BasicBlock::Create(old->getContext(), prologue->getName(), copy);
  for (Instruction *instruction : needed_of(prologue, blocks)) {
    Instruction *own = instruction->clone();
    own->setName(instruction->getName());
    own->insertInto(entry, entry->end());
    map[instruction] = own;
  }
  for (BasicBlock *block : blocks)
    map[block] = CloneBasicBlock(block, map, "", copy);
  for (BasicBlock *block : blocks)
    for (PHINode &phi : cast<BasicBlock>(map[block])->phis())
      for (unsigned i = phi.getNumIncomingValues(); i-- > 0;)
        if (!map.count(phi.getIncomingBlock(i)))
          phi.removeIncomingValue(i, /*DeletePHIIfEmpty=*/false);
  IRBuilder<>(entry).CreateBr(cast<BasicBlock>(map[unwrap(start)]));
  for (BasicBlock &block : *copy)
    for (Instruction &instruction : block) {
      RemapInstruction(&instruction, map, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
      // Inlined code has variables, also in a function without a subprogram. If the copy lacks a value, the value of
      // the variable is unknown from there on.
      RemapDbgRecordRange(copy->getParent(), instruction.getDbgRecordRange(), map, RF_NoModuleLevelChanges);
    }
  for (BasicBlock &block : *copy)
    SimplifyInstructionsInBlock(&block);
  return wrap(copy);
}

}

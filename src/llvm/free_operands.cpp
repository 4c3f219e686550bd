// A pass of code generation for AMD GPUs that works around a fault of `StructurizeCFG`; `workarounds.rs` has its row.
//
// `StructurizeCFG` moves an instruction without a cost (a cast of a pointer, an element of a vector, a GEP that an access
// absorbs) out of a block into the one that decides whether the block runs, if a phi of the next block is its only use.
// It then takes the value for all paths on which the phi has none. This is right where the two sides of a branch meet.
// Where more paths do, the value replaces that of another path. So such instructions are moved out of the block before,
// as far as their operands are known there, and `StructurizeCFG` finds none.
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/InitializePasses.h"
#include "llvm/Pass.h"

using namespace llvm;

namespace {

class HoistFreeOperands : public FunctionPass {
  // Whether a block is one of two sides of a branch that meet in `next`, where nothing else does.
  static bool is_side(BasicBlock &block, BasicBlock &next) {
    BasicBlock *before = block.getSinglePredecessor();
    if (!before || !next.hasNPredecessors(2) || before->getTerminator()->getNumSuccessors() != 2)
      return false;
    auto meets = [&](BasicBlock *side) {
      return side->getSinglePredecessor() == before && side->getSingleSuccessor() == &next;
    };
    return all_of(successors(before), meets);
  }

  // Whether an instruction has no cost, as `StructurizeCFG` asks.
  static bool is_free(const Instruction &instruction, const TargetTransformInfo &costs) {
    return costs.getInstructionCost(&instruction, TargetTransformInfo::TCK_Latency) == 0;
  }

  // Moves an instruction to the end of the block that dominates its own, if it can be there.
  static bool hoist(Instruction &instruction, const DominatorTree &tree, const TargetTransformInfo &costs) {
    const DomTreeNode *node = tree.getNode(instruction.getParent());
    if (!node || !node->getIDom() || isa<PHINode>(instruction) || instruction.mayReadOrWriteMemory() ||
        !isSafeToSpeculativelyExecute(&instruction) || !is_free(instruction, costs))
      return false;
    Instruction *end = node->getIDom()->getBlock()->getTerminator();
    auto is_known = [&](Value *operand) {
      auto *from = dyn_cast<Instruction>(operand);
      return !from || tree.dominates(from, end);
    };
    if (!all_of(instruction.operand_values(), is_known))
      return false;
    instruction.moveBefore(end->getIterator());
    return true;
  }

public:
  static char ID;

  HoistFreeOperands() : FunctionPass(ID) {}

  StringRef getPassName() const override { return "Hoist operands of phis that have no cost"; }

  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.addRequired<DominatorTreeWrapperPass>();
    usage.addRequired<TargetTransformInfoWrapperPass>();
    usage.setPreservesCFG();
  }

  bool runOnFunction(Function &function) override {
    const DominatorTree &tree = getAnalysis<DominatorTreeWrapperPass>().getDomTree();
    const TargetTransformInfo &costs = getAnalysis<TargetTransformInfoWrapperPass>().getTTI(function);
    bool changed = false;
    for (BasicBlock &block : function) {
      BasicBlock *next = block.getSingleSuccessor();
      if (!next || is_side(block, *next))
        continue;
      // One may be the operand of another.
      for (bool again = true; again;) {
        again = false;
        for (PHINode &phi : next->phis()) {
          auto *value = dyn_cast<Instruction>(phi.getIncomingValueForBlock(&block));
          again |= value && value->getParent() == &block && hoist(*value, tree, costs);
        }
        changed |= again;
      }
    }
    return changed;
  }
};

char HoistFreeOperands::ID = 0;

} // namespace

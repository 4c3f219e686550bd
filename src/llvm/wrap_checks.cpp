// Keeps narrow numbers out of the checks with which loops are vectorised.
//
// If a narrow induction is extended and may wrap, LLVM assumes that it does not and checks that before the loop. Where
// several such assumptions are made, LLVM 22 leaves out those that follow from another one; it takes one for `i32` to
// mean that a number of `i3` with the same start and step does not wrap either. So `key[(k % 8) as usize]` is read as
// `key[k as usize]` in a loop over `k as usize`.
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace {

// The extensions of one innermost loop for which LLVM may assume that a number does not wrap.
class WrapChecks {
  ScalarEvolution &evolution;
  Loop &loop;

  // Whether the value of an expression differs from one iteration to the next in a known way, or may do so by an
  // assumption.
  bool is_recurrent(const SCEV *expression) const {
    return SCEVExprContains(expression, [&](const SCEV *part) {
      if (auto *recurrence = dyn_cast<SCEVAddRecExpr>(part))
        return recurrence->getLoop() == &loop;
      auto *unknown = dyn_cast<SCEVUnknown>(part);
      auto *phi = unknown ? dyn_cast<PHINode>(unknown->getValue()) : nullptr;
      return phi && phi->getParent() == loop.getHeader();
    });
  }

  // The widths of the recurrent numbers that a value extends, itself or through its operands; 0 if there are none.
  struct Widths {
    unsigned least = 0, most = 0;
  };
  Widths widths(Value *value) const {
    Widths found;
    if (!evolution.isSCEVable(value->getType()))
      return found;
    SCEVExprContains(evolution.getSCEV(value), [&](const SCEV *part) {
      if ((isa<SCEVZeroExtendExpr>(part) || isa<SCEVSignExtendExpr>(part)) && is_recurrent(part)) {
        unsigned width = evolution.getTypeSizeInBits(cast<SCEVCastExpr>(part)->getOperand()->getType());
        found.least = found.least ? std::min(found.least, width) : width;
        found.most = std::max(found.most, width);
      }
      return false;
    });
    return found;
  }

public:
  WrapChecks(ScalarEvolution &evolution, Loop &loop) : evolution(evolution), loop(loop) {}

  // Freezes the extensions of all numbers but the widest. Returns whether there were any.
  bool freeze() {
    unsigned most = 0;
    SmallVector<std::pair<Instruction *, unsigned>> extended;
    for (BasicBlock *block : loop.blocks())
      for (Instruction &instruction : *block)
        if (Widths found = widths(&instruction); found.least) {
          extended.push_back({&instruction, found.least});
          most = std::max(most, found.most);
        }
    SmallVector<Instruction *> narrow;
    for (auto [instruction, least] : extended)
      if (least < most && instruction->getType()->isIntegerTy() && none_of(instruction->operands(), [&](Value *operand) {
            Widths found = widths(operand);
            return found.least && found.least < most;
          }))
        narrow.push_back(instruction);
    for (Instruction *each : narrow) {
      auto *frozen = new FreezeInst(each, "");
      if (isa<PHINode>(each))
        frozen->insertInto(each->getParent(), each->getParent()->getFirstInsertionPt());
      else
        frozen->insertAfter(each->getIterator());
      frozen->setDebugLoc(each->getDebugLoc());
      each->replaceUsesWithIf(frozen, [&](Use &use) { return use.getUser() != frozen; });
    }
    if (!narrow.empty())
      evolution.forgetLoop(&loop);
    return !narrow.empty();
  }
};

} // namespace

// Applies this to all loops of a function that may be vectorised.
static void freeze_narrow_recurrences(Function &function, FunctionAnalysisManager &analyses) {
  for (Loop *loop : analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder())
    if (loop->isInnermost())
      WrapChecks(analyses.getResult<ScalarEvolutionAnalysis>(function), *loop).freeze();
}

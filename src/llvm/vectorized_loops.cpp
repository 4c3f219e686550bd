// Prepares loops for `LoopVectorize`, and its masked loads for later passes, where LLVM 22 would compute something
// wrongly. `workarounds.rs` has a row for each kind.
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"

using namespace llvm;

namespace {

// The extensions of one innermost loop for which LLVM may assume that a number does not wrap.
//
// If a narrow induction is extended and may wrap, LLVM assumes that it does not and checks that before the loop. Where
// several such assumptions are made, LLVM 22 leaves out those that follow from another one; it takes one for `i32` to
// mean that a number of `i3` with the same start and step does not wrap either. So `key[(k % 8) as usize]` is read as
// `key[k as usize]` in a loop over `k as usize`.
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

// Freezes the counters of a loop that are not increased in the last iteration and are read after the loop.
//
// From the condition with which a loop is repeated, LLVM 22 knows that `counter + zext(condition)` is `counter + 1` where
// the loop is repeated, and takes the counter for an induction. The value after the loop is then that of one more
// iteration. With a frozen value, it is no induction.
bool freeze_stopped_counters(ScalarEvolution &evolution, Loop &loop) {
  BasicBlock *latch = loop.getLoopLatch();
  if (!latch)
    return false;
  auto is_outside = [&](User *user) { return !loop.contains(cast<Instruction>(user)->getParent()); };
  bool changed = false;
  for (PHINode &phi : loop.getHeader()->phis()) {
    auto *next = dyn_cast<Instruction>(phi.getIncomingValueForBlock(latch));
    if (!next || !evolution.isSCEVable(phi.getType()) || none_of(next->users(), is_outside))
      continue;
    auto *recurrence = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(&phi));
    if (!recurrence || recurrence->getLoop() != &loop || evolution.getSCEV(next) == recurrence->getPostIncExpr(evolution))
      continue;
    auto *frozen = new FreezeInst(next, "", latch->getTerminator()->getIterator());
    phi.setIncomingValueForBlock(latch, frozen);
    changed = true;
  }
  if (changed)
    evolution.forgetLoop(&loop);
  return changed;
}

} // namespace

// Prepares the loops of a function that may be vectorised.
static void prepare_loops(Function &function, FunctionAnalysisManager &analyses, bool has_narrow, bool has_stopped) {
  for (Loop *loop : analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder())
    if (loop->isInnermost()) {
      auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
      if (has_stopped)
        freeze_stopped_counters(evolution, *loop);
      if (has_narrow)
        WrapChecks(evolution, *loop).freeze();
    }
}

// Freezes the results of masked loads that are selected. LLVM 22 makes a new load of a selection by the same mask, at the
// place of the selection, also if a store to that memory is before it.
static void freeze_masked_loads(Module &module) {
  for (Function &function : module)
    if (function.getIntrinsicID() == Intrinsic::masked_load)
      for (User *user : function.users()) {
        auto *load = dyn_cast<CallInst>(user);
        if (!load || none_of(load->users(), [](User *each) { return isa<SelectInst>(each); }))
          continue;
        auto *frozen = new FreezeInst(load, "", std::next(load->getIterator()));
        load->replaceUsesWithIf(frozen, [&](Use &use) { return isa<SelectInst>(use.getUser()); });
      }
}

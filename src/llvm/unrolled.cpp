// Puts the results of LLVM's unrolling into an order that follows from the code.
//
// LLVM 22's unroller goes through hash tables whose keys are addresses: through the exits of a loop when it folds their
// branches, which removes operands of phis, and through blocks whose dominator changes. LoopPeel does the same with the
// phis of an exit. So the order of a phi's operands, of uses, and of the children in the dominator tree differs from one
// run to the next, and later passes write other code.
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PassInstrumentation.h"

using namespace llvm;

namespace {

// Sorts the operands of all phis by the places of the blocks that they come from.
void sort_phis(Function &function) {
  DenseMap<const BasicBlock *, unsigned> places;
  for (BasicBlock &block : function)
    places[&block] = places.size();
  for (BasicBlock &block : function)
    for (PHINode &phi : block.phis()) {
      SmallVector<std::pair<BasicBlock *, Value *>> operands;
      for (unsigned i = 0; i != phi.getNumIncomingValues(); ++i)
        operands.push_back({phi.getIncomingBlock(i), phi.getIncomingValue(i)});
      stable_sort(operands, [&](auto &one, auto &other) { return places[one.first] < places[other.first]; });
      for (auto [i, operand] : enumerate(operands)) {
        phi.setIncomingBlock(i, operand.first);
        phi.setIncomingValue(i, operand.second);
      }
    }
}

// Sorts the uses of values by the instructions of a function: the last comes first. Uses elsewhere, which constants have,
// follow as they were.
void sort_uses_in(Function &function) {
  DenseMap<const User *, size_t> places;
  SetVector<Value *> values;
  for (Instruction &instruction : instructions(function)) {
    places[&instruction] = places.size() + 1;
    for (Value *operand : instruction.operand_values())
      if (operand->hasUseList() && operand->hasNUsesOrMore(2))
        values.insert(operand);
  }
  for (Value *value : values) {
    DenseMap<const Use *, size_t> others;
    for (Use &use : value->uses())
      if (!places.contains(use.getUser()))
        others[&use] = others.size();
    value->sortUseList([&](const Use &one, const Use &other) {
      size_t here = places.lookup(one.getUser()), there = places.lookup(other.getUser());
      if (!here && !there)
        return others.lookup(&one) < others.lookup(&other);
      return here != there ? here > there : one.getOperandNo() > other.getOperandNo();
    });
  }
}

bool is_unroller(StringRef pass) { return pass == "LoopUnrollPass" || pass == "LoopFullUnrollPass"; }

// Sorts the function after each pass that has unrolled loops of it.
class UnrolledOrder {
  FunctionAnalysisManager &analyses;
  Function *function = nullptr;

  void sort(StringRef pass, const PreservedAnalyses &preserved) {
    if (!is_unroller(pass) || preserved.areAllPreserved())
      return;
    sort_phis(*function);
    sort_uses_in(*function);
    if (auto *tree = analyses.getCachedResult<DominatorTreeAnalysis>(*function))
      tree->recalculate(*function);
  }

public:
  explicit UnrolledOrder(FunctionAnalysisManager &analyses) : analyses(analyses) {}

  void add_to(PassInstrumentationCallbacks &callbacks) {
    // A loop that was unrolled completely does not exist after the pass.
    callbacks.registerBeforeNonSkippedPassCallback([this](StringRef pass, Any unit) {
      if (!is_unroller(pass))
        return;
      if (const Loop *const *loop = any_cast<const Loop *>(&unit))
        function = (*loop)->getHeader()->getParent();
      else if (const Function *const *whole = any_cast<const Function *>(&unit))
        function = const_cast<Function *>(*whole);
    });
    callbacks.registerAfterPassCallback(
        [this](StringRef pass, Any, const PreservedAnalyses &preserved) { sort(pass, preserved); });
    callbacks.registerAfterPassInvalidatedCallback(
        [this](StringRef pass, const PreservedAnalyses &preserved) { sort(pass, preserved); });
  }
};

} // namespace

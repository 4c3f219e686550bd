// Indices that some threads lack. Declared in shim.rs; src/passes/launch/compare_indices.rs describes the result.
#include "llvm-c/Core.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

// A value if a condition holds, and the largest number otherwise.
class Choice {
  SelectInst &choice;
  DominatorTree &tree;
  Value *condition = nullptr, *value = nullptr;

public:
  Choice(SelectInst &choice, DominatorTree &tree) : choice(choice), tree(tree) {}

  bool is_index() {
    return match(&choice, m_Select(m_Value(condition), m_Value(value), m_AllOnes())) &&
           choice.getType()->isIntegerTy() && condition->getType()->isIntegerTy();
  }

  void split() {
    for (User *user : make_early_inc_range(choice.users()))
      if (auto *compare = dyn_cast<ICmpInst>(user))
        split(*compare);
    for (Use &use : make_early_inc_range(choice.uses())) {
      auto *user = cast<Instruction>(use.getUser());
      auto *phi = dyn_cast<PHINode>(user);
      if (holds_in(phi ? phi->getIncomingBlock(use) : user->getParent()))
        use.set(value);
    }
    if (choice.use_empty())
      choice.eraseFromParent();
  }

private:
  // Makes a comparison of the choice with a limit one of the value, and a condition.
  void split(ICmpInst &compare) {
    bool is_first = compare.getOperand(0) == &choice;
    Value *limit = compare.getOperand(is_first ? 1 : 0);
    CmpInst::Predicate predicate = is_first ? compare.getPredicate() : compare.getSwappedPredicate();
    if (limit == &choice || (predicate != ICmpInst::ICMP_ULT && predicate != ICmpInst::ICMP_UGE))
      return;
    IRBuilder<> builder(&compare);
    // The value may be poison in threads without an index.
    Value *below = builder.CreateFreeze(builder.CreateICmpULT(value, limit));
    Value *both = builder.CreateAnd(condition, below);
    compare.replaceAllUsesWith(predicate == ICmpInst::ICMP_ULT ? both : builder.CreateNot(both));
    compare.eraseFromParent();
  }

  // Whether a branch on every path to a block implies that the condition holds.
  bool holds_in(BasicBlock *block) const {
    for (auto *node = tree.getNode(block); node && node->getIDom(); node = node->getIDom()) {
      BasicBlock *from = node->getIDom()->getBlock();
      auto *branch = dyn_cast<BranchInst>(from->getTerminator());
      if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1))
        continue;
      for (unsigned side : {0, 1})
        if (tree.dominates(BasicBlockEdge(from, branch->getSuccessor(side)), block) &&
            says(branch->getCondition(), side == 0))
          return true;
    }
    return false;
  }

  // Whether a condition with this result implies that the choice's condition holds.
  bool says(Value *known, bool result) const {
    Value *left, *right;
    if (match(known, m_Not(m_Value(left))))
      return says(left, !result);
    if (result ? match(known, m_LogicalAnd(m_Value(left), m_Value(right)))
               : match(known, m_LogicalOr(m_Value(left), m_Value(right))))
      return says(left, result) || says(right, result);
    return result && known == condition;
  }
};

} // namespace

extern "C" {

// Separates comparisons of indices from the conditions for the indices.
void ofc_compare_indices(LLVMValueRef ref) {
  auto &function = *cast<Function>(unwrap(ref));
  DominatorTree tree(function);
  SmallVector<SelectInst *, 4> selects;
  for (Instruction &each : instructions(function))
    if (auto *select = dyn_cast<SelectInst>(&each))
      selects.push_back(select);
  for (SelectInst *select : selects)
    if (Choice choice(*select, tree); choice.is_index())
      choice.split();
}
}

// Loops with a counter in addition to an index. Declared in shim.rs; src/passes/loops/drop_counters.rs describes the
// result.
#include "llvm-c/Core.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

// A number without its extension to more bits.
Value *narrow(Value *value) {
  Value *inner;
  return match(value, m_ZExt(m_Value(inner))) ? inner : value;
}

// A quotient that is rounded up, as a number of steps: `distance` is not below 0.
struct Quotient {
  Value *distance = nullptr;
  Value *step = nullptr;

  // Whether the value is `distance / step`, rounded down.
  bool divides(Value *value) {
    const APInt *shift;
    if (match(value, m_UDiv(m_Value(distance), m_Value(step))))
      return true;
    if (!match(value, m_LShr(m_Value(distance), m_APInt(shift))) || shift->uge(shift->getBitWidth()))
      return false;
    step = ConstantInt::get(value->getType(), APInt::getOneBitSet(shift->getBitWidth(), shift->getZExtValue()));
    return true;
  }

  // Whether the value is the remainder of that division.
  bool remains(Value *value) const {
    if (match(value, m_URem(m_Specific(distance), m_Specific(step))))
      return true;
    auto *constant = dyn_cast<ConstantInt>(step);
    return constant && constant->getValue().isPowerOf2() &&
           match(value, m_And(m_Specific(distance), m_SpecificInt(constant->getValue() - 1)));
  }

  bool is_step(uint64_t number) const {
    auto *constant = dyn_cast<ConstantInt>(step);
    return constant && constant->equalsInt(number);
  }

  // Whether the value is the quotient.
  bool is(Value *value) {
    Value *a, *b, *sum;
    const APInt *more;
    if (match(value, m_Add(m_Value(a), m_Value(b))))
      for (auto [down, rest] : {std::pair(a, b), std::pair(b, a)}) {
        Value *remainder;
        if (!divides(down))
          continue;
        if (match(rest, m_ZExt(m_SpecificICmp(ICmpInst::ICMP_NE, m_Value(remainder), m_Zero()))) && remains(remainder))
          return true;
        // The remainder is one bit.
        if (is_step(2) && remains(rest))
          return true;
      }
    if (match(value, m_Sub(m_Value(distance), m_LShr(m_Deferred(distance), m_One())))) {
      step = ConstantInt::get(value->getType(), 2);
      return true;
    }
    if (!divides(value))
      return false;
    sum = distance;
    return match(sum, m_NUWAdd(m_Value(distance), m_APInt(more))) && isa<ConstantInt>(step) &&
           cast<ConstantInt>(step)->getValue() == *more + 1;
  }
};

class Counted {
  Loop &loop;
  DominatorTree &tree;
  AssumptionCache &assumptions;
  BasicBlock *before = nullptr, *latch = nullptr;
  PHINode *counter = nullptr, *index = nullptr;
  // The counter after its change, and its comparison with 0.
  Instruction *less = nullptr;
  ICmpInst *test = nullptr;
  // The first value of the counter, and the values with the same number, which the loop has as iterations.
  SmallVector<Value *, 4> counts;
  // The index runs from the start to before the end.
  Value *start = nullptr, *end = nullptr, *step = nullptr;
  // The step where the distance is divided by it.
  Value *divisor = nullptr;
  // Whether the distance from start to end is 0 if the end is below the start.
  bool is_saturated = false;

public:
  Counted(Loop &loop, DominatorTree &tree, AssumptionCache &assumptions)
      : loop(loop), tree(tree), assumptions(assumptions) {}

  // Whether the loop has a counter that can be dropped.
  bool finds() {
    before = loop.getLoopPredecessor();
    latch = loop.getLoopLatch();
    if (!before || !latch)
      return false;
    for (PHINode &phi : loop.getHeader()->phis()) {
      counter = &phi;
      if (is_counter() && finds_index() && has_iterations())
        return true;
    }
    return false;
  }

  // Computes the number of iterations without the case of no iteration, in which the number must not be read.
  void simplify_count() {
    auto *count = cast<Instruction>(counts.front());
    if (!is_saturated || counts.size() != 1 || end->getType() != count->getType() || !match(count, m_Add(m_Value(), m_Value())))
      return;
    for (Use &use : count->uses())
      if (!is_comparison_with_zero(use.getUser()) && !has_iterations(use))
        return;
    compare_ends();
    IRBuilder<> builder(count);
    Value *last = builder.CreateSub(builder.CreateSub(end, start), ConstantInt::get(count->getType(), 1));
    Value *steps = builder.CreateUDiv(last, divisor);
    count->replaceAllUsesWith(builder.CreateAdd(steps, ConstantInt::get(count->getType(), 1)));
    RecursivelyDeleteTriviallyDeadInstructions(count);
  }

  // Adds the branches whose conditions are known then to `decided`.
  void drop(SmallVectorImpl<BranchInst *> &decided) {
    WeakTrackingVH count = counts.front();
    compare_ends();
    Value *ends = end_test();
    test->replaceAllUsesWith(ends);
    RecursivelyDeleteTriviallyDeadInstructions(test);
    RecursivelyDeleteDeadPHINode(counter);
    if (count)
      RecursivelyDeleteTriviallyDeadInstructions(count);
    fold_comparisons(decided);
    keep_one_body();
  }

private:
  // Whether the counter does nothing but end the loop, when it becomes 0.
  bool is_counter() {
    if (!counter->getType()->isIntegerTy() || counter->getType()->getIntegerBitWidth() > 64)
      return false;
    less = dyn_cast<Instruction>(counter->getIncomingValueForBlock(latch));
    if (!less || !match(less, m_Add(m_Specific(counter), m_AllOnes())) || !counter->hasOneUse() ||
        !less->hasNUses(2))
      return false;
    test = nullptr;
    for (User *user : less->users())
      if (user != counter)
        test = dyn_cast<ICmpInst>(user);
    if (!test || !test->isEquality() || !match(test->getOperand(1), m_Zero()) || !test->hasOneUse())
      return false;
    auto *branch = dyn_cast<BranchInst>(test->user_back());
    if (!branch || !branch->isConditional() || !tree.dominates(branch->getParent(), latch))
      return false;
    // An inner loop would come here more than once.
    for (Loop *inner : loop.getSubLoops())
      if (inner->contains(branch->getParent()))
        return false;
    bool is_zero = test->getPredicate() == ICmpInst::ICMP_EQ;
    return !loop.contains(branch->getSuccessor(is_zero ? 0 : 1)) && loop.contains(branch->getSuccessor(is_zero ? 1 : 0));
  }

  bool finds_index() {
    Value *count = counter->getIncomingValueForBlock(before);
    counts.assign(1, count);
    unsigned width = counter->getType()->getIntegerBitWidth();
    bool is_whole = true;
    if (auto *truncated = dyn_cast<TruncInst>(count)) {
      is_whole = truncated->hasNoUnsignedWrap();
      counts.push_back(count = truncated->getOperand(0));
    } else if (narrow(count) != count) {
      counts.push_back(count = narrow(count));
    }
    Quotient quotient;
    if (!isa<Instruction>(counts.front()) || !quotient.is(count))
      return false;
    divisor = quotient.step;
    Value *distance = narrow(quotient.distance);
    if (!is_whole && distance->getType()->getIntegerBitWidth() > width)
      return false;
    for (PHINode &phi : loop.getHeader()->phis())
      if (&phi != counter && phi.getType() == distance->getType() && changes(phi, quotient.step) && spans(phi, distance)) {
        index = &phi;
        return true;
      }
    return false;
  }

  // Whether a number changes by the step in each iteration.
  bool changes(PHINode &phi, Value *by) {
    Value *added;
    if (!match(phi.getIncomingValueForBlock(latch), m_c_Add(m_Specific(&phi), m_Value(added))))
      return false;
    const APInt *mine, *other;
    step = added;
    if (match(added, m_APInt(mine)) && match(by, m_APInt(other)))
      return !mine->isZero() && mine->getActiveBits() <= 64 && other->getActiveBits() <= 64 &&
             mine->getZExtValue() == other->getZExtValue();
    return added == by;
  }

  // Whether the distance is that from the first value of the number to an end.
  bool spans(PHINode &phi, Value *distance) {
    start = phi.getIncomingValueForBlock(before);
    is_saturated = true;
    if (match(start, m_Zero())) {
      end = distance;
      return true;
    }
    if (match(distance, m_Intrinsic<Intrinsic::usub_sat>(m_Value(end), m_Specific(start))) ||
        match(distance, m_Sub(m_c_UMax(m_Value(end), m_Specific(start)), m_Specific(start))))
      return true;
    is_saturated = false;
    return match(distance, m_Sub(m_Value(end), m_Specific(start)));
  }

  // Whether a branch before the loop implies that the end is above the start.
  bool has_iterations() const { return has_iterations(before, loop.getHeader()); }

  // The same where a value is used.
  bool has_iterations(const Use &use) const {
    auto *user = cast<Instruction>(use.getUser());
    auto *phi = dyn_cast<PHINode>(user);
    return phi ? has_iterations(phi->getIncomingBlock(use), phi->getParent()) : has_iterations(user->getParent(), nullptr);
  }

  // The same at the end of a block, on the way to another one if that is not null.
  bool has_iterations(BasicBlock *at, BasicBlock *to) const {
    for (auto *node = tree.getNode(at); node; node = node->getIDom()) {
      auto *branch = dyn_cast<BranchInst>(node->getBlock()->getTerminator());
      if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1))
        continue;
      for (unsigned side : {0, 1}) {
        BasicBlock *next = branch->getSuccessor(side);
        bool passes = node->getBlock() == at ? next == to : tree.dominates(BasicBlockEdge(node->getBlock(), next), at);
        if (passes && says(branch->getCondition(), side == 0))
          return true;
      }
    }
    return false;
  }

  // Whether a condition with this result implies that the end is above the start.
  bool says(Value *condition, bool result) const {
    Value *left, *right;
    if (result ? match(condition, m_LogicalAnd(m_Value(left), m_Value(right)))
               : match(condition, m_LogicalOr(m_Value(left), m_Value(right))))
      return says(left, result) || says(right, result);
    auto *compare = dyn_cast<ICmpInst>(condition);
    if (!compare)
      return false;
    CmpInst::Predicate predicate = result ? compare->getPredicate() : compare->getInversePredicate();
    left = compare->getOperand(0), right = compare->getOperand(1);
    if (predicate == ICmpInst::ICMP_NE && match(right, m_Zero()))
      return is_saturated && (is_count(left) || (left == end && match(start, m_Zero())));
    return (predicate == ICmpInst::ICMP_UGT && left == end && right == start) ||
           (predicate == ICmpInst::ICMP_ULT && left == start && right == end);
  }

  static bool is_comparison_with_zero(User *user) {
    auto *compare = dyn_cast<ICmpInst>(user);
    return compare && compare->isEquality() && match(compare->getOperand(1), m_Zero());
  }

  bool is_count(Value *value) const { return is_contained(counts, value); }

  // Makes comparisons of the count with 0 comparisons of both ends, which need no count.
  void compare_ends() {
    if (!is_saturated)
      return;
    for (Value *count : counts)
      for (User *user : make_early_inc_range(count->users())) {
        if (!is_comparison_with_zero(user) || user == test)
          continue;
        auto *compare = cast<ICmpInst>(user);
        bool is_zero = compare->getPredicate() == ICmpInst::ICMP_EQ;
        IRBuilder<> builder(compare);
        compare->replaceAllUsesWith(builder.CreateICmp(is_zero ? ICmpInst::ICMP_ULE : ICmpInst::ICMP_UGT, end, start));
        compare->eraseFromParent();
      }
  }

  // The largest number that a value may be where the loop begins.
  APInt largest(Value *value) const {
    Instruction *at = before->getTerminator();
    SimplifyQuery query(at->getDataLayout(), &tree, &assumptions, at);
    return computeConstantRangeIncludingKnownBits(value, /*ForSigned=*/false, query).getUnsignedMax();
  }

  // The test of the loop's end without the counter, with the sense of the old one.
  Value *end_test() {
    bool leaves = test->getPredicate() == ICmpInst::ICMP_EQ;
    ICmpInst::Predicate predicate = leaves ? ICmpInst::ICMP_UGE : ICmpInst::ICMP_ULT;
    IRBuilder<> at_test(test);
    auto *next = cast<Instruction>(index->getIncomingValueForBlock(latch));
    bool wraps;
    (void)largest(end).uadd_ov(largest(step), wraps);
    if (!wraps) {
      // It is below the end before it is changed.
      next->setHasNoUnsignedWrap();
      if (tree.dominates(next, test))
        return at_test.CreateICmp(predicate, next, end);
    }
    IRBuilder<> builder(cast<Instruction>(counts.front()));
    Value *least = builder.CreateBinaryIntrinsic(Intrinsic::umax, end, step);
    return at_test.CreateICmp(predicate, index, builder.CreateNUWSub(least, step));
  }

  // Comparisons of the index with the end within the loop.
  void fold_comparisons(SmallVectorImpl<BranchInst *> &decided) {
    for (User *user : make_early_inc_range(index->users())) {
      auto *compare = dyn_cast<ICmpInst>(user);
      if (!compare || !loop.contains(compare))
        continue;
      bool is_first = compare->getOperand(0) == index;
      if (compare->getOperand(is_first ? 1 : 0) != end)
        continue;
      CmpInst::Predicate predicate = is_first ? compare->getPredicate() : compare->getSwappedPredicate();
      if (predicate != ICmpInst::ICMP_ULT && predicate != ICmpInst::ICMP_UGE)
        continue;
      for (User *branch : compare->users())
        if (isa<BranchInst>(branch))
          decided.push_back(cast<BranchInst>(branch));
      compare->replaceAllUsesWith(ConstantInt::getBool(compare->getContext(), predicate == ICmpInst::ICMP_ULT));
      compare->eraseFromParent();
    }
  }

  // Several copies of the body would need the number of iterations, unless the program asks for them.
  void keep_one_body() {
    LLVMContext &context = loop.getHeader()->getContext();
    MDNode *id = loop.getLoopID();
    for (unsigned i = 1; id && i < id->getNumOperands(); ++i)
      if (auto *hint = dyn_cast<MDNode>(id->getOperand(i)); hint && hint->getNumOperands())
        if (auto *name = dyn_cast<MDString>(hint->getOperand(0)); name && name->getString().starts_with("llvm.loop.unroll"))
          return;
    MDNode *hint = MDNode::get(context, MDString::get(context, "llvm.loop.unroll.runtime.disable"));
    loop.setLoopID(makePostTransformationMetadata(context, id, {}, {hint}));
  }
};

} // namespace

extern "C" {

// Ends loops by their index and not by a counter.
void ofc_drop_counters(LLVMValueRef ref) {
  auto &function = *cast<Function>(unwrap(ref));
  DominatorTree tree(function);
  LoopInfo loops(tree);
  AssumptionCache assumptions(function);
  SmallVector<BranchInst *, 4> decided;
  for (Loop *loop : loops.getLoopsInPreorder()) {
    Counted counted(*loop, tree, assumptions);
    if (counted.finds())
      counted.drop(decided);
  }
  for (BranchInst *branch : decided)
    ConstantFoldTerminator(branch->getParent());
  if (!decided.empty())
    removeUnreachableBlocks(function);
}

// Computes the numbers of loops' iterations as they are computed where there are some.
void ofc_simplify_counts(LLVMValueRef ref) {
  auto &function = *cast<Function>(unwrap(ref));
  DominatorTree tree(function);
  LoopInfo loops(tree);
  AssumptionCache assumptions(function);
  for (Loop *loop : loops.getLoopsInPreorder()) {
    Counted counted(*loop, tree, assumptions);
    if (counted.finds())
      counted.simplify_count();
  }
}
}

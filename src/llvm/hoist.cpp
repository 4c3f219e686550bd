// Decides checks of a loop before the loop, with LLVM's scalar evolution. Declared in shim.rs; src/passes/panic/
// hoist_checks.rs describes the result.
//
// A check compares a value that a loop changes by the same step in each iteration with one that the loop does not
// change, and a thread panics unless the comparison holds. If it holds in the first and in the last iteration, and the
// value does not wrap around in between, it holds in all of them. All of this is computed in front of the loop. No flag
// of an instruction (`nuw`) is trusted for that: a flag holds only for the iterations that are executed.
//
// A step that is no constant, such as the width of a matrix, is a number without a sign, and must be small.
#include "llvm-c/Core.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

#include <algorithm>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

// A loop with more instructions is not copied.
constexpr unsigned MOST_COPIED = 400;
// More loops of a function are not copied: all analyses are made anew after each copy.
constexpr unsigned MOST_COPIES = 64;
// Further loops of a function are skipped. Scalar evolution examines the conditions in front of a loop, and compares
// each with those of other loops, so the time grows with the third power of their number: 14 seconds for 400.
constexpr unsigned MOST_LOOPS = 128;
// Products of two numbers below this one, and their sum with an address-sized number, are computed without overflow.
constexpr uint64_t MOST_ITERATIONS = uint64_t(1) << 31;

// The analyses of a function.
struct Analyses {
  DominatorTree tree;
  LoopInfo loops;
  AssumptionCache assumptions;
  TargetLibraryInfoImpl library;
  TargetLibraryInfo functions;
  ScalarEvolution evolution;

  explicit Analyses(Function &function)
      : tree(function), loops(tree), assumptions(function), library(function.getParent()->getTargetTriple()),
        functions(library), evolution(function, functions, assumptions, tree, loops) {}
};

// A comparison that holds unless the thread panics: `value` changes by its step in each iteration.
struct Comparison {
  const SCEVAddRecExpr *value;
  const SCEV *limit;
  CmpPredicate predicate;
};

// A branch with one side that ends the thread.
struct Check {
  BranchInst *branch;
  // The successor within the loop.
  unsigned next;
  SmallVector<Comparison, 2> comparisons;
};

// Whether a block does nothing but end the thread, perhaps after a branch to a block that it shares with others.
bool panics(BasicBlock *block) {
  for (unsigned steps = 0; steps != 4; ++steps) {
    if (isa<UnreachableInst>(block->getTerminator()))
      return true;
    block = block->getSingleSuccessor();
    if (!block)
      return false;
  }
  return false;
}

// The loops of a function that are looked at.
SmallVector<Loop *, 8> first_loops(Analyses &of) {
  SmallVector<Loop *, 8> loops(of.loops.getLoopsInPreorder());
  if (loops.size() > MOST_LOOPS)
    loops.truncate(MOST_LOOPS);
  return loops;
}

class Versioning {
  Function &function;
  Analyses &of;
  Loop &loop;
  // How often the latch of the loop is passed at most, as a value in front of the loop.
  const SCEV *count = nullptr;
  // Checks after this block are executed one time less than the latch.
  BasicBlock *counted = nullptr;
  SmallVector<Check, 4> checks;

public:
  Versioning(Function &function, Analyses &analyses, Loop &loop) : function(function), of(analyses), loop(loop) {}

  // Whether there is a check that can be decided in front of the loop.
  bool finds_checks() {
    if (!loop.getLoopPredecessor() || !loop.getLoopLatch() || !may_be_copied() || !find_count())
      return false;
    for (BasicBlock *block : loop.blocks())
      if (of.loops.getLoopFor(block) == &loop)
        add_check(block, [&](const SCEV *value, const SCEV *limit, CmpPredicate predicate, Check &check) {
          return add_comparison(value, limit, predicate, check);
        }, checks);
    return !checks.empty();
  }

  // Drops the checks of the loop that always hold, such as those of an index that the size of a block bounds.
  bool drop_proven() {
    SmallVector<Check, 4> proven;
    for (BasicBlock *block : loop.blocks())
      if (of.loops.getLoopFor(block) == &loop)
        add_check(block, [&](const SCEV *value, const SCEV *limit, CmpPredicate predicate, Check &) {
          return of.evolution.isKnownPredicate(predicate, value, limit);
        }, proven);
    for (Check &check : proven)
      drop(check);
    return !proven.empty();
  }

  // Copies the loop. The original becomes the one without the checks. Adds the headers of the copied loops to `copies`.
  // If there is a `ballot`, all lanes of a wave take the same one.
  void copy(SmallPtrSetImpl<BasicBlock *> &copies, Intrinsic::ID ballot) {
    simplifyLoop(&loop, &of.tree, &of.loops, &of.evolution, &of.assumptions, nullptr, false);
    formLCSSARecursively(loop, of.tree, &of.loops, &of.evolution);
    BasicBlock *before = SplitBlock(loop.getLoopPreheader(), loop.getLoopPreheader()->getTerminator(), &of.tree,
                                    &of.loops)->getSinglePredecessor();
    Value *holds = decide(before->getTerminator());
    BasicBlock *start = loop.getLoopPreheader();
    ValueToValueMapTy copied;
    SmallVector<BasicBlock *, 16> originals{start};
    append_range(originals, loop.blocks());
    SmallVector<BasicBlock *, 16> blocks;
    for (BasicBlock *block : originals) {
      BasicBlock *copy = CloneBasicBlock(block, copied, ".checked", &function);
      copied[block] = copy;
      blocks.push_back(copy);
    }
    remapInstructionsInBlocks(blocks, copied);
    SmallVector<BasicBlock *, 8> exits;
    loop.getUniqueExitBlocks(exits);
    for (BasicBlock *exit : exits)
      for (PHINode &phi : exit->phis())
        for (unsigned i = 0, known = phi.getNumIncomingValues(); i != known; ++i)
          if (loop.contains(phi.getIncomingBlock(i))) {
            Value *value = phi.getIncomingValue(i);
            Value *same = copied.lookup(value);
            phi.addIncoming(same ? same : value, cast<BasicBlock>(copied.lookup(phi.getIncomingBlock(i))));
          }
    mark_copies(copied, copies);
    Instruction *end = before->getTerminator();
    IRBuilder<> builder(end);
    if (ballot) {
      Value *others = builder.CreateIntrinsic(builder.getInt64Ty(), ballot, builder.CreateNot(holds));
      holds = builder.CreateICmpEQ(others, builder.getInt64(0));
    }
    MDNode *weights = MDBuilder(function.getContext()).createLikelyBranchWeights();
    builder.CreateCondBr(holds, start, cast<BasicBlock>(copied.lookup(start)), weights);
    end->eraseFromParent();
    for (Check &check : checks)
      drop(check);
  }

private:
  bool may_be_copied() const {
    unsigned instructions = 0;
    for (BasicBlock *block : loop.blocks())
      for (Instruction &each : *block) {
        auto *call = dyn_cast<CallBase>(&each);
        // Threads would wait for each other at different calls.
        if (call && (call->isConvergent() || call->cannotDuplicate()))
          return false;
        ++instructions;
      }
    return instructions <= MOST_COPIED && loop.isSafeToClone();
  }

  // Whether a value can be computed in front of the loop, at little cost.
  bool is_known_before(const SCEV *value) {
    auto is_costly = [](const SCEV *part) {
      auto *quotient = dyn_cast<SCEVUDivExpr>(part);
      return quotient && !isa<SCEVConstant>(quotient->getRHS());
    };
    // The recurrence of an outer loop cannot be computed without a block in front of that loop.
    return of.evolution.isAvailableAtLoopEntry(value, &loop) && !SCEVExprContains(value, is_costly) &&
           SCEVExpander(of.evolution, "hoisted").isSafeToExpand(value) &&
           value->getType()->isIntegerTy() && value->getType()->getIntegerBitWidth() <= 64;
  }

  bool find_count() {
    BasicBlock *latch = loop.getLoopLatch();
    SmallVector<BasicBlock *, 8> exiting;
    loop.getExitingBlocks(exiting);
    std::stable_partition(exiting.begin(), exiting.end(), [&](BasicBlock *block) { return block == latch; });
    for (BasicBlock *block : exiting) {
      bool leaves = !any_of(successors(block), [&](BasicBlock *next) { return !loop.contains(next) && panics(next); });
      if (!leaves || !of.tree.dominates(block, latch) || of.loops.getLoopFor(block) != &loop)
        continue;
      const SCEV *exact = of.evolution.getExitCount(&loop, block);
      if (isa<SCEVCouldNotCompute>(exact) || !is_known_before(exact))
        continue;
      count = exact;
      counted = block;
      return true;
    }
    return false;
  }

  // Whether a comparison of a check is of the form that is wanted. It may be added to the check.
  using Accepts = function_ref<bool(const SCEV *, const SCEV *, CmpPredicate, Check &)>;

  // Adds the check at the end of a block, if all its comparisons are accepted.
  void add_check(BasicBlock *block, Accepts accepts, SmallVectorImpl<Check> &found) {
    auto *branch = dyn_cast<BranchInst>(block->getTerminator());
    if (!branch || !branch->isConditional())
      return;
    for (unsigned side : {0, 1}) {
      BasicBlock *other = branch->getSuccessor(side);
      if (loop.contains(other) || !panics(other) || !loop.contains(branch->getSuccessor(1 - side)))
        continue;
      Check check{branch, 1 - side, {}};
      if (are_accepted(branch->getCondition(), side == 1, accepts, check))
        found.push_back(check);
    }
  }

  // Whether all comparisons that hold if a condition is `wanted` are accepted.
  bool are_accepted(Value *condition, bool wanted, Accepts accepts, Check &check) {
    Value *left, *right;
    if (match(condition, m_Not(m_Value(left))))
      return are_accepted(left, !wanted, accepts, check);
    bool splits = wanted ? match(condition, m_LogicalAnd(m_Value(left), m_Value(right)))
                         : match(condition, m_LogicalOr(m_Value(left), m_Value(right)));
    if (splits)
      return are_accepted(left, wanted, accepts, check) && are_accepted(right, wanted, accepts, check);
    auto *compare = dyn_cast<ICmpInst>(condition);
    if (!compare || !compare->getOperand(0)->getType()->isIntegerTy() ||
        compare->getOperand(0)->getType()->getIntegerBitWidth() > 64)
      return false;
    CmpPredicate predicate = compare->getPredicate();
    if (!wanted)
      predicate = ICmpInst::getInversePredicate(predicate);
    const SCEV *value = of.evolution.getSCEVAtScope(compare->getOperand(0), &loop);
    const SCEV *limit = of.evolution.getSCEVAtScope(compare->getOperand(1), &loop);
    return accepts(value, limit, predicate, check);
  }

  // Adds a comparison of a value that changes by the same step with one that does not change.
  bool add_comparison(const SCEV *value, const SCEV *limit, CmpPredicate predicate, Check &check) {
    if (is_known_before(value)) {
      std::swap(value, limit);
      predicate = ICmpInst::getSwappedPredicate(predicate);
    }
    auto *changing = dyn_cast<SCEVAddRecExpr>(value);
    if (!changing || changing->getLoop() != &loop || !changing->isAffine() || !is_known_before(changing->getStart()) ||
        !is_known_before(limit))
      return false;
    const SCEV *step = changing->getStepRecurrence(of.evolution);
    auto *constant = dyn_cast<SCEVConstant>(step);
    if (constant ? constant->getAPInt().abs().uge(MOST_ITERATIONS) : !is_known_before(step))
      return false;
    bool is_unit = constant && (constant->getAPInt().isOne() || constant->getAPInt().isAllOnes());
    if (!(ICmpInst::isUnsigned(predicate) || (predicate == ICmpInst::ICMP_NE && is_unit)))
      return false;
    check.comparisons.push_back({changing, limit, predicate});
    return true;
  }

  // A value in front of the loop, as a number of 64 bits. If it is poison, the original program has undefined behaviour
  // where the value is used, which may be later or never; the number is then any number.
  Value *number(const SCEV *value, SCEVExpander &expander, IRBuilder<> &builder) {
    Value *known = expander.expandCodeFor(value, value->getType(), builder.GetInsertPoint());
    if (!isGuaranteedNotToBeUndefOrPoison(known, &of.assumptions, &*builder.GetInsertPoint(), &of.tree))
      known = builder.CreateFreeze(known);
    return builder.CreateZExt(known, builder.getInt64Ty());
  }

  // Computes whether all comparisons hold in all iterations.
  Value *decide(Instruction *at) {
    SCEVExpander expander(of.evolution, "hoisted");
    IRBuilder<> builder(at);
    Value *all = nullptr, *passes = number(count, expander, builder);
    auto require = [&](Value *condition) { all = all ? builder.CreateAnd(all, condition) : condition; };
    // The number of the last iteration for checks after the exit that counts, and for those before it.
    for (bool behind : {true, false}) {
      if (none_of(checks, [&](const Check &check) { return is_behind(check) == behind; }))
        continue;
      Value *last = behind ? builder.CreateSub(passes, builder.getInt64(1)) : passes;
      require(builder.CreateICmpULT(last, builder.getInt64(MOST_ITERATIONS)));
      for (Check &check : checks)
        if (is_behind(check) == behind)
          for (Comparison &each : check.comparisons)
            require(holds(each, last, expander, builder));
    }
    return all;
  }

  // Whether a check is executed only after the exit that counts was not taken.
  bool is_behind(const Check &check) const {
    BasicBlock *block = check.branch->getParent();
    return block != counted && of.tree.dominates(counted, block);
  }

  // Whether a comparison holds in the iterations up to the last one, whose number is below MOST_ITERATIONS.
  Value *holds(Comparison &each, Value *last, SCEVExpander &expander, IRBuilder<> &builder) {
    const SCEV *step = each.value->getStepRecurrence(of.evolution);
    auto *constant = dyn_cast<SCEVConstant>(step);
    unsigned width = each.value->getType()->getIntegerBitWidth();
    bool grows = !constant || constant->getAPInt().isStrictlyPositive();
    Value *first = number(each.value->getStart(), expander, builder);
    Value *limit = number(each.limit, expander, builder);
    if (each.predicate == ICmpInst::ICMP_NE) {
      Value *distance = grows ? builder.CreateSub(limit, first) : builder.CreateSub(first, limit);
      if (width < 64)
        distance = builder.CreateAnd(distance, builder.getInt64(maskTrailingOnes<uint64_t>(width)));
      return builder.CreateICmpULT(last, distance);
    }
    Value *distance = constant ? builder.getInt64(constant->getAPInt().abs().getZExtValue())
                               : number(step, expander, builder);
    Value *change = builder.CreateMul(last, distance);
    bool below = each.predicate == ICmpInst::ICMP_ULT || each.predicate == ICmpInst::ICMP_ULE;
    Value *end, *stays = nullptr;
    if (grows) {
      end = builder.CreateAdd(first, change);
      // The sum does not wrap around if the first value is below 2^63. In fewer bits, the limit is the largest number.
      bool is_small = of.evolution.getUnsignedRangeMax(each.value->getStart()).zext(65).ult(APInt(65, 1).shl(63));
      if (!is_small)
        stays = builder.CreateICmpUGE(end, first);
      if (width < 64 && !below)
        stays = builder.CreateICmpULE(end, builder.getInt64(maskTrailingOnes<uint64_t>(width)));
      if (!constant) {
        Value *is_small_step = builder.CreateICmpULT(distance, builder.getInt64(MOST_ITERATIONS));
        stays = stays ? builder.CreateAnd(stays, is_small_step) : is_small_step;
      }
    } else {
      stays = builder.CreateICmpULE(change, first);
      end = builder.CreateSub(first, change);
    }
    Value *compared = builder.CreateICmp(each.predicate, below == grows ? end : first, limit);
    return stays ? builder.CreateAnd(stays, compared) : compared;
  }

  // The copies are executed by threads that panic, so they stay small.
  void mark_copies(ValueToValueMapTy &copied, SmallPtrSetImpl<BasicBlock *> &copies) {
    for (Loop *each : loop.getLoopsInPreorder()) {
      auto *header = cast<BasicBlock>(copied.lookup(each->getHeader()));
      copies.insert(header);
      SmallVector<BasicBlock *, 4> latches;
      each->getLoopLatches(latches);
      for (BasicBlock *latch : latches)
        cast<BasicBlock>(copied.lookup(latch))->getTerminator()->setMetadata(LLVMContext::MD_loop, unrolled());
    }
  }

  MDNode *unrolled() const {
    LLVMContext &context = function.getContext();
    MDNode *disabled = MDNode::get(context, MDString::get(context, "llvm.loop.unroll.disable"));
    MDNode *id = MDNode::getDistinct(context, {nullptr, disabled});
    id->replaceOperandWith(0, id);
    return id;
  }

  void drop(Check &check) {
    BasicBlock *block = check.branch->getParent(), *next = check.branch->getSuccessor(check.next);
    check.branch->getSuccessor(1 - check.next)->removePredecessor(block);
    IRBuilder<>(check.branch).CreateBr(next);
    check.branch->eraseFromParent();
  }
};

} // namespace

extern "C" {

// A clone of blocks in their function, the first of which is reached from `from`. Phis keep the values from there, and
// from the blocks themselves. Returns the clone of the first block.
LLVMBasicBlockRef ofc_clone_blocks(LLVMBasicBlockRef from, LLVMBasicBlockRef *list, size_t count) {
  ValueToValueMapTy map;
  SmallVector<BasicBlock *> copies;
  for (size_t i = 0; i < count; ++i) {
    copies.push_back(CloneBasicBlock(unwrap(list[i]), map, "", unwrap(from)->getParent()));
    map[unwrap(list[i])] = copies.back();
  }
  for (BasicBlock *copy : copies)
    for (PHINode &phi : copy->phis())
      for (unsigned i = phi.getNumIncomingValues(); i-- > 0;)
        if (phi.getIncomingBlock(i) != unwrap(from) && !map.count(phi.getIncomingBlock(i)))
          phi.removeIncomingValue(i, /*DeletePHIIfEmpty=*/false);
  remapInstructionsInBlocks(copies, map);
  return wrap(copies.front());
}

// Decides checks of the loops of a function in front of them. `ballot` is the name of an intrinsic that
// returns the lanes for which a condition holds, in 64 bits, or empty.
void ofc_hoist_checks(LLVMValueRef ref, const char *ballot) {
  auto &function = *cast<Function>(unwrap(ref));
  bool drops = false;
  {
    // The results of the analyses remain true if exits that are never taken are dropped.
    Analyses analyses(function);
    for (Loop *loop : first_loops(analyses))
      drops |= Versioning(function, analyses, *loop).drop_proven();
  }
  if (drops)
    removeUnreachableBlocks(function);
  SmallPtrSet<BasicBlock *, 8> done;
  unsigned copied = 0;
  for (bool changed = true; changed && copied != MOST_COPIES;) {
    changed = false;
    Analyses analyses(function);
    for (Loop *loop : first_loops(analyses)) {
      if (!done.insert(loop->getHeader()).second)
        continue;
      Versioning versioning(function, analyses, *loop);
      if (versioning.finds_checks()) {
        versioning.copy(done, *ballot ? Intrinsic::lookupIntrinsicID(ballot) : Intrinsic::not_intrinsic);
        ++copied;
        changed = true;
        break;
      }
    }
  }
}
}

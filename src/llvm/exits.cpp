// Loops with two exits to one block. Declared in shim.rs; src/passes/loops/merge_exits.rs describes the result.
#include "llvm-c/Core.h"
#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

// The instructions of a condition that are executed once more in the last iteration.
constexpr unsigned MOST_COMPUTED = 8;

// The most conditions of a loop that are merged with the last one.
constexpr unsigned MOST_CONDITIONS = 4;

// Whether an instruction is short, and may be executed where its result is not needed.
bool is_cheap(const Instruction &each) {
  if (each.isIntDivRem() || each.getOpcode() == Instruction::FDiv || each.getOpcode() == Instruction::FRem)
    return false;
  return isa<BinaryOperator, UnaryOperator, CmpInst, CastInst, SelectInst, GetElementPtrInst, FreezeInst,
             ExtractElementInst, InsertElementInst, ShuffleVectorInst, ExtractValueInst, InsertValueInst>(each);
}

// The values of a header in other places.
using Values = DenseMap<Value *, Value *>;

class Exits {
  Loop &loop;
  LoopInfo &loops;
  BasicBlock *header, *latch = nullptr, *before = nullptr, *exit = nullptr, *body = nullptr;
  BranchInst *first = nullptr, *second = nullptr;
  SmallVector<Instruction *, MOST_COMPUTED> computed;

public:
  Exits(Loop &loop, LoopInfo &loops) : loop(loop), loops(loops), header(loop.getHeader()) {}

  // Whether the header and the latch leave for the same block, and the header does nothing but decide.
  bool meet() {
    latch = loop.getLoopLatch();
    before = loop.getLoopPredecessor();
    if (!latch || !before || latch == header || !isa<BranchInst>(before->getTerminator()) ||
        before->getTerminator()->getNumSuccessors() != (before->getUniqueSuccessor() ? 1 : 2))
      return false;
    if (!finds_branches() || loops.isLoopHeader(exit))
      return false;
    for (Instruction &each : *header) {
      if (isa<PHINode>(each) || &each == first)
        continue;
      if (!is_cheap(each) || computed.size() == MOST_COMPUTED)
        return false;
      computed.push_back(&each);
    }
    return !are_seen_behind() && agree();
  }

  void merge() {
    if (!before->getUniqueSuccessor())
      before = SplitEdge(before, header, nullptr, &loops);
    Values at_start = copy_to(before), at_end = copy_to(latch);
    IRBuilder<> at_begin(before->getTerminator()), at_latch(second);
    Value *begins = condition(at_begin, at_start);
    bool may_skip = !match(begins, m_One());
    for (PHINode &phi : exit->phis()) {
      Value *last = phi.getIncomingValueForBlock(header);
      phi.setIncomingValueForBlock(latch, at_end.lookup_or(last, last));
      if (may_skip)
        phi.addIncoming(at_start.lookup_or(last, last), before);
      phi.removeIncomingValue(header, false);
    }
    if (may_skip) {
      at_begin.CreateCondBr(begins, header, exit);
      before->getTerminator()->eraseFromParent();
    }
    Value *again = second->getCondition();
    if (second->getSuccessor(0) == exit)
      again = at_latch.CreateNot(again);
    // The header's condition may be poison where the latch leaves.
    again = at_latch.CreateLogicalAnd(again, condition(at_latch, at_end));
    BranchInst *branch = at_latch.CreateCondBr(again, header, exit);
    branch->copyMetadata(*second, {LLVMContext::MD_loop});
    second->eraseFromParent();
    IRBuilder<>(first).CreateBr(body);
    first->eraseFromParent();
    keep(at_start, at_end);
    MergeBlockIntoPredecessor(body, nullptr, &loops);
  }

private:
  bool finds_branches() {
    first = dyn_cast<BranchInst>(header->getTerminator());
    second = dyn_cast<BranchInst>(latch->getTerminator());
    if (!first || !second || !first->isConditional() || !second->isConditional())
      return false;
    unsigned leaves = loop.contains(first->getSuccessor(0)) ? 1 : 0;
    exit = first->getSuccessor(leaves), body = first->getSuccessor(1 - leaves);
    if (loop.contains(exit) || !loop.contains(body) || body == header)
      return false;
    return (second->getSuccessor(0) == header && second->getSuccessor(1) == exit) ||
           (second->getSuccessor(1) == header && second->getSuccessor(0) == exit);
  }

  // Whether code after the loop uses a value of the header, other than phis of the exit for the header or the latch.
  // Such code would have to distinguish values of the latch from those of the header.
  bool are_seen_behind() const {
    for (Instruction &each : *header)
      for (Use &use : each.uses()) {
        auto *user = cast<Instruction>(use.getUser());
        auto *phi = dyn_cast<PHINode>(user);
        bool is_exit = phi && phi->getParent() == exit;
        if (is_exit ? phi->getIncomingBlock(use) != header && phi->getIncomingBlock(use) != latch
                    : !loop.contains(phi ? phi->getIncomingBlock(use) : user->getParent()))
          return true;
      }
    return false;
  }

  // Whether the exit gets the same values from the latch as from the header in the next iteration.
  bool agree() const {
    for (PHINode &phi : exit->phis()) {
      Value *mine = phi.getIncomingValueForBlock(latch), *other = phi.getIncomingValueForBlock(header);
      auto *changed = dyn_cast<PHINode>(other);
      if (changed && changed->getParent() == header)
        other = changed->getIncomingValueForBlock(latch);
      else if (auto *own = dyn_cast<Instruction>(other); own && own->getParent() == header)
        return false;
      if (mine != other && !are_equal(mine, other))
        return false;
    }
    return true;
  }

  // Whether the latch leaves only if two numbers are equal.
  bool are_equal(Value *a, Value *b) const {
    auto *compare = dyn_cast<ICmpInst>(second->getCondition());
    bool leaves = second->getSuccessor(0) == exit;
    return compare && compare->getPredicate() == (leaves ? ICmpInst::ICMP_EQ : ICmpInst::ICMP_NE) &&
           compare->getOperand(0)->getType()->isIntegerTy() &&
           ((compare->getOperand(0) == a && compare->getOperand(1) == b) ||
            (compare->getOperand(0) == b && compare->getOperand(1) == a));
  }

  // Copies the computations of the header to the end of a block that branches to it.
  Values copy_to(BasicBlock *block) const {
    Values values;
    for (PHINode &phi : header->phis())
      values[&phi] = phi.getIncomingValueForBlock(block);
    SimplifyQuery query(header->getDataLayout());
    for (Instruction *each : computed) {
      Instruction *copy = each->clone();
      for (Use &use : copy->operands())
        if (Value *other = values.lookup(use.get()))
          use.set(other);
      copy->insertInto(block, block->getTerminator()->getIterator());
      Value *known = simplifyInstruction(copy, query.getWithInstruction(copy));
      if (known)
        copy->eraseFromParent();
      else if (each->hasName())
        copy->setName(each->getName());
      values[each] = known ? known : copy;
    }
    return values;
  }

  // Whether the header stays in the loop, in another place.
  Value *condition(IRBuilder<> &builder, const Values &values) const {
    Value *copy = values.lookup_or(first->getCondition(), first->getCondition());
    return first->getSuccessor(0) == body ? copy : builder.CreateNot(copy);
  }

  // Replaces the values of the header by those from both places.
  void keep(const Values &at_start, const Values &at_end) {
    SmallVector<WeakTrackingVH, MOST_COMPUTED> phis;
    for (Instruction *each : computed) {
      PHINode *phi = PHINode::Create(each->getType(), 2, each->getName(), header->begin());
      phi->addIncoming(at_start.lookup(each), before);
      phi->addIncoming(at_end.lookup(each), latch);
      phis.push_back(phi);
    }
    // A value at the end of the loop may be one that the header has computed.
    for (auto [each, phi] : zip(computed, phis))
      each->replaceAllUsesWith(phi);
    for (Instruction *each : reverse(computed))
      each->eraseFromParent();
    for (WeakTrackingVH &phi : phis)
      if (auto *left = dyn_cast_or_null<PHINode>(phi))
        RecursivelyDeleteDeadPHINode(left);
  }
};

} // namespace

extern "C" {

// Gives loops whose header and latch leave for one block a single exit.
void ofc_merge_exits(LLVMValueRef ref) {
  auto &function = *cast<Function>(unwrap(ref));
  DominatorTree tree(function);
  LoopInfo loops(tree);
  for (Loop *loop : loops.getLoopsInPreorder())
    for (unsigned i = 0; i < MOST_CONDITIONS; ++i) {
      Exits exits(*loop, loops);
      if (!exits.meet())
        break;
      exits.merge();
    }
}
}

// Hints about loops for the optimisations, trip counts, and loops that are unrolled immediately. Declared in shim.rs.
#include "llvm-c/Core.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

using namespace llvm;

// For each loop, scalar evolution looks at the conditions of all blocks that dominate it, and so at other loops. In a
// function with more loops than this, that takes minutes.
static constexpr size_t MOST_COUNTED_LOOPS = 128;

extern "C" {

// Adds the number of copies of a loop's body to its latch: 1 is the loop as it is, and 0 is all of its iterations.
// LLVM's C API has no distinct nodes.
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

// Makes this many copies of the body of the loop that starts with a block, unless it has a hint. The remaining
// iterations are a separate loop after it, if the number of iterations is not known to be a multiple.
void ofc_copy_loop_body(LLVMBasicBlockRef header, unsigned count) {
  Function &function = *unwrap(header)->getParent();
  DominatorTree tree(function);
  LoopInfo loops(tree);
  Loop *loop = loops.getLoopFor(unwrap(header));
  bool has_hint = loop && hasUnrollTransformation(loop) != TM_Unspecified;
  if (!loop || loop->getHeader() != unwrap(header) || has_hint)
    return;
  AssumptionCache assumptions(function);
  TargetLibraryInfoImpl library(function.getParent()->getTargetTriple());
  TargetLibraryInfo functions(library);
  ScalarEvolution evolution(function, functions, assumptions, tree, loops);
  TargetTransformInfo costs(function.getDataLayout());
  simplifyLoop(loop, &tree, &loops, &evolution, &assumptions, nullptr, /*PreserveLCSSA=*/false);
  formLCSSARecursively(*loop, tree, &loops, &evolution);
  UnrollLoopOptions options{};
  options.Count = count;
  options.Runtime = true;
  options.AllowExpensiveTripCount = true;
  options.SCEVExpansionBudget = 64;
  UnrollLoop(loop, options, &loops, &evolution, &tree, &assumptions, &costs, nullptr, /*PreserveLCSSA=*/true);
}

// Writes how often the loops that start with these blocks iterate: the least number that the exits of a loop's first
// block and of its only latch decide, and 0 if they decide none.
void ofc_trip_counts(LLVMValueRef ref, const LLVMBasicBlockRef *headers, unsigned *counts, size_t count) {
  Function &function = *unwrap<Function>(ref);
  DominatorTree tree(function);
  LoopInfo loops(tree);
  std::fill_n(counts, count, 0);
  if (loops.getLoopsInPreorder().size() > MOST_COUNTED_LOOPS)
    return;
  AssumptionCache assumptions(function);
  TargetLibraryInfoImpl library(function.getParent()->getTargetTriple());
  TargetLibraryInfo functions(library);
  ScalarEvolution evolution(function, functions, assumptions, tree, loops);
  for (size_t number = 0; number < count; number++) {
    BasicBlock *header = unwrap(headers[number]);
    Loop *loop = loops.getLoopFor(header);
    if (!loop || loop->getHeader() != header || !loop->getLoopLatch())
      continue;
    for (BasicBlock *block : {header, loop->getLoopLatch()})
      if (loop->isLoopExiting(block))
        // None is the greatest number.
        counts[number] = std::min(counts[number] - 1, evolution.getSmallConstantTripCount(loop, block) - 1) + 1;
  }
}

// Marks the loop with this latch as parallel: no iteration depends on the accesses of another one in this call.
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

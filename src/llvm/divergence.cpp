// LLVM's uniformity analysis of the lanes of a wave. Declared in shim.rs.
#include "llvm-c/Core.h"
#include "llvm-c/TargetMachine.h"
#include "llvm/ADT/GenericUniformityImpl.h"
#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

// Its constant is made by a constructor of the program, which would load LLVM into every program: libLLVM has one.
extern template class llvm::GenericSyncDependenceAnalysis<SSAContext>;

extern "C" {

// Marks each block of a function, in their order, at whose end lanes of a wave may diverge.
void ofc_mark_divergent_ends(LLVMValueRef ref, LLVMTargetMachineRef raw, unsigned char *marks) {
  auto &function = *cast<Function>(unwrap(ref));
  const TargetMachine &machine = *reinterpret_cast<TargetMachine *>(raw);
  TargetTransformInfo target = machine.getTargetTransformInfo(function);
  if (!target.hasBranchDivergence(&function))
    return;
  DominatorTree tree(function);
  CycleInfo cycles;
  cycles.compute(function);
  UniformityInfo uniformity(tree, cycles, &target);
  uniformity.compute();
  for (BasicBlock &block : function)
    *marks++ = uniformity.hasDivergentTerminator(block);
}
}

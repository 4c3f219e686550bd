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

// Calls `use` with the uniformity of a function for a machine, if its lanes can diverge.
template <typename Use> static void with_uniformity(LLVMValueRef ref, LLVMTargetMachineRef raw, Use use) {
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
  use(function, uniformity);
}

extern "C" {

// Marks each block of a function, in their order, at whose end lanes of a wave may diverge.
void ofc_mark_divergent_ends(LLVMValueRef ref, LLVMTargetMachineRef raw, unsigned char *marks) {
  with_uniformity(ref, raw, [&](Function &function, UniformityInfo &uniformity) {
    for (BasicBlock &block : function)
      *marks++ = uniformity.hasDivergentTerminator(block);
  });
}

// Marks each instruction of a function, in their order, whose result may differ between lanes of a wave.
void ofc_mark_divergent_results(LLVMValueRef ref, LLVMTargetMachineRef raw, unsigned char *marks) {
  with_uniformity(ref, raw, [&](Function &function, UniformityInfo &uniformity) {
    for (BasicBlock &block : function)
      for (Instruction &instruction : block)
#if LLVM_VERSION_MAJOR < 23
        *marks++ = uniformity.isDivergent(&instruction);
#else
        *marks++ = uniformity.isDivergentAtDef(&instruction);
#endif
  });
}
}

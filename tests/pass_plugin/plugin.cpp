// A plugin of LLVM's pass manager.
//
// `triple`, at the start of every pipeline, replaces calls of `plugin_triple`, which has no body. `halve` does the same
// with `plugin_halve`, where it is named. `lucky`, at the end of every pipeline but that of `-O0`, replaces a constant
// by `LUCKY`. `broken` and `crash`, where they are named, fail on purpose.
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"

using namespace llvm;

namespace {

PreservedAnalyses scale(Module &module, StringRef name, double factor) {
  Function *function = module.getFunction(name);
  if (!function || !function->isDeclaration())
    return PreservedAnalyses::all();
  for (User *user : make_early_inc_range(function->users())) {
    auto *call = cast<CallInst>(user);
    IRBuilder<> builder(call);
    Value *argument = call->getArgOperand(0);
    call->replaceAllUsesWith(builder.CreateFMul(argument, ConstantFP::get(argument->getType(), factor)));
    call->eraseFromParent();
  }
  function->eraseFromParent();
  return PreservedAnalyses::none();
}

struct Triple : PassInfoMixin<Triple> {
  PreservedAnalyses run(Module &module, ModuleAnalysisManager &) { return scale(module, "plugin_triple", 3.0); }
};

struct Halve : PassInfoMixin<Halve> {
  PreservedAnalyses run(Module &module, ModuleAnalysisManager &) { return scale(module, "plugin_halve", 0.5); }
};

// Whether a value, or each element of a vector, is the constant.
bool is_unlucky(Value *value) {
  auto *constant = dyn_cast<Constant>(value);
  if (constant && constant->getType()->isVectorTy())
    constant = constant->getSplatValue();
  auto *number = dyn_cast_or_null<ConstantFP>(constant);
  return number && number->isExactlyValue(1313.0f);
}

struct Lucky : PassInfoMixin<Lucky> {
  PreservedAnalyses run(Module &module, ModuleAnalysisManager &) {
    for (Function &function : module)
      for (Instruction &instruction : instructions(function))
        for (Use &use : instruction.operands())
          if (is_unlucky(use.get()))
            use.set(ConstantFP::get(use->getType(), LUCKY));
    return PreservedAnalyses::none();
  }
};

// Leaves a block without an end.
struct Broken : PassInfoMixin<Broken> {
  PreservedAnalyses run(Module &module, ModuleAnalysisManager &) {
    for (Function &function : module)
      if (!function.isDeclaration())
        BasicBlock::Create(module.getContext(), "open", &function);
    return PreservedAnalyses::none();
  }
};

struct Crash : PassInfoMixin<Crash> {
  PreservedAnalyses run(Module &, ModuleAnalysisManager &) { __builtin_trap(); }
};

void add(PassBuilder &builder) {
  builder.registerPipelineStartEPCallback(
      [](ModulePassManager &passes, OptimizationLevel) { passes.addPass(Triple()); });
  builder.registerOptimizerLastEPCallback([](ModulePassManager &passes, OptimizationLevel level, ThinOrFullLTOPhase) {
    if (level != OptimizationLevel::O0)
      passes.addPass(Lucky());
  });
  builder.registerPipelineParsingCallback(
      [](StringRef name, ModulePassManager &passes, ArrayRef<PassBuilder::PipelineElement>) {
        if (name == "halve")
          passes.addPass(Halve());
        else if (name == "broken")
          passes.addPass(Broken());
        else if (name == "crash")
          passes.addPass(Crash());
        else
          return false;
        return true;
      });
}

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "scale", "1", add};
}

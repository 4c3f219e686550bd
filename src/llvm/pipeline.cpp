// Runs LLVM's passes with a target machine, as LLVMRunPasses does, and works around a bug in one of them.
//
// LLVM 22's InferAddressSpaces infers no address space at all for a pointer that is selected among generic constants
// only, such as `select i1 %c, ptr null, ptr inttoptr (i64 3 to ptr)` (Rust creates this for errors without fields that
// are stored in place of a reference). A phi of such a pointer and of one with a known address space then loses its
// operand, and the next pass that reads it crashes. If one of the constants is hidden behind a `freeze`, the address
// space is the generic one; a later pass folds the `freeze`. LLVM 23 does not need this.
#include "llvm-c/Core.h"
#include "llvm-c/TargetMachine.h"
#include "llvm/ADT/Any.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace {

// The pointers of one function that are selected among generic constants only.
class ChosenConstants {
  Function &function;
  unsigned generic;
  SetVector<Instruction *> chosen;

  bool is_generic(Type *type) const {
    return type->isPtrOrPtrVectorTy() && type->getPointerAddressSpace() == generic;
  }

  // Whether this constant has no address space: it is not a cast from another one.
  bool is_bare(Value *value) const {
    auto *expression = dyn_cast<ConstantExpr>(value);
    if (!expression)
      return isa<Constant>(value);
    if (expression->getOpcode() == Instruction::AddrSpaceCast)
      return false;
    return expression->getOpcode() != Instruction::GetElementPtr || is_bare(expression->getOperand(0));
  }

  // The operands that may be the value of the pointer.
  static SmallVector<Use *> sources(Instruction &instruction) {
    SmallVector<Use *> found;
    if (auto *phi = dyn_cast<PHINode>(&instruction))
      for (Use &use : phi->incoming_values())
        found.push_back(&use);
    else if (isa<SelectInst>(instruction))
      found = {&instruction.getOperandUse(1), &instruction.getOperandUse(2)};
    else if (isa<GetElementPtrInst>(instruction) || isa<BitCastInst>(instruction))
      found = {&instruction.getOperandUse(0)};
    return found;
  }

  bool may_be_chosen(Instruction &instruction) const {
    auto fits = [&](Use *use) {
      auto *from = dyn_cast<Instruction>(use->get());
      return from ? chosen.contains(from) : is_bare(use->get());
    };
    return all_of(sources(instruction), fits);
  }

public:
  ChosenConstants(Function &function, unsigned generic) : function(function), generic(generic) {
    for (Instruction &instruction : instructions(function))
      if (is_generic(instruction.getType()) && !sources(instruction).empty())
        chosen.insert(&instruction);
    while (chosen.remove_if([&](Instruction *each) { return !may_be_chosen(*each); })) {
    }
  }

  // Whether a pointer is a phi or select, or one of its users is, directly or through others. Other pointers lead to a
  // single constant and are not changed, so that an access through them is known to be to that variable's memory.
  bool is_among_several(Instruction &instruction) const {
    if (isa<PHINode>(instruction) || isa<SelectInst>(instruction))
      return true;
    return any_of(instruction.users(), [&](User *user) {
      auto *next = dyn_cast<Instruction>(user);
      return next && is_generic(next->getType()) && !sources(*next).empty() && is_among_several(*next);
    });
  }

  // Freezes one constant of each instruction.
  void freeze() {
    chosen.remove_if([&](Instruction *each) { return !is_among_several(*each); });
    for (Instruction *each : chosen)
      for (Use *use : sources(*each))
        if (auto *constant = dyn_cast<Constant>(use->get())) {
          auto *frozen = new FreezeInst(constant, "", function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
          // A phi has the same value for all edges from one block.
          if (auto *phi = dyn_cast<PHINode>(each)) {
            for (unsigned i = 0; i != phi->getNumIncomingValues(); ++i)
              if (phi->getIncomingValue(i) == constant)
                phi->setIncomingValue(i, frozen);
          } else {
            use->set(frozen);
          }
          break;
        }
  }
};

} // namespace

// Applies this to a function, if the target has a generic address space.
static void freeze_chosen_constants(Function &function, TargetMachine &machine) {
  if (function.isDeclaration())
    return;
  unsigned generic = machine.getTargetTransformInfo(function).getFlatAddressSpace();
  if (generic != ~0u)
    ChosenConstants(function, generic).freeze();
}

extern "C" {

// Runs a pipeline. Returns null or a message for LLVMDisposeMessage. Code generation infers address spaces again, so
// the module is prepared for that if the target generates machine code; otherwise pointer types are deduced.
char *ofc_run_passes(LLVMModuleRef ref, const char *text, LLVMTargetMachineRef machine_ref) {
  Module &module = *unwrap(ref);
  auto &machine = *reinterpret_cast<TargetMachine *>(machine_ref);
  PassInstrumentationCallbacks callbacks;
  callbacks.registerBeforeNonSkippedPassCallback([&](StringRef pass, Any unit) {
    const Function *const *function = any_cast<const Function *>(&unit);
    if (function && pass == "InferAddressSpacesPass")
      freeze_chosen_constants(const_cast<Function &>(**function), machine);
  });
  PassBuilder builder(&machine, PipelineTuningOptions(), std::nullopt, &callbacks);
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  functions.registerPass([&] { return builder.buildDefaultAAPipeline(); });
  builder.registerLoopAnalyses(loops);
  builder.registerFunctionAnalyses(functions);
  builder.registerCGSCCAnalyses(components);
  builder.registerModuleAnalyses(modules);
  builder.crossRegisterProxies(loops, functions, components, modules);
  ModulePassManager passes;
  if (Error error = builder.parsePassPipeline(passes, text))
    return LLVMCreateMessage(toString(std::move(error)).c_str());
  passes.run(module, modules);
  for (Function &function : module)
    if (!machine.getTargetTriple().isSPIRV())
      freeze_chosen_constants(function, machine);
  return nullptr;
}
}

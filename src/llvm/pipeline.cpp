// Runs LLVM's passes, as LLVMRunPasses does, with those of plugins, and works around a bug in one of LLVM's.
//
// LLVM 22's InferAddressSpaces infers no address space at all for a pointer that is selected among generic constants
// only, such as `select i1 %c, ptr null, ptr inttoptr (i64 3 to ptr)` (Rust creates this for errors without fields that
// are stored in place of a reference). A phi of such a pointer and of one with a known address space then loses its
// operand, and the next pass that reads it crashes. If a `freeze` hides one of the constants, the address space is the
// generic one; a later pass folds the `freeze`. LLVM 23 does not need this.
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
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"
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

namespace {

// A plugin, and the passes by name that run before a pipeline.
struct Extension {
  const PassPlugin *plugin;
  const char *passes;
};

// A pass builder with its analyses. Without a machine, nothing that needs a cost model is part of a pipeline.
struct Builder {
  PassBuilder builder;
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  // Whether the text of a pipeline has asked the plugins for the passes at its start and at its end.
  bool has_start = false, has_end = false;

  Builder(TargetMachine *machine, PassInstrumentationCallbacks *callbacks, ArrayRef<Extension> extensions)
      : builder(machine, tuning(machine), std::nullopt, callbacks) {
    functions.registerPass([&] { return builder.buildDefaultAAPipeline(); });
    builder.registerLoopAnalyses(loops);
    builder.registerFunctionAnalyses(functions);
    builder.registerCGSCCAnalyses(components);
    builder.registerModuleAnalyses(modules);
    builder.crossRegisterProxies(loops, functions, components, modules);
    builder.registerPipelineStartEPCallback([&](ModulePassManager &, OptimizationLevel) { has_start = true; });
    builder.registerOptimizerLastEPCallback(
        [&](ModulePassManager &, OptimizationLevel, ThinOrFullLTOPhase) { has_end = true; });
    for (const Extension &extension : extensions)
      extension.plugin->registerPassBuilderCallbacks(builder);
  }

  static PipelineTuningOptions tuning(TargetMachine *machine) {
    PipelineTuningOptions options;
    if (!machine)
      options.LoopVectorization = options.SLPVectorization = options.LoopUnrolling = false;
    return options;
  }

  // The passes that are named.
  Error parse_named(ModulePassManager &passes, ArrayRef<Extension> extensions) {
    for (const Extension &extension : extensions)
      if (*extension.passes)
        if (Error error = builder.parsePassPipeline(passes, extension.passes))
          return error;
    return Error::success();
  }

  // A pipeline with the passes that plugins add to it. LLVM's pipelines for links have no place for passes at their
  // start, and a list of passes has no place at all.
  Error parse(ModulePassManager &passes, StringRef text, OptimizationLevel level) {
    ModulePassManager pipeline;
    if (Error error = builder.parsePassPipeline(pipeline, text))
      return error;
    bool lacks_start = !has_start, lacks_end = !has_end;
    if (lacks_start)
      builder.invokePipelineStartEPCallbacks(passes, level);
    passes.addPass(std::move(pipeline));
    if (lacks_end)
      builder.invokeOptimizerLastEPCallbacks(passes, level, ThinOrFullLTOPhase::None);
    return Error::success();
  }
};

OptimizationLevel level_of(char letter) {
  switch (letter) {
  case '0':
    return OptimizationLevel::O0;
  case '1':
    return OptimizationLevel::O1;
  case '3':
    return OptimizationLevel::O3;
#if LLVM_VERSION_MAJOR < 23
  case 's':
    return OptimizationLevel::Os;
  case 'z':
    return OptimizationLevel::Oz;
#endif
  default:
    return OptimizationLevel::O2;
  }
}

// The passes of a pipeline as text.
Expected<std::string> passes_of(StringRef text, TargetMachine *machine, char level, ArrayRef<Extension> extensions) {
  Builder builder(machine, nullptr, extensions);
  ModulePassManager passes;
  if (Error error = builder.parse_named(passes, extensions))
    return error;
  if (Error error = builder.parse(passes, text, level_of(level)))
    return error;
  std::string names;
  raw_string_ostream stream(names);
  passes.printPipeline(stream, [](StringRef name) { return name; });
  return names;
}

// Work-arounds around LLVM's passes, in the order of `PIPELINE_WORKAROUNDS` in workarounds.rs.
enum Workarounds : unsigned {
  SORT_UNROLLED = 1,
  FREEZE_CHOSEN_CONSTANTS = 2,
  FREEZE_NARROW_RECURRENCES = 4,
  FREEZE_STOPPED_COUNTERS = 8,
  FREEZE_MASKED_LOADS = 16,
};

// Numbers a pass with its name and the name of the code that it works on. Returns whether it runs.
using Numbering = int (*)(const void *bisect, const char *pass, size_t pass_length, const char *unit, size_t unit_length);

// The name of the code that a pass works on.
std::string name_of(const Any &unit) {
  if (const Function *const *function = any_cast<const Function *>(&unit))
    return (*function)->getName().str();
  if (const Loop *const *loop = any_cast<const Loop *>(&unit))
    return ((*loop)->getHeader()->getParent()->getName() + ", a loop").str();
  if (const LazyCallGraph::SCC *const *component = any_cast<const LazyCallGraph::SCC *>(&unit))
    return (*component)->begin()->getFunction().getName().str();
  return "the module";
}

char *message(Error error) { return LLVMCreateMessage(toString(std::move(error)).c_str()); }

} // namespace

extern "C" {

// Loads a plugin for the rest of the process; null with a message for LLVMDisposeMessage if that is not possible.
const void *ofc_load_pass_plugin(const char *path, char **why) {
  Expected<PassPlugin> plugin = PassPlugin::Load(path);
  if (!plugin) {
    *why = message(plugin.takeError());
    return nullptr;
  }
  return new PassPlugin(*plugin);
}

// Whether a plugin adds passes to a pipeline. Returns null or a message for LLVMDisposeMessage: a pass has no such
// name.
char *ofc_check_pass_plugin(const void *plugin, const char *named, const char *text, LLVMTargetMachineRef machine_ref,
                            char level, int *adds) {
  auto *machine = reinterpret_cast<TargetMachine *>(machine_ref);
  Extension extension{static_cast<const PassPlugin *>(plugin), named};
  Expected<std::string> with = passes_of(text, machine, level, extension);
  if (!with)
    return message(with.takeError());
  Expected<std::string> without = passes_of(text, machine, level, {});
  if (!without)
    return message(without.takeError());
  *adds = *with != *without;
  return nullptr;
}

// Runs a pipeline with the passes of plugins. Returns null or a message for LLVMDisposeMessage. Code generation infers
// address spaces again, so the module is prepared for that if the target generates machine code; otherwise pointer
// types are deduced. `workarounds`: the bits of `Workarounds`. `runs`: numbers each pass that may be skipped; null if all
// run.
char *ofc_run_passes(LLVMModuleRef ref, const char *text, LLVMTargetMachineRef machine_ref, char level,
                     unsigned workarounds, const void *const *plugins, const char *const *named, size_t count,
                     const void *bisect, Numbering runs) {
  Module &module = *unwrap(ref);
  auto *machine = reinterpret_cast<TargetMachine *>(machine_ref);
  SmallVector<Extension> extensions;
  for (size_t i = 0; i != count; ++i)
    extensions.push_back({static_cast<const PassPlugin *>(plugins[i]), named[i]});
  PassInstrumentationCallbacks callbacks;
  bool freezes = machine && workarounds & FREEZE_CHOSEN_CONSTANTS;
  if (freezes)
    callbacks.registerBeforeNonSkippedPassCallback([&](StringRef pass, Any unit) {
      const Function *const *function = any_cast<const Function *>(&unit);
      if (function && pass == "InferAddressSpacesPass")
        freeze_chosen_constants(const_cast<Function &>(**function), *machine);
    });
  if (runs)
    callbacks.registerShouldRunOptionalPassCallback([&](StringRef pass, Any unit) {
      std::string name = name_of(unit);
      return runs(bisect, pass.data(), pass.size(), name.data(), name.size()) != 0;
    });
  Builder builder(machine, &callbacks, extensions);
  UnrolledOrder order(builder.functions);
  if (workarounds & SORT_UNROLLED)
    order.add_to(callbacks);
  callbacks.registerBeforeNonSkippedPassCallback([&](StringRef pass, Any unit) {
    const Function *const *function = any_cast<const Function *>(&unit);
    if (function && pass == "LoopVectorizePass")
      prepare_loops(const_cast<Function &>(**function), builder.functions, workarounds & FREEZE_NARROW_RECURRENCES,
                    workarounds & FREEZE_STOPPED_COUNTERS);
  });
  if (workarounds & FREEZE_MASKED_LOADS) {
    freeze_masked_loads(module);
    callbacks.registerAfterPassCallback([&](StringRef pass, Any, const PreservedAnalyses &) {
      if (pass == "LoopVectorizePass" || pass == "SLPVectorizerPass")
        freeze_masked_loads(module);
    });
  }
#if LLVM_VERSION_MAJOR >= 23
  // It has no pipelines for size: attributes of functions request it instead.
  if (level == 's' || level == 'z')
    for (Function &function : module)
      if (!function.isDeclaration() && !function.hasOptNone()) {
        function.addFnAttr(Attribute::OptimizeForSize);
        if (level == 'z')
          function.addFnAttr(Attribute::MinSize);
      }
#endif
  ModulePassManager named_passes, passes;
  if (Error error = builder.parse_named(named_passes, extensions))
    return message(std::move(error));
  if (Error error = builder.parse(passes, text, level_of(level)))
    return message(std::move(error));
  for (ModulePassManager *each : {&named_passes, &passes}) {
    each->run(module, builder.modules);
    std::string found;
    raw_string_ostream stream(found);
    if (count && verifyModule(module, &stream))
      return LLVMCreateMessage(found.c_str());
  }
#if LLVM_VERSION_MAJOR >= 23
  // Numbers for summaries of modules, which nothing here reads, and which functions calls were inlined from, which may
  // only name functions: later passes replace and erase some.
  for (GlobalObject &object : module.global_objects())
    object.eraseMetadata(module.getMDKindID("guid"));
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (isa<CallBase>(instruction))
        instruction.setMetadata("inline_history", nullptr);
#endif
  if (freezes && !machine->getTargetTriple().isSPIRV())
    for (Function &function : module)
      freeze_chosen_constants(function, *machine);
  return nullptr;
}
}

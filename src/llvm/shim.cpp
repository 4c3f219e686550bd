// Functions that LLVM's C API lacks: target options, a filtered clone, and small changes of a module. All functions
// take and return the C API's references; shim.rs declares them.
#include "descriptors.h"
#include "llvm-c/Core.h"
#include "llvm-c/TargetMachine.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/ValueMapper.h"
#include <optional>

using namespace llvm;

// The type for one part of an overloaded intrinsic's name, such as `p3`, `i32` or `v4f16`; null for other texts.
static Type *mangled_type(LLVMContext &context, StringRef text) {
  unsigned number = 0;
  if (text.consume_front("v")) {
    Type *element = text.consumeInteger(10, number) ? nullptr : mangled_type(context, text);
    return element && number && VectorType::isValidElementType(element) ? FixedVectorType::get(element, number) : nullptr;
  }
  if (text == "f16")
    return Type::getHalfTy(context);
  if (text == "bf16")
    return Type::getBFloatTy(context);
  if (text == "f32")
    return Type::getFloatTy(context);
  if (text == "f64")
    return Type::getDoubleTy(context);
  bool integer = text.consume_front("i");
  if ((!integer && !text.consume_front("p")) || text.getAsInteger(10, number) || number >= (1 << 16))
    return nullptr;
  if (integer)
    return number ? Type::getIntNTy(context, number) : nullptr;
  return PointerType::get(context, number);
}

// The number of types that an intrinsic is overloaded on.
static size_t overload_count(Intrinsic::ID id) {
  SmallVector<Descriptor, 8> table;
  Intrinsic::getIntrinsicInfoTableEntries(id, table);
  size_t count = 0;
  for (const Descriptor &each : table)
    if (std::optional<unsigned> number = overload_of(each))
      count = std::max<size_t>(count, *number + 1);
  return count;
}

// Whether each of the types has the kind that the intrinsic is overloaded on, and LLVM can derive the others from them.
static bool overloads_on(Intrinsic::ID id, ArrayRef<Type *> types) {
  SmallVector<Descriptor, 8> table;
  Intrinsic::getIntrinsicInfoTableEntries(id, table);
  auto at = [&](unsigned number) { return number < types.size() ? types[number] : nullptr; };
  auto fits = [&](const Descriptor &each) {
    std::optional<unsigned> number = overload_of(each);
    return !number || *number >= types.size() || is_of_kind(each, types[*number]);
  };
  // LLVM casts the type to the kind from which it derives this one.
  auto derives = [&](const Descriptor &each) {
    if (std::optional<unsigned> number = vector_of(each))
      return at(*number) && at(*number)->isVectorTy();
    if (std::optional<unsigned> number = integer_of(each))
      return at(*number) && at(*number)->isIntOrIntVectorTy();
    return true;
  };
  return !is_contained(types, nullptr) && all_of(table, fits) && all_of(table, derives);
}

extern "C" {

// Lets a function report that LLVM has no memory for one of LLVM's containers, and end the process. LLVM would print
// two lines and abort.
void ofc_on_no_memory(void (*report)()) {
  auto handler = [](void *report, const char *, bool) { reinterpret_cast<void (*)()>(report)(); };
  install_bad_alloc_error_handler(handler, reinterpret_cast<void *>(report));
}

// The declaration of the intrinsic with this full name, which includes overloaded types. Null if LLVM has no intrinsic
// with this name; then `count` is the number of types that the name must end with, or 0 if the intrinsic is unknown.
LLVMValueRef ofc_intrinsic_of_name(LLVMModuleRef ref, const char *text, size_t length, size_t *count) {
  StringRef name(text, length);
  Module &module = *unwrap(ref);
  *count = 0;
  Intrinsic::ID id = Intrinsic::lookupIntrinsicID(name);
  if (id == Intrinsic::not_intrinsic)
    return nullptr;
  *count = overload_count(id);
  StringRef suffix = name.substr(Intrinsic::getBaseName(id).size());
  SmallVector<StringRef> parts;
  if (suffix.consume_front("."))
    suffix.split(parts, '.');
  SmallVector<Type *> types;
  for (StringRef part : parts)
    types.push_back(mangled_type(module.getContext(), part));
  if (!overloads_on(id, types) || types.size() != *count)
    return nullptr;
  FunctionType *type = Intrinsic::getType(module.getContext(), id, types);
  SmallVector<Type *> deduced;
  if (!fits_signature(id, type, deduced) || Intrinsic::getName(id, types, &module, type) != name)
    return nullptr;
  return wrap(Intrinsic::getOrInsertDeclaration(&module, id, types));
}

// Constructors in .init_array, a section for each function and global, and no implicit contraction of a multiplication
// and an addition: LLVMCreateTargetMachine has none of these options. Null if there is no target for the triple.
LLVMTargetMachineRef ofc_target_machine(const char *triple, const char *cpu, const char *features, unsigned level,
                                        int position_independent) {
  std::string error;
  Triple parsed(triple);
  const Target *target = TargetRegistry::lookupTarget(parsed, error);
  if (!target)
    return nullptr;
  TargetOptions options;
  options.UseInitArray = true;
  options.FunctionSections = true;
  options.DataSections = true;
  options.UniqueSectionNames = true;
  options.AllowFPOpFusion = FPOpFusion::Standard;
  CodeGenOptLevel codegen = level == 0   ? CodeGenOptLevel::None
                            : level == 1 ? CodeGenOptLevel::Less
                            : level == 2 ? CodeGenOptLevel::Default
                                         : CodeGenOptLevel::Aggressive;
  std::optional<Reloc::Model> reloc;
  if (position_independent)
    reloc = Reloc::PIC_;
  // The C API's LLVMTargetMachineRef is a pointer to a TargetMachine.
  return reinterpret_cast<LLVMTargetMachineRef>(
      target->createTargetMachine(parsed, cpu, features, options, reloc, std::nullopt, codegen));
}

// A copy of `module` with the definitions of `keep` only; other globals become declarations.
LLVMModuleRef ofc_clone_definitions(LLVMModuleRef module, LLVMValueRef *keep, size_t count) {
  DenseSet<const GlobalValue *> kept;
  for (size_t i = 0; i < count; ++i)
    kept.insert(cast<GlobalValue>(unwrap(keep[i])));
  ValueToValueMapTy map;
  auto keeps = [&](const GlobalValue *value) { return kept.contains(value); };
  return wrap(CloneModule(*unwrap(module), map, keeps).release());
}

// Moves the blocks and the debug subprogram of `from` into `to`, which has no body yet.
void ofc_take_body(LLVMValueRef to, LLVMValueRef from) {
  Function *destination = unwrap<Function>(to), *source = unwrap<Function>(from);
  destination->splice(destination->begin(), source);
  if (DISubprogram *subprogram = source->getSubprogram()) {
    source->setSubprogram(nullptr);
    destination->setSubprogram(subprogram);
  }
}

// Erases a function, variable, alias or ifunc. The C API cannot erase aliases.
void ofc_erase_global(LLVMValueRef global) { unwrap<GlobalValue>(global)->eraseFromParent(); }

// Removes the constants that use a global and that nothing else uses.
void ofc_remove_dead_constants(LLVMValueRef global) { unwrap<GlobalValue>(global)->removeDeadConstantUsers(); }

// Deletes unreachable blocks and their entries in phis.
void ofc_erase_unreachable_blocks(LLVMValueRef function) { EliminateUnreachableBlocks(*unwrap<Function>(function)); }

// Erases a block. LLVM keeps the debug records after the last instruction of a block without a terminator in a map by
// the block's address, and leaves them there: the next block at this address would have them, also before its phis.
void ofc_erase_block(LLVMBasicBlockRef block) {
  BasicBlock *erased = unwrap(block);
  if (DbgMarker *trailing = erased->getTrailingDbgRecords()) {
    trailing->eraseFromParent();
    erased->deleteTrailingDbgRecords();
  }
  erased->eraseFromParent();
}

// LLVMSetPersonalityFn does not accept null.
void ofc_clear_personality(LLVMValueRef function) { unwrap<Function>(function)->setPersonalityFn(nullptr); }

// Whether a call writes to no memory that the module can access.
int ofc_only_reads(LLVMValueRef call) {
  MemoryEffects effects = cast<CallBase>(unwrap(call))->getMemoryEffects();
  return effects.getWithoutLoc(IRMemLocation::InaccessibleMem).onlyReadsMemory();
}

int ofc_may_access_memory(LLVMValueRef call) {
  return !cast<CallBase>(unwrap(call))->doesNotAccessMemory();
}

// Turns a definition into an external declaration.
void ofc_delete_body(LLVMValueRef function) {
  unwrap<Function>(function)->deleteBody();
  unwrap<Function>(function)->setComdat(nullptr);
}

// Removes prefix and prologue data and the garbage collector of a function.
void ofc_clear_host_frame(LLVMValueRef function) {
  Function *host = unwrap<Function>(function);
  host->setPrefixData(nullptr);
  host->setPrologueData(nullptr);
  host->clearGC();
}

// Copies the attributes of `callee`'s result and parameters to a call and to the function with the call.
void ofc_forward_attributes(LLVMValueRef call, LLVMValueRef callee) {
  CallInst *instruction = cast<CallInst>(unwrap(call));
  Function *caller = instruction->getFunction();
  AttributeList from = unwrap<Function>(callee)->getAttributes();
  SmallVector<AttributeSet> parameters;
  for (unsigned i = 0; i < caller->arg_size(); ++i)
    parameters.push_back(from.getParamAttrs(i));
  LLVMContext &context = caller->getContext();
  instruction->setAttributes(AttributeList::get(context, AttributeSet(), from.getRetAttrs(), parameters));
  caller->setAttributes(AttributeList::get(context, caller->getAttributes().getFnAttrs(), from.getRetAttrs(), parameters));
}

// The C API has no function that erases named metadata.
void ofc_erase_named_metadata_except(LLVMModuleRef module, const char *kept) {
  for (NamedMDNode &node : make_early_inc_range(unwrap(module)->named_metadata()))
    if (node.getName() != kept)
      node.eraseFromParent();
}

// The type that a `byval` parameter points to, or null.
LLVMTypeRef ofc_byval_type(LLVMValueRef function, unsigned parameter) {
  return wrap(unwrap<Function>(function)->getParamByValType(parameter));
}

// Creates the same variable in another address space with the same name. Every use of the old one becomes a cast of the
// new one; the old one is erased.
LLVMValueRef ofc_move_variable(LLVMValueRef variable, unsigned address_space) {
  GlobalVariable *from = unwrap<GlobalVariable>(variable);
  GlobalVariable *to = new GlobalVariable(*from->getParent(), from->getValueType(), from->isConstant(),
                                          from->getLinkage(), nullptr, "", from, GlobalValue::NotThreadLocal,
                                          address_space, from->isExternallyInitialized());
  to->takeName(from);
  to->copyAttributesFrom(from);
  to->copyMetadata(from, 0);
  if (from->hasInitializer()) {
    to->setInitializer(from->getInitializer());
    from->setInitializer(nullptr);
  }
  from->replaceAllUsesWith(ConstantExpr::getAddrSpaceCast(to, from->getType()));
  from->eraseFromParent();
  return wrap(to);
}

// Creates the same alloca in another address space. Debug records refer to it. Every other use of the old one becomes a
// use of a cast after the new one; the old one is erased.
LLVMValueRef ofc_move_alloca(LLVMValueRef alloca, unsigned address_space) {
  AllocaInst *from = unwrap<AllocaInst>(alloca);
  AllocaInst *to = new AllocaInst(from->getAllocatedType(), address_space, from->getArraySize(), from->getAlign(), "",
                                  from->getIterator());
  to->takeName(from);
  to->setDebugLoc(from->getDebugLoc());
  if (from->isUsedByMetadata())
    ValueAsMetadata::handleRAUW(from, to);
  from->replaceAllUsesWith(new AddrSpaceCastInst(to, from->getType(), "", from->getIterator()));
  from->eraseFromParent();
  return wrap(to);
}

// Creates the function with another signature. It takes over name, attributes, body and debug subprogram of `function`,
// which remains as an unnamed declaration. Existing parameters whose types change are pointers with another address
// space: they are cast at the start of the body. Calls are not changed.
LLVMValueRef ofc_change_signature(LLVMValueRef function, LLVMTypeRef result, LLVMTypeRef *parameters, size_t count) {
  Function *before = unwrap<Function>(function);
  SmallVector<Type *> types;
  for (size_t i = 0; i < count; ++i)
    types.push_back(unwrap(parameters[i]));
  FunctionType *type = FunctionType::get(unwrap(result), types, false);
  Function *after = Function::Create(type, before->getLinkage(), before->getAddressSpace());
  before->getParent()->getFunctionList().insert(before->getIterator(), after);
  after->copyAttributesFrom(before);
  after->takeName(before);
  after->splice(after->begin(), before);
  for (Argument &argument : before->args()) {
    Argument *parameter = after->getArg(argument.getArgNo());
    parameter->takeName(&argument);
    Value *value = parameter;
    if (parameter->getType() != argument.getType())
      value = new AddrSpaceCastInst(parameter, argument.getType(), "", after->begin()->getFirstInsertionPt());
    argument.replaceAllUsesWith(value);
  }
  after->setSubprogram(before->getSubprogram());
  before->setSubprogram(nullptr);
  before->setPersonalityFn(nullptr);
  before->setLinkage(GlobalValue::ExternalLinkage);
  return wrap(after);
}

// Replaces a call by a call of `callee` with these arguments. The first arguments are the previous ones, possibly in
// another address space.
LLVMValueRef ofc_replace_call(LLVMValueRef call, LLVMValueRef callee, LLVMValueRef *arguments, size_t count) {
  CallInst *before = cast<CallInst>(unwrap(call));
  Function *function = unwrap<Function>(callee);
  SmallVector<Value *> values;
  for (size_t i = 0; i < count; ++i)
    values.push_back(unwrap(arguments[i]));
  SmallVector<OperandBundleDef, 1> bundles;
  before->getOperandBundlesAsDefs(bundles);
  CallInst *after = CallInst::Create(function->getFunctionType(), function, values, bundles, "", before->getIterator());
  after->setAttributes(before->getAttributes());
  after->setCallingConv(before->getCallingConv());
  after->setTailCallKind(before->isMustTailCall() ? CallInst::TCK_Tail : before->getTailCallKind());
  after->copyMetadata(*before);
  after->copyIRFlags(before);
  after->takeName(before);
  before->replaceAllUsesWith(after);
  before->eraseFromParent();
  return wrap(after);
}

// Replaces constant expressions that use a global by instructions in functions.
void ofc_expand_constant_users(LLVMValueRef global) {
  convertUsersOfConstantsToInstructions({cast<Constant>(unwrap(global))});
}

// Replaces blocks of a function by their immediate dominators: null for the entry and for unreachable blocks.
void ofc_dominators(LLVMValueRef function, LLVMBasicBlockRef *blocks, size_t count) {
  DominatorTree tree(*unwrap<Function>(function));
  for (LLVMBasicBlockRef &block : MutableArrayRef(blocks, count)) {
    DomTreeNode *node = tree.getNode(unwrap(block));
    DomTreeNode *above = node ? node->getIDom() : nullptr;
    block = above ? wrap(above->getBlock()) : nullptr;
  }
}

// Demotes an instruction to an alloca: stored once, loaded before each use. A phi remains a phi. Null if nothing uses
// it.
LLVMValueRef ofc_demote_to_stack(LLVMValueRef instruction) {
  return wrap(DemoteRegToStack(*cast<Instruction>(unwrap(instruction))));
}

// Replaces a phi by an alloca that each predecessor stores to.
void ofc_demote_phi(LLVMValueRef phi) { DemotePHIToStack(cast<PHINode>(unwrap(phi))); }

// Where a function begins: the place of its first instruction that has one in the function itself.
static const DILocation *start_of(const Function &function) {
  for (const BasicBlock &block : function)
    for (const Instruction &instruction : block)
      if (const DILocation *place = instruction.getDebugLoc(); place && !place->getInlinedAt() && place->getLine())
        return place;
  return nullptr;
}

// Gives a function without debug information an artificial subprogram at the place where another function begins, and
// its instructions this line. Does nothing if the other one has no subprogram. Otherwise, code that is inlined into the
// function would lose its lines.
void ofc_describe_like(LLVMValueRef function, LLVMValueRef other) {
  Function *described = unwrap<Function>(function), *like = unwrap<Function>(other);
  DISubprogram *model = like->getSubprogram();
  if (!model || !model->getUnit())
    return;
  const DILocation *start = start_of(*like);
  DIFile *file = start ? start->getFile() : model->getFile();
  unsigned line = start ? start->getLine() : model->getLine();
  DIBuilder builder(*described->getParent(), false, model->getUnit());
  DISubroutineType *type = builder.createSubroutineType(builder.getOrCreateTypeArray({}));
  DISubprogram *subprogram =
      builder.createFunction(file, described->getName(), described->getName(), file, line, type, line,
                             DINode::FlagArtificial, DISubprogram::SPFlagDefinition | DISubprogram::SPFlagOptimized);
  builder.finalizeSubprogram(subprogram);
  described->setSubprogram(subprogram);
  for (BasicBlock &block : *described)
    for (Instruction &instruction : block)
      if (!instruction.getDebugLoc())
        instruction.setDebugLoc(DILocation::get(described->getContext(), line, 0, subprogram));
}

// Gives an instruction the line where a function begins that another instruction is inlined from: the scope of this
// number in its debug location. The instruction stays in the function that it is in now.
void ofc_locate_at_head(LLVMValueRef instruction, LLVMValueRef inlined, unsigned number) {
  const DILocation *place = unwrap<Instruction>(inlined)->getDebugLoc();
  while (number--)
    place = place->getInlinedAt();
  DISubprogram *head = place->getScope()->getSubprogram();
  auto *located = unwrap<Instruction>(instruction);
  LLVMContext &context = located->getContext();
  auto *scope = DILexicalBlockFile::get(context, located->getFunction()->getSubprogram(), head->getFile(), 0);
  located->setDebugLoc(DILocation::get(context, head->getLine(), 0, scope));
}

// Removes flags and metadata that could make an instruction's value poison.
void ofc_drop_annotations(LLVMValueRef instruction) {
  cast<Instruction>(unwrap(instruction))->dropPoisonGeneratingAnnotations();
}

// The C API can only add flags.
void ofc_distinguish_zeros(LLVMValueRef instruction) {
  if (auto *operation = dyn_cast<FPMathOperator>(unwrap(instruction)))
    cast<Instruction>(operation)->setHasNoSignedZeros(false);
}

// Splits a block before an instruction; the new block starts with it, and the old one branches there.
LLVMBasicBlockRef ofc_split_block(LLVMValueRef instruction, const char *name) {
  Instruction *first = cast<Instruction>(unwrap(instruction));
  return wrap(first->getParent()->splitBasicBlock(first->getIterator(), name));
}

// Inserts a block on the edges from these blocks to another one, and updates its phis. Null if an edge cannot be split.
LLVMBasicBlockRef ofc_split_predecessors(LLVMBasicBlockRef block, LLVMBasicBlockRef *predecessors, size_t count) {
  SmallVector<BasicBlock *> from;
  for (size_t i = 0; i < count; ++i)
    from.push_back(unwrap(predecessors[i]));
  for (BasicBlock *each : from)
    if (isa<IndirectBrInst, CallBrInst>(each->getTerminator()))
      return nullptr;
  return wrap(SplitBlockPredecessors(unwrap(block), from, ".latch"));
}

// Removes the entries of one edge from the phis of a block. A phi with one entry is replaced by its value.
void ofc_remove_predecessor(LLVMBasicBlockRef block, LLVMBasicBlockRef predecessor) {
  unwrap(block)->removePredecessor(unwrap(predecessor));
}

// The symbol of the function with a debug location's scope, or the function's name if it has no symbol.
const char *ofc_scope_function(LLVMMetadataRef scope, size_t *length) {
  const DISubprogram *subprogram = cast<DILocalScope>(unwrap(scope))->getSubprogram();
  StringRef name = subprogram->getLinkageName().empty() ? subprogram->getName() : subprogram->getLinkageName();
  *length = name.size();
  return name.data();
}

// The folder in which a function's module was compiled, or null without debug information.
const char *ofc_compiled_in(LLVMValueRef ref, size_t *length) {
  const DISubprogram *subprogram = cast<Function>(unwrap(ref))->getSubprogram();
  if (!subprogram || !subprogram->getUnit())
    return nullptr;
  StringRef folder = subprogram->getUnit()->getDirectory();
  *length = folder.size();
  return folder.data();
}

// Gives the location of each instruction a number in place of its column, from 1, and stores up to `capacity` locations
// in the order of their numbers. Locations beyond have the column 0. Returns how many are stored. LLVM 23 writes the
// places of inlined code itself, so its columns stay.
size_t ofc_number_places(LLVMModuleRef ref, LLVMMetadataRef *places, size_t capacity) {
  size_t count = 0;
#if LLVM_VERSION_MAJOR < 23
  Module &module = *unwrap(ref);
  DenseMap<DILocation *, DILocation *> numbered;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function)) {
      DILocation *place = instruction.getDebugLoc();
      if (!place)
        continue;
      DILocation *&copy = numbered[place];
      if (!copy) {
        bool fits = count < capacity;
        if (fits)
          places[count++] = wrap(place);
        copy = DILocation::get(module.getContext(), place->getLine(), fits ? count : 0, place->getScope(),
                               place->getInlinedAt(), place->isImplicitCode());
      }
      instruction.setDebugLoc(copy);
    }
#endif
  return count;
}

// Reduces debug information to line tables as directives in the assembly, without debug sections. The emission kind of
// a compile unit cannot be changed, so each unit is replaced.
void ofc_keep_line_directives(LLVMModuleRef ref) {
  Module &module = *unwrap(ref);
  // LLVM keeps the names of subprograms, and drops their symbols, which contain more.
  DebugInfoFinder all;
  all.processModule(module);
  for (DISubprogram *subprogram : all.subprograms())
    if (subprogram->isDistinct() && !subprogram->getLinkageName().empty())
      subprogram->replaceOperandWith(2, MDString::get(module.getContext(), subprogram->getLinkageName()));
  stripNonLineTableDebugInfo(module);
  NamedMDNode *units = module.getNamedMetadata("llvm.dbg.cu");
  if (!units)
    return;
  DebugInfoFinder found;
  found.processModule(module);
  DenseMap<DICompileUnit *, DICompileUnit *> renewed;
  for (unsigned i = 0; i < units->getNumOperands(); ++i) {
    auto *unit = cast<DICompileUnit>(units->getOperand(i));
    renewed[unit] = DICompileUnit::getDistinct(
        module.getContext(), unit->getSourceLanguage(), unit->getFile(), unit->getProducer(), unit->isOptimized(), "",
        unit->getRuntimeVersion(), "", DICompileUnit::DebugDirectivesOnly, nullptr, nullptr, nullptr, nullptr, nullptr,
        0, unit->getSplitDebugInlining(), false, DICompileUnit::DebugNameTableKind::None, false, "", "");
    units->setOperand(i, renewed[unit]);
  }
  for (DISubprogram *subprogram : found.subprograms())
    if (DICompileUnit *unit = renewed.lookup(subprogram->getUnit()))
      subprogram->replaceUnit(unit);
}

}

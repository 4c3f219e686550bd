// Links modules into another module: whole modules, and single definitions from bitcode. The rest of such bitcode is
// not read: a function's body is parsed only if another definition names it.
//
// A mover traverses the destination module once, for its types, and then keeps track of the definitions that it has
// linked. One mover is therefore used for all bitcode: with one mover for each, several hundred links would each
// traverse a growing module.
#include "llvm-c/Core.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Linker/IRMover.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

typedef int (*Wanted)(void *state, LLVMValueRef definition);
typedef void (*Defined)(void *state, const char *name, size_t length, unsigned convention);

// Lets `wanted` decide about internal functions and variables of the module as well: an unwanted one becomes a
// declaration where it is named. LLVM only asks about external ones.
static void part_with_unwanted(Module &module, Wanted wanted, void *state) {
  for (GlobalObject &object : module.global_objects())
    if (object.hasLocalLinkage() && !object.isDeclaration() && !wanted(state, wrap(&object)))
      object.setLinkage(GlobalValue::ExternalLinkage);
}

// The functions of a module that have bodies.
static DenseSet<const Function *> bodies_of(const Module &module) {
  DenseSet<const Function *> bodies;
  for (const Function &function : module)
    if (!function.isDeclaration())
      bodies.insert(&function);
  return bodies;
}

// Runs LLVM's verifier on the functions of a module that are not in `before`. The reader accepts bodies that no pass
// could work on.
static Error verify_others(const Module &module, const DenseSet<const Function *> &before) {
  std::string text;
  raw_string_ostream stream(text);
  for (const Function &function : module)
    if (!function.isDeclaration() && !before.contains(&function) && verifyFunction(function, &stream))
      return createStringError("it contains an invalid function: %s", StringRef(text).rtrim().str().c_str());
  return Error::success();
}

static int failed(Error error, char **message) {
  *message = LLVMCreateMessage(toString(std::move(error)).c_str());
  return 0;
}

extern "C" {

// Creates a mover of definitions into `to`, which must outlive it. Destroy it with ofc_end_mover.
IRMover *ofc_new_mover(LLVMModuleRef to) { return new IRMover(*unwrap(to)); }

void ofc_end_mover(IRMover *mover) { delete mover; }

// Creates a linker of whole modules into `to`, which must outlive it. Destroy it with ofc_end_linker.
Linker *ofc_new_linker(LLVMModuleRef to) { return new Linker(*unwrap(to)); }

void ofc_end_linker(Linker *linker) { delete linker; }

// Calls `each` with the name and the calling convention of every definition of a module, without reading functions. The
// name is empty if other modules cannot use the definition, and the convention is 0 for data. Returns 0 if the bitcode
// cannot be read; then there is a message for LLVMDisposeMessage.
int ofc_definitions(const char *bytes, size_t length, const char *name, Defined each, void *state, char **message) {
  LLVMContext context;
  // The module is read again where it is used, and its faults are reported there.
  context.setDiagnosticHandlerCallBack([](const DiagnosticInfo *, void *) {});
  Expected<std::unique_ptr<Module>> parsed =
      getLazyBitcodeModule(MemoryBufferRef(StringRef(bytes, length), name), context, true);
  if (!parsed)
    return failed(parsed.takeError(), message);
  for (const GlobalValue &value : (*parsed)->global_values()) {
    if (value.isDeclaration())
      continue;
    bool local = value.hasLocalLinkage() || value.hasAvailableExternallyLinkage();
    StringRef known = local ? StringRef() : value.getName();
    const Function *function = dyn_cast<Function>(&value);
    each(state, known.data(), known.size(), function ? unsigned(function->getCallingConv()) : 0);
  }
  return 1;
}

// A module of which neither functions nor metadata are read. It refers to `bytes`. Null if the bitcode cannot be read;
// then there is a message for LLVMDisposeMessage.
LLVMModuleRef ofc_without_bodies(LLVMContextRef context, const char *bytes, size_t length, const char *name,
                                 char **message) {
  // The module is read again where it is used, and its errors are reported there.
  unwrap(context)->setDiagnosticHandlerCallBack([](const DiagnosticInfo *, void *) {});
  Expected<std::unique_ptr<Module>> parsed =
      getLazyBitcodeModule(MemoryBufferRef(StringRef(bytes, length), name), *unwrap(context), true);
  if (!parsed) {
    failed(parsed.takeError(), message);
    return nullptr;
  }
  return wrap(parsed->release());
}

// Links all of `from`, which the linker then owns, or has destroyed. Returns 0 after an error, which is reported to the
// context.
int ofc_link_module(Linker *linker, LLVMModuleRef from) {
  return !linker->linkInModule(std::unique_ptr<Module>(unwrap(from)));
}

// Whether values in memory are at the same places in both data layouts: the order of bytes, the size of generic
// pointers, and the alignment of numbers. A text that is no data layout fits none.
int ofc_layouts_fit(const char *one, const char *other) {
  Expected<DataLayout> a = DataLayout::parse(one), b = DataLayout::parse(other);
  if (!a || !b) {
    consumeError(a.takeError());
    consumeError(b.takeError());
    return 0;
  }
  LLVMContext context;
  Type *numbers[] = {Type::getInt8Ty(context),  Type::getInt16Ty(context), Type::getInt32Ty(context),
                     Type::getInt64Ty(context), Type::getFloatTy(context), Type::getDoubleTy(context)};
  auto same = [&](Type *type) { return a->getABITypeAlign(type) == b->getABITypeAlign(type); };
  return a->isBigEndian() == b->isBigEndian() && a->getPointerSize() == b->getPointerSize() && all_of(numbers, same);
}

// Links the definitions of `count` symbols into `to`, the mover's module, with every definition of the same module that
// they need and that `wanted` accepts; the others become declarations. Without `lines`, no debug information is linked.
// Returns 0 if the bitcode cannot be read or linked, or contains an invalid function; then there is a message for
// LLVMDisposeMessage.
int ofc_link_needed(IRMover *mover, LLVMModuleRef to, const char *bytes, size_t length, const char *name,
                    const char *const *symbols, size_t count, int lines, Wanted wanted, void *state, char **message) {
  Module &destination = *unwrap(to);
  // As for an import, only the metadata that the definitions name is read.
  Expected<std::unique_ptr<Module>> parsed = getLazyBitcodeModule(MemoryBufferRef(StringRef(bytes, length), name),
                                                                  destination.getContext(), true, lines);
  if (!parsed)
    return failed(parsed.takeError(), message);
  Module &source = **parsed;
  if (!lines)
    StripDebugInfo(source);
  // Descriptions of the library's object file are not needed, and may contradict the program's.
#if LLVM_VERSION_MAJOR >= 23
  source.removeModuleInlineAsm();
#else
  source.setModuleInlineAsm("");
#endif
  // The reader takes the address space of allocas from the data layout, so bodies are read with their own.
  const DataLayout &from = source.getDataLayout(), &into = destination.getDataLayout();
  bool same_allocas = from.getAllocaAddrSpace() == into.getAllocaAddrSpace();
  if (from != into)
    if (Error error = source.materializeAll())
      return failed(std::move(error), message);
  source.setDataLayout(destination.getDataLayout());
  source.setTargetTriple(destination.getTargetTriple());
  // Named metadata is about the library's module: its flags, its producer, its kernels.
  if (!lines)
    if (Error error = source.materializeMetadata())
      return failed(std::move(error), message);
  while (!lines && !source.named_metadata_empty())
    source.named_metadata_begin()->eraseFromParent();
  part_with_unwanted(source, wanted, state);
  SmallVector<GlobalValue *> roots;
  for (size_t i = 0; i < count; ++i)
    if (GlobalValue *root = source.getNamedValue(symbols[i]); root && !root->isDeclaration())
      roots.push_back(root);
  auto reached = [&](GlobalValue &value, IRMover::ValueAdder add) {
    if (wanted(state, wrap(&value)))
      add(value);
  };
  DenseSet<const Function *> before = bodies_of(destination);
  if (Error error = mover->move(std::move(*parsed), roots, reached, false))
    return failed(std::move(error), message);
  // Allocas that were read in another address space get theirs from a later pass, and are invalid until then.
  if (same_allocas)
    if (Error error = verify_others(destination, before))
      return failed(std::move(error), message);
  return 1;
}

}

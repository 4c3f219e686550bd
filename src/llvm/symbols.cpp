// Lists the symbols that a module will have as an object, for linkers. Only declarations are read, and no function's
// body.
#include "llvm-c/Core.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ModuleSymbolTable.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include <optional>

using namespace llvm;

// IR written by hand often has no data layout, and the prefixes of names depend on it.
static void complete_layout(Module &module) {
  if (!module.getDataLayout().isDefault())
    return;
  std::string error;
  const Target *target = TargetRegistry::lookupTarget(module.getTargetTriple(), error);
  if (!target)
    return;
  std::unique_ptr<TargetMachine> machine(
      target->createTargetMachine(module.getTargetTriple(), "", "", TargetOptions(), std::nullopt));
  module.setDataLayout(machine->createDataLayout());
}

extern "C" {

// A symbol, whose strings are valid until the function that it is passed to returns.
struct ofc_symbol {
  const char *name;
  size_t name_length;
  const char *section;
  size_t section_length;
  const char *comdat;
  size_t comdat_length;
  uint64_t common_size;
  int undefined, weak, common, function;
  unsigned visibility;
};

// Calls `each` for every symbol of the module that other objects can see. Returns 0 if the module cannot be read; then
// there is a message for LLVMDisposeMessage.
int ofc_symbols(const char *bytes, size_t length, const char *name, void (*each)(void *, const ofc_symbol *),
                void *state, char **message) {
  LLVMContext context;
  MemoryBufferRef buffer(StringRef(bytes, length), name);
  Expected<std::unique_ptr<Module>> module = getLazyBitcodeModule(buffer, context);
  if (!module) {
    *message = LLVMCreateMessage(toString(module.takeError()).c_str());
    return 0;
  }
  complete_layout(**module);
  using object::BasicSymbolRef;
  ModuleSymbolTable table;
  table.addModule(module->get());
  for (ModuleSymbolTable::Symbol symbol : table.symbols()) {
    uint32_t flags = table.getSymbolFlags(symbol);
    if (!(flags & BasicSymbolRef::SF_Global) || (flags & BasicSymbolRef::SF_FormatSpecific))
      continue;
    std::string text;
    raw_string_ostream stream(text);
    table.printSymbolName(stream, symbol);
    ofc_symbol found = {};
    found.name = text.data();
    found.name_length = text.size();
    found.undefined = (flags & BasicSymbolRef::SF_Undefined) != 0;
    found.weak = (flags & BasicSymbolRef::SF_Weak) != 0;
    found.common = (flags & BasicSymbolRef::SF_Common) != 0;
    found.function = (flags & BasicSymbolRef::SF_Executable) != 0;
    if (auto *global = dyn_cast_if_present<GlobalValue *>(symbol)) {
      found.visibility = global->getVisibility();
      if (found.common)
        found.common_size = (*module)->getDataLayout().getTypeAllocSize(global->getValueType());
      if (const GlobalObject *defined = global->getAliaseeObject()) {
        found.section = defined->getSection().data();
        found.section_length = defined->getSection().size();
        if (const Comdat *comdat = defined->getComdat()) {
          found.comdat = comdat->getName().data();
          found.comdat_length = comdat->getName().size();
        }
      }
    }
    each(state, &found);
  }
  return 1;
}

}

// Modules as text with more than the C API prints. Declared in shim.rs.
#include "llvm-c/Core.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

using namespace llvm;

// The module as text with the order of each value's uses, which passes may depend on. The caller disposes of the message.
extern "C" char *ofc_text_with_orders(LLVMModuleRef module) {
  std::string text;
  raw_string_ostream stream(text);
  unwrap(module)->print(stream, nullptr, /*ShouldPreserveUseListOrder=*/true);
  return LLVMCreateMessage(text.c_str());
}

// The C API has no function that erases named metadata.
extern "C" void ofc_erase_named_metadata(LLVMModuleRef module, const char *name) {
  if (NamedMDNode *node = unwrap(module)->getNamedMetadata(name))
    node->eraseFromParent();
}

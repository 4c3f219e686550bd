// Modules as text with more than the C API prints, and as bitcode with less than it writes. Declared in shim.rs.
#include "llvm-c/Core.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

using namespace llvm;

// The module as text with the order of each value's uses, which passes may depend on. The caller disposes of the
// message.
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

// The module as bitcode without parts that have no meaning: the names of values in functions, which it loses, and the
// table of symbols for linkers.
extern "C" LLVMMemoryBufferRef ofc_small_bitcode(LLVMModuleRef module) {
  for (Function &function : *unwrap(module)) {
    for (Argument &argument : function.args())
      argument.setName("");
    for (BasicBlock &block : function)
      block.setName("");
    for (Instruction &instruction : instructions(function))
      if (!instruction.getType()->isVoidTy())
        instruction.setName("");
  }
  SmallVector<char, 0> bytes;
  BitcodeWriter writer(bytes);
  writer.writeModule(*unwrap(module));
  writer.writeStrtab();
  return LLVMCreateMemoryBufferWithMemoryRangeCopy(bytes.data(), bytes.size(), "");
}

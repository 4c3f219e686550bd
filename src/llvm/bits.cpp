// The number of bits that values need. Declared in shim.rs.

#include "llvm-c/Core.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/KnownBits.h"

using namespace llvm;

// The number of low bits of which an integer is the extension at an instruction; with its sign if `is_signed`.
extern "C" unsigned ofc_needed_bits(LLVMValueRef value, LLVMValueRef at, int is_signed) {
  const auto *place = cast<Instruction>(unwrap(at));
  const DataLayout &layout = place->getModule()->getDataLayout();
  if (is_signed)
    return ComputeMaxSignificantBits(unwrap(value), layout, nullptr, place);
  return computeKnownBits(unwrap(value), layout, nullptr, place).countMaxActiveBits();
}

// Known bits of values. Declared in shim.rs.

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

// Writes the bits of an integer of at most 64 bits that are known to be zero and to be one, and the greatest number
// that it may be. `at` is an instruction of its function, or the value itself.
extern "C" void ofc_known_bits(LLVMValueRef ref, LLVMValueRef at, uint64_t *known) {
  Value *value = unwrap(ref);
  SimplifyQuery query(cast<Instruction>(unwrap(at))->getModule()->getDataLayout());
  KnownBits bits = computeKnownBits(value, query);
  known[0] = bits.Zero.getZExtValue();
  known[1] = bits.One.getZExtValue();
  known[2] = computeConstantRangeIncludingKnownBits(value, /*ForSigned=*/false, query).getUnsignedMax().getZExtValue();
}

// LLVM's own expansions of what a code generator lacks; the C API reaches none of them. Declared in shim.rs.
#include "llvm-c/Core.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/CodeGen/AtomicExpandUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/IntegerDivision.h"
#include "llvm/Transforms/Utils/LowerMemIntrinsics.h"

using namespace llvm;

extern "C" {

// Replaces an integer division or remainder, of any width, by a loop over its bits.
void ofc_expand_division(LLVMValueRef instruction) {
  BinaryOperator *division = cast<BinaryOperator>(unwrap(instruction));
  unsigned opcode = division->getOpcode();
  if (opcode == Instruction::SDiv || opcode == Instruction::UDiv)
    expandDivision(division);
  else
    expandRemainder(division);
}

// Replaces an atomic read-modify-write by a loop around a compare-and-exchange of an integer; its load is not atomic.
void ofc_expand_atomic(LLVMValueRef instruction) {
  auto exchange = [](IRBuilderBase &builder, Value *address, Value *loaded, Value *value, Align align,
                     AtomicOrdering ordering, SyncScope::ID scope, Value *&success, Value *&again, Instruction *) {
    Type *type = value->getType();
    bool integer = type->isIntegerTy();
    Type *word = builder.getIntNTy(builder.GetInsertBlock()->getModule()->getDataLayout().getTypeSizeInBits(type));
    auto toWord = [&](Value *each) { return integer ? each : builder.CreateBitOrPointerCast(each, word); };
    Value *pair = builder.CreateAtomicCmpXchg(address, toWord(loaded), toWord(value), align, ordering,
                                              AtomicCmpXchgInst::getStrongestFailureOrdering(ordering), scope);
    success = builder.CreateExtractValue(pair, 1);
    Value *found = builder.CreateExtractValue(pair, 0);
    again = integer ? found : builder.CreateBitOrPointerCast(found, type);
  };
  expandAtomicRMWToCmpXchg(cast<AtomicRMWInst>(unwrap(instruction)), exchange);
}

// Replaces a call of llvm.memmove or llvm.memset by a loop over bytes. LLVM wants both pointers of a move in one address
// space, so they are cast to `generic` where they are not.
void ofc_expand_memory_call(LLVMValueRef ref, unsigned generic) {
  auto *call = cast<MemIntrinsic>(unwrap(ref));
  if (auto *fill = dyn_cast<MemSetInst>(call)) {
    expandMemSetAsLoop(fill);
    call->eraseFromParent();
    return;
  }
  auto *move = cast<MemMoveInst>(call);
  if (move->getDestAddressSpace() != move->getSourceAddressSpace()) {
    IRBuilder<> builder(move);
    PointerType *type = builder.getPtrTy(generic);
    Value *to = builder.CreateAddrSpaceCast(move->getRawDest(), type);
    Value *from = builder.CreateAddrSpaceCast(move->getRawSource(), type);
    CallInst *same = builder.CreateMemMove(to, move->getDestAlign(), from, move->getSourceAlign(), move->getLength(),
                                           move->isVolatile());
    move->eraseFromParent();
    move = cast<MemMoveInst>(same);
  }
  TargetTransformInfo costs(move->getModule()->getDataLayout());
  expandMemMoveAsLoop(move, costs);
  move->eraseFromParent();
}

}

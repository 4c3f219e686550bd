// LLVM's own expansions of operations that a code generator lacks. The C API has none of them. Declared in shim.rs.
#include "llvm-c/Core.h"
#include "llvm/Analysis/InstSimplifyFolder.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/Utils/Local.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/IntegerDivision.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"
#include "llvm/Transforms/Utils/LowerMemIntrinsics.h"

using namespace llvm;

extern "C" {

// Replaces a `getelementptr` by one with the same offset in bytes.
void ofc_expand_gep(LLVMValueRef instruction) {
  auto *gep = cast<GetElementPtrInst>(unwrap(instruction));
  IRBuilder<> builder(gep);
  Value *offset = emitGEPOffset(&builder, gep->getModule()->getDataLayout(), gep);
  Value *bytes = builder.CreatePtrAdd(gep->getPointerOperand(), offset, gep->getName(), gep->getNoWrapFlags());
  gep->replaceAllUsesWith(bytes);
  gep->eraseFromParent();
}

// Replaces an integer division or remainder, of any width, by a loop over its bits.
void ofc_expand_division(LLVMValueRef instruction) {
  BinaryOperator *division = cast<BinaryOperator>(unwrap(instruction));
  unsigned opcode = division->getOpcode();
  if (opcode == Instruction::SDiv || opcode == Instruction::UDiv)
    expandDivision(division);
  else
    expandRemainder(division);
}

// Replaces an atomic read-modify-write by a loop with a compare-and-exchange of an integer. The load before it is not
// atomic. LLVM 23 has this loop in its code generator only.
void ofc_expand_atomic(LLVMValueRef ref) {
  auto *atomic = cast<AtomicRMWInst>(unwrap(ref));
  const DataLayout &layout = atomic->getModule()->getDataLayout();
  Type *type = atomic->getType();
  Value *address = atomic->getPointerOperand();
  AtomicOrdering ordering = atomic->getOrdering();
  BasicBlock *before = atomic->getParent();
  BasicBlock *end = before->splitBasicBlock(atomic, "atomicrmw.end");
  BasicBlock *loop = BasicBlock::Create(atomic->getContext(), "atomicrmw.start", before->getParent(), end);
  IRBuilder<InstSimplifyFolder> builder(atomic->getContext(), InstSimplifyFolder(layout));
  builder.SetCurrentDebugLocation(atomic->getDebugLoc());
  before->getTerminator()->eraseFromParent();
  builder.SetInsertPoint(before);
  Value *first = builder.CreateAlignedLoad(type, address, atomic->getAlign());
  builder.CreateBr(loop);
  builder.SetInsertPoint(loop);
  PHINode *loaded = builder.CreatePHI(type, 2, "loaded");
  loaded->addIncoming(first, before);
  Value *value = buildAtomicRMWValue(atomic->getOperation(), builder, loaded, atomic->getValOperand());
  Type *word = builder.getIntNTy(layout.getTypeSizeInBits(type));
  auto toWord = [&](Value *each) { return type->isIntegerTy() ? each : builder.CreateBitOrPointerCast(each, word); };
  Value *expected = toWord(loaded);
  Value *pair = builder.CreateAtomicCmpXchg(address, expected, toWord(value), atomic->getAlign(), ordering,
                                            AtomicCmpXchgInst::getStrongestFailureOrdering(ordering),
                                            atomic->getSyncScopeID());
  Value *success = builder.CreateExtractValue(pair, 1);
  Value *found = builder.CreateExtractValue(pair, 0);
  if (!type->isIntegerTy())
    found = builder.CreateBitOrPointerCast(found, type);
  loaded->addIncoming(found, loop);
  builder.CreateCondBr(success, end, loop);
  atomic->replaceAllUsesWith(found);
  atomic->eraseFromParent();
}

// Replaces an atomic access to memory of one thread by accesses that are not atomic.
void ofc_lower_private_atomic(LLVMValueRef ref) {
  Value *access = unwrap(ref);
  if (auto *load = dyn_cast<LoadInst>(access))
    load->setAtomic(AtomicOrdering::NotAtomic);
  else if (auto *store = dyn_cast<StoreInst>(access))
    store->setAtomic(AtomicOrdering::NotAtomic);
  else if (auto *change = dyn_cast<AtomicRMWInst>(access))
    lowerAtomicRMWInst(change);
  else
    lowerAtomicCmpXchgInst(cast<AtomicCmpXchgInst>(access));
}

// The aligned 4 bytes that contain a smaller access, and the position of the access in them.
struct Part {
  Type *narrow;
  IntegerType *word;
  Value *base, *shift, *mask;

  Part(IRBuilder<> &builder, Value *address, Type *type) : narrow(type), word(builder.getInt32Ty()) {
    unsigned bits = builder.GetInsertBlock()->getModule()->getDataLayout().getTypeSizeInBits(type);
    Value *offset = builder.CreateAnd(builder.CreatePtrToInt(address, builder.getInt64Ty()), 3);
    base = builder.CreateGEP(builder.getInt8Ty(), address, builder.CreateNeg(offset));
    shift = builder.CreateShl(builder.CreateTrunc(offset, word), 3);
    mask = builder.CreateShl(ConstantInt::get(word, (1u << bits) - 1), shift);
  }

  Value *of(IRBuilderBase &builder, Value *whole) const {
    Value *bits = builder.CreateTrunc(builder.CreateLShr(whole, shift), builder.getIntNTy(narrow->getScalarSizeInBits()));
    return builder.CreateBitCast(bits, narrow);
  }

  Value *replaced(IRBuilderBase &builder, Value *whole, Value *value) const {
    Value *bits = builder.CreateBitCast(value, builder.getIntNTy(narrow->getScalarSizeInBits()));
    Value *moved = builder.CreateShl(builder.CreateZExt(bits, word), shift);
    return builder.CreateOr(builder.CreateAnd(whole, builder.CreateNot(mask)), moved);
  }
};

// old = *word; while (!compare_exchange(word, &old, next(old))) {}. Returns the value before the exchange. The code
// after `at` follows the loop.
static Value *exchange_word(Instruction *at, const Part &part, AtomicOrdering ordering, SyncScope::ID scope,
                            function_ref<Value *(IRBuilder<> &, Value *)> next) {
  BasicBlock *before = at->getParent(), *after = before->splitBasicBlock(at->getIterator());
  BasicBlock *again = BasicBlock::Create(at->getContext(), "", before->getParent(), after);
  before->getTerminator()->eraseFromParent();
  IRBuilder<> builder(before);
  builder.SetCurrentDebugLocation(at->getDebugLoc());
  LoadInst *first = builder.CreateAlignedLoad(part.word, part.base, Align(4));
  first->setAtomic(AtomicOrdering::Monotonic, scope);
  builder.CreateBr(again);
  builder.SetInsertPoint(again);
  PHINode *old = builder.CreatePHI(part.word, 2);
  Value *pair = builder.CreateAtomicCmpXchg(part.base, old, next(builder, old), Align(4), ordering,
                                            AtomicCmpXchgInst::getStrongestFailureOrdering(ordering), scope);
  old->addIncoming(first, before);
  old->addIncoming(builder.CreateExtractValue(pair, 0), again);
  builder.CreateCondBr(builder.CreateExtractValue(pair, 1), after, again);
  return old;
}

// Replaces an atomic access to 1 or 2 bytes by one with the same ordering to the 4 bytes that contain them. The other
// bytes are written back unchanged in the same step. A compare-and-exchange that fails writes all bytes back.
void ofc_widen_atomic(LLVMValueRef ref) {
  Instruction *access = cast<Instruction>(unwrap(ref));
  IRBuilder<> builder(access);
  if (auto *load = dyn_cast<LoadInst>(access)) {
    Part part(builder, load->getPointerOperand(), load->getType());
    LoadInst *whole = builder.CreateAlignedLoad(part.word, part.base, Align(4), load->isVolatile());
    whole->setAtomic(load->getOrdering(), load->getSyncScopeID());
    load->replaceAllUsesWith(part.of(builder, whole));
  } else if (auto *write = dyn_cast<StoreInst>(access)) {
    Part part(builder, write->getPointerOperand(), write->getValueOperand()->getType());
    auto next = [&](IRBuilder<> &inner, Value *old) { return part.replaced(inner, old, write->getValueOperand()); };
    exchange_word(write, part, write->getOrdering(), write->getSyncScopeID(), next);
  } else if (auto *change = dyn_cast<AtomicRMWInst>(access)) {
    Part part(builder, change->getPointerOperand(), change->getType());
    auto next = [&](IRBuilder<> &inner, Value *old) {
      Value *now = part.of(inner, old);
      return part.replaced(inner, old, buildAtomicRMWValue(change->getOperation(), inner, now, change->getValOperand()));
    };
    Value *old = exchange_word(change, part, change->getOrdering(), change->getSyncScopeID(), next);
    builder.SetInsertPoint(change);
    change->replaceAllUsesWith(part.of(builder, old));
  } else {
    auto *exchange = cast<AtomicCmpXchgInst>(access);
    Value *expected = exchange->getCompareOperand();
    Part part(builder, exchange->getPointerOperand(), expected->getType());
    auto next = [&](IRBuilder<> &inner, Value *old) {
      Value *same = inner.CreateICmpEQ(part.of(inner, old), expected);
      return inner.CreateSelect(same, part.replaced(inner, old, exchange->getNewValOperand()), old);
    };
    Value *old = exchange_word(exchange, part, exchange->getMergedOrdering(), exchange->getSyncScopeID(), next);
    builder.SetInsertPoint(exchange);
    Value *found = part.of(builder, old);
    Value *pair = builder.CreateInsertValue(PoisonValue::get(exchange->getType()), found, 0);
    pair = builder.CreateInsertValue(pair, builder.CreateICmpEQ(found, expected), 1);
    exchange->replaceAllUsesWith(pair);
  }
  access->eraseFromParent();
}

// Replaces a call of llvm.vector.reduce.* by operations on the elements, in their order.
void ofc_expand_reduction(LLVMValueRef ref) {
  auto *call = cast<IntrinsicInst>(unwrap(ref));
  Intrinsic::ID id = call->getIntrinsicID();
  IRBuilder<> builder(call);
  if (isa<FPMathOperator>(call))
    builder.setFastMathFlags(call->getFastMathFlags());
  bool starts = id == Intrinsic::vector_reduce_fadd || id == Intrinsic::vector_reduce_fmul;
  Value *vector = call->getArgOperand(starts);
  Value *result = starts ? call->getArgOperand(0) : nullptr;
  unsigned arithmetic = getArithmeticReductionInstruction(id);
  for (unsigned i = 0; i < cast<FixedVectorType>(vector->getType())->getNumElements(); ++i) {
    Value *element = builder.CreateExtractElement(vector, i);
    if (!result)
      result = element;
    else if (Instruction::isBinaryOp(arithmetic))
      result = builder.CreateBinOp(Instruction::BinaryOps(arithmetic), result, element);
    else
      result = builder.CreateBinaryIntrinsic(getMinMaxReductionIntrinsicOp(id), result, element);
  }
  call->replaceAllUsesWith(result);
  call->eraseFromParent();
}

// Replaces a call of llvm.memmove or llvm.memset by a loop over bytes. LLVM requires both pointers of a move to have
// the same address space, so they are cast to `generic` if necessary.
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

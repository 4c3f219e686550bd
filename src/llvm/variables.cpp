// Variables of the source in memory, where a debugger finds them at each instruction of unoptimised code. LLVM's passes
// have moved them to registers, which are used again after the last use of a value.
#include "llvm-c/Core.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include <optional>

using namespace llvm;

namespace {

// A variable, and the call from which its function was inlined.
using Variable = std::pair<DILocalVariable *, DILocation *>;
// A record, and the instruction that follows it. New instructions before that one take its records over.
struct Record {
  DbgVariableRecord *record;
  Instruction *before;
};
using Records = SmallVector<Record, 4>;

// The records of a function's variables, in the function's order.
MapVector<Variable, Records> records_of(Function &function) {
  MapVector<Variable, Records> found;
  for (Instruction &instruction : instructions(function))
    for (DbgVariableRecord &record : filterDbgVars(instruction.getDbgRecordRange()))
      found[{record.getVariable(), record.getDebugLoc()->getInlinedAt()}].push_back({&record, &instruction});
  return found;
}

// Applies the operations of an expression to values; null if one of them is unknown.
class Evaluation {
  IRBuilder<> &builder;
  const DbgVariableRecord &record;
  SmallVector<Value *, 4> stack;

  Value *pop() { return stack.empty() ? nullptr : stack.pop_back_val(); }

  // DWARF computes with numbers of one size.
  Value *number(Value *value) {
    if (!value || value->getType()->isVectorTy())
      return nullptr;
    if (value->getType()->isPointerTy())
      return builder.CreatePtrToInt(value, builder.getInt64Ty());
    if (!value->getType()->isIntegerTy() || value->getType()->getIntegerBitWidth() > 64)
      return nullptr;
    return builder.CreateZExt(value, builder.getInt64Ty());
  }

  bool add_binary(Instruction::BinaryOps operation) {
    Value *right = number(pop()), *left = number(pop());
    if (!left || !right)
      return false;
    stack.push_back(builder.CreateBinOp(operation, left, right));
    return true;
  }

  bool add(const DIExpression::ExprOperand &operand) {
    switch (operand.getOp()) {
    case dwarf::DW_OP_LLVM_arg:
      stack.push_back(record.getVariableLocationOp(operand.getArg(0)));
      return true;
    case dwarf::DW_OP_constu:
    case dwarf::DW_OP_consts:
      stack.push_back(builder.getInt64(operand.getArg(0)));
      return true;
    case dwarf::DW_OP_plus_uconst:
      stack.push_back(builder.getInt64(operand.getArg(0)));
      return add_binary(Instruction::Add);
    case dwarf::DW_OP_plus:
      return add_binary(Instruction::Add);
    case dwarf::DW_OP_minus:
      return add_binary(Instruction::Sub);
    case dwarf::DW_OP_mul:
      return add_binary(Instruction::Mul);
    case dwarf::DW_OP_and:
      return add_binary(Instruction::And);
    case dwarf::DW_OP_or:
      return add_binary(Instruction::Or);
    case dwarf::DW_OP_xor:
      return add_binary(Instruction::Xor);
    case dwarf::DW_OP_LLVM_convert: {
      Value *value = pop();
      if (!value || !value->getType()->isIntegerTy() || operand.getArg(0) > 64)
        return false;
      Type *type = builder.getIntNTy(operand.getArg(0));
      bool is_signed = operand.getArg(1) == dwarf::DW_ATE_signed;
      stack.push_back(is_signed ? builder.CreateSExtOrTrunc(value, type) : builder.CreateZExtOrTrunc(value, type));
      return true;
    }
    case dwarf::DW_OP_stack_value:
    case dwarf::DW_OP_LLVM_fragment:
      return true;
    default:
      return false;
    }
  }

public:
  Evaluation(IRBuilder<> &builder, const DbgVariableRecord &record) : builder(builder), record(record) {
    if (!record.hasArgList())
      stack.push_back(record.getVariableLocationOp(0));
  }

  Value *run() {
    for (DIExpression::ExprOperand operand : record.getExpression()->expr_ops())
      if (!add(operand))
        return nullptr;
    return stack.size() == 1 ? stack.back() : nullptr;
  }
};

// The bytes of the variable that a record is about; none if they are not whole bytes of a variable of a known size.
std::optional<std::pair<uint64_t, uint64_t>> bytes_of(const DbgVariableRecord &record) {
  std::optional<uint64_t> size = record.getVariable()->getSizeInBits();
  if (!size || *size == 0 || *size % 8)
    return std::nullopt;
  std::optional<DIExpression::FragmentInfo> part = record.getExpression()->getFragmentInfo();
  if (!part)
    return std::make_pair(uint64_t(0), *size / 8);
  if (part->OffsetInBits % 8 || part->SizeInBits % 8 || part->OffsetInBits + part->SizeInBits > *size)
    return std::nullopt;
  return std::make_pair(part->OffsetInBits / 8, part->SizeInBits / 8);
}

// Whether the values of a record are computed at its place.
bool is_computed(const Record &at, const DominatorTree &dominators) {
  return all_of(at.record->location_ops(), [&](Value *value) {
    auto *instruction = dyn_cast<Instruction>(value);
    return !instruction || dominators.dominates(instruction, at.before);
  });
}

// Stores the value of a record to the variable's memory. False if it is unknown; the memory is then not used.
bool store(const Record &at, AllocaInst *memory, const DominatorTree &dominators) {
  DbgVariableRecord &record = *at.record;
  auto bytes = bytes_of(record);
  if (!record.isDbgValue() || record.isKillLocation() || !bytes || !is_computed(at, dominators))
    return false;
  Instruction *before = at.before;
  if (isa<PHINode>(before))
    return false;
  IRBuilder<> builder(before);
  // The instruction belongs to the scope of the variable, and to no line: a debugger does not stop at it. A parameter
  // has its value before an inlined function begins, at whose first instruction a debugger stops.
  const DILocation *place = record.getDebugLoc();
  if (record.getVariable()->isParameter() && place->getInlinedAt())
    place = place->getInlinedAt();
  builder.SetCurrentDebugLocation(
      DILocation::get(before->getContext(), 0, 0, place->getScope(), place->getInlinedAt()));
  Value *value = Evaluation(builder, record).run();
  if (!value)
    return false;
  const DataLayout &layout = before->getModule()->getDataLayout();
  auto [offset, size] = *bytes;
  Type *type = value->getType();
  if (type->isIntegerTy() && (type->getIntegerBitWidth() % 8 || layout.getTypeStoreSize(type) > size))
    value = builder.CreateZExtOrTrunc(value, builder.getIntNTy(8 * size));
  if (!value->getType()->isSized() || layout.getTypeStoreSize(value->getType()) > size)
    return false;
  // Back ends of GPUs would move a variable without volatile accesses to registers again.
  Value *address = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), memory, offset);
  builder.CreateAlignedStore(value, address, Align(1), /*isVolatile=*/true);
  return true;
}

// Whether debug information has more of a function than its lines.
bool has_variables(const Function &function) {
  const DISubprogram *subprogram = function.getSubprogram();
  return subprogram && subprogram->getUnit() && subprogram->getUnit()->getEmissionKind() == DICompileUnit::FullDebug;
}

AllocaInst *reserve(Function &function, Type *type, Align align) {
  BasicBlock &entry = function.getEntryBlock();
  IRBuilder<> builder(&entry, entry.getFirstInsertionPt());
  builder.SetCurrentDebugLocation(DebugLoc());
  AllocaInst *memory = builder.CreateAlloca(type);
  memory->setAlignment(align);
  return memory;
}

// Erases memory, and the stores to it.
void erase(AllocaInst *memory) {
  for (User *address : make_early_inc_range(memory->users())) {
    for (User *store : make_early_inc_range(address->users()))
      cast<StoreInst>(store)->eraseFromParent();
    cast<GetElementPtrInst>(address)->eraseFromParent();
  }
  memory->eraseFromParent();
}

} // namespace

extern "C" {

int ofc_has_variables(LLVMValueRef function) { return has_variables(*unwrap<Function>(function)); }

// Keeps each variable of a function in memory if its value is known wherever debug information speaks of it.
void ofc_keep_variables(LLVMValueRef ref) {
  Function &function = *unwrap<Function>(ref);
  if (!has_variables(function))
    return;
  DominatorTree dominators(function);
  DIBuilder declarations(*function.getParent(), false);
  for (auto &[variable, records] : records_of(function)) {
    std::optional<uint64_t> size = variable.first->getSizeInBits();
    if (!size || *size == 0)
      continue;
    Type *bytes = ArrayType::get(Type::getInt8Ty(function.getContext()), (*size + 7) / 8);
    AllocaInst *memory = reserve(function, bytes, Align(16));
    if (!all_of(records, [&](const Record &at) { return store(at, memory, dominators); })) {
      erase(memory);
      continue;
    }
    declarations.insertDeclare(memory, variable.first, declarations.createExpression(),
                               records[0].record->getDebugLoc(), std::next(memory->getIterator()));
    for (const Record &at : records)
      at.record->eraseFromParent();
  }
}

// Gives a function with variables another parameter for debuggers: a tuple of three numbers of 32 bits.
void ofc_declare_position(LLVMValueRef ref, const char *name, LLVMValueRef *values) {
  Function &function = *unwrap<Function>(ref);
  if (!has_variables(function))
    return;
  DISubprogram *subprogram = function.getSubprogram();
  DIBuilder builder(*function.getParent(), false, subprogram->getUnit());
  unsigned number = subprogram->getType() ? subprogram->getType()->getTypeArray().size() : 1;
  for (auto &[variable, records] : records_of(function))
    if (variable.first->getScope() == subprogram && !variable.second)
      number = std::max(number, variable.first->getArg() + 1);
  DIType *integer = builder.createBasicType("u32", 32, dwarf::DW_ATE_unsigned);
  SmallVector<Metadata *, 3> members;
  for (unsigned axis = 0; axis < 3; ++axis)
    members.push_back(builder.createMemberType(subprogram->getFile(), ("__" + Twine(axis)).str(),
                                               subprogram->getFile(), 0, 32, 32, 32 * axis, DINode::FlagZero, integer));
  DIType *tuple = builder.createStructType(subprogram->getUnit(), "(u32, u32, u32)", subprogram->getFile(), 0, 96, 32,
                                           DINode::FlagZero, nullptr, builder.getOrCreateArray(members));
  DILocalVariable *variable =
      builder.createParameterVariable(subprogram, name, number, subprogram->getFile(), subprogram->getLine(), tuple,
                                      false, DINode::FlagArtificial);
  LLVMContext &context = function.getContext();
  AllocaInst *memory = reserve(function, ArrayType::get(Type::getInt32Ty(context), 3), Align(4));
  Instruction *before = &*std::next(memory->getIterator());
  for (unsigned axis = 0; axis < 3; ++axis)
    if (auto *value = dyn_cast<Instruction>(unwrap(values[axis])))
      before = value->getNextNode();
  IRBuilder<> stores(before);
  stores.SetCurrentDebugLocation(DebugLoc());
  for (unsigned axis = 0; axis < 3; ++axis)
    stores.CreateStore(unwrap(values[axis]), stores.CreateConstInBoundsGEP1_64(stores.getInt32Ty(), memory, axis));
  builder.insertDeclare(memory, variable, builder.createExpression(),
                        DILocation::get(context, subprogram->getLine(), 0, subprogram), before->getIterator());
}

// Declares variables whose memory is no part of the function's own stack by a pointer that is. The pointers are those
// of the entry block, and the declarations move there.
void ofc_point_to_variables(LLVMValueRef ref) {
  Function &function = *unwrap<Function>(ref);
  if (!has_variables(function))
    return;
  BasicBlock &entry = function.getEntryBlock();
  DIBuilder declarations(*function.getParent(), false);
  DenseMap<Value *, AllocaInst *> pointers;
  for (auto &[variable, records] : records_of(function)) {
    if (records.size() != 1 || !records[0].record->isDbgDeclare())
      continue;
    DbgVariableRecord *record = records[0].record;
    Value *address = record->getVariableLocationOp(0);
    auto *instruction = dyn_cast_or_null<Instruction>(address);
    bool is_near = address && (isa<Argument>(address) || (instruction && instruction->getParent() == &entry));
    if (!is_near || isa<AllocaInst>(address->stripInBoundsOffsets()))
      continue;
    AllocaInst *&pointer = pointers[address];
    if (!pointer) {
      pointer = reserve(function, address->getType(), Align(8));
      auto after = instruction ? std::next(instruction->getIterator()) : std::next(pointer->getIterator());
      IRBuilder<> builder(&entry, after);
      builder.SetCurrentDebugLocation(DebugLoc());
      builder.CreateStore(address, pointer, /*isVolatile=*/true);
    }
    DIExpression *at = DIExpression::prepend(record->getExpression(), DIExpression::DerefBefore);
    declarations.insertDeclare(pointer, variable.first, at, record->getDebugLoc(), std::next(pointer->getIterator()));
    record->eraseFromParent();
  }
}
}

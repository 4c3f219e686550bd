// Retypes the pointers of a module in place, which LLVM's C API cannot do, with a type remapper for LLVM's value
// mapper. Declared in shim.rs.
#include "llvm-c/Core.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ValueMapper.h"
#include <optional>

using namespace llvm;

namespace {

// Replaces every pointer type of one address space by that of another, at any depth in a type.
class PointerRetyper final : public ValueMapTypeRemapper {
public:
  PointerRetyper(LLVMContext &context, unsigned from, unsigned to)
      : from(PointerType::get(context, from)), to(PointerType::get(context, to)) {}

  Type *remapType(Type *type) override {
    if (type == from)
      return to;
    if (type->getNumContainedTypes() == 0)
      return type;
    if (Type *known = renewed.lookup(type))
      return known;
    return renewed[type] = rebuild(type);
  }

  AttributeList remapAttributes(LLVMContext &context, AttributeList attributes) {
    for (unsigned index : attributes.indexes())
      for (unsigned kind = Attribute::FirstTypeAttr; kind <= Attribute::LastTypeAttr; ++kind) {
        auto each = static_cast<Attribute::AttrKind>(kind);
        if (attributes.hasAttributeAtIndex(index, each)) {
          Type *type = attributes.getAttributeAtIndex(index, each).getValueAsType();
          attributes = attributes.replaceAttributeTypeAtIndex(context, index, each, remapType(type));
        }
      }
    return attributes;
  }

private:
  Type *rebuild(Type *type) {
    SmallVector<Type *> parts;
    for (Type *part : type->subtypes())
      parts.push_back(remapType(part));
    if (ArrayRef<Type *>(parts) == type->subtypes())
      return type;
    if (auto *function = dyn_cast<FunctionType>(type))
      return FunctionType::get(parts[0], ArrayRef(parts).drop_front(), function->isVarArg());
    if (auto *array = dyn_cast<ArrayType>(type))
      return ArrayType::get(parts[0], array->getNumElements());
    if (auto *vector = dyn_cast<VectorType>(type))
      return VectorType::get(parts[0], vector->getElementCount());
    auto *structure = cast<StructType>(type);
    return StructType::get(type->getContext(), parts, structure->isPacked());
  }

  PointerType *from, *to;
  DenseMap<Type *, Type *> renewed;
};

// Creates the function with the retyped signature that replaces `before`: it takes over name, body and attributes.
Function *retypeFunction(Function *before, PointerRetyper &types) {
  auto *signature = cast<FunctionType>(types.remapType(before->getFunctionType()));
  if (signature == before->getFunctionType())
    return before;
  bool intrinsic = before->isIntrinsic(); // by its name, which it loses
  Function *after = Function::Create(signature, before->getLinkage(), before->getAddressSpace());
  before->getParent()->getFunctionList().insert(before->getIterator(), after);
  if (intrinsic) {
    // Taking a name does not update the function's intrinsic ID; setting a name does.
    std::string name = before->getName().str();
    before->setName("");
    after->setName(name);
    std::optional<Function *> remangled = Intrinsic::remangleIntrinsicFunction(after);
    if (remangled)
      after->eraseFromParent();
    return remangled.value_or(after);
  }
  after->takeName(before);
  after->copyAttributesFrom(before);
  after->setAttributes(types.remapAttributes(after->getContext(), after->getAttributes()));
  after->copyMetadata(before, 0);
  before->clearMetadata();
  after->splice(after->begin(), before);
  after->stealArgumentListFrom(*before);
  return after;
}

// Creates the variable with the retyped value that replaces `before`, which is a generic pointer itself. The
// initialiser is not set.
GlobalVariable *retypeVariable(GlobalVariable *before, PointerRetyper &types) {
  unsigned space = cast<PointerType>(types.remapType(before->getType()))->getAddressSpace();
  auto *after = new GlobalVariable(*before->getParent(), types.remapType(before->getValueType()), before->isConstant(),
                                   before->getLinkage(), nullptr, "", before, before->getThreadLocalMode(), space,
                                   before->isExternallyInitialized());
  after->takeName(before);
  after->copyAttributesFrom(before);
  after->copyMetadata(before, 0);
  return after;
}

} // namespace

extern "C" {

// Replaces every pointer of address space `from` by one of `to`: in signatures, bodies, variables, constants, type
// attributes, metadata and debug records. Intrinsics get the names of their new signatures. Allocas and variables
// become pointers of `to` themselves; later passes assign their address spaces. The address space of functions does not
// change, so functions must only be called; there must be no aliases.
void ofc_retype_pointers(LLVMModuleRef ref, unsigned from, unsigned to) {
  Module &module = *unwrap(ref);
  PointerRetyper types(module.getContext(), from, to);
  ValueToValueMapTy map;
  std::vector<GlobalObject *> replaced;
  for (Function &function : make_early_inc_range(module.functions())) {
    Function *after = retypeFunction(&function, types);
    map[&function] = after;
    if (after != &function)
      replaced.push_back(&function);
  }
  std::vector<GlobalVariable *> variables;
  for (GlobalVariable &variable : module.globals())
    if (!variable.getName().starts_with("llvm."))
      variables.push_back(&variable);
  for (GlobalVariable *variable : variables) {
    map[variable] = retypeVariable(variable, types);
    replaced.push_back(variable);
  }
  ValueMapper mapper(map, RF_IgnoreMissingLocals | RF_ReuseAndMutateDistinctMDs, &types);
  for (GlobalVariable *variable : variables)
    if (variable->hasInitializer()) {
      auto *after = cast<GlobalVariable>(map[variable]);
      after->setInitializer(mapper.mapConstant(*variable->getInitializer()));
      variable->setInitializer(nullptr);
    }
  for (Function &function : module)
    mapper.remapFunction(function);
  for (GlobalObject *object : replaced) {
    object->removeDeadConstantUsers();
    object->eraseFromParent();
  }
}

// Whether a call's result depends on nothing but its arguments and the memory that the module can access, and whether
// it changes nothing. An allocation, for instance, changes memory that the module cannot access.
int ofc_is_repeatable(LLVMValueRef call) {
  MemoryEffects effects = cast<CallBase>(unwrap(call))->getMemoryEffects();
  return effects.onlyReadsMemory() && effects.getModRef(IRMemLocation::InaccessibleMem) == ModRefInfo::NoModRef;
}

// A copy of an operation with other operands and another result type, in no block.
LLVMValueRef ofc_retype_operation(LLVMValueRef instruction, LLVMValueRef *operands, size_t count, LLVMTypeRef type) {
  Instruction *copy = cast<Instruction>(unwrap(instruction))->clone();
  for (size_t i = 0; i < count; ++i)
    copy->setOperand(i, unwrap(operands[i]));
  copy->mutateType(unwrap(type));
  copy->dropUnknownNonDebugMetadata();
  return wrap(copy);
}

}

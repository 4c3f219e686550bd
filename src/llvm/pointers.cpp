// Addresses in types of the source, as debug information shows them.
#include "llvm-c/Core.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/GlobalVariable.h"
#include <string>

using namespace llvm;

namespace {

// Whether values of a type have an address in them. `path` then has the names of the fields that lead to it.
bool has_pointer(const DINode *type, std::string &path, SmallPtrSetImpl<const DINode *> &seen) {
  if (!type || !seen.insert(type).second)
    return false;
  if (auto *derived = dyn_cast<DIDerivedType>(type)) {
    unsigned tag = derived->getTag();
    if (tag == dwarf::DW_TAG_pointer_type || tag == dwarf::DW_TAG_reference_type ||
        tag == dwarf::DW_TAG_rvalue_reference_type)
      return true;
    size_t length = path.size();
    if (tag == dwarf::DW_TAG_member && !derived->isStaticMember() && !derived->getName().empty())
      path += (path.empty() ? "" : ".") + derived->getName().str();
    if (!derived->isStaticMember() && has_pointer(derived->getBaseType(), path, seen))
      return true;
    path.resize(length);
    return false;
  }
  auto *composite = dyn_cast<DICompositeType>(type);
  if (!composite)
    return false;
  if (composite->getTag() == dwarf::DW_TAG_array_type)
    return has_pointer(composite->getBaseType(), path, seen);
  for (const DINode *element : composite->getElements())
    if (has_pointer(element, path, seen))
      return true;
  return false;
}

// If values of a type have an address in them, the line, folder and file of the variable, the name of the type, and the
// fields that lead to the address, each on a line. Null otherwise.
char *pointer_in(const DIType *type, const DIGlobalVariable *variable) {
  std::string path;
  SmallPtrSet<const DINode *, 16> seen;
  if (!has_pointer(type, path, seen))
    return nullptr;
  return LLVMCreateMessage((std::to_string(variable->getLine()) + "\n" + variable->getDirectory().str() + "\n" +
                            variable->getFilename().str() + "\n" + type->getName().str() + "\n" + path)
                               .c_str());
}

// Whether a type is an instance of a structure.
bool is_instance(const DICompositeType *type, StringRef structure) {
  StringRef name = type->getName();
  return name.consume_front(structure) && (name.empty() || name.starts_with("<"));
}

// The structure of a variant of an enum, as rustc describes it; the type itself if `variant` is empty. Null if there is
// no such variant.
const DICompositeType *with_fields(const DICompositeType *type, StringRef variant) {
  if (variant.empty())
    return type;
  for (const DINode *element : type->getElements()) {
    auto *part = dyn_cast_or_null<DICompositeType>(element);
    if (!part || part->getTag() != dwarf::DW_TAG_variant_part)
      continue;
    for (const DINode *member : part->getElements())
      if (auto *derived = dyn_cast_or_null<DIDerivedType>(member))
        if (auto *fields = dyn_cast_or_null<DICompositeType>(derived->getBaseType()))
          if (fields->getName() == variant)
            return fields;
  }
  return nullptr;
}

// A field that a promise is about. The variant is empty for a structure.
struct Field {
  StringRef structure, variant, name;
};

// The first address in a field of the instances of a type in a scope. `is_there` is set if there is an instance.
char *pointer_in_instances(DebugInfoFinder &all, const DIScope *scope, const Field &field,
                           const DIGlobalVariable *variable, bool &is_there) {
  for (const DIType *type : all.types()) {
    auto *composite = dyn_cast<DICompositeType>(type);
    if (!composite || composite->getScope() != scope || !is_instance(composite, field.structure))
      continue;
    is_there = true;
    const DICompositeType *fields = with_fields(composite, field.variant);
    if (!fields)
      continue;
    for (const DINode *element : fields->getElements()) {
      auto *member = dyn_cast_or_null<DIDerivedType>(element);
      if (!member || member->getTag() != dwarf::DW_TAG_member || member->getName() != field.name)
        continue;
      if (char *text = pointer_in(member->getBaseType(), variable))
        return text;
    }
  }
  return nullptr;
}

}

extern "C" {

// For a variable whose type has a type parameter: the address in values of that type, as `pointer_in` describes it.
// Null if they have none, or if there is no debug information.
char *ofc_pointer_in_parameter(LLVMValueRef ref) {
  SmallVector<DIGlobalVariableExpression *, 1> found;
  unwrap<GlobalVariable>(ref)->getDebugInfo(found);
  for (DIGlobalVariableExpression *expression : found) {
    const DIGlobalVariable *variable = expression->getVariable();
    auto *type = dyn_cast_or_null<DICompositeType>(variable->getType());
    if (!type || type->getTemplateParams().empty())
      continue;
    if (char *text = pointer_in(type->getTemplateParams()[0]->getType(), variable))
      return text;
  }
  return nullptr;
}

// The same for a field of the instances of a structure, or of a variant of an enum, which is declared in the innermost
// scope around the variable that has such instances: the first address.
char *ofc_pointer_in_field(LLVMValueRef ref, const char *structure, const char *variant, const char *name) {
  SmallVector<DIGlobalVariableExpression *, 1> found;
  unwrap<GlobalVariable>(ref)->getDebugInfo(found);
  if (found.empty())
    return nullptr;
  DebugInfoFinder all;
  all.processModule(*unwrap<GlobalVariable>(ref)->getParent());
  const DIGlobalVariable *variable = found[0]->getVariable();
  Field field{structure, variant, name};
  bool is_there = false;
  for (const DIScope *scope = variable->getScope(); scope && !is_there; scope = scope->getScope())
    if (char *text = pointer_in_instances(all, scope, field, variable, is_there))
      return text;
  return nullptr;
}

}

// Addresses in types of the source, as debug information shows them.
#include "llvm-c/Core.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/BinaryFormat/Dwarf.h"
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

}

extern "C" {

// For a variable whose type has a type parameter: if values of that type have an address in them, the line, folder and
// file of the variable, the name of the type, and the fields that lead to the address, each on a line. Null if they
// have none, or if there is no debug information.
char *ofc_pointer_in_parameter(LLVMValueRef ref) {
  SmallVector<DIGlobalVariableExpression *, 1> found;
  unwrap<GlobalVariable>(ref)->getDebugInfo(found);
  for (DIGlobalVariableExpression *expression : found) {
    const DIGlobalVariable *variable = expression->getVariable();
    auto *type = dyn_cast_or_null<DICompositeType>(variable->getType());
    if (!type || type->getTemplateParams().empty())
      continue;
    const DIType *parameter = type->getTemplateParams()[0]->getType();
    std::string path;
    SmallPtrSet<const DINode *, 16> seen;
    if (has_pointer(parameter, path, seen))
      return LLVMCreateMessage((std::to_string(variable->getLine()) + "\n" + variable->getDirectory().str() + "\n" +
                                variable->getFilename().str() + "\n" + parameter->getName().str() + "\n" + path)
                                   .c_str());
  }
  return nullptr;
}

}

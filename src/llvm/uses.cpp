// The order of the uses of values.

#include <llvm-c/Core.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

using namespace llvm;

// Sorts the uses of each value by the places of their users in the module: the last comes first, as in a module that was
// read. The order then follows from the contents of the module.
extern "C" void ofc_sort_uses(LLVMModuleRef raw) {
  Module &module = *unwrap(raw);
  DenseMap<const User *, size_t> places;
  SmallVector<Value *, 0> values;
  auto place = [&](User &user) {
    bool is_new = places.try_emplace(&user, places.size()).second;
    if (is_new)
      values.push_back(&user);
    return is_new;
  };
  // A constant has the place at which it is first reached.
  auto place_with_constants = [&](User &user) {
    place(user);
    SmallVector<User *> work = {&user};
    while (!work.empty())
      for (Value *operand : work.pop_back_val()->operand_values()) {
        auto *constant = dyn_cast_or_null<Constant>(operand);
        if (constant && !isa<GlobalValue, ConstantData>(constant) && place(*constant))
          work.push_back(constant);
      }
  };
  for (GlobalValue &global : module.global_values())
    place_with_constants(global);
  for (Function &function : module) {
    for (Argument &argument : function.args())
      values.push_back(&argument);
    for (BasicBlock &block : function)
      values.push_back(&block);
    for (Instruction &instruction : instructions(function))
      place_with_constants(instruction);
  }
  auto comes_first = [&](const Use &one, const Use &other) {
    size_t here = places.lookup(one.getUser()), there = places.lookup(other.getUser());
    return here != there ? here > there : one.getOperandNo() > other.getOperandNo();
  };
  for (Value *value : values) {
    // Constants that nothing uses any more are no part of the contents.
    if (auto *constant = dyn_cast<Constant>(value))
      constant->removeDeadConstantUsers();
    if (value->hasNUsesOrMore(2))
      value->sortUseList(comes_first);
  }
}

// A pass of code generation for x86 that works around a fault of `X86CompressEVEX`; `workarounds.rs` has its row.
//
// `X86CompressEVEX` replaces a move of a vector's signs to a mask, and a move of the mask to an integer, by a move of the
// signs to the integer, if nothing else reads the mask. It looks for other readers up to the instruction that writes the
// mask again, and does not look whether this instruction reads it, nor whether another block does. In front of such a
// reader, a `KILL`, for which no code is generated, reads the mask as well: it is an instruction that the pass sees.
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;

namespace {

class KeepMasks : public MachineFunctionPass {
  // Whether an instruction moves the signs of a vector to a mask, such as `VPMOVD2MZ256kr`.
  static bool moves_signs(StringRef name) { return name.starts_with("VPMOV") && name.contains("2MZ"); }

  // Whether something else than a move to an integer reads the mask that an instruction writes.
  static bool has_other_readers(MachineInstr &writer, Register mask, const TargetInstrInfo &target,
                                const TargetRegisterInfo &registers) {
    MachineBasicBlock &block = *writer.getParent();
    for (MachineInstr &next : make_range(std::next(MachineBasicBlock::iterator(writer)), block.end())) {
      if (next.readsRegister(mask, &registers) && !target.getName(next.getOpcode()).starts_with("KMOV"))
        return true;
      if (next.modifiesRegister(mask, &registers))
        return false;
    }
    return any_of(block.successors(), [&](MachineBasicBlock *next) { return next->isLiveIn(mask); });
  }

public:
  static char ID;
  KeepMasks() : MachineFunctionPass(ID) {}

  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.setPreservesCFG();
    MachineFunctionPass::getAnalysisUsage(usage);
  }

  bool runOnMachineFunction(MachineFunction &function) override {
    const TargetInstrInfo &target = *function.getSubtarget().getInstrInfo();
    const TargetRegisterInfo &registers = *function.getSubtarget().getRegisterInfo();
    bool changed = false;
    for (MachineBasicBlock &block : function)
      for (MachineInstr &writer : make_early_inc_range(block)) {
        if (!moves_signs(target.getName(writer.getOpcode())))
          continue;
        Register mask = writer.getOperand(0).getReg();
        if (!has_other_readers(writer, mask, target, registers))
          continue;
        auto next = std::next(MachineBasicBlock::iterator(writer));
        BuildMI(block, next, writer.getDebugLoc(), target.get(TargetOpcode::KILL)).addReg(mask);
        changed = true;
      }
    return changed;
  }
};

char KeepMasks::ID = 0;

} // namespace

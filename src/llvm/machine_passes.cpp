// Passes on machine code that work around faults of LLVM's back ends; `workarounds.rs` has a row for each. Those here are
// for AMD GPUs. They run between LLVM's own passes, and look up instructions, registers and passes by their names, because the
// headers of the back end are not installed. Declared in shim.rs.
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/PassRegistry.h"
#include "llvm/Target/RegisterTargetPassConfigCallback.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace {

// The passes of the code that this thread generates, one bit each.
thread_local unsigned wanted = 0;

bool is_named(const MachineInstr &instruction, const TargetInstrInfo &target, StringRef name) {
  return target.getName(instruction.getOpcode()) == name;
}

// The opcode of this name; 0, that of a phi, if there is none.
unsigned opcode_named(const TargetInstrInfo &target, StringRef name) {
  for (unsigned opcode = 0; opcode != target.getNumOpcodes(); ++opcode)
    if (target.getName(opcode) == name)
      return opcode;
  return 0;
}

class AmdPass : public MachineFunctionPass {
public:
  using MachineFunctionPass::MachineFunctionPass;

  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.setPreservesCFG();
    MachineFunctionPass::getAnalysisUsage(usage);
  }
};

// Keeps the waits that barriers, fences and atomics need.
//
// `SIMemoryLegalizer` writes them as *soft* waits, and `SIInsertWaitcnts` erases a soft wait if no access is pending
// there. It visits blocks in reverse postorder. The accesses that a block leaves pending for an earlier one, along a
// back edge, are known only at a second visit, after the wait was erased. So a soft wait becomes an ordinary one, which
// is never erased, if an access reaches it over such an edge, with no wait of the same kind in between. This need not
// be in the header of the loop, nor in the loop: a barrier after a nested loop waits for the stores of the loop.
class KeepLoopWaits : public AmdPass {
  // The counters of accesses: one bit each.
  enum : unsigned { Local = 1, Global = 2, Images = 4, Any = 7 };

  // A kind of wait: the soft instruction and the count.
  struct Kind {
    unsigned opcode;
    int64_t count;
    // The accesses that it waits for.
    unsigned accesses;
  };

  // The accesses that may be pending, for each kind since the last such wait. `late`: over an edge to an earlier block.
  struct State {
    BitVector known, late;

    bool merge(const State &from, bool is_late) {
      BitVector before_known = known, before_late = late;
      late |= from.late;
      (is_late ? late : known) |= from.known;
      return known != before_known || late != before_late;
    }
  };

  SmallVector<Kind> kinds;

  // The ordinary wait of each soft one.
  static DenseMap<unsigned, unsigned> soft_waits(const TargetInstrInfo &target) {
    StringMap<unsigned> waits;
    for (unsigned opcode = 0; opcode != target.getNumOpcodes(); ++opcode)
      if (target.getName(opcode).starts_with("S_WAIT"))
        waits[target.getName(opcode)] = opcode;
    DenseMap<unsigned, unsigned> ordinary;
    for (const auto &wait : waits) {
      StringRef name = wait.getKey();
      if (name.consume_back("_soft"))
        ordinary[wait.getValue()] = waits.at(name);
    }
    return ordinary;
  }

  static unsigned waited_for(StringRef wait) {
    return StringSwitch<unsigned>(wait)
        .Cases({"S_WAITCNT_VSCNT_soft", "S_WAIT_STORECNT_soft", "S_WAIT_LOADCNT_soft"}, Global)
        .Cases({"S_WAIT_DSCNT_soft", "S_WAIT_KMCNT_soft"}, Local)
        .Cases({"S_WAIT_SAMPLECNT_soft", "S_WAIT_BVHCNT_soft"}, Images)
        .Default(Any);
  }

  static unsigned accesses(const MachineInstr &instruction, const TargetInstrInfo &target) {
    if (instruction.isCall() || instruction.isInlineAsm())
      return Any;
    if (!instruction.mayLoadOrStore())
      return 0;
    StringRef name = target.getName(instruction.getOpcode());
    if (name.starts_with("DS_") || name.starts_with("S_"))
      return Local;
    if (name.starts_with("GLOBAL_") || name.starts_with("BUFFER_") || name.starts_with("SCRATCH_"))
      return Global;
    return name.starts_with("FLAT_") ? Local | Global : Any;
  }

  static int64_t count_of(const MachineInstr &wait) {
    for (const MachineOperand &operand : wait.explicit_operands())
      if (operand.isImm())
        return operand.getImm();
    return 0;
  }

  // The number of the kind of a wait; the number of kinds if it is none.
  unsigned kind_of(const MachineInstr &instruction) const {
    auto is = [&](const Kind &kind) {
      return kind.opcode == instruction.getOpcode() && kind.count == count_of(instruction);
    };
    return find_if(kinds, is) - kinds.begin();
  }

  // Goes through a block, and calls `wait` with each wait for something late.
  void walk(MachineBasicBlock &block, State &state, const TargetInstrInfo &target,
            function_ref<void(MachineInstr &)> wait) const {
    for (MachineInstr &instruction : block.instrs()) {
      unsigned kind = kind_of(instruction);
      if (kind != kinds.size()) {
        if (state.late[kind])
          wait(instruction);
        state.known.reset(kind);
        state.late.reset(kind);
        continue;
      }
      unsigned made = accesses(instruction, target);
      for (unsigned each = 0; made && each != kinds.size(); ++each)
        if (kinds[each].accesses & made)
          state.known.set(each);
    }
  }

public:
  static char ID;
  KeepLoopWaits() : AmdPass(ID) {}

  StringRef getPassName() const override { return "keep_loop_waits"; }

  bool runOnMachineFunction(MachineFunction &function) override {
    const TargetInstrInfo &target = *function.getSubtarget().getInstrInfo();
    static const DenseMap<unsigned, unsigned> ordinary = soft_waits(target);
    kinds.clear();
    for (MachineBasicBlock &block : function)
      for (MachineInstr &instruction : block.instrs())
        if (ordinary.contains(instruction.getOpcode()) && kind_of(instruction) == kinds.size())
          kinds.push_back({instruction.getOpcode(), count_of(instruction),
                           waited_for(target.getName(instruction.getOpcode()))});
    if (kinds.empty())
      return false;

    MapVector<MachineBasicBlock *, State> states;
    DenseMap<MachineBasicBlock *, unsigned> places;
    for (MachineBasicBlock *block : ReversePostOrderTraversal<MachineFunction *>(&function)) {
      places[block] = states.size();
      // A function may be called with stores pending.
      states[block] = {BitVector(kinds.size(), states.empty()), BitVector(kinds.size())};
    }
    for (bool again = true; again;) {
      again = false;
      for (auto &[block, entry] : states) {
        State state = entry;
        walk(*block, state, target, [](MachineInstr &) {});
        for (MachineBasicBlock *next : block->successors())
          again |= states[next].merge(state, places[next] <= places[block]);
      }
    }
    SmallVector<MachineInstr *> late;
    for (auto &[block, state] : states)
      walk(*block, state, target, [&](MachineInstr &wait) { late.push_back(&wait); });
    for (MachineInstr *wait : late)
      wait->setDesc(target.get(ordinary.at(wait->getOpcode())));
    return !late.empty();
  }
};

// Keeps the condition of a branch for the selections after it.
//
// `vcc = S_AND exec, vcc` also sets SCC. `SIPreEmitPeephole` erases it in front of a branch on VCC, because a
// comparison writes no bits of inactive lanes, even if a selection reads this SCC later. It does not look past another
// definition of VCC, so VCC is copied to itself where SCC is needed.
class KeepBranchConditions : public AmdPass {
  static MachineInstr *definition(MachineInstr &branch, Register condition, const TargetRegisterInfo &registers) {
    for (auto at = std::next(branch.getReverseIterator()); at != branch.getParent()->rend(); ++at)
      if (at->modifiesRegister(condition, &registers))
        return &*at;
    return nullptr;
  }

  static bool sets_needed_flag(const MachineInstr &instruction) {
    return any_of(instruction.implicit_operands(),
                  [](const MachineOperand &operand) { return operand.isReg() && operand.isDef() && !operand.isDead(); });
  }

public:
  static char ID;
  KeepBranchConditions() : AmdPass(ID) {}

  StringRef getPassName() const override { return "keep_branch_conditions"; }

  bool runOnMachineFunction(MachineFunction &function) override {
    const TargetInstrInfo &target = *function.getSubtarget().getInstrInfo();
    const TargetRegisterInfo &registers = *function.getSubtarget().getRegisterInfo();
    static const unsigned copy32 = opcode_named(target, "S_MOV_B32"), copy64 = opcode_named(target, "S_MOV_B64");
    bool changed = false;
    for (MachineBasicBlock &block : function)
      for (MachineInstr &branch : block.terminators()) {
        if (!is_named(branch, target, "S_CBRANCH_VCCZ") && !is_named(branch, target, "S_CBRANCH_VCCNZ"))
          continue;
        Register condition = branch.getOperand(1).getReg();
        MachineInstr *defined = definition(branch, condition, registers);
        if (!defined || !sets_needed_flag(*defined) || !defined->readsRegister(condition, &registers))
          continue;
        bool wide = is_named(*defined, target, "S_AND_B64");
        if (!wide && !is_named(*defined, target, "S_AND_B32"))
          continue;
        BuildMI(block, std::next(defined->getIterator()), defined->getDebugLoc(), target.get(wide ? copy64 : copy32),
                condition)
            .addReg(condition);
        changed = true;
      }
    return changed;
  }
};

// Computes the addresses of locals in separate instructions.
//
// `SIRegisterInfo::eliminateFrameIndex` computes the address of a local in front of the instruction that names it. If
// this is the last one that reads SCC, such as `S_CSELECT_B32 %stack.0, %stack.1`, SCC counts as unused, and S_LSHR_B32
// or S_ADD_I32 overwrite it. If SCC is needed after a scalar instruction, such as `S_MUL_I32 %stack.0, 3`, the address
// is in a vector register on GPUs without flat scratch memory, and LLVM refuses its own instruction. A copy of the
// address neither reads nor changes SCC, and LLVM computes it in each place as it should.
class CopyFrameAddresses : public AmdPass {
  static const TargetRegisterClass *class_named(const TargetRegisterInfo &registers, StringRef name) {
    for (unsigned number = 0; number != registers.getNumRegClasses(); ++number)
      if (registers.getRegClassName(registers.getRegClass(number)) == name)
        return registers.getRegClass(number);
    return nullptr;
  }

  static Register register_named(const TargetRegisterInfo &registers, StringRef name) {
    for (unsigned each = 1; each != registers.getNumRegs(); ++each)
      if (name == registers.getName(each))
        return each;
    return Register();
  }

  // In front of an instruction that reads an address; if it also reads the flag, where the flag was set or at the start
  // of the block, because a copy is cheaper where the flag is unused.
  static MachineBasicBlock::iterator before_flag(MachineInstr &reader, const TargetRegisterInfo &registers,
                                                 Register flag) {
    MachineBasicBlock &block = *reader.getParent();
    auto at = reader.getIterator();
    if (!reader.readsRegister(flag, &registers))
      return at;
    while (at != block.begin()) {
      --at;
      if (at->isPHI() || at->isLabel())
        return std::next(at);
      if (at->modifiesRegister(flag, &registers))
        return at;
    }
    return at;
  }

public:
  static char ID;
  CopyFrameAddresses() : AmdPass(ID) {}

  StringRef getPassName() const override { return "copy_frame_addresses"; }

  bool runOnMachineFunction(MachineFunction &function) override {
    const TargetInstrInfo &target = *function.getSubtarget().getInstrInfo();
    const TargetRegisterInfo &registers = *function.getSubtarget().getRegisterInfo();
    static const unsigned copy = opcode_named(target, "S_MOV_B32");
    static const TargetRegisterClass *const scalar = class_named(registers, "SReg_32_XM0_XEXEC");
    static const Register flag = register_named(registers, "SCC");
    bool changed = false;
    for (MachineBasicBlock &block : function)
      for (MachineInstr &reader : block) {
        if (!target.getName(reader.getOpcode()).starts_with("S_") || reader.getOpcode() == copy)
          continue;
        // The flag is unused in front of an instruction that only sets it.
        if (reader.modifiesRegister(flag, &registers) && !reader.readsRegister(flag, &registers))
          continue;
        for (MachineOperand &operand : reader.explicit_uses()) {
          if (!operand.isFI())
            continue;
          Register address = function.getRegInfo().createVirtualRegister(scalar);
          auto at = before_flag(reader, registers, flag);
          BuildMI(block, at, reader.getDebugLoc(), target.get(copy), address).addFrameIndex(operand.getIndex());
          operand.ChangeToRegister(address, /*isDef=*/false);
          changed = true;
        }
      }
    return changed;
  }
};

char KeepLoopWaits::ID = 0;
char KeepBranchConditions::ID = 0;
char CopyFrameAddresses::ID = 0;

// Adds each pass after the pass of LLVM with the given name, and removes one.
void add_passes(TargetMachine &machine, TargetPassConfig &config) {
  auto id_of = [](StringRef name) {
    const PassInfo *pass = PassRegistry::getPassRegistry()->getPassInfo(name);
    if (!pass)
      report_fatal_error(Twine("LLVM has no pass ") + name);
    return pass->getTypeInfo();
  };
  auto add = [&](unsigned number, StringRef behind, auto make) {
    if (wanted >> number & 1)
      config.insertPass(id_of(behind), make());
  };
  if (machine.getTargetTriple().isX86()) {
    add(1, "x86-fixup-vector-constants", [] { return new KeepMasks; });
    if (wanted & 1)
      config.disablePass(id_of("early-tailduplication"));
  }
  if (!machine.getTargetTriple().isAMDGCN())
    return;
  add(2, "si-memory-legalizer", [] { return new KeepLoopWaits; });
  add(3, "si-late-branch-lowering", [] { return new KeepBranchConditions; });
  add(4, "processimpdefs", [] { return new CopyFrameAddresses; });
  // The last pass before `StructurizeCFG`.
  add(5, "unify-loop-exits", [] { return new HoistFreeOperands; });
  if (wanted >> 6 & 1)
    config.disablePass(id_of("si-peephole-sdwa"));
}

} // namespace

extern "C" {

// Has every code generation add these passes. Called once.
void ofc_add_machine_passes() {
  // No target of LLVM's registers this pass, which all of them share.
  initializeUnifyLoopExitsLegacyPassPass(*PassRegistry::getPassRegistry());
  // It stays registered: destructors may run while other threads generate code.
  new RegisterTargetPassConfigCallback([](TargetMachine &machine, PassManagerBase &, TargetPassConfig *config) {
    if (config)
      add_passes(machine, *config);
  });
}

// Chooses the passes of the code that this thread generates from now on: a bit for each, in the order of `add_passes`.
void ofc_choose_machine_passes(unsigned passes) { wanted = passes; }
}

// LLVM's assembler, which the C API lacks. Declared in shim.rs.
#include "llvm-c/Core.h"
#include "llvm-c/TargetMachine.h"
#include "llvm/MC/MCAsmBackend.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCObjectFileInfo.h"
#include "llvm/MC/MCObjectWriter.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include <memory>
#include <string>

using namespace llvm;

// Keeps the first error, with its line.
static void keep(const SMDiagnostic &found, void *state) {
  std::string &said = *static_cast<std::string *>(state);
  if (found.getKind() == SourceMgr::DK_Error && said.empty())
    said = "line " + std::to_string(found.getLineNo()) + ": " + found.getMessage().str();
}

// The object of an assembly text, which is of the machine's processor and with its features. Null with a message if the
// text is refused.
extern "C" LLVMMemoryBufferRef ofc_assemble(LLVMTargetMachineRef raw, const char *text, size_t length, char **message) {
  const TargetMachine &machine = *reinterpret_cast<TargetMachine *>(raw);
  const Target &target = machine.getTarget();
  const Triple &triple = machine.getTargetTriple();
  MCTargetOptions options = machine.Options.MCOptions;
  std::string said;
  SourceMgr sources;
  sources.setDiagHandler(keep, &said);
  sources.AddNewSourceBuffer(MemoryBuffer::getMemBufferCopy(StringRef(text, length), "input"), SMLoc());
  std::unique_ptr<MCRegisterInfo> registers(target.createMCRegInfo(triple));
  std::unique_ptr<MCAsmInfo> syntax(target.createMCAsmInfo(*registers, triple, options));
  std::unique_ptr<MCSubtargetInfo> processor(
      target.createMCSubtargetInfo(triple, machine.getTargetCPU(), machine.getTargetFeatureString()));
  std::unique_ptr<MCInstrInfo> instructions(target.createMCInstrInfo());
#if LLVM_VERSION_MAJOR >= 23
  MCContext context(triple, *syntax, *registers, *processor, &sources);
#else
  MCContext context(triple, syntax.get(), registers.get(), processor.get(), &sources, &options);
#endif
  std::unique_ptr<MCObjectFileInfo> sections(target.createMCObjectFileInfo(context, machine.isPositionIndependent()));
  context.setObjectFileInfo(sections.get());
  SmallString<0> object;
  raw_svector_ostream stream(object);
  std::unique_ptr<MCAsmBackend> backend(target.createMCAsmBackend(*processor, *registers, options));
  std::unique_ptr<MCObjectWriter> writer = backend->createObjectWriter(stream);
  std::unique_ptr<MCCodeEmitter> emitter(target.createMCCodeEmitter(*instructions, context));
  std::unique_ptr<MCStreamer> streamer(target.createMCObjectStreamer(triple, context, std::move(backend),
                                                                     std::move(writer), std::move(emitter), *processor));
  std::unique_ptr<MCAsmParser> parser(createMCAsmParser(sources, context, *streamer, *syntax));
#if LLVM_VERSION_MAJOR >= 23
  std::unique_ptr<MCTargetAsmParser> own(target.createMCAsmParser(*processor, *parser, *instructions));
#else
  std::unique_ptr<MCTargetAsmParser> own(target.createMCAsmParser(*processor, *parser, *instructions, options));
#endif
  if (!own) {
    *message = LLVMCreateMessage("this LLVM has no assembler for the target");
    return nullptr;
  }
  parser->setTargetParser(*own);
  bool failed = parser->Run(/*NoInitialTextSection=*/false);
  if (failed || !said.empty()) {
    *message = LLVMCreateMessage(said.empty() ? "LLVM's assembler refuses it" : said.c_str());
    return nullptr;
  }
  return LLVMCreateMemoryBufferWithMemoryRangeCopy(object.data(), object.size(), "");
}

// The code of a module. The C API holds it in one piece, of which it makes copies as it grows and at the end. Declared in
// shim.rs.
#include "llvm-c/Core.h"
#include "llvm-c/TargetMachine.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

using namespace llvm;

namespace {
class Pieces final : public raw_pwrite_stream {
  static constexpr uint64_t Size = 256 << 10;
  std::vector<std::unique_ptr<char[]>> pieces;
  uint64_t length = 0;

  // Calls `copy` with each part of the pieces from `at` on, and its place in the `size` bytes.
  template <typename F> void each(uint64_t at, uint64_t size, F copy) {
    for (uint64_t done = 0; done < size;) {
      uint64_t within = (at + done) % Size, count = std::min(size - done, Size - within);
      copy(pieces[(at + done) / Size].get() + within, done, count);
      done += count;
    }
  }

  void put(const char *bytes, uint64_t size, uint64_t at) {
    each(at, size, [=](char *piece, uint64_t from, uint64_t count) { std::memcpy(piece, bytes + from, count); });
  }

  void write_impl(const char *bytes, size_t size) override {
    while (pieces.size() * Size < length + size)
      pieces.emplace_back(new char[Size]);
    put(bytes, size, length);
    length += size;
  }

  void pwrite_impl(const char *bytes, size_t size, uint64_t at) override {
    flush();
    put(bytes, size, at);
  }

  uint64_t current_pos() const override { return length; }

public:
  ~Pieces() override { flush(); }

  uint64_t written() {
    flush();
    return length;
  }

  // Each piece is freed when it is copied.
  void take(char *out) {
    for (uint64_t at = 0; at < length; at += Size) {
      std::memcpy(out + at, pieces[at / Size].get(), std::min(Size, length - at));
      pieces[at / Size].reset();
    }
  }
};
} // namespace

// Null if the machine writes no such file.
extern "C" void *ofc_emit(LLVMTargetMachineRef raw, LLVMModuleRef module, int object, size_t *length) {
  TargetMachine &machine = *reinterpret_cast<TargetMachine *>(raw);
  unwrap(module)->setDataLayout(machine.createDataLayout());
  auto out = std::make_unique<Pieces>();
  {
    // The streams of the passes write their ends when they are destroyed.
    legacy::PassManager passes;
    CodeGenFileType file = object ? CodeGenFileType::ObjectFile : CodeGenFileType::AssemblyFile;
    if (machine.addPassesToEmitFile(passes, *out, nullptr, file))
      return nullptr;
    passes.run(*unwrap(module));
  }
  *length = out->written();
  return out.release();
}

// Copies the code of `ofc_emit`, and frees it.
extern "C" void ofc_take_code(void *code, char *out) {
  std::unique_ptr<Pieces> pieces(static_cast<Pieces *>(code));
  pieces->take(out);
}

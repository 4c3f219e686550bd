// Linked into the `offloadc` of the archive, in front of its `main`: under the name `ld.lld`, the program is LLVM's linker,
// which shares LLVM with it. The linker is started by that name as a process, as the one of a system is.
#include "lld/Common/Driver.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <condition_variable>
#include <cstdint>
#include <sys/random.h>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

// Debian's LLVM adds Polly's passes to those of a link that optimises bitcode, which offloadc never asks the linker for.
llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "Polly", LLVM_VERSION_STRING, [](llvm::PassBuilder &) {}};
}

extern "C" {

// `--wrap=main` gives the two functions their names.
int __real_main(int count, char **arguments);

int __wrap_main(int count, char **arguments) {
  // Or its first word is the name: a wheel of Python has no links.
  if (count > 1 && arguments[1] == llvm::StringRef("ld.lld"))
    --count, ++arguments;
  if (count == 0 || llvm::sys::path::filename(arguments[0]) != "ld.lld")
    return __real_main(count, arguments);
  lld::Result result =
      lld::lldMain({arguments, arguments + count}, llvm::outs(), llvm::errs(), {{lld::Gnu, &lld::elf::link}});
  llvm::outs().flush();
  // As lld itself does: to free all memory takes longer than some links.
  _exit(result.retCode);
}

// The one function that LLVM takes from glibc 2.36. Without it, programs run with 2.34.
uint32_t arc4random() {
  uint32_t number;
  while (getrandom(&number, sizeof number, 0) != sizeof number)
    ;
  return number;
}
}

// The one function that LLVM takes from the C++ library of gcc 12. Without it, programs run with that of gcc 11, which Red
// Hat's ninth release has.
void std::condition_variable::wait(std::unique_lock<std::mutex> &lock) { _M_cond.wait(*lock.mutex()); }

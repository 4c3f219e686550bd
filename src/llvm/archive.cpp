// Writes archives with an index of symbols for linkers.
#include "llvm-c/Core.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

extern "C" {

// A member's file name and contents.
struct ofc_member {
  const char *name;
  const char *bytes;
  size_t length;
};

// An archive of `count` members in the format of GNU's `ar`, without times and owners. Null if it cannot be written;
// then there is a message for LLVMDisposeMessage.
LLVMMemoryBufferRef ofc_write_archive(const ofc_member *members, size_t count, char **message) {
  std::vector<NewArchiveMember> all;
  for (size_t i = 0; i < count; ++i)
    all.emplace_back(MemoryBufferRef(StringRef(members[i].bytes, members[i].length), members[i].name));
  Expected<std::unique_ptr<MemoryBuffer>> written =
      writeArchiveToBuffer(all, SymtabWritingMode::NormalSymtab, object::Archive::K_GNU, true, false);
  if (!written) {
    *message = LLVMCreateMessage(toString(written.takeError()).c_str());
    return nullptr;
  }
  return wrap(written->release());
}

}

// The features of processors as LLVM's back ends have them, which the C API does not list.
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/TargetParser/Triple.h"
#include <memory>

using namespace llvm;

// Calls `each` with every feature of the triple's back end, and whether the processor has it. Returns 0 without a back
// end.
extern "C" int ofc_features(const char *triple, const char *cpu, const char *features,
                            void (*each)(void *, const char *, int), void *state) {
  std::string error;
  Triple parsed(triple);
  const Target *target = TargetRegistry::lookupTarget(parsed, error);
  if (!target)
    return 0;
  std::unique_ptr<MCSubtargetInfo> subtarget(target->createMCSubtargetInfo(parsed, cpu, features));
  if (!subtarget)
    return 0;
  for (const SubtargetFeatureKV &feature : subtarget->getAllProcessorFeatures())
#if LLVM_VERSION_MAJOR >= 23
    each(state, feature.key(), subtarget->getFeatureBits().test(feature.Value));
#else
    each(state, feature.Key, subtarget->getFeatureBits().test(feature.Value));
#endif
  return 1;
}

// Validates SPIR-V with Khronos' library. Declared in shim.rs.

#include <cstring>
#include <llvm-c/Core.h>
#include <spirv-tools/libspirv.h>

namespace {

// The rules for a version of SPIR-V, as in a module's second word. `is_opencl`: those of OpenCL if it has this version.
bool choose_rules(uint32_t version, bool is_opencl, spv_target_env *rules) {
  switch (version) {
  case 0x00010000:
    *rules = SPV_ENV_UNIVERSAL_1_0;
    return true;
  case 0x00010100:
    *rules = SPV_ENV_UNIVERSAL_1_1;
    return true;
  case 0x00010200:
    *rules = is_opencl ? SPV_ENV_OPENCL_2_2 : SPV_ENV_UNIVERSAL_1_2;
    return true;
  case 0x00010300:
    *rules = SPV_ENV_UNIVERSAL_1_3;
    return true;
  case 0x00010400:
    *rules = SPV_ENV_UNIVERSAL_1_4;
    return true;
  case 0x00010500:
    *rules = SPV_ENV_UNIVERSAL_1_5;
    return true;
  case 0x00010600:
    *rules = SPV_ENV_UNIVERSAL_1_6;
    return true;
  default:
    return false;
  }
}

} // namespace

// Returns null, or why the words are no valid module: a message for LLVMDisposeMessage. `instruction` is the number of
// the instruction at fault, from 1; 0 is unknown.
extern "C" char *ofc_validate_words(const uint32_t *words, size_t count, int is_opencl, size_t *instruction) {
  spv_target_env rules;
  *instruction = 0;
  if (count < 2 || !choose_rules(words[1], is_opencl, &rules))
    return LLVMCreateMessage("it has no known version");
  spv_context context = spvContextCreate(rules);
  spv_const_binary_t binary = {words, count};
  spv_diagnostic diagnostic = nullptr;
  spv_result_t result = spvValidate(context, &binary, &diagnostic);
  char *message = nullptr;
  if (result != SPV_SUCCESS) {
    bool is_known = diagnostic && diagnostic->error && *diagnostic->error;
    message = LLVMCreateMessage(is_known ? diagnostic->error : "the validator gives no reason");
    if (is_known)
      *instruction = diagnostic->position.index;
  }
  spvDiagnosticDestroy(diagnostic);
  spvContextDestroy(context);
  return message;
}

// One kernel, for the containers beside this file. `scripts/llvm23 fixtures` makes all of them.
extern "C" __attribute__((global)) void scale(float *values, float factor) {
  values[__builtin_amdgcn_workitem_id_x()] *= factor;
}

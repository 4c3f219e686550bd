/* Tests the rules for which images run on which devices of CUDA and HIP. */
#include "../drivers/fit.h"
#include "check.h"

static char miss[160];

static int cuda(const char *device, unsigned kind, const char *arch) {
  struct offloadrt_image image = {.kind = kind, .triple = "nvptx64-nvidia-cuda", .arch = arch};
  return offloadrt_cuda_fit(device, &image, miss, sizeof miss);
}

static int hip(const char *device, const char *arch) {
  struct offloadrt_image image = {.kind = OFFLOADRT_IMAGE_ELF, .triple = "amdgcn-amd-amdhsa", .arch = arch};
  return offloadrt_hip_fit(device, &image, miss, sizeof miss);
}

enum { CUBIN = OFFLOADRT_IMAGE_CUBIN, PTX = OFFLOADRT_IMAGE_PTX };

static void machine_code_runs_within_its_major_number(void) {
  CHECK(cuda("sm_80", CUBIN, "sm_80") > 0 && cuda("sm_86", CUBIN, "sm_80") > 0);
  CHECK(cuda("sm_80", CUBIN, "sm_86") <= 0 && cuda("sm_90", CUBIN, "sm_80") <= 0);
  CHECK(strcmp(miss, "is machine code for compute capabilities from 8.0 to 8.9") == 0);
  CHECK(cuda("sm_103", CUBIN, "sm_100") > 0 && cuda("sm_110", CUBIN, "sm_100") <= 0);
}

static void ptx_runs_on_everything_later(void) {
  CHECK(cuda("sm_90", PTX, "sm_70") > 0 && cuda("sm_120", PTX, "compute_90") > 0);
  CHECK(cuda("sm_75", PTX, "sm_80") <= 0);
  CHECK(strcmp(miss, "is PTX for compute capability 8.0 and newer") == 0);
}

static void suffixes_narrow_what_runs(void) {
  for (unsigned kind = CUBIN; kind <= PTX; kind += PTX - CUBIN) {
    CHECK(cuda("sm_90", kind, "sm_90a") > 0 && cuda("sm_100", kind, "sm_90a") <= 0);
    CHECK(strstr(miss, "for compute capability 9.0 alone"));
    CHECK(cuda("sm_100", kind, "sm_100f") > 0 && cuda("sm_103", kind, "sm_100f") > 0);
    CHECK(cuda("sm_100", kind, "sm_103f") <= 0 && cuda("sm_120", kind, "sm_100f") <= 0);
    CHECK(cuda("sm_101", kind, "sm_100f") <= 0 && cuda("sm_101", kind, "sm_101f") > 0);
    CHECK(cuda("sm_121", kind, "sm_120f") > 0 && cuda("sm_103", kind, "sm_100a") <= 0);
  }
}

static void the_best_image_is_preferred(void) {
  CHECK(cuda("sm_89", CUBIN, "sm_80") > cuda("sm_89", PTX, "sm_89"));
  CHECK(cuda("sm_89", CUBIN, "sm_86") > cuda("sm_89", CUBIN, "sm_80"));
  CHECK(cuda("sm_90", PTX, "sm_80") > cuda("sm_90", PTX, "sm_70"));
  CHECK(cuda("sm_90", PTX, "sm_90a") > cuda("sm_90", PTX, "sm_90"));
  CHECK(cuda("sm_100", PTX, "sm_100f") > cuda("sm_100", PTX, "sm_100"));
  CHECK(cuda("sm_100", PTX, "sm_100a") > cuda("sm_100", PTX, "sm_100f"));
  /* Of the images that do not run, the nearest arch is rated highest, and PTX above machine code. */
  CHECK(cuda("sm_75", PTX, "sm_80") > cuda("sm_75", PTX, "sm_90"));
  CHECK(cuda("sm_75", PTX, "sm_80") > cuda("sm_75", CUBIN, "sm_80"));
}

static void what_is_no_cuda_arch_is_left_alone(void) {
  CHECK(cuda("sm_90", PTX, "") <= 0 && cuda("sm_90", PTX, "sm_") <= 0 && cuda("sm_90", PTX, "sm_90x") <= 0);
  CHECK(cuda("sm_90", PTX, "sm_90ab") <= 0 && cuda("sm_90", PTX, "gfx90a") <= 0 && cuda("sm_90", 4, "sm_90") <= 0);
  struct offloadrt_image image = {.kind = PTX, .triple = "amdgcn-amd-amdhsa", .arch = "sm_90"};
  CHECK(offloadrt_cuda_fit("sm_90", &image, miss, sizeof miss) == OFFLOADRT_FOREIGN);
}

static void stated_features_are_the_devices(void) {
  static const char device[] = "gfx90a:sramecc+:xnack-";
  CHECK(hip(device, "gfx90a") > 0 && hip(device, "gfx90a:xnack-") > 0 && hip(device, device) > 0);
  CHECK(hip(device, "gfx90a:sramecc+") > 0 && hip(device, "gfx90a:sramecc-") <= 0);
  CHECK(hip(device, "gfx90a:sramecc+:xnack+") <= 0 && strcmp(miss, "needs xnack+") == 0);
  CHECK(hip("gfx1030", "gfx1030:xnack-") <= 0);
  CHECK(hip(device, device) > hip(device, "gfx90a:xnack-") && hip(device, "gfx90a:xnack-") > hip(device, "gfx90a"));
  CHECK(hip(device, "gfx90") <= 0 && hip("gfx90", "gfx90a") <= 0);
  CHECK(strcmp(miss, "is for other processors") == 0);
}

static void generic_processors_cover_theirs(void) {
  CHECK(hip("gfx906:sramecc+:xnack-", "gfx9-generic") > 0 && hip("gfx906:sramecc+:xnack-", "gfx9-generic:xnack-") > 0);
  CHECK(hip("gfx906:sramecc+:xnack-", "gfx9-generic:xnack+") <= 0);
  CHECK(hip("gfx90a:sramecc+:xnack-", "gfx9-generic") <= 0 && hip("gfx908", "gfx9-generic") <= 0);
  CHECK(hip("gfx942:sramecc+:xnack-", "gfx9-4-generic") > 0 && hip("gfx942", "gfx9-generic") <= 0);
  CHECK(hip("gfx1036", "gfx10-3-generic") > 0 && hip("gfx1036", "gfx10-1-generic") <= 0);
  CHECK(hip("gfx1151", "gfx11-generic") > 0 && hip("gfx1201", "gfx12-generic") > 0);
  CHECK(hip("gfx103", "gfx10-3-generic") <= 0);
  CHECK(hip("gfx1100", "gfx1100") > hip("gfx1100", "gfx11-generic"));
}

/* As newer versions of LLVM spell it, with or without a separate arch. */
static int hip_of(const char *device, const char *triple, const char *arch) {
  struct offloadrt_image image = {.kind = OFFLOADRT_IMAGE_ELF, .triple = triple, .arch = arch};
  return offloadrt_hip_fit(device, &image, miss, sizeof miss);
}

static void triples_may_name_the_processor(void) {
  static const char device[] = "gfx90a:sramecc+:xnack-";
  CHECK(hip_of(device, "amdgpu9.0a-amd-amdhsa", "gfx90a") == hip(device, "gfx90a"));
  CHECK(hip_of(device, "amdgpu9.0a-amd-amdhsa", "") == hip(device, "gfx90a"));
  CHECK(hip_of(device, "amdgpu-amd-amdhsa", "gfx90a:xnack-") == hip(device, "gfx90a:xnack-"));
  CHECK(hip_of("gfx906", "amdgpu9-amd-amdhsa", "") == hip("gfx906", "gfx9-generic"));
  CHECK(hip_of("gfx942", "amdgpu9.4-amd-amdhsa", "") == hip("gfx942", "gfx9-4-generic"));
  CHECK(hip_of("gfx1030", "amdgpu10.30-amd-amdhsa", "") > 0 && hip_of("gfx1031", "amdgpu10.30-amd-amdhsa", "") <= 0);
  CHECK(hip_of(device, "amdgpu-amd-amdhsa", "") <= 0 && hip_of(device, "amdgcn-amd-amdhsa", "") <= 0);
  CHECK(hip_of(device, "amdgpu9.0000000000000000000000000000a-amd-amdhsa", "") <= 0);
  CHECK(hip_of(device, "amdgpux-amd-amdhsa", "gfx90a") == OFFLOADRT_FOREIGN);
  CHECK(hip_of(device, "amdgp", "gfx90a") == OFFLOADRT_FOREIGN && hip_of(device, "amdgpu", "gfx90a") > 0);
}

static void the_closest_code_object_is_reported(void) {
  CHECK(hip("gfx90a:xnack-", "gfx90a:xnack+") > hip("gfx90a:xnack-", "gfx908"));
  CHECK(hip("gfx90a:xnack-", "gfx908") > hip("gfx90a:xnack-", "gfx1030"));
  struct offloadrt_image image = {.kind = 2, .triple = "amdgcn-amd-amdhsa", .arch = "gfx90a"};
  CHECK(offloadrt_hip_fit("gfx90a", &image, miss, sizeof miss) < hip("gfx90a", "gfx1030"));
  image.triple = "nvptx64-nvidia-cuda";
  CHECK(offloadrt_hip_fit("gfx90a", &image, miss, sizeof miss) == OFFLOADRT_FOREIGN);
}

int main(void) {
  RUN(machine_code_runs_within_its_major_number);
  RUN(ptx_runs_on_everything_later);
  RUN(suffixes_narrow_what_runs);
  RUN(the_best_image_is_preferred);
  RUN(what_is_no_cuda_arch_is_left_alone);
  RUN(stated_features_are_the_devices);
  RUN(generic_processors_cover_theirs);
  RUN(triples_may_name_the_processor);
  RUN(the_closest_code_object_is_reported);
  return 0;
}

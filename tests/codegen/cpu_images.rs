//! Outputs of the CPU target for the bundle: host code for offloadrt, images for libomptarget.

use std::process::Command;

use crate::cpu_by_hand::{LEVELS, PRELUDE, compile, kernel, module};
use crate::cpu_target::{SAXPY, saxpy};
use harness::run;
use offloadc::bundle::{ImageKind, Runtime};
use offloadc::contract::kernel::ParameterKind::{Block, Pointer, Value};
use offloadc::llvm::OptLevel;

#[test]
fn the_product_is_what_the_bundle_expects() {
    let compiled = compile(&module(SAXPY), &[saxpy()], OptLevel::O2, "cpu", Runtime::Offloadrt).expect("it compiles");
    let [image] = &compiled.product.images[..] else { panic!("one image") };
    assert_eq!((image.kind, image.triple.as_str()), (ImageKind::None, "x86_64-unknown-linux-gnu"));
    assert_eq!((image.arch.as_str(), image.bytes.len()), ("cpu", 0));
    assert_eq!(compiled.product.shared_bytes, [0]);
    let code = compiled.product.host_code.expect("the cpu gives host code").object;
    let elf = goblin::elf::Elf::parse(&code).expect("it is an object");
    assert_eq!(elf.header.e_type, goblin::elf::header::ET_REL);
    let globals: Vec<_> = elf.syms.iter().filter(|s| s.st_bind() != goblin::elf::sym::STB_LOCAL).collect();
    let names: Vec<_> = globals.iter().filter_map(|s| elf.strtab.get_at(s.st_name)).collect();
    assert_eq!(names, ["__offload_cpu.0123456789abcdef.saxpy"]);
    assert_eq!(globals[0].st_visibility(), goblin::elf::sym::STV_HIDDEN);
}

#[test]
fn levels_of_the_psabi_are_archs() {
    let saxpy = |arch: &str| compile(&module(SAXPY), &[saxpy()], OptLevel::O3, arch, Runtime::Offloadrt);
    assert!(saxpy("cpu:x86-64-v3").expect("it compiles").optimized.contains("<8 x float>"));
    assert!(saxpy("cpu:haswell").is_err());
}

#[test]
fn an_image_for_libomptarget_brings_its_scheduler() {
    let text = "
@tile = internal global [64 x i64] zeroinitializer, section \".offload.shared\"
%large = type { i64, i64 }
define void @shift(i1 %flag, i16 %add, float %f, %large %large, ptr %out) {
  %t = call i32 @__offload_thread_id_x()
  %b = call i32 @__offload_block_id_z()
  %y = call i32 @__offload_block_id_y()
  %gy = call i32 @__offload_grid_dim_y()
  %by = mul i32 %b, %gy
  %row = add i32 %by, %y
  %d = call i32 @__offload_block_dim_x()
  %rd = mul i32 %row, %d
  %i = add i32 %rd, %t
  %n = add i32 %t, 1
  %nm = urem i32 %n, %d
  %tz = zext i32 %t to i64
  %nz = zext i32 %nm to i64
  %iz = zext i32 %i to i64
  %mine = getelementptr i64, ptr @tile, i64 %tz
  %next = getelementptr i64, ptr @tile, i64 %nz
  store i64 %iz, ptr %mine
  call void @__offload_sync_threads()
  %v = load i64, ptr %next
  %a = zext i1 %flag to i64
  %s = sext i16 %add to i64
  %fi = fptosi float %f to i64
  %l1 = extractvalue %large %large, 1
  %s1 = add i64 %v, %a
  %s2 = add i64 %s1, %s
  %s3 = add i64 %s2, %fi
  %s4 = add i64 %s3, %l1
  %p = getelementptr i64, ptr %out, i64 %iz
  store i64 %s4, ptr %p
  ret void
}
define void @block(ptr readonly %a) {
  %p = load ptr, ptr %a
  %q = getelementptr i8, ptr %a, i64 8
  %v = load i32, ptr %q
  store i32 %v, ptr %p
  ret void
}";
    let shift = kernel("shift", &[(Value, 1, 1), (Value, 2, 2), (Value, 4, 4), (Value, 16, 8), (Pointer, 8, 8)]);
    let kernels = [shift, kernel("block", &[(Block, 16, 8)])];
    let program = r#"
#include <dlfcn.h>
int main(int count, char **words) {
  void *image = dlopen(words[count - 1], RTLD_NOW | RTLD_LOCAL);
  if (!image) return puts(dlerror()), 1;
  CHECK(!dlsym(image, "offload_cpu_run"));
  void (*shift)() = dlsym(image, "shift"), (*block)() = dlsym(image, "block");
  static int64_t out[3 * 2 * 64], large[2] = {1, 5000};
  float f = 70;
  uint32_t bits;
  memcpy(&bits, &f, 4);
  struct { int32_t *p, v; } a = {(int32_t[]){0}, 42};
  shift((void *)0, 1ull | 2ull << 32, 3ull | 64ull << 32, 1ull | 1ull << 32, 0ull, 0ull, 1ull, 0xffffull, (uint64_t)bits,
        (uint64_t)(uintptr_t)large, out);
  for (int i = 0; i < 3 * 2 * 64; i++) CHECK(out[i] == i / 64 * 64 + (i + 1) % 64 + 1 - 1 + 70 + 5000);
  block((void *)0, 1ull | 1ull << 32, 1ull | 1ull << 32, 1ull | 1ull << 32, 0ull, 0ull, &a);
  CHECK(*a.p == 42);
  return wrong;
}"#;
    for level in LEVELS {
        let compiled = compile(&module(text), &kernels, level, "cpu", Runtime::Omptarget).expect("the kernel compiles");
        assert!(compiled.product.host_code.is_none());
        let [image] = &compiled.product.images[..] else { panic!("one image") };
        assert_eq!(image.kind, ImageKind::Object);
        let elf = goblin::elf::Elf::parse(&image.bytes).expect("it is a shared object");
        assert_eq!(elf.header.e_type, goblin::elf::header::ET_DYN);
        assert!(elf.libraries.is_empty(), "{:?}", elf.libraries);
        let folder = harness::scratch();
        let file = |name: &str| folder.path().join(name);
        std::fs::write(file("image.so"), &image.bytes).expect("the folder is ours");
        std::fs::write(file("main.c"), format!("{PRELUDE}{program}")).expect("the folder is ours");
        let mut cc = Command::new("cc");
        cc.args(["-std=gnu11", "-O1", "-pthread", "-I"]).arg(harness::root().join("runtime-c"));
        run(cc.arg(file("main.c")).args(["-ldl", "-o"]).arg(file("program"))).success();
        let outcome = run(Command::new(file("program")).arg(file("image.so")));
        assert_eq!(outcome.code(), 0, "at {level:?}:\n{}\n{}", outcome.report(), compiled.optimized);
    }
}

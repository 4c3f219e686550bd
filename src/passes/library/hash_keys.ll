; Where a device keeps the keys of `std`'s hash maps: 64 bytes that are all 0, new ones each time. The optimiser drops them
; where it can see all that becomes of them.
declare noalias ptr @__rust_alloc(i64, i64 allocalign) nounwind allockind("alloc,uninitialized,aligned") allocsize(0)
; As Rust's own of this path: the alignment and the size.
declare void @"alloc::alloc::handle_alloc_error"(i64, i64) noreturn
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

define ptr @__offload_hash_keys() alwaysinline {
entry:
  %keys = call noalias ptr @__rust_alloc(i64 64, i64 16)
  %full = icmp eq ptr %keys, null
  br i1 %full, label %panic, label %clear

panic:
  call void @"alloc::alloc::handle_alloc_error"(i64 16, i64 64)
  unreachable

clear:
  call void @llvm.memset.p0.i64(ptr align 16 %keys, i8 0, i64 64, i1 false)
  ret ptr %keys
}

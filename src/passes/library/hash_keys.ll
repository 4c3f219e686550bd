; The memory of the keys of `std`'s hash maps on a device: 64 new bytes that are 0. The optimiser removes them if it
; sees all their uses.
declare noalias ptr @__rust_alloc(i64, i64 allocalign) nounwind allockind("alloc,uninitialized,aligned") allocsize(0)
; `alloc::alloc::handle_alloc_error` of Rust; the parameters are the alignment and the size.
declare void @_ZN5alloc5alloc18handle_alloc_error17h0000000000000000E(i64, i64) noreturn
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

define ptr @__offload_hash_keys() alwaysinline {
entry:
  %keys = call noalias ptr @__rust_alloc(i64 64, i64 16)
  %full = icmp eq ptr %keys, null
  br i1 %full, label %panic, label %clear

panic:
  call void @_ZN5alloc5alloc18handle_alloc_error17h0000000000000000E(i64 16, i64 64)
  unreachable

clear:
  call void @llvm.memset.p0.i64(ptr align 16 %keys, i8 0, i64 64, i1 false)
  ret ptr %keys
}

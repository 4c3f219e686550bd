; The keys of `std`'s hash maps are fixed on devices: the operating system's numbers are 0, and each use of the thread-local
; has new memory. Functions and variables of the same names in a user's crate stay, and so do those of `std` that have
; another type: another result, a static that all threads share, one of more than 64 bytes. A thread-local whose address is
; used in another way stays beside the new memory.
; RUN: offloadc %s --run-pass=fix_hash_keys --kernel=k | grep -v "^target"

declare { i64, i64 } @_ZN3std3sys6random5linux19hashmap_random_keys17h0123456789abcdefE()

define void @k(ptr %out) {
  %keys = call { i64, i64 } @_ZN3std3sys6random5linux19hashmap_random_keys17h0123456789abcdefE()
  %first = extractvalue { i64, i64 } %keys, 0
  store i64 %first, ptr %out
  ret void
}

@_ZN3std4hash6random11RandomState3new4KEYS3VAL17h0000000000000001E = internal thread_local global [24 x i8] zeroinitializer
@_ZN3std4hash6random11RandomState3new4KEYS3VAL17h0000000000000002E = internal thread_local global [24 x i8] zeroinitializer
@_ZN3std4hash6random11RandomState3new4KEYS3VAL17h0000000000000003E = internal thread_local global [65 x i8] zeroinitializer
@_ZN3std4hash6random11RandomState3new4KEYS3VAL17h0000000000000004E = internal global [24 x i8] zeroinitializer
@_ZN3std4hash6random11RandomState3new5OTHER3VAL17h0000000000000005E = internal thread_local global [24 x i8] zeroinitializer
@_ZN4mine4hash6random11RandomState3new4KEYS3VAL17h0000000000000006E = internal thread_local global [24 x i8] zeroinitializer

define void @maps(ptr %out) {
  %first = call ptr @llvm.threadlocal.address.p0(ptr @_ZN3std4hash6random11RandomState3new4KEYS3VAL17h0000000000000001E)
  store ptr %first, ptr %out
  %second = call ptr @llvm.threadlocal.address.p0(ptr @_ZN3std4hash6random11RandomState3new4KEYS3VAL17h0000000000000002E)
  store ptr %second, ptr %out
  call void @takes(ptr @_ZN3std4hash6random11RandomState3new4KEYS3VAL17h0000000000000002E)
  %large = call ptr @llvm.threadlocal.address.p0(ptr @_ZN3std4hash6random11RandomState3new4KEYS3VAL17h0000000000000003E)
  store ptr %large, ptr %out
  store ptr @_ZN3std4hash6random11RandomState3new4KEYS3VAL17h0000000000000004E, ptr %out
  %other = call ptr @llvm.threadlocal.address.p0(ptr @_ZN3std4hash6random11RandomState3new5OTHER3VAL17h0000000000000005E)
  store ptr %other, ptr %out
  %mine = call ptr @llvm.threadlocal.address.p0(ptr @_ZN4mine4hash6random11RandomState3new4KEYS3VAL17h0000000000000006E)
  store ptr %mine, ptr %out
  ret void
}

declare void @takes(ptr)
declare i64 @_ZN3std3sys6random5other19hashmap_random_keys17h0000000000000007E()
declare { i64, i32 } @_ZN3std3sys6random4word19hashmap_random_keys17h0000000000000008E()
declare { i64, i64 } @_ZN3std3sys6random5linux10fill_bytes17h0000000000000009E()
declare { i64, i64 } @_ZN4mine3sys6random5linux19hashmap_random_keys17h000000000000000aE()

define { i64, i64 } @_ZN3std3sys6random7defined19hashmap_random_keys17h000000000000000bE() {
  ret { i64, i64 } { i64 3, i64 4 }
}
;;; stdout
;
; @_ZN3std4hash6random11RandomState3new4KEYS3VAL17h0000000000000002E = internal thread_local global [24 x i8] zeroinitializer
; @_ZN3std4hash6random11RandomState3new4KEYS3VAL17h0000000000000003E = internal thread_local global [65 x i8] zeroinitializer
; @_ZN3std4hash6random11RandomState3new4KEYS3VAL17h0000000000000004E = internal global [24 x i8] zeroinitializer
; @_ZN3std4hash6random11RandomState3new5OTHER3VAL17h0000000000000005E = internal thread_local global [24 x i8] zeroinitializer
; @_ZN4mine4hash6random11RandomState3new4KEYS3VAL17h0000000000000006E = internal thread_local global [24 x i8] zeroinitializer
;
; define { i64, i64 } @_ZN3std3sys6random5linux19hashmap_random_keys17h0123456789abcdefE() {
; entry:
;   ret { i64, i64 } zeroinitializer
; }
;
; define void @k(ptr %out) {
;   %keys = call { i64, i64 } @_ZN3std3sys6random5linux19hashmap_random_keys17h0123456789abcdefE()
;   %first = extractvalue { i64, i64 } %keys, 0
;   store i64 %first, ptr %out, align 4
;   ret void
; }
;
; define void @maps(ptr %out) {
;   %1 = call ptr @__offload_hash_keys()
;   store ptr %1, ptr %out, align 8
;   %2 = call ptr @__offload_hash_keys()
;   store ptr %2, ptr %out, align 8
;   call void @takes(ptr @_ZN3std4hash6random11RandomState3new4KEYS3VAL17h0000000000000002E)
;   %large = call ptr @llvm.threadlocal.address.p0(ptr @_ZN3std4hash6random11RandomState3new4KEYS3VAL17h0000000000000003E)
;   store ptr %large, ptr %out, align 8
;   store ptr @_ZN3std4hash6random11RandomState3new4KEYS3VAL17h0000000000000004E, ptr %out, align 8
;   %other = call ptr @llvm.threadlocal.address.p0(ptr @_ZN3std4hash6random11RandomState3new5OTHER3VAL17h0000000000000005E)
;   store ptr %other, ptr %out, align 8
;   %mine = call ptr @llvm.threadlocal.address.p0(ptr @_ZN4mine4hash6random11RandomState3new4KEYS3VAL17h0000000000000006E)
;   store ptr %mine, ptr %out, align 8
;   ret void
; }
;
; declare void @takes(ptr)
;
; declare i64 @_ZN3std3sys6random5other19hashmap_random_keys17h0000000000000007E()
;
; declare { i64, i32 } @_ZN3std3sys6random4word19hashmap_random_keys17h0000000000000008E()
;
; declare { i64, i64 } @_ZN3std3sys6random5linux10fill_bytes17h0000000000000009E()
;
; declare { i64, i64 } @_ZN4mine3sys6random5linux19hashmap_random_keys17h000000000000000aE()
;
; define { i64, i64 } @_ZN3std3sys6random7defined19hashmap_random_keys17h000000000000000bE() {
; entry:
;   ret { i64, i64 } zeroinitializer
; }
;
; ; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
; declare nonnull ptr @llvm.threadlocal.address.p0(ptr nonnull) #0
;
; ; Function Attrs: alwaysinline
; define ptr @__offload_hash_keys() #1 {
; entry:
;   %keys = call noalias ptr @__rust_alloc(i64 64, i64 16)
;   %full = icmp eq ptr %keys, null
;   br i1 %full, label %panic, label %clear
;
; panic:                                            ; preds = %entry
;   call void @_ZN5alloc5alloc18handle_alloc_error17h0000000000000000E(i64 16, i64 64)
;   unreachable
;
; clear:                                            ; preds = %entry
;   call void @llvm.memset.p0.i64(ptr align 16 %keys, i8 0, i64 64, i1 false)
;   ret ptr %keys
; }
;
; ; Function Attrs: nounwind allockind("alloc,uninitialized,aligned") allocsize(0)
; declare noalias ptr @__rust_alloc(i64, i64 allocalign) #2
;
; ; Function Attrs: noreturn
; declare void @_ZN5alloc5alloc18handle_alloc_error17h0000000000000000E(i64, i64) #3
;
; ; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: write)
; declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg) #4
;
; attributes #0 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
; attributes #1 = { alwaysinline }
; attributes #2 = { nounwind allockind("alloc,uninitialized,aligned") allocsize(0) }
; attributes #3 = { noreturn }
; attributes #4 = { nocallback nofree nounwind willreturn memory(argmem: write) }

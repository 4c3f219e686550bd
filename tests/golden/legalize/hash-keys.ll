; `std`'s hash maps have fixed keys on a device: the function that asks the operating system for keys returns 0, under
; the names of both manglings, and the thread-local that keeps them is new memory of the launch, which the optimiser
; drops where it sees all uses. Another thread-local stays one.
; RUN[both]: offloadc %s --offload-arch=cpu --emit=legalize=-
; CHECK[both]: @_ZN1a5OTHER17h7fd91c46af4cc59eE = external thread_local global [24 x i8]
; CHECK-NOT[both]: KEYS
; CHECK[both]: define internal { i64, i64 } @_RNvNtNtNtCsjrHSEGnQ3l9_3std3sys6random5linux19hashmap_random_keys()
; CHECK[both]: ret { i64, i64 } zeroinitializer
; CHECK-NOT[both]: declare
; CHECK[both]: define internal { i64, i64 } @_ZN3std3sys6random5linux19hashmap_random_keys17h076d5b3687cced57E()
; CHECK[both]: ret { i64, i64 } zeroinitializer
; CHECK[both]: define void @k
; CHECK[both]: %1 = call ptr @__offload_hash_keys()
; CHECK[both]: %2 = call ptr @__offload_hash_keys()
; CHECK[both]: store ptr %1, ptr %out
; CHECK[both]: store ptr %2, ptr %out
; CHECK[both]: define internal ptr @__offload_hash_keys()
; CHECK[both]: @__rust_alloc(i64 64, i64 16)
;
; The code of a map: it asks for keys if there are none, and counts them up. Only the number is left.
; RUN[dropped]: offloadc %s --kernel=map --offload-arch=cpu --emit=simplify=- | sed -n '/define void @map/,/^}/p'
; CHECK[dropped]: define void @map
; CHECK-NOT[dropped]: call
; CHECK[dropped]: store i64 0, ptr %out
; CHECK[dropped]: ret void

target triple = "x86_64-unknown-linux-gnu"

@_RNvNCNKNvNvMNtNtCsjrHSEGnQ3l9_3std4hash6randomNtBa_11RandomState3new4KEYS0s_023___RUST_STD_INTERNAL_VAL = external thread_local global [24 x i8]
@"_ZN3std4hash6random11RandomState3new4KEYS29_$u7b$$u7b$constant$u7d$$u7d$28_$u7b$$u7b$closure$u7d$$u7d$3VAL17h7fd91c46af4cc59eE" = external thread_local global [24 x i8]
@_ZN1a5OTHER17h7fd91c46af4cc59eE = external thread_local global [24 x i8]

declare { i64, i64 } @_RNvNtNtNtCsjrHSEGnQ3l9_3std3sys6random5linux19hashmap_random_keys()
declare { i64, i64 } @_ZN3std3sys6random5linux19hashmap_random_keys17h076d5b3687cced57E()
declare ptr @llvm.threadlocal.address.p0(ptr)

define ptx_kernel void @k(ptr %out) {
  %new = call ptr @llvm.threadlocal.address.p0(ptr @_RNvNCNKNvNvMNtNtCsjrHSEGnQ3l9_3std4hash6randomNtBa_11RandomState3new4KEYS0s_023___RUST_STD_INTERNAL_VAL)
  %old = call ptr @llvm.threadlocal.address.p0(ptr @"_ZN3std4hash6random11RandomState3new4KEYS29_$u7b$$u7b$constant$u7d$$u7d$28_$u7b$$u7b$closure$u7d$$u7d$3VAL17h7fd91c46af4cc59eE")
  %other = call ptr @llvm.threadlocal.address.p0(ptr @_ZN1a5OTHER17h7fd91c46af4cc59eE)
  store ptr %new, ptr %out
  store ptr %old, ptr %out
  store ptr %other, ptr %out
  %a = call { i64, i64 } @_RNvNtNtNtCsjrHSEGnQ3l9_3std3sys6random5linux19hashmap_random_keys()
  %b = call { i64, i64 } @_ZN3std3sys6random5linux19hashmap_random_keys17h076d5b3687cced57E()
  store { i64, i64 } %a, ptr %out
  store { i64, i64 } %b, ptr %out
  ret void
}

define void @map(ptr %out) {
  %keys = call ptr @llvm.threadlocal.address.p0(ptr @_RNvNCNKNvNvMNtNtCsjrHSEGnQ3l9_3std4hash6randomNtBa_11RandomState3new4KEYS0s_023___RUST_STD_INTERNAL_VAL)
  %state = getelementptr i8, ptr %keys, i64 16
  %there = load i1, ptr %state
  br i1 %there, label %count, label %ask

ask:
  %random = call { i64, i64 } @_RNvNtNtNtCsjrHSEGnQ3l9_3std3sys6random5linux19hashmap_random_keys()
  store { i64, i64 } %random, ptr %keys
  store i1 true, ptr %state
  br label %count

count:
  %key = load i64, ptr %keys
  %next = add i64 %key, 1
  store i64 %next, ptr %keys
  store i64 %key, ptr %out
  ret void
}

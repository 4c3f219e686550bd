; The keys of `std`'s hash maps are fixed on devices.
; RUN: offloadc %s --run-pass=fix_hash_keys --kernel=k | grep -v "^target"

declare { i64, i64 } @_ZN3std3sys6random5linux19hashmap_random_keys17h0123456789abcdefE()

define void @k(ptr %out) {
  %keys = call { i64, i64 } @_ZN3std3sys6random5linux19hashmap_random_keys17h0123456789abcdefE()
  %first = extractvalue { i64, i64 } %keys, 0
  store i64 %first, ptr %out
  ret void
}
;;; stdout
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

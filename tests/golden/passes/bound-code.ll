; The two symbols around the code of the image are the first function and an empty one after the last; all functions
; have one section.
; RUN: offloadc %s --run-pass=bound_code --offload-arch=cpu | grep -v "^target"

define void @first() {
  ret void
}
define i1 @is_inside(ptr %p) {
  %after = icmp uge ptr %p, @offload_code_begin
  %before = icmp ult ptr %p, @offload_code_end
  %inside = and i1 %after, %before
  ret i1 %inside
}
declare void @offload_code_begin()
declare void @offload_code_end()
;;; stdout
;
; define void @first() section ".text.offload" {
;   ret void
; }
;
; define i1 @is_inside(ptr %p) section ".text.offload" {
;   %after = icmp uge ptr %p, @first
;   %before = icmp ult ptr %p, @offload_code_end
;   %inside = and i1 %after, %before
;   ret i1 %inside
; }
;
; define internal void @offload_code_end() section ".text.offload" {
; entry:
;   ret void
; }

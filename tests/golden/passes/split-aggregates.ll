; A choice between structs is a choice for each field, and so is an access to one. A field is extracted through
; insertions of the fields beside it. A large array stays, and so does a vector.
; RUN: offloadc %s --run-pass=split_aggregates --offload-arch=spirv64 | grep -v "^target"

define i32 @f(i1 %c, { i32, i64 } %a, { i32, i64 } %b) {
  %chosen = select i1 %c, { i32, i64 } %a, { i32, i64 } %b
  %first = extractvalue { i32, i64 } %chosen, 0
  ret i32 %first
}

define i32 @accesses(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %x) {
  %loaded = load { i32, { i64, i8 } }, ptr addrspace(1) %p, align 16
  store volatile { i32, { i64, i8 } } %loaded, ptr addrspace(1) %q, align 4
  %large = load [65 x i8], ptr addrspace(1) %p
  store [65 x i8] %large, ptr addrspace(1) %q
  %vector = load <2 x i32>, ptr addrspace(1) %p
  store <2 x i32> %vector, ptr addrspace(1) %q
  %pair = load { i32, i32 }, ptr addrspace(1) %p
  %other = insertvalue { i32, i32 } %pair, i32 %x, 1
  %first = extractvalue { i32, i32 } %other, 0
  ret i32 %first
}

define { i64, i8 } @part({ i32, { i64, i8 } } %given, i8 %x) {
  %changed = insertvalue { i32, { i64, i8 } } %given, i8 %x, 1, 1
  %part = extractvalue { i32, { i64, i8 } } %changed, 1
  %inner = extractvalue { i64, i8 } %part, 0
  %again = insertvalue { i64, i8 } %part, i64 %inner, 0
  ret { i64, i8 } %again
}
;;; stdout
;
; define i32 @f(i1 %c, { i32, i64 } %a, { i32, i64 } %b) {
;   %1 = extractvalue { i32, i64 } %a, 0
;   %2 = extractvalue { i32, i64 } %b, 0
;   %3 = select i1 %c, i32 %1, i32 %2
;   %4 = extractvalue { i32, i64 } %a, 1
;   %5 = extractvalue { i32, i64 } %b, 1
;   %6 = select i1 %c, i64 %4, i64 %5
;   %7 = insertvalue { i32, i64 } poison, i32 %3, 0
;   %8 = insertvalue { i32, i64 } %7, i64 %6, 1
;   %first = extractvalue { i32, i64 } %8, 0
;   ret i32 %3
; }
;
; define i32 @accesses(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %x) {
;   %1 = load i32, ptr addrspace(1) %p, align 16
;   %2 = getelementptr inbounds i8, ptr addrspace(1) %p, i64 8
;   %3 = load i64, ptr addrspace(1) %2, align 8
;   %4 = getelementptr inbounds i8, ptr addrspace(1) %2, i64 8
;   %5 = load i8, ptr addrspace(1) %4, align 8
;   %6 = insertvalue { i64, i8 } poison, i64 %3, 0
;   %7 = insertvalue { i64, i8 } %6, i8 %5, 1
;   %8 = insertvalue { i32, { i64, i8 } } poison, i32 %1, 0
;   %9 = insertvalue { i32, { i64, i8 } } %8, { i64, i8 } %7, 1
;   %10 = extractvalue { i32, { i64, i8 } } %9, 0
;   store volatile i32 %1, ptr addrspace(1) %q, align 4
;   %11 = extractvalue { i32, { i64, i8 } } %9, 1
;   %12 = getelementptr inbounds i8, ptr addrspace(1) %q, i64 8
;   %13 = extractvalue { i64, i8 } %11, 0
;   store volatile i64 %3, ptr addrspace(1) %12, align 4
;   %14 = extractvalue { i64, i8 } %11, 1
;   %15 = getelementptr inbounds i8, ptr addrspace(1) %12, i64 8
;   store volatile i8 %5, ptr addrspace(1) %15, align 4
;   %large = load [65 x i8], ptr addrspace(1) %p, align 1
;   store [65 x i8] %large, ptr addrspace(1) %q, align 1
;   %vector = load <2 x i32>, ptr addrspace(1) %p, align 8
;   store <2 x i32> %vector, ptr addrspace(1) %q, align 8
;   %16 = load i32, ptr addrspace(1) %p, align 4
;   %17 = getelementptr inbounds i8, ptr addrspace(1) %p, i64 4
;   %18 = load i32, ptr addrspace(1) %17, align 4
;   %19 = insertvalue { i32, i32 } poison, i32 %16, 0
;   %20 = insertvalue { i32, i32 } %19, i32 %18, 1
;   %other = insertvalue { i32, i32 } %20, i32 %x, 1
;   %first = extractvalue { i32, i32 } %other, 0
;   ret i32 %16
; }
;
; define { i64, i8 } @part({ i32, { i64, i8 } } %given, i8 %x) {
;   %changed = insertvalue { i32, { i64, i8 } } %given, i8 %x, 1, 1
;   %part = extractvalue { i32, { i64, i8 } } %changed, 1
;   %1 = extractvalue { i32, { i64, i8 } } %given, 1
;   %2 = extractvalue { i64, i8 } %1, 0
;   %inner = extractvalue { i64, i8 } %part, 0
;   %again = insertvalue { i64, i8 } %part, i64 %2, 0
;   ret { i64, i8 } %again
; }

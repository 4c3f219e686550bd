define ptx_kernel void @k(ptr %p, i32 %n) {
  %a = alloca i32
  store i32 %n, ptr %a
  %o = atomicrmw add ptr %a, i32 5 seq_cst
  %x = cmpxchg ptr %a, i32 7, i32 9 seq_cst seq_cst
  %v = extractvalue {i32, i1} %x, 0
  %l = load atomic i32, ptr %a seq_cst, align 4
  store atomic i32 %v, ptr %a seq_cst, align 4
  %s = add i32 %o, %l
  %m = load i32, ptr %a
  %t = add i32 %s, %m
  store i32 %t, ptr %p
  ret void
}

; A short function that a kernel calls twice is executed in vectors, too, though LLVM would not inline it.
; RUN[kernel]: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | sed -n '/@kernel.thread[a-z.]*.vector(.*{/,/^}/p'
; CHECK[kernel]: mul <8 x i32>
; CHECK-NOT[kernel]: call
; CHECK[kernel]: ret void
; RUN[never]: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu --cpu-vectorize=never | grep -c 'call.*@mixed'
; CHECK[never]: 2

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()

define internal i32 @mixed(i32 %x, i32 %y) {
  %v1 = xor i32 %x, %y
  %v2 = add i32 %v1, %x
  %v3 = mul i32 %v2, %x
  %v4 = xor i32 %v3, %y
  %v5 = add i32 %v4, %x
  %v6 = mul i32 %v5, %x
  %v7 = xor i32 %v6, %y
  %v8 = add i32 %v7, %x
  %v9 = mul i32 %v8, %x
  %v10 = xor i32 %v9, %y
  %v11 = add i32 %v10, %x
  %v12 = mul i32 %v11, %x
  %v13 = xor i32 %v12, %y
  %v14 = add i32 %v13, %x
  %v15 = mul i32 %v14, %x
  %v16 = xor i32 %v15, %y
  %v17 = add i32 %v16, %x
  %v18 = mul i32 %v17, %x
  %v19 = xor i32 %v18, %y
  %v20 = add i32 %v19, %x
  %v21 = mul i32 %v20, %x
  %v22 = xor i32 %v21, %y
  %v23 = add i32 %v22, %x
  %v24 = mul i32 %v23, %x
  %v25 = xor i32 %v24, %y
  %v26 = add i32 %v25, %x
  %v27 = mul i32 %v26, %x
  %v28 = xor i32 %v27, %y
  %v29 = add i32 %v28, %x
  %v30 = mul i32 %v29, %x
  %v31 = xor i32 %v30, %y
  %v32 = add i32 %v31, %x
  %v33 = mul i32 %v32, %x
  %v34 = xor i32 %v33, %y
  %v35 = add i32 %v34, %x
  %v36 = mul i32 %v35, %x
  %v37 = xor i32 %v36, %y
  %v38 = add i32 %v37, %x
  %v39 = mul i32 %v38, %x
  %v40 = xor i32 %v39, %y
  %v41 = add i32 %v40, %x
  %v42 = mul i32 %v41, %x
  %v43 = xor i32 %v42, %y
  %v44 = add i32 %v43, %x
  %v45 = mul i32 %v44, %x
  %v46 = xor i32 %v45, %y
  %v47 = add i32 %v46, %x
  %v48 = mul i32 %v47, %x
  %v49 = xor i32 %v48, %y
  %v50 = add i32 %v49, %x
  %v51 = mul i32 %v50, %x
  %v52 = xor i32 %v51, %y
  %v53 = add i32 %v52, %x
  %v54 = mul i32 %v53, %x
  %v55 = xor i32 %v54, %y
  %v56 = add i32 %v55, %x
  %v57 = mul i32 %v56, %x
  %v58 = xor i32 %v57, %y
  %v59 = add i32 %v58, %x
  %v60 = mul i32 %v59, %x
  %v61 = xor i32 %v60, %y
  %v62 = add i32 %v61, %x
  %v63 = mul i32 %v62, %x
  %v64 = xor i32 %v63, %y
  %v65 = add i32 %v64, %x
  %v66 = mul i32 %v65, %x
  %v67 = xor i32 %v66, %y
  %v68 = add i32 %v67, %x
  %v69 = mul i32 %v68, %x
  %v70 = xor i32 %v69, %y
  %v71 = add i32 %v70, %x
  %v72 = mul i32 %v71, %x
  %v73 = xor i32 %v72, %y
  %v74 = add i32 %v73, %x
  %v75 = mul i32 %v74, %x
  %v76 = xor i32 %v75, %y
  %v77 = add i32 %v76, %x
  %v78 = mul i32 %v77, %x
  %v79 = xor i32 %v78, %y
  %v80 = add i32 %v79, %x
  %v81 = mul i32 %v80, %x
  %v82 = xor i32 %v81, %y
  %v83 = add i32 %v82, %x
  %v84 = mul i32 %v83, %x
  %v85 = xor i32 %v84, %y
  %v86 = add i32 %v85, %x
  %v87 = mul i32 %v86, %x
  %v88 = xor i32 %v87, %y
  %v89 = add i32 %v88, %x
  %v90 = mul i32 %v89, %x
  %v91 = xor i32 %v90, %y
  %v92 = add i32 %v91, %x
  %v93 = mul i32 %v92, %x
  %v94 = xor i32 %v93, %y
  %v95 = add i32 %v94, %x
  %v96 = mul i32 %v95, %x
  %v97 = xor i32 %v96, %y
  %v98 = add i32 %v97, %x
  %v99 = mul i32 %v98, %x
  %v100 = xor i32 %v99, %y
  %v101 = add i32 %v100, %x
  %v102 = mul i32 %v101, %x
  %v103 = xor i32 %v102, %y
  %v104 = add i32 %v103, %x
  %v105 = mul i32 %v104, %x
  %v106 = xor i32 %v105, %y
  %v107 = add i32 %v106, %x
  %v108 = mul i32 %v107, %x
  %v109 = xor i32 %v108, %y
  %v110 = add i32 %v109, %x
  %v111 = mul i32 %v110, %x
  %v112 = xor i32 %v111, %y
  %v113 = add i32 %v112, %x
  %v114 = mul i32 %v113, %x
  %v115 = xor i32 %v114, %y
  %v116 = add i32 %v115, %x
  %v117 = mul i32 %v116, %x
  %v118 = xor i32 %v117, %y
  %v119 = add i32 %v118, %x
  ret i32 %v119
}

define ptx_kernel void @kernel(ptr noalias %from, ptr noalias %to) {
  %x = call i32 @__offload_thread_id_x()
  %wide = zext i32 %x to i64
  %from.at = getelementptr i32, ptr %from, i64 %wide
  %value = load i32, ptr %from.at, align 4
  %first = call i32 @mixed(i32 %value, i32 %x)
  %second = call i32 @mixed(i32 %first, i32 %value)
  %to.at = getelementptr i32, ptr %to, i64 %wide
  store i32 %second, ptr %to.at, align 4
  ret void
}

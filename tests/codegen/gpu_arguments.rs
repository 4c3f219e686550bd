//! A kernel's arguments on the GPU targets.

use crate::gpu::{Setup, in_order, kernel, tool};
use offloadc::bundle::Runtime;
use offloadc::contract::kernel::ParameterKind::{Block, Pointer, Value};

#[test]
fn a_block_kernel_reads_kernel_argument_memory() {
    let text = "
define void @k(ptr %args) {
  %x = load ptr, ptr %args
  %py = getelementptr i8, ptr %args, i64 8
  %y = load ptr, ptr %py
  %pn = getelementptr i8, ptr %args, i64 16
  %n = load i32, ptr %pn
  %v = load i32, ptr %x
  %s = add i32 %v, %n
  store i32 %s, ptr %y
  ret void
}";
    let mut block = kernel("k", &[(Block, 24)]);
    (block.parameters[0].align, block.form) = (8, offloadc::contract::kernel::Form::Block { size: 24, align: 8 });
    let setup = Setup::new(text, vec![block]);
    let nvidia = setup.expect("sm_80");
    in_order(&nvidia.flavored, &["@k(ptr byval([24 x i8]) align 8 %args)"]);
    in_order(&nvidia.assembly(), &[".param .align 8 .b8 k_param_0[24]", "ld.param", "ld.global", "st.global"]);
    assert!(!nvidia.assembly().contains(".local"), "{}", nvidia.assembly());
    let amd = setup.expect("gfx90a");
    in_order(&amd.flavored, &["@k(ptr addrspace(4) byref([24 x i8]) align 8 %args)"]);
    assert!(!amd.flavored.contains("alloca") && !amd.assembly().contains("flat_"), "{}", amd.assembly());
    let notes = tool("llvm-readobj", &["--notes"], &amd.images[0].bytes);
    in_order(&notes, &[".offset:         0", ".size:           24", ".kernarg_segment_size: 24"]);

    let slots = Setup { runtime: Runtime::Omptarget, ..setup };
    let prefix =
        "@k(ptr addrspace(1) %0, i64 %1, i64 %2, i64 %3, i64 %4, ptr addrspace(1) %5, ptr addrspace(1) align 8 %args)";
    in_order(&slots.expect("sm_80").flavored, &[prefix]);
    in_order(&slots.expect("gfx90a").flavored, &[prefix]);
}

#[test]
fn written_arguments_are_a_threads_own() {
    let text = "
define void @k(ptr %p, ptr byval([3 x i64]) align 8 %s) {
  store i64 5, ptr %s
  %f = getelementptr i64, ptr %s, i64 %n
  %v = load i64, ptr %f
  store i64 %v, ptr %p
  ret void
}"
    .replace("%n", "1");
    let mut k = kernel("k", &[(Pointer, 8), (Value, 24)]);
    k.parameters[1].align = 8;
    let setup = Setup::new(&text, vec![k]);
    let amd = setup.expect("gfx90a").flavored;
    in_order(&amd, &["addrspace(4) byref([24 x i8]) align 8 %s", "alloca [24 x i8], align 8, addrspace(5)"]);
    in_order(&amd, &["llvm.memcpy.p5.p4", "addrspacecast ptr addrspace(5)", "store i64 5"]);
    in_order(&setup.expect("sm_70").flavored, &["ptr byval([24 x i8]) align 8 %s", "store i64 5, ptr %s"]);
    let slots = Setup { runtime: Runtime::Omptarget, ..setup };
    for arch in ["sm_70", "gfx90a"] {
        in_order(&slots.expect(arch).flavored, &["ptr addrspace(1) align 8 %s", "alloca [24 x i8]", "llvm.memcpy"]);
    }
}

#[test]
fn values_arrive_by_their_bytes() {
    let text = "
define void @k({i64, i64} %s, {double, float} %v, <2 x float> %w, i1 %b, i8 %c, double %d, ptr %p, half %h) {
  %s1 = extractvalue {i64, i64} %s, 1
  store volatile i64 %s1, ptr %p
  %v1 = extractvalue {double, float} %v, 1
  store volatile float %v1, ptr %p
  %w1 = extractelement <2 x float> %w, i32 1
  store volatile float %w1, ptr %p
  store volatile i1 %b, ptr %p
  store volatile i8 %c, ptr %p
  store volatile double %d, ptr %p
  store volatile half %h, ptr %p
  ret void
}";
    let sizes = [(16, 8), (12, 8), (8, 8), (1, 1), (1, 1), (8, 8), (8, 8), (2, 2)];
    let mut k = kernel("k", &sizes.map(|(size, _)| (if size == 8 { Pointer } else { Value }, size)));
    let mut end = 0_u32;
    for (row, (size, align)) in k.parameters.iter_mut().zip(sizes) {
        row.offset = end.next_multiple_of(align);
        row.align = align;
        row.kind = Value;
        end = row.offset + size;
    }
    k.parameters[6].kind = Pointer;
    let setup = Setup::new(text, vec![k]);
    let notes = tool("llvm-readobj", &["--notes"], &setup.expect("gfx90a").images[0].bytes);
    let offsets = ["0", "16", "32", "40", "41", "48", "56", "64"].map(|o| format!(".offset:         {o}\n"));
    in_order(&notes, &offsets.each_ref().map(String::as_str));
    in_order(
        &setup.expect("sm_70").assembly(),
        &[".param .align 8 .b8 k_param_0[16]", ".param .align 8 .b8 k_param_1[12]"],
    );
    let slots = Setup { runtime: Runtime::Omptarget, ..setup };
    let signature = "ptr addrspace(1) align 8 %s, ptr addrspace(1) align 8 %v, i64 %w, i64 %b, i64 %c, i64 %d, \
                     ptr addrspace(1) %p, i64 %h)";
    in_order(&slots.expect("sm_70").flavored, &["@k(", signature, "trunc i64 %b to i1", "trunc i64 %c to i8"]);
    let notes = tool("llvm-readobj", &["--notes"], &slots.expect("gfx90a").images[0].bytes);
    let offsets: Vec<String> = (0..13).map(|slot| format!(".offset:         {}\n", slot * 8)).collect();
    in_order(&notes, &offsets.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn wide_values_stand_where_the_host_puts_them() {
    let text = "
define void @k(ptr %p, i128 %a, i8 %c, <4 x i32> %v) {
  store volatile i128 %a, ptr %p
  store volatile i8 %c, ptr %p
  store volatile <4 x i32> %v, ptr %p
  ret void
}";
    let mut k = kernel("k", &[(Pointer, 8), (Value, 16), (Value, 1), (Value, 16)]);
    for (row, offset) in k.parameters.iter_mut().zip([0, 16, 32, 48]) {
        (row.offset, row.align) = (offset, row.size);
    }
    let setup = Setup::new(text, vec![k]);
    let notes = tool("llvm-readobj", &["--notes"], &setup.expect("gfx90a").images[0].bytes);
    let offsets = ["0", "16", "32", "48"].map(|o| format!(".offset:         {o}\n"));
    in_order(&notes, &offsets.each_ref().map(String::as_str));
    in_order(&setup.expect("sm_70").assembly(), &[".align 16 .b8 k_param_1[16]", ".align 16 .b8 k_param_3[16]"]);
}

//! The GPU targets without the driver: flavor, the pipeline, code generation and packaging of small neutral modules.

use crate::gpu::{Setup, in_order, kernel, tool};
use harness::program::{self, FLAG_SETS};
use offloadc::bundle::ImageKind;
use offloadc::contract::kernel::ParameterKind::{Pointer, Value};
use offloadc::llvm::OptLevel;
use offloadc::targets::TARGETS;

const NVIDIA: &[&str] = &["sm_70", "sm_80", "sm_90", "sm_100"];
const AMD: &[&str] = &["gfx90a", "gfx1100", "gfx90a:xnack+"];

const SAXPY: &str = "
declare i32 @__offload_thread_id_x()
declare i32 @__offload_block_id_x()
declare i32 @__offload_block_dim_x()
define void @saxpy(float %a, ptr readonly %x, ptr %y, i32 %n, i1 zeroext %on) {
  %t = call i32 @__offload_thread_id_x()
  %b = call i32 @__offload_block_id_x()
  %d = call i32 @__offload_block_dim_x()
  %bd = mul i32 %b, %d
  %i = add i32 %bd, %t
  %in = icmp ult i32 %i, %n
  %go = and i1 %in, %on
  br i1 %go, label %body, label %end
body:
  %i64 = zext i32 %i to i64
  %px = getelementptr float, ptr %x, i64 %i64
  %py = getelementptr float, ptr %y, i64 %i64
  %vx = load float, ptr %px
  %vy = load float, ptr %py
  %m = fmul float %a, %vx
  %s = fadd float %m, %vy
  store float %s, ptr %py
  br label %end
end:
  ret void
}
";

fn saxpy() -> Setup<'static> {
    let rows = [(Value, 4), (Pointer, 8), (Pointer, 8), (Value, 4), (Value, 1)];
    Setup::new(SAXPY, vec![kernel("saxpy", &rows)])
}

#[test]
fn saxpy_reads_and_writes_global_memory() {
    for arch in NVIDIA {
        let ptx = saxpy().expect(arch).assembly();
        in_order(&ptx, &[&format!(".target {arch}"), ".visible .entry saxpy(", "%tid.x", "ld.global", "st.global"]);
        assert!(!ptx.contains("ld.b32") && !ptx.contains("__offload"), "{ptx}");
    }
    for arch in AMD {
        let code = saxpy().expect(arch).assembly();
        in_order(&code, &["<saxpy>:", "global_load", "global_store"]);
        assert!(!code.contains("flat_"), "{code}");
    }
}

#[test]
fn every_level_compiles_and_is_packaged() {
    for level in [OptLevel::O0, OptLevel::O1, OptLevel::O3, OptLevel::Os, OptLevel::Oz] {
        for arch in ["sm_70", "gfx90a"] {
            let _compiled = Setup { level, ..saxpy() }.expect(arch);
        }
    }
}

#[test]
fn every_arch_compiles() {
    for target in TARGETS.iter().filter(|t| t.name() != "cpu") {
        for arch in target.archs() {
            // The installed assembler may not support a new arch.
            match saxpy().compile(arch) {
                Ok(compiled) => assert!(!compiled.images.is_empty()),
                Err(error) => assert!(error.contains("is not defined for option 'gpu-name'"), "{arch}: {error}"),
            }
        }
    }
}

/// The PTX for every set of rustc's flags contains all kinds of panics.
#[test]
fn panics_assemble_at_each_level() {
    let (folder, ptxas) = (harness::scratch(), harness::ptxas().expect("`make test-deps` installs NVIDIA's assembler"));
    let (ptx, cubin) = (folder.path().join("panics.ptx"), folder.path().join("panics.cubin"));
    for set in [FLAG_SETS[0], FLAG_SETS[2], FLAG_SETS[4]] {
        let bitcode = program::bitcode("tests/run/panics.rs", set, folder.path());
        let _said = program::compile(&bitcode, &ptx, &["--offload-arch=sm_80", "--emit=image"]).success();
        for level in ["-O0", "-O3"] {
            let mut command = std::process::Command::new(&ptxas);
            let _said = harness::run(command.args([level, "-arch=sm_80"]).arg(&ptx).arg("-o").arg(&cubin)).success();
        }
    }
}

#[test]
fn the_images_are_what_their_runtimes_load() {
    let images = saxpy().expect("sm_80").images;
    let ptx = images.last().unwrap();
    assert_eq!((ptx.kind, ptx.triple.as_str(), ptx.arch.as_str()), (ImageKind::Ptx, "nvptx64-nvidia-cuda", "sm_80"));
    match harness::ptxas() {
        Some(_) => assert_eq!((images[0].kind, &images[0].bytes[..4]), (ImageKind::Cubin, b"\x7fELF".as_slice())),
        None => eprintln!("no ptxas here: machine code for NVIDIA GPUs was not made"),
    }
    let images = saxpy().expect("gfx90a:xnack+:sramecc-").images;
    assert_eq!((images.len(), images[0].arch.as_str()), (1, "gfx90a:sramecc-:xnack+"));
    let notes = tool("llvm-readobj", &["-h", "--notes"], &images[0].bytes);
    in_order(&notes, &["Type: SharedObject", "FEATURE_SRAMECC_OFF", "FEATURE_XNACK_ON", "hidden_block_count_x"]);
    in_order(&notes, &["max_flat_workgroup_size: 1024", ".symbol:         saxpy.kd", "amdhsa.version", "- 1", "- 2"]);
    let symbols = tool("llvm-readelf", &["--dyn-syms"], &images[0].bytes);
    in_order(&symbols, &["FUNC    GLOBAL PROTECTED", "OBJECT  GLOBAL PROTECTED"]);
}

/// Each arch has the lowest version of the ABI that it supports: the number in the header, with the same metadata in
/// both versions.
#[test]
fn code_objects_are_of_the_lowest_version() {
    for (arch, version) in [("gfx906", 3), ("gfx1100", 3), ("gfx9-generic", 4), ("gfx11-generic", 4)] {
        let image = &saxpy().expect(arch).images[0];
        let text = tool("llvm-readobj", &["-h", "--notes"], &image.bytes);
        in_order(&text, &[&format!("ABIVersion: {version}"), ".kernarg_segment_size:", "amdhsa.version"]);
        for (at, size, kind) in [(0, 4, "by_value"), (8, 8, "global_buffer"), (16, 8, "global_buffer")] {
            in_order(&text, &[&format!(".offset:         {at}\n"), &format!(".size:           {size}\n"), kind]);
        }
        let wave = if arch.starts_with("gfx9") { 64 } else { 32 };
        in_order(&text, &[&format!(".wavefront_size: {wave}")]);
    }
}

/// Every builtin once, each result stored.
const BUILTINS: &str = "
declare i32 @__offload_thread_id_y()
declare i32 @__offload_block_id_z()
declare i32 @__offload_block_dim_y()
declare i32 @__offload_grid_dim_z()
declare i32 @__offload_lane_id()
declare i32 @__offload_lane_count()
declare void @__offload_sync_threads() convergent
declare void @__offload_fence_block()
declare void @__offload_fence_device()
declare void @__offload_fence_system()
declare i32 @__offload_shuffle(i32, i32) convergent
declare i32 @__offload_shuffle_xor(i32, i32) convergent
declare i32 @__offload_shuffle_up(i32, i32) convergent
declare i32 @__offload_shuffle_down(i32, i32) convergent
declare i64 @__offload_ballot(i1 zeroext) convergent
declare zeroext i1 @__offload_any(i1 zeroext) convergent
declare zeroext i1 @__offload_all(i1 zeroext) convergent
declare i32 @__offload_shuffle_sync(i64, i32, i32) convergent
declare i32 @__offload_shuffle_xor_sync(i64, i32, i32) convergent
declare i32 @__offload_shuffle_up_sync(i64, i32, i32) convergent
declare i32 @__offload_shuffle_down_sync(i64, i32, i32) convergent
declare i64 @__offload_ballot_sync(i64, i1 zeroext) convergent
declare zeroext i1 @__offload_any_sync(i64, i1 zeroext) convergent
declare zeroext i1 @__offload_all_sync(i64, i1 zeroext) convergent
declare void @__offload_sync_warp(i64) convergent
declare ptr @__offload_dynamic_shared()
define void @k(ptr %p, i32 %n) {
  %a = call i32 @__offload_thread_id_y()
  store volatile i32 %a, ptr %p
  %b = call i32 @__offload_block_id_z()
  store volatile i32 %b, ptr %p
  %c = call i32 @__offload_block_dim_y()
  store volatile i32 %c, ptr %p
  %d = call i32 @__offload_grid_dim_z()
  store volatile i32 %d, ptr %p
  %e = call i32 @__offload_lane_id()
  store volatile i32 %e, ptr %p
  %f = call i32 @__offload_lane_count()
  store volatile i32 %f, ptr %p
  call void @__offload_sync_threads()
  call void @__offload_fence_block()
  call void @__offload_fence_device()
  call void @__offload_fence_system()
  %g = call i32 @__offload_shuffle(i32 %e, i32 %n)
  store volatile i32 %g, ptr %p
  %h = call i32 @__offload_shuffle_xor(i32 %e, i32 %n)
  store volatile i32 %h, ptr %p
  %i = call i32 @__offload_shuffle_up(i32 %e, i32 %n)
  store volatile i32 %i, ptr %p
  %j = call i32 @__offload_shuffle_down(i32 %e, i32 %n)
  store volatile i32 %j, ptr %p
  %odd = trunc i32 %a to i1
  %k = call i64 @__offload_ballot(i1 %odd)
  store volatile i64 %k, ptr %p
  %l = call i1 @__offload_any(i1 %odd)
  store volatile i1 %l, ptr %p
  %m = call i1 @__offload_all(i1 %odd)
  store volatile i1 %m, ptr %p
  %mask = zext i32 %n to i64
  %g.sync = call i32 @__offload_shuffle_sync(i64 %mask, i32 %a, i32 %n)
  store volatile i32 %g.sync, ptr %p
  %h.sync = call i32 @__offload_shuffle_xor_sync(i64 %mask, i32 %a, i32 %n)
  store volatile i32 %h.sync, ptr %p
  %i.sync = call i32 @__offload_shuffle_up_sync(i64 %mask, i32 %a, i32 %n)
  store volatile i32 %i.sync, ptr %p
  %j.sync = call i32 @__offload_shuffle_down_sync(i64 %mask, i32 %a, i32 %n)
  store volatile i32 %j.sync, ptr %p
  %k.sync = call i64 @__offload_ballot_sync(i64 %mask, i1 %odd)
  store volatile i64 %k.sync, ptr %p
  %l.sync = call i1 @__offload_any_sync(i64 %mask, i1 %odd)
  store volatile i1 %l.sync, ptr %p
  %m.sync = call i1 @__offload_all_sync(i64 %mask, i1 %odd)
  store volatile i1 %m.sync, ptr %p
  call void @__offload_sync_warp(i64 %mask)
  %s = call ptr @__offload_dynamic_shared()
  store volatile i32 7, ptr %s
  ret void
}
";

#[test]
fn every_builtin_is_an_instruction() {
    let setup = |level| Setup { level, ..Setup::new(BUILTINS, vec![kernel("k", &[(Pointer, 8), (Value, 4)])]) };
    let positions = ["%tid.y", "%ctaid.z", "%ntid.y", "%nctaid.z", "%laneid"];
    let rest = ["bar.sync", "membar.cta", "membar.gl", "membar.sys", "shfl.sync.idx", "shfl.sync.bfly"];
    let last = ["shfl.sync.up", "shfl.sync.down", "vote.sync.ballot", "vote.sync.any", "vote.sync.all"];
    let masked = ["shfl.sync.idx", "shfl.sync.bfly"];
    let end = ["bar.warp.sync", "st.volatile.shared"];
    for arch in NVIDIA.iter().chain(&["sm_50", "sm_60"]) {
        let ptx = setup(OptLevel::O2).expect(arch).assembly();
        in_order(&ptx, &[".extern .shared .align 16 .b8 __offload_dynamic_shared_bytes[]"]);
        in_order(&ptx, &[&positions[..], &rest, &last, &masked, &last, &end].concat());
    }
    for arch in AMD {
        let code = setup(OptLevel::O2).expect(arch).assembly();
        in_order(&code, &["<k>:", "v_mbcnt"]);
        in_order(&code, &["s_barrier"]);
        assert_eq!(code.matches("ds_bpermute").count(), 8, "{code}");
    }
    // The builtins read the implicit arguments at the offsets in the code object's notes.
    let amd = setup(OptLevel::O2).expect("gfx90a");
    let notes = tool("llvm-readobj", &["--notes"], &amd.images[0].bytes);
    let offset_of = |kind: &str| {
        let before =
            &notes[..notes.find(&format!("value_kind:     {kind}\n")).unwrap_or_else(|| panic!("{kind}\n{notes}"))];
        let line = before.rsplit(".offset:").next().and_then(|rest| rest.lines().next()).unwrap_or_default();
        line.trim().parse::<u64>().expect("an offset is a number")
    };
    let base = offset_of("hidden_block_count_x");
    for (kind, builtin) in [("hidden_group_size_y", "block_dim_y"), ("hidden_block_count_z", "grid_dim_z")] {
        let address = format!(", i64 {}\n", offset_of(kind) - base);
        in_order(&amd.flavored, &[&format!("@__offload_{builtin}()"), "implicitarg.ptr", &address]);
    }
    for arch in ["sm_70", "gfx90a"] {
        // Without optimisation, no calls remain either.
        let code = setup(OptLevel::O0).expect(arch).assembly();
        assert!(!code.contains("__offload_s") && !code.contains("__offload_b"), "{code}");
    }
    let refused = setup(OptLevel::O2).compile("gfx701").err().expect("no lane of gfx7 reads another's registers");
    assert_eq!(refused, "`gfx701` cannot move values between lanes");
}

#[test]
fn statics_go_where_their_role_is() {
    let text = r#"
@tile = internal global [64 x float] zeroinitializer, section ".offload.shared", align 4
@table = internal constant [4 x i32] [i32 3, i32 1, i32 4, i32 1], section ".offload.constant", align 4
@words = private unnamed_addr constant [3 x i32] [i32 7, i32 8, i32 9], align 4
@counter = internal global i32 5, align 4
@slice = private unnamed_addr constant <{ ptr, [8 x i8], ptr }> <{ ptr @words, [8 x i8] c"\03\00\00\00\00\00\00\00", ptr @method }>, align 8
define internal void @method(ptr %p) noinline {
  store volatile i32 1, ptr %p
  ret void
}
define void @k(ptr %p, i64 %i) {
  %t = getelementptr float, ptr @tile, i64 %i
  store volatile float 1.0, ptr %t
  %c = getelementptr i32, ptr @table, i64 %i
  %cv = load i32, ptr %c
  store volatile i32 %cv, ptr %p
  %old = atomicrmw add ptr @counter, i32 1 monotonic
  %s = getelementptr i64, ptr @slice, i64 %i
  %w = load ptr, ptr %s
  %wv = load i32, ptr %w
  store volatile i32 %wv, ptr %p
  call void %w(ptr %p)
  ret void
}"#;
    let setup = Setup::new(text, vec![kernel("k", &[(Pointer, 8), (Value, 8)])]);
    for arch in NVIDIA {
        let ptx = setup.expect(arch).assembly();
        for wanted in [
            ".shared .align 16 .b8 tile[256];",
            ".const .align 4 .b8 table[16] =",
            "counter = 5;",
            "generic(",
            "st.volatile.shared",
            "ld.const",
            "red.",
            "ld.global",
        ] {
            in_order(&ptx, &[wanted]);
        }
    }
    for arch in AMD {
        let compiled = setup.expect(arch);
        let relocations = tool("llvm-readelf", &["-r"], &compiled.images[0].bytes);
        // One is for the static in the table; the function in it is a number.
        assert_eq!(relocations.matches("R_AMDGPU_RELATIVE64").count(), 1, "{relocations}");
        let notes = tool("llvm-readobj", &["--notes"], &compiled.images[0].bytes);
        in_order(&notes, &[".group_segment_fixed_size: 256"]);
    }
}

#[test]
fn memory_functions_have_bodies() {
    let text = "
declare ptr @memcpy(ptr, ptr, i64)
declare ptr @memmove(ptr, ptr, i64)
declare ptr @memset(ptr, i32, i64)
declare i32 @memcmp(ptr, ptr, i64)
declare i32 @bcmp(ptr, ptr, i64)
declare i64 @strlen(ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define void @k(ptr %p, ptr %q, i64 %n) {
  %a = call ptr @memcpy(ptr %p, ptr %q, i64 %n)
  %b = call ptr @memmove(ptr %a, ptr %q, i64 %n)
  %c = call ptr @memset(ptr %b, i32 3, i64 %n)
  %d = call i32 @memcmp(ptr %c, ptr %q, i64 %n)
  %e = call i32 @bcmp(ptr %c, ptr %q, i64 %n)
  %f = call i64 @strlen(ptr %q)
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 %f, i1 false)
  store i32 %d, ptr %p
  store volatile i32 %e, ptr %p
  ret void
}";
    for level in [OptLevel::O0, OptLevel::O2] {
        let setup = Setup { level, ..Setup::new(text, vec![kernel("k", &[(Pointer, 8), (Pointer, 8), (Value, 8)])]) };
        for arch in NVIDIA.iter().chain(AMD) {
            let _compiled = setup.expect(arch);
        }
    }
}

/// A kernel with all kinds of debug information that rustc writes: locations, inlined calls, variables in memory.
const DEBUG: &str = r#"
define void @k(ptr %p) !dbg !4 {
  %x = alloca [4 x i32], align 4
    #dbg_declare(ptr %x, !9, !DIExpression(), !7)
  call void @llvm.lifetime.start.p0(ptr %x)
  store volatile i32 3, ptr %x, !dbg !7
  %v = load volatile i32, ptr %x, !dbg !8
  call void @llvm.lifetime.end.p0(ptr %x)
  store i32 %v, ptr %p, !dbg !8
  ret void, !dbg !7
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!1, !2}
!0 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !3, producer: "rustc", isOptimized: true, emissionKind: FullDebug)
!1 = !{i32 2, !"Debug Info Version", i32 3}
!2 = !{i32 7, !"Dwarf Version", i32 4}
!3 = !DIFile(filename: "lib.rs", directory: "src")
!4 = distinct !DISubprogram(name: "k", scope: !3, file: !3, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition, retainedNodes: !{!9})
!5 = !DISubroutineType(types: !{})
!6 = distinct !DISubprogram(name: "inlined", scope: !3, file: !3, line: 10, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!7 = !DILocation(line: 2, column: 3, scope: !4)
!8 = !DILocation(line: 11, column: 5, scope: !6, inlinedAt: !7)
!9 = !DILocalVariable(name: "x", scope: !4, file: !3, line: 2, type: !10)
!10 = !DIBasicType(name: "u32", size: 32, encoding: DW_ATE_unsigned)
"#;

#[test]
fn debug_information_becomes_what_each_device_can_use() {
    for level in [OptLevel::O0, OptLevel::O2] {
        let setup = Setup { level, ..Setup::new(DEBUG, vec![kernel("k", &[(Pointer, 8)])]) };
        for arch in NVIDIA {
            let ptx = setup.expect(arch).assembly();
            in_order(&ptx, &[".loc", ".loc", ".file", "lib.rs"]);
            // Variables are in sections, which the assembler takes with unoptimised code only.
            let is_debugged = level == OptLevel::O0;
            assert_eq!(ptx.contains(".debug_info") && ptx.contains(", debug"), is_debugged, "{ptx}");
        }
        let amd = setup.expect("gfx90a");
        in_order(&amd.flavored, &["alloca [4 x i32], align 4, addrspace(5)", "#dbg_declare(ptr addrspace(5) %x"]);
        in_order(&amd.flavored, &["lifetime.start.p5(ptr addrspace(5) %x)", "lifetime.end.p5(ptr addrspace(5) %x)"]);
        in_order(
            &tool("llvm-dwarfdump", &["--debug-info"], &amd.images[0].bytes),
            &["\"k\"", "DW_TAG_inlined_subroutine"],
        );
    }
}

#[test]
fn panics_are_traps() {
    let text = "
define void @k(ptr %p, i32 %n) {
  %bad = icmp ugt i32 %n, 9
  br i1 %bad, label %panic, label %good
panic:
  call void @llvm.trap()
  unreachable
good:
  store i32 %n, ptr %p
  ret void
}";
    let setup = Setup::new(text, vec![kernel("k", &[(Pointer, 8), (Value, 4)])]);
    in_order(&setup.expect("sm_70").assembly(), &["trap;"]);
    in_order(&setup.expect("gfx90a").assembly(), &["s_trap 2"]);
}

#[test]
fn images_do_not_depend_on_when_and_where() {
    for arch in ["sm_80", "gfx90a"] {
        let images = || Setup::new(DEBUG, vec![kernel("k", &[(Pointer, 8)])]).expect(arch).images;
        let other = std::thread::scope(|s| s.spawn(images).join().unwrap());
        assert_eq!(images(), other, "{arch}");
    }
}

#[test]
fn old_archs_order_memory_with_fences() {
    let text = "
define void @k(ptr %p, ptr %q) {
  fence syncscope(\"singlethread\") seq_cst
  %v = load atomic i32, ptr %p acquire, align 4
  store atomic i32 %v, ptr %q release, align 4
  %w = load atomic i64, ptr %p seq_cst, align 8
  store atomic i64 %w, ptr %q seq_cst, align 8
  ret void
}";
    let setup = Setup::new(text, vec![kernel("k", &[(Pointer, 8), (Pointer, 8)])]);
    let ptx = setup.expect("sm_60").assembly();
    in_order(&ptx, &["ld.volatile.global", "membar.sys", "membar.sys", "st.volatile.global"]);
    in_order(
        &setup.expect("sm_70").assembly(),
        &["ld.acquire.sys.global.b32", "st.release.sys.global.b32", "fence.sc.sys"],
    );
}

#[test]
fn what_llvm_reports_is_our_error() {
    let text = "
define void @k(ptr %p) {
  %x = alloca [1000000 x i32], align 4
  %n = load i64, ptr %p
  %e = getelementptr i32, ptr %x, i64 %n
  store volatile i32 3, ptr %e
  ret void
}";
    let error =
        Setup::new(text, vec![kernel("k", &[(Pointer, 8)])]).compile("gfx90a").err().expect("too large a frame");
    in_order(&error, &["kernel `k` has 4000000 bytes of local variables", "131056 bytes"]);
}

#[test]
fn the_tables_of_archs_are_llvms() {
    let listed = |march: &str| {
        let tool = harness::llvm_tool("llc");
        let output =
            std::process::Command::new(tool).args([&format!("-march={march}"), "-mcpu=help"]).output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        let cpus = text.split("Available features").next().unwrap_or_default().to_owned();
        let mut names: Vec<String> =
            cpus.lines().filter_map(|l| Some(l.split_whitespace().next()?.to_owned())).collect();
        names.retain(|name| name.starts_with("sm_") || name.starts_with("gfx"));
        names.sort_unstable();
        names.dedup();
        names
    };
    let ours = |name: &str| {
        let target = TARGETS.iter().find(|t| t.name() == name).expect("the target is there");
        let mut names: Vec<String> = target.archs().iter().map(|a| a.to_string()).collect();
        names.sort_unstable();
        names
    };
    let mut nvidia = listed("nvptx64");
    nvidia.retain(|name| !["sm_20", "sm_21", "sm_30", "sm_32", "sm_35", "sm_37"].contains(&name.as_str()));
    assert_eq!(nvidia, ours("nvptx"));
    let mut amd = listed("amdgcn");
    amd.retain(|name| !["gfx600", "gfx601", "gfx602"].contains(&name.as_str()));
    assert_eq!(amd, ours("amdgpu"));
}

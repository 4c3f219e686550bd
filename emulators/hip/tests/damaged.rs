//! Damaged code objects: they are loaded or refused, and never end in a signal or a panic.

#[path = "../../core/tests/common/damage.rs"]
mod damage;

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::ptr::null_mut;

use amdhip64::api::device::hipDeviceReset;
use amdhip64::api::launch::hipModuleLaunchKernel;
use amdhip64::api::memory::hipMalloc;
use amdhip64::api::module::{hipFuncGetAttribute, hipModuleGetFunction, hipModuleLoad, hipModuleUnload};

/// The number of copies; `OFFLOADC_ALL_MUTATIONS` makes them ten times as many.
const COPIES: u64 = 300;
/// The emulator's own panic, at the C interface.
const UNKNOWN: i32 = 999;

/// A kernel that reads and writes memory of every kind.
const KERNELS: &str = "
target triple = \"amdgcn-amd-amdhsa\"
@places = addrspace(1) global [2 x ptr] [ptr @called, ptr null]
@shared = internal addrspace(3) global [64 x i32] poison
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
define i32 @called(i32 %x) noinline { %y = mul i32 %x, 3 ret i32 %y }
define amdgpu_kernel void @kernel(ptr addrspace(1) %to, i32 %n, float %f) {
  %local = alloca [4 x i32], addrspace(5)
  %i = call i32 @llvm.amdgcn.workitem.id.x()
  %slot = getelementptr [64 x i32], ptr addrspace(3) @shared, i32 0, i32 %i
  store i32 %n, ptr addrspace(3) %slot
  call void @llvm.amdgcn.s.barrier()
  %x = load i32, ptr addrspace(3) @shared
  %y = call i32 @called(i32 %x)
  %at = getelementptr i32, ptr addrspace(5) %local, i32 %y
  store i32 %y, ptr addrspace(5) %at
  %g = fdiv float %f, 3.0
  %z = fptosi float %g to i32
  %old = atomicrmw add ptr addrspace(1) %to, i32 %z syncscope(\"agent\") monotonic
  ret void
}
";

fn llvm(tool: &str) -> PathBuf {
    let prefix = std::env::var("LLVM_SYS_221_PREFIX").expect(".cargo/config.toml sets the variable");
    PathBuf::from(prefix).join("bin").join(tool)
}

fn done(command: &mut Command) {
    let output = command.output().expect("LLVM's tools are there");
    assert!(output.status.success(), "{command:?}:\n{}", String::from_utf8_lossy(&output.stderr));
}

/// The code object, and a bundle with it.
fn originals(folder: &Path) -> [Vec<u8>; 2] {
    let path = |name: &str| folder.join(name);
    std::fs::write(path("k.ll"), KERNELS).expect("the folder is writable");
    std::fs::write(path("host"), "x").expect("the folder is writable");
    done(Command::new(llvm("llc")).args(["-mcpu=gfx1100", "-filetype=obj", "-o"]).arg(path("k.o")).arg(path("k.ll")));
    done(Command::new(llvm("ld.lld")).arg("-shared").arg(path("k.o")).arg("-o").arg(path("k")));
    let input = |name: &str| format!("--input={}", path(name).display());
    let targets = "--targets=host-x86_64-unknown-linux-gnu,hipv4-amdgcn-amd-amdhsa--gfx1100";
    let output = format!("--output={}", path("bundle").display());
    done(Command::new(llvm("clang-offload-bundler")).args(["--type=o", targets, &input("host"), &input("k"), &output]));
    ["k", "bundle"].map(|name| std::fs::read(path(name)).expect("LLVM's tools have written it"))
}

/// Loads a file, asks for its kernel and decodes its instructions; whether there is a kernel.
fn load(file: &Path, bytes: &[u8]) -> bool {
    std::fs::write(file, bytes).expect("the folder is writable");
    let name = std::ffi::CString::new(file.to_str().expect("the folder has a plain name")).expect("it has no zero");
    let (mut module, mut function, mut value) = (null_mut::<c_void>(), null_mut(), 0);
    // SAFETY: all addresses are those of variables here, and the names are texts.
    unsafe {
        let status = hipModuleLoad(&raw mut module, name.as_ptr());
        assert_ne!(status, UNKNOWN, "a panic while loading");
        if status != 0 {
            return false;
        }
        let status = hipModuleGetFunction(&raw mut function, module, c"kernel".as_ptr());
        assert_ne!(status, UNKNOWN, "a panic while looking for the kernel");
        for attribute in 0..if status == 0 { 5 } else { 0 } {
            assert_ne!(hipFuncGetAttribute(&raw mut value, attribute, function), UNKNOWN, "a panic in an attribute");
        }
        assert_eq!(hipModuleUnload(module), 0);
        amdhip64::lacking(bytes, "gfx1100", &mut BTreeMap::new());
        status == 0
    }
}

#[test]
fn damaged_code_objects_never_crash() {
    let folder = tempfile::tempdir().expect("there is room for temporary files");
    let file = folder.path().join("damaged");
    let copies = COPIES * if std::env::var_os("OFFLOADC_ALL_MUTATIONS").is_some() { 10 } else { 1 };
    let mut loaded = 0;
    for original in originals(folder.path()) {
        assert!(load(&file, &original), "an undamaged file is refused");
        for seed in 0..copies {
            let copy = damage::bytes(&original, seed);
            let result = std::panic::catch_unwind(|| load(&file, &copy));
            loaded += u64::from(result.unwrap_or_else(|_| panic!("seed {seed}")));
        }
    }
    assert!((copies / 10..2 * copies).contains(&loaded), "{loaded} of {} copies are loaded", 2 * copies);
}

/// Numbers of a code object that ask for memory: it is refused, or launched, with less memory than they say. The limit
/// of the address space ends the process that takes more.
#[test]
fn sizes_are_bounded() {
    const INSIDE: &str = "EMULATOR_TEST_INSIDE";
    if std::env::var_os(INSIDE).is_none() {
        let program = std::env::current_exe().expect("this is a program");
        let limited = "ulimit -v 3000000; exec \"$0\" --exact sizes_are_bounded --nocapture";
        let output = Command::new("sh").args(["-c", limited]).arg(program).env(INSIDE, "1").output();
        let output = output.expect("there is a shell");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        return;
    }
    let folder = tempfile::tempdir().expect("there is room for temporary files");
    let file = folder.path().join("damaged");
    let [object, _] = originals(folder.path());
    let word = |at: usize| u64::from_le_bytes(object[at..at + 8].try_into().expect("it has eight bytes")) as usize;
    let count = usize::from(u16::from_le_bytes([object[56], object[57]]));
    for header in 0..count {
        // The address, and the sizes in the file and in memory.
        for (place, value) in [16, 32, 40].into_iter().flat_map(|place| [0x0fff_0000u64, 1 << 40].map(|v| (place, v))) {
            let at = word(32) + 56 * header + place;
            let mut copy = object.clone();
            copy[at..at + 8].copy_from_slice(&value.to_le_bytes());
            run(&file, &copy);
        }
    }
    let key =
        |text: &[u8]| object.windows(text.len()).position(|window| window == text).expect("notes have it") + text.len();
    // A number of the notes becomes one of 32 bits, which covers the bytes after it: the notes are damaged then, or the
    // number is read.
    for name in [b".kernarg_segment_size".as_slice(), b".size", b".offset", b".private_segment_fixed_size"] {
        let mut copy = object.clone();
        copy[key(name)] = 0xce;
        run(&file, &copy);
    }
    // The private memory and the arguments of the descriptor, which is 64 bytes long.
    let descriptor = object.windows(64).position(|window| window[24..44] == [0; 20] && window[44..56] != [0; 12]);
    for at in (0..object.len() - 64).step_by(64).chain(descriptor) {
        for place in [4, 8] {
            let mut copy = object.clone();
            copy[at + place..at + place + 4].copy_from_slice(&0x3fff_ff00u32.to_le_bytes());
            run(&file, &copy);
        }
    }
}

/// Loads a file and launches its kernel, if there is one.
fn run(file: &Path, bytes: &[u8]) {
    std::fs::write(file, bytes).expect("the folder is writable");
    let name = std::ffi::CString::new(file.to_str().expect("the folder has a plain name")).expect("it has no zero");
    let (mut module, mut function, mut to) = (null_mut::<c_void>(), null_mut(), null_mut());
    // SAFETY: all addresses are those of variables here, and each argument has room for the widest one.
    unsafe {
        if hipModuleLoad(&raw mut module, name.as_ptr()) != 0 {
            return;
        }
        if hipModuleGetFunction(&raw mut function, module, c"kernel".as_ptr()) == 0 {
            assert_eq!(hipMalloc(&raw mut to, 64), 0);
            let mut room = [0u64; 1 << 13];
            room[0] = to as u64;
            let mut arguments = [(&raw mut room).cast::<c_void>(); 64];
            let (list, none) = (arguments.as_mut_ptr(), null_mut());
            let status = hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, none, list, null_mut());
            assert_ne!(status, UNKNOWN, "a panic while launching");
        }
    }
    assert_eq!(hipDeviceReset(), 0);
}

/// Headers that say more bytes than there are.
#[test]
fn lengths_are_not_trusted() {
    let folder = tempfile::tempdir().expect("there is room for temporary files");
    let file = folder.path().join("damaged");
    let [object, bundle] = originals(folder.path());
    // The places of the tables, and the numbers of their rows.
    for (at, bytes) in [(32, 8), (40, 8), (56, 2), (60, 2)] {
        let mut copy = object.clone();
        copy[at..at + bytes].fill(0xff);
        load(&file, &copy);
        copy[at + bytes - 1] = 0x0f;
        load(&file, &copy);
    }
    // The number of entries, then offset, size and the length of the name of the first.
    for at in [24, 32, 40, 48] {
        for byte in [0x0f, 0x7f, 0xff] {
            let mut copy = bundle.clone();
            copy[at..at + 8].fill(byte);
            load(&file, &copy);
        }
    }
    for length in [0, 1, 3, 4, 20, 63, 64] {
        load(&file, &object[..length]);
        load(&file, &bundle[..length]);
    }
}

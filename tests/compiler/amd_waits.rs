//! The waits of barriers and releases in the code for AMD GPUs: where a wave reaches one, its accesses that other waves
//! must see are complete. All accesses of an emulated GPU are complete at once, so this test looks at the assembly: for
//! each path, it counts the accesses that may be pending.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use harness::program::{self, FLAG_SETS, FlagSet, RECOMMENDED};
use harness::run;

/// One of each family, whose counters differ.
const ARCHS: [&str; 4] = ["gfx90a", "gfx942", "gfx1100", "gfx1201"];

/// Programs with barriers in loops.
const PROGRAMS: [&str; 5] = [
    "tests/run/turns.rs",
    "tests/run/barriers.rs",
    "tests/run/copied.rs",
    "examples/contract/matmul.rs",
    "examples/contract/reduction.rs",
];

/// Releases of this file are stores of 16 bits or exchanges of 64, and no program has others.
const RELEASES: &str = "tests/compiler/amd_releases.ll";
const IS_RELEASE: [&str; 4] =
    ["global_store_short", "global_store_b16", "global_atomic_cmpswap_x2", "global_atomic_cmpswap_b64"];

/// More accesses than any counter counts.
const MANY: u32 = 64;

/// The most accesses that may be pending: of the block's memory, loads of other memory, and stores.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
struct Pending {
    local: u32,
    loads: u32,
    stores: u32,
}

impl Pending {
    const UNKNOWN: Self = Self { local: MANY, loads: MANY, stores: MANY };

    fn merged(self, other: Self) -> Self {
        let [local, loads, stores] =
            [self.local.max(other.local), self.loads.max(other.loads), self.stores.max(other.stores)];
        Self { local, loads, stores }
    }
}

/// A family of archs, by its counters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Family {
    /// `vmcnt` counts loads and stores. The block's waves share a cache: a barrier waits for the block's memory only.
    Gfx9,
    /// `vscnt` counts stores. The block's waves may have two caches, so a barrier waits for all.
    Gfx11,
    /// Each kind of access has a counter and an instruction that waits for it; scalar loads have their own.
    Gfx12,
}

impl Family {
    fn of(arch: &str) -> Self {
        match arch {
            "gfx1201" => Self::Gfx12,
            "gfx1100" => Self::Gfx11,
            _ => Self::Gfx9,
        }
    }

    /// Whether an instruction is a barrier or a release that accesses are pending at.
    fn is_early(self, name: &str, pending: Pending) -> bool {
        match name {
            "s_barrier" | "s_barrier_signal" => self.is_early_barrier(pending),
            _ => IS_RELEASE.contains(&name) && pending != Pending::default(),
        }
    }

    fn is_early_barrier(self, pending: Pending) -> bool {
        pending.local != 0 || (self != Self::Gfx9 && (pending.loads != 0 || pending.stores != 0))
    }

    /// The accesses that are pending after an instruction.
    fn after(self, line: &str, mut pending: Pending) -> Pending {
        let name = line.split_whitespace().next().unwrap_or_default();
        if self.wait(line, name, &mut pending) {
            return pending;
        }
        let more = |count: &mut u32| *count = (*count + 1).min(MANY);
        let scalar = ["s_load", "s_buffer_load", "s_atomic", "s_memtime", "s_memrealtime"];
        let is_flat = name.starts_with("flat_");
        if name.starts_with("ds_") || is_flat || (self != Self::Gfx12 && scalar.iter().any(|n| name.starts_with(n))) {
            more(&mut pending.local);
        }
        if is_flat || ["global_", "buffer_", "scratch_"].iter().any(|n| name.starts_with(n)) {
            let returns = line.contains(" glc") || line.contains(" sc0") || line.contains("TH_ATOMIC_RETURN");
            if name.contains("_load") || (name.contains("_atomic") && returns) {
                more(&mut pending.loads);
            } else if name.contains("_store") || name.contains("_atomic") {
                more(&mut pending.stores);
            }
        }
        match name {
            // A function waits for all but stores when it begins and when it returns.
            "s_swappc_b64" => Pending { stores: MANY, ..Pending::default() },
            _ => pending,
        }
    }

    /// Whether an instruction waits; updates the pending accesses.
    fn wait(self, line: &str, name: &str, pending: &mut Pending) -> bool {
        let last = line.rsplit([' ', ',']).next().unwrap_or_default();
        let number = || match last.strip_prefix("0x") {
            Some(digits) => u32::from_str_radix(digits, 16).expect("it is a number"),
            None => last.parse().expect("it is a number"),
        };
        let at_most = |count: &mut u32, most: u32| *count = (*count).min(most);
        match name {
            "s_waitcnt" => {
                let count = |name: &str| {
                    let digits = line.split_once(&format!("{name}("))?.1.split(')').next()?;
                    digits.parse::<u32>().ok()
                };
                if let Some(most) = count("lgkmcnt") {
                    at_most(&mut pending.local, most);
                }
                if let Some(most) = count("vmcnt") {
                    at_most(&mut pending.loads, most);
                    if self == Self::Gfx9 {
                        at_most(&mut pending.stores, most);
                    }
                }
            }
            "s_waitcnt_vscnt" | "s_wait_storecnt" => at_most(&mut pending.stores, number()),
            "s_wait_loadcnt" => at_most(&mut pending.loads, number()),
            "s_wait_dscnt" => at_most(&mut pending.local, number()),
            "s_wait_loadcnt_dscnt" => {
                at_most(&mut pending.loads, number() >> 8);
                at_most(&mut pending.local, number() & 0xff);
            }
            "s_wait_storecnt_dscnt" => {
                at_most(&mut pending.stores, number() >> 8);
                at_most(&mut pending.local, number() & 0xff);
            }
            _ => return false,
        }
        true
    }
}

/// The blocks of a function: its name or a label, the instructions, and whether it is a kernel.
struct Function<'a> {
    name: &'a str,
    is_kernel: bool,
    blocks: Vec<(&'a str, Vec<&'a str>)>,
}

/// The functions in a text of assembly.
fn functions(text: &str) -> Vec<Function<'_>> {
    let kernels: Vec<&str> = text.lines().filter_map(|line| line.trim().strip_prefix(".amdhsa_kernel ")).collect();
    let mut all: Vec<Function<'_>> = Vec::new();
    for line in text.lines() {
        let code = line.split(';').next().unwrap_or_default().trim();
        match code.strip_suffix(':') {
            Some(label) if label.starts_with(".LBB") => {
                let function = all.last_mut().expect("a label is in a function");
                function.blocks.push((label, Vec::new()));
            }
            Some(name) if !name.starts_with('.') => {
                all.push(Function { name, is_kernel: kernels.contains(&name), blocks: vec![(name, Vec::new())] });
            }
            None if !code.is_empty() && !code.starts_with('.') && line.starts_with('\t') => {
                let block = all.last_mut().and_then(|function| function.blocks.last_mut());
                block.into_iter().for_each(|(_, lines)| lines.push(code));
            }
            _ => {}
        }
    }
    all
}

/// The barriers and releases of a function to which a wave may come with accesses pending, by their blocks.
fn faults(function: &Function<'_>, family: Family) -> Vec<String> {
    let start = if function.is_kernel { Pending::default() } else { Pending::UNKNOWN };
    let place: BTreeMap<&str, usize> = function.blocks.iter().enumerate().map(|(at, (name, _))| (*name, at)).collect();
    let mut entries: Vec<Option<Pending>> = vec![None; function.blocks.len()];
    entries[0] = Some(start);
    let mut found = BTreeMap::new();
    let mut work = vec![0];
    while let Some(at) = work.pop() {
        let mut pending = entries[at].expect("what is in the list has an entry");
        let mut ends = false;
        let mut to = Vec::new();
        for (number, line) in function.blocks[at].1.iter().enumerate() {
            let name = line.split_whitespace().next().unwrap_or_default();
            if family.is_early(name, pending) {
                let _ =
                    found.insert((at, number), format!("{}, {}: {pending:?}", function.name, function.blocks[at].0));
            }
            pending = family.after(line, pending);
            if name == "s_branch" || name.starts_with("s_cbranch") {
                let target = line.split_whitespace().nth(1).unwrap_or_default();
                to.extend(place.get(target).map(|block| (*block, pending)));
            }
            if ["s_branch", "s_endpgm", "s_setpc_b64"].contains(&name) {
                ends = true;
                break;
            }
        }
        if !ends && at + 1 < function.blocks.len() {
            to.push((at + 1, pending));
        }
        for (block, pending) in to {
            let merged = entries[block].map_or(pending, |old| old.merged(pending));
            if entries[block] != Some(merged) {
                entries[block] = Some(merged);
                work.push(block);
            }
        }
    }
    found.into_values().collect()
}

/// The faults in a program's code for all archs, and how many barriers there are.
fn faults_of(source: &str, set: FlagSet, options: &[&str], folder: &Path) -> (Vec<String>, usize) {
    faults_in(&program::bitcode(source, set, folder), options)
}

/// The same of a module.
fn faults_in(module: &Path, options: &[&str]) -> (Vec<String>, usize) {
    let (mut found, mut barriers) = (Vec::new(), 0);
    for arch in ARCHS {
        let mut command = Command::new(harness::offloadc());
        let command = command.arg(module).args(["-w", "--emit=codegen=-", &format!("--offload-arch={arch}")]);
        let text = run(command.args(options)).success().stdout();
        for function in functions(&text) {
            let lines = function.blocks.iter().flat_map(|(_, lines)| lines);
            barriers += lines.filter(|line| line.starts_with("s_barrier")).count();
            found.extend(faults(&function, Family::of(arch)).into_iter().map(|fault| format!("{arch}: {fault}")));
        }
    }
    (found, barriers)
}

#[test]
fn no_barrier_is_behind_a_pending_access() {
    let folder = harness::scratch();
    let unoptimized = FLAG_SETS.into_iter().find(|set| set.name == "O0").expect("it is one of the sets");
    for (number, source) in PROGRAMS.into_iter().enumerate() {
        let sets = if number == 0 { vec![RECOMMENDED, unoptimized] } else { vec![RECOMMENDED] };
        for set in sets {
            let (found, barriers) = faults_of(source, set, &[], folder.path());
            assert!(barriers >= ARCHS.len(), "{source} has {barriers} barriers");
            assert!(found.is_empty(), "{source}, {}:\n{}", set.name, found.join("\n"));
        }
    }
}

#[test]
fn no_release_is_before_a_pending_access() {
    let module = harness::root().join(RELEASES);
    for level in ["-O2", "-O0"] {
        let (found, _) = faults_in(&module, &[level]);
        assert!(found.is_empty(), "{level}:\n{}", found.join("\n"));
    }
    let (found, _) = faults_in(&module, &["--without-workaround=keep_loop_waits"]);
    // On some archs, the instructions that write back or invalidate a cache keep the waits of the others.
    let kernels = ["store_of_the_device", "exchange", "called"];
    for (arch, kernel) in ARCHS.iter().flat_map(|arch| kernels.map(|kernel| (arch, kernel))) {
        if cfg!(feature = "llvm23") && (*arch, kernel) == ("gfx942", "exchange") {
            continue; // LLVM 23 counts `buffer_wbl2` there
        }
        let is_found = found.iter().any(|fault| fault.starts_with(&format!("{arch}: {kernel},")));
        assert!(is_found, "LLVM waits in `{kernel}` on {arch}, so the work-around may not be needed: {found:?}");
    }
}

#[test]
fn without_the_work_around_there_are_such_barriers() {
    let folder = harness::scratch();
    let off = ["--without-workaround=keep_loop_waits"];
    let (found, _) = faults_of(PROGRAMS[0], RECOMMENDED, &off, folder.path());
    let lacking: Vec<_> = ARCHS.iter().filter(|arch| !found.iter().any(|fault| fault.starts_with(**arch))).collect();
    assert!(lacking.is_empty(), "LLVM waits on {lacking:?}, so the work-around may not be needed: {found:?}");
}

#[test]
fn pending_accesses_are_counted() {
    let text = "k:\n\tds_write_b32 v0, v1\n\ts_waitcnt vmcnt(0)\n.LBB0_1:\n\ts_waitcnt lgkmcnt(0)\n\ts_barrier\n\
                \tds_read_b32 v0, v1\n\tds_read_b32 v2, v1\n\ts_waitcnt lgkmcnt(1)\n\ts_cbranch_scc1 .LBB0_1\n\
                \ts_barrier\n\ts_endpgm\n\t.amdhsa_kernel k\n";
    let all = functions(text);
    let found = faults(&all[0], Family::Gfx9);
    assert_eq!(found, ["k, .LBB0_1: Pending { local: 1, loads: 0, stores: 0 }"]);
    let text = text.replace("\ts_waitcnt lgkmcnt(0)\n", "");
    assert_eq!(faults(&functions(&text)[0], Family::Gfx9).len(), 2);
    let stores = "k:\n\tglobal_store_b32 v0, v1, s[0:1]\n\ts_wait_dscnt 0x0\n\ts_barrier_signal -1\n\
                  \ts_wait_storecnt_dscnt 0x0\n\ts_barrier_signal -1\n\ts_endpgm\n\t.amdhsa_kernel k\n";
    assert_eq!(faults(&functions(stores)[0], Family::Gfx12).len(), 1);
}

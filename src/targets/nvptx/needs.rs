//! The requirements of NVIDIA's intrinsics: the first arch and the lowest PTX version that have them. Debug sections
//! need a version, too.
//!
//! The rows were found by compiling each intrinsic for every arch and version. Intrinsics that all supported archs have
//! are left out. All rows that match a name apply. If NVIDIA's assembler is stricter than LLVM, the rows are the
//! assembler's.

use super::ptx::PtxVersion;
use crate::llvm::Module;

/// The first version in which debug sections may define labels, and compute with them.
pub(super) const DEBUG_SECTIONS: PtxVersion = PtxVersion(75);

/// The first version whose line directives say where inlined code was called.
pub(super) const INLINED_LINES: PtxVersion = PtxVersion(72);

/// The prefix of the intrinsics' names.
const FAMILY: &str = "llvm.nvvm.";

/// Whether an intrinsic is NVIDIA's.
pub(super) fn is_own(name: &str) -> bool {
    name.starts_with(FAMILY)
}

/// The prefix of a name, or prefix and infix with `*` between them; the number of the first arch; the PTX version.
#[rustfmt::skip]
static NEEDS: &[(&str, u32, u32)] = &[
    ("activemask", 50, 62),
    ("applypriority.", 80, 74),
    ("barrier.cluster.", 90, 78),
    ("barrier.cluster.*relaxed", 90, 80),
    ("bf16x2.to.ue8m0x2.", 100, 86),
    ("bmsk.", 70, 76),
    ("clusterlaunchcontrol.", 100, 86),
    ("cp.async.", 80, 70),
    ("cp.async.bulk.", 90, 80),
    ("cp.async.bulk.*.cta.tile.", 90, 86),
    ("cp.async.bulk.*.cta.im2col.", 90, 86),
    ("cp.async.bulk.global.to.shared.cta", 90, 86),
    ("cp.async.bulk.*.bytemask", 100, 86),
    ("cp.async.bulk.*.im2col.w", 100, 86),
    ("cp.async.bulk.*.gather4", 100, 86),
    ("cp.async.bulk.*.scatter4", 100, 86),
    ("discard.", 80, 74),
    ("e2m1x2.to.", 100, 86),
    ("e2m3x2.to.", 100, 86),
    ("e3m2x2.to.", 100, 86),
    ("e4m3x2.to.", 89, 81),
    ("e5m2x2.to.", 89, 81),
    ("elect.sync", 90, 80),
    ("f16x2.to.e", 89, 81),
    ("f2bf16.", 80, 70),
    ("f2bf16.*satfinite", 80, 81),
    ("f2f16.", 80, 70),
    ("f2f16.*satfinite", 80, 81),
    ("f2tf32.rna", 80, 70),
    ("f2tf32.rna*satfinite", 80, 81),
    ("f2tf32.rn.", 90, 78),
    ("f2tf32.rz", 90, 78),
    ("f2tf32.rn.*satfinite", 100, 86),
    ("f2tf32.rz*satfinite", 100, 86),
    ("f32x4.to.", 100, 87),
    ("fence.acquire.", 90, 86),
    ("fence.mbarrier_init.", 90, 80),
    ("fence.proxy.alias", 70, 75),
    ("fence.proxy.async", 90, 80),
    ("fence.proxy.async_generic.", 90, 86),
    ("fence.proxy.tensormap_generic.", 90, 83),
    ("fence.release.", 90, 86),
    ("fence.sc.cluster", 90, 78),
    ("ff.to.", 89, 81),
    ("ff.to.e2", 100, 86),
    ("ff.to.e3", 100, 86),
    ("ff2bf16x2.", 80, 70),
    ("ff2bf16x2.*satfinite", 80, 81),
    ("ff2bf16x2.rs", 100, 87),
    ("ff2f16x2.", 80, 70),
    ("ff2f16x2.*satfinite", 80, 81),
    ("ff2f16x2.rs", 100, 87),
    ("fma.rn.*bf16", 80, 70),
    ("fma.rn.*relu", 80, 70),
    ("fmax.*f16", 80, 70),
    ("fmax.*nan", 80, 70),
    ("fmax.*xorsign", 86, 72),
    ("fmin.*f16", 80, 70),
    ("fmin.*nan", 80, 70),
    ("fmin.*xorsign", 86, 72),
    ("getctarank", 90, 78),
    ("griddepcontrol.", 90, 78),
    ("is_explicit_cluster", 90, 78),
    ("isspacep.shared.cluster", 90, 78),
    ("ldmatrix.", 75, 65),
    ("ldmatrix.*.m16n16.", 100, 86),
    ("ldmatrix.*.m8n16.", 100, 86),
    ("mapa", 90, 78),
    ("match.", 70, 60),
    ("mbarrier.", 80, 70),
    ("mbarrier.*.tx.", 90, 80),
    ("mbarrier.*.scope.", 90, 80),
    ("mbarrier.*relaxed", 90, 86),
    ("mma.and.", 80, 71),
    ("mma.xor.*.m16n8k", 80, 70),
    ("mma.block.scale.", 120, 87),
    ("mma.m16n8k", 75, 65),
    ("mma.m16n8k16.", 80, 70),
    ("mma.m16n8k32.", 80, 70),
    ("mma.*.kind.", 120, 87),
    ("mma.m16n8k16.*e4m3", 89, 87),
    ("mma.m16n8k16.*e5m2", 89, 87),
    ("mma.m16n8k32.*e4m3", 89, 84),
    ("mma.m16n8k32.*e5m2", 89, 84),
    ("mma.m16n8k4.", 80, 70),
    ("mma.m16n8k64.", 80, 70),
    ("mma.m8n8k16.", 75, 65),
    ("mma.m8n8k32.", 75, 65),
    ("mma.m8n8k4.", 70, 64),
    ("mma.sp.", 80, 71),
    ("mma.sp.ordered.", 80, 85),
    ("mma.sp.*.block.scale.", 120, 87),
    ("mma.xor.", 75, 70),
    ("movmatrix.", 75, 78),
    ("nanosleep", 70, 63),
    ("neg.bf16", 80, 70),
    ("prefetch", 90, 80),
    ("read.ptx.sreg.cluster", 90, 78),
    ("read.ptx.sreg.nclusterid", 90, 78),
    ("redux.sync.", 80, 70),
    ("redux.sync.f", 100, 86),
    ("setmaxnreg.", 90, 80),
    ("st.bulk", 100, 86),
    ("stmatrix.", 90, 78),
    ("stmatrix.*.m16n8.", 100, 86),
    ("ue8m0x2.", 100, 86),
    ("sext.", 70, 76),
    ("zext.", 70, 76),
    ("tcgen05.", 100, 86),
    ("tensormap.", 90, 83),
    ("wgmma.", 90, 80),
    ("wmma.", 70, 60),
    ("wmma.*.s8", 72, 63),
    ("wmma.*.u8", 72, 63),
    ("wmma.*.s4", 75, 63),
    ("wmma.*.u4", 75, 63),
    ("wmma.*.b1", 75, 63),
    ("wmma.*.bf16", 80, 70),
    ("wmma.*.tf32", 80, 70),
    ("wmma.*.f64", 80, 70),
    ("wmma.m32n8k16.", 70, 61),
    ("wmma.m8n32k16.", 70, 61),
];

/// The highest requirements of the rows that match a name.
fn needs(name: &str) -> Option<(u32, u32)> {
    let own = name.strip_prefix(FAMILY)?;
    let matches = |pattern: &str| {
        let (start, part) = pattern.split_once('*').unwrap_or((pattern, ""));
        own.strip_prefix(start).is_some_and(|rest| rest.contains(part))
    };
    let rows = NEEDS.iter().filter(|(pattern, _, _)| matches(pattern));
    rows.map(|(_, arch, version)| (*arch, *version)).reduce(|a, b| (a.0.max(b.0), a.1.max(b.1)))
}

/// The number of the first arch with an intrinsic, if not every arch has it.
pub(super) fn arch(name: &str) -> Option<u32> {
    needs(name).map(|(arch, _)| arch)
}

/// The PTX version that the intrinsics and the debug information in a module need, and which of them needs it. If the
/// user has chosen a version, line directives have only the forms of that version.
pub(super) fn version(module: &Module<'_>, chosen: Option<PtxVersion>) -> Option<(String, PtxVersion)> {
    let used = module.functions().into_iter().filter(|f| f.is_declaration() && f.is_used());
    let all = used.filter_map(|f| Some((needs(&f.name())?.1, f.name())));
    let intrinsic = all.max().map(|(version, name)| (format!("`{name}`"), PtxVersion(version)));
    // Lines are directives; variables are in sections.
    let has_sections = module.definitions().any(|function| function.has_variables());
    let sections = has_sections.then(|| ("debug information".to_owned(), DEBUG_SECTIONS));
    let has_lines = chosen.is_none() && module.has_debug_information();
    let lines = has_lines.then(|| ("lines of inlined functions".to_owned(), INLINED_LINES));
    intrinsic.into_iter().chain(sections).chain(lines).max_by_key(|(_, version)| *version)
}

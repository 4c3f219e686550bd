//! From mnemonics to the functions that execute them.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::generation::Generation;
use crate::instruction::What;
use crate::memory::access::Access;
use crate::scalar::control;
use crate::scalar::{load, ops, save_exec};
use crate::vector::compare::Compare;
use crate::vector::{self, carry, cross, mixed, packed};

/// Instructions that only change how fast the wave runs, or that are for caches.
const NOTHING: &[&str] = &[
    "s_waitcnt_expcnt",
    "s_waitcnt_depctr",
    "s_delay_alu",
    "s_nop",
    "s_clause",
    "s_sleep",
    "s_setprio",
    "s_set_inst_prefetch_distance",
    "s_inst_prefetch",
    "s_sendmsg",
    "s_sendmsghalt",
    "s_code_end",
    "s_version",
    "s_ttracedata",
    "s_ttracedata_imm",
    "s_icache_inv",
    "s_dcache_inv",
    "s_dcache_wb",
    "s_dcache_inv_vol",
    "s_dcache_wb_vol",
    "s_gl1_inv",
    "s_incperflevel",
    "s_decperflevel",
    "v_nop",
    "buffer_gl0_inv",
    "buffer_gl1_inv",
    "buffer_wbinvl1",
    "buffer_wbinvl1_vol",
    "buffer_wbl2",
    "buffer_invl2",
    "s_setkill",
    "s_set_gpr_idx_off",
];

fn table() -> &'static HashMap<&'static str, What> {
    static TABLE: OnceLock<HashMap<&'static str, What>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table = HashMap::new();
        let mut add = |name: &'static str, what: What| {
            let _before = table.insert(name, what);
        };
        NOTHING.iter().for_each(|name| add(name, What::Nothing));
        for op in vector::rows() {
            op.names.iter().for_each(|name| add(name, What::Vector(op)));
        }
        for op in carry::OPS {
            op.names.iter().for_each(|name| add(name, What::Carry(op)));
        }
        for op in ops::OPS.iter().chain(ops::QUESTIONS) {
            op.names.iter().for_each(|name| add(name, What::Scalar(op)));
        }
        packed::OPS.iter().for_each(|op| add(op.name, What::Packed(op)));
        for (name, special) in control::OPS.iter().chain(cross::OPS).chain(mixed::OPS) {
            add(name, What::Special(*special));
        }
        table
    })
}

/// The effect of a mnemonic without the suffix of its encoding.
pub(crate) fn find(name: &str, _: Generation) -> What {
    if let Some(what) = table().get(name) {
        return what.clone();
    }
    if let Some(compare) = Compare::parse(name) {
        return What::Compare(compare);
    }
    if load::words(name).is_some() {
        return What::Special(load::load);
    }
    if let Some(how) = save_exec::parse(name) {
        return What::SaveExec(how);
    }
    Access::parse(name).map_or(What::Unknown, What::Memory)
}

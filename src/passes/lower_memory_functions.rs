//! Gives the C library's memory functions bodies, for targets that have no such library.
//!
//! `memcpy`, `memmove` and `memset` become LLVM's intrinsics, which back ends expand into loops; `memcmp`, `bcmp` and
//! `strlen` are loops here. The functions are renamed, because LLVM takes a function of the old name for the C
//! library's and could turn the loop inside into a call of itself.

use crate::llvm::{Attribute, Block, Builder, IntPredicate, Linkage, Module, Opcode, Place, Value};

/// Defines the memory functions that `module` declares and uses.
pub fn lower_memory_functions(module: &Module<'_>) {
    for name in ["memcpy", "memmove", "memset", "memcmp", "bcmp", "strlen"] {
        let Some(function) = module.function(name).filter(|f| f.is_declaration() && f.is_used()) else { continue };
        function.set_name(&format!("__offload_{name}"));
        function.set_linkage(Linkage::LLVMInternalLinkage);
        function.remove_attribute(Place::Function, "memory");
        function.add_attribute(Place::Function, &Attribute::Text("no-builtins".into(), String::new()));
        function.mark("nounwind");
        let entry = function.append_block("entry");
        match name {
            "memcpy" | "memmove" => copy(module, function, entry, &format!("llvm.{name}")),
            "memset" => fill(module, function, entry),
            "strlen" => measure(function, entry),
            _ => compare(function, entry),
        }
    }
}

/// `dst = f(dst, src, n)`
fn copy<'c>(module: &Module<'c>, function: Value<'c>, entry: Block<'c>, intrinsic: &str) {
    let builder = Builder::at_end(entry);
    let parameters = function.parameters();
    let (dst, src, count) = (parameters[0], parameters[1], parameters[2]);
    let intrinsic = module.intrinsic(intrinsic, &[dst.ty(), src.ty(), count.ty()]);
    let _call = builder.call(intrinsic, &[dst, src, count, dst.ty().int(1).zero()], "");
    let _return = builder.ret(dst);
}

/// `dst = memset(dst, int, n)`
fn fill<'c>(module: &Module<'c>, function: Value<'c>, entry: Block<'c>) {
    let builder = Builder::at_end(entry);
    let parameters = function.parameters();
    let (dst, value, count) = (parameters[0], parameters[1], parameters[2]);
    let byte = builder.cast(Opcode::LLVMTrunc, value, value.ty().int(8), "byte");
    let intrinsic = module.intrinsic("llvm.memset", &[dst.ty(), count.ty()]);
    let _call = builder.call(intrinsic, &[dst, byte, count, dst.ty().int(1).zero()], "");
    let _return = builder.ret(dst);
}

/// `for (i = 0; i != n; ++i) if (a[i] != b[i]) return a[i] - b[i]; return 0;`
fn compare<'c>(function: Value<'c>, entry: Block<'c>) {
    let parameters = function.parameters();
    let (a, b, count) = (parameters[0], parameters[1], parameters[2]);
    let byte = count.ty().int(8);
    let [test, body, next, differ, equal] =
        ["test", "body", "next", "differ", "equal"].map(|n| function.append_block(n));
    let builder = Builder::at_end(entry);
    let _jump = builder.br(test);

    builder.move_to_end(test);
    let index = builder.phi(count.ty(), "index");
    let done = builder.icmp(IntPredicate::LLVMIntEQ, index, count, "done");
    let _branch = builder.cond_br(done, equal, body);

    builder.move_to_end(body);
    let [left, right] = [a, b].map(|p| builder.load(byte, builder.gep(byte, p, &[index], ""), 1, ""));
    let same = builder.icmp(IntPredicate::LLVMIntEQ, left, right, "same");
    let _branch = builder.cond_br(same, next, differ);

    builder.move_to_end(next);
    let following = builder.add(index, count.ty().constant(1), "following");
    let _jump = builder.br(test);
    index.add_incoming(count.ty().zero(), entry);
    index.add_incoming(following, next);

    builder.move_to_end(differ);
    let result = function.function_type().result();
    let [left, right] = [left, right].map(|v| builder.cast(Opcode::LLVMZExt, v, result, ""));
    let _return = builder.ret(builder.binary(Opcode::LLVMSub, left, right, "difference"));

    builder.move_to_end(equal);
    let _return = builder.ret(result.zero());
}

/// `for (i = 0; s[i]; ++i); return i;`
fn measure<'c>(function: Value<'c>, entry: Block<'c>) {
    let text = function.parameters()[0];
    let count = function.function_type().result();
    let byte = count.int(8);
    let [test, next, end] = ["test", "next", "end"].map(|n| function.append_block(n));
    let builder = Builder::at_end(entry);
    let _jump = builder.br(test);

    builder.move_to_end(test);
    let index = builder.phi(count, "index");
    let each = builder.load(byte, builder.gep(byte, text, &[index], ""), 1, "");
    let done = builder.icmp(IntPredicate::LLVMIntEQ, each, byte.zero(), "done");
    let _branch = builder.cond_br(done, end, next);

    builder.move_to_end(next);
    let following = builder.add(index, count.constant(1), "following");
    let _jump = builder.br(test);
    index.add_incoming(count.zero(), entry);
    index.add_incoming(following, next);

    builder.move_to_end(end);
    let _return = builder.ret(index);
}

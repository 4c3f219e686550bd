//! A random kernel in Rust.

use std::fmt::Write;

use super::generate::{Cond, Expr, Form, Kernel, Op, Statement};

/// The kernel in Rust.
pub(crate) fn source(kernel: &Kernel) -> String {
    let body = body(kernel);
    let mut text =
        format!("#[no_mangle]\npub unsafe extern \"C\" fn {}(p0: u32, p1: u32, out: *mut u32) {{\n", kernel.name);
    text += "    let t = __offload_thread_id_x();\n    let (mut d0, mut d1, mut d2) = (t, t.wrapping_mul(7), 3u32);\n";
    text += "    let (mut s0, mut s1) = (1u32, p0);\n    let mut done = false;\n    let mut o: Option<u32> = None;\n";
    text += "    VALUES[(t & 31) as usize] = t;\n";
    if body.contains("NUMBERS") {
        text += "    NUMBERS[(t & 31) as usize].store(t.wrapping_mul(3), Relaxed);\n";
    }
    text + &body + "    write(out, t, [d0, d1, d2 ^ s0 ^ s1.wrapping_mul(3) ^ done as u32]);\n}\n"
}

/// The conditions that are computed at the start, and the statements.
fn body(kernel: &Kernel) -> String {
    let mut text = String::new();
    for (number, condition) in kernel.fixed.iter().enumerate() {
        let _done = writeln!(text, "    let c{number} = {};", condition.text());
    }
    write_block(&mut text, &kernel.body, 1, 0);
    text
}

/// The early return of all threads, which write their results first.
const RETURN: &str = "{ write(out, t, [d0, d1, d2 ^ s0 ^ s1.wrapping_mul(3) ^ done as u32]); return; }";

fn write_block(text: &mut String, body: &[Statement], depth: usize, loops: usize) {
    let pad = "    ".repeat(depth);
    for statement in body {
        let _done = match statement {
            Statement::Set(v, e) => writeln!(text, "{pad}d{v} = {};", e.text()),
            Statement::SetSame(v, e) => writeln!(text, "{pad}s{v} = {};", e.text()),
            Statement::Write(e) => writeln!(text, "{pad}VALUES[(t & 31) as usize] = {};", e.text()),
            Statement::Read(v, k) => {
                writeln!(text, "{pad}d{v} = d{v}.wrapping_mul(5) ^ VALUES[(t.wrapping_add({k}) & 31) as usize];")
            }
            Statement::Barrier => writeln!(text, "{pad}__offload_sync_threads();"),
            Statement::Exchange(v, k) => writeln!(text, "{pad}d{v} = exchange(t, d{v}, {k});"),
            Statement::SetDone(c) => writeln!(text, "{pad}done = {};", c.text()),
            Statement::SetOption(c, e) => {
                writeln!(text, "{pad}o = if {} {{ Some({}) }} else {{ None }};", c.text(), e.text())
            }
            Statement::UseOption(v) => writeln!(text, "{pad}if let Some(v) = o {{ d{v} = d{v}.wrapping_add(v); }}"),
            Statement::Match(value, arms) => {
                let _start = writeln!(text, "{pad}match {} % 3 {{", value.text());
                for (number, arm) in arms.iter().enumerate() {
                    let pattern = if number == 2 { "_".to_owned() } else { number.to_string() };
                    let _arm = writeln!(text, "{pad}    {pattern} => {{");
                    write_block(text, arm, depth + 2, loops);
                    let _end = writeln!(text, "{pad}    }}");
                }
                writeln!(text, "{pad}}}")
            }
            Statement::Ballot(v, c) => {
                writeln!(text, "{pad}d{v} = d{v}.wrapping_add(__offload_ballot({}) as u32);", c.text())
            }
            Statement::Shuffle(v, k) => {
                writeln!(text, "{pad}d{v} = __offload_shuffle(d{v}, t.wrapping_add({k}) & 31);")
            }
            Statement::Return(c) => writeln!(text, "{pad}if {} {RETURN}", c.text()),
            Statement::Guard(limit) => writeln!(text, "{pad}if t >= {limit} {{ return; }}"),
            Statement::If(c, then, other) => {
                let _start = writeln!(text, "{pad}if {} {{", c.text());
                write_block(text, then, depth + 1, loops);
                if !other.is_empty() {
                    let _else = writeln!(text, "{pad}}} else {{");
                    write_block(text, other, depth + 1, loops);
                }
                writeln!(text, "{pad}}}")
            }
            Statement::Loop(form, bound, body, more) => {
                write_loop(text, *form, bound, body, more, depth, loops);
                Ok(())
            }
        };
    }
}

fn write_loop(
    text: &mut String,
    form: Form,
    bound: &Expr,
    body: &[Statement],
    more: &Option<(Cond, Vec<Statement>)>,
    depth: usize,
    loops: usize,
) {
    let (pad, deep) = ("    ".repeat(depth), "    ".repeat(depth + 1));
    let _start = match form {
        Form::For => writeln!(text, "{pad}for i{loops} in 0..{} {{", bound.text()),
        Form::While => {
            let bound = bound.text();
            writeln!(text, "{pad}let (mut i{loops}, n{loops}) = (0u32, {bound});\n{pad}while i{loops} < n{loops} {{")
        }
        Form::Loop => {
            let bound = bound.text();
            writeln!(text, "{pad}let (mut i{loops}, n{loops}) = (0u32, {bound});\n{pad}loop {{")
        }
        Form::Real => {
            let _count = writeln!(text, "{pad}let (mut i{loops}, mut x{loops}) = (0u32, 0.0f32);");
            let bound = bound.text();
            writeln!(text, "{pad}let n{loops} = ({bound}) as f32;\n{pad}while x{loops} < n{loops} {{")
        }
    };
    write_block(text, body, depth + 1, loops + 1);
    if matches!(form, Form::Loop) {
        let _exit = writeln!(text, "{deep}if i{loops} >= n{loops} {{ break; }}");
    }
    if let Some((condition, rest)) = more {
        let _exit = writeln!(text, "{deep}if {} {{ break; }}", condition.text());
        write_block(text, rest, depth + 1, loops + 1);
    }
    let _end = match form {
        Form::For => writeln!(text, "{pad}}}"),
        Form::Real => writeln!(text, "{deep}i{loops} += 1;\n{deep}x{loops} += 1.0;\n{pad}}}"),
        _ => writeln!(text, "{deep}i{loops} += 1;\n{pad}}}"),
    };
}

impl Expr {
    fn text(&self) -> String {
        match self {
            Expr::Own(v) => format!("d{v}"),
            Expr::Thread => "t".into(),
            Expr::ThreadAgain => "__offload_thread_id_x()".into(),
            Expr::Atomic => "NUMBERS[(t & 31) as usize].load(Relaxed)".into(),
            Expr::Cell(at) => format!("VALUES[{at}]"),
            Expr::Same(v) => format!("s{v}"),
            Expr::Count(v) => format!("i{v}"),
            Expr::Parameter(v) => format!("p{v}"),
            Expr::Constant(v) => format!("{v}u32"),
            Expr::Binary(op, a, b) => match op {
                Op::Add => format!("{}.wrapping_add({})", a.text(), b.text()),
                Op::Sub => format!("{}.wrapping_sub({})", a.text(), b.text()),
                Op::Mul => format!("{}.wrapping_mul({})", a.text(), b.text()),
                Op::Xor => format!("({} ^ {})", a.text(), b.text()),
                Op::Rem => format!("({} % {})", a.text(), b.text()),
            },
        }
    }
}

impl Cond {
    fn text(&self) -> String {
        match self {
            Cond::Fixed(v) => format!("c{v}"),
            Cond::Done => "done".into(),
            Cond::Less(a, b) => format!("({}) < ({})", a.text(), b.text()),
            Cond::Equal(a, b) => format!("({}) == ({})", a.text(), b.text()),
            Cond::HalfLess(a, b) => format!("({}) as f32 * 0.5 < {b}.0", a.text()),
            Cond::Call(a) => format!("is_odd({})", a.text()),
            Cond::Not(c) => format!("!({})", c.text()),
            Cond::And(a, b) => format!("({}) && ({})", a.text(), b.text()),
        }
    }
}

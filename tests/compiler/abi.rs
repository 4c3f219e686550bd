//! The binary interface in Rust (`src/contract/abi.rs`, `rust/offload/src/abi.rs`) and in C (`runtime-c/offloadrt.h`,
//! docs/format.md): a C compiler must compute the same offsets and numbers.

#[allow(dead_code, reason = "only sizes, offsets and numbers are looked at")]
#[path = "../../rust/offload/src/abi.rs"]
mod offload_crate;

use std::fmt::Write;
use std::mem::offset_of;

use offload_crate as of;
use offloadc::contract::abi;

/// A C program that prints lines, and the lines that follow from Rust's definitions.
#[derive(Default)]
struct Comparison {
    prints: String,
    expected: String,
    functions: String,
}

impl Comparison {
    fn number(&mut self, c_name: &str, rust: u64) {
        writeln!(self.prints, r#"  printf("{c_name} %llu\n", (unsigned long long)({c_name}));"#)
            .expect("it is a string");
        writeln!(self.expected, "{c_name} {rust}").expect("it is a string");
    }

    fn size(&mut self, c_type: &str, rust: usize) {
        writeln!(self.prints, r#"  printf("{c_type}: %zu bytes\n", sizeof({c_type}));"#).expect("it is a string");
        writeln!(self.expected, "{c_type}: {rust} bytes").expect("it is a string");
    }

    fn field(&mut self, c_type: &str, name: &str, offset: usize, size: usize) {
        let size_of = format!("sizeof((({c_type} *)0)->{name})");
        let print =
            format!(r#"  printf("{c_type}.{name} at %zu: %zu bytes\n", offsetof({c_type}, {name}), {size_of});"#);
        writeln!(self.prints, "{print}").expect("it is a string");
        writeln!(self.expected, "{c_type}.{name} at {offset}: {size} bytes").expect("it is a string");
    }

    /// Adds the numbers of an enumeration. `-Wswitch` reports a value that Rust lacks.
    fn enumeration<'r>(&mut self, name: &str, rows: impl IntoIterator<Item = (&'r str, u32)>) {
        let mut cases = String::new();
        for (row, number) in rows {
            self.number(row, number.into());
            writeln!(cases, "  case {row}:").expect("it is a string");
        }
        let function =
            format!("int is_row_of_{name}(enum {name} row) {{\n  switch (row) {{\n{cases}    return 1;\n  }}");
        writeln!(self.functions, "{function}\n  return 0;\n}}").expect("it is a string");
    }

    /// Compiles the program after `declarations`, runs it, and compares its lines.
    fn check(&self, declarations: &str) {
        let folder = harness::scratch();
        let (source, program) = (folder.path().join("abi.c"), folder.path().join("abi"));
        let Self { prints, functions, .. } = self;
        let text = format!(
            "#include <stdio.h>\n#include \"offloadrt.h\"\n{declarations}\n{functions}\nint main(void) {{\n{prints}}}\n"
        );
        std::fs::write(&source, text).expect("the folder is ours");
        let mut cc = std::process::Command::new("cc");
        cc.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-I"]).arg(harness::root().join("runtime-c"));
        let _compiled = harness::run(cc.arg(&source).arg("-o").arg(&program)).success();
        let printed = harness::run(&mut std::process::Command::new(program)).success().stdout();
        let differences = self.expected.lines().zip(printed.lines()).filter(|(rust, c)| rust != c);
        let differences: Vec<String> = differences.map(|(rust, c)| format!("Rust: {rust}\nC:    {c}")).collect();
        assert!(differences.is_empty(), "Rust and C do not agree:\n{}", differences.join("\n"));
        assert_eq!(self.expected.lines().count(), printed.lines().count());
    }
}

#[test]
fn the_compiler_agrees_with_the_runtime() {
    let mut comparison = Comparison::default();
    for structure in abi::STRUCTURES {
        let c_type = format!("struct {}", structure.name);
        comparison.size(&c_type, structure.size);
        for field in structure.fields {
            comparison.field(&c_type, field.name, field.offset, field.size);
        }
    }
    for enumeration in abi::ENUMERATIONS {
        comparison.enumeration(enumeration.name, enumeration.rows.iter().copied());
    }
    comparison.number("OFFLOAD_KERNEL_VERSION", abi::KERNEL_VERSION.into());
    comparison.number("OFFLOAD_DESCRIPTOR_VERSION", abi::DESCRIPTOR_VERSION.into());
    comparison.number("OFFLOAD_TABLE_VERSION", abi::TABLE_VERSION.into());
    comparison.number("OFFLOAD_HEAP_UNIT", abi::HEAP_UNIT.into());
    comparison.number("OFFLOAD_MAILBOX_SLOTS", abi::MAILBOX_SLOTS.into());
    comparison.number("OFFLOAD_HOST_CALL_BYTES", abi::HOST_CALL_BYTES.into());
    comparison.check(&kernel_table_in_the_documents());
}

/// The kernel table in docs/format.md. It is not in the header, because the runtime never reads it.
fn kernel_table_in_the_documents() -> String {
    let text = std::fs::read_to_string(harness::root().join("docs/format.md")).expect("the page exists");
    let blocks = text.split("```c\n").skip(1).filter_map(|rest| rest.split_once("```"));
    let table = blocks.map(|(block, _)| block).find(|block| block.contains("struct offload_table {"));
    table.expect("docs/format.md shows `struct offload_table`").to_owned()
}

fn size_of_field<S, F>(_: fn(&S) -> &F) -> usize {
    size_of::<F>()
}

/// Adds a structure of the crate. The macro does not compile if the structure has fields that are not named here.
macro_rules! structure {
    ($comparison:ident, $c_type:literal = $rust:ident { $($field:ident),* $(,)? }) => {{
        let _all_are_named = |it: &of::$rust| {
            let of::$rust { $($field: _),* } = it;
        };
        $comparison.size($c_type, size_of::<of::$rust>());
        let sizes = [$(size_of_field(|it: &of::$rust| &it.$field)),*];
        let fields = [$((stringify!($field), offset_of!(of::$rust, $field))),*];
        for ((name, offset), size) in fields.into_iter().zip(sizes) {
            $comparison.field($c_type, name, offset, size);
        }
    }};
}

#[test]
fn the_crate_agrees_with_the_runtime() {
    let mut c = Comparison::default();
    structure!(
        c,
        "struct offload_kernel" = RawKernel {
            size,
            version,
            name,
            parameters,
            parameter_count,
            argument_bytes,
            argument_align,
            shared_bytes,
            cpu_entry,
            descriptor,
            flags,
            threads_per_block,
        }
    );
    structure!(c, "offloadrt_argument" = RawArgument { address, size });
    structure!(
        c,
        "offloadrt_launch_config" =
            RawLaunchConfig { size, version, grid, block, dynamic_shared_bytes, flags, panic_record, heap_bytes }
    );
    structure!(
        c,
        "offloadrt_limits" = RawLimits {
            size,
            version,
            threads_per_block,
            block,
            grid,
            shared_bytes,
            least_lanes,
            most_lanes,
            compute_units,
            reserved,
            memory_bytes,
        }
    );
    compare_descriptors(&mut c);
    c.number("OFFLOAD_DESCRIPTOR_VERSION", of::INTERFACE_VERSION.into());
    c.number("OFFLOAD_KERNEL_VERSION", of::INTERFACE_VERSION.into());
    c.number("OFFLOAD_KERNEL_HAS_EXTENTS", of::HAS_EXTENTS.into());
    c.number("OFFLOAD_KERNEL_HAS_CPU_CODE", of::HAS_CPU_CODE.into());
    c.number("OFFLOAD_KERNEL_HAS_SCALARS", of::HAS_SCALARS.into());
    c.number("OFFLOAD_KERNEL_RESTRICTS", of::RESTRICTS.into());
    c.number("OFFLOAD_HOST_CALL_BYTES", of::HOST_CALL_BYTES as u64);
    c.enumeration(
        "offload_host_call_status",
        [
            ("OFFLOAD_HOST_CALL_DONE", of::HOST_CALL_DONE),
            ("OFFLOAD_HOST_CALL_PANICKED", of::HOST_CALL_PANICKED),
            ("OFFLOAD_HOST_CALL_NO_HOST", of::HOST_CALL_NO_HOST),
            ("OFFLOAD_HOST_CALL_TOO_LARGE", of::HOST_CALL_TOO_LARGE),
        ],
    );
    c.number("OFFLOADRT_LAUNCH_VERSION", of::LAUNCH_VERSION.into());
    c.number("OFFLOADRT_LIMITS_VERSION", of::LIMITS_VERSION.into());
    c.enumeration("offloadrt_launch_flag", [("OFFLOADRT_KEEP_HEAP", of::KEEP_HEAP)]);
    let maps = [("TO", of::MAP_TO), ("FROM", of::MAP_FROM), ("ALWAYS", of::MAP_ALWAYS)];
    let maps = maps.map(|(name, number)| (format!("OFFLOADRT_MAP_{name}"), number));
    c.enumeration("offloadrt_map_flag", maps.iter().map(|(name, number)| (&**name, *number)));
    let statuses = [
        ("OFFLOADRT_SUCCESS", of::status::SUCCESS),
        ("OFFLOADRT_INVALID", of::status::INVALID),
        ("OFFLOADRT_NO_DEVICE", of::status::NO_DEVICE),
        ("OFFLOADRT_NO_IMAGE", of::status::NO_IMAGE),
        ("OFFLOADRT_NO_MEMORY", of::status::NO_MEMORY),
        ("OFFLOADRT_MISMATCH", of::status::MISMATCH),
        ("OFFLOADRT_FAILED", of::status::FAILED),
        ("OFFLOADRT_PANICKED", of::status::PANICKED),
        ("OFFLOADRT_UNSUPPORTED", of::status::UNSUPPORTED),
    ];
    c.enumeration("offloadrt_status", statuses.map(|(name, number)| (name, number.unsigned_abs())));
    c.check("");
}

/// Baked kernels have a descriptor of the crate's.
fn compare_descriptors(c: &mut Comparison) {
    structure!(
        c,
        "struct offload_descriptor" = RawDescriptor {
            size,
            version,
            kernels,
            kernel_count,
            images_begin,
            images_end,
            next,
            serial,
            panics,
            host_functions,
            host_function_count,
            first_function,
            function_count
        }
    );
}

/// In texts that are linked into device code, names stand for offsets.
#[test]
fn texts_name_the_offsets_that_they_use() {
    let text =
        "i64 {offload_launch_state.heap}, {offload_launch_state.heap_units}, {offload_cpu_block.frames}, {no.such}";
    assert_eq!(abi::fill_in_offsets(text), "i64 64, 72, 56, {no.such}");
}

//! `--remarks`: each slow kernel of `remarks/kernels.rs` has the cause that its comment names, at its line; and it has
//! it no more when the line is changed as the remark suggests. The object is the same with remarks.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use harness::program::{compile, rustc};
use harness::run;
use serde_json::Value;

const SOURCE: &str = "tests/compiler/remarks/kernels.rs";
const ARCHS: &str = "--offload-arch=cpu,sm_80";

/// Line tables, and code that offloadc optimises.
const FLAGS: [&str; 3] = ["-Copt-level=3", "-Cno-prepopulate-passes", "-Cdebuginfo=line-tables-only"];

/// The kernels as bitcode, with the slow lines or with the mended ones.
fn bitcode(folder: &Path, cfg: &[&str]) -> PathBuf {
    let output = folder.join(format!("kernels{}.bc", cfg.len()));
    let mut command = rustc();
    command.current_dir(harness::root()).args(["--edition=2021", "--emit=llvm-bc", "--check-cfg=cfg(mended)"]);
    run(command.args(FLAGS).args(cfg).arg(SOURCE).arg("-o").arg(&output)).success();
    output
}

/// A cause: the arch, the kernel, its name, and its line.
type Cause = (String, String, String, u64);

/// The causes that comments of the source name.
fn expected() -> BTreeSet<Cause> {
    let source = std::fs::read_to_string(harness::root().join(SOURCE)).expect("the source is there");
    let (mut kernel, mut all) = ("", BTreeSet::new());
    for (line, number) in source.lines().zip(1..) {
        if let Some((name, _)) = line.strip_prefix("pub unsafe extern \"C\" fn ").and_then(|rest| rest.split_once('('))
        {
            kernel = name;
        }
        if let Some((_, comment)) = line.split_once("//~ ") {
            let (arch, cause) = comment.split_once(' ').expect("an arch and a cause");
            all.insert((arch.to_owned(), kernel.to_owned(), cause.to_owned(), number));
        }
    }
    all
}

/// The remarks of a compilation.
fn remarks(bitcode: &Path, options: &[&str]) -> Vec<Value> {
    let output = bitcode.with_extension("o");
    let kernels: Vec<_> = expected().into_iter().map(|(_, kernel, ..)| format!("--kernel={kernel}")).collect();
    let kernels = kernels.iter().map(String::as_str);
    let arguments: Vec<_> = [ARCHS, "--no-cache"].into_iter().chain(options.iter().copied()).chain(kernels).collect();
    let said = compile(bitcode, &output, &arguments).success().stderr();
    let lines = said.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    lines.filter(|line| !line["remark"].is_null()).collect()
}

fn causes(remarks: &[Value]) -> BTreeSet<Cause> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let of = |found: &Value| {
        let (remark, line) = (&found["remark"], found["spans"][0]["line_start"].as_u64().unwrap_or(0));
        let archs: Vec<_> = remark["archs"].as_array().into_iter().flatten().map(text).collect();
        let (kernel, cause) = (text(&remark["kernel"]), text(&remark["cause"]));
        archs.into_iter().map(move |arch| (arch, kernel.clone(), cause.clone(), line)).collect::<Vec<_>>()
    };
    remarks.iter().flat_map(of).collect()
}

#[test]
fn each_slow_kernel_has_its_cause_and_mending_its_line_removes_it() {
    let folder = harness::scratch();
    let json = ["--remarks", "--message-format=json"];
    let expected = expected();
    assert_eq!(expected.len(), 12, "kernels with a cause");
    let found = causes(&remarks(&bitcode(folder.path(), &[]), &json));
    let missing: Vec<_> = expected.difference(&found).collect();
    assert!(missing.is_empty(), "no remark says {missing:#?}\nbut {found:#?}");
    let mended = causes(&remarks(&bitcode(folder.path(), &["--cfg=mended"]), &json));
    let same = |(arch, kernel, cause, _): &&Cause| mended.iter().any(|m| (&m.0, &m.1, &m.2) == (arch, kernel, cause));
    let left: Vec<_> = expected.iter().filter(same).collect();
    assert!(left.is_empty(), "still said of the mended kernels: {left:#?}");
}

#[test]
fn remarks_change_no_byte_and_are_the_same_with_any_number_of_jobs() {
    let folder = harness::scratch();
    let bitcode = bitcode(folder.path(), &[]);
    let object = bitcode.with_extension("o");
    let read = || std::fs::read(&object).expect("the object was written");
    assert!(remarks(&bitcode, &["-j1", "--message-format=json"]).is_empty());
    let without = read();
    let one = remarks(&bitcode, &["-j1", "--message-format=json", "--remarks"]);
    assert!(without == read(), "remarks change the object");
    let eight = remarks(&bitcode, &["-j8", "--message-format=json", "--remarks"]);
    assert_eq!(one, eight);
    let topics: BTreeSet<_> = remarks(&bitcode, &["--message-format=json", "--remarks=memory,checks"])
        .iter()
        .map(|r| r["remark"]["pass"].to_string())
        .collect();
    assert_eq!(topics, ["\"checks\"", "\"memory\""].map(str::to_owned).into());
}

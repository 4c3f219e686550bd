//! Jobs in other processes: the list of jobs, the results of distributors, and the objects of builds that use them.

mod dask;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use harness::{Outcome, run};
use serde_json::Value;
use tempfile::TempDir;

/// A kernel with a panic, shared memory and a barrier, and one that calls a math function.
const PROGRAM: &str = "target triple = \"x86_64-unknown-linux-gnu\"
@tile = internal global [64 x i32] zeroinitializer, section \".offload.shared\"
declare i32 @__offload_thread_id_x()
declare void @__offload_sync_threads()
declare float @sinf(float)
define ptx_kernel void @turn(ptr %p) {
  %i = call i32 @__offload_thread_id_x()
  %at = getelementptr i32, ptr %p, i32 %i
  %v = load i32, ptr %at
  %here = getelementptr i32, ptr @tile, i32 %i
  store i32 %v, ptr %here
  call void @__offload_sync_threads()
  %j = sub i32 63, %i
  %there = getelementptr i32, ptr @tile, i32 %j
  %w = load i32, ptr %there
  store i32 %w, ptr %at
  ret void
}
define ptx_kernel void @wave(ptr %p) {
  %v = load float, ptr %p
  %s = call float @sinf(float %v)
  store float %s, ptr %p
  ret void
}
";
/// A kernel that recurses.
const RECURSION: &str = "target triple = \"x86_64-unknown-linux-gnu\"
define internal i32 @ways(i32 %n) noinline {
  %few = icmp slt i32 %n, 2
  br i1 %few, label %one, label %more
one:
  ret i32 1
more:
  %m = sub i32 %n, 1
  %a = call i32 @ways(i32 %m)
  %k = sub i32 %n, 2
  %b = call i32 @ways(i32 %k)
  %s = add i32 %a, %b
  ret i32 %s
}
define ptx_kernel void @stairs(ptr %p) {
  %n = load i32, ptr %p
  %w = call i32 @ways(i32 %n)
  store i32 %w, ptr %p
  ret void
}
";
const ARCHS: &str = "--offload-arch=cpu,sm_80,gfx90a,spirv64";
/// A library of AMD, where Debian stable has it.
const OCML: &str = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode/ocml.bc";

/// A folder with the program, in which offloadc runs.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(harness::scratch());
        place.write("in.ll", PROGRAM);
        place.write("recursion.ll", RECURSION);
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("the folder can be written");
    }

    /// Writes a distributor, which runs in the folder.
    fn distributor(&self, name: &str, script: &str) -> String {
        self.write(name, &format!("#!/bin/sh\nset -e\n{script}\n"));
        run(Command::new("chmod").arg("+x").arg(self.path(name))).success();
        format!("--distributor=./{name}")
    }

    fn offloadc(&self, options: &[&str]) -> Command {
        let mut command = Command::new(harness::offloadc());
        command.arg("in.ll").args(options).current_dir(self.0.path());
        command
    }

    /// The object that offloadc writes, and its messages.
    fn object(&self, options: &[&str]) -> (Vec<u8>, String) {
        let said = run(&mut self.offloadc(&[options, &["-o", "out.o"]].concat())).success().stderr();
        (fs::read(self.path("out.o")).expect("the object was written"), said)
    }
}

/// A distributor of this repository.
fn shipped(name: &str) -> String {
    harness::root().join("scripts/distributors").join(name).display().to_string()
}

/// Takes an array of strings out of an object; the keys that remain are unknown ones.
fn strings(object: &mut Value, key: &str) -> Vec<String> {
    let values = object.as_object_mut().expect("an object").remove(key).unwrap_or_else(|| panic!("no `{key}`"));
    let text = |value: &Value| value.as_str().expect("a string").to_owned();
    values.as_array().expect("an array").iter().map(text).collect()
}

fn has_no_other_key(value: &Value) {
    assert_eq!(value.as_object().expect("an object").len(), 0, "unknown keys: {value}");
}

/// The archs of the jobs in a list that has exactly the form of LLVM's protocol, and the inputs of the first job.
fn checked(text: &str) -> (Vec<String>, Vec<String>) {
    let mut list: Value = serde_json::from_str(text).expect("the list is JSON");
    let mut common = list.as_object_mut().expect("an object").remove("common").expect("common");
    let output = common.as_object_mut().expect("an object").remove("linker_output");
    assert_eq!(output, Some(Value::from("out.o")));
    let program = strings(&mut common, "args");
    assert_eq!(program, [harness::offloadc().display().to_string(), "job".to_owned()]);
    assert_eq!(strings(&mut common, "inputs").len(), 0);
    has_no_other_key(&common);
    let jobs = list.as_object_mut().expect("an object").remove("jobs").expect("jobs");
    has_no_other_key(&list);
    let mut archs = Vec::new();
    let mut first = Vec::new();
    for mut job in jobs.as_array().expect("an array").clone() {
        let [arguments, inputs, outputs] = ["args", "inputs", "outputs"].map(|key| strings(&mut job, key));
        has_no_other_key(&job);
        assert!(inputs.len() >= 2 && outputs.len() == 1, "{inputs:?} {outputs:?}");
        assert!(arguments.iter().all(|word| !word.is_empty()));
        let at = |path: &String| arguments.contains(path) || arguments.contains(&format!("@{path}"));
        assert!(inputs.iter().chain(&outputs).all(at), "{arguments:?} has not all of {inputs:?} {outputs:?}");
        archs.push(outputs[0].split('.').nth_back(1).expect("image.ARCH.img").to_owned());
        first = if first.is_empty() { inputs } else { first };
    }
    (archs, first)
}

#[test]
fn the_list_of_jobs_has_the_form_of_the_protocol() {
    let place = Place::new();
    let script = format!(
        "test \"$1 $2 $#\" = 'one --two 3'; cp \"$3\" list.json; {} \"$3\"",
        harness::shell_word(&shipped("local.py"))
    );
    let option = place.distributor("keep", &script);
    let words = [ARCHS, &option, "--distributor-arg=one", "--distributor-arg=--two"];
    let (bytes, said) = place.object(&words);
    assert!(said.is_empty(), "{said}");
    assert!(bytes == place.object(&[ARCHS]).0);
    let list = || fs::read_to_string(place.path("list.json")).expect("the distributor has copied it");
    assert_eq!(checked(&list()).0, ["cpu", "sm_80", "gfx90a", "spirv64"]);
    let vendor = ["--offload-arch=gfx90a", "--math=vendor", "--rocm-path=/usr/lib/x86_64-linux-gnu"];
    if Path::new(OCML).is_file() {
        let (bytes, _) = place.object(&[&words[1..], &vendor].concat());
        assert!(bytes == place.object(&vendor).0);
        let (archs, inputs) = checked(&list());
        assert_eq!((archs.len(), inputs.last().map(String::as_str)), (1, Some(OCML)));
    }
    let files = fs::read_dir(place.0.path()).expect("it is ours").count();
    assert_eq!(files, 5, "in.ll, recursion.ll, out.o, keep and list.json");
}

#[test]
fn objects_are_the_same_from_jobs_that_have_only_their_inputs() {
    let place = Place::new();
    let distributor = format!("--distributor={}", shipped("local.py"));
    let isolated = [distributor.as_str(), "--distributor-arg=--isolated"];
    let ptxas = harness::ptxas().map(|path| format!("--ptxas={}", path.display()));
    let all: [&[&str]; 6] = [
        &["recursion.ll", "-w"],
        &["-g", "-O0"],
        &["-Oz", "--fast-math", "--cpu-warp-size=64", "--device-stack=4096"],
        &["--runtime=omptarget", "-Wno-unregistered-image", "--device-panic=trap"],
        &["--math=vendor", "--rocm-path=/usr/lib/x86_64-linux-gnu", "--offload-arch=gfx90a,spirv64", "--ftz"],
        &["--offload-arch=sm_80,sm_90-virtual,sm_75-real", "--ptx-version=8.0"],
    ];
    for (number, options) in all.iter().enumerate() {
        let arch = if number < 4 { &[ARCHS][..] } else { &[] };
        if options[0] == "--math=vendor" && !Path::new(OCML).is_file() {
            continue;
        }
        let tool = ptxas.iter().map(String::as_str).filter(|_| number == 5).collect::<Vec<_>>();
        if number == 5 && tool.is_empty() {
            continue;
        }
        let options = [options, arch, &tool].concat();
        let (wanted, _) = place.object(&options);
        let (bytes, said) = place.object(&[&options[..], &isolated].concat());
        assert!(bytes == wanted, "{options:?}: the object differs");
        assert_eq!(said, "", "{options:?}");
    }
}

#[test]
fn only_what_the_cache_lacks_is_distributed() {
    let place = Place::new();
    // The last job of a list fails if the file `fail` exists.
    let script = format!(
        "python3 - \"$1\" <<'END'\nimport json, sys\njobs = json.load(open(sys.argv[1]))\n\
         open('count', 'w').write(str(len(jobs['jobs'])))\nimport os\nif os.path.exists('fail'):\n  \
         jobs['jobs'][-1]['args'].append('--none-such')\n  json.dump(jobs, open(sys.argv[1], 'w'))\nEND\n{} \"$1\"",
        harness::shell_word(&shipped("local.py"))
    );
    let option = place.distributor("count-jobs", &script);
    let words = |archs: &str| vec![format!("--offload-arch={archs}"), "--cache-dir=cache".to_owned(), option.clone()];
    let build = |archs: &str| -> (Outcome, String) {
        let _ = fs::remove_file(place.path("count"));
        let words = words(archs);
        let words: Vec<&str> = words.iter().map(String::as_str).chain(["-o", "out.o"]).collect();
        let outcome = run(&mut place.offloadc(&words));
        (outcome, fs::read_to_string(place.path("count")).unwrap_or_default())
    };
    let (outcome, count) = build("cpu,sm_80,gfx90a");
    assert_eq!((outcome.success().stderr(), count.as_str()), (String::new(), "3"));
    let (outcome, count) = build("cpu,sm_80,gfx90a");
    assert_eq!((outcome.success().stderr(), count.as_str()), (String::new(), ""));
    place.write("in.ll", &format!("{PROGRAM}\ndefine i32 @host() {{\n  ret i32 7\n}}\n"));
    assert_eq!(build("cpu,sm_80,gfx90a,spirv64").1, "1");
    assert!(fs::read(place.path("out.o")).expect("it was written") == place.object(&[ARCHS]).0);
    // One job of two fails: the image of the other one is in the cache.
    place.write("fail", "");
    let (outcome, count) = build("cpu,sm_90,gfx1100");
    assert_eq!((outcome.code(), count.as_str()), (1, "2"), "{}", outcome.report());
    let said = outcome.stderr();
    assert!(said.contains("'--none-such'"), "the message of the job: {said}");
    assert!(said.contains("there is no image of kernel `turn` and 1 more\n  = note: for gfx1100\n"), "{said}");
    // An optional arch is left out when its job fails, and one that the build must have is not.
    for (optional, code) in [("gfx1100", 0), ("cpu", 1)] {
        let words = [words("cpu,sm_90,gfx1100"), vec![format!("--offload-arch-optional={optional}")]].concat();
        let words: Vec<&str> = words.iter().map(String::as_str).chain(["-o", "out.o"]).collect();
        let outcome = run(&mut place.offloadc(&words));
        assert_eq!(outcome.code(), code, "{}", outcome.report());
        assert_eq!(outcome.stderr().contains("`gfx1100` is left out"), code == 0, "{}", outcome.report());
    }
    fs::remove_file(place.path("fail")).expect("it was written");
    assert_eq!(build("cpu,sm_90,gfx1100").1, "1");
}

#[test]
fn a_build_system_can_run_the_jobs_itself() {
    let place = Place::new();
    let archs = ["cpu", "sm_80", "gfx90a:xnack+"];
    let list = format!("--offload-arch={}", archs.join(","));
    run(&mut place.offloadc(&[&list, "--emit=slice=app.slice"])).success();
    // A change of host code changes no slice.
    place.write("in.ll", &format!("{PROGRAM}@text = constant i8 7\ndefine ptr @host() {{\n  ret ptr @text\n}}\n"));
    run(&mut place.offloadc(&[&list, "--emit=slice=again.slice"])).success();
    let slice = |name: &str| fs::read(place.path(name)).expect("the slice was written");
    assert!(slice("app.slice") == slice("again.slice"));
    let (wanted, _) = place.object(&[&list]);
    fs::create_dir(place.path("images")).expect("the folder can be written");
    let job = |arch: &str, name: &str| {
        let mut command = Command::new(harness::offloadc());
        command.args(["job", "app.slice"]).arg(format!("--offload-arch={arch}")).current_dir(place.0.path());
        run(command.args(["-o", &format!("images/{name}.img")])).success();
    };
    archs.iter().for_each(|arch| job(arch, &arch.replace(':', "@")));
    let distributor = format!("--distributor={}", shipped("prepared.py"));
    let options = [list.as_str(), &distributor, "--distributor-arg=images"];
    assert!(place.object(&options).0 == wanted);
    // The image of another arch, and of another program.
    job("cpu", "sm_80");
    let outcome = run(&mut place.offloadc(&options));
    let reason = "it was compiled with another: arch";
    assert!(outcome.code() == 1 && outcome.stderr().contains(reason), "{}", outcome.report());
    job("sm_80", "sm_80");
    place.write("in.ll", &PROGRAM.replace("sub i32 63", "sub i32 62"));
    let outcome = run(&mut place.offloadc(&options));
    let reason = "it was compiled with another: device code";
    assert!(outcome.code() == 1 && outcome.stderr().contains(reason), "{}", outcome.report());
}

#[test]
fn the_linker_distributes_too() {
    let place = Place::new();
    run(Command::new(harness::llvm_tool("llvm-as")).current_dir(place.0.path()).arg("in.ll")).success();
    let link = |options: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_offloadc-ld"));
        command.args(["in.bc", "-shared", "-Wl,--build-id=none", "-o", "sub/out", "--offload-arch=cpu,sm_80"]);
        command.current_dir(place.0.path()).env("OFFLOADC_RUNTIME_DIR", harness::runtime_dir());
        let said = run(command.args(options)).success().stderr();
        (fs::read(place.path("sub/out")).expect("it was linked"), said)
    };
    fs::create_dir(place.path("sub")).expect("the folder can be written");
    let script = format!("cp \"$1\" list.json; {} --isolated \"$1\"", harness::shell_word(&shipped("local.py")));
    let option = place.distributor("keep", &script);
    let (wanted, _) = link(&[]);
    let (bytes, said) = link(&[&format!("--offloadc={option}")]);
    assert!(bytes == wanted && said.is_empty(), "{said}");
    let list = fs::read_to_string(place.path("list.json")).expect("the distributor has copied it");
    let list = list.replace("\"sub/out\"", "\"out.o\"");
    assert_eq!(checked(&list).0, ["cpu", "sm_80"]);
}

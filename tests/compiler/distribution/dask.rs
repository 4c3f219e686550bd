//! The distributor for Dask, with a scheduler and workers whose folders are not the caller's.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use harness::run;

use super::{ARCHS, Place, shipped};

/// The packages that `make test-deps` installs.
fn packages() -> PathBuf {
    let folder = harness::root().join("target/tools/dask");
    assert!(folder.is_dir(), "`make test-deps` installs Dask");
    folder
}

/// A scheduler and two workers.
struct Cluster {
    folder: tempfile::TempDir,
    processes: Vec<Child>,
    address: String,
}

impl Cluster {
    fn new() -> Self {
        let folder = harness::scratch();
        let file = folder.path().join("scheduler.json");
        let start = |name: &str, module: &str, options: &[&str]| {
            let own = folder.path().join(name);
            fs::create_dir(&own).expect("the folder is ours");
            let log = || File::create(own.join("log")).expect("the folder is ours");
            let mut command = Command::new("python3");
            command.args(["-m", module, "--no-dashboard", "--scheduler-file"]).arg(&file).args(options);
            command.current_dir(&own).env("PYTHONPATH", packages()).stdin(Stdio::null()).stdout(log()).stderr(log());
            command.spawn().expect("python3 is installed")
        };
        let scheduler = ["--host", "127.0.0.1", "--port", "0"];
        let worker = ["--nthreads", "1", "--no-nanny", "--local-directory", "."];
        let processes = vec![
            start("scheduler", "distributed.cli.dask_scheduler", &scheduler),
            start("first", "distributed.cli.dask_worker", &worker),
            start("second", "distributed.cli.dask_worker", &worker),
        ];
        Self { address: address(&file), folder, processes }
    }

    /// The words of a command line for this cluster.
    fn options(&self) -> Vec<String> {
        let program = format!("--distributor={}", shipped("dask_cluster.py"));
        vec![program, format!("--distributor-arg={}", self.address)]
    }

    /// A script in place of offloadc that kills the first worker that runs it.
    fn killer(&self) -> PathBuf {
        let path = self.folder.path().join("killer");
        let (killed, offloadc) = (self.killed(), harness::offloadc());
        let script = format!(
            "#!/bin/sh\nif mkdir '{}' 2>/dev/null; then kill -9 $PPID; sleep 60; fi\nexec '{}' \"$@\"\n",
            killed.display(),
            offloadc.display()
        );
        fs::write(&path, script).expect("the folder is ours");
        run(Command::new("chmod").arg("+x").arg(&path)).success();
        path
    }

    /// Exists if a worker has been killed.
    fn killed(&self) -> PathBuf {
        self.folder.path().join("killed")
    }

    /// The number of processes that have ended.
    fn ended(&mut self) -> usize {
        self.processes.iter_mut().filter_map(|process| process.try_wait().expect("it is ours")).count()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for process in &mut self.processes {
            // A process may have ended.
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

/// The address in the file that the scheduler writes.
fn address(file: &Path) -> String {
    let start = Instant::now();
    loop {
        let json = fs::read_to_string(file).ok().and_then(|text| serde_json::from_str::<serde_json::Value>(&text).ok());
        if let Some(address) = json.as_ref().and_then(|json| json["address"].as_str()) {
            return address.to_owned();
        }
        assert!(start.elapsed() < Duration::from_secs(60), "the scheduler has not started");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn workers_elsewhere_make_the_same_object_and_none_is_missed() {
    let mut cluster = Cluster::new();
    let place = Place::new();
    let (wanted, _) = place.object(&[ARCHS]);
    let build = |more: &[String]| {
        let words = [&cluster.options(), more].concat();
        let words: Vec<&str> = words.iter().map(String::as_str).chain([ARCHS, "-o", "out.o"]).collect();
        let _ = fs::remove_file(place.path("out.o"));
        run(place.offloadc(&words).env("PYTHONPATH", packages()))
    };
    let object = || fs::read(place.path("out.o")).expect("the object was written");
    assert_eq!(build(&[]).success().stderr(), "");
    assert!(object() == wanted, "the object differs");
    let refused = build(&["--lld=none".to_owned()]);
    assert_eq!(refused.code(), 1, "{}", refused.report());
    for text in ["this is the job of kernel `turn` and 1 more", "for gfx90a\n", "[OFC0046]"] {
        assert!(refused.stderr().contains(text), "{}", refused.report());
    }
    assert!(!cluster.killed().exists());
    let outcome = build(&[format!("--distributor-arg=--offloadc={}", cluster.killer().display())]);
    assert_eq!(outcome.success().stderr(), "");
    assert!(object() == wanted, "the object of the worker that is left differs");
    assert_eq!((cluster.killed().exists(), cluster.ended()), (true, 1), "one worker was killed");
}

//! Traces of a program, `tests/trace/`, on every device: `OFFLOADRT_TRACE`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::Duration;

use harness::{Outcome, cargo, emulators, opencl, run_within};
use serde_json::Value;

/// The target folder, in which other archs replace the program.
static FOLDER: Mutex<()> = Mutex::new(());

const ARCHS: &str = "cpu,sm_80,gfx90a,spirv64";

/// The kernels of the program, in the order of their launches.
const LAUNCHED: [&str; 6] = [
    "shapes::inner::double",
    "shapes::fill<f32, 8>",
    "shapes::fill<u32, 4>",
    "works::{{closure}}::{{closure}}",
    "ask",
    "shapes::inner::double",
];

/// The time in nanoseconds by which the clock of a device may differ from that of the host, on a busy machine.
const CLOCKS: i64 = 1_000_000;

fn finish(command: &mut Command) -> Outcome {
    run_within(command, Duration::from_secs(300))
}

/// Builds the program.
fn program() -> PathBuf {
    let folder = cargo::offloadc_target();
    let mut command = cargo::cargo(&harness::root().join("tests/trace"));
    command.args(["offloadc", "build", "--locked", "--target-dir"]).arg(&folder);
    let _built = finish(command.arg(format!("--offload-arch={ARCHS}"))).success();
    folder.join("x86_64-unknown-linux-gnu/debug/trace")
}

/// An event.
struct Event(Value);

impl Event {
    fn text(&self, name: &str) -> &str {
        self.0[name].as_str().unwrap_or_else(|| panic!("no `{name}` in {}", self.0))
    }

    fn argument(&self, name: &str) -> &Value {
        &self.0["args"][name]
    }

    /// A time in nanoseconds.
    fn time(&self, name: &str) -> i64 {
        (self.0[name].as_f64().unwrap_or_else(|| panic!("no `{name}` in {}", self.0)) * 1e3).round() as i64
    }

    fn begin(&self) -> i64 {
        self.time("ts")
    }

    fn end(&self) -> i64 {
        self.begin() + self.time("dur")
    }

    /// The track, and whether it is a device's.
    fn track(&self) -> (i64, i64) {
        (self.0["pid"].as_i64().expect("each event has one"), self.0["tid"].as_i64().expect("each event has one"))
    }

    fn is_of_device(&self) -> bool {
        self.track().0 > 1 << 22
    }
}

/// Runs the program with a trace, and reads it.
fn trace(command: &mut Command, file: &Path) -> (Outcome, Vec<Event>) {
    let ran = finish(command.env("OFFLOADRT_TRACE", file)).success();
    let text = std::fs::read_to_string(file).expect("the program writes it");
    let Value::Array(events) = serde_json::from_str(&text).expect("it is JSON") else { panic!("no array: {text}") };
    (ran, events.into_iter().map(Event).collect())
}

fn of_category<'a>(events: &'a [Event], category: &str) -> Vec<&'a Event> {
    events.iter().filter(|event| event.0["cat"] == category).collect()
}

/// Checks the events that are the same on all devices.
fn check(events: &[Event], device: &str) {
    // The times of work on different streams are not ordered.
    let mut kernels = of_category(events, "kernel");
    let mut launches = of_category(events, "launch");
    launches.sort_by_key(|event| event.begin());
    let name = |event: &&Event| event.text("name").to_owned();
    let launched: Vec<_> = launches.iter().map(name).collect();
    assert_eq!(launched, LAUNCHED.map(|kernel| format!("launch {kernel}")), "{device}");
    for launch in &launches {
        // The work of one launch does not begin before it.
        let kernel = launch.argument("kernel");
        let of_kernel = |event: &&&Event| event.argument("kernel") == kernel && event.begin() >= launch.begin();
        let found = kernels.iter().filter(of_kernel).min_by_key(|event| event.begin());
        let work = *found.unwrap_or_else(|| panic!("{device}: no work of {}", launch.0));
        for name in ["device", "stream", "kernel", "symbol", "grid", "block", "shared_bytes"] {
            assert!(!work.argument(name).is_null() && work.argument(name) == launch.argument(name), "{}", work.0);
        }
        assert!(work.is_of_device() && !launch.is_of_device() && work.argument("device") == device, "{}", work.0);
        kernels.retain(|event| event.0 != work.0);
    }
    assert!(kernels.is_empty(), "{device}: more kernels than launches");
    let streams = |category| of_category(events, category).iter().filter(|event| event.is_of_device()).count();
    // Four buffers are filled, two are copied to the device and three from it; each is a call and work.
    assert_eq!((streams("copy"), of_category(events, "copy").len()), (9, 18), "{device}");
    check_tracks(events, device);
    let panics = of_category(events, "panic");
    let [panic] = panics[..] else { panic!("{device}: {} panics", panics.len()) };
    let message = panic.argument("message").as_str().expect("it is text");
    assert!(message.contains("the len is 64 but the index is 64 (block 0, thread 64)"), "{message}");
    let failed: Vec<_> = events.iter().filter(|event| !event.argument("error").is_null()).collect();
    assert!(failed.len() == 1 && failed[0].argument("error") == message, "{device}: the call that returned the error");
    // The function of the host runs while its kernel does, on a thread of the host. The times of the kernel are those
    // of another clock.
    let [ask, call] =
        [events.iter().find(|event| event.0["name"] == "ask"), of_category(events, "host_call").first().copied()]
            .map(|event| event.unwrap_or_else(|| panic!("{device}: no kernel or no call")));
    let is_inside = ask.begin() <= call.begin() + CLOCKS && call.end() <= ask.end() + CLOCKS;
    assert!(is_inside && !call.is_of_device(), "{} {}", ask.0, call.0);
}

/// Checks that the work of each stream and the gaps follow each other without holes, and that each track has a name.
fn check_tracks(events: &[Event], device: &str) {
    let spans = events.iter().filter(|event| event.is_of_device() && event.text("ph") == "X");
    let mut spans: Vec<_> = spans.collect();
    spans.sort_by_key(|event| (event.track(), event.begin()));
    let (mut tracks, mut gaps) = (1, 0);
    for pair in spans.windows(2) {
        let [before, after] = [pair[0], pair[1]];
        if before.track() == after.track() {
            assert_eq!(before.end(), after.begin(), "{device}: {} {}", before.0, after.0);
            gaps += usize::from(after.text("cat") == "gap");
        } else {
            tracks += 1;
        }
    }
    assert!(tracks == 2 && gaps > 0, "{device}: {tracks} streams, {gaps} gaps");
    for event in events.iter().filter(|event| event.text("ph") != "M") {
        let named = |what: &str| {
            let is_it = |other: &&Event| other.0["name"] == what && other.track().0 == event.track().0;
            events.iter().filter(is_it).filter(|other| what == "process_name" || other.track() == event.track()).count()
        };
        assert_eq!([named("process_name"), named("thread_name")], [1, 1], "{device}: {}", event.0);
    }
}

/// Checks that names are those of `rustc-demangle`, without the crate. The symbols of generic kernels and of closures
/// are offloadc's own; their names are in [`LAUNCHED`].
fn check_names(events: &[Event]) {
    let mut compared = 0;
    for event in of_category(events, "kernel") {
        let [name, symbol] = ["kernel", "symbol"].map(|part| event.argument(part).as_str().expect("it is text"));
        assert!(symbol.starts_with("_R") || symbol.starts_with("_ZN"), "{symbol}");
        let demangled = format!("{:#}", rustc_demangle::demangle(symbol));
        if !name.contains(['<', '{']) {
            assert_eq!(Some(name), demangled.strip_prefix("trace::"), "{symbol}");
            compared += 1;
        }
    }
    assert_eq!(compared, 3);
}

#[test]
fn on_every_device() {
    let _folder = cargo::hold(&FOLDER);
    let scratch = harness::scratch();
    let file = scratch.path().join("trace.json");
    let program = program();
    let (_, events) = trace(Command::new(&program).env("OFFLOADRT_DEVICE", "cpu"), &file);
    check(&events, "cpu");
    check_names(&events);
    if opencl::folder().is_some() {
        let (_, events) = trace(opencl::choose(&mut Command::new(&program)), &file);
        check(&events, "opencl:0");
    }
    for emulated in emulators::all().filter(|emulated| ARCHS.contains(emulated.arch)) {
        let (_, events) = trace(emulators::choose(&mut Command::new(&program), emulated), &file);
        check(&events, emulated.device);
        assert!(!of_category(&events, "load").is_empty());
    }
}

/// The difference between the trace and the program's clock, which is `measured`, in parts of the time.
fn difference(measured: i64, traced: i64) -> f64 {
    (measured - traced).abs() as f64 / measured as f64
}

/// Kernels of about 1, 10 and 100 ms: the program measures each launch with its wait. Another process can take the
/// processor between two readings of a clock, so of several runs of each kernel, the closest one counts.
#[test]
fn times_are_those_of_the_programs_clock() {
    let _folder = cargo::hold(&FOLDER);
    let scratch = harness::scratch();
    let file = scratch.path().join("trace.json");
    let mut command = Command::new(program());
    let (ran, events) = trace(command.arg("times").env("OFFLOADRT_DEVICE", "cpu"), &file);
    let text = ran.stdout();
    let measured = text.lines().map(|line| {
        let (name, nanoseconds) = line.split_once(' ').expect("a name and a number");
        (name, nanoseconds.parse::<i64>().expect("it is a number"))
    });
    let measured: Vec<_> = measured.collect();
    for kernel in ["spin_1", "spin_10", "spin_100"] {
        let work: Vec<_> = of_category(&events, "kernel").into_iter().filter(|e| e.text("name") == kernel).collect();
        let name = format!("launch {kernel}");
        let launches = events.iter().filter(|event| event.0["name"] == *name);
        let wait_after = |launch: &Event| {
            let waits = of_category(&events, "wait").into_iter().filter(|wait| wait.begin() >= launch.end());
            waits.min_by_key(|wait| wait.begin()).expect("the program waits after each launch")
        };
        let calls: Vec<_> = launches.map(|launch| wait_after(launch).end() - launch.begin()).collect();
        let own: Vec<_> = measured.iter().filter(|(name, _)| *name == kernel).map(|(_, time)| *time).collect();
        assert!(own.len() >= 3 && own.len() == work.len() && own.len() == calls.len(), "{kernel}: {text}");
        let closest = |traced: &mut dyn Iterator<Item = i64>| {
            own.iter().zip(traced).map(|(own, traced)| difference(*own, traced)).fold(f64::MAX, f64::min)
        };
        let of_calls = closest(&mut calls.iter().copied());
        let of_work = closest(&mut work.iter().map(|event| event.time("dur")));
        assert!(of_calls <= 0.02 && of_work <= 0.02, "{kernel}: {of_calls} {of_work}: {own:?} {calls:?}");
    }
}

/// The spans of the crate `tracing`, which a subscriber of the program prints.
#[test]
fn spans_have_the_calls_of_the_host() {
    let _folder = cargo::hold(&FOLDER);
    let mut command = Command::new(program());
    let text = finish(command.arg("spans").env("OFFLOADRT_DEVICE", "cpu")).success().stdout();
    let of = |name: &str| text.lines().filter(|line| line.split(' ').next() == Some(name)).collect::<Vec<_>>();
    let launched = of("launch");
    let kernels =
        ["shapes::inner::double", "shapes::fill<f32", "shapes::fill<u32", "works::{{closure}}", "ask", "double"];
    assert_eq!(launched.len(), kernels.len(), "{text}");
    for (line, kernel) in launched.iter().zip(kernels) {
        assert!(line.starts_with("launch device=\"cpu\" kernel=\"trace::") && line.contains(kernel), "{line}");
    }
    assert!(launched[0].ends_with(" grid=(2, 1, 1) block=(32, 1, 1)"), "{text}");
    for copy in ["direction=\"to_device\" bytes=256", "direction=\"to_host\" bytes=64"] {
        assert!(of("copy").contains(&&*format!("copy device=\"cpu\" {copy}")), "{text}");
    }
    assert_eq!((of("copy").len(), of("fill").len()), (5, 4), "{text}");
    assert!(of("wait").contains(&"wait device=\"cpu\""), "{text}");
}

//! `--time-trace`: the time of each stage and tool, as a Chrome trace with one lane for each job. If it is off, a stage
//! costs one branch.
//!
//! No other output contains times.
//!
//! The format is "Trace Event Format", with the events `X` (complete) and `M` (names), and with times in microseconds.

use crate::error::Result;
use crate::stage::Stage;
use crate::system::output::Sink;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// Collects the lanes of all threads. Copies record into the same trace.
#[derive(Clone, Debug)]
pub struct Trace {
    /// `None` if nothing is recorded.
    recorder: Option<Arc<Recorder>>,
}

#[derive(Debug)]
struct Recorder {
    start: Instant,
    /// The same in the system's time, so that traces of several processes can be compared.
    system_start: SystemTime,
    lanes: Mutex<Vec<(String, Vec<Event>)>>,
}

#[derive(Debug)]
struct Event {
    name: String,
    category: &'static str,
    begin: Duration,
    length: Duration,
}

impl Trace {
    /// Starts the clock if the trace is on.
    pub fn new(on: bool) -> Self {
        let recorder =
            || Arc::new(Recorder { start: Instant::now(), system_start: SystemTime::now(), lanes: Mutex::default() });
        Self { recorder: on.then(recorder) }
    }

    /// A lane with the name of its job: `host`, `sm_80`. Lanes with the same name are merged.
    pub fn lane(&self, name: &str) -> Lane {
        Lane { recorder: self.recorder.clone(), name: name.to_string(), events: RefCell::default() }
    }

    /// Writes the trace. It does not contain lanes that still exist.
    pub fn write(&self, path: &Path) -> Result<()> {
        Sink::new(path).write(self.json().to_string().as_bytes())
    }

    fn json(&self) -> Value {
        let events = self.recorder.as_ref().map_or(Vec::new(), |recorder| recorder.events());
        // clang's word, in microseconds as there.
        let start = self.recorder.as_ref().and_then(|r| r.system_start.duration_since(SystemTime::UNIX_EPOCH).ok());
        let start = start.unwrap_or_default().as_micros() as u64;
        json!({"displayTimeUnit": "ms", "beginningOfTime": start, "traceEvents": events})
    }
}

impl Recorder {
    /// A panic in another thread cannot leave the list in an invalid state.
    fn lanes(&self) -> MutexGuard<'_, Vec<(String, Vec<Event>)>> {
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn events(&self) -> Vec<Value> {
        let mut lanes = self.lanes();
        // The order in which threads end is random; the order of their first events is not.
        lanes.sort_by_key(|(_, events)| events.iter().map(|event| event.begin).min());
        let mut names: Vec<&str> = Vec::new();
        let mut events: Vec<Value> = Vec::new();
        for (name, lane) in lanes.iter() {
            let number = names.iter().position(|seen| seen == name).unwrap_or_else(|| {
                names.push(name);
                let arguments = json!({"name": name});
                events.push(json!({"ph": "M", "name": "thread_name", "pid": 1, "tid": names.len(), "args": arguments}));
                names.len() - 1
            });
            events.extend(lane.iter().map(|event| event.json(number + 1)));
        }
        events
    }
}

impl Event {
    fn json(&self, lane: usize) -> Value {
        let micros = |time: Duration| time.as_secs_f64() * 1e6;
        json!({
            "ph": "X",
            "name": self.name,
            "cat": self.category,
            "pid": 1,
            "tid": lane,
            "ts": micros(self.begin),
            "dur": micros(self.length),
        })
    }
}

/// The events of one job, in order. It belongs to one thread; its events are added to the trace when it is dropped.
#[derive(Debug)]
pub struct Lane {
    recorder: Option<Arc<Recorder>>,
    name: String,
    events: RefCell<Vec<Event>>,
}

impl Lane {
    /// Runs a stage and records its time.
    pub fn stage<T>(&self, stage: Stage, run: impl FnOnce() -> T) -> T {
        self.event(stage.name(), "stage", run)
    }

    /// Runs a pass.
    pub fn pass<T>(&self, name: &str, run: impl FnOnce() -> T) -> T {
        self.event(name, "pass", run)
    }

    /// Runs an external tool and records its time.
    pub fn tool<T>(&self, name: &str, run: impl FnOnce() -> T) -> T {
        self.event(name, "tool", run)
    }

    fn event<T>(&self, name: &str, category: &'static str, run: impl FnOnce() -> T) -> T {
        let begin = self.now();
        let result = run();
        if let Some(begin) = begin {
            self.end(name, category, begin);
        }
        result
    }

    /// The time since the trace began, if there is one.
    fn now(&self) -> Option<Duration> {
        self.recorder.as_ref().map(|recorder| recorder.start.elapsed())
    }

    /// Adds an event that ends now.
    fn end(&self, name: &str, category: &'static str, begin: Duration) {
        let length = self.now().unwrap_or(begin) - begin;
        self.events.borrow_mut().push(Event { name: name.to_string(), category, begin, length });
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        let events = self.events.take();
        if let (Some(recorder), false) = (&self.recorder, events.is_empty()) {
            recorder.lanes().push((std::mem::take(&mut self.name), events));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_job_has_a_lane_with_its_stages_and_tools() {
        let trace = Trace::new(true);
        assert_eq!(trace.lane("offloadc").stage(Stage::Read, || 7), 7);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let lane = trace.lane("sm_80");
                lane.stage(Stage::Image, || lane.tool("ptxas", || ()));
            });
        });
        trace.lane("offloadc").stage(Stage::Bundle, || ());

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trace.json");
        trace.write(&path).unwrap();
        let value: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        let events = value["traceEvents"].as_array().unwrap();
        let shown: Vec<String> = events.iter().map(|e| format!("{} {} {}", e["ph"], e["tid"], e["name"])).collect();
        let expected = [
            "\"M\" 1 \"thread_name\"",
            "\"X\" 1 \"read\"",
            "\"M\" 2 \"thread_name\"",
            "\"X\" 2 \"ptxas\"",
            "\"X\" 2 \"image\"",
            "\"X\" 1 \"bundle\"",
        ];
        assert_eq!(shown, expected);
        assert_eq!(events[2]["args"]["name"], "sm_80");
        assert!(events[4]["ts"].as_f64() <= events[3]["ts"].as_f64());
    }

    #[test]
    fn nothing_is_recorded_when_off() {
        let trace = Trace::new(false);
        trace.lane("offloadc").stage(Stage::Read, || ());
        assert_eq!(trace.json()["traceEvents"], json!([]));
    }
}

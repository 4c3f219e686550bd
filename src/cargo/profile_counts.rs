//! The files that a profiled program has written: its trace, and the counts of lines.
//!
//! A trace is an array of Chrome's events with one event on each line. Only the spans of devices are read, which
//! `runtime-c/trace/trace.h` describes. The counts are lines of JSON, one for each kernel (`runtime-c/trace/profile.c`,
//! `emulators/core/src/profile.rs`).

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// The profile of all processes. Everything is in a fixed order.
#[derive(Debug, Default)]
pub(super) struct Profile {
    /// The kernels of each device, by the device and the symbol.
    pub(super) kernels: BTreeMap<(String, String), Times>,
    /// The copies of each device, by the device and the direction.
    pub(super) copies: BTreeMap<(String, String), Times>,
    /// The counts of each device, by the device and the symbol.
    pub(super) counted: BTreeMap<(String, String), Counted>,
}

/// Spans of one kind.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Times {
    /// The name in tables.
    pub(super) name: String,
    pub(super) count: u64,
    /// The sum of the times in microseconds, and the shortest and the longest one.
    pub(super) total: f64,
    pub(super) shortest: f64,
    pub(super) longest: f64,
    /// The bytes of copies.
    pub(super) bytes: u64,
}

/// The counts of a kernel, or of a function that kernels call.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Counted {
    /// The path of the kernel, or of the function.
    pub(super) name: String,
    pub(super) is_kernel: bool,
    /// The launches and the warps of an emulated GPU; 0 on the CPU.
    pub(super) launches: u64,
    pub(super) warps: u64,
    pub(super) lines: BTreeMap<(String, u64), Line>,
}

/// The counts of a line. The CPU has no lanes, transactions and conflicts.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Line {
    pub(super) instructions: u64,
    pub(super) lanes: u64,
    pub(super) accesses: u64,
    pub(super) bytes: u64,
    pub(super) transactions: u64,
    pub(super) conflicts: u64,
}

impl Profile {
    /// Whether nothing has run.
    pub(super) fn is_empty(&self) -> bool {
        self.kernels.is_empty() && self.copies.is_empty() && self.counted.is_empty()
    }

    /// Adds a trace. Its last line may be missing if the program was ended.
    pub(super) fn add_trace(&mut self, text: &str) {
        let events = text.lines().filter_map(|line| {
            let line = line.trim().trim_start_matches('[').trim_end_matches([',', ']']);
            serde_json::from_str::<Value>(line).ok()
        });
        let events: Vec<_> = events.filter(|event| event["ph"] == "X").collect();
        // The same copy is a call of the host and work of a device. Each device is opened by a thread of the host.
        let host: Vec<_> = events.iter().filter(|event| event["cat"] == "device").map(|event| &event["pid"]).collect();
        for event in events.iter().filter(|event| !host.contains(&&event["pid"])) {
            let argument = |name: &str| text_of(&event["args"][name]);
            let (kinds, key, name) = match event["cat"].as_str() {
                Some("kernel") => (&mut self.kernels, argument("symbol"), argument("kernel")),
                Some("copy") => (&mut self.copies, argument("direction"), text_of(&event["name"])),
                _ => continue,
            };
            let bytes = event["args"]["bytes"].as_u64().unwrap_or(0);
            kinds.entry((argument("device"), key)).or_default().add(name, event["dur"].as_f64().unwrap_or(0.0), bytes);
        }
    }

    /// Adds lines of counts. The error names the line that is not one.
    pub(super) fn add_counts(&mut self, text: &str) -> Result<(), String> {
        for (number, line) in text.lines().enumerate() {
            let read = serde_json::from_str::<Value>(line).ok().and_then(|counts| self.add_kernel(&counts));
            read.ok_or_else(|| format!("the counts of the program are damaged in line {}: `{line}`", number + 1))?;
        }
        Ok(())
    }

    fn add_kernel(&mut self, counts: &Value) -> Option<()> {
        let number = |value: &Value| value.as_u64().unwrap_or(0);
        let (kernel, function) = (counts["kernel"].as_str(), counts["function"].as_str());
        let key = (counts["device"].as_str()?.to_owned(), counts["symbol"].as_str()?.to_owned());
        let all = self.counted.entry(key).or_default();
        all.name = kernel.or(function)?.to_owned();
        all.is_kernel = kernel.is_some();
        all.launches += number(&counts["launches"]);
        all.warps += number(&counts["warps"]);
        for line in counts["lines"].as_array()? {
            let own = all.lines.entry((text_of(&line["file"]), line["line"].as_u64()?)).or_default();
            own.add(&Line {
                instructions: line["instructions"].as_u64()?,
                lanes: number(&line["lanes"]),
                accesses: number(&line["accesses"]),
                bytes: number(&line["bytes"]),
                transactions: number(&line["transactions"]),
                conflicts: number(&line["conflicts"]),
            });
        }
        Some(())
    }

    /// The whole profile as one object of JSON on a line.
    pub(super) fn json(&self) -> String {
        let times = |all: &BTreeMap<(String, String), Times>, kind: &str| -> Vec<Value> {
            let one = |((device, key), times): (&(String, String), &Times)| {
                let mut value = json!({
                    "device": device, "name": times.name, kind: key, "count": times.count,
                    "total_us": times.total, "shortest_us": times.shortest, "longest_us": times.longest,
                });
                if kind == "direction" {
                    value["bytes"] = times.bytes.into();
                }
                value
            };
            all.iter().map(one).collect()
        };
        let counted: Vec<_> = self.counted.iter().map(|((device, symbol), all)| all.json(device, symbol)).collect();
        let (kernels, copies) = (times(&self.kernels, "symbol"), times(&self.copies, "direction"));
        format!("{}\n", json!({ "kernels": kernels, "copies": copies, "lines": counted }))
    }
}

impl Times {
    fn add(&mut self, name: String, time: f64, bytes: u64) {
        self.shortest = if self.count == 0 { time } else { self.shortest.min(time) };
        self.longest = self.longest.max(time);
        (self.name, self.count, self.total) = (name, self.count + 1, self.total + time);
        self.bytes += bytes;
    }
}

impl Counted {
    /// The sum of all lines.
    pub(super) fn total(&self) -> Line {
        self.lines.values().fold(Line::default(), |mut all, line| {
            all.add(line);
            all
        })
    }

    fn json(&self, device: &str, symbol: &str) -> Value {
        let lines: Vec<_> = self.lines.iter().map(|((file, number), line)| line.json(file, *number)).collect();
        let kind = if self.is_kernel { "kernel" } else { "function" };
        let mut value = json!({ "device": device, kind: self.name, "symbol": symbol, "lines": lines });
        if self.warps != 0 {
            (value["launches"], value["warps"]) = (self.launches.into(), self.warps.into());
        }
        value
    }
}

impl Line {
    fn add(&mut self, other: &Line) {
        self.instructions += other.instructions;
        self.lanes += other.lanes;
        self.accesses += other.accesses;
        self.bytes += other.bytes;
        self.transactions += other.transactions;
        self.conflicts += other.conflicts;
    }

    fn json(&self, file: &str, number: u64) -> Value {
        let Line { instructions, lanes, accesses, bytes, transactions, conflicts } = self;
        let mut value = json!({
            "file": file, "line": number, "instructions": instructions, "accesses": accesses, "bytes": bytes,
        });
        if *lanes != 0 {
            let own = [("lanes", lanes), ("transactions", transactions), ("conflicts", conflicts)];
            own.into_iter().for_each(|(name, count)| value[name] = (*count).into());
        }
        value
    }
}

fn text_of(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Two launches and a copy, which the host's track also has.
    pub(in crate::cargo) const TRACE: &str = r#"[
{"ph":"M","name":"process_name","pid":70,"tid":70,"args":{"name":"app"}},
{"ph":"X","name":"open","cat":"device","pid":70,"tid":70,"ts":1.000,"dur":9.000,"args":{"device":"cpu"}},
{"ph":"X","name":"copy to device","cat":"copy","pid":70,"tid":70,"ts":9.0,"dur":3.0,"args":{"device":"cpu","stream":0,"direction":"to_device","bytes":4000}},
{"ph":"X","name":"copy to device","cat":"copy","pid":4194374,"tid":1,"ts":10.0,"dur":2.0,"args":{"device":"cpu","stream":0,"direction":"to_device","bytes":4000}},
{"ph":"X","name":"launch saxpy","cat":"launch","pid":70,"tid":70,"ts":12.0,"dur":1.0,"args":{"device":"cpu","kernel":"saxpy","symbol":"_s"}},
{"ph":"X","name":"saxpy","cat":"kernel","pid":4194374,"tid":1,"ts":12.0,"dur":1000.5,"args":{"device":"cpu","stream":0,"kernel":"saxpy","symbol":"_s"}},
{"ph":"X","name":"saxpy","cat":"kernel","pid":4194374,"tid":1,"ts":2000.0,"dur":500.0,"args":{"device":"cpu","stream":0,"kernel":"saxpy","symbol":"_s"}},
{"ph":"X","name":"saxpy","cat":"kernel","pid":41943"#;

    /// A kernel of the CPU and one of an emulated GPU, in two processes.
    pub(in crate::cargo) const COUNTS: &str = r#"{"device": "cpu", "arch": "cpu", "kernel": "app::saxpy", "symbol": "_s", "lines": [{"file": "", "line": 0, "instructions": 30, "accesses": 5, "bytes": 40}, {"file": "/none/main.rs", "line": 8, "instructions": 90, "accesses": 20, "bytes": 80}]}
{"device": "cpu", "arch": "cpu", "function": "app::part", "symbol": "_p", "lines": [{"file": "/none/main.rs", "line": 3, "instructions": 7, "accesses": 0, "bytes": 0}]}
{"device": "cuda:0", "arch": "sm_80", "kernel": "app::saxpy", "symbol": "_s", "launches": 1, "warps": 2, "lines": [{"file": "/none/main.rs", "line": 8, "instructions": 4, "lanes": 120, "accesses": 2, "bytes": 256, "transactions": 8, "conflicts": 0}]}
{"device": "cuda:0", "arch": "sm_80", "kernel": "app::saxpy", "symbol": "_s", "launches": 1, "warps": 2, "lines": [{"file": "/none/main.rs", "line": 8, "instructions": 4, "lanes": 120, "accesses": 2, "bytes": 256, "transactions": 8, "conflicts": 3}]}
"#;

    #[test]
    fn only_spans_of_devices_count() {
        let mut profile = Profile::default();
        profile.add_trace(TRACE);
        let key = |name: &str| ("cpu".to_owned(), name.to_owned());
        let name = "saxpy".to_owned();
        let kernel = Times { name, count: 2, total: 1500.5, shortest: 500.0, longest: 1000.5, bytes: 0 };
        assert_eq!(profile.kernels, BTreeMap::from([(key("_s"), kernel)]));
        let name = "copy to device".to_owned();
        let copy = Times { name, count: 1, total: 2.0, shortest: 2.0, longest: 2.0, bytes: 4000 };
        assert_eq!(profile.copies, BTreeMap::from([(key("to_device"), copy)]));
    }

    #[test]
    fn counts_of_processes_are_added() {
        let mut profile = Profile::default();
        profile.add_counts(COUNTS).unwrap();
        let gpu = &profile.counted[&("cuda:0".to_owned(), "_s".to_owned())];
        assert_eq!((gpu.launches, gpu.warps, gpu.is_kernel), (2, 4, true));
        let line = Line { instructions: 8, lanes: 240, accesses: 4, bytes: 512, transactions: 16, conflicts: 3 };
        assert_eq!(gpu.lines, BTreeMap::from([(("/none/main.rs".to_owned(), 8), line)]));
        assert!(!profile.counted[&("cpu".to_owned(), "_p".to_owned())].is_kernel);
        let written: Value = serde_json::from_str(&profile.json()).unwrap();
        assert_eq!(written["lines"][1]["lines"][1]["instructions"], 90);
        assert_eq!(written["lines"][2]["lines"][0]["transactions"], 16);
    }

    #[test]
    fn damaged_counts_are_an_error() {
        let error = Profile::default().add_counts("{\"device\": \"cpu\"}\n").unwrap_err();
        assert!(error.contains("line 1"), "{error}");
    }
}

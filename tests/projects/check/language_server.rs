//! A client of a language server, as an editor is.

use std::io::{BufRead, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How long a check and the server's own work may take.
const LIMIT: Duration = Duration::from_secs(600);

/// The line and the code of each diagnostic of a file, after a server has opened and checked it.
pub(super) fn diagnostics(mut program: Command, folder: &Path, file: &Path, check: &[String]) -> Vec<(u64, String)> {
    let server = program.current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut server = Server::start(server.spawn().expect("the server starts"));
    let settings = json!({
        "check": { "overrideCommand": check },
        "checkOnSave": true,
        "cachePriming": { "enable": false },
        "cargo": { "buildScripts": { "enable": false } },
        // Those are the server's own.
        "diagnostics": { "enable": false },
        "procMacro": { "enable": false },
    });
    server.ask(
        "initialize",
        &json!({
            "processId": null,
            "rootUri": uri(folder),
            "capabilities": {
                "window": { "workDoneProgress": true },
                "textDocument": { "publishDiagnostics": { "relatedInformation": true } },
            },
            "initializationOptions": settings,
        }),
    );
    let _ = server.wait_for(|message| message["id"] == 1 && message["result"].is_object());
    server.tell("initialized", &json!({}));
    let text = std::fs::read_to_string(file).expect("the test's own file");
    let document = json!({ "uri": uri(file), "languageId": "rust", "version": 1, "text": text });
    server.tell("textDocument/didOpen", &json!({ "textDocument": document }));
    server.wait_for_checks(&settings);
    server.tell("textDocument/didSave", &json!({ "textDocument": { "uri": uri(file) } }));
    server.wait_for_checks(&settings);
    let found = server.last(&uri(file));
    server.stop();
    let line = |value: &Value| value["range"]["start"]["line"].as_u64().expect("a line") + 1;
    let code = |value: &Value| value["code"].as_str().unwrap_or_default().to_owned();
    // The notes of a diagnostic are hints at the places of the chain, too.
    let errors = found.iter().filter(|value| value["severity"] == 1);
    errors.map(|value| (line(value), code(value))).collect()
}

fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

/// A server, and all of its messages.
struct Server {
    process: Child,
    input: ChildStdin,
    output: Receiver<Value>,
    said: Vec<Value>,
    /// How many of them have been looked at.
    seen: usize,
    asked: u64,
}

impl Server {
    fn start(mut process: Child) -> Self {
        let input = process.stdin.take().expect("it is a pipe");
        let mut reader = BufReader::new(process.stdout.take().expect("it is a pipe"));
        let (sender, output) = channel();
        std::thread::spawn(move || {
            while let Some(message) = read(&mut reader) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Self { process, input, output, said: Vec::new(), seen: 0, asked: 0 }
    }

    fn ask(&mut self, method: &str, parameters: &Value) {
        self.asked += 1;
        let id = self.asked;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": parameters }));
    }

    fn tell(&mut self, method: &str, parameters: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": parameters }));
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("the server reads");
        self.input.flush().expect("the server reads");
    }

    /// Waits for a message that has not been looked at.
    fn wait_for(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        let end = Instant::now() + LIMIT;
        loop {
            while let Some(message) = self.said.get(self.seen) {
                self.seen += 1;
                if is_it(message) {
                    return message.clone();
                }
            }
            let left = end.saturating_duration_since(Instant::now());
            let message = self.output.recv_timeout(left).unwrap_or_else(|_| panic!("{:#?}", self.said));
            self.said.push(message);
        }
    }

    /// Waits until the command for checks has ended, and answers the server's questions.
    fn wait_for_checks(&mut self, settings: &Value) {
        loop {
            let of_check = |message: &Value| {
                let token = message["params"]["token"].as_str().unwrap_or_default();
                token.contains("flycheck") && message["params"]["value"]["kind"] == "end"
            };
            let is_question = |message: &Value| message["id"].is_number() && message["method"].is_string();
            let message = self.wait_for(|message| of_check(message) || is_question(message));
            if of_check(&message) {
                return;
            }
            let items = message["params"]["items"].as_array().map_or(0, Vec::len);
            let result = match items {
                0 => Value::Null,
                items => Value::from(vec![settings.clone(); items]),
            };
            self.send(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }));
        }
    }

    /// The diagnostics that a file has now.
    fn last(&mut self, uri: &str) -> Vec<Value> {
        // They may follow the end of the check.
        while let Ok(message) = self.output.recv_timeout(Duration::from_secs(5)) {
            self.said.push(message);
        }
        let of_file = |message: &&Value| {
            message["method"] == "textDocument/publishDiagnostics" && message["params"]["uri"] == uri
        };
        let last = self.said.iter().rev().find(of_file).unwrap_or_else(|| panic!("{:#?}", self.said));
        last["params"]["diagnostics"].as_array().expect("a list").clone()
    }

    fn stop(mut self) {
        self.ask("shutdown", &Value::Null);
        self.tell("exit", &Value::Null);
        let _ = self.process.wait();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
    }
}

/// A message; none at the end.
fn read(from: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if from.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end().split_once(": ") {
            Some(("Content-Length", value)) => length = value.parse().ok()?,
            Some(_) => {}
            None => break,
        }
    }
    let mut bytes = vec![0; length];
    from.read_exact(&mut bytes).ok()?;
    serde_json::from_slice(&bytes).ok()
}

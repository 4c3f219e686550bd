//! The cache on a server: no answer of a server, and no missing answer, changes a byte of the output.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use harness::{Outcome, run};
use tempfile::TempDir;

const PROGRAM: &str = "target triple = \"x86_64-unknown-linux-gnu\"\n\
    define ptx_kernel void @k(ptr %p) {\n  store i32 1, ptr %p\n  ret void\n}\n";
/// The images for two archs, and the host object.
const ENTRIES: usize = 4;

/// A folder with a program and a cache.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(harness::scratch());
        fs::write(place.path("in.ll"), PROGRAM).expect("the folder can be written");
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn command(&self, options: &[&str]) -> Command {
        let mut command = Command::new(harness::offloadc());
        let _ = command.current_dir(self.0.path()).args(["in.ll", "--offload-arch=cpu,gfx90a", "-o", "out.o"]);
        for name in
            ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "https_proxy", "HTTPS_PROXY", "SSL_CERT_FILE"]
        {
            let _ = command.env_remove(name);
        }
        let _ = command.env("OFFLOADC_CACHE_TOKEN", "secret").env("OFFLOADC_CACHE_TIMEOUT", "1").args(options);
        command
    }

    fn output(&self, outcome: Outcome) -> (Vec<u8>, String) {
        let said = outcome.success().stderr();
        (fs::read(self.path("out.o")).expect("the object was written"), said)
    }

    fn compiled(&self) -> Vec<u8> {
        self.output(run(&mut self.command(&["--no-cache"]))).0
    }

    /// The object with an empty folder and this server, and the messages.
    fn with_server(&self, url: &str) -> (Vec<u8>, String) {
        let _ = fs::remove_dir_all(self.path("cache"));
        let remote = format!("--cache-remote={url}");
        self.output(run(&mut self.command(&["--cache-dir=cache", "--cache-why", &remote])))
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    files.sort();
    files
}

/// Debian's nginx, which stores the received files below `files/`.
struct Nginx {
    folder: TempDir,
    port: u16,
    child: Child,
    scheme: &'static str,
}

impl Nginx {
    /// None if there is no nginx.
    fn start() -> Option<Self> {
        Self::start_with("http")
    }

    /// With `https`, its certificate is `server.pem` in its folder, which `ca.pem` has signed.
    fn start_with(scheme: &'static str) -> Option<Self> {
        let unpacked = harness::root().join("target/tools/nginx/usr/sbin/nginx");
        let Some(program) = Some(unpacked).filter(|path| path.exists()).or_else(|| harness::find_program("nginx"))
        else {
            eprintln!("skipped: nginx is not there; `scripts/deps tests` unpacks it");
            return None;
        };
        let folder = harness::scratch();
        let at = folder.path().display().to_string();
        fs::create_dir(folder.path().join("files")).expect("it is ours");
        let port = free_port();
        let tls = if scheme == "https" {
            certificates(folder.path());
            format!(" ssl;\nssl_certificate \"{at}/server.pem\";\nssl_certificate_key \"{at}/server.key\"")
        } else {
            String::new()
        };
        let temporaries: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|name| format!("{name}_temp_path \"{at}/{name}\";\n"))
            .concat();
        let text = format!(
            "user root;\ndaemon off;\nmaster_process off;\npid \"{at}/pid\";\nerror_log \"{at}/errors\";\nevents {{}}\n\
             http {{\naccess_log \"{at}/accesses\";\n{temporaries}client_max_body_size 0;\n\
             server {{\nlisten 127.0.0.1:{port}{tls};\nroot \"{at}/files\";\nlocation / {{\n\
             if ($http_authorization != \"Bearer secret\") {{ return 403; }}\n\
             dav_methods PUT;\ncreate_full_put_path on;\n}}\n}}\n}}\n"
        );
        let configuration = folder.path().join("nginx.conf");
        fs::write(&configuration, text).expect("it is ours");
        let mut command = Command::new(program);
        let _ = command.arg("-c").arg(&configuration).arg("-p").arg(folder.path()).stderr(Stdio::null());
        let server = Self { child: command.spawn().expect("nginx starts"), folder, port, scheme };
        server.wait_until_ready();
        Some(server)
    }

    fn wait_until_ready(&self) {
        let start = Instant::now();
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            let errors = fs::read_to_string(self.folder.path().join("errors")).unwrap_or_default();
            assert!(start.elapsed() < Duration::from_secs(20), "nginx does not listen: {errors}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn url(&self) -> String {
        format!("{}://127.0.0.1:{}/below/a/prefix", self.scheme, self.port)
    }

    fn files(&self) -> Vec<PathBuf> {
        files(&self.folder.path().join("files/below/a/prefix"))
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Makes `ca.pem`, the certificate of an authority of our own, and `server.pem`, which it has signed for this machine.
fn certificates(folder: &Path) {
    let make = |name: &str, more: &[&str]| {
        let mut command = Command::new("openssl");
        let _ = command.current_dir(folder).args(["req", "-x509", "-newkey", "ec", "-pkeyopt"]);
        let _ =
            command.args(["ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj"]).arg(format!("/CN={name}"));
        let _ = command.args(["-out", &format!("{name}.pem"), "-keyout", &format!("{name}.key")]).args(more);
        let _ = run(&mut command).success();
    };
    make("ca", &[]);
    let names = ["-addext", "subjectAltName=IP:127.0.0.1", "-addext", "basicConstraints=critical,CA:FALSE"];
    make("server", &[&["-CA", "ca.pem", "-CAkey", "ca.key"], &names[..]].concat());
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    listener.local_addr().expect("it has an address").port()
}

#[test]
fn a_server_gives_what_another_machine_has_compiled() {
    let Some(server) = Nginx::start() else { return };
    let place = Place::new();
    let wanted = place.compiled();
    let (first, missed) = place.with_server(&server.url());
    assert_eq!((server.files().len(), missed.matches("is not in the cache").count()), (ENTRIES, ENTRIES), "{missed}");
    let (second, said) = place.with_server(&format!("{}/", server.url()));
    assert!(first == wanted && second == wanted);
    assert_eq!(said, "", "everything is on the server");
    let folders = files(&place.path("cache/entries"));
    let kept: usize = folders.iter().map(|folder| files(folder).len()).sum();
    assert_eq!(kept, ENTRIES, "the folder has received the entries, too");
}

#[test]
fn a_server_with_a_certificate_of_ones_own_needs_its_root() {
    let Some(server) = Nginx::start_with("https") else { return };
    let place = Place::new();
    let wanted = place.compiled();
    let with_roots = |file: &str, folder: &str| {
        let options =
            [&format!("--cache-dir={folder}")[..], "--cache-why", &format!("--cache-remote={}", server.url())];
        let mut command = place.command(&options);
        let (bytes, said) = place.output(run(command.env("SSL_CERT_FILE", file)));
        assert!(bytes == wanted, "{file}: the output differs");
        said
    };
    let in_folder = |name: &str| server.folder.path().join(name).display().to_string();
    let (_, unknown) = place.with_server(&server.url());
    assert!(unknown.contains("OFC0043") && unknown.contains("certificate"), "{unknown}");
    for (file, reason) in [
        (in_folder("nothing"), "No such file"),
        (in_folder("server.key"), "there is no certificate"),
        (in_folder("nginx.conf"), "there is no certificate"),
    ] {
        let said = with_roots(&file, "wrong");
        assert_eq!(said.matches("OFC0043").count(), 1, "{file}: {said}");
        assert!(said.contains(reason), "{file}: {said}");
    }
    assert!(server.files().is_empty(), "nothing was sent without a check");
    let missed = with_roots(&in_folder("ca.pem"), "first");
    assert_eq!((server.files().len(), missed.matches("is not in the cache").count()), (ENTRIES, ENTRIES), "{missed}");
    assert_eq!(with_roots(&in_folder("ca.pem"), "second"), "", "everything is on the server");
}

#[test]
fn a_server_that_is_only_read_receives_nothing() {
    let Some(server) = Nginx::start() else { return };
    let place = Place::new();
    let mut command = place.command(&["--cache-dir=cache"]);
    let outcome = run(command.env("OFFLOADC_CACHE_READ_ONLY", "1").env("OFFLOADC_CACHE_REMOTE", server.url()));
    assert_eq!(place.output(outcome), (place.compiled(), String::new()));
    assert!(server.files().is_empty());
}

#[test]
fn a_wrong_token_is_a_warning() {
    let Some(server) = Nginx::start() else { return };
    let place = Place::new();
    let remote = format!("--cache-remote={}", server.url());
    let mut command = place.command(&["--cache-dir=cache", &remote]);
    let (bytes, said) = place.output(run(command.env("OFFLOADC_CACHE_TOKEN", "wrong")));
    assert!(bytes == place.compiled());
    assert!(said.contains("the server answers with status 403") && !said.contains("wrong"), "{said}");
}

#[test]
fn entries_on_a_server_that_are_damaged_or_of_another_key_are_not_used() {
    let Some(server) = Nginx::start() else { return };
    let place = Place::new();
    let (wanted, _) = place.with_server(&server.url());
    let files = server.files();
    let contents: Vec<_> = files.iter().map(|file| fs::read(file).expect("it is there")).collect();
    let damaged = |bytes: &Vec<u8>| {
        let mut bytes = bytes.clone();
        let at = bytes.len() * 2 / 3;
        bytes[at] ^= 1;
        bytes
    };
    let half = |bytes: &Vec<u8>| bytes[..bytes.len() / 2].to_vec();
    let mut others = contents.clone();
    others.rotate_left(1);
    let cases = [others, contents.iter().map(damaged).collect(), contents.iter().map(half).collect()];
    for case in cases {
        files.iter().zip(&case).for_each(|(file, bytes)| fs::write(file, bytes).expect("it is ours"));
        let (bytes, said) = place.with_server(&server.url());
        assert!(bytes == wanted);
        assert_eq!(said.matches("OFC0043").count(), 1, "{said}");
        assert!(said.contains("is not the entry of its key"), "{said}");
    }
}

/// How a hostile server answers a connection.
type Answer = fn(TcpStream);

fn read_head(stream: &mut TcpStream) {
    let _ = stream.set_read_timeout(Some(Duration::from_millis(200)));
    let _ = stream.read(&mut [0; 4096]);
}

fn answer(mut stream: TcpStream, text: &[u8]) {
    read_head(&mut stream);
    let _ = stream.write_all(text);
    let _ = stream.shutdown(Shutdown::Write);
}

const HOSTILE: [(&str, Answer); 8] = [
    ("it accepts and says nothing", |stream| {
        std::thread::sleep(Duration::from_secs(5));
        drop(stream);
    }),
    ("it sends a byte now and then", |mut stream| {
        read_head(&mut stream);
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
        for _ in 0..25 {
            let _ = stream.write_all(b"x");
            std::thread::sleep(Duration::from_millis(200));
        }
    }),
    ("it closes the connection", |stream| drop(stream)),
    ("it does not speak HTTP", |stream| answer(stream, b"220 mail.example ESMTP\r\n")),
    ("it says that it has failed", |stream| answer(stream, b"HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n")),
    ("it answers everything with a page", |stream| {
        answer(stream, b"HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n<html>Welcome</html>");
    }),
    ("it announces more than it sends", |stream| {
        answer(stream, b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\nshort");
    }),
    ("it sends to itself forever", |stream| {
        answer(stream, b"HTTP/1.1 302 Found\r\nLocation: /again\r\nContent-Length: 0\r\n\r\n");
    }),
];

#[test]
fn hostile_servers_cost_one_warning_and_the_time_limit() {
    let place = Place::new();
    let wanted = place.compiled();
    for (what, answer) in HOSTILE {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let port = listener.local_addr().expect("it has an address").port();
        // The thread ends with this process.
        let _server = std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let _one = std::thread::spawn(move || answer(stream));
            }
        });
        let start = Instant::now();
        let (bytes, said) = place.with_server(&format!("http://name:password@127.0.0.1:{port}/cache"));
        assert!(bytes == wanted, "{what}: the output differs");
        assert_eq!(said.matches("OFC0043").count(), 1, "{what}: {said}");
        assert!(!said.contains("password"), "{what}: {said}");
        assert!(start.elapsed() < Duration::from_secs(40), "{what}: it took {:?}", start.elapsed());
    }
}

/// The bytes in the operating system's buffers count as sent, too.
#[test]
fn of_an_answer_without_an_end_little_is_read() {
    static SENT: AtomicUsize = AtomicUsize::new(0);
    let place = Place::new();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = listener.local_addr().expect("it has an address").port();
    let _server = std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _one = std::thread::spawn(move || {
                read_head(&mut stream);
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
                while stream.write_all(&[b'x'; 4096]).is_ok() {
                    let _ = SENT.fetch_add(4096, Ordering::Relaxed);
                }
            });
        }
    });
    let (bytes, said) = place.with_server(&format!("http://127.0.0.1:{port}/cache"));
    assert!(bytes == place.compiled());
    assert!(said.contains("is not the entry of its key"), "{said}");
    let sent = SENT.load(Ordering::Relaxed);
    assert!(sent < 64 << 20, "{sent} bytes were sent");
}

#[test]
fn a_server_that_is_away_is_one_warning_and_a_wrong_address_an_error() {
    let place = Place::new();
    for url in [format!("http://127.0.0.1:{}", free_port()), "https://127.0.0.1:1/x".to_owned(), "http://".to_owned()] {
        let (bytes, said) = place.with_server(&url);
        assert!(bytes == place.compiled(), "{url}");
        assert_eq!(said.matches("OFC0043").count(), 1, "{url}: {said}");
    }
    let outcome = run(&mut place.command(&["--cache-dir=cache", "--cache-remote=ftp://example.org"]));
    assert_eq!(outcome.code(), 2);
    assert!(outcome.stderr().contains("begin with `http://` or `https://`"), "{}", outcome.stderr());
    let (bytes, said) = place.with_server("");
    assert!(bytes == place.compiled() && !said.contains("OFC0043"), "an empty address asks no server: {said}");
}

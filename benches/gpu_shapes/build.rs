//! Compiles the twins in C with OpenMP, and the host code of those in OpenCL C. Without clang-22 or its OpenMP runtime,
//! the program has no such columns.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn main() {
    println!("cargo:rerun-if-changed=openmp");
    println!("cargo:rerun-if-changed=opencl");
    println!("cargo:rustc-check-cfg=cfg(openmp)");
    if let Err(reason) = compile() {
        println!("cargo:warning=no OpenMP column: {reason}");
    }
}

fn compile() -> Result<(), String> {
    let runtime = run(Command::new("clang-22").arg("-print-file-name=libomp.so"))?;
    let runtime = PathBuf::from(String::from_utf8_lossy(&runtime.stdout).trim());
    // clang prints the bare name of a file that it does not find.
    let folder = runtime.parent().filter(|folder| folder.is_absolute()).ok_or("clang-22 has no libomp.so")?;
    let out = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?);
    let mut objects = Vec::new();
    for source in sources()? {
        let object = out.join(source.file_name().unwrap_or_default()).with_extension("o");
        let flags = ["-c", "-O3", "-march=native", "-ffp-contract=off", "-fopenmp", "-Wall", "-Werror", "-o"];
        run(Command::new("clang-22").args(flags).arg(&object).arg(&source))?;
        objects.push(object);
    }
    let archive = out.join("libtwins.a");
    let _ = std::fs::remove_file(&archive);
    run(Command::new("ar").arg("crs").arg(&archive).args(&objects))?;
    println!("cargo:rustc-link-search=native={}", out.display());
    println!("cargo:rustc-link-lib=static=twins");
    println!("cargo:rustc-link-search=native={}", folder.display());
    println!("cargo:rustc-link-lib=dylib=omp");
    println!("cargo:rustc-link-lib=dylib=m");
    println!("cargo:rustc-link-arg=-Wl,-rpath,{}", folder.display());
    println!("cargo:rustc-cfg=openmp");
    Ok(())
}

fn sources() -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    for folder in ["openmp", "opencl"] {
        let entries = Path::new(folder).read_dir().map_err(|error| format!("{folder}: {error}"))?;
        files.extend(entries.flatten().map(|entry| entry.path()));
    }
    files.retain(|file| file.extension().is_some_and(|extension| extension == "c"));
    files.sort();
    Ok(files)
}

fn run(command: &mut Command) -> Result<Output, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("{program}: {error}"))?;
    if output.status.success() {
        return Ok(output);
    }
    Err(format!("{program}: {}", String::from_utf8_lossy(&output.stderr).replace('\n', " ")))
}

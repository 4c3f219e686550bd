//! Where the bodies of functions come from that kernels call in other crates. mold shows the plugin modules only, and
//! no machine code.

use std::path::{Path, PathBuf};
use std::process::Command;

use harness::{Outcome, run};

use super::{c_and_rust, plugin, run_program, scale, source, with_offloadc};

/// Links the host, the kernels, the machine code of the crate `scale` without its bitcode, and more.
fn link(folder: &Path, kernels: &Path, more: &[String]) -> Outcome {
    let mut command = with_offloadc(Command::new("cc"));
    command.arg("-fuse-ld=mold").arg(format!("-Wl,-plugin,{}", plugin())).arg("-Wl,-plugin-opt=offload-arch=cpu");
    command.arg(folder.join("main.o")).arg(kernels).arg(folder.join("scale.o")).args(more);
    run(command.arg("-o").arg(folder.join("program")))
}

/// Moves a file into a new folder.
fn move_to(folder: PathBuf, file: &Path) -> PathBuf {
    std::fs::create_dir(&folder).expect("the folder is ours");
    let path = folder.join(file.file_name().expect("a file has a name"));
    std::fs::rename(file, &path).expect("the folder is ours");
    path
}

#[test]
fn bodies_come_from_the_command_line_a_searched_folder_and_beside_modules() {
    let folder = harness::scratch();
    let here = folder.path();
    c_and_rust(here);
    let kernels = here.join("kernels.o");
    let mut command = harness::program::rustc();
    command.args(["--edition=2021", "--crate-type=lib", "--emit=obj", "-O", "-Cembed-bitcode=no"]);
    run(command.arg(source("scale.rs")).arg("-o").arg(here.join("scale.o"))).success();
    let _ = link(here, &kernels, &[]).success();
    assert_eq!(run_program(here).stdout(), "7.5\n", "beside a module");
    let library = move_to(here.join("elsewhere"), &scale(here));
    let refused = link(here, &kernels, &[]);
    assert!(refused.stderr().contains("error[OFC0008]"), "{}", refused.report());
    let search = format!("-Wl,-plugin-opt=offload-search={}", here.join("elsewhere").display());
    let _ = link(here, &kernels, &[search]).success();
    assert_eq!(run_program(here).stdout(), "7.5\n", "a searched folder");
    let response = here.join("response");
    std::fs::write(&response, library.display().to_string()).expect("the folder is ours");
    let _ = link(here, &kernels, &[format!("@{}", response.display())]).success();
    assert_eq!(run_program(here).stdout(), "7.5\n", "a response file");
}

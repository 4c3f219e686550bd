# offloadc_add_kernels(): kernels in Rust or bitcode as part of a program or library.
#
#   offloadc_add_kernels(<target>
#     SOURCES <file>...          # *.rs, which rustc compiles, and *.bc or *.ll
#     [ARCHS <arch>...]          # as for --offload-arch [default: OFFLOADC_ARCHS, or cpu]
#     [RUNTIME <name>]           # as for --runtime [default: offloadrt]; its component must have been found
#     [STATIC_RUNTIME]           # link the runtime statically
#     [OPTIONS <option>...]      # of offloadc, such as --kernel=GLOB
#     [RUSTC_OPTIONS <option>...] # such as --edition=2021; --cfg, --extern, -L
#     [NO_RUST_LIBRARY])         # do not link Rust's library: the target has it from elsewhere
#
# Each source becomes one object of the target, which is an executable, a shared library, a module or a static library.
# Variables with defaults for all calls:
#
#   OFFLOADC_ARCHS            the archs
#   OFFLOADC_OPTIONS, OFFLOADC_RUSTC_OPTIONS  options before those of the call
#   OFFLOADC_LAUNCHER, OFFLOADC_RUSTC_LAUNCHER
#                             a command before each offloadc and rustc, like CMAKE_CXX_COMPILER_LAUNCHER
#   OFFLOADC_RUSTC            the rustc [default: the one in PATH]
#   OFFLOADC_JOB_POOL         Ninja's pool for offloadc, which uses several threads itself [default: a pool `offloadc`
#                             with a place for each four cores, and two at least]; empty: no pool

# Ninja's pool exists once in a build.
function(_offloadc_job_pool result)
  set(pool "")
  if(DEFINED OFFLOADC_JOB_POOL)
    set(pool "${OFFLOADC_JOB_POOL}")
  elseif(CMAKE_GENERATOR MATCHES "Ninja")
    set(pool offloadc)
    get_property(pools GLOBAL PROPERTY JOB_POOLS)
    if(NOT "${pools}" MATCHES "(^|;)offloadc=")
      cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
      math(EXPR places "${cores} / 4")
      if(places LESS 2)
        set(places 2)
      endif()
      set_property(GLOBAL APPEND PROPERTY JOB_POOLS "offloadc=${places}")
    endif()
  endif()
  set(${result} "${pool}" PARENT_SCOPE)
endfunction()

# rustc and offloadc share the threads of make. A CMake that cannot pass make's job server on does not name it either.
function(_offloadc_job_server launcher more)
  set(${launcher} "" PARENT_SCOPE)
  set(${more} "" PARENT_SCOPE)
  if(NOT CMAKE_GENERATOR MATCHES "Makefiles")
    return()
  endif()
  if(CMAKE_VERSION VERSION_GREATER_EQUAL 3.28)
    set(${more} JOB_SERVER_AWARE TRUE PARENT_SCOPE)
  else()
    set(${launcher} "${CMAKE_COMMAND}" -E env --unset=MAKEFLAGS --unset=MFLAGS PARENT_SCOPE)
  endif()
endfunction()

# The rustc, its sysroot, and a file that changes when it becomes another rustc.
function(_offloadc_find_rustc)
  find_program(OFFLOADC_RUSTC rustc HINTS "$ENV{HOME}/.cargo/bin" DOC "The rustc for kernels")
  mark_as_advanced(OFFLOADC_RUSTC)
  if(NOT OFFLOADC_RUSTC)
    message(FATAL_ERROR "offloadc_add_kernels: there is no rustc in PATH; install one (https://rustup.rs), or "
                        "set OFFLOADC_RUSTC")
  endif()
  execute_process(COMMAND "${OFFLOADC_RUSTC}" -vV OUTPUT_VARIABLE version RESULT_VARIABLE status ERROR_VARIABLE said)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "offloadc_add_kernels: `${OFFLOADC_RUSTC} -vV` failed: ${said}")
  endif()
  execute_process(COMMAND "${OFFLOADC_RUSTC}" --print sysroot OUTPUT_VARIABLE sysroot OUTPUT_STRIP_TRAILING_WHITESPACE)
  file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/CMakeFiles/offloadc/rustc.txt" CONTENT "${version}${sysroot}\n" @ONLY)
  set(_offloadc_rustc_version "${CMAKE_BINARY_DIR}/CMakeFiles/offloadc/rustc.txt" PARENT_SCOPE)
  set(_offloadc_sysroot "${sysroot}" PARENT_SCOPE)
endfunction()

# The target `offloadc_rust_library`: Rust's standard library as a static library, which the host code of kernels calls,
# for example where a bounds check fails.
function(_offloadc_rust_library result)
  set(folder "${CMAKE_BINARY_DIR}/CMakeFiles/offloadc")
  set(library "${folder}/libofcrust.a")
  if(NOT TARGET offloadc_rust_library)
    file(CONFIGURE OUTPUT "${folder}/ofcrust.rs" CONTENT "//! Rust's standard library for programs of C++.\n" @ONLY)
    _offloadc_job_server(launcher more)
    add_custom_command(OUTPUT "${library}"
      COMMAND ${launcher} ${OFFLOADC_RUSTC_LAUNCHER} "${OFFLOADC_RUSTC}" --edition=2021 --crate-name ofcrust
              --crate-type staticlib "${folder}/ofcrust.rs" -o "${library}"
      DEPENDS "${folder}/ofcrust.rs" "${_offloadc_rustc_version}"
      COMMENT "Building Rust's library" VERBATIM ${more})
    add_custom_target(offloadc_rust_library DEPENDS "${library}")
  endif()
  set(${result} "${library}" PARENT_SCOPE)
endfunction()

# The rule that makes bitcode of a source in Rust. `identity` distinguishes crates of the same name in one program, and
# the temporary files of two rustcs.
function(_offloadc_add_bitcode source bitcode identity)
  get_filename_component(name "${source}" NAME_WE)
  string(MAKE_C_IDENTIFIER "${name}" name)
  get_filename_component(folder "${bitcode}" DIRECTORY)
  _offloadc_job_server(launcher more)
  # rustc runs none of LLVM's passes for the host; offloadc runs them for each side.
  add_custom_command(OUTPUT "${bitcode}"
    COMMAND ${launcher} ${OFFLOADC_RUSTC_LAUNCHER} "${OFFLOADC_RUSTC}" --crate-name ${name} --crate-type lib
            -C opt-level=3 -C no-prepopulate-passes -C codegen-units=1 -C "metadata=${identity}"
            --out-dir "${folder}" "$<$<CONFIG:Debug,RelWithDebInfo>:-g>"
            ${OFFLOADC_RUSTC_OPTIONS} ${ARGN} "--emit=llvm-bc=${bitcode},dep-info=${bitcode}.d" "${source}"
    COMMAND "${CMAKE_COMMAND}" "-DDEPFILE=${bitcode}.d" "-DOUTPUT=${bitcode}" -P
            "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/offloadc-rule.cmake"
    MAIN_DEPENDENCY "${source}"
    DEPENDS "${_offloadc_rustc_version}"
    DEPFILE "${bitcode}.d"
    COMMENT "Building Rust bitcode ${identity}"
    COMMAND_EXPAND_LISTS VERBATIM ${more})
endfunction()

# The rule that makes an object of bitcode.
function(_offloadc_add_object bitcode object identity)
  _offloadc_job_server(launcher more)
  _offloadc_job_pool(pool)
  if(pool)
    list(APPEND more JOB_POOL "${pool}")
  endif()
  add_custom_command(OUTPUT "${object}"
    COMMAND ${launcher} ${OFFLOADC_LAUNCHER} "${OFFLOADC_EXECUTABLE}" "${bitcode}" -o "${object}" -MD -MF "${object}.d"
            ${ARGN}
    DEPENDS "${bitcode}" "${OFFLOADC_EXECUTABLE}"
    DEPFILE "${object}.d"
    COMMENT "Building kernels ${identity}"
    COMMAND_EXPAND_LISTS VERBATIM ${more})
endfunction()

# Checks that kernels may be part of the target.
function(_offloadc_check_target target)
  if(NOT TARGET "${target}")
    message(FATAL_ERROR "offloadc_add_kernels: `${target}` is no target; add_executable() or add_library() "
                        "makes it before")
  endif()
  get_target_property(type "${target}" TYPE)
  if(NOT type MATCHES "^(EXECUTABLE|SHARED_LIBRARY|MODULE_LIBRARY|STATIC_LIBRARY)$")
    message(FATAL_ERROR "offloadc_add_kernels: `${target}` is of type ${type}, which does not keep objects; name the "
                        "program or library that is linked")
  endif()
  get_target_property(folder "${target}" SOURCE_DIR)
  if(NOT folder STREQUAL CMAKE_CURRENT_SOURCE_DIR)
    message(FATAL_ERROR "offloadc_add_kernels: `${target}` is made in `${folder}`; call the function there, "
                        "because CMake knows rules only in the folder of their target")
  endif()
endfunction()

function(offloadc_add_kernels target)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "STATIC_RUNTIME;NO_RUST_LIBRARY" "RUNTIME"
                        "SOURCES;ARCHS;OPTIONS;RUSTC_OPTIONS")
  if(ARG_UNPARSED_ARGUMENTS OR NOT ARG_SOURCES)
    message(FATAL_ERROR "offloadc_add_kernels: SOURCES is needed; not understood: `${ARG_UNPARSED_ARGUMENTS}`")
  endif()
  _offloadc_check_target("${target}")
  if(NOT ARG_RUNTIME)
    set(ARG_RUNTIME offloadrt)
  endif()
  if(NOT ARG_ARCHS)
    set(ARG_ARCHS ${OFFLOADC_ARCHS})
  endif()
  if(NOT ARG_ARCHS)
    set(ARG_ARCHS cpu)
  endif()
  list(JOIN ARG_ARCHS "," archs)
  _offloadc_find_rustc()
  set(options "--offload-arch=${archs}" "--runtime=${ARG_RUNTIME}" "--sysroot=${_offloadc_sysroot}"
      "$<$<CONFIG:Debug,RelWithDebInfo>:-g>" ${OFFLOADC_OPTIONS} ${ARG_OPTIONS})

  set(folder "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.offloadc")
  get_property(is_multiple GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  if(is_multiple)
    string(APPEND folder "/$<CONFIG>")
  endif()
  foreach(source IN LISTS ARG_SOURCES)
    get_filename_component(path "${source}" ABSOLUTE)
    file(RELATIVE_PATH name "${CMAKE_CURRENT_SOURCE_DIR}" "${path}")
    string(REPLACE "../" "__/" name "${name}")
    set(object "${folder}/${name}.o")
    set(bitcode "${path}")
    if(path MATCHES "[.]rs$")
      set(bitcode "${folder}/${name}.bc")
      _offloadc_add_bitcode("${path}" "${bitcode}" "${target}/${name}" ${ARG_RUSTC_OPTIONS})
    elseif(NOT path MATCHES "[.](bc|ll)$")
      message(FATAL_ERROR "offloadc_add_kernels: `${source}` is no `.rs`, `.bc` or `.ll`")
    endif()
    if(NOT is_multiple)
      get_filename_component(own "${object}" DIRECTORY)
      file(MAKE_DIRECTORY "${own}")
    endif()
    _offloadc_add_object("${bitcode}" "${object}" "${target}/${name}" ${options})
    target_sources("${target}" PRIVATE "${object}")
  endforeach()
  _offloadc_link("${target}" "${ARG_RUNTIME}" "${ARG_STATIC_RUNTIME}" "${ARG_NO_RUST_LIBRARY}")
endfunction()

# Links the libraries that the objects call.
function(_offloadc_link target runtime is_static no_rust)
  # Vendors have the libraries of these runtimes, such as CUDA::cudart, and the program links them itself.
  set(without_library none cuda hip mgpu)
  if(runtime STREQUAL "offloadrt")
    set(library offloadc::runtime)
  else()
    set(library "offloadc::${runtime}")
  endif()
  if(is_static)
    string(APPEND library "_static")
  endif()
  if(TARGET "${library}")
    target_link_libraries("${target}" PRIVATE "${library}")
  elseif(NOT runtime IN_LIST without_library)
    message(FATAL_ERROR "offloadc_add_kernels: there is no `${library}`: "
                        "find_package(offloadc REQUIRED COMPONENTS ${runtime})")
  endif()
  if(NOT no_rust)
    find_package(Threads REQUIRED)
    _offloadc_rust_library(rust)
    add_dependencies("${target}" offloadc_rust_library)
    target_link_libraries("${target}" PRIVATE "${rust}" Threads::Threads ${CMAKE_DL_LIBS} m)
  endif()
endfunction()

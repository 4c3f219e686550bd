# The component `liboffload`: `offloadc::liboffload`, `offloadc::liboffload_static`. Both need LLVM's libLLVMOffload.

include("${CMAKE_CURRENT_LIST_DIR}/../offloadc-library.cmake")
_offloadc_library(liboffload offloadrt-liboffload _offloadc_missing)
find_library(OFFLOADC_LIBOFFLOAD LLVMOffload HINTS "${_offloadc_llvm_prefix}/lib" DOC "LLVM's liboffload")
mark_as_advanced(OFFLOADC_LIBOFFLOAD)
if(NOT OFFLOADC_LIBOFFLOAD)
  set(_offloadc_missing
      "LLVM's libLLVMOffload is not in `${_offloadc_llvm_prefix}/lib`; OFFLOADC_LIBOFFLOAD can name it")
elseif(NOT _offloadc_missing)
  set_property(TARGET offloadc::liboffload APPEND PROPERTY INTERFACE_LINK_LIBRARIES "${OFFLOADC_LIBOFFLOAD}")
  set_property(TARGET offloadc::liboffload_static APPEND PROPERTY INTERFACE_LINK_LIBRARIES "${OFFLOADC_LIBOFFLOAD}")
endif()

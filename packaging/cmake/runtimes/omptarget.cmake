# The component `omptarget`: `offloadc::omptarget`, `offloadc::omptarget_static`. Both need LLVM's libomptarget.

include("${CMAKE_CURRENT_LIST_DIR}/../offloadc-library.cmake")
_offloadc_library(omptarget offloadrt-omptarget _offloadc_missing)
find_library(OFFLOADC_LIBOMPTARGET omptarget HINTS "${_offloadc_llvm_prefix}/lib" DOC "LLVM's libomptarget")
mark_as_advanced(OFFLOADC_LIBOMPTARGET)
if(NOT OFFLOADC_LIBOMPTARGET)
  set(_offloadc_missing 
      "LLVM's libomptarget is not in `${_offloadc_llvm_prefix}/lib`; OFFLOADC_LIBOMPTARGET can name it")
elseif(NOT _offloadc_missing)
  # The objects register their images with it themselves.
  set_property(TARGET offloadc::omptarget APPEND PROPERTY INTERFACE_LINK_LIBRARIES "${OFFLOADC_LIBOMPTARGET}")
  set_property(TARGET offloadc::omptarget_static APPEND PROPERTY INTERFACE_LINK_LIBRARIES "${OFFLOADC_LIBOMPTARGET}")
endif()

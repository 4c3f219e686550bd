# The targets of one runtime's libraries; runtimes/*.cmake call this.

# Adds `offloadc::NAME` and `offloadc::NAME_static` for the libraries `libFILE.so` and `libFILE.a`. If one is missing,
# the variable MISSING gets the reason.
macro(_offloadc_library name file missing)
  set(_offloadc_shared "${_offloadc_prefix}/lib/lib${file}.so")
  set(_offloadc_static "${_offloadc_prefix}/lib/offloadc/lib${file}.a")
  if(NOT EXISTS "${_offloadc_shared}" OR NOT EXISTS "${_offloadc_static}")
    set(${missing} "`${_offloadc_shared}` or `${_offloadc_static}` is missing: install offloadc again")
  elseif(NOT TARGET offloadc::${name})
    add_library(offloadc::${name} SHARED IMPORTED)
    set_target_properties(offloadc::${name} PROPERTIES
      IMPORTED_LOCATION "${_offloadc_shared}"
      IMPORTED_SONAME "lib${file}.so.${_offloadc_interface}"
      INTERFACE_INCLUDE_DIRECTORIES "${_offloadc_prefix}/include")
    add_library(offloadc::${name}_static STATIC IMPORTED)
    set_target_properties(offloadc::${name}_static PROPERTIES
      IMPORTED_LOCATION "${_offloadc_static}"
      INTERFACE_INCLUDE_DIRECTORIES "${_offloadc_prefix}/include"
      INTERFACE_LINK_LIBRARIES "Threads::Threads;${CMAKE_DL_LIBS}")
  endif()
endmacro()

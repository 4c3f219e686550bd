# The component `offloadrt`: `offloadc::runtime`, `offloadc::runtime_static`.

include("${CMAKE_CURRENT_LIST_DIR}/../offloadc-library.cmake")
_offloadc_library(runtime offloadrt _offloadc_missing)

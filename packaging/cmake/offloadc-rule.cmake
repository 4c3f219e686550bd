# cmake -DDEPFILE=FILE -DOUTPUT=FILE -P offloadc-rule.cmake
#
# Leaves only the rule of OUTPUT in a dependency file of rustc's. rustc also writes a rule for the dependency file
# itself, which Ninja refuses, and does not escape spaces in the names of outputs.

file(READ "${DEPFILE}" text)
string(LENGTH "${OUTPUT}: " length)
string(FIND "\n${text}" "\n${OUTPUT}: " begin)
if(begin EQUAL -1)
  message(FATAL_ERROR "`${DEPFILE}` has no rule for `${OUTPUT}`")
endif()
math(EXPR begin "${begin} + ${length}")
string(SUBSTRING "${text}" ${begin} -1 text)
string(FIND "${text}" "\n" end)
string(SUBSTRING "${text}" 0 ${end} text)
string(REPLACE " " "\\ " name "${OUTPUT}")
file(WRITE "${DEPFILE}" "${name}: ${text}\n")

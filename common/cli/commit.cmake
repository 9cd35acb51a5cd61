# Writes OUT, a header with the commit of ROOT, when it is another than before: "" where there is no
# git, "-dirty" behind it when tracked files have changed.
cmake_minimum_required(VERSION 3.25)
execute_process(COMMAND git -C ${ROOT} describe --always --dirty --abbrev=12 --exclude=*
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
  set(commit "")
endif()
file(CONFIGURE OUTPUT ${OUT} CONTENT "#define PERFRELAY_COMMIT \"${commit}\"\n")

# Compiler settings that every target shares.

find_program(MNN_CCACHE ccache)
if(MNN_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # base_dir makes a second clone, in another folder, hit the same cache.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${MNN_CCACHE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
  endif()
endif()

option(MNN_PRECOMPILE "Precompile the schema headers: most of a small file's compile time" ON)

if(MSVC)
  add_compile_options(/W4)
else()
  add_compile_options(-Wall -Wextra)
endif()

if(MNN_SANITIZE)
  add_compile_options(-fsanitize=${MNN_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${MNN_SANITIZE})
endif()

# mnn_library_rules(<target>): the library throws nothing and needs no type information.
function(mnn_library_rules target)
  if(NOT MSVC)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions -fno-rtti>)
  endif()
endfunction()

# mnn_precompile(<target>): its files find the schema headers already parsed. Kernels do not use them and are left out.
function(mnn_precompile target)
  if(MNN_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE <MNN_generated.h> ${ARGN})
  endif()
endfunction()

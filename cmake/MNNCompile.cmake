# Compiler settings that every target shares.

find_program(MNN_CCACHE ccache)
if(MNN_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # base_dir makes a second clone, in another folder, hit the same cache.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${MNN_CCACHE})
endif()

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

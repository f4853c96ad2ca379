# Cross-builds for 64-bit ARM Linux with Debian's g++-aarch64-linux-gnu; tests run under qemu-user.
# MNN_CROSS_PREFIX names a folder with what the target needs and Debian's cross packages lack: the headers of
# Highway and FlatBuffers (the host's are the same, but its /usr/include must not be searched) and GoogleTest.

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L /usr/aarch64-linux-gnu)

set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES MNN_CROSS_PREFIX)
if(MNN_CROSS_PREFIX)
  set(CMAKE_CXX_FLAGS_INIT "-isystem ${MNN_CROSS_PREFIX}/include")
  list(APPEND CMAKE_FIND_ROOT_PATH ${MNN_CROSS_PREFIX})
endif()
list(APPEND CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

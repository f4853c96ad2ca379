# Installs the library, its headers and the files that find_package(MNN) and pkg-config read.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

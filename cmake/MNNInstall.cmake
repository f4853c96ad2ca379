# Installs the library, its headers, the commands, and the files that find_package(MNN) and pkg-config read.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS MNN EXPORT MNNTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(IS_DIRECTORY ${CMAKE_SOURCE_DIR}/include/MNN)
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/MNN DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endif()
# The generated types of the model file, which plugin headers name.
install(DIRECTORY ${MNN_SCHEMA_OUT}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/MNN/schema
  FILES_MATCHING PATTERN "*_generated.h")
target_include_directories(MNN INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/MNN/schema>)

# Installed commands find the library beside them, wherever the prefix is.
file(RELATIVE_PATH MNN_BIN_TO_LIB ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
foreach(command MNNConvert mnn)
  if(TARGET ${command})
    if(NOT APPLE AND NOT WIN32)
      set_target_properties(${command} PROPERTIES INSTALL_RPATH "$ORIGIN/${MNN_BIN_TO_LIB}")
    endif()
    install(TARGETS ${command} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
endforeach()

set(MNN_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/MNN)
install(EXPORT MNNTargets NAMESPACE MNN:: DESTINATION ${MNN_CMAKE_DIR})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/MNNConfig.cmake.in ${CMAKE_BINARY_DIR}/MNNConfig.cmake
  INSTALL_DESTINATION ${MNN_CMAKE_DIR})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/MNNConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_BINARY_DIR}/MNNConfig.cmake ${CMAKE_BINARY_DIR}/MNNConfigVersion.cmake
  DESTINATION ${MNN_CMAKE_DIR})

# GNUInstallDirs allows absolute folders; pkg-config then must not put the prefix before them.
foreach(dir LIBDIR INCLUDEDIR)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${dir}}")
    set(MNN_PC_${dir} "${CMAKE_INSTALL_${dir}}")
  else()
    set(MNN_PC_${dir} "\${prefix}/${CMAKE_INSTALL_${dir}}")
  endif()
endforeach()
set(MNN_PC_PRIVATE "")
foreach(library ${CMAKE_DL_LIBS})
  string(APPEND MNN_PC_PRIVATE "-l${library} ")
endforeach()
string(STRIP "${MNN_PC_PRIVATE}" MNN_PC_PRIVATE)
configure_file(${CMAKE_CURRENT_LIST_DIR}/MNN.pc.in ${CMAKE_BINARY_DIR}/MNN.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/MNN.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

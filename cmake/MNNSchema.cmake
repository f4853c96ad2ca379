# Generates the FlatBuffers headers of schema/ in the build folder. Link MNNSchema to use them.

find_program(MNN_FLATC flatc REQUIRED)

set(MNN_SCHEMA_DIR ${CMAKE_SOURCE_DIR}/schema)
set(MNN_SCHEMA_OUT ${CMAKE_BINARY_DIR}/schema)
file(GLOB MNN_SCHEMA_FILES CONFIGURE_DEPENDS ${MNN_SCHEMA_DIR}/*.fbs)
set(MNN_SCHEMA_HEADERS)
foreach(schema ${MNN_SCHEMA_FILES})
  get_filename_component(stem ${schema} NAME_WE)
  list(APPEND MNN_SCHEMA_HEADERS ${MNN_SCHEMA_OUT}/${stem}_generated.h)
endforeach()

add_custom_command(
  OUTPUT ${MNN_SCHEMA_HEADERS}
  COMMAND ${MNN_FLATC} --cpp --gen-object-api --gen-mutable --reflect-names --no-warnings
          -o ${MNN_SCHEMA_OUT} ${MNN_SCHEMA_FILES}
  DEPENDS ${MNN_SCHEMA_FILES}
  COMMENT "Generating schema headers")
add_custom_target(MNNSchemaHeaders DEPENDS ${MNN_SCHEMA_HEADERS})
add_library(MNNSchema INTERFACE)
add_dependencies(MNNSchema MNNSchemaHeaders)
target_include_directories(MNNSchema SYSTEM INTERFACE ${MNN_SCHEMA_OUT})

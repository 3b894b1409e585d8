# Generates the protocol's structs and codecs into the build directory, and names their sources for the protocol layer.
# Everything that links moldau_protocol is compiled after them. The compiler rewrites only what changed.

set(MOLDAU_GENERATED ${CMAKE_BINARY_DIR}/generated)
file(GLOB schema_texts CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/schema/*/*.schema)
file(GLOB schema_compiler CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tools/schema_compiler/*.py)
list(APPEND schema_compiler ${CMAKE_SOURCE_DIR}/tools/compile_schema.py)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${schema_compiler})

set(compile_schema ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/compile_schema.py
    --schema ${CMAKE_SOURCE_DIR}/schema --out ${MOLDAU_GENERATED})
execute_process(COMMAND ${compile_schema} --list OUTPUT_VARIABLE generated OUTPUT_STRIP_TRAILING_WHITESPACE
                COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" generated "${generated}")
list(TRANSFORM generated PREPEND ${MOLDAU_GENERATED}/)
add_custom_command(OUTPUT ${MOLDAU_GENERATED}/protocol/schema.stamp BYPRODUCTS ${generated} COMMAND ${compile_schema}
                   DEPENDS ${schema_texts} ${schema_compiler} COMMENT "Compiling schema/" VERBATIM)

set(GENERATED_protocol ${generated})
list(FILTER GENERATED_protocol INCLUDE REGEX "\\.cc$")
list(APPEND GENERATED_protocol ${MOLDAU_GENERATED}/protocol/schema.stamp)

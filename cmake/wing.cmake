# A wing of the house: a folder that is a library, and whose headers only those can include who link it.
#
# activation_wing(TARGET) gives the target of the current folder an include path that leads to this
# folder alone: a folder of links in the build tree. So `#include "server/compare/plan.h"` compiles in
# what links activation_compare, and nowhere else.
function(activation_wing target)
  cmake_path(GET CMAKE_CURRENT_FUNCTION_LIST_DIR PARENT_PATH root)
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY ${root} OUTPUT_VARIABLE folder)
  set(includes ${PROJECT_BINARY_DIR}/wings/${target})
  cmake_path(GET folder PARENT_PATH parent)
  file(MAKE_DIRECTORY ${includes}/${parent})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${includes}/${folder} SYMBOLIC)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${includes}>)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:activation_options>)
endfunction()

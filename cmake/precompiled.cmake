# The headers of packages that cost the most to read, compiled once for all tests that include them. Only
# packages' headers, so that our own files still have to include what they need of ours.
#
# activation_quick_test(TARGET) is for tests whose own code does no long computing: it gives them these
# headers, and less optimization, which together half the time to compile them.
option(ACTIVATION_PRECOMPILED "Compile packages' headers once for all tests" ON)

function(activation_quick_test target)
  target_compile_options(${target} PRIVATE -O1)
  if(NOT ACTIVATION_PRECOMPILED)
    return()
  endif()
  if(NOT TARGET activation_precompiled)
    file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/precompiled.cc CONTENT "")
    add_library(activation_precompiled OBJECT ${CMAKE_BINARY_DIR}/precompiled.cc)
    target_link_libraries(activation_precompiled
      PRIVATE activation_options activation_engine GTest::gmock absl::statusor absl::str_format gRPC::grpc++)
    target_compile_options(activation_precompiled PRIVATE -O1)
    target_precompile_headers(activation_precompiled PRIVATE <gmock/gmock.h> <gtest/gtest.h>
      <google/protobuf/message.h> <grpcpp/grpcpp.h> <absl/status/statusor.h> <absl/strings/str_format.h>
      <map> <string> <thread> <vector>)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      target_compile_options(activation_precompiled PRIVATE -fpch-preprocess)
    endif()
  endif()
  # As gRPC asks for: the flags must be the same.
  target_compile_options(${target} PRIVATE -pthread)
  # For ccache, which else would have to see the headers themselves.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -fpch-preprocess)
  endif()
  target_precompile_headers(${target} REUSE_FROM activation_precompiled)
endfunction()

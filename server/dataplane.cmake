# Sources of the RPCs: from a request's bytes to its reply. They need activation_engine,
# activation_formula, activation_proto, activation_tensor_codec, Asio's headers and ACTIVATION_VERSION defined as the
# version's string.
set(DATAPLANE_SOURCES
  activation.cc
  along_axes.cc
  answer.cc
  axis.cc
  compare.cc
  compare_call.cc
  compare_plan.cc
  describe.cc
  elements.cc
  elementwise.cc
  encode.cc
  errors.cc
  evaluate.cc
  near_names.cc
  own_formula.cc
  plan.cc
  rowwise.cc
  service.cc
  stream.cc
  wire_read.cc
  wire_write.cc
  work_queue.cc
)
# Asio without Boost.
set_source_files_properties(work_queue.cc PROPERTIES COMPILE_DEFINITIONS ASIO_STANDALONE)

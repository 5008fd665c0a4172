# Sources of the RPCs: from a request's bytes to its reply. They need activation_engine,
# activation_proto, activation_tensor_codec, Asio's headers and ACTIVATION_VERSION defined as the
# version's string.
set(DATAPLANE_SOURCES
  activation.cc
  along_axes.cc
  answer.cc
  approximation.cc
  axis.cc
  compare.cc
  compare_block.cc
  compare_call.cc
  compare_plan.cc
  compare_report.cc
  describe.cc
  domain.cc
  elements.cc
  elementwise.cc
  encode.cc
  error_figures.cc
  errors.cc
  evaluate.cc
  make_domain.cc
  near_names.cc
  normal_samples.cc
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
# Points, and figures of errors, are the same on every machine: no sum swallows its product's rounding.
set_source_files_properties(compare_block.cc domain.cc error_figures.cc normal_samples.cc
  PROPERTIES COMPILE_OPTIONS -ffp-contract=off)

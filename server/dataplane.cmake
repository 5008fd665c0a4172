# Sources of the RPCs: from a request's bytes to its reply. They need activation_engine,
# activation_formula, activation_proto, activation_tensor_codec, Asio's headers and ACTIVATION_VERSION defined as the
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
  compare_errors.cc
  compare_plan.cc
  compare_report.cc
  describe.cc
  domain.cc
  elements.cc
  elementwise.cc
  encode.cc
  error_figures.cc
  error_text.cc
  errors.cc
  evaluate.cc
  fixed_point.cc
  make_domain.cc
  near_names.cc
  normal_samples.cc
  own_formula.cc
  plan.cc
  preset_list.cc
  preset_tables.cc
  presets.cc
  rowwise.cc
  service.cc
  stream.cc
  table.cc
  table_errors.cc
  wire_read.cc
  wire_write.cc
  work_queue.cc
)
# The bits of a table's results are the same where there are fused multiply-add instructions.
set_source_files_properties(preset_tables.cc table.cc PROPERTIES COMPILE_OPTIONS -ffp-contract=off)
# Asio without Boost.
set_source_files_properties(work_queue.cc PROPERTIES COMPILE_DEFINITIONS ASIO_STANDALONE)
# Points, and figures of errors, are the same on every machine: no sum swallows its product's rounding.
set_source_files_properties(compare_block.cc domain.cc error_figures.cc normal_samples.cc
  PROPERTIES COMPILE_OPTIONS -ffp-contract=off)

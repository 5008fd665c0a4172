# Sources of the RPCs: from a request's bytes to its reply. Needs activation_engine, activation_proto,
# activation_tensor_codec, asio (header only, with ASIO_STANDALONE defined) and ACTIVATION_VERSION
# defined as the version's string.
set(DATAPLANE_SOURCES
  compare.cc
  describe.cc
  errors.cc
  evaluate.cc
  plan.cc
  service.cc
  stream.cc
  wire.cc
  work_queue.cc
)

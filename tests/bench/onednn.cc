#include "tests/bench/onednn.h"

namespace activation::bench {

OneDnn::OneDnn(const Eltwise& eltwise, engine::Quantity quantity, float* input, float* upstream,
               float* output, size_t count)
    : engine_(dnnl::engine::kind::cpu, 0), stream_(engine_) {
  const dnnl::memory::desc layout({static_cast<dnnl::memory::dim>(count)},
                                  dnnl::memory::data_type::f32, dnnl::memory::format_tag::a);
  const auto tensor = [&](float* data) { return dnnl::memory(layout, engine_, data); };
  const bool is_value = quantity == engine::Quantity::kValue;
  const dnnl::eltwise_forward::primitive_desc forward(
      {is_value ? dnnl::prop_kind::forward_inference : dnnl::prop_kind::forward_training,
       eltwise.algorithm, layout, eltwise.alpha, eltwise.beta},
      engine_);
  if (is_value) {
    primitive_ = dnnl::eltwise_forward(forward);
    arguments_ = {{DNNL_ARG_SRC, tensor(input)}, {DNNL_ARG_DST, tensor(output)}};
  } else {
    primitive_ = dnnl::eltwise_backward(dnnl::eltwise_backward::primitive_desc(
        {eltwise.algorithm, layout, layout, eltwise.alpha, eltwise.beta}, engine_, forward));
    arguments_ = {{DNNL_ARG_SRC, tensor(input)},
                  {DNNL_ARG_DIFF_DST, tensor(upstream)},
                  {DNNL_ARG_DIFF_SRC, tensor(output)}};
  }
}

void OneDnn::Run() {
  primitive_.execute(stream_, arguments_);
  stream_.wait();
}

}  // namespace activation::bench

// Evaluates GELU, and ELU with a parameter of its own:  activation-example [target]
#include <cstdio>
#include <vector>

#include "client/client.h"

int main(int argc, char** argv) {
  const char* target = argc > 1 ? argv[1] : "127.0.0.1:50051";
  const auto client = activation::Client::Make({.target = target});
  const std::vector<float> x = {-5.5f, -1.0f, 0.0f, 2.0f};
  const auto gelu = client.ok() ? client->Evaluate("gelu", x) : client.status();
  const auto elu = client.ok() ? client->Evaluate("elu", x, {{"alpha", 2.0}}) : client.status();
  for (const absl::Status& status : {gelu.status(), elu.status()}) {
    if (!status.ok()) return std::fprintf(stderr, "%s\n", status.ToString().c_str()), 1;
  }
  for (size_t i = 0; i < x.size(); ++i) {
    std::printf("x %-4g  gelu %-14.9g  elu %.9g\n", x[i], (*gelu)[i], (*elu)[i]);
  }
}

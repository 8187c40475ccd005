// A file that needs no <torch/torch.h>: the light header alone is enough for a model. Prints Tandem's version.
#include <ATen/ATen.h>
#include <tandem/light.h>

#include <iostream>

int main() {
  using namespace tandem;
  Sequential model({layers::Input({4}), layers::Dense(3, {.activation = "softmax"})});
  const Tensor sums = model.predict(at::ones({2, 4})).sum(1);
  if (!at::allclose(sums, at::ones({2}))) return 1;
  const auto parts = std::to_string(TANDEM_VERSION_MAJOR) + "." + std::to_string(TANDEM_VERSION_MINOR) + "." +
                     std::to_string(TANDEM_VERSION_PATCH);
  if (parts != TANDEM_VERSION) return 1;
  std::cout << TANDEM_VERSION << "\n";
}

#pragma once
#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "tandem/core/config.h"
#include "tandem/layers/layer_handle.h"

/// Tests only: a layer against what real Keras computed for it (tests/fixtures/README.md).
namespace tandem::testing {

struct KerasCase {
  explicit KerasCase(const std::string& name);

  /// The array of a file, "grad_x": float32.
  Tensor load(const std::string& file) const;
  /// prefix0.npy, prefix1.npy, ... or the one prefix.npy.
  std::vector<Tensor> load_all(const std::string& prefix) const;

  std::string folder;  // below tests/fixtures
  Config about;        // case.json
};

/// Builds `layer` for the case's inputs and sets the case's weights, which then ask for gradients.
void set_up(const LayerHandle& layer, const KerasCase& keras);

/// Output within 1e-5, gradients of inputs and weights within 1e-4, shape, layout, regularisation, weight names and
/// shapes, and the config's members.
void expect_matches(const LayerHandle& layer, const KerasCase& keras);

/// Makes every layer case whose name starts with `prefix` from its Keras config and checks it; returns how many there
/// are.
int check_cases(const std::string& prefix);

void expect_close(const Tensor& got, const Tensor& want, double tolerance, const std::string& what);

/// Runs `f`, which must throw InvalidArgument with every one of `parts` in its message.
template <class F>
void expect_refused(F&& f, const std::vector<std::string>& parts);

}  // namespace tandem::testing

#include <gtest/gtest.h>

#include "tandem/core/error.h"

template <class F>
void tandem::testing::expect_refused(F&& f, const std::vector<std::string>& parts) {
  try {
    f();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const InvalidArgument& error) {
    const std::string message = error.what();
    for (const auto& part : parts)
      EXPECT_NE(message.find(part), std::string::npos) << "'" << part << "' is not in: " << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

#pragma once
#include <concepts>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>

#include "tandem/layers/layer_handle.h"

namespace tandem {

/// Makes a function of a program known to files, which hold its name: "halve", or "package>halve". As
/// keras.saving.register_keras_serializable on a function. Call it before files are read. Throws InvalidArgument on a
/// name that was registered before.
void register_function(const std::string& name, std::function<Tensor(const Tensor&)> function);

namespace layers {

struct LambdaOptions {
  Shape output_shape = {};  // without the batch; empty: found by trying
  std::string name = {};
};

/// A function of a program's own as a layer without weights: `Lambda([](const Tensor& x) { return x * 2; })`. It is
/// called on replica threads at the same time. As keras.layers.Lambda; a file can only hold one that is made by the
/// name that register_function gave it, `Lambda("halve")`, and Python's code in files is refused, not run. Throws
/// InvalidArgument on an unknown name, and when one without a name is saved.
class Lambda : public LayerHandle {
 public:
  template <class F>
  requires(std::is_invocable_r_v<Tensor, const F&, const Tensor&> &&
           !std::is_convertible_v<F, std::string>) explicit Lambda(F function, const LambdaOptions& options = {})
      : Lambda(std::function<Tensor(const Tensor&)>(std::move(function)), std::string(), options) {}
  explicit Lambda(const std::string& registered_name, const LambdaOptions& options = {});
  static Lambda from_config(const Config& config);

 private:
  Lambda(std::function<Tensor(const Tensor&)> function, const std::string& registered_name,
         const LambdaOptions& options);
};

}  // namespace layers
}  // namespace tandem

#pragma once
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "tandem/core/error.h"
#include "tandem/layers/layer_handle.h"

namespace tandem::layers {

struct TorchModuleOptions {
  /// How the module wants images: "channels_last" as they are, or "channels_first": it then sees (batch, channels,
  /// height, width) views of the same memory, and what it returns is turned back. Tensors of rank 2 are passed on.
  std::string layout = "channels_last";
  std::string name = {};
};

/// Any torch::nn::Module as a layer: `TorchModule(torch::nn::Sequential(...), {.layout = "channels_first"})`. Its
/// parameters (float32) are the layer's trainable weights, those that need no gradient and its buffers the others; the
/// module that was given holds the trained values after fit.
///
/// Each replica computes with a module of its own: a clone() where the module can be cloned (LibTorch's own modules,
/// torch::nn::Cloneable), or what a factory returns: `TorchModule([] { return Net(8); })`. A module that offers neither
/// runs on one device; more are refused at compile. Random numbers drawn inside (torch::nn::Dropout) come from
/// LibTorch's generator, and so depend on the division of the batch.
///
/// forward takes one to three tensors and returns a tensor, or a std::tuple or std::vector of tensors. The layer has
/// no config.
class TorchModule : public LayerHandle {
 public:
  template <class M>
  explicit TorchModule(const torch::nn::ModuleHolder<M>& module, TorchModuleOptions options = {})
      : TorchModule(module.ptr(), std::move(options)) {}
  template <std::derived_from<torch::nn::Module> M>
  explicit TorchModule(std::shared_ptr<M> module, TorchModuleOptions options = {})
      : LayerHandle(make({.module = std::move(module), .forward = forward<M>, .make = nullptr}, std::move(options))) {}
  /// `factory` returns a module holder or a std::shared_ptr; it is called once for the layer and for each replica.
  template <class F>
  requires(!std::is_base_of_v<torch::detail::ModuleHolderIndicator, F> &&
           std::invocable<F>) explicit TorchModule(F factory, TorchModuleOptions options = {})
      : LayerHandle(make(made_by(std::move(factory)), std::move(options))) {}

  /// What the templates bring down to.
  struct Erased {
    std::shared_ptr<torch::nn::Module> module;
    std::function<std::vector<Tensor>(torch::nn::Module&, const Tensors&)> forward;
    std::function<std::shared_ptr<torch::nn::Module>()> make;  // null: clone() must do
  };

 private:
  static std::shared_ptr<Layer> make(Erased module, TorchModuleOptions options);

  template <class M>
  static const std::shared_ptr<M>& pointer(const torch::nn::ModuleHolder<M>& holder) {
    return holder.ptr();
  }
  template <class M>
  static const std::shared_ptr<M>& pointer(const std::shared_ptr<M>& module) {
    return module;
  }

  template <class F>
  static Erased made_by(F factory) {
    auto module = pointer(factory());
    using M = typename decltype(module)::element_type;
    return {module, forward<M>, [factory]() -> std::shared_ptr<torch::nn::Module> { return pointer(factory()); }};
  }

  static std::vector<Tensor> listed(Tensor value) { return {std::move(value)}; }
  static std::vector<Tensor> listed(std::vector<Tensor> values) { return values; }
  template <class... T>
  static std::vector<Tensor> listed(const std::tuple<T...>& values) {
    std::vector<Tensor> all;
    const auto append = [&all](const auto& value) {
      for (auto& one : listed(value)) all.push_back(std::move(one));
    };
    std::apply([&](const auto&... value) { (append(value), ...); }, values);
    return all;
  }

  template <class M>
  static std::vector<Tensor> forward(torch::nn::Module& module, const Tensors& x) {
    auto& own = static_cast<M&>(module);
    if constexpr (requires { own.forward(x[0]); }) {
      if (x.size() == 1) return listed(own.forward(x[0]));
    }
    if constexpr (requires { own.forward(x[0], x[1]); }) {
      if (x.size() == 2) return listed(own.forward(x[0], x[1]));
    }
    if constexpr (requires { own.forward(x[0], x[1], x[2]); }) {
      if (x.size() == 3) return listed(own.forward(x[0], x[1], x[2]));
    }
    throw InvalidArgument("TorchModule: the module's forward does not take " + std::to_string(x.size()) + " tensors");
  }
};

}  // namespace tandem::layers

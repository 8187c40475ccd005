#include "tandem/layers/torch_module.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>

#include <atomic>
#include <optional>
#include <unordered_map>

#include "tandem/layers/dry_run.h"
#include "tandem/layers/gradient_hook.h"
#include "tandem/precision/autocast.h"

namespace tandem::layers {
namespace {

using torch::nn::Module;

// A replica thread's own module of each TorchModule layer; they end with the thread.
thread_local std::unordered_map<int64_t, std::shared_ptr<Module>> modules_of_thread;
std::atomic<int64_t> next_module_number = 0;

// Between (batch, ..., channels) and (batch, channels, ...), as views.
Tensor to_module(const Tensor& x) { return x.dim() > 2 ? x.movedim(-1, 1) : x; }
Tensor from_module(const Tensor& x) { return x.dim() > 2 ? x.movedim(1, -1) : x; }

class TorchModuleLayer final : public Layer {
 public:
  TorchModuleLayer(TorchModule::Erased erased, const TorchModuleOptions& options)
      : erased_(std::move(erased)), number_(next_module_number++) {
    if (!erased_.module) throw InvalidArgument("TorchModule: must get a module, got an empty one");
    if (options.layout != "channels_last" && options.layout != "channels_first") {
      throw InvalidArgument(
          c10::str("TorchModule: layout must be channels_last or channels_first, got '", options.layout, "'"));
    }
    channels_first_ = options.layout == "channels_first";
    for (const auto& p : erased_.module->named_parameters()) check(p.key(), p.value());
  }

  std::string class_name() const override { return "TorchModule"; }
  Lowering lowering() const override { return Lowering::kNone; }

  Config get_config() const override {
    throw InvalidArgument(
        c10::str("layer '", name(), "' (TorchModule): a LibTorch module has no config; save its weights instead"));
  }

  std::string why_not_replicable() const override {
    if (erased_.make) return {};
    try {
      erased_.module->clone();
      return {};
    } catch (const c10::Error&) {
      return c10::str(
          "layer '", name(), "' (TorchModule): module ", erased_.module->name(),
          " cannot be cloned; make it a torch::nn::Cloneable, or give TorchModule a function that makes it");
    }
  }

  void build_many(const Shapes&) override {
    for (const auto& p : erased_.module->named_parameters())
      adopt_weight(p.key(), p.value().detach(), p.value().requires_grad());
    for (const auto& b : erased_.module->named_buffers()) adopt_weight(b.key(), b.value().detach(), false);
  }

  Shapes output_shapes(const Shapes& inputs) override {
    c10::NoGradGuard no_grad;
    Shapes shapes;
    for (const auto& y : call_many(dry_inputs(inputs), CallContext{})) {
      shapes.push_back(Shape::of(y.sizes().vec()));
      if (!shapes.back().empty() && !inputs.front().empty()) shapes.back()[0] = inputs.front()[0];
    }
    return shapes;
  }

  Tensors call_many(const Tensors& inputs, const CallContext& context) override {
    Module& module = own_module();
    bind(module);
    module.train(context.training);
    Tensors x;
    for (const auto& input : inputs) x.push_back(channels_first_ ? to_module(input) : input);
    Tensors outputs;
    for (const auto& y : forward(module, x)) outputs.push_back(channels_first_ ? from_module(y) : y);
    return outputs;
  }

 private:
  void check(const std::string& name, const Tensor& value) const {
    if (value.scalar_type() != at::kFloat || !value.is_non_overlapping_and_dense()) {
      throw InvalidArgument(c10::str("TorchModule: parameter '", name, "' must be dense float32, is ",
                                     c10::toString(value.scalar_type())));
    }
  }

  std::vector<Tensor> forward(Module& module, const Tensors& x) const {
    std::vector<Tensor> outputs;
    try {
      std::optional<precision::Autocast> in_16_bits;
      if (dtype_policy().mixed()) in_16_bits.emplace(dtype_policy().compute_type(), x.front().device().type());
      outputs = erased_.forward(module, x);
    } catch (const c10::Error& error) {
      throw InvalidArgument(c10::str("layer '", name(), "' (TorchModule): ", error.what_without_backtrace()));
    }
    if (outputs.empty())
      throw InvalidArgument(c10::str("layer '", name(), "' (TorchModule): forward returned nothing"));
    return outputs;
  }

  // The module to compute with on this thread: replicas have their own.
  Module& own_module() {
    const WeightMap* map = WeightScope::current();
    if (!map || own_weights().empty()) return *erased_.module;
    auto& module = modules_of_thread[number_];
    if (!module) {
      if (erased_.make) {
        module = erased_.make();
        if (!module || module == erased_.module) {
          const char* got = module ? "the first one again" : "none";
          module.reset();
          throw InvalidArgument(
              c10::str("layer '", name(), "' (TorchModule): the function must make a new module each time, got ", got));
        }
      } else if (why_not_replicable().empty()) {
        c10::NoGradGuard no_grad;
        module = erased_.module->clone();
      } else {
        module = erased_.module;  // the only replica: others were refused
      }
    }
    return *module;
  }

  // Makes the module's tensors the ones that Weight::value() names here: same memory, and gradients into the same
  // buffer. A module of the right kind lists its tensors in the order in which the first one did.
  void bind(Module& module) const {
    const auto& weights = own_weights();
    std::size_t i = 0;
    const auto bind_one = [&](Tensor& tensor) {
      if (i == weights.size() || tensor.sizes() != weights[i].value().sizes()) {
        throw InvalidArgument(c10::str("layer '", name(),
                                       "' (TorchModule): each module that the factory makes must have the same "
                                       "parameters and buffers"));
      }
      const Tensor& value = weights[i++].value();
      if (tensor.const_data_ptr() != value.const_data_ptr()) tensor.set_data(value.detach());
      if (!tensor.requires_grad()) return;
      // A leaf that has no gradient yet: what the module adds up must be its, too.
      if (value.requires_grad() && !value.grad().defined()) value.mutable_grad() = at::zeros_like(value);
      tensor.mutable_grad() = value.grad();
      if (c10::GradMode::is_enabled()) pass_on_gradients(tensor, value);
    };
    for (auto& p : module.named_parameters()) bind_one(p.value());
    for (auto& b : module.named_buffers()) bind_one(b.value());
  }

  TorchModule::Erased erased_;
  int64_t number_;
  bool channels_first_ = false;
};

}  // namespace

std::shared_ptr<Layer> TorchModule::make(Erased module, TorchModuleOptions options) {
  auto layer = std::make_shared<TorchModuleLayer>(module, options);
  if (!options.name.empty()) layer->set_name(options.name);
  // A copy for clone_model: new from the factory, else with the weights that the module has.
  layer->set_recipe([module, options]() -> std::shared_ptr<Layer> {
    Erased copy = module;
    copy.module = module.make ? module.make() : module.module->clone();
    return make(std::move(copy), options);
  });
  return layer;
}

}  // namespace tandem::layers

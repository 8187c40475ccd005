#include "tandem/layers/embedding.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <tuple>

#include "tandem/core/error.h"
#include "tandem/layers/serialization.h"

namespace tandem::layers {
namespace {

class EmbeddingLayer : public Layer {
 public:
  EmbeddingLayer(int64_t input_dim, int64_t output_dim, EmbeddingOptions options)
      : input_dim_(input_dim), output_dim_(output_dim), options_(std::move(options)) {
    if (input_dim_ <= 0) throw InvalidArgument(c10::str("Embedding: input_dim must be positive, got ", input_dim_));
    if (output_dim_ <= 0) throw InvalidArgument(c10::str("Embedding: output_dim must be positive, got ", output_dim_));
  }

  std::string class_name() const override { return "Embedding"; }
  Lowering lowering() const override { return Lowering::kOutputs; }
  bool supports_masking() const override { return options_.mask_zero; }
  Tensors compute_mask(const Tensors& inputs, const Tensors&) override { return inputs.front().ne(0); }

  Config get_config() const override {
    return Config::object({{"input_dim", input_dim_},
                           {"output_dim", output_dim_},
                           {"embeddings_initializer", to_config(options_.embeddings_initializer)},
                           {"embeddings_regularizer", to_config(options_.embeddings_regularizer)},
                           {"activity_regularizer", {}},
                           {"embeddings_constraint", to_config(options_.embeddings_constraint)},
                           {"mask_zero", options_.mask_zero},
                           {"quantization_config", {}}});
  }

  void build(const Shape& input) override {
    check_rank(input.rank());
    embeddings_ = add_weight("embeddings", {input_dim_, output_dim_},
                             {.initializer = options_.embeddings_initializer,
                              .regularizer = options_.embeddings_regularizer,
                              .constraint = options_.embeddings_constraint,
                              .is_table = true});
  }

  Shape output_shape(const Shape& input) override {
    check_rank(input.rank());
    auto sizes = input.sizes();
    sizes.push_back(output_dim_);
    return Shape::of(sizes);
  }

  Tensor call(const Tensor& x, const CallContext& context) override {
    check_rank(x.dim());
    check_range(x, context.first_row);
    const bool is_index = x.scalar_type() == at::kInt || x.scalar_type() == at::kLong;
    return context.rows_of(embeddings_, is_index ? x : x.detach().to(at::kLong));
  }

 private:
  void check_rank(int64_t rank) const {
    if (rank == 0) throw_shape_error(*this, "input must have a batch axis", {});
  }

  /// Before LibTorch reads the table: it reports a wrong id without its row on the CPU, and on a GPU ends the program.
  void check_range(const Tensor& ids, int64_t first_row) const {
    if (ids.numel() == 0) return;
    const auto [least, most] = at::aminmax(ids.detach());
    if (in_range(least.item<double>()) && in_range(most.item<double>())) return;
    const Tensor flat = ids.detach().reshape({-1}).to(at::kCPU, at::kDouble);
    const auto values = flat.accessor<double, 1>();
    int64_t wrong = 0;
    while (wrong < flat.size(0) - 1 && in_range(values[wrong])) ++wrong;
    throw InvalidArgument(c10::str("layer '", name(), "' (Embedding): ids must be in [0, ", input_dim_, "), got ",
                                   values[wrong], " in row ", first_row + wrong / (ids.numel() / ids.size(0))));
  }

  /// Also true between -1 and 0, which becomes 0 when the fraction is dropped; false for NaN.
  bool in_range(double id) const { return id > -1 && id < static_cast<double>(input_dim_); }

  int64_t input_dim_, output_dim_;
  EmbeddingOptions options_;
  Weight embeddings_;
};

}  // namespace

Embedding::Embedding(int64_t input_dim, int64_t output_dim, EmbeddingOptions options)
    : LayerHandle(make_remembered<EmbeddingLayer>(options.name, input_dim, output_dim, options)) {}

Embedding Embedding::from_config(const Config& config) {
  refuse_settings(config, "Embedding", {"lora_rank", "quantization_config"});
  return Embedding(config.at("input_dim").as_int(), config.at("output_dim").as_int(),
                   {.embeddings_initializer = initializer_from(config, "embeddings_initializer", "uniform"),
                    .embeddings_regularizer = regularizer_from(config, "embeddings_regularizer"),
                    .embeddings_constraint = constraint_from(config, "embeddings_constraint"),
                    .mask_zero = config.get("mask_zero", false).as_bool()});
}

}  // namespace tandem::layers

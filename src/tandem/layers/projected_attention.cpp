#include "tandem/layers/projected_attention.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <cmath>

#include "tandem/core/error.h"
#include "tandem/core/mask.h"
#include "tandem/layers/attention_axes.h"
#include "tandem/layers/einsum_dense.h"
#include "tandem/layers/layer_names.h"
#include "tandem/layers/serialization.h"
#include "tandem/layers/weight_config.h"

namespace tandem {
namespace {

std::string letters(std::size_t first, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += static_cast<char>('a' + first + i);
  return text;
}

layers::EinsumDenseOptions dense_options(const ProjectedAttentionSettings& settings, const std::string& bias_axes) {
  return {.bias_axes = settings.use_bias ? bias_axes : "",
          .kernel_initializer = settings.kernel.initializer,
          .bias_initializer = settings.bias.initializer,
          .kernel_regularizer = settings.kernel.regularizer,
          .bias_regularizer = settings.bias.regularizer,
          .activity_regularizer = settings.activity_regularizer,
          .kernel_constraint = settings.kernel.constraint,
          .bias_constraint = settings.bias.constraint};
}

void check_positive(const std::string& layer, const char* name, int64_t value) {
  if (value <= 0) throw InvalidArgument(c10::str(layer, ": ", name, " must be positive, got ", value));
}

Tensor both(const Tensor& a, const Tensor& b) { return a.defined() ? a.logical_and(b) : b; }

}  // namespace

ProjectedAttentionLayer::ProjectedAttentionLayer(const std::string& class_name, ProjectedAttentionSettings settings)
    : class_name_(class_name), settings_(std::move(settings)) {
  check_rate(class_name_, settings_.dropout);
  if (settings_.sliding_window) check_positive(class_name_, "sliding_window", *settings_.sliding_window);
  if (settings_.flash_attention && settings_.dropout > 0)
    throw InvalidArgument(class_name_ + ": dropout must be 0 with flash_attention, which keeps no scores to drop from");
}

AttentionCall ProjectedAttentionLayer::read_call(const CallArguments& arguments) const {
  // query, value, key, query_mask, value_mask, key_mask, attention_mask, return_attention_scores, training, ...
  arguments.check_keywords(
      {"query", "value", "key", "attention_mask", "return_attention_scores", "use_causal_mask", "training"});
  const auto flag = [&](std::size_t position, const char* name) {
    const Config& value = arguments.at(position, name);
    return !value.is_null() && value.as_bool();
  };
  for (const std::size_t masks : {3, 4, 5}) {
    if (!arguments.at(masks, "").is_null())
      throw DataError(
          "call arguments query_mask, value_mask and key_mask are not supported; masks travel with tensors");
  }
  const auto query = arguments.tensor_at(0, "query"), value = arguments.tensor_at(1, "value");
  if (!query || !value) throw DataError("a call of attention must have a query and a value");
  return {.query = *query,
          .value = *value,
          .key = arguments.tensor_at(2, "key"),
          .attention_mask = arguments.tensor_at(6, "attention_mask"),
          .with_scores = flag(7, "return_attention_scores"),
          .use_causal_mask = flag(9, "use_causal_mask")};
}

CallArguments ProjectedAttentionLayer::arguments_of(const AttentionCall& call) const {
  if (call.with_scores && settings_.flash_attention)
    throw InvalidArgument(c10::str("layer '", name(), "' (", class_name_, "): flash_attention keeps no scores"));
  CallArguments arguments{{CallArguments::tensor(call.query), CallArguments::tensor(call.value)}};
  if (call.key) arguments.kwargs.set("key", CallArguments::tensor(*call.key));
  if (call.attention_mask) arguments.kwargs.set("attention_mask", CallArguments::tensor(*call.attention_mask));
  if (call.with_scores) arguments.kwargs.set("return_attention_scores", true);
  if (call.use_causal_mask) arguments.kwargs.set("use_causal_mask", true);
  return arguments;
}

LayerHandle ProjectedAttentionLayer::project(const std::string& name, const Shape& input, int64_t heads, int64_t dim,
                                             bool gate) {
  // "abc,cde->abde"
  const auto free = static_cast<std::size_t>(input.rank()) - 1;
  std::vector<int64_t> sizes(free - 1, Shape::kUnknown);
  sizes.insert(sizes.end(), {heads, dim});
  auto options = dense_options(settings_, letters(free + 1, 2));
  if (gate) options.activation = "sigmoid";
  const auto dense = track(name, layers::EinsumDense(c10::str(letters(0, free + 1), ",", letters(free, 3), "->",
                                                              letters(0, free), letters(free + 1, 2)),
                                                     Shape::of(sizes), options));
  dense->ensure_built({input});
  return dense;
}

void ProjectedAttentionLayer::build_many(const Shapes& inputs) {
  if (inputs.size() < 2 || inputs.size() > 3) {
    throw InvalidArgument(c10::str("layer '", name(), "' (", class_name_,
                                   "): must get a query, a value and, where it is another, a key, got ", inputs.size(),
                                   " inputs"));
  }
  const Shape &query = inputs[0], &value = inputs[1], &key = inputs.back();
  attention_shapes({query, value, key});
  for (const auto& input : inputs) {
    if (input.back() <= 0) throw_shape_error(*this, "the last axis of each input must be known", input);
  }
  // Keras makes layers for these two steps, which take part in the counting of automatic names.
  for (const char* step : {"Softmax", "Dropout"}) unique_layer_name(step);
  const auto& s = settings_;
  query_ = project("query", query, s.query_heads, s.key_dim, false);
  key_ = project("key", key, s.key_value_heads, s.key_dim, false);
  if (s.use_gate) gate_ = project("gate", query, s.query_heads, s.value_dim, true);
  value_ = project("value", value, s.key_value_heads, s.value_dim, false);

  // "abcd,cde->abe"
  const auto free = static_cast<std::size_t>(query.rank()) - 1;
  const Shape output = output_sizes(query);
  const auto made = letters(free + 2, static_cast<std::size_t>(output.rank()));
  std::vector<int64_t> sizes(free - 1, Shape::kUnknown);
  sizes.insert(sizes.end(), output.begin(), output.end());
  const auto dense = track("attention_output", layers::EinsumDense(c10::str(letters(0, free + 2), ",", letters(free, 2),
                                                                            made, "->", letters(0, free), made),
                                                                   Shape::of(sizes), dense_options(s, made)));
  Shape attended = query;
  attended[-1] = s.query_heads;
  std::vector<int64_t> attended_sizes = attended.sizes();
  attended_sizes.push_back(s.value_dim);
  dense->ensure_built({Shape::of(attended_sizes)});
  output_ = dense;
}

std::vector<std::pair<std::string, std::shared_ptr<Layer>>> ProjectedAttentionLayer::named_children() const {
  std::vector<std::pair<std::string, std::shared_ptr<Layer>>> named;
  for (const auto& child : tracked()) {
    // The attributes' names, to which MultiHeadAttention has properties without the underscore but for the gate's.
    const bool is_property = class_name_ == "MultiHeadAttention" && child->name() != "gate";
    const std::string mark = is_property ? "" : "_";
    const bool is_output = child->name() == "attention_output";
    named.emplace_back(c10::str(mark, is_output ? "output" : child->name(), "_dense"), child);
  }
  return named;
}

void ProjectedAttentionLayer::add_weight_settings(Config& config) const {
  const auto& s = settings_;
  config.set("kernel_initializer", to_config(s.kernel.initializer));
  config.set("bias_initializer", to_config(s.bias.initializer));
  config.set("kernel_regularizer", to_config(s.kernel.regularizer));
  config.set("bias_regularizer", to_config(s.bias.regularizer));
  config.set("activity_regularizer", to_config(s.activity_regularizer));
  config.set("kernel_constraint", to_config(s.kernel.constraint));
  config.set("bias_constraint", to_config(s.bias.constraint));
  config.set("seed", seed_to_config(s.seed));
}

std::pair<Shape, Shape> ProjectedAttentionLayer::attention_shapes(const InputShapes& inputs) {
  check_shapes(inputs);
  std::vector<int64_t> output = inputs.query.sizes();
  output.pop_back();
  const Shape made = output_sizes(inputs.query);
  output.insert(output.end(), made.begin(), made.end());
  const AttentionAxes axes(attention_axes(inputs.query.rank()), inputs.query.rank());
  return {Shape::of(output), axes.scores_shape(inputs.query, inputs.value, settings_.query_heads)};
}

Tensor ProjectedAttentionLayer::mask_of_call(const Operands& operands) const {
  Tensor mask;
  if (const Tensor query = mask_of(operands.query); query.defined()) mask = query.unsqueeze(-1);
  if (const Tensor value = mask_of(operands.value); value.defined()) mask = both(mask, value.unsqueeze(-2));
  if (operands.has_key) {
    if (const Tensor key = mask_of(operands.key); key.defined()) mask = both(mask, key.unsqueeze(-2));
  }
  const int64_t queries = operands.query.size(1), keys = operands.value.size(1);
  if (settings_.sliding_window)
    mask = both(mask, window_mask(queries, keys, *settings_.sliding_window, operands.query).unsqueeze(0));
  if (operands.attention_mask.defined()) mask = both(mask, operands.attention_mask.ne(0));
  if (mask.defined() && operands.use_causal_mask)
    mask = both(mask, causal_mask(queries, keys, operands.query).unsqueeze(0));
  return mask;
}

AttentionLayer::Attended ProjectedAttentionLayer::attend(const Operands& operands, const CallContext& context) {
  const auto& s = settings_;
  const AttentionAxes axes(attention_axes(operands.query.dim()), operands.query.dim());
  const auto heads = [&](const LayerHandle& dense, const Tensor& x, bool repeat) {
    Tensor projected = dense(x, context);
    if (repeat && s.query_heads != s.key_value_heads)
      projected = projected.repeat_interleave(s.query_heads / s.key_value_heads, -2);
    return axes.by_heads(projected);
  };
  const Tensor query = heads(query_, operands.query, false), key = heads(key_, operands.key, true),
               value = heads(value_, operands.value, true);
  // Keras, too, has two ways, and they differ in this; without scores and dropout it takes LibTorch's or its like.
  const bool keras_fuses = s.dropout == 0 && !operands.with_scores && operands.query.dim() == 3;
  const DotProduct product{query,
                           key,
                           value,
                           1 / std::sqrt(static_cast<double>(s.key_dim)),
                           axes.mask_by_heads(mask_of_call(operands), operands.query, operands.value),
                           operands.use_causal_mask,
                           keras_fuses ? Unseeing::kMean : Unseeing::kZero};
  const bool drops = context.training && s.dropout > 0;
  AttentionResult result;
  if (drops || operands.with_scores || query.numel() == 0 || key.numel() == 0) {
    result = plain_attention(product, [&](const Tensor& scores) {
      if (!drops) return scores;
      const Tensor stay = kept(Shape::of(scores.sizes().vec()), s.dropout, context, s.seed, scores);
      return scores * stay / (1 - s.dropout);
    });
  } else {
    result.output = fused_attention(product);
  }
  Tensor joined = axes.from_heads(result.output, operands.query);
  if (s.use_gate) joined = joined * gate_(operands.query, context);
  Attended attended{output_(joined, context), {}};
  if (operands.with_scores) attended.scores = axes.whole_scores(result.scores, operands.query, operands.value);
  return attended;
}

}  // namespace tandem

#include "tandem/layers/scored_attention.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/core/mask.h"
#include "tandem/layers/dot_product_attention.h"

namespace tandem {

ScoredAttentionLayer::ScoredAttentionLayer(const std::string& class_name, double dropout, const Seed& seed)
    : class_name_(class_name), dropout_(dropout), seed_(seed) {
  check_rate(class_name, dropout);
}

Tensor ScoredAttentionLayer::factor_of_products(const Tensor& /*query*/) const { return {}; }

AttentionCall ScoredAttentionLayer::read_call(const CallArguments& arguments) const {
  // inputs, mask, training, return_attention_scores, use_causal_mask
  arguments.check_keywords({"inputs", "training", "return_attention_scores", "use_causal_mask"});
  if (!arguments.at(1, "").is_null())
    throw DataError("call argument 'mask' is not supported; masks travel with tensors");
  const Config& inputs = arguments.at(0, "inputs");
  if (!inputs.is_list() || inputs.as_list().size() < 2 || inputs.as_list().size() > 3)
    throw DataError("must be called on a list of query, value and, where it is another, key, got " + inputs.shown());
  const CallArguments list{inputs.as_list()};
  const auto flag = [&](std::size_t position, const char* name) {
    const Config& value = arguments.at(position, name);
    return !value.is_null() && value.as_bool();
  };
  const auto query = list.tensor_at(0, ""), value = list.tensor_at(1, "");
  if (!query || !value) throw DataError("a call of attention must have a query and a value");
  return {.query = *query,
          .value = *value,
          .key = list.tensor_at(2, ""),
          .with_scores = flag(3, "return_attention_scores"),
          .use_causal_mask = flag(4, "use_causal_mask")};
}

CallArguments ScoredAttentionLayer::arguments_of(const AttentionCall& call) const {
  if (call.attention_mask) {
    throw InvalidArgument(c10::str("layer '", name(), "' (", class_name_,
                                   "): takes no attention_mask; the value's mask says which keys count"));
  }
  Config::List inputs{CallArguments::tensor(call.query), CallArguments::tensor(call.value)};
  if (call.key) inputs.push_back(CallArguments::tensor(*call.key));
  CallArguments arguments{{Config(std::move(inputs))}};
  if (call.with_scores) arguments.kwargs.set("return_attention_scores", true);
  if (call.use_causal_mask) arguments.kwargs.set("use_causal_mask", true);
  return arguments;
}

void ScoredAttentionLayer::add_dropout_settings(Config& config) const {
  config.set("dropout", dropout_).set("seed", seed_to_config(seed_));
}

std::pair<Shape, Shape> ScoredAttentionLayer::attention_shapes(const InputShapes& inputs) {
  const Shape &query = inputs.query, &value = inputs.value, &key = inputs.key;
  const bool fit = query.rank() == 3 && value.rank() == 3 && key.rank() == 3 && Shape::agree(query[0], value[0]) &&
                   Shape::agree(value[0], key[0]) && Shape::agree(value[1], key[1]) && Shape::agree(query[2], key[2]);
  if (!fit) {
    throw_wrong_shapes(
        "inputs must have the shape (batch, steps, features), with as many steps in value and key and as "
        "many features in query and key",
        inputs);
  }
  return {{query[0], query[1], value[2]}, {query[0], query[1], key[1]}};
}

AttentionLayer::Attended ScoredAttentionLayer::attend(const Operands& operands, const CallContext& context) {
  const Tensor query_mask = mask_of(operands.query), value_mask = mask_of(operands.value);
  const bool drops = context.training && dropout_ > 0;
  Attended attended;
  const Tensor factor = factor_of_products(operands.query);
  const bool fused = factor.defined() && !drops && !operands.with_scores && !value_mask.defined() &&
                     operands.query.numel() > 0 && operands.key.numel() > 0;
  if (fused) {
    const Tensor query = (operands.query * factor).unsqueeze(1), key = operands.key.unsqueeze(1),
                 value = operands.value.unsqueeze(1);
    attended.output =
        fused_attention({.query = query, .key = key, .value = value, .scale = 1, .causal = operands.use_causal_mask})
            .squeeze(1);
  } else {
    Tensor mask = value_mask.defined() ? value_mask.unsqueeze(-2) : value_mask;
    if (operands.use_causal_mask) {
      const Tensor causal = causal_mask(operands.query.size(1), operands.key.size(1), operands.query);
      mask = mask.defined() ? mask.logical_and(causal) : causal.unsqueeze(0);
    }
    Tensor logits = scores(operands.query, operands.key);
    // Keras's way to leave keys out, which differs from others where none is left.
    if (mask.defined()) logits = at::where(mask, logits, logits - 1e9);
    attended.scores = at::softmax(logits, -1);
    if (drops) {
      const Tensor stay = kept(Shape::of(attended.scores.sizes().vec()), dropout_, context, seed_, attended.scores);
      attended.scores = attended.scores * stay / (1 - dropout_);
    }
    attended.output = at::matmul(attended.scores, operands.value);
  }
  if (query_mask.defined()) attended.output = attended.output.masked_fill(query_mask.unsqueeze(-1).logical_not(), 0);
  return attended;
}

}  // namespace tandem

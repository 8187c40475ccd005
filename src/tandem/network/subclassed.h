#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tandem/network/network.h"

namespace tandem {

/// Base of models that a user writes as a class: layers are members registered by track, call says how they are used.
///
///     struct Mlp : SubclassedModel {
///       Dense hidden = track("hidden", Dense(32));
///       Tensor call(const Tensor& x, const CallContext& context) override { return hidden(x, context); }
///     };
///     Model model = make_model<Mlp>();
///
/// It is built by a dry run when the first batch shows its shape.
class SubclassedModel : public Network {
 public:
  std::vector<LayerHandle> layers() const override { return {tracked().begin(), tracked().end()}; }
  Shapes input_shapes() const override { return input_shapes_; }
  std::vector<std::string> output_names() const override;
  /// By the names given to track, and as parts of the list `layers`, in the order in which Keras walks attributes.
  std::vector<std::pair<std::string, std::shared_ptr<Layer>>> named_children() const override;

  void build_many(const Shapes& inputs) override;
  /// How many outputs there will be, for a compile with several losses before the first data; building says for sure.
  void expect_outputs(int64_t count) { outputs_ = count; }

 private:
  Shapes input_shapes_;
  int64_t outputs_ = 1;
};

}  // namespace tandem

#include "tandem/losses/cosine_similarity.h"

#include <ATen/ATen.h>

#include "tandem/losses/row_loss.h"
#include "tandem/losses/targets.h"

namespace tandem::losses {
namespace {

Tensor unit_vectors(const Tensor& x, int64_t axis) {
  return x / at::linalg_vector_norm(x, 2, axis, /*keepdim=*/true).clamp_min(1e-7);
}

std::shared_ptr<Loss> make_cosine_similarity(CosineSimilarityOptions options) {
  const int64_t axis = options.axis;
  Config settings = Config::object();
  if (axis != -1) settings.set("axis", axis);
  const auto values = [axis](const Tensor& truth, const Tensor& prediction) {
    check_axis(axis, prediction, "CosineSimilarity");
    return (unit_vectors(truth, axis) * unit_vectors(prediction, axis)).sum(axis).neg();
  };
  return std::make_shared<RowLoss>("CosineSimilarity", "cosine_similarity", std::move(options.reduction), values,
                                   std::move(settings));
}

}  // namespace

CosineSimilarity::CosineSimilarity(CosineSimilarityOptions options)
    : Handle(make_cosine_similarity(std::move(options))) {}

}  // namespace tandem::losses

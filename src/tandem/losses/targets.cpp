#include "tandem/losses/targets.h"

#include <ATen/ATen.h>
#include <c10/util/StringUtil.h>

#include <cmath>

#include "tandem/core/error.h"
#include "tandem/core/shape.h"

namespace tandem {

std::string shape_text(const Tensor& tensor) { return Shape::of(tensor.sizes().vec()).to_string(); }

std::pair<Tensor, Tensor> matching_targets(const Tensor& y_true, const Tensor& y_pred, const std::string& loss) {
  Tensor truth = y_true.to(y_pred.scalar_type());
  Tensor prediction = y_pred;
  const auto lacks_last_axis = [](const Tensor& shorter, const Tensor& longer) {
    return longer.dim() == shorter.dim() + 1 && longer.size(-1) == 1;
  };
  if (lacks_last_axis(truth, prediction)) {
    if (truth.dim() == 1) {
      truth = truth.unsqueeze(-1);
    } else {
      prediction = prediction.squeeze(-1);
    }
  } else if (lacks_last_axis(prediction, truth)) {
    if (prediction.dim() == 1) {
      prediction = prediction.unsqueeze(-1);
    } else {
      truth = truth.squeeze(-1);
    }
  } else if (prediction.dim() == 1 && truth.dim() == 1) {
    truth = truth.unsqueeze(-1);
    prediction = prediction.unsqueeze(-1);
  }
  if (truth.sizes() != prediction.sizes()) {
    const bool looks_sparse = truth.dim() < y_pred.dim() || (truth.dim() == y_pred.dim() && truth.size(-1) == 1);
    throw InvalidArgument(c10::str(loss, ": targets must have the shape of the predictions ", shape_text(y_pred),
                                   ", got ", shape_text(y_true),
                                   looks_sparse && loss == "CategoricalCrossentropy"
                                       ? "; targets that are class ids need SparseCategoricalCrossentropy"
                                       : ""));
  }
  return {truth, prediction};
}

Tensor class_ids(const Tensor& y_true, const Tensor& y_pred, const std::string& loss) {
  if (y_pred.dim() < 2) {
    throw InvalidArgument(
        c10::str(loss, ": predictions must have shape (rows, ..., classes), got ", shape_text(y_pred)));
  }
  const auto expected = y_pred.sizes().slice(0, y_pred.dim() - 1);
  const bool column = y_true.dim() == y_pred.dim() && y_true.size(-1) == 1;
  const Tensor ids = column ? y_true.squeeze(-1) : y_true;
  if (ids.sizes() != expected) {
    throw InvalidArgument(c10::str(loss, ": targets must be class ids of shape ", Shape::of(expected.vec()).to_string(),
                                   " for predictions ", shape_text(y_pred), ", got ", shape_text(y_true),
                                   y_true.sizes() == y_pred.sizes() && loss == "SparseCategoricalCrossentropy"
                                       ? "; one-hot targets need CategoricalCrossentropy"
                                       : ""));
  }
  return ids.to(at::kLong);
}

void check_class_ids(const Tensor& ids, int64_t classes, const std::string& loss) {
  if (ids.numel() == 0) return;
  const auto [lowest, highest] = at::aminmax(ids);
  if (lowest.item<int64_t>() >= 0 && highest.item<int64_t>() < classes) return;
  const Tensor wrong = ids.lt(0).logical_or_(ids.ge(classes));
  const Tensor first = wrong.nonzero()[0];
  throw InvalidArgument(c10::str(loss, ": labels must lie in [0, ", classes, ") for ", classes, " classes, got ",
                                 ids.masked_select(wrong)[0].item<int64_t>(), " in row ", first[0].item<int64_t>()));
}

void check_axis(int64_t axis, const Tensor& y_pred, const std::string& loss) {
  const int64_t rank = y_pred.dim();
  if (axis < -rank || axis >= rank) {
    throw InvalidArgument(
        c10::str(loss, ": axis must be one of the predictions' ", shape_text(y_pred), ", got ", axis));
  }
  if (axis == 0 || axis == -rank)
    throw InvalidArgument(c10::str(loss, ": axis must not be that of the rows, which devices share, got ", axis));
}

void check_share(double value, const std::string& setting, const std::string& loss) {
  if (!(value >= 0 && value <= 1))  // written so that NaN fails too
    throw InvalidArgument(c10::str(loss, ": ", setting, " must lie in [0, 1], got ", value));
}

void check_focus(double gamma, const std::string& loss) {
  if (!(gamma >= 0) || !std::isfinite(gamma))
    throw InvalidArgument(c10::str(loss, ": gamma must be a finite number of at least 0, got ", gamma));
}

Tensor smooth_classes(const Tensor& truth, double smoothing) {
  if (smoothing == 0) return truth;
  return truth * (1 - smoothing) + smoothing / static_cast<double>(truth.size(-1));
}

Tensor smooth_bits(const Tensor& truth, double smoothing) {
  return smoothing == 0 ? truth : truth * (1 - smoothing) + 0.5 * smoothing;
}

}  // namespace tandem

#include "tandem/sharding/part_of_penalty.h"

#include "tandem/sharding/tensor_group.h"

namespace tandem::sharding {
namespace {

class PartOfPenalty final : public Regularizer {
 public:
  explicit PartOfPenalty(std::shared_ptr<Regularizer> penalty) : penalty_(std::move(penalty)) {}
  Tensor operator()(const Tensor& weight) const override { return summed((*penalty_)(weight)); }
  std::string class_name() const override { return penalty_->class_name(); }
  Config get_config() const override { return penalty_->get_config(); }

 private:
  std::shared_ptr<Regularizer> penalty_;
};

}  // namespace

std::shared_ptr<Regularizer> part_of_penalty(std::shared_ptr<Regularizer> penalty) {
  return std::make_shared<PartOfPenalty>(std::move(penalty));
}

}  // namespace tandem::sharding

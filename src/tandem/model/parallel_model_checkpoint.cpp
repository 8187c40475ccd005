#include "tandem/model/parallel_model_checkpoint.h"

#include <c10/util/StringUtil.h>

#include "tandem/core/error.h"
#include "tandem/model/body.h"

namespace tandem::callbacks {
namespace {

// Hands on what a ModelCheckpoint listens to.
class TemplateCheckpoint : public Callback {
 public:
  TemplateCheckpoint(std::shared_ptr<Network> network, std::shared_ptr<Callback> checkpoint)
      : network_(std::move(network)), checkpoint_(std::move(checkpoint)) {}

  std::string class_name() const override { return "ParallelModelCheckpoint"; }
  Config get_config() const override { return checkpoint_->get_config(); }

  void set_model(TrainedModel* model) override {
    Callback::set_model(model);
    checkpoint_->set_model(model);
  }
  void on_train_begin(Logs& logs) override {
    const auto* trained = dynamic_cast<const ModelBody*>(model_);
    if (!trained || trained->network() != network_) {
      throw InvalidArgument(c10::str("ParallelModelCheckpoint: model '", network_->name(),
                                     "' must be the one that is trained, or that the parallel model was made from"));
    }
    checkpoint_->on_train_begin(logs);
  }
  void on_epoch_begin(int64_t epoch, Logs& logs) override { checkpoint_->on_epoch_begin(epoch, logs); }
  void on_epoch_end(int64_t epoch, Logs& logs) override { checkpoint_->on_epoch_end(epoch, logs); }
  void on_train_batch_end(int64_t batch, Logs& logs) override { checkpoint_->on_train_batch_end(batch, logs); }

 private:
  std::shared_ptr<Network> network_;
  std::shared_ptr<Callback> checkpoint_;
};

}  // namespace

ParallelModelCheckpoint::ParallelModelCheckpoint(const Model& model, std::string filepath,
                                                 ModelCheckpointOptions options)
    : Handle(std::make_shared<TemplateCheckpoint>(model.network(),
                                                  ModelCheckpoint(std::move(filepath), std::move(options)).object())) {}

}  // namespace tandem::callbacks

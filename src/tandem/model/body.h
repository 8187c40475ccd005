#pragma once
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tandem/data/preprocessing.h"
#include "tandem/model/compile_options.h"
#include "tandem/model/placement.h"
#include "tandem/network/network.h"
#include "tandem/network/trained_model.h"
#include "tandem/saving/h5_file.h"
#include "tandem/saving/load_report.h"
#include "tandem/training/trainer.h"

namespace tandem {

struct OptimizerProgress;

/// What multi_gpu_model was told about memory.
struct ChosenPlaces {
  bool weights_on_host = false;
  bool outputs_on_first_device = false;
};

/// What stands behind a Model handle: a network, how it was compiled, and how far it has been trained. It is a layer,
/// so that a model may be a part of another. Parallel models share the template's network and have a body of their own.
class ModelBody final : public Layer, public TrainedModel {
 public:
  explicit ModelBody(std::shared_ptr<Network> network);

  const std::shared_ptr<Network>& network() const { return network_; }
  /// Strategy used where compile names none; a parallel model's.
  void set_default_strategy(distribute::Strategy strategy) { default_strategy_ = std::move(strategy); }
  const distribute::Strategy& default_strategy() const { return default_strategy_; }
  void set_places(const ChosenPlaces& places) { places_ = places; }
  Placement placement();

  /// `options` are what `parts` were made from; they are kept for saving.
  void compile(TrainerParts parts, const CompileOptions& options);
  const std::optional<CompileOptions>& compile_options() const { return compile_options_; }
  bool compiled() const { return compiled_; }
  /// The trainer; one that can only predict before compile.
  Trainer& trainer();

  std::optional<data::Preprocessing>& preprocessing() { return preprocessing_; }
  /// `data` with the model's preprocessing where it has one.
  Dataset prepared(const Dataset& data) const;

  // Layer: the network's.
  Lowering lowering() const override { return Lowering::kNone; }
  void build_many(const Shapes& inputs) override { network_->ensure_built(inputs); }
  Tensors call_many(const Tensors& inputs, const CallContext& context) override {
    return network_->call_many(inputs, context);
  }
  Shapes output_shapes(const Shapes& inputs) override { return network_->output_shapes(inputs); }
  std::string class_name() const override { return network_->class_name(); }
  Config get_config() const override { return network_->get_config(); }
  std::vector<std::shared_ptr<Layer>> children() const override { return {network_}; }
  std::vector<std::pair<std::string, std::shared_ptr<Layer>>> named_children() const override {
    return {{"", network_}};  // a model within a model is stored as its network
  }

  // TrainedModel: what callbacks see.
  std::vector<Tensor> get_weights() override;
  void set_weights(const std::vector<Tensor>& values) override;
  StateDict optimizer_state() override;
  void set_optimizer_state(const StateDict& state) override;
  double learning_rate() override;
  void set_learning_rate(double rate) override;
  void swap_weight_averages() override { trainer().swap_averages(); }
  void set_weight_averages() override { trainer().set_averages(); }
  TrainingProgress training_progress() override { return trainer().progress(); }
  void begin_at(int64_t epoch, const std::optional<TrainingProgress>& progress) override {
    trainer().begin_at(epoch, progress);
  }
  void stop_training() override { trainer().stop(); }
  bool stopping() const override { return trainer_ && trainer_->stopping(); }
  std::string monitor_direction(const std::string& name) override;
  void record_trace(bool on) override { trainer().execution().record_trace(on); }
  std::vector<TraceSpan> trace() override { return trainer().execution().trace(); }
  bool leads() const override { return !trainer_ || trainer_->leads(); }
  void save(const std::string& path) override;
  void save_weights(const std::string& path) override;
  void restore(const std::string& path) override;
  saving::LoadReport load_weights(const std::string& path, const saving::LoadWeightsOptions& options);

  /// Architecture and compile settings as Keras's files hold them. Throws InvalidArgument naming a part that has no
  /// config.
  Config whole_config() const;
  /// Goes on where an optimizer's state in a file of Keras 3's layout ended; nothing where there is none. The model
  /// must be compiled and built.
  void restore_optimizer(const saving::H5Group& root);
  /// The same for the group that holds it in a whole model's .h5.
  void restore_legacy_optimizer(const saving::H5Group& group);

 private:
  void save_archive(const std::string& path, Config config);
  void save_legacy(const std::string& path, const Config& config);
  /// The optimizer's; none before the first update.
  std::optional<StateDict> state_to_save();
  void give_state();
  void write_optimizer_to(const saving::H5Group& root);
  void go_on_from(const OptimizerProgress& progress);

  std::shared_ptr<Network> network_;
  distribute::Strategy default_strategy_;
  ChosenPlaces places_;
  std::optional<data::Preprocessing> preprocessing_;
  std::mutex making_;  // of the first trainer, which any thread's predict may ask for
  std::unique_ptr<Trainer> trainer_;
  std::optional<CompileOptions> compile_options_;
  bool compiled_ = false;
};

}  // namespace tandem

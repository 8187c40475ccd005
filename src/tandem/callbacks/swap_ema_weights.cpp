#include "tandem/callbacks/swap_ema_weights.h"

#include "tandem/core/config_reader.h"

namespace tandem::callbacks {
namespace {

class Swapper : public Callback {
 public:
  explicit Swapper(SwapEMAWeightsOptions options) : options_(options) {}
  std::string class_name() const override { return "SwapEMAWeights"; }
  Config get_config() const override { return Config::object({{"swap_on_epoch", options_.swap_on_epoch}}); }

  void on_epoch_begin(int64_t, Logs&) override {
    if (options_.swap_on_epoch) put(false);
  }
  void on_epoch_end(int64_t epoch, Logs&) override {
    if (!options_.swap_on_epoch || averages_in_model_) return;
    put(true);
    // The end of fit writes the averages over the weights once more; where they were are the weights now.
    if (epoch == params_.epochs - 1) model_->set_weight_averages();
  }
  void on_test_begin(Logs&) override { put(true); }
  void on_test_end(Logs&) override { put(false); }
  void on_predict_begin(Logs&) override { put(true); }
  void on_predict_end(Logs&) override { put(false); }

 private:
  void put(bool averages) {
    if (averages_in_model_ == averages) return;
    model_->swap_weight_averages();
    averages_in_model_ = averages;
  }

  SwapEMAWeightsOptions options_;
  bool averages_in_model_ = false;
};

}  // namespace

SwapEMAWeights::SwapEMAWeights(SwapEMAWeightsOptions options) : Handle(std::make_shared<Swapper>(options)) {}

SwapEMAWeights SwapEMAWeights::from_config(const Config& config) {
  SwapEMAWeightsOptions options;
  ConfigReader("SwapEMAWeights", config).read("swap_on_epoch", options.swap_on_epoch).finish();
  return SwapEMAWeights(options);
}

}  // namespace tandem::callbacks

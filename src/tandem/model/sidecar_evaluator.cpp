#include "tandem/model/sidecar_evaluator.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "tandem/callbacks/callback_list.h"
#include "tandem/core/error.h"
#include "tandem/core/log.h"
#include "tandem/model/body.h"
#include "tandem/model/fit_plan.h"
#include "tandem/servers/parameter_range.h"
#include "tandem/servers/parameter_watch.h"
#include "tandem/servers/serve.h"
#include "tandem/servers/server_key_file.h"

namespace tandem {
namespace {

[[noreturn]] void refuse(const std::string& why) { throw InvalidArgument("evaluator: " + why); }

servers::ClientOptions client_of(const SidecarEvaluatorOptions& options) {
  auto client = servers::client_of_job();
  if (!options.servers.empty()) client.servers = options.servers;
  if (client.servers.empty()) refuse("the job must have parameter servers, whose parameters it evaluates; got none");
  if (!options.key_file.empty()) client.key = servers::read_key(options.key_file);
  client.begin_seconds = options.begin_seconds;
  return client;
}

void check(const SidecarEvaluatorOptions& options) {
  const auto positive = [](int64_t value, const char* name, int64_t all) {
    if (value < 1 && value != all) refuse(c10::str(name, " must be at least 1, got ", value));
  };
  positive(options.steps, "steps", -1);
  positive(options.max_evaluations, "max_evaluations", -1);
  positive(options.batch_size, "batch_size", 1);
  positive(options.evaluate_every, "evaluate_every", 1);
  if (options.verbose < 0 || options.verbose > 2)
    refuse(c10::str("verbose must be from 0 to 2, got ", options.verbose));
  if (!(options.begin_seconds > 0)) refuse(c10::str("begin_seconds must be positive, got ", options.begin_seconds));
}

// Moving averages and their like, as workers bring them together.
std::vector<Weight> statistics_of(const Network& network) {
  std::vector<Weight> statistics;
  for (const auto& w : network.non_trainable_weights()) {
    if (!w.trainable()) statistics.push_back(w);
  }
  return statistics;
}

// Sets the model's weights to what the servers have.
void take_weights(const Network& network, const servers::ParameterWatch::Look& look) {
  const c10::NoGradGuard no_grad;
  auto planned = look.plan.weights;
  std::sort(planned.begin(), planned.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
  const auto trained = network.trainable_weights();
  const auto statistics = statistics_of(network);
  if (planned.size() != trained.size() || (!look.statistics.empty() && look.statistics.size() != statistics.size()))
    refuse(c10::str("model '", network.name(), "' must be the workers', but has ", trained.size(),
                    " trained weights and ", statistics.size(), " moving averages, and theirs ", planned.size(),
                    " and ", look.statistics.size()));
  for (std::size_t i = 0; i < planned.size(); ++i) {
    const Tensor& value = trained[i].variable().value;
    const auto& place = planned[i];
    if (value.sizes() != at::IntArrayRef(place.shape) || place.number != static_cast<int64_t>(i))
      refuse(c10::str("model '", network.name(), "' must be the workers', but trained weight ", i, " is '",
                      trained[i].name(), "' ", value.sizes(), ", and theirs '", place.name, "' ",
                      at::IntArrayRef(place.shape)));
    value.copy_(servers::view_of(look.parameters, place));
  }
  for (std::size_t i = 0; i < look.statistics.size(); ++i) {
    const Tensor& value = statistics[i].variable().value;
    if (value.numel() != look.statistics[i].numel())
      refuse(c10::str("model '", network.name(), "' must be the workers', but moving average ", i, " has ",
                      value.numel(), " values, and theirs ", look.statistics[i].numel()));
    value.copy_(look.statistics[i].view(value.sizes()));
  }
}

bool is_same(const servers::ParameterWatch::Look& a, const servers::ParameterWatch::Look& b) {
  if (a.updates != b.updates || a.statistics.size() != b.statistics.size()) return false;
  for (std::size_t i = 0; i < a.statistics.size(); ++i) {
    if (!at::equal(a.statistics[i], b.statistics[i])) return false;
  }
  return at::equal(a.parameters, b.parameters);
}

// Ends an evaluation between its batches.
struct StopBetweenBatches : Callback {
  explicit StopBetweenBatches(const std::atomic<bool>& stopped) : stopped(stopped) {}
  void on_test_batch_begin(int64_t, Logs&) override {
    if (stopped) throw Stopped("evaluation: it has been stopped");
  }
  const std::atomic<bool>& stopped;
};

}  // namespace

class SidecarEvaluator::Body {
 public:
  Body(const Model& model, const Dataset& data, const SidecarEvaluatorOptions& options)
      : model_(model),
        data_(data),
        options_((check(options), options)),
        watch_(client_of(options)),
        own_(make_callbacks(options.callbacks)),
        callbacks_(own_) {
    if (!model_.body().compiled()) refuse("the model must be compiled with a loss");
    model_.body().trainer().execution();
  }

  History start() {
    history_ = History();
    const AttachedModel attached(callbacks_, model_.body());
    callbacks_.each(&Callback::set_params, CallbackParams{options_.max_evaluations, -1, options_.verbose});
    Logs logs;
    callbacks_.each(&Callback::on_train_begin, logs);
    try {
      run();
    } catch (const Stopped&) {
    } catch (const PeerError&) {
      if (!stopped_) throw;
    }
    if (stopped_) history_.set_interrupted();
    callbacks_.each(&Callback::on_train_end, logs);
    return history_;
  }

  void stop() {
    stopped_ = true;
    watch_.abort("it has been stopped");
  }

  bool begun() const { return begun_; }
  const History& history() const { return history_; }

 private:
  void run() {
    watch_.begin();
    begun_ = true;
    watch_.ask(options_.evaluate_every);
    std::optional<servers::ParameterWatch::Look> last;
    for (int64_t n = 0; n != options_.max_evaluations; ++n) {
      auto look = watch_.take();
      // What comes next travels meanwhile; the last parameters come also where training ends before that.
      if (!look.done) watch_.ask((look.updates / options_.evaluate_every + 1) * options_.evaluate_every);
      if (!last || !is_same(look, *last)) evaluate(n, look);
      if (look.done) return;
      last = std::move(look);
    }
  }

  void evaluate(int64_t n, const servers::ParameterWatch::Look& look) {
    take_weights(*model_.network(), look);
    Logs logs;
    callbacks_.each(&Callback::on_epoch_begin, n, logs);
    auto within = own_;
    within.push_back(std::make_shared<StopBetweenBatches>(stopped_));
    auto& body = model_.body();
    const auto figures = body.trainer().evaluate(
        {body.prepared(data_), options_.batch_size, options_.steps, 0, std::move(within)}, body);
    logs.set("update", static_cast<double>(look.updates));
    std::string line;
    for (const auto& [name, value] : figures) {
      logs.set("val_" + name, value);
      line += c10::str(" ", name, " ", value);
    }
    if (options_.verbose > 0) log_info(c10::str("evaluator: update ", look.updates, ":", line));
    // evaluate takes the model from them when it ends.
    callbacks_.each(&Callback::set_model, &body);
    callbacks_.each(&Callback::on_epoch_end, n, logs);
    history_.append(n, logs);
  }

  Model model_;
  Dataset data_;
  const SidecarEvaluatorOptions options_;
  std::atomic<bool> stopped_ = false, begun_ = false;
  servers::ParameterWatch watch_;
  const std::vector<std::shared_ptr<Callback>> own_;
  const CallbackList callbacks_;
  History history_;
};

SidecarEvaluator::SidecarEvaluator(const Model& model, const Dataset& data, const SidecarEvaluatorOptions& options)
    : body_(std::make_unique<Body>(model, data, options)) {}
SidecarEvaluator::~SidecarEvaluator() = default;
History SidecarEvaluator::start() { return body_->start(); }
void SidecarEvaluator::stop() { body_->stop(); }
bool SidecarEvaluator::begun() const { return body_->begun(); }
const History& SidecarEvaluator::history() const { return body_->history(); }

}  // namespace tandem

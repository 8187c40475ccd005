#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tandem/callbacks/history.h"
#include "tandem/data/preprocessing.h"
#include "tandem/layers/layer_handle.h"
#include "tandem/model/compile_options.h"
#include "tandem/model/fit_options.h"
#include "tandem/model/placement.h"
#include "tandem/model/summary_options.h"
#include "tandem/network/subclassed.h"
#include "tandem/saving/load_report.h"

namespace tandem {

class ModelBody;
class TrainingJob;

/// A network that can be trained, as keras.Model. A handle: copies are the same model, clone_model makes another; a
/// model is also a layer and may be part of another. An empty Model throws InvalidArgument on every call.
class Model : public LayerHandle {
 public:
  Model() = default;
  Model(const KerasTensors& inputs, const KerasTensors& outputs, const std::string& name = {});
  explicit Model(std::shared_ptr<Network> network);
  explicit Model(std::shared_ptr<ModelBody> body);

  /// Says how to train: optimizer, loss, metrics, and where. Starts a training anew (optimizer state, counters), not
  /// the weights. Throws InvalidArgument on an unknown name (proposing the nearest) and on what the strategy cannot
  /// hold.
  void compile(const CompileOptions& options);

  /// Trains on rows of x and y, or of a data set, and returns what each epoch gave. A second fit goes on where the
  /// first one ended. Throws InvalidArgument when shapes, options or data do not fit; a loss that is not finite is one
  /// warning.
  History fit(const Tensors& x, const Tensors& y, const FitOptions& options = {});
  History fit(const Dataset& data, const FitOptions& options = {});
  /// The same in a thread of its own: returns the job at once (model/training_job.h).
  TrainingJob fit_async(const Tensors& x, const Tensors& y, const FitOptions& options = {});
  TrainingJob fit_async(const Dataset& data, const FitOptions& options = {});

  /// Loss and metrics by name; each row counts once, whatever the number of devices.
  Logs evaluate(const Tensors& x, const Tensors& y, const EvaluateOptions& options = {});
  Logs evaluate(const Dataset& data, const EvaluateOptions& options = {});

  /// Outputs for the rows of x in their order; `predict` of a model with several outputs is predict_all.
  Tensor predict(const Tensors& x, const PredictOptions& options = {});
  Tensor predict(const Dataset& data, const PredictOptions& options = {});
  Tensors predict_all(const Tensors& x, const PredictOptions& options = {});
  Tensors predict_all(const Dataset& data, const PredictOptions& options = {});

  /// One update, or one test, with all of x and y as one batch: this batch's loss and metrics, as Keras returns them
  /// with return_dict.
  Logs train_on_batch(const Tensors& x, const Tensors& y, const BatchOptions& options = {});
  Logs test_on_batch(const Tensors& x, const Tensors& y, const BatchOptions& options = {});
  /// Outputs for all of x as one batch.
  Tensors predict_on_batch(const Tensors& x);

  /// Copies of all weights in Keras's order and layout.
  std::vector<Tensor> get_weights() const;
  void set_weights(const std::vector<Tensor>& values);
  /// The whole model to a .keras file, as Keras's save: architecture, weights, and where it is compiled also the
  /// compile settings and the optimizer's state, so that load_model, here or of Keras, goes on from there. The
  /// preprocessing is in it too; Keras passes that over. Where `path` ends in .h5 or .hdf5: the format of Keras 2 as
  /// Keras 3 writes it; Keras then trains on with new slots of its optimizer, load_model here with all. The same model
  /// makes the same bytes. Of several processes (DataParallel) rank 0 alone writes; where the others are to read the
  /// file, let them wait (ProcessGroup::barrier). Throws InvalidArgument on another ending, before the model is built,
  /// and naming a part that has no config; DataError when it cannot be written.
  void save(const std::string& path) const;
  /// All weights to a file: Keras 3's layout where `path` ends in .weights.h5, with the optimizer's state where it is
  /// compiled, that of Keras 2 for another .h5, by name in a .safetensors; rank 0 alone writes. Throws InvalidArgument
  /// on another ending and before the model is built, DataError when it cannot be written.
  void save_weights(const std::string& path) const;
  /// Weights from such a file, or those of a whole model (.keras, .h5). What was not loaded is in the report and in a
  /// warning. As in Keras a model that has been trained since compile gets the optimizer's state, too, where the file
  /// has one in Keras 3's layout that fits. Throws DataError, naming the file and the place in it; the weights are as
  /// they were then.
  saving::LoadReport load_weights(const std::string& path, const saving::LoadWeightsOptions& options = {});
  std::vector<LayerHandle> layers() const;
  /// The layer of this name. Throws InvalidArgument that proposes the nearest known names.
  LayerHandle get_layer(const std::string& name) const;
  std::vector<Weight> trainable_weights() const { return get()->trainable_weights(); }
  std::vector<Weight> non_trainable_weights() const { return get()->non_trainable_weights(); }
  int64_t count_params() const { return get()->count_params(); }

  double learning_rate() const;
  void set_learning_rate(double rate);
  /// Ends a running fit after the batch in progress.
  void stop_training();

  /// Where weights, replicas and merged outputs live; before compile, where predict would run.
  Placement placement() const;

  /// What is done to inputs before the network sees them, in fit, evaluate and predict; kept with the model.
  void set_preprocessing(data::Preprocessing preprocessing);

  /// Prints the table that Keras prints, or returns it.
  void summary(const SummaryOptions& options = {}) const;
  std::string summary_text(const SummaryOptions& options = {}) const;

  /// Architecture and compile settings as keras.Model.to_json writes them, without weights. Throws InvalidArgument
  /// naming a part that has no config.
  std::string to_json() const;

  ModelBody& body() const;
  const std::shared_ptr<Network>& network() const;
};

/// One layer after the other, as keras.Sequential: `Sequential({Input({8}), Dense(4), Dense(1)})`.
class Sequential : public Model {
 public:
  /// What a list holds: an Input or a layer.
  class Item {
   public:
    Item(const LayerHandle& layer) : layer_(layer) {}
    Item(const KerasTensor& input) : input_(input) {}

   private:
    friend class Sequential;
    LayerHandle layer_;
    KerasTensor input_;
  };

  Sequential();
  Sequential(std::initializer_list<Item> items, const std::string& name = {});
  void add(const Item& item);
};

/// A model written as a class (see SubclassedModel); arguments are copied and kept for clone_model.
template <class M, class... Args>
Model make_model(Args... args) {
  return Model(std::static_pointer_cast<Network>(make_remembered<M>("", std::move(args)...)));
}

/// The same architecture with new layers and newly drawn weights, not compiled. As keras.models.clone_model.
Model clone_model(const Model& model);

/// The model that to_json, here or of Keras, wrote, with newly drawn weights; compiled where that one was. Throws
/// DataError that names the place in the text, InvalidArgument on compile settings that are not known.
Model model_from_json(const std::string& text);

}  // namespace tandem

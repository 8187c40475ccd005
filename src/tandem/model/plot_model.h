#pragma once
#include <string>

#include "tandem/model/model.h"
#include "tandem/report/diagram.h"

namespace tandem {

struct PlotModelOptions {
  bool show_shapes = false;       // of each layer's output
  bool show_layer_names = false;  // "conv2d_1 (Conv2D)" instead of "Conv2D"
};

/// Draws a model's layers as boxes and what they pass on as arrows, as keras.utils.plot_model, and writes the picture
/// as the ending of `path` says: .png, .svg or .pdf. A layer that is called several times is one box with an arrow for
/// each input, and a model within the model is one box; a Sequential shows the layers that were added, and a model that
/// was written as a class is a single box, as there. Throws InvalidArgument before the model is built and on another
/// ending, DataError "<path>: <reason>" where the file cannot be written.
///     plot_model(model, "model.svg", {.show_shapes = true, .show_layer_names = true});
void plot_model(const Model& model, const std::string& path = "model.png", const PlotModelOptions& options = {});

/// What plot_model draws.
report::Diagram model_diagram(const Model& model, const PlotModelOptions& options = {});

}  // namespace tandem

#pragma once
#include <string>

#include "tandem/report/curves.h"
#include "tandem/report/series.h"

namespace tandem::report {

/// Draws what there is of loss, val_loss, accuracy and val_accuracy (also the accuracies of single outputs) against
/// epochs, labelled train_loss, val_loss, train_acc, val_acc. Axis labels that `options` leave empty are "Epoch #" and
/// "Loss/Accuracy". A list that is shorter than the others ends earlier. `first_epoch` is the number of the first
/// value. Throws InvalidArgument, naming what is there, when there is none of them; else as plot_curves.
void plot_history(const Series& history, const std::string& path, PlotOptions options = {}, int64_t first_epoch = 1);

/// The curves that plot_history draws.
std::vector<Curve> training_curves(const Series& history, int64_t first_epoch = 1);

}  // namespace tandem::report

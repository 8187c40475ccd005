#pragma once
#include <string>
#include <vector>

#include "tandem/report/curves.h"
#include "tandem/report/series.h"

namespace tandem::report {

/// Draws what there is of loss, val_loss, accuracy and val_accuracy (also the accuracies of single outputs) against
/// epochs, counted from 1, labelled train_loss, val_loss, train_acc, val_acc. A curve joins the epochs that gave a
/// value. Axis labels that `options` leave empty are "Epoch #" and "Loss/Accuracy". Throws InvalidArgument, naming what
/// is there, when there is none of them; else as plot_curves.
///     report::plot_history(history.by_epoch(), "plot.svg")
void plot_history(const std::vector<EpochFigures>& epochs, const std::string& path, PlotOptions options = {});

/// The curves that plot_history draws.
std::vector<Curve> training_curves(const std::vector<EpochFigures>& epochs);

}  // namespace tandem::report

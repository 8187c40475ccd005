#pragma once
#include "interruption.h"
#include "result_files.h"
#include "tandem/model/sidecar_evaluator.h"

namespace tandem::cli {

/// True for a process whose role is evaluator.
bool is_evaluator();
/// Where an evaluator writes what workers that were given the same flags write themselves: "m.weights.h5" becomes
/// "m-evaluator.weights.h5"; so does "m.safetensors".
ResultFiles of_evaluator(const ResultFiles& files);
/// What an evaluator does while workers train: evaluates the compiled model's newest weights on `rows`, keeps the best
/// in files.model, and writes the figures at its end. Returns the exit status; throws as SidecarEvaluator.
int evaluate_beside(Model& model, const Dataset& rows, SidecarEvaluatorOptions options, const ResultFiles& files,
                    Interruption& interruption);

}  // namespace tandem::cli

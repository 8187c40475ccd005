#pragma once
#include <memory>
#include <string>

#include "tandem/distribution/pipeline_execution.h"

namespace tandem::distribute {

/// What can be said of a network before it is cut into stages. Throws InvalidArgument in the name of `who`, a strategy.
void check_stageable(const std::string& who, const Network& network);

/// Throws InvalidArgument, naming it, on what cannot be staged: see PipelineParallel.
std::unique_ptr<PipelineExecution> bind_pipeline(const std::string& who, const Program& program,
                                                 const PipelineSettings& settings);

}  // namespace tandem::distribute

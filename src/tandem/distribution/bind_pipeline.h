#pragma once
#include <memory>
#include <string>

#include "tandem/distribution/pipeline_execution.h"

namespace tandem::distribute {

/// What can be said of a network before it is bound: all but by measurement, where it knows its inputs. Throws as
/// bind_pipeline does.
void check_stages(const Network& network, const PipelineSettings& settings);
void check_stage_losses(const std::string& who, const LossSet& losses);

/// Throws InvalidArgument on what cannot be staged: see PipelineParallel.
std::unique_ptr<PipelineExecution> bind_pipeline(const Program& program, const PipelineSettings& settings);

}  // namespace tandem::distribute

#pragma once
/// All of Tandem, and all of LibTorch: what programs include. What needs no torch::nn is listed in tandem/light.h,
/// which files that need no <torch/torch.h> include instead.
#include <torch/torch.h>

#include "tandem/distribution/sync_batch_norm.h"
#include "tandem/layers/torch_module.h"
#include "tandem/light.h"

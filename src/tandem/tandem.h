#pragma once
/// All of Tandem: what programs include. Files that need only a part may include that part's header, which is faster.
#include <torch/torch.h>

#include "tandem/callbacks/callback.h"
#include "tandem/callbacks/history.h"
#include "tandem/callbacks/learning_rate_scheduler.h"
#include "tandem/core/config.h"
#include "tandem/core/device.h"
#include "tandem/core/error.h"
#include "tandem/core/log.h"
#include "tandem/core/logs.h"
#include "tandem/core/random.h"
#include "tandem/core/shape.h"
#include "tandem/core/state_dict.h"
#include "tandem/core/tensor.h"

#pragma once

namespace tandem::testing {

/// Where no GPU is visible, gives LibTorch an accelerator of two devices that computes on the CPU, so that what is
/// written for GPUs is run. It is stricter than a GPU: its memory is closed to all but LibTorch's operations, so code
/// that reads a GPU's tensor as if it were the CPU's ends with a segmentation fault; and though its work is done at
/// once, work on two streams that must wait for one another and does not throws an error (stand_in_order.h). Must be
/// called first of all. Says which it is.
void use_gpu_or_stand_in();

}  // namespace tandem::testing

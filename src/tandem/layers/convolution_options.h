#pragma once
#include <cstdint>
#include <string>

#include "tandem/core/handle.h"
#include "tandem/layers/activation_function.h"
#include "tandem/layers/constraint.h"
#include "tandem/layers/initializer.h"
#include "tandem/layers/regularizer.h"
#include "tandem/layers/spatial_size.h"

/// The options of the convolution layers, in Keras's order. Size: Size1D, Size2D or Size3D.
namespace tandem::layers {

/// Of Conv1D, Conv2D, Conv3D.
template <class Size>
struct ConvolutionOptions {
  Size strides = 1;
  std::string padding = "valid";  // or "same"; Conv1D also "causal"
  Size dilation_rate = 1;
  int64_t groups = 1;
  ActivationFunction activation = {};
  bool use_bias = true;
  Handle<Initializer> kernel_initializer = "glorot_uniform";
  Handle<Initializer> bias_initializer = "zeros";
  Handle<Regularizer> kernel_regularizer = {};
  Handle<Regularizer> bias_regularizer = {};
  Handle<Regularizer> activity_regularizer = {};
  Handle<Constraint> kernel_constraint = {};
  Handle<Constraint> bias_constraint = {};
  std::string name = {};
};

/// Of Conv1DTranspose, Conv2DTranspose, Conv3DTranspose.
template <class Size>
struct TransposedConvolutionOptions {
  Size strides = 1;
  std::string padding = "valid";  // or "same"
  Size output_padding = {};       // not given: found from the sizes
  Size dilation_rate = 1;
  ActivationFunction activation = {};
  bool use_bias = true;
  Handle<Initializer> kernel_initializer = "glorot_uniform";
  Handle<Initializer> bias_initializer = "zeros";
  Handle<Regularizer> kernel_regularizer = {};
  Handle<Regularizer> bias_regularizer = {};
  Handle<Regularizer> activity_regularizer = {};
  Handle<Constraint> kernel_constraint = {};
  Handle<Constraint> bias_constraint = {};
  std::string name = {};
};

/// Of DepthwiseConv1D, DepthwiseConv2D.
template <class Size>
struct DepthwiseConvolutionOptions {
  Size strides = 1;
  std::string padding = "valid";  // or "same"
  int64_t depth_multiplier = 1;
  Size dilation_rate = 1;
  ActivationFunction activation = {};
  bool use_bias = true;
  Handle<Initializer> depthwise_initializer = "glorot_uniform";
  Handle<Initializer> bias_initializer = "zeros";
  Handle<Regularizer> depthwise_regularizer = {};
  Handle<Regularizer> bias_regularizer = {};
  Handle<Regularizer> activity_regularizer = {};
  Handle<Constraint> depthwise_constraint = {};
  Handle<Constraint> bias_constraint = {};
  std::string name = {};
};

/// Of SeparableConv1D, SeparableConv2D.
template <class Size>
struct SeparableConvolutionOptions {
  Size strides = 1;
  std::string padding = "valid";  // or "same"
  Size dilation_rate = 1;
  int64_t depth_multiplier = 1;
  ActivationFunction activation = {};
  bool use_bias = true;
  Handle<Initializer> depthwise_initializer = "glorot_uniform";
  Handle<Initializer> pointwise_initializer = "glorot_uniform";
  Handle<Initializer> bias_initializer = "zeros";
  Handle<Regularizer> depthwise_regularizer = {};
  Handle<Regularizer> pointwise_regularizer = {};
  Handle<Regularizer> bias_regularizer = {};
  Handle<Regularizer> activity_regularizer = {};
  Handle<Constraint> depthwise_constraint = {};
  Handle<Constraint> pointwise_constraint = {};
  Handle<Constraint> bias_constraint = {};
  std::string name = {};
};

}  // namespace tandem::layers

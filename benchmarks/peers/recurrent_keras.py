"""Keras on TensorFlow: one forward and backward pass of LSTM and GRU in a compiled function, with gradients of all weights.

usage: recurrent_keras.py PASSES ROWS STEPS FEATURES UNITS      prints one JSON line
"""
import json
import os
import statistics
import sys
import time

os.environ.update(KERAS_BACKEND="tensorflow", TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="")

import keras  # noqa: E402
import tensorflow as tf  # noqa: E402


def milliseconds(layer, x, passes):
    layer.build(x.shape)

    @tf.function
    def one_pass():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(layer(x))
        return tape.gradient(loss, [w.value for w in layer.trainable_weights])

    found = []
    for number in range(passes + 3):
        start = time.perf_counter()
        for gradient in one_pass():
            gradient.numpy()
        if number >= 3:  # the first ones trace and warm up
            found.append((time.perf_counter() - start) * 1e3)
    return statistics.median(found)


def main(passes, rows, steps, features, units):
    x = tf.random.normal((rows, steps, features))
    print(json.dumps({kind.__name__: milliseconds(kind(units, return_sequences=True), x, passes)
                      for kind in (keras.layers.LSTM, keras.layers.GRU)}))


main(*map(int, sys.argv[1:6]))

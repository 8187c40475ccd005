"""TensorFlow's MirroredStrategy over logical CPU devices: Keras's fit of a network of the zoo.

usage: tf_mirrored.py MODEL DEVICES BATCH STEPS    BATCH: rows of a step over all devices
Prints one JSON line with the figures of `tandem bench train --json`, timed from the end of one step to the end of the next.
"""
import json
import os
import sys
import time

os.environ.update(KERAS_BACKEND="tensorflow", TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="")

import keras  # noqa: E402
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

L = keras.layers
WARM_UP = 3  # steps that are not counted


def convolution(x, filters, size, strides=1, padding="same"):
    x = L.Conv2D(filters, size, strides=strides, padding=padding)(x)
    return L.Activation("relu")(L.BatchNormalization()(x))


def minigooglenet():
    inputs = keras.Input((32, 32, 3))
    x = convolution(inputs, 96, 3)
    for item in ((32, 32), (32, 48), 80, (112, 48), (96, 64), (80, 80), (48, 96), 96, (176, 160), (176, 160)):
        if isinstance(item, tuple):
            x = L.Concatenate()([convolution(x, item[0], 1), convolution(x, item[1], 3)])
        else:
            x = L.Concatenate()([convolution(x, item, 3, 2, "valid"), L.MaxPooling2D(3, strides=2)(x)])
    x = L.Flatten()(L.Dropout(0.5)(L.AveragePooling2D(7)(x)))
    return keras.Model(inputs, L.Dense(10, activation="softmax")(x))


def mlp():
    layers = [L.Flatten(), L.Dense(256, activation="relu"), L.Dense(128, activation="relu"), L.Dense(10, activation="softmax")]
    return keras.Sequential([keras.Input((32, 32, 3)), *layers])


class StepTimes(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.seconds, self.last = [], None

    def on_train_batch_end(self, batch, logs=None):
        now = time.perf_counter()
        if batch >= WARM_UP:
            self.seconds.append(now - self.last)
        self.last = now


def main(network, devices, batch, steps):
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * devices)
    strategy = tf.distribute.MirroredStrategy([f"CPU:{k}" for k in range(devices)])
    keras.utils.set_random_seed(0)
    with strategy.scope():
        model = {"minigooglenet": minigooglenet, "mlp": mlp}[network]()
        model.compile(keras.optimizers.SGD(5e-3, momentum=0.9), "categorical_crossentropy")
    x = np.random.default_rng(0).standard_normal((batch, 32, 32, 3)).astype("float32")
    y = keras.utils.to_categorical(np.arange(batch) % 10, 10)
    # In slices, so that the strategy can divide a batch over its devices.
    rows = tf.data.Dataset.from_tensor_slices((x, y)).repeat(WARM_UP + steps).batch(batch).prefetch(2)
    times = StepTimes()
    model.fit(rows, shuffle=False, verbose=0, callbacks=[times])
    seconds = sorted(times.seconds)
    best, median = seconds[0], seconds[len(seconds) // 2]
    print(json.dumps({"peer": f"MirroredStrategy of TensorFlow {tf.__version__}, Keras {keras.__version__}", "devices": devices,
                      "images_per_second_best": batch / best, "images_per_second_median": batch / median, "step_ms": median * 1e3}))


main(sys.argv[1], *map(int, sys.argv[2:]))

// MiniGoogLeNet on CIFAR-10 on one device or many:
//     example_minigooglenet --output plot.png --gpus 4
//     example_minigooglenet --output plot.png --devices 'cpu*2' --data cifar10 --epochs 3
#include <tandem/tandem.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>

using namespace tandem;

int main(int argc, char** argv) {
  std::string output, where, folder = "cifar10";
  int64_t gpus = 1, epochs = 70;
  CLI::App app{"Trains MiniGoogLeNet on CIFAR-10."};
  app.add_option("-o,--output", output, "Where the plot goes")->required();
  auto* count = app.add_option("-g,--gpus", gpus, "GPUs to train on");
  app.add_option("--devices", where, "Devices to train on, as cpu*2")->excludes(count);
  app.add_option("--data", folder, "Folder with the binary version of CIFAR-10");
  app.add_option("--epochs", epochs, "Passes over the data");
  CLI11_PARSE(app, argc, argv);

  try {
    const Devices devices = where.empty() ? Devices::gpus(gpus) : Devices::parse(where);
    const int64_t batch = 64 * devices.size();
    const double rate = 5e-3;

    std::puts("[INFO] loading CIFAR-10 data...");
    auto [train, test] = datasets::cifar10({.path = folder});
    const auto mean = data::Preprocessing::fit_mean(train);
    train = train.map(data::OneHot(10)).shuffle().batch(batch, /*drop_remainder=*/true);
    test = test.map(data::OneHot(10)).batch(batch);
    const data::Compose augmentation({data::RandomShift(0.1), data::RandomFlip("horizontal")});

    std::printf("[INFO] training with %ld devices: %s\n", static_cast<long>(devices.size()),
                devices.to_string().c_str());
    Model model;
    {
      DeviceScope on("cpu:0");  // the template's weights stay in host memory
      model = zoo::minigooglenet({.input_shape = {32, 32, 3}, .classes = 10});
    }
    model.set_preprocessing(mean);
    auto parallel = multi_gpu_model(model, devices);

    std::puts("[INFO] compiling model...");
    parallel.compile({.optimizer = optimizers::SGD({.learning_rate = rate, .momentum = 0.9}),
                      .loss = "categorical_crossentropy",
                      .metrics = {"accuracy"}});

    std::puts("[INFO] training network...");
    // The rate falls to 0 along a straight line over the epochs.
    const callbacks::LearningRateScheduler decay(
        [=](int epoch) { return rate * (1 - static_cast<double>(epoch) / static_cast<double>(epochs)); });
    const auto history = parallel.fit(
        train,
        {.epochs = epochs, .verbose = 2, .callbacks = {decay}, .validation_data = test, .augmentation = augmentation});

    report::plot_history(history.by_epoch(), output,
                         {.title = "MiniGoogLeNet on CIFAR-10", .x_label = "Epoch #", .y_label = "Loss/Accuracy"});
    std::printf("[INFO] wrote %s\n", output.c_str());
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

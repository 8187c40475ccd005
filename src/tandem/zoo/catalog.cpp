#include "tandem/zoo/catalog.h"

#include "tandem/core/catalog.h"
#include "tandem/zoo/autoencoder.h"
#include "tandem/zoo/cnn.h"
#include "tandem/zoo/densenet121.h"
#include "tandem/zoo/minigooglenet.h"
#include "tandem/zoo/mlp.h"
#include "tandem/zoo/mobilenetv2.h"
#include "tandem/zoo/resnet20.h"
#include "tandem/zoo/resnet50.h"
#include "tandem/zoo/transformer.h"
#include "tandem/zoo/vgg16.h"

namespace tandem::zoo {
namespace {

struct Network {
  Model (*model)(int64_t classes);
  Recipe (*recipe)();
};

// The data sets that the command has hold small images; a program may ask for others.
template <auto kNetwork, class Options>
Model for_small_images(int64_t classes) {
  return kNetwork(Options{.input_shape = {32, 32, 3}, .classes = classes});
}

const Catalog<Network>& networks() {
  static const Catalog<Network> catalog(
      "model",
      {
          {"minigooglenet",
           {[](int64_t classes) { return minigooglenet({.classes = classes}); }, minigooglenet_recipe}},
          {"resnet20", {[](int64_t classes) { return resnet20({.classes = classes}); }, resnet20_recipe}},
          {"resnet50", {for_small_images<resnet50, ImageNetOptions>, image_net_recipe}},
          {"resnet50v2", {for_small_images<resnet50v2, ImageNetOptions>, image_net_recipe}},
          {"densenet121", {for_small_images<densenet121, ImageNetOptions>, image_net_recipe}},
          {"mobilenetv2", {for_small_images<mobilenetv2, MobileNetV2Options>, image_net_recipe}},
          {"vgg16", {for_small_images<vgg16, ImageNetOptions>, vgg16_recipe}},
          {"cnn", {[](int64_t classes) { return cnn({.classes = classes}); }, cnn_recipe}},
          {"mlp", {[](int64_t classes) { return mlp({.classes = classes}); }, mlp_recipe}},
          {"transformer", {[](int64_t classes) { return transformer({.classes = classes}); }, transformer_recipe}},
          {"autoencoder", {[](int64_t) { return autoencoder(); }, autoencoder_recipe}},
          {"conv_autoencoder", {[](int64_t) { return conv_autoencoder(); }, autoencoder_recipe}},
      });
  return catalog;
}

}  // namespace

Entry make(const std::string& name, int64_t classes) {
  const auto& network = networks().at(name);
  return {network.model(classes), network.recipe()};
}

Recipe recipe(const std::string& name) { return networks().at(name).recipe(); }
std::vector<std::string> names() { return networks().names(); }

}  // namespace tandem::zoo

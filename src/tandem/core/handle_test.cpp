#include "tandem/core/handle.h"

#include <gtest/gtest.h>

#include "tandem/core/catalog.h"

namespace tandem {
namespace {

struct Animal {
  virtual ~Animal() = default;
  virtual int legs() const { return 4; }
  static std::shared_ptr<Animal> make(const std::string& name);
};

struct Bird : Animal {
  int legs() const override { return 2; }
};

std::shared_ptr<Animal> Animal::make(const std::string& name) {
  using Maker = std::shared_ptr<Animal> (*)();
  static const Catalog<Maker> catalog("animal",
                                      {{"bird", [] { return std::shared_ptr<Animal>(std::make_shared<Bird>()); }},
                                       {"cat", [] { return std::make_shared<Animal>(); }}});
  return catalog.at(name)();
}

struct Options {
  Handle<Animal> animal = "cat";
};

TEST(Handle, MakesTheObjectOfAName) {
  EXPECT_EQ(Options{}.animal.get()->legs(), 4);
  EXPECT_EQ((Options{.animal = "bird"}).animal.get()->legs(), 2);
  EXPECT_EQ((Options{.animal = std::string("bird")}).animal.name(), "bird");
  EXPECT_EQ((Options{.animal = "bird"}).animal.object(), nullptr);
}

TEST(Handle, KeepsTheObjectGiven) {
  const auto bird = std::make_shared<Bird>();
  const Options options{.animal = bird};
  EXPECT_EQ(options.animal.get(), bird);
  EXPECT_EQ(options.animal.object(), bird);
  EXPECT_TRUE(options.animal.name().empty());
}

TEST(Handle, NamesWhatIsWrong) {
  EXPECT_TRUE(Handle<Animal>().empty());
  EXPECT_FALSE(Handle<Animal>("cat").empty());
  EXPECT_THROW(Handle<Animal>().get(), InvalidArgument);
  EXPECT_THROW(Handle<Animal>("brd").get(), InvalidArgument);
}

}  // namespace
}  // namespace tandem

#include "tandem/data/image_file.h"

#include <gtest/gtest.h>
#include <jpeglib.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "tandem/core/error.h"
#include "tandem/data/message_of_test.h"
#include "tandem/testing/npy.h"
#include "tandem/testing/temporary_folder.h"

namespace tandem {
namespace {

std::string picture(const std::string& kind) {
  const auto folder = testing::fixture("keras/images/" + kind + "/");
  return folder + (kind.ends_with("jpeg") ? "picture.jpg" : "picture.png");
}

// The largest difference to what TensorFlow decodes.
int64_t difference(const std::string& kind, const std::string& color_mode) {
  const Tensor wanted = testing::load_npy(testing::fixture("keras/images/" + kind + "/" + color_mode + ".npy"));
  const Tensor got = load_image(picture(kind), {.color_mode = color_mode});
  EXPECT_EQ(got.scalar_type(), at::kByte);
  EXPECT_EQ(got.sizes(), wanted.sizes()) << kind << " " << color_mode;
  if (got.sizes() != wanted.sizes()) return 1000;
  return (got.to(at::kLong) - wanted.to(at::kLong)).abs().max().item<int64_t>();
}

TEST(LoadImage, DecodesPngAsKeras) {
  for (const char* kind : {"rgb_png", "rgba_png", "gray_png", "gray_alpha_png", "gray16_png", "rgb16_png", "palette"}) {
    for (const char* mode : {"grayscale", "rgb", "rgba"}) EXPECT_EQ(difference(kind, mode), 0) << kind << " " << mode;
  }
}

TEST(LoadImage, DecodesJpegAsKeras) {
  // Versions of libjpeg round differently.
  for (const char* kind : {"rgb_jpeg", "gray_jpeg", "progressive_jpeg"}) {
    for (const char* mode : {"grayscale", "rgb"}) EXPECT_LE(difference(kind, mode), 2) << kind << " " << mode;
  }
  const Tensor opaque = load_image(picture("rgb_jpeg"), {.color_mode = "rgba"});
  EXPECT_TRUE(at::equal(opaque.slice(2, 0, 3), load_image(picture("rgb_jpeg"))));
  EXPECT_TRUE(opaque.select(2, 3).eq(255).all().item<bool>());
}

// A JPEG of one color in four inks, with Adobe's marker, which says that they are inverted.
std::string four_inks(const std::array<int, 4>& inks) {
  jpeg_compress_struct encoder{};
  jpeg_error_mgr errors;
  encoder.err = jpeg_std_error(&errors);
  jpeg_create_compress(&encoder);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&encoder, &bytes, &size);
  encoder.image_width = encoder.image_height = 8;
  encoder.input_components = 4;
  encoder.in_color_space = JCS_CMYK;
  jpeg_set_defaults(&encoder);
  jpeg_set_quality(&encoder, 100, TRUE);
  jpeg_start_compress(&encoder, TRUE);
  std::string line;
  for (int i = 0; i < 8; ++i) line.append(inks.begin(), inks.end());
  auto* row = reinterpret_cast<unsigned char*>(line.data());
  while (encoder.next_scanline < 8) jpeg_write_scanlines(&encoder, &row, 1);
  jpeg_finish_compress(&encoder);
  std::string out(reinterpret_cast<char*>(bytes), size);
  jpeg_destroy_compress(&encoder);
  std::free(bytes);
  return out;
}

TEST(LoadImage, InksBecomeLight) {
  const testing::TemporaryFolder folder;
  const auto file = folder.write("inks.jpg", four_inks({200, 100, 50, 128}));
  const Tensor wanted = at::tensor({200 * 128 / 255, 100 * 128 / 255, 50 * 128 / 255});
  EXPECT_LE((load_image(file).to(at::kLong) - wanted).abs().max().item<int64_t>(), 1);
  EXPECT_EQ(load_image(file, {.color_mode = "grayscale"}).sizes(), at::IntArrayRef({8, 8, 1}));
}

TEST(LoadImage, ResizesToFloats) {
  const Tensor image = load_image(picture("rgb_png"), {.image_size = {{7, 10}}});
  EXPECT_EQ(image.scalar_type(), at::kFloat);
  EXPECT_TRUE(at::equal(image, load_image(picture("rgb_png")).to(at::kFloat)));
  EXPECT_EQ(load_image(picture("rgb_png"), {.image_size = {{3, 5}}}).sizes(), at::IntArrayRef({3, 5, 3}));
}

TEST(LoadImage, WhatCannotBeDecodedIsNamed) {
  const testing::TemporaryFolder folder;
  const auto refusal = [&](const std::string& bytes) {
    const auto file = folder.write("x", bytes);
    const auto message = data::message_of<DataError>([&] { load_image(file); });
    return message.starts_with(file) ? message.substr(file.size()) : message;
  };
  EXPECT_EQ(refusal(""), ": is empty");
  EXPECT_EQ(refusal("GIF89a"), ": is neither a JPEG nor a PNG picture");
  for (const char* kind : {"rgb_jpeg", "progressive_jpeg", "rgb_png", "palette"}) {
    const auto bytes = testing::file_bytes(picture(kind));
    for (std::size_t size = 12; size < bytes.size() - 2; size += 13) {
      EXPECT_NE(refusal(bytes.substr(0, size)).find(" picture: "), std::string::npos) << kind << " " << size;
    }
  }
  auto bytes = testing::file_bytes(picture("rgb_png"));
  bytes[bytes.size() / 2] ^= 0x55;
  EXPECT_NE(refusal(bytes).find(": is a damaged PNG picture: "), std::string::npos) << refusal(bytes);
  EXPECT_EQ(data::message_of<DataError>([] { load_image("/nowhere.png"); }),
            "/nowhere.png: cannot be read: No such file or directory");
  EXPECT_EQ(data::message_of<InvalidArgument>([] { load_image("x", {.color_mode = "RGB"}); }),
            "load_image: color_mode 'RGB' is not known; did you mean 'rgb', 'rgba'?");
}

TEST(LoadImage, ASizeThatCannotBeIsRefusedBeforeRoomIsMade) {
  const testing::TemporaryFolder folder;
  auto bytes = testing::file_bytes(picture("rgb_jpeg"));
  const auto frame = bytes.find("\xFF\xC0");  // then length (2), bits (1), height (2), width (2)
  ASSERT_NE(frame, bytes.npos);
  bytes.replace(frame + 5, 4, "\xFF\xDC\xFF\xDC");
  const auto file = folder.write("x.jpg", bytes);
  EXPECT_EQ(data::message_of<DataError>([&] { load_image(file); }),
            file + ": is too large a picture, 65500 x 65500 pixels");
}

}  // namespace
}  // namespace tandem

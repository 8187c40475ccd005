#include "tandem/training/progress_board.h"

#include <gtest/gtest.h>

#include <thread>

namespace tandem {
namespace {

TEST(ProgressBoard, StepsCountOnOverEpochs) {
  ProgressBoard board;
  board.begin(5, 6);  // two epochs of three steps, after three that were trained before
  EXPECT_EQ(board.read().steps, 6);
  for (int64_t epoch : {3, 4}) {
    board.start_epoch(epoch);
    for (int i = 0; i < 3; ++i) board.step_done();
    EXPECT_EQ(board.read().epoch, epoch);
  }
  EXPECT_EQ(board.read().epochs, 5);
  EXPECT_EQ(board.read().step, 6);
}

TEST(ProgressBoard, FiguresAreAskedForWhenTheyAreOld) {
  ProgressBoard board;
  EXPECT_TRUE(board.step_done()) << "there are none";
  board.show(Logs({{"loss", 0.5}}));
  EXPECT_EQ(board.read().logs["loss"], 0.5);
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  EXPECT_TRUE(board.step_done());
}

}  // namespace
}  // namespace tandem

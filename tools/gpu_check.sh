#!/usr/bin/env bash
# Builds the library on a machine with a GPU from what is there (a C++ compiler, CMake, LibTorch 2.11 or newer; neither network nor
# root), runs tests/device and the GPU benchmark, and prints a table. Ends within 10 minutes.
#   tools/gpu_check.sh [BUILD_FOLDER]     build/gpu by default
# TORCH_ROOT=<folder with include/ and lib/>  this LibTorch; by default the one of `python3 -c "import torch"`, else tools/setup's
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=${1:-build/gpu}
limit=590  # seconds for all steps

rows=() failed=0
row() { rows+=("$(printf '%-22s %8s  %s' "$1" "$2" "$3")"); }

# step NAME COMMAND...: runs the command in what is left of the time, with its output in a log and its end on the screen.
step() {
  local name=$1 start=$SECONDS left=$((limit - SECONDS)) status=0
  shift
  if ((failed)); then row "$name" - "not run"; return; fi
  echo "=== $name: $*"
  timeout -k 5 $((left > 1 ? left : 1)) "$@" 2>&1 | tail -n 40 || status=$?
  if ((status == 0)); then
    row "$name" $((SECONDS - start)) ok
  else
    row "$name" $((SECONDS - start)) "$( ((status == 124)) && echo 'out of time' || echo "failed, status $status")"
    failed=1
  fi
}

finish() {
  printf '\n%-22s %8s  %s\n' step seconds result
  printf '%s\n' "${rows[@]}"
  exit $failed
}

gpu=$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | paste -sd, || true)
row GPU - "${gpu:-none found by nvidia-smi}"

fetched=${TANDEM_CACHE:-$HOME/.cache/tandem}/libtorch-$(sed -n 's/.* torch-\([^-]*\)-.*/\1/p' tools/libtorch.lock)/torch
for candidate in "${TORCH_ROOT:-}" "$(python3 -c 'import os, torch; print(os.path.dirname(torch.__file__))' 2>/dev/null)" \
                 "$fetched" /opt/libtorch /usr/local/libtorch; do
  [[ -f $candidate/lib/libtorch_cpu.so ]] && root=$candidate && break
done
if [[ -z ${root:-} ]]; then
  row LibTorch - "not found: set TORCH_ROOT"
  failed=1
  finish
fi
row LibTorch - "$root"
for tool in cmake c++; do
  command -v $tool >/dev/null || { row $tool - "not found"; failed=1; }
done
((failed == 0)) || finish

generator=("Unix Makefiles")
! command -v ninja >/dev/null || generator=(Ninja)
step configure cmake -S . -B "$build" -G "${generator[@]}" -DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD=ON \
  -DTANDEM_EXAMPLES=OFF -DTORCH_ROOT="$root"
targets=(device_tests)
for optional in tandem_cuda tandem_cli; do
  cmake --build "$build" --target help 2>/dev/null | grep -qw "$optional" && targets+=("$optional")
done
step build cmake --build "$build" --parallel "$(nproc)" --target "${targets[@]}"
step tests/device ctest --test-dir "$build" --output-on-failure --verbose --no-tests=error -R '^device'

# ctest passes a skipped test; where there is a GPU, it is a failure.
if ((failed == 0)) && skipped=$(grep -hs '^skipped: ' "$build/Testing/Temporary/LastTest.log"); then
  row "" - "$skipped"
  [[ -z $gpu ]] || failed=1
fi
# One GPU whole, as two virtual devices, and all of several; the command needs CLI11 and a JSON library, which such a machine may lack.
if [[ -n $gpu && -x $build/apps/tandem/tandem ]]; then
  lists=(gpu:0 gpu:0/2,gpu:0/2)
  cards=$(nvidia-smi --query-gpu=name --format=csv,noheader | wc -l)
  ((cards == 1)) || lists+=("gpu*$cards")
  for devices in "${lists[@]}"; do
    step "bench $devices" "$build/apps/tandem/tandem" bench train minigooglenet --devices "$devices" --batch-size 256 --steps 30 --json
  done
else
  row "GPU benchmark" - "not run: $([[ -n $gpu ]] && echo 'no CLI11 here, so no tandem command' || echo 'no GPU')"
fi
finish

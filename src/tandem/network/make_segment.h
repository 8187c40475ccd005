#pragma once
#include <cstddef>
#include <vector>

#include "tandem/network/divided_graph.h"
#include "tandem/network/flat_graph.h"

namespace tandem {

/// By value: the step of `flat` that makes it, or the number of steps where it is an input of the graph.
std::vector<std::size_t> makers_of(const FlatGraph& flat);

/// The steps `group` of `flat`, in order, as one segment: it reads what others make, and writes what others read or the
/// graph gives out. `segment_of`: of each step. `also_reads`: values that it is given though none of its steps reads
/// them. Its place, and which segments must come before, are the caller's to say.
Segment make_segment(const FlatGraph& flat, const std::vector<std::size_t>& group,
                     const std::vector<std::size_t>& segment_of, const std::vector<std::size_t>& also_reads = {});

}  // namespace tandem

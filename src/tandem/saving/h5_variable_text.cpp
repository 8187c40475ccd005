#include "tandem/saving/h5_variable_text.h"

#include <c10/util/StringUtil.h>
#include <hdf5.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <utility>

#include "tandem/core/error.h"

namespace tandem::saving {
namespace {

// HDF5's format, "Global Heap" and "Variable-length" (HDF5 File Format Specification 3.0, III.E): a reference is the
// length (4 bytes), the heap's address (8) and the object's number (4), all little-endian.
constexpr std::size_t kReferenceBytes = 16;

struct HeapReference {
  uint64_t length, address, number;
};

uint64_t whole_number(const char* bytes, int width) {
  uint64_t value = 0;
  for (int i = width - 1; i >= 0; --i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

// A conversion from strings of variable length to opaque bytes: leaves the references as they are in the file.
herr_t keep_reference(hid_t from, hid_t to, H5T_cdata_t* about, std::size_t, std::size_t, std::size_t, void*, void*,
                      hid_t) {
  if (about->command != H5T_CONV_INIT) return 0;
  about->need_bkg = H5T_BKG_NO;
  return H5Tget_size(from) == kReferenceBytes && H5Tget_size(to) == kReferenceBytes ? 0 : -1;
}

std::vector<HeapReference> read_references(const H5Node& node, hid_t attribute, std::size_t count) {
  const H5Handle texts(H5Tcopy(H5T_C_S1), H5Tclose), raw(H5Tcreate(H5T_OPAQUE, kReferenceBytes), H5Tclose);
  H5Tset_size(texts.id(), H5T_VARIABLE);
  std::vector<char> bytes(count * kReferenceBytes);
  H5Tregister(H5T_PERS_SOFT, "tandem heap reference", texts.id(), raw.id(), keep_reference);
  const bool read = H5Aread(attribute, raw.id(), bytes.data()) >= 0;
  const std::string why = read ? "" : h5_error();
  H5Tunregister(H5T_PERS_SOFT, "tandem heap reference", texts.id(), raw.id(), keep_reference);
  if (!read) throw DataError(c10::str(node.where(), ": an attribute cannot be read", why));
  std::vector<HeapReference> references;
  for (std::size_t i = 0; i < count; ++i) {
    const char* at = bytes.data() + i * kReferenceBytes;
    references.push_back({whole_number(at, 4), whole_number(at + 4, 8), whole_number(at + 12, 4)});
  }
  return references;
}

// The file's bytes, past the library.
class RawFile {
 public:
  explicit RawFile(const H5Node& node) : node_(node) {
    const hid_t file = node.file->handle.id();
    const H5Handle access(H5Fget_access_plist(file), H5Pclose), creation(H5Fget_create_plist(file), H5Pclose);
    std::size_t address_bytes = 0, size_bytes = 0;
    hsize_t size = 0;
    void* handle = nullptr;
    const hid_t driver = H5Pget_driver(access.id());
    if (H5Pget_sizes(creation.id(), &address_bytes, &size_bytes) < 0 || address_bytes != 8 || size_bytes != 8 ||
        H5Fget_filesize(file, &size) < 0 || H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) < 0 || !handle ||
        (driver != H5FD_SEC2 && driver != H5FD_CORE))
      fail();
    size_ = size;
    if (driver == H5FD_CORE) {
      memory_ = *static_cast<const char**>(handle);
    } else {
      descriptor_ = *static_cast<const int*>(handle);
    }
  }

  [[noreturn]] void fail() const {
    throw DataError(c10::str(node_.where(), ": the texts of an attribute are damaged"));
  }

  std::string read(uint64_t begin, uint64_t count) const {
    if (begin > size_ || count > size_ - begin) fail();
    if (memory_) return std::string(memory_ + begin, count);
    std::string bytes(count, '\0');
    for (uint64_t done = 0; done < count;) {
      const ssize_t got = ::pread(descriptor_, bytes.data() + done, count - done, static_cast<off_t>(begin + done));
      if (got <= 0) fail();
      done += static_cast<uint64_t>(got);
    }
    return bytes;
  }

 private:
  const H5Node& node_;
  uint64_t size_ = 0;
  const char* memory_ = nullptr;
  int descriptor_ = -1;
};

// The objects of one heap by their numbers.
std::map<uint64_t, std::string> read_heap(const RawFile& file, uint64_t address) {
  constexpr uint64_t kHeader = 16;
  const std::string start = file.read(address, kHeader);
  if (!start.starts_with("GCOL\x01")) file.fail();
  const uint64_t size = whole_number(start.data() + 8, 8);
  const std::string heap = file.read(address, size);
  std::map<uint64_t, std::string> objects;
  for (uint64_t at = kHeader; at + kHeader <= size;) {
    const uint64_t number = whole_number(heap.data() + at, 2), bytes = whole_number(heap.data() + at + 8, 8);
    if (number == 0) break;  // what is free
    if (bytes > size - at - kHeader) file.fail();
    objects[number] = heap.substr(at + kHeader, bytes);
    at += kHeader + (bytes + 7) / 8 * 8;
  }
  return objects;
}

}  // namespace

std::vector<std::string> read_variable_texts(const H5Node& node, int64_t attribute, std::size_t count) {
  const RawFile file(node);
  std::map<uint64_t, std::map<uint64_t, std::string>> heaps;
  std::vector<std::string> texts;
  for (const auto& [length, address, number] : read_references(node, attribute, count)) {
    if (length == 0) {
      texts.emplace_back();
      continue;
    }
    auto heap = heaps.find(address);
    if (heap == heaps.end()) heap = heaps.emplace(address, read_heap(file, address)).first;
    const auto object = heap->second.find(number);
    if (object == heap->second.end() || length > object->second.size()) file.fail();
    const std::string text = object->second.substr(0, length);
    texts.push_back(text.substr(0, text.find('\0')));
  }
  return texts;
}

}  // namespace tandem::saving

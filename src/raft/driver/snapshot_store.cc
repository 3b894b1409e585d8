#include "raft/driver/snapshot_store.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "raft/driver/batch_contents.h"
#include "raft/driver/control_batches.h"
#include "record/batch_builder.h"
#include "record/batch_walk.h"

namespace moldau {
namespace {

constexpr std::string_view kSuffix = ".checkpoint";
constexpr std::string_view kPartial = ".part";
constexpr size_t kOffsetDigits = 20;
constexpr size_t kEpochDigits = 10;
constexpr int64_t kChunk = 1 << 20;
constexpr size_t kHeaderRead = 4096;  // contains the first batch

std::unexpected<Error> storage_error(io::IoError error) {
  return std::unexpected(std::move(error).to_error());
}

template <class Number>
bool parse_digits(std::string_view text, Number& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size() && out >= 0;
}

// What a crash may leave: being written by us or by Kafka, or marked for deletion by Kafka.
bool is_leftover(std::string_view name) {
  return name.ends_with(".checkpoint.part") || name.ends_with(".checkpoint.deleted");
}

Result<SnapshotInfo> describe(io::FileSystem& files, const std::string& directory, const OffsetAndEpoch& id) {
  auto file = files.open(directory + "/" + snapshot_name(id), io::OpenMode::kRead);
  if (!file) return storage_error(std::move(file).error());
  auto size = (*file)->size();
  if (!size) return storage_error(std::move(size).error());
  SnapshotInfo info{id, *size, -1};
  Buffer head = Buffer::allocate(kHeaderRead);
  auto got = (*file)->read_at(0, head.span());
  if (!got) return storage_error(std::move(got).error());
  const NextBatch first = next_batch(Bytes(head).first(*got));
  if (first.what != BatchFound::kBatch) return info;
  const BatchVisitor visitor{[](const BatchHeader&, std::span<const Bytes>) { return Status(); },
                             [&](const BatchHeader&, const RecordView& record) {
                               if (const auto at = snapshot_timestamp(record)) info.last_timestamp = *at;
                               return Status();
                             }};
  if (auto visited = visit_batches(first.bytes, visitor); !visited)
    return std::unexpected(std::move(visited).error());
  return info;
}

}  // namespace

std::string snapshot_name(const OffsetAndEpoch& id) {
  char name[64];
  std::snprintf(name, sizeof name, "%020lld-%010d.checkpoint", static_cast<long long>(id.offset.value),
                id.epoch.value);
  return name;
}

std::optional<OffsetAndEpoch> parse_snapshot_name(std::string_view name) {
  if (name.size() != kOffsetDigits + 1 + kEpochDigits + kSuffix.size() || !name.ends_with(kSuffix) ||
      name[kOffsetDigits] != '-')
    return std::nullopt;
  OffsetAndEpoch id;
  if (!parse_digits(name.substr(0, kOffsetDigits), id.offset.value)) return std::nullopt;
  if (!parse_digits(name.substr(kOffsetDigits + 1, kEpochDigits), id.epoch.value)) return std::nullopt;
  return id;
}

Result<std::vector<SnapshotInfo>> recover_snapshots(io::FileSystem& files, const std::string& directory,
                                                    Offset log_start) {
  auto entries = files.list(directory);
  if (!entries) return storage_error(std::move(entries).error());
  std::vector<SnapshotInfo> snapshots;
  for (const io::DirectoryEntry& entry : *entries) {
    const auto id = parse_snapshot_name(entry.name);
    if (is_leftover(entry.name) || (id && *id != kBootstrapSnapshot && id->offset < log_start)) {
      if (auto removed = files.remove(directory + "/" + entry.name); !removed)
        return storage_error(std::move(removed).error());
    } else if (id && *id != kBootstrapSnapshot) {
      TRY_ASSIGN(const SnapshotInfo info, describe(files, directory, *id));
      snapshots.push_back(info);
    }
  }
  std::ranges::sort(snapshots, {}, &SnapshotInfo::id);
  return snapshots;
}

Status remove_snapshot(io::FileSystem& files, const std::string& directory, const OffsetAndEpoch& id) {
  auto removed = files.remove(directory + "/" + snapshot_name(id));
  if (!removed && removed.error().kind != io::IoError::Kind::kNotFound)
    return storage_error(std::move(removed).error());
  return {};
}

Status SnapshotWriter::open() {
  auto file = files_.open(path() + std::string(kPartial), io::OpenMode::kTruncate);
  if (!file) return storage_error(std::move(file).error());
  file_ = std::move(*file);
  TRY(write(as_bytes(build_snapshot_header(id_, last_timestamp_, now_))));
  next_ = Offset(1);
  return {};
}

Status SnapshotWriter::write(Bytes batch) {
  if (auto written = file_->write_at(size_, batch); !written)
    return storage_error(std::move(written).error());
  size_ += static_cast<int64_t>(batch.size());
  return {};
}

Status SnapshotWriter::add(std::span<const Bytes> records) {
  if (!file_) TRY(open());
  BatchBuilder batch({.base_offset = next_, .leader_epoch = id_.epoch});
  for (Bytes record : records) batch.add(now_, std::nullopt, record);
  next_ = batch.next_offset();
  return write(as_bytes(batch.build()));
}

void SnapshotWriter::discard() {
  file_.reset();
  (void)files_.remove(path() + std::string(kPartial));  // what can't be removed goes with the next start
}

Status SnapshotWriter::finish() {
  if (!file_) TRY(open());
  TRY(write(as_bytes(build_snapshot_footer(id_, next_, now_))));
  if (auto synced = file_->sync(); !synced) return storage_error(std::move(synced).error());
  file_.reset();
  if (auto renamed = files_.rename(path() + std::string(kPartial), path()); !renamed)
    return storage_error(std::move(renamed).error());
  if (auto synced = files_.sync_dir(directory_); !synced) return storage_error(std::move(synced).error());
  return {};
}

Result<std::unique_ptr<SnapshotReader>> SnapshotReader::open(io::FileSystem& files,
                                                             const std::string& directory,
                                                             const OffsetAndEpoch& id) {
  auto file = files.open(directory + "/" + snapshot_name(id), io::OpenMode::kRead);
  if (!file) return storage_error(std::move(file).error());
  auto size = (*file)->size();
  if (!size) return storage_error(std::move(size).error());
  return std::unique_ptr<SnapshotReader>(new SnapshotReader(std::move(*file), *size));
}

Result<Buffer> SnapshotReader::next() {
  for (int64_t want = kChunk;; want *= 2) {
    const int64_t length = std::min(want, size_ - position_);
    if (length <= 0) return Buffer();
    Buffer chunk = Buffer::allocate(static_cast<size_t>(length));
    auto got = file_->read_at(position_, chunk.span());
    if (!got) return storage_error(std::move(got).error());
    BatchWalk walk(Bytes(chunk).first(*got), CrcCheck::kTrust);
    NextBatch next;
    do next = walk.next();
    while (next.what == BatchFound::kBatch);
    if (const size_t whole = walk.position()) {
      position_ += static_cast<int64_t>(whole);
      return chunk.slice(0, whole);
    }
    if (next.what != BatchFound::kTruncated || length < want)
      return fail(
          ErrorCode::kKafkaStorageError,
          "snapshot " + file_->path() + " is cut off or damaged at byte " + std::to_string(position_));
  }
}

}  // namespace moldau

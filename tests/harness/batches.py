"""Record batches v2: built byte by byte for requests, and read back from responses.

   base offset 8 | length 4 | leader epoch 4 | magic 1 | crc 4 | attributes 2 | last offset delta 4 | base time 8
   | max time 8 | producer id 8 | producer epoch 2 | base sequence 4 | count 4 | records
"""
import struct
import zlib

from .messages import uvarint

HEADER = struct.Struct(">qiibIhiqqqhii")
_TABLE = []
for n in range(256):
    c = n
    for _ in range(8):
        c = (c >> 1) ^ 0x82F63B78 if c & 1 else c >> 1
    _TABLE.append(c)


def crc32c(data):
    c = 0xFFFFFFFF
    for byte in data:
        c = _TABLE[(c ^ byte) & 255] ^ (c >> 8)
    return c ^ 0xFFFFFFFF


def varint(n):
    return uvarint((n << 1) ^ (n >> 63) if n < 0 else n << 1)


def _sized(data):
    return varint(-1) if data is None else varint(len(data)) + data


def record(offset_delta, time_delta, key=None, value=b"", headers=()):
    body = b"\x00" + varint(time_delta) + varint(offset_delta) + _sized(key) + _sized(value) + varint(len(headers))
    body += b"".join(_sized(name) + _sized(data) for name, data in headers)
    return varint(len(body)) + body


def batch(values, base_time=0, *, times=None, key=None, producer_id=-1, producer_epoch=-1, base_sequence=-1, base_offset=0,
          attributes=0, count=None, last_offset_delta=None, magic=2, crc=None, gzip=False, max_time=None, records=None,
          leader_epoch=-1):
    """`values` are the records' values, one per millisecond from `base_time` unless `times` (deltas) says otherwise.
    The named ones break what a test wants broken."""
    times = list(range(len(values))) if times is None else times
    if records is None:
        records = b"".join(record(i, times[i], key, v) for i, v in enumerate(values))
    if gzip:
        packer = zlib.compressobj(6, zlib.DEFLATED, 31)
        records = packer.compress(records) + packer.flush()
        attributes |= 1
    count = len(values) if count is None else count
    last = len(values) - 1 if last_offset_delta is None else last_offset_delta
    top = base_time + max(times, default=0) if max_time is None else max_time
    tail = struct.pack(">hiqqqhii", attributes, last, base_time, top, producer_id, producer_epoch, base_sequence, count) + records
    crc = crc32c(tail) if crc is None else crc
    return struct.pack(">qiibI", base_offset, 9 + len(tail), leader_epoch, magic, crc) + tail


def read_batches(data):
    """Header fields of every whole batch, as a list of dictionaries; a cut batch at the end is told by its bytes."""
    names = ("base_offset", "length", "leader_epoch", "magic", "crc", "attributes", "last_offset_delta", "base_time", "max_time",
             "producer_id", "producer_epoch", "base_sequence", "count")
    out, at = [], 0
    while at + HEADER.size <= len(data):
        fields = dict(zip(names, HEADER.unpack_from(data, at)))
        end = at + 12 + fields["length"]
        if end > len(data):
            break
        fields["records"] = data[at + HEADER.size:end]
        fields["whole"] = data[at:end]
        out.append(fields)
        at = end
    if at < len(data):
        out.append({"cut_bytes": len(data) - at})
    return out

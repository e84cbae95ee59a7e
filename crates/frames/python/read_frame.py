"""Reads a frame of thixo: `frame, time, columns = read_frame("out/demo/frames/000012.thixo")`.

`columns["velocity"]` is an array of shape (particles, 3), `columns["density"]` one of shape (particles,), mapped
from the file. Row k is the same particle in every frame, as long as none are added or removed. Columns whose name
begins with `rigid_` have a row for each rigid body."""

import struct
import sys
import zlib

import numpy as np


def read_frame(path):
    data = np.memmap(path, mode="r")
    magic, version, count, particles, frame, time, size, rigid = struct.unpack_from("<8sIIQQdQQ", data)
    if magic != b"\x89thixf\r\n" or version not in (1, 2):
        raise ValueError(f"{path} is not a thixo frame of version 1 or 2")
    if len(data) != size or zlib.crc32(data[:-4]) != int.from_bytes(data[-4:], "little"):
        raise ValueError(f"{path} is damaged")
    columns = {}
    for name, unit, dtype, components, offset in struct.iter_unpack("<32s16s4sIQ", data[64 : 64 + 64 * count]):
        name, dtype = name.rstrip(b"\0").decode(), dtype.rstrip(b"\0").decode()
        shape = (rigid if name.startswith("rigid_") else particles, components)[: 1 + (components > 1)]
        columns[name] = np.ndarray(shape, dtype, data, offset)
    return frame, time, columns


if __name__ == "__main__":
    frame, time, columns = read_frame(sys.argv[1])
    print(f"frame {frame} at {time} s", *(f"{name}: {values.shape}" for name, values in columns.items()), sep="\n")

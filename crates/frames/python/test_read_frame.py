"""Checks that frames mean to numpy and to VTK what was written: `python test_read_frame.py FOLDER`.

FOLDER is filled by `cargo run --release -p thixo-frames --example write_sample -- FOLDER`, which says what the
values are. Needs the packages numpy and vtk."""

import sys
import tempfile
from pathlib import Path

import numpy as np
import vtk
from vtk.util.numpy_support import vtk_to_numpy

from read_frame import read_frame

# Columns that are there for sure: unit, kind of number, numbers per particle.
KNOWN = {
    "position": ("m", "f", 3),
    "velocity": ("m/s", "f", 3),
    "density": ("kg/m^3", "f", 1),
    "pressure": ("Pa", "f", 1),
    "body": ("-", "u", 1),
    "id": ("-", "u", 1),
}
FRAMES = {7: (0.14, 5 + 3 * np.arange(10)), 8: (0.16, np.arange(0)), 9: (0.18, 5 + 3 * np.arange(10))}
# Frames with rigid bodies, by how many.
RIGID = {9: 2}


def expected(name, ids, kind, components):
    letters = 0 if name == "id" else sum(name.encode()) % 100
    if kind == "u":
        return ids + letters
    numbers = 8.0 * ids + letters
    return numbers if components == 1 else numbers[:, None] + np.arange(components) / 4


def check_rigid(columns, number):
    """Takes the columns of rigid bodies out of the others."""
    rigid = {name: columns.pop(name) for name in list(columns) if name.startswith("rigid_")}
    assert bool(rigid) == (number in RIGID), f"frame {number} has {list(rigid)}"
    for name, values in rigid.items():
        k = np.arange(RIGID[number])
        wanted = {"rigid_body": 2 + k, "rigid_mass": k, "rigid_turn": np.stack([0 * k, 0 * k, k, 0 * k + 1], axis=1)}
        np.testing.assert_array_equal(values, wanted.get(name, np.stack([k] * 3, axis=1)), err_msg=name)
        assert values.dtype == ("u4" if name == "rigid_body" else "f8"), name


def check_columns(columns, ids):
    assert set(KNOWN) <= set(columns), f"columns are missing: {set(KNOWN) - set(columns)}"
    assert "to_surface" not in columns, "columns that only walls have are no part of a frame"
    for name, values in columns.items():
        kind, components = values.dtype.kind, 1 if values.ndim == 1 else values.shape[1]
        if name in KNOWN:
            assert KNOWN[name][1:] == (kind, components), f"{name} has {components} numbers of kind {kind}"
        np.testing.assert_array_equal(values, expected(name, ids, kind, components), err_msg=name)


def check_native(folder, number):
    time, ids = FRAMES[number]
    frame, found_time, columns = read_frame(folder / f"{number:06}.thixo")
    assert (frame, found_time) == (number, time)
    check_rigid(columns, number)
    check_columns(columns, ids)
    for name, values in columns.items():
        assert values.ctypes.data % 64 == 0, f"{name} is not aligned to 64 bytes"


def check_damage_is_noticed(folder):
    whole = (folder / "000007.thixo").read_bytes()
    flipped = whole[:900] + bytes([whole[900] ^ 1]) + whole[901:]
    for damaged in [flipped, whole[:-1], whole[:100], whole + b"\0", b"x" + whole[1:]]:
        with tempfile.TemporaryDirectory() as scratch:
            path = Path(scratch) / "damaged.thixo"
            path.write_bytes(damaged)
            try:
                read_frame(path)
            except ValueError:
                continue
            raise AssertionError("a damaged frame was read")


def check_vtk(folder, number):
    time, ids = FRAMES[number]
    problems = []
    reader = vtk.vtkXMLPolyDataReader()
    reader.AddObserver("ErrorEvent", lambda *_: problems.append("error"))
    reader.AddObserver("WarningEvent", lambda *_: problems.append("warning"))
    reader.SetFileName(str(folder / f"{number:06}.vtp"))
    reader.Update()
    assert not problems, "VTK complains, see above"
    data = reader.GetOutput()
    count = len(ids)
    assert data.GetNumberOfPoints() == data.GetNumberOfVerts() == data.GetNumberOfCells() == count
    for vertex in range(count):
        points = data.GetCell(vertex).GetPointIds()
        assert [points.GetId(k) for k in range(points.GetNumberOfIds())] == [vertex]
    assert data.GetFieldData().GetArray("TimeValue").GetValue(0) == time
    fields = [data.GetFieldData().GetArray(k) for k in range(data.GetFieldData().GetNumberOfArrays())]
    check_rigid({field.GetName(): vtk_to_numpy(field) for field in fields if field.GetName() != "TimeValue"}, number)
    arrays = [data.GetPointData().GetArray(k) for k in range(data.GetPointData().GetNumberOfArrays())]
    arrays.append(data.GetPoints().GetData())
    for array in arrays:
        unit = array.GetInformation().Get(vtk.vtkDataArray.UNITS_LABEL())
        wanted = KNOWN.get(array.GetName(), (unit,))[0]
        assert unit and unit == wanted, f"{array.GetName()} has the unit {unit}, not {wanted}"
    check_columns({array.GetName(): vtk_to_numpy(array) for array in arrays}, ids)


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    for number in FRAMES:
        check_native(folder, number)
        check_vtk(folder, number)
    check_damage_is_noticed(folder)
    print("numpy and vtk read what was written")

"""Checks that surfaces mean to meshio and to VTK what was written: `python test_read_surface.py FOLDER`.

FOLDER is filled by `cargo run --release -p thixo-surface --example write_sample -- FOLDER`, which says what is in it.
Needs the packages numpy, meshio and vtk."""

import sys
from pathlib import Path

import meshio
import numpy as np
import vtk
from vtk.util.numpy_support import vtk_to_numpy

CENTRE, RADIUS, SPACING = np.array([1.0, 2.0, 3.0]), 0.5, 0.05


def header(path):
    """What the file says of itself: element counts by name, and the numbers of a vertex."""
    counts, columns, element = {}, [], None
    with open(path, "rb") as file:
        for line in file:
            words = line.decode().split()
            if words[0] == "element":
                element, counts[words[1]] = words[1], int(words[2])
            elif words[:2] == ["property", "float"] and element == "vertex":
                columns.append(words[2])
            elif words[0] == "end_header":
                return counts, columns, file.tell()


def vertices(path):
    counts, columns, offset = header(path)
    table = np.fromfile(path, "<f4", counts["vertex"] * len(columns), offset=offset)
    return dict(zip(columns, table.reshape(-1, len(columns)).T)), counts


def stack(columns, names):
    return np.stack([columns[name] for name in names], axis=-1)


def check_ball(places, normals, velocity, density):
    outward = places - CENTRE
    distance = np.linalg.norm(outward, axis=1)
    assert abs(distance - RADIUS).max() < SPACING, "vertices are not on the ball"
    assert np.allclose(np.linalg.norm(normals, axis=1), 1, atol=1e-4), "normals are not of unit length"
    assert (np.sum(outward * normals, axis=1) / distance).min() > 0.7, "normals do not point outwards"
    turning = 2 * np.stack([-outward[:, 1], outward[:, 0], 0 * outward[:, 2]], axis=-1)
    assert abs(velocity - turning).max() < 4 * SPACING, "velocities are wrong"
    assert np.allclose(density, 7, atol=1e-3)


def volume(places, triangles):
    a, b, c = (places[triangles[:, k]] - CENTRE for k in range(3))
    return np.sum(np.cross(a, b) * c) / 6


def check_meshio(path):
    columns, counts = vertices(path)
    mesh = meshio.read(path)
    triangles = mesh.cells_dict["triangle"]
    assert (len(mesh.points), len(triangles)) == (counts["vertex"], counts["face"])
    np.testing.assert_array_equal(mesh.points, stack(columns, "xyz"))
    data = mesh.point_data
    normals = stack(data, ["nx", "ny", "nz"])
    np.testing.assert_array_equal(normals, stack(columns, ["nx", "ny", "nz"]))
    check_ball(mesh.points, normals, stack(data, [f"velocity_{axis}" for axis in "xyz"]), data["density"])
    assert abs(volume(mesh.points, triangles) / (4 / 3 * np.pi * RADIUS**3) - 1) < 0.03
    return mesh.points, triangles


def read_vtk(path):
    problems = []
    reader = vtk.vtkPLYReader()
    reader.AddObserver("ErrorEvent", lambda *_: problems.append("error"))
    reader.SetFileName(str(path))
    reader.Update()
    assert not problems, "VTK complains, see above"
    return reader.GetOutput()


def check_vtk(path, places, triangles):
    data = read_vtk(path)
    np.testing.assert_array_equal(vtk_to_numpy(data.GetPoints().GetData()), places)
    cells = vtk_to_numpy(data.GetPolys().GetConnectivityArray()).reshape(-1, 3)
    np.testing.assert_array_equal(cells, triangles)
    columns, _ = vertices(path)
    np.testing.assert_array_equal(vtk_to_numpy(data.GetPointData().GetNormals()), stack(columns, ["nx", "ny", "nz"]))
    edges = vtk.vtkFeatureEdges()
    edges.SetInputData(data)
    edges.FeatureEdgesOff()
    edges.ManifoldEdgesOff()
    edges.BoundaryEdgesOn()
    edges.NonManifoldEdgesOn()
    edges.Update()
    assert edges.GetOutput().GetNumberOfCells() == 0, "VTK finds open or tangled edges"


def check_points(path):
    columns, counts = vertices(path)
    assert set(counts) == {"vertex"} and counts["vertex"] > 10_000
    points = read_vtk(path)
    np.testing.assert_array_equal(vtk_to_numpy(points.GetPoints().GetData()), stack(columns, "xyz"))
    # Particles are centres of cells: half a spacing inside, and as far again where the lattice is cut.
    distance = np.linalg.norm(stack(columns, "xyz") - CENTRE, axis=1)
    assert RADIUS - 2 * SPACING < distance.min() and distance.max() < RADIUS + 0.2 * SPACING


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    places, triangles = check_meshio(folder / "ball.ply")
    check_vtk(folder / "ball.ply", places, triangles)
    check_points(folder / "points.ply")
    assert vertices(folder / "empty.ply")[1] == {"vertex": 0, "face": 0}
    assert read_vtk(folder / "empty.ply").GetNumberOfPoints() == 0
    print("meshio and vtk read what was written")

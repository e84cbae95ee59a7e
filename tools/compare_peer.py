#!/usr/bin/env python3
"""thixo beside SPlisHSPlasH: the same scenes, alternating, and the ratio of their costs.

    cargo build --release
    python3 tools/compare_peer.py [CASE...] [--threads 1 2] [--rounds 3] [--thixo target/release/thixo]

The peer's wheel (pysplishsplash, from PyPI) is installed into target/peer on first use; its scenes are written there.
A ratio counts only where the work is equal: particles, simulated time, and a density error that is no larger, measured
alike as max(rho/rho0 - 1, 0). It is that of the costs for the same simulated time: solvers that iterate choose their steps. What is unequal is printed behind the ratio.

Wall time is that of the steps after the first. On a busy machine it says little; processor time, printed beside it, says
more. Nothing else in the repository depends on this script.
"""
import argparse
import ctypes
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PEER = ROOT / "target" / "peer"


# What both simulate --------------------------------------------------------------------------------------------------

def tank(mesh, size):
    return [{"geometryFile": mesh, "translation": [x / 2 for x in size], "scale": size, "isWall": True,
             "isDynamic": False, "rotationAxis": [1, 0, 0], "rotationAngle": 0, "samplingMode": 1,
             "mapInvert": True, "mapThickness": 0.0, "mapResolution": [max(10, int(10 * x)) for x in size]}]


def block(fluid, spacing, first, count):
    """A block of n particles begins and ends one spacing beyond its outer centres."""
    start = [x - spacing for x in first]
    return {"id": fluid, "denseMode": 0, "start": start,
            "end": [x + (n + 1) * spacing for x, n in zip(start, count)]}


def water(name, density):
    return {"id": name, "density0": density, "viscosityMethod": 1, "Standard viscosity": {"viscosity": 0.01}}


def adaptive(method, spacing, first_step, longest, end, **solver):
    """Steps of at most 0.4 spacings of motion."""
    return {"particleRadius": spacing / 2, "simulationMethod": method, "gravitation": [0, -9.81, 0],
            "timeStepSize": first_step, "cflMethod": 1, "cflFactor": 1, "cflMinTimeStepSize": 1e-5,
            "cflMaxTimeStepSize": longest, "boundaryHandlingMethod": 0, "pause": False, "stopAt": end, **solver}


BOUNDS = {"minIterations": 2, "maxIterations": 100, "maxError": 0.1}
DFSPH = {"DFSPH": {**BOUNDS, "maxIterationsV": 100, "maxErrorV": 0.1, "enableDivergenceSolver": True}}


def dam(configuration):
    """The dam of benches/dam_*.toml."""
    def scene(mesh):
        spacing, count = 0.02, (50, 50, 40)
        gap = 1.15 * spacing
        return {"Configuration": configuration, "Materials": [water("Fluid", 1000)],
                "FluidBlocks": [block("Fluid", spacing, [gap] * 3, count)],
                "RigidBodies": tank(mesh, [3.0, 2.0, (count[2] - 1) * spacing + 2 * gap])}
    return scene


def two_phases(light):
    """The two fluids of benches/twophase_*.toml."""
    def scene(mesh):
        spacing, count = 0.03, (37, 18, 37)
        gap = 1.15 * spacing
        width = 36 * spacing + 2 * gap
        return {"Configuration": adaptive(4, spacing, 5e-4, 0.002, 0.1, **DFSPH),
                "Materials": [water("Heavy", 1000), water("Light", light)],
                "FluidBlocks": [block("Light", spacing, [gap] * 3, count),
                                block("Heavy", spacing, [gap, gap + 18 * spacing, gap], count)],
                "RigidBodies": tank(mesh, [width, 55 * spacing, width])}
    return scene


def beam(method, number, step):
    """The beam of benches/beam_*.toml."""
    rubber = {"id": "Fluid", "density0": 1000, "elasticityMethod": number, "viscosityMethod": 1,
              "Standard viscosity": {"viscosity": 0.01},
              method: {"youngsModulus": 1e6, "poissonsRatio": 0.3, "alpha": 0.1,
                       "fixedBoxMin": [-1, -1, -1], "fixedBoxMax": [0.08, 2, 2]}}
    configuration = {**adaptive(0, 0.04, step, 0.005, 0.25 - step / 2), "cflMethod": 0,
                     "WCSPH": {"stiffness": 0.0, "exponent": 1}}
    return lambda mesh: {"Configuration": configuration, "Materials": [rubber],
                         "FluidBlocks": [block("Fluid", 0.04, [0.02, 0.52, 0.02], (50, 14, 14))]}


def elastic_water(mesh):
    """The block and the pool of benches/elastic_water_peer.toml."""
    spacing, gap = 0.03, 1.15 * 0.03
    width = 36 * spacing + 2 * gap
    rubber = {"id": "Solid", "density0": 500, "elasticityMethod": 2, "viscosityMethod": 1,
              "Standard viscosity": {"viscosity": 0.01},
              "Peer et al. 2018": {"youngsModulus": 5e5, "poissonsRatio": 0.3, "alpha": 0.1}}
    solid = {**block("Solid", spacing, [0.21, 1.179, 0.21], (25, 24, 25)), "initialVelocity": [0, -2, 0]}
    return {"Configuration": adaptive(4, spacing, 5e-4, 0.002, 0.1, **DFSPH),
            "Materials": [water("Water", 1000), rubber],
            "FluidBlocks": [block("Water", spacing, [gap] * 3, (37, 37, 37)), solid],
            "RigidBodies": tank(mesh, [width, 2.5, width])}


def rigid_water(mesh):
    """The box and the pool of benches/rigid_water.toml."""
    spacing, gap = 0.03, 1.15 * 0.03
    width = 36 * spacing + 2 * gap
    box = {**tank(mesh, [0.4] * 3)[0], "translation": [width / 2, width + 0.35, width / 2], "rotationAxis": [1, 0, 1],
           "rotationAngle": 0.4, "isWall": False, "isDynamic": True, "density": 300, "velocity": [0, -2, 0],
           "restitution": 0.2, "friction": 0.2, "collisionObjectType": 2, "collisionObjectScale": [0.4] * 3,
           "mapInvert": False, "mapResolution": [20] * 3}
    sides = {**tank(mesh, [width, 2.5, width])[0], "restitution": 0.2, "friction": 0.0, "collisionObjectType": 2,
             "collisionObjectScale": [width, 2.5, width], "invertSDF": True}
    return {"Configuration": adaptive(4, spacing, 5e-4, 0.002, 0.3, **DFSPH), "Materials": [water("Fluid", 1000)],
            "FluidBlocks": [block("Fluid", spacing, [gap] * 3, (37, 37, 37))], "RigidBodies": [sides, box]}


WCSPH = {**adaptive(0, 0.02, 0.0003, 0.005, 0.03 - 0.00015), "cflMethod": 0, "WCSPH": {"stiffness": 277000.0, "exponent": 7}}

SCENES = {
    # Half a step early: the peer goes on until the time is passed.
    "dam_wcsph": dam(WCSPH),
    "dam_pcisph1pct": dam(adaptive(1, 0.02, 0.001, 0.001, 0.05, PCISPH={**BOUNDS, "minIterations": 3, "maxError": 1.0})),
    "dam_pcisph01pct": dam(adaptive(1, 0.02, 0.001, 0.001, 0.05, PCISPH={**BOUNDS, "minIterations": 3})),
    "dam_iisph": dam(adaptive(3, 0.02, 0.001, 0.002, 0.1, IISPH=BOUNDS)),
    "dam_dfsph": dam(adaptive(4, 0.02, 0.001, 0.005, 0.2, **DFSPH)),
    "dam_splash": dam(adaptive(4, 0.02, 0.001, 0.005, 0.8, **DFSPH)),
    "twophase_2": two_phases(500),
    "twophase_10": two_phases(100),
    "twophase_100": two_phases(10),
    "beam_becker_1e6": beam("Becker et al. 2009", 1, 5e-4),
    "beam_peer_1e6": beam("Peer et al. 2018", 2, 2e-3),
    "beam_kugelstadt_1e6": beam("Kugelstadt et al. 2021", 3, 2e-3),
    "elastic_water_peer": elastic_water,
    "rigid_water": rigid_water,
}

# What only ours counts as particles: those of a rigid body fill it, and the peer's are a boundary.
RIGID = {"rigid_water": 2372}


def write_scene(case):
    """Writes the peer's scene of a case and the cube that its tank is made of."""
    corners = [(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]
    quads = [(1, 2, 4, 3), (5, 7, 8, 6), (1, 5, 6, 2), (3, 4, 8, 7), (1, 3, 7, 5), (2, 6, 8, 4)]
    lines = ["v %g %g %g" % corner for corner in corners]
    lines += ["f %d %d %d" % triangle for a, b, c, d in quads for triangle in ((a, b, c), (a, c, d))]
    PEER.mkdir(parents=True, exist_ok=True)
    (PEER / "cube.obj").write_text("\n".join(lines) + "\n")
    path = PEER / f"{case}.json"
    path.write_text(json.dumps(SCENES[case]("cube.obj"), indent=1))
    return path


# The peer's side, run by the Python of its own environment ------------------------------------------------------------

def run_peer_here(scene):
    """Runs one scene of the peer in this process and prints one line of JSON."""
    output = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # the peer talks on standard output
    for library in ("libGL.so.1", "libGLdispatch.so.0"):
        try:  # it brings a second one, which must not be the first to load
            ctypes.CDLL(library, mode=ctypes.RTLD_GLOBAL)
            break
        except OSError:
            pass
    import numpy as np
    import pysplishsplash as sph

    def processor():
        used = resource.getrusage(resource.RUSAGE_SELF)
        return used.ru_utime + used.ru_stime

    base = sph.Exec.SimulatorBase()
    base.init(sceneFile=scene, useGui=False, outputDir=str(PEER / "output"), initialPause=False, useCache=False)
    base.initSimulation()
    simulation = sph.Simulation.getCurrent()
    fluids = [simulation.getFluidModel(k) for k in range(simulation.numberOfFluidModels())]
    flowing = [fluid for fluid in fluids if fluid.getElasticityBase() is None]
    moments, errors, worst = [], [0.0], [0.0]

    def after_step():
        ratios = [np.asarray(fluid.getFieldBuffer("density"))[:fluid.numActiveParticles()] / fluid.getDensity0()
                  for fluid in flowing]
        if ratios:
            error = np.maximum(np.concatenate(ratios) - 1.0, 0.0)
            errors.append(float(error.mean(dtype=np.float64)))
            worst[0] = max(worst[0], float(error.max()))
        moments.append((time.perf_counter(), processor()))

    base.setTimeStepCB(after_step)
    base.runSimulation()
    steps = len(moments)
    wall, cpu = (1e3 * (moments[-1][k] - moments[0][k]) / (steps - 1) for k in (0, 1))
    velocity = np.concatenate([np.asarray(fluid.getFieldBuffer("velocity")) for fluid in fluids])
    row = {"particles": sum(fluid.numActiveParticles() for fluid in fluids), "steps": steps, "ms_per_step": wall, "cpu_ms_per_step": cpu,
           "boundary_particles": sum(simulation.getBoundaryModel(k).numberOfParticles()
                                     for k in range(simulation.numberOfBoundaryModels())),
           "sim_time": sph.TimeManager.getCurrent().getTime(), "comp_avg_pct": 100 * float(np.mean(errors)),
           "comp_max_pct": 100 * worst[0], "non_finite": not bool(np.isfinite(velocity).all()),
           "peak_rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}
    if not flowing:
        # Particles are sorted in memory, but keep their numbers.
        fluid = fluids[0]
        count = fluid.numActiveParticles()
        rest = np.array([fluid.getPosition0(k)[0] for k in range(count)])
        place = np.empty(count, dtype=np.int64)
        place[np.asarray(fluid.getFieldBuffer("id"))[:count]] = np.arange(count)
        end = place[np.flatnonzero(rest > rest.max() - 1e-5)]
        row["tip_end_y"] = float(np.asarray(fluid.getFieldBuffer("position"))[end, 1].mean())
    os.write(output, (json.dumps(row) + "\n").encode())
    os._exit(0)  # its clean-up at exit is not always sound


# Side by side --------------------------------------------------------------------------------------------------------

def json_line(command, environment=None):
    ended = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=environment)
    lines = [line for line in ended.stdout.splitlines() if line.startswith("{")]
    if not lines:
        sys.exit(f"{command[0]} printed no figures (exit code {ended.returncode})")
    return json.loads(lines[-1])


def run_peer(case, threads):
    python = PEER / "venv" / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(PEER / "venv")], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "-q", "pysplishsplash", "numpy"], check=True)
    command = [str(python), str(pathlib.Path(__file__).resolve()), "--peer-scene", str(write_scene(case))]
    return json_line(command, {**os.environ, "OMP_NUM_THREADS": str(threads)})


def run_ours(case, threads, thixo):
    return json_line([str(thixo), "bench", case, "--threads", str(threads), "--json"])


def differences(case, peer, ours):
    """Why the work of two rows is not equal."""
    ours = {**ours, "particles": ours["particles"] - RIGID.get(case, 0)}
    found = [f"{key} {ours[key]} against {peer[key]}" for key in ("particles",) if ours[key] != peer[key]]
    if abs(ours["sim_time"] / peer["sim_time"] - 1) > 0.03:
        found.append(f"simulated {ours['sim_time']} s against {peer['sim_time']} s")
    found += [f"{key} {ours[key]:.4f} against {peer[key]:.4f}" for key in ("comp_avg_pct", "comp_max_pct")
              if ours[key] > 1.05 * peer[key]]
    found += [f"{name} broke" for name, row in (("peer", peer), ("thixo", ours))
              if row["non_finite"] or row.get("truncated")]
    return found


def compare(case, threads, rounds, thixo):
    """Prints one line per round and the median of the ratios."""
    wall, cpu, unequal = [], [], []
    for _ in range(rounds):
        ours, peer = run_ours(case, threads, thixo), run_peer(case, threads)
        longer = ours["sim_time"] / ours["steps"] / (peer["sim_time"] / peer["steps"])
        wall.append(longer * peer["ms_per_step"] / ours["ms_per_step"])
        cpu.append(longer * peer["cpu_ms_per_step"] / ours["cpu_ms_per_step"])
        unequal = differences(case, peer, ours)
        print(f"  ms/step {peer['ms_per_step']:7.1f} / {ours['ms_per_step']:6.2f} = {wall[-1]:5.2f}x   "
              f"processor ms/step {peer['cpu_ms_per_step']:7.1f} / {ours['cpu_ms_per_step']:6.2f} = {cpu[-1]:5.2f}x   "
              f"steps {peer['steps']} / {ours['steps']}   load {os.getloadavg()[0]:.1f}", flush=True)
    if "tip_end_y" in peer and "tip_end_y" in ours:
        print(f"  end of the beam {peer['tip_end_y']:.4f} / {ours['tip_end_y']:.4f} m, set-up with the first step "
              f"{ours['setup_and_first_step_s']:.2f} s, {ours['iters_elastic_avg']:.1f} iterations")
    print(f"{case}, {threads} threads: {statistics.median(wall):.2f}x by the clock, {statistics.median(cpu):.2f}x in "
          f"processor time; density error {peer['comp_avg_pct']:.4f} / {ours['comp_avg_pct']:.4f} % mean, "
          f"{peer['comp_max_pct']:.2f} / {ours['comp_max_pct']:.2f} % worst; "
          f"peak {peer['peak_rss_mb']} / {ours['peak_rss_mb']} MiB; "
          + ("equal work" if not unequal else "UNEQUAL: " + "; ".join(unequal)), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", metavar="CASE", help=f"{', '.join(SCENES)}; all unless given")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--thixo", type=pathlib.Path, default=ROOT / "target" / "release" / "thixo")
    parser.add_argument("--peer-scene", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.peer_scene:
        run_peer_here(arguments.peer_scene)
    unknown = [case for case in arguments.cases if case not in SCENES]
    if unknown:
        parser.error(f"the peer has no scene {unknown[0]}; it has {', '.join(SCENES)}")
    for case in arguments.cases or SCENES:
        for threads in arguments.threads:
            print(f"{case}, {threads} threads, peer / thixo:", flush=True)
            compare(case, threads, arguments.rounds, arguments.thixo)


if __name__ == "__main__":
    main()

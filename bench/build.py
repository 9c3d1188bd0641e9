"""Compile the shims of the comparison into bench/build/.

The headers of Pinocchio, Boost, Eigen and MuJoCo come from the wheels of the `bench` extra, so this runs in
`.venv-bench` and needs only gcc and g++ besides.
"""

import platform
import subprocess
import sysconfig
from pathlib import Path

HERE = Path(__file__).parent
BUILD = HERE / "build"
PACKAGES = Path(sysconfig.get_path("purelib"))
HEADERS = PACKAGES / "cmeel.prefix" / "include"

# On an AMD EPYC these made Pinocchio fastest: -march=native with AVX-512 was 5 to 16 % slower, plain -O3 1 to 8 %.
PROCESSOR = ["-mavx2", "-mfma"] if platform.machine() == "x86_64" else ["-march=native"]

# The three definitions are what Pinocchio's own build sets for its list of joint types; -w: warnings are Eigen's.
PINOCCHIO = [
    "-w",
    "-std=c++17",
    "-O3",
    *PROCESSOR,
    "-DNDEBUG",
    "-DBOOST_FUSION_INVOKE_MAX_ARITY=10",
    "-DBOOST_MPL_LIMIT_LIST_SIZE=30",
    "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
    f"-isystem{HEADERS}",
    f"-isystem{HEADERS / 'eigen3'}",
]


def mujoco() -> list[str]:
    """Flags that find MuJoCo's header, and its library by the full name that the wheel gives it."""
    folder = PACKAGES / "mujoco"
    (library,) = folder.glob("libmujoco.so.*")
    return ["-O2", f"-isystem{folder / 'include'}", f"-L{folder}", f"-l:{library.name}", f"-Wl,-rpath,{folder}"]


def compile_shared(compiler: str, source: str, library: str, flags: list[str]) -> None:
    """Build one shared library unless it is newer than its source and this file."""
    target, origin = BUILD / library, HERE / source
    if target.exists() and target.stat().st_mtime > max(origin.stat().st_mtime, Path(__file__).stat().st_mtime):
        return
    BUILD.mkdir(exist_ok=True)
    print(f"{compiler} {source} -> build/{library}", flush=True)
    subprocess.run([compiler, "-shared", "-fPIC", str(origin), "-o", str(target), *flags], check=True)


if __name__ == "__main__":
    compile_shared("gcc", "harness.c", "libharness.so", ["-O2"])
    compile_shared("gcc", "peers_mujoco.c", "libmujocopeer.so", mujoco())
    compile_shared("g++", "peers.cpp", "libpeers.so", PINOCCHIO)

"""Machines to start from. Each file tells the story of one; `EXAMPLES` lists them all by name.

>>> from multibond.examples import EXAMPLES
>>> model = EXAMPLES["pendulum"]()
"""

from collections.abc import Callable

from multibond.examples.arm import arm
from multibond.examples.chain import chain
from multibond.examples.controlled_crane import controlled_crane
from multibond.examples.crane_crab import crane_crab
from multibond.examples.disc import disc
from multibond.examples.electric_circuit import electric_circuit
from multibond.examples.euler_top import euler_top
from multibond.examples.four_bar import four_bar
from multibond.examples.governor import governor
from multibond.examples.gyroscope import gyroscope
from multibond.examples.heat_plate import heat_plate
from multibond.examples.heavy_top import heavy_top
from multibond.examples.hydraulic_cylinder import hydraulic_cylinder
from multibond.examples.motor_crank import motor_crank
from multibond.examples.motor_pendulum import motor_pendulum
from multibond.examples.pendulum import pendulum
from multibond.examples.planar_loop import planar_loop
from multibond.examples.rate_gyro import rate_gyro
from multibond.examples.reaction import reaction
from multibond.examples.rectifier import rectifier
from multibond.examples.rlc import rlc
from multibond.examples.robot import robot
from multibond.examples.slider_crank import slider_crank
from multibond.examples.sliding_swing import sliding_swing
from multibond.examples.spatial_four_bar import spatial_four_bar
from multibond.workbench import Model

EXAMPLES: dict[str, Callable[[], Model]] = {
    "rlc": rlc,
    "electric_circuit": electric_circuit,
    "rectifier": rectifier,
    "motor_pendulum": motor_pendulum,
    "hydraulic_cylinder": hydraulic_cylinder,
    "heat_plate": heat_plate,
    "reaction": reaction,
    "pendulum": pendulum,
    "euler_top": euler_top,
    "heavy_top": heavy_top,
    "gyroscope": gyroscope,
    "crane_crab": crane_crab,
    "disc": disc,
    "rate_gyro": rate_gyro,
    "slider_crank": slider_crank,
    "motor_crank": motor_crank,
    "sliding_swing": sliding_swing,
    "planar_loop": planar_loop,
    "four_bar": four_bar,
    "spatial_four_bar": spatial_four_bar,
    "governor": governor,
    "controlled_crane": controlled_crane,
    "chain": chain,
    "arm": arm,
    "robot": robot,
}

__all__ = [
    "EXAMPLES",
    "arm",
    "chain",
    "controlled_crane",
    "crane_crab",
    "disc",
    "electric_circuit",
    "euler_top",
    "four_bar",
    "governor",
    "gyroscope",
    "heat_plate",
    "heavy_top",
    "hydraulic_cylinder",
    "motor_crank",
    "motor_pendulum",
    "pendulum",
    "planar_loop",
    "rate_gyro",
    "reaction",
    "rectifier",
    "rlc",
    "robot",
    "slider_crank",
    "sliding_swing",
    "spatial_four_bar",
]

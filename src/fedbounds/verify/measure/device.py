"""Where simulations run: NumPy on the host, or CuPy on a GPU."""

from enum import StrEnum
from typing import Any

import numpy as np

from fedbounds.errors import FedboundsError, require_extra


class Device(StrEnum):
    """Kinds of device; exact computations always run on the host."""

    CPU = "cpu"
    CUDA = "cuda"


def namespace(device: Device) -> Any:
    """The array namespace of a device.

    Raises
    ------
    FedboundsError
        If CuPy is not installed, or finds no GPU.
    """
    if device is Device.CPU:
        return np
    try:
        import cupy
    except ImportError as error:
        raise require_extra("cuda", "CuPy") from error
    try:
        found = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError:  # no driver
        found = 0
    if found == 0:
        raise FedboundsError("device is cuda, but CuPy finds no GPU; use --device cpu")
    return cupy

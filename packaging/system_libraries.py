"""Which of the system's libraries that Qt needs are missing here?

usage: python packaging/system_libraries.py run|test
Prints `needed PACKAGE` or `wanted PACKAGE` for each missing one, by the names of Debian and Ubuntu. Without a needed
one nothing starts; without a wanted one something is missing that one can do without (a font, a virtual screen).
Prints nothing on other systems than Linux: there the wheels bring everything.
"""

import ctypes
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping

# library -> package; found with objdump and by hiding one library after the other (Qt 6.12)
FOR_IMPORT = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libX11.so.6": "libx11-6",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libdbus-1.so.3": "libdbus-1-3",
    "libgssapi_krb5.so.2": "libgssapi-krb5-2",
    "libbrotlidec.so.1": "libbrotli1",
    "libzstd.so.1": "libzstd1",
}
FOR_X11 = {
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-util.so.1": "libxcb-util1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libX11-xcb.so.1": "libx11-xcb1",
}
FOR_WAYLAND = {
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libwayland-egl.so.1": "libwayland-egl1",
}


def missing_packages(libraries: Mapping[str, str]) -> list[str]:
    """Packages of those libraries that the loader does not find."""
    return sorted({package for library, package in libraries.items() if not _loads(library)})


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def missing_for_a_window(environment: Mapping[str, str]) -> list[str]:
    """Packages for the screen that is there; none as soon as one of X11 and Wayland is complete."""
    screens = [
        missing_packages(libraries)
        for variable, libraries in (("DISPLAY", FOR_X11), ("WAYLAND_DISPLAY", FOR_WAYLAND))
        if environment.get(variable)
    ]
    return (
        [] if any(not missing for missing in screens) else [name for missing in screens for name in missing]
    )


def has_chinese_font() -> bool:
    """Whether fontconfig knows a font that has Chinese characters."""
    fc_list = shutil.which("fc-list")
    if fc_list is None:
        return False
    fonts = subprocess.run([fc_list, ":lang=zh-cn", "family"], capture_output=True, check=False)
    return bool(fonts.stdout.strip())


def missing(purpose: str, environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """(needed or wanted, package) for everything that is missing."""
    yield from (("needed", package) for package in missing_packages(FOR_IMPORT))
    if purpose == "run":
        yield from (("needed", package) for package in missing_for_a_window(environment))
    else:
        yield from (("wanted", package) for package in missing_packages(FOR_X11))
        programs = {"Xvfb": "xvfb", "xauth": "xauth"}
        yield from (("wanted", package) for name, package in programs.items() if shutil.which(name) is None)
    if not has_chinese_font():
        yield "wanted", "fontconfig"
        yield "wanted", "fonts-noto-cjk"


if __name__ == "__main__" and sys.platform == "linux":
    for urgency, package in missing(sys.argv[1], os.environ):
        print(urgency, package)

"""Two pages behind nginx, with visitors: python deploy/replicas.py   (docs/deploy.md; needs Debian's nginx-light)

Visitors with pictures of their own come through nginx, alone and at once. Then one replica is killed: they reload and go on.
"""

import argparse
import io
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import numpy as np
from PIL import Image
from visit import Visit

HERE = Path(__file__).parent
STANDING = ("8080", "7861", "7862")  # ports in nginx.conf
START = 300.0  # seconds for a replica to listen


def free_ports(n: int) -> list[int]:
    """Ports that nobody listens on."""
    with ExitStack() as stack:
        probes = [stack.enter_context(socket.socket()) for _ in range(n)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]


@contextmanager
def replica(port: int, folder: Path, key: str, share: float) -> Iterator[subprocess.Popen[str]]:
    """One page. It shares files and the key that names them with the others, and takes its share of the cores."""
    threads = str(max(1, round((os.cpu_count() or 1) * share)))
    files = str(folder / "files")
    variables = {"VIZAPP_FOLDER": files, "VIZAPP_KEY": key, "GRADIO_TEMP_DIR": files, "OMP_NUM_THREADS": threads}
    command = [sys.executable, str(HERE.parent / "launch.py"), "--public", "--no-browser", "--port", str(port)]
    log = (folder / f"{port}.log").open("w")
    process = subprocess.Popen(command, env=os.environ | variables, stdout=log, stderr=log, text=True)
    try:
        until = time.monotonic() + START
        while True:
            try:
                httpx.get(f"http://127.0.0.1:{port}/config", timeout=10)
                break
            except httpx.TransportError:
                assert process.poll() is None, (folder / f"{port}.log").read_text()
                assert time.monotonic() < until, "it does not start"
                time.sleep(0.5)
        yield process
    finally:
        process.kill()
        process.wait()
        log.close()


@contextmanager
def nginx(folder: Path, port: int, replicas: list[int]) -> Iterator[Path]:
    """nginx with deploy/nginx.conf; its access log."""
    text = (HERE / "nginx.conf").read_text("utf-8")
    for old, new in zip(STANDING, [port, *replicas], strict=True):
        text = text.replace(f":{old}", f":{new}")
    log = folder / "access.log"
    text = text.replace("/dev/stdout", str(log)).replace("events {}", "daemon off;\nevents {}")
    # Debian's folders for what is on its way belong to root.
    ways = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    text = text.replace("http {\n", "http {\n" + "".join(f"  {way}_temp_path {folder}/{way};\n" for way in ways))
    (folder / "nginx.conf").write_text(text, "utf-8")
    program = shutil.which("nginx") or "/usr/sbin/nginx"
    process = subprocess.Popen([program, "-p", str(folder), "-c", str(folder / "nginx.conf")])
    try:
        time.sleep(1)
        assert process.poll() is None, "nginx does not start"
        yield log
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


def picture(seed: int) -> bytes:
    """Some picture that no other seed has."""
    stream, noise = io.BytesIO(), np.random.default_rng(seed).integers(0, 256, (48, 64, 3), dtype=np.uint8)
    Image.fromarray(noise).resize((320, 240)).save(stream, "PNG")
    return stream.getvalue()


def looks(url: str, seed: int, errors: list[str]) -> tuple[Visit | None, float]:
    """One visitor with a picture of its own: the visit, and seconds until its maps were there."""
    try:
        visit = Visit(url)
        visit.show(picture(seed))
        began = time.perf_counter()
        visit.look()
        return visit, time.perf_counter() - began
    except (httpx.HTTPError, RuntimeError, AssertionError) as error:
        errors.append(f"{type(error).__name__}: {error}")
        return None, float("nan")


def together(url: str, n: int, first_seed: int) -> list[Visit]:
    """Visitors who come at the same moment; says how it went."""
    errors: list[str] = []
    began = time.perf_counter()
    with ThreadPoolExecutor(n) as threads:
        found = list(threads.map(lambda seed: looks(url, seed, errors), range(first_seed, first_seed + n)))
    whole, times = time.perf_counter() - began, sorted(seconds for visit, seconds in found if visit)
    if times:
        median, late = times[len(times) // 2], times[min(len(times) - 1, int(0.95 * len(times)))]
        print(f"{n} at once: median {median:.2f} s, p95 {late:.2f} s, {60 * len(times) / whole:.0f} pictures a minute")
    print(f"  {len(errors)} errors {Counter(errors).most_common(2) if errors else ''}")
    return [visit for visit, _ in found if visit]


def main(arguments: list[str]) -> int:
    """Run the trial; 1 if a visitor who reloads sees no maps."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--visitors", type=int, default=8)
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary, ExitStack() as stack:
        folder, key = Path(temporary), secrets.token_hex(32)
        (folder / "files").mkdir(mode=0o700)
        port, *ports = free_ports(3)
        processes = [stack.enter_context(replica(one, folder, key, 1 / len(ports))) for one in ports]
        log = stack.enter_context(nginx(folder, port, ports))
        url = f"http://127.0.0.1:{port}"
        together(url, 1, 0)
        log.write_text("")
        before = cpu_seconds(processes)
        visits = together(url, asked.visitors, 1000)
        each = (cpu_seconds(processes) - before) / asked.visitors
        print(f"  requests: {split(log)}; {each:.2f} s of a core for a visitor and a picture")
        print(f"  memory: {', '.join(f'{megabytes(one):.0f} MB' for one in processes)}")
        crossed = [httpx.get(f"http://127.0.0.1:{one}{visits[0].maps}").status_code for one in ports]
        print(f"maps that one replica made, asked of each: {crossed}")
        visits[0].compare("rollout")
        print("a long run through nginx: done")

        processes[0].kill()
        processes[0].wait()
        lost = sum(not goes_on(visit) for visit in visits)
        print(f"one replica killed: {len(visits) - lost} of {len(visits)} visitors see maps again without a reload")
        for visit in visits:
            visit.http.close()
        again = together(url, asked.visitors, 2000)
        print(f"after a reload: {len(again)} of {asked.visitors} see maps")
        return 0 if len(again) == asked.visitors else 1


def cpu_seconds(processes: list[subprocess.Popen[str]]) -> float:
    """What the replicas have computed so far: unlike the clock, it hardly depends on who else uses the machine."""
    ticks = 0
    for process in processes:
        fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])  # user and system
    return ticks / os.sysconf("SC_CLK_TCK")


def megabytes(process: subprocess.Popen[str]) -> float:
    """Of memory that a replica holds."""
    pages = int(Path(f"/proc/{process.pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def split(log: Path) -> str:
    """How many requests each replica answered."""
    found = Counter(line.rsplit(" ", 1)[-1] for line in log.read_text().splitlines())
    return ", ".join(f"{name} {count}" for name, count in sorted(found.items()))


def goes_on(visit: Visit) -> bool:
    """Can the visitor look again without a reload?"""
    try:
        visit.look()
        return True
    except (httpx.HTTPError, RuntimeError, AssertionError):
        return False


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

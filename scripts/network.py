#!/usr/bin/env python3
"""Runs a program of MPI on "machines" of this one: network namespaces, joined by a slow network.

    scripts/network.py --nodes 4 --delay 0.5 --rate 1000 -- PROGRAM ARGUMENTS...

Each of NODES namespaces (2 to 8) has one rank, or `--ranks` of them, which share memory, and one network
interface. What it sends goes by TCP through
this program, a switch with full duplex ports: a frame leaves its port after those before it, at RATE Mbit/s
(0: no limit), and arrives DELAY ms later, so a round trip takes twice that. netem is not needed, which many
kernels lack; but the switch is a process, so beyond a few Gbit/s it is the limit itself, and its time is
taken from the ranks'. `--check` measures round trips and throughput in place of a program.

It needs Linux, root, `ip` (iproute2), /dev/net/tun and Open MPI, and refuses clearly without. It removes what
it has made when it ends, also by Ctrl-C or SIGTERM. The exit status is the program's. Variables of the
environment that begin with WGPU_, VK_ and the like reach all ranks.
"""

import argparse
import fcntl
import heapq
import os
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

TUNSETIFF, IFF_TAP, IFF_NO_PI = 0x400454CA, 0x0002, 0x1000
MTU = 9000
# As an Ethernet header, and what is between two frames on a wire.
OVERHEAD = 24


class Network:
    """Namespaces with a port each, and the thread that moves frames between the ports."""

    def __init__(self, nodes, delay, rate):
        self.prefix, self.delay, self.rate = f"fft{os.getpid()}", delay, rate
        self.names = [f"{self.prefix}n{i}" for i in range(nodes)]
        self.addresses = [f"10.77.{os.getpid() % 250}.{i + 1}" for i in range(nodes)]
        self.ports, self.made = [], []
        self.stop = os.pipe()
        self.thread = threading.Thread(target=self._switch, daemon=True)

    def __enter__(self):
        try:
            for i, name in enumerate(self.names):
                ip("netns", "add", name)
                self.made.append(name)
                port = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
                self.ports.append(port)
                interface = f"{self.prefix}p{i}"
                fcntl.ioctl(port, TUNSETIFF, struct.pack("16sH22x", interface.encode(), IFF_TAP | IFF_NO_PI))
                ip("link", "set", interface, "netns", name)
                # The last byte of an address is the port.
                for arguments in (
                    ("link", "set", interface, "name", "e0"),
                    ("link", "set", "e0", "address", f"02:00:00:00:00:{i:02x}"),
                    ("link", "set", "e0", "mtu", str(MTU), "txqueuelen", "10000", "up"),
                    ("address", "add", f"{self.addresses[i]}/24", "dev", "e0"),
                    ("link", "set", "lo", "up"),
                ):
                    ip("-n", name, *arguments)
            self.thread.start()
            return self
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_):
        os.write(self.stop[1], b".")
        if self.thread.is_alive():
            self.thread.join()
        for name in self.made:
            # What is left in it keeps it, and everything there is of this run.
            for process in run("ip", "netns", "pids", name).split():
                with_no_such_process(os.kill, int(process), signal.SIGKILL)
            run("ip", "netns", "delete", name)
        for port in self.ports:
            os.close(port)

    def _switch(self):
        index = {port: i for i, port in enumerate(self.ports)}
        # Frames under way: when they arrive, their order, where, and what.
        due, count, free = [], 0, [0.0] * len(self.ports)
        while True:
            # Unlike epoll's, its limit is not in whole milliseconds.
            wait = max(due[0][0] - time.monotonic(), 0) if due else None
            for descriptor in select.select((*self.ports, self.stop[0]), (), (), wait)[0]:
                if descriptor == self.stop[0]:
                    return
                source = index[descriptor]
                for _ in range(64):
                    try:
                        frame = os.read(descriptor, MTU + 100)
                    except BlockingIOError:
                        break
                    begin = max(free[source], time.monotonic())
                    if self.rate:
                        free[source] = begin + (len(frame) + OVERHEAD) * 8 / (self.rate * 1e6)
                    to_all = frame[0] & 1
                    for port in range(len(self.ports)) if to_all else (frame[5],):
                        if port != source and port < len(self.ports):
                            count += 1
                            heapq.heappush(due, ((free[source] if self.rate else begin) + self.delay / 1e3, count, port, frame))
            now = time.monotonic()
            while due and due[0][0] <= now:
                _, _, port, frame = heapq.heappop(due)
                try:
                    os.write(self.ports[port], frame)
                except (BlockingIOError, OSError):
                    pass  # Lost, as on a network whose receiver is full: TCP sends it again.


def with_no_such_process(call, *arguments):
    try:
        call(*arguments)
    except ProcessLookupError:
        pass


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def ip(*arguments):
    done = subprocess.run(("ip", *arguments), capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"network.py: `ip {' '.join(arguments)}`: {done.stderr.strip()}")


def inside(name, program, *arguments):
    return ("ip", "netns", "exec", name, sys.executable, "-c", program, *arguments)


SERVER = """
import socket, sys
with socket.create_server((sys.argv[1], 7)) as server:
    print("ready", flush=True)
    connection, _ = server.accept()
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for _ in range(20):
        connection.sendall(connection.recv(1))
    while connection.recv(1 << 20):
        pass
"""

CLIENT = """
import socket, sys, time
with socket.create_connection((sys.argv[1], 7)) as connection:
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    times = []
    for _ in range(20):
        begin = time.monotonic()
        connection.sendall(b".")
        connection.recv(1)
        times.append(time.monotonic() - begin)
    begin, sent = time.monotonic(), 0
    while time.monotonic() < begin + 2:
        connection.sendall(bytes(1 << 16))
        sent += 1 << 16
    connection.shutdown(socket.SHUT_WR)
    connection.recv(1)
    print(f"a round trip takes {1e3 * sorted(times)[10]:.2f} ms, and {8e-6 * sent / (time.monotonic() - begin):.0f} Mbit/s arrive")
"""


def check(network):
    server = subprocess.Popen(inside(network.names[1], SERVER, network.addresses[1]), stdout=subprocess.PIPE)
    server.stdout.readline()
    status = subprocess.run(inside(network.names[0], CLIENT, network.addresses[1]), check=False).returncode
    return status or server.wait()


# Open MPI starts its daemons by this, in place of ssh: the arguments are the address and the command. Each has a
# host name of its own, so that ranks do not take each other for neighbours.
AGENT = """#!/bin/sh
node=${1##*.}
shift
exec ip netns exec %sn$((node - 1)) unshare --uts sh -c "hostname node$node; $*"
"""


def mpirun(network, ranks, program):
    with tempfile.TemporaryDirectory() as folder:
        agent = os.path.join(folder, "agent")
        with open(agent, "w") as file:
            file.write(AGENT % network.prefix)
        os.chmod(agent, 0o755)
        settings = {
            "plm_rsh_agent": agent,
            "btl": "tcp,self" if ranks == 1 else "tcp,self,vader",
            "btl_tcp_if_include": "e0",
            "oob_tcp_if_include": "e0",
        }
        command = ["ip", "netns", "exec", network.names[0], "unshare", "--uts", "sh", "-c", 'hostname node1; exec "$@"', "sh"]
        command += ["mpirun", "--allow-run-as-root", "-n", str(ranks * len(network.names)), "--map-by", f"ppr:{ranks}:node"]
        command += ["--oversubscribe", "--bind-to", "none", "--host", ",".join(f"{own}:{ranks}" for own in network.addresses)]
        command += [word for name, value in settings.items() for word in ("--mca", name, value)]
        for variable in sorted(os.environ):
            if variable.startswith(("WGPU_", "VK_", "XDG_", "MESA_", "LP_", "LD_", "PYTHON")):
                command += ["-x", variable]
        return subprocess.run(command + program, check=False).returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=4)
    parser.add_argument("--ranks", type=int, default=1, help="of each node; those of a node follow one another")
    parser.add_argument("--delay", type=float, default=0.5, metavar="MS")
    parser.add_argument("--rate", type=float, default=1000, metavar="MBIT")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("program", nargs="*")
    options = parser.parse_args()
    if not 2 <= options.nodes <= 8 or options.ranks < 1 or options.delay < 0 or options.rate < 0 or bool(options.program) == options.check:
        parser.error("2 to 8 nodes with a rank or more, a delay and a rate that are not negative, and a program or --check")
    missing = [name for name in ("ip", "unshare", "mpirun") if not shutil.which(name)]
    needed = {"Linux": sys.platform == "linux", "root": os.geteuid() == 0, "/dev/net/tun": os.path.exists("/dev/net/tun")}
    missing += [name for name, is_there in needed.items() if not is_there]
    if missing:
        sys.exit(f"network.py: missing here: {', '.join(missing)}")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with Network(options.nodes, options.delay, options.rate) as network:
        sys.exit(check(network) if options.check else mpirun(network, options.ranks, options.program))


if __name__ == "__main__":
    main()

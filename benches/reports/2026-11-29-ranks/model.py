"""When an all-to-all by nodes pays, on paper: the model of crates/distributed/docs/scaling.md, staged through
the host, at 50 GB/s a rank, with pencils and with messages by nodes.

    python3 model.py

A rank has S bytes, and a node L ranks. By nodes each of them serves every L-th other node, so a rank sends
N / L messages between nodes in place of P; but what is for other nodes moves twice more in the node.
"""

import math

L, HOST, UP, DOWN, DEVICE, NETWORK = 8, 12.8e9, 12.8e9, 50e9, 3.5e12, 50e9
DISPATCH, SUBMISSION = 2.15e-6, 50e-6


def staged(size, passes):
    """Up, some passes, and down again."""
    return size / UP + size / DOWN + 2 * SUBMISSION + passes * (2 * size / DEVICE + DISPATCH)


def direct(size, ranks, beside, latency):
    """Blocks to all of so many ranks, of which some are beside this one."""
    block = size / ranks
    return (ranks - 1) * latency + (beside - 1) * block / HOST + (ranks - beside) * block / NETWORK


def by_nodes(size, nodes, beside, latency):
    """The same, of so many nodes with `beside` ranks of the group each."""
    away = size * (nodes - 1) / nodes
    hop = (L - 1) * latency + away * (L - 1) / L / HOST
    between = math.ceil((nodes - 1) / L) * latency + away / NETWORK
    return 2 * hop + between + direct(size / nodes, beside, beside, latency)


def merge(size):
    return 1.5 * size / HOST


def agreement(ranks, latency):
    return 6 * math.ceil(math.log2(ranks)) * latency


def slabs(n, ranks, latency, nodes):
    size = 8 * n**3 / ranks
    exchange = by_nodes(size, ranks // L, L, latency) if nodes else direct(size, ranks, L, latency)
    return staged(size, 3) + staged(size, 1) + merge(size) + exchange + agreement(ranks, latency), exchange


def pencils(n, ranks, latency, nodes):
    """On p x q ranks, as square as powers of two are; the q of a row follow one another."""
    q = 2 ** (int(math.log2(ranks)) // 2)
    p, size = ranks // q, 8 * n**3 / ranks
    if nodes:
        # Of a column each node has one rank, and L columns.
        exchange = by_nodes(size, q // L, L, latency) + by_nodes(size, p, 1, latency)
    else:
        exchange = direct(size, q, L, latency) + direct(size, p, 1, latency)
    return staged(size, 2) + 2 * staged(size, 1) + 2 * merge(size) + exchange + agreement(ranks, latency), exchange


def main():
    for latency in (5e-6, 1e-6):
        print(f"\na message costs {1e6 * latency:.0f} us: milliseconds of a transform (of its exchanges)")
        print(f"{'size':>7} {'ranks':>7} {'MiB':>7} {'slabs':>16} {'by nodes':>16} {'pencils':>16} {'by nodes':>16}")
        for n in (512, 1024, 2048, 4096, 8192):
            for ranks in (64, 256, 1024, 4096, 16384, 131072):
                size = 8 * n**3 / ranks
                if size > 16 << 30 or size < 32 << 10:
                    continue
                row = []
                for way in (slabs, pencils):
                    for nodes in (False, True):
                        fits = ranks <= n if way is slabs else True
                        row.append("{:.2f} ({:.2f})".format(*(1e3 * t for t in way(n, ranks, latency, nodes))) if fits else "-")
                print(f"{n:>6}³ {ranks:>7} {size / 2**20:>7.2f} {row[0]:>16} {row[1]:>16} {row[2]:>16} {row[3]:>16}")
        for ranks in (64, 1024, 16384):
            few = (ranks - 1 - 3 * (L - 1) - math.ceil((ranks / L - 1) / L)) * latency
            print(f"slabs on {ranks} ranks: pays below blocks of {few * HOST * L / (L - 1) / 2 / ranks / 1024:.1f} KiB, about")


main()

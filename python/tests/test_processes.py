"""Threads, forked processes, signals, and machines without an adapter."""

from __future__ import annotations

import concurrent.futures
import contextlib
import os
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

import wgpu_fft


def python(program: str, **environment: str) -> subprocess.CompletedProcess:
    """Runs a program in a process of its own."""
    arguments = [sys.executable, "-c", textwrap.dedent(program)]
    return subprocess.run(arguments, env=os.environ | environment, capture_output=True, text=True, timeout=120)


def test_threads(noise, agrees):
    inputs = [noise((n, 64), np.complex64) for n in range(1, 13)]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for x, y in zip(inputs, pool.map(wgpu_fft.fft, inputs)):
            agrees(y, np.fft.fft(x).astype(np.complex64))
        same = list(pool.map(lambda _: wgpu_fft.fft(inputs[0]), range(16)))
    assert all(np.array_equal(y, same[0]) for y in same)


def test_the_lock_of_the_interpreter_is_free_meanwhile(noise):
    import threading

    x, counted, done = noise((256, 4096), np.complex64), [0], threading.Event()
    wgpu_fft.fft(x)

    def count():
        while not done.wait(0.0005):
            counted[0] += 1

    thread = threading.Thread(target=count)
    thread.start()
    for _ in range(5):
        wgpu_fft.fft(x)
    done.set()
    thread.join()
    assert counted[0] > 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_forked_processes():
    result = python(
        """
        import gc, os, warnings, numpy as np, scipy.fft, wgpu_fft
        x = np.ones(8, np.float32)
        x_on_device = wgpu_fft.asarray(x)
        kept = wgpu_fft.asarray(x)
        put_off = kept * 2
        wgpu_fft.fft(x)
        # As if another thread looked for a plan at this moment.
        del x_on_device
        locks = [wgpu_fft.get_device()._lock, wgpu_fft._device._default_lock, wgpu_fft.get_device()._deferring]
        for lock in locks:
            lock.acquire()
        child = os.fork()
        if child:
            for lock in locks:
                lock.release()
        if child == 0:
            # The default is forgotten with all that it keeps, as when another thread opens it.
            wgpu_fft._device._default = None
            gc.collect()
            for call in (wgpu_fft.get_device, lambda: wgpu_fft.set_device(None), lambda: kept + 1, put_off.to_numpy):
                try:
                    call()
                    os._exit(2)
                except wgpu_fft.Error as error:
                    assert error.kind == "forked"
            try:
                wgpu_fft.fft(x)
            except wgpu_fft.Error as error:
                assert error.kind == "forked" and "spawn" in str(error), error
                try:
                    kept.to_numpy()
                except wgpu_fft.Error as error:
                    assert error.kind == "forked"
                    del kept
                    # As a backend it leaves the work to SciPy, and says so.
                    with scipy.fft.set_backend(wgpu_fft), warnings.catch_warnings(record=True) as caught:
                        warnings.simplefilter("always")
                        assert scipy.fft.fft(x)[0] == 8
                    assert "forked" in str(caught[0].message)
                    os._exit(7)
            os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        assert kept.to_numpy()[0] == 1 and put_off.to_numpy()[0] == 2
        """
    )
    assert result.returncode == 0, result.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_process_may_begin_after_the_fork():
    result = python(
        """
        import os, numpy as np, wgpu_fft
        # That opens no device.
        wgpu_fft.adapters()
        child = os.fork()
        assert wgpu_fft.fft(np.ones(8, np.float32))[0] == 8
        if child:
            assert os.waitpid(child, 0)[1] == 0
        """
    )
    assert result.returncode == 0, result.stderr


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no timers here")
def test_a_wait_ends_by_ctrl_c():
    # A device that is kept busy for seconds, and Ctrl-C, which is this signal, soon.
    result = python(
        """
        import signal, time, numpy as np, wgpu_fft
        def stop(*_):
            raise KeyboardInterrupt
        signal.signal(signal.SIGALRM, stop)
        device = wgpu_fft.get_device()
        x, y = (wgpu_fft.asarray(np.ones((64, 1 << 14), np.complex64)) for _ in range(2))
        plan = device._plan_of("c2c fwd 16384 x64 1/sqrt(n)")

        def run(count):
            for _ in range(count):
                plan.run_on(None, [x._buffer], y._buffer)
                plan.run_on(None, [y._buffer], x._buffer)

        run(1)
        x.to_numpy()
        start = time.perf_counter()
        run(1)
        x.to_numpy()
        times = int(8 / (time.perf_counter() - start)) + 1
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        start = time.perf_counter()
        try:
            # Some drivers take work and return, and some compute while they take it.
            run(times)
            x.to_numpy()
        except KeyboardInterrupt:
            took = time.perf_counter() - start
            assert took < 3, took
            print("stopped")
        import os
        os._exit(0)
        """
    )
    assert result.stdout.strip() == "stopped", result.stdout + result.stderr


@pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="threads are not listed here")
def test_planning_ends_by_ctrl_c():
    # The signal comes while a plan is made, and raises before that is done: its thread still runs.
    result = python(
        """
        import pathlib, signal, wgpu_fft
        def stop(*_):
            raise KeyboardInterrupt
        signal.signal(signal.SIGALRM, stop)
        device = wgpu_fft.get_device()
        # The constants of long convolutions take long on any machine.
        for n in range(1_000_003, 1_000_103, 2):
            try:
                signal.setitimer(signal.ITIMER_REAL, 0.1)
                device._plan_of(f"c2c fwd {n}")
                signal.setitimer(signal.ITIMER_REAL, 0)
            except KeyboardInterrupt:
                threads = [path.read_text().strip() for path in pathlib.Path("/proc/self/task").glob("*/comm")]
                if "wgpu-fft plans" in threads:
                    print("stopped")
                    break
        # What was interrupted can be asked for again, and what is still made at the end harms nobody.
        assert device._plan_of("c2c fwd 12") and device._plan_of(f"c2c fwd {n}")
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.1)
            device._plan_of("c2c fwd 1000003 f64-by-f32")
        except KeyboardInterrupt:
            pass
        """
    )
    assert result.stdout.strip() == "stopped" and result.returncode == 0, result.stdout + result.stderr


def test_errors_are_pickled():
    import pickle

    with pytest.raises(wgpu_fft.Error) as caught:
        wgpu_fft.Plan("bogus")
    for error in (caught.value, wgpu_fft.Error("some words")):
        copy = pickle.loads(pickle.dumps(error))
        assert type(copy) is type(error) and (copy.args, copy.kind) == (error.args, error.kind)
    assert issubclass(wgpu_fft.ArgumentError, ValueError) and repr(wgpu_fft.Error) == "<class 'wgpu_fft.Error'>"


def here() -> str:
    """The place in this file that calls, as errors name it."""
    frame = sys._getframe(1)
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def test_errors_of_queued_calls_name_them(noise, agrees):
    device, x = wgpu_fft.Device(), noise((8, 8), np.complex64)
    array = wgpu_fft.asarray(x, device=device)
    # Plans are made before.
    wgpu_fft.ifft2(wgpu_fft.fft2(wgpu_fft.fft(array)))
    for _ in range(100):
        device.flush()
        begun = time.perf_counter()
        first = wgpu_fft.fft2(array)
        spoilt, place = wgpu_fft.fft(array), here()
        last = wgpu_fft.ifft2(first)
        spoilt._buffer.destroy()
        if time.perf_counter() - begun < 400e-6:
            break
        # The machine is busy, and may have submitted them before. A spoilt buffer is kept for no other result.
        with contextlib.suppress(wgpu_fft.Error):
            device.flush()
        del spoilt
        device.clear()
        wgpu_fft.ifft2(wgpu_fft.fft2(wgpu_fft.fft(array)))
    with pytest.raises(wgpu_fft.Error, match="destroyed") as caught:
        last.to_numpy()
    assert f"`c2c fwd 8 x8` of `fft` at {place}, queued as number 2" in str(caught.value)
    assert caught.value.kind == "wgpu"
    # Others have run.
    agrees(last, x)
    # A copy of what is spoilt already.
    spoilt._buffer.destroy()
    with pytest.raises(wgpu_fft.Error) as caught:
        copy, place = spoilt[1:].copy(), here()
        device.flush()
    assert f"a copy of 448 bytes of `copy` at {place.rpartition(':')[0]}" in str(caught.value)
    device.flush()


def test_a_lost_device_names_the_last_calls(noise):
    device = wgpu_fft.Device()
    y, place = wgpu_fft.rfft2(wgpu_fft.asarray(noise((8, 8)), device=device)), here()
    device._core.destroy()
    with pytest.raises(wgpu_fft.Error, match="lost") as caught:
        y.to_numpy()
    assert caught.value.kind == "device-lost" and device.is_lost
    assert f"may be the reason: `rfft2` at {place}" in str(caught.value), caught.value


def test_no_adapter_says_what_to_do():
    result = python(
        """
        import wgpu_fft
        try:
            wgpu_fft.fft([1, 2, 3])
        except wgpu_fft.Error as error:
            print(error.kind, error)
        """,
        WGPU_ADAPTER_NAME="no adapter has this name",
    )
    assert result.stdout.startswith("no-adapter no GPU adapter named like"), result.stdout + result.stderr
    assert "found: " in result.stdout


def test_devices():
    device = wgpu_fft.Device()
    assert device.info["name"] in [adapter["name"] for adapter in wgpu_fft.adapters()]
    assert device.info["name"] in repr(device) and not device.is_lost
    x = wgpu_fft.asarray(np.ones(4, np.float32), device=device)
    y = wgpu_fft.asarray(np.ones(4, np.float32))
    assert wgpu_fft.fft(x).device is device
    with pytest.raises(wgpu_fft.Error, match="another device"):
        x + y
    with pytest.raises(TypeError):
        wgpu_fft.set_device(5)
    before = wgpu_fft.get_device()
    wgpu_fft.set_device(device)
    assert wgpu_fft.asarray([1.0]).device is device
    wgpu_fft.set_device(before)


def test_compiled_pipelines_are_kept_in_a_file(tmp_path):
    program = """
        import numpy as np, wgpu_fft
        wgpu_fft.fft(np.ones(64, np.complex64))
        print(wgpu_fft.get_device().save_pipelines() if {now} else "at exit")
    """
    path = tmp_path / "pipelines"
    for now in (False, True):
        done = python(program.format(now=now), WGPU_FFT_PIPELINE_CACHE=str(path))
        assert done.returncode == 0, done.stderr
        if done.stdout.strip() == "False":
            pytest.skip("the driver keeps no pipelines")
        assert path.stat().st_size > 0
        path.unlink()
    done = python(program.format(now=True), WGPU_FFT_PIPELINE_CACHE="")
    assert done.stdout.strip() == "False" and not path.exists()
    # What cannot be written is said, and ends no program with an error.
    done = python(program.format(now=False), WGPU_FFT_PIPELINE_CACHE=str(tmp_path / "missing" / "pipelines"))
    assert done.returncode == 0 and "missing" in done.stderr, done.stderr
    asked = python(
        """
        import wgpu_fft
        try:
            wgpu_fft.get_device().save_pipelines()
        except wgpu_fft.Error as error:
            print(error.kind)
        """,
        WGPU_FFT_PIPELINE_CACHE=str(tmp_path / "missing" / "pipelines"),
    )
    assert asked.stdout.strip() == "file", asked.stderr


def test_what_was_tuned_is_recorded(tmp_path):
    path = tmp_path / "record.json"
    tuned = python(
        """
        import wgpu_fft
        found = wgpu_fft.tune("sum f32 1000", time_limit=0.2)
        assert "from the record" in wgpu_fft.tune("sum f32 1000").source
        print(found.recipe)
        """,
        WGPU_FFT_RECORD=str(path),
    )
    assert tuned.returncode == 0, tuned.stderr
    assert path.stat().st_size > 0
    used = python(
        """
        import wgpu_fft
        with wgpu_fft.options(rigor="recorded"):
            print(wgpu_fft.Plan("sum f32 1000").recipe)
            assert "record" in wgpu_fft.get_device()._core.choose("sum f32 1000", "recorded")[1]
        """,
        WGPU_FFT_RECORD=str(path),
    )
    assert used.stdout == tuned.stdout and used.returncode == 0, used.stderr
    before = path.read_bytes()
    searched = python(
        """
        import numpy as np, wgpu_fft
        wgpu_fft.set_options(rigor="measure")
        assert wgpu_fft.Plan("sum f32 777")(np.ones(777, np.float32)) == 777
        """,
        WGPU_FFT_RECORD=str(path),
    )
    assert searched.returncode == 0 and path.read_bytes() != before, searched.stderr
    with pytest.raises(ValueError, match="rigor"):
        wgpu_fft.tune("sum f32 1000", "estimate")
    with pytest.raises(ValueError, match="rigor"):
        wgpu_fft.set_options(rigor="never")
    with pytest.raises(wgpu_fft.ArgumentError):
        wgpu_fft.tune("nothing")

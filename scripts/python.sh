#!/usr/bin/env bash
# Builds the Python package into an environment of its own, and tests it.
#
#   scripts/python.sh            build it into target/python-venv
#   scripts/python.sh packages   only what its tests need, into target/python-venv
#   scripts/python.sh test       build it, run its tests and a sample of SciPy's, and try its wheel
#   scripts/python.sh own, scripts/python.sh scipy, scripts/python.sh wheel   each of these alone
#   scripts/python.sh test-all   the same with all of SciPy's tests of scipy.fft, and more of scipy.signal,
#                                which takes about half an hour on a software adapter
#   scripts/python.sh torch      build it, and test gradients with PyTorch, which the others only do where it is
#                                in target/python-venv: on Linux for x86-64 it comes with 6 GB of libraries for CUDA
#   scripts/python.sh pytest ... build it, and run pytest with these arguments
#
# Needs Rust, and Python 3.11 or later with venv and pip, which get the packages of
# python/requirements-test.txt; the package itself takes 3.10. PYTHON names another interpreter.
# WGPU_FFT_CARGO_SELECTION names packages and features with which Cargo has compiled it already.
#
# Exit status: 0 if everything succeeded; 75 if those packages could not be had.
set -euo pipefail
cd "$(dirname "$0")/.."

. scripts/lib.sh

python=${PYTHON:-python3}
venv=$PWD/target/python-venv
bin=$venv/bin

if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    say "$python is not Python 3.11 or later, which SciPy's tests need; PYTHON=... names another one"
    exit 1
fi
if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
    say "$python has no venv (Debian and Ubuntu: apt install python3-venv)"
    exit 1
fi
if ! cmp -s python/requirements-test.txt "$venv/installed.txt"; then
    say "installing the packages of python/requirements-test.txt into $venv"
    "$python" -m venv "$venv"
    if ! "$bin/python" -m pip install --quiet --disable-pip-version-check -r python/requirements-test.txt; then
        say 'SKIPPED: the package for Python: the packages that its tests need are out of reach'
        exit 75
    fi
    cp python/requirements-test.txt "$venv/installed.txt"
fi

if [ "${1:-}" = packages ]; then exit; fi

# In the profile of everything else, with the workspace's target directory.
read -ra selection <<<"${WGPU_FFT_CARGO_SELECTION:-}"
if [ ${#selection[@]} = 0 ]; then
    (cd python && VIRTUAL_ENV=$venv PATH=$bin:$PATH "$bin/maturin" develop --quiet)
else
    # As maturin does, but with these features, for which everything is compiled already. Without
    # tests, libraries would be others and compiled anew.
    cargo build --quiet "${selection[@]}" --all-targets
    # Not over a file that a test beside this one may have loaded.
    cp "${CARGO_TARGET_DIR:-target}/debug/lib_core.so" python/wgpu_fft/_core.abi3.so.new
    mv -f python/wgpu_fft/_core.abi3.so.new python/wgpu_fft/_core.abi3.so
    pwd | sed 's,$,/python,' >"$("$bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/wgpu_fft.pth"
fi

# SciPy's tests, which its wheel carries, with our backend or, by the other plugin, our namespace.
scipy_tests() {
    PYTHONPATH=$PWD/python/scipy_tests "$bin/python" -m pytest -c python/scipy_tests/pytest.ini -p "${plugin:-scipy_plugin}" --pyargs "$@"
}
namespace_tests() {
    plugin=namespace_plugin scipy_tests "$@"
}
# Those that call scipy.fft.
transforms='czt or CZT or zoom or FFTConvolve or OAConvolve or Hilbert or Envelope'

# The types of the package and of the README's programs, its own tests, and its benchmarks on small
# arrays.
own_tests() {
    if node_tool pyright; then
        rm -rf target/pyright
        mkdir target/pyright
        awk '/^```python/ { file = "target/pyright/readme" ++i ".py"; next } /^```/ { file = "" } file { print > file }' python/README.md
        PYTHONPATH=python web/node_modules/.bin/pyright --pythonpath "$bin/python" python/wgpu_fft target/pyright
    else
        say 'SKIPPED: the types of the package for Python: there is no npm'
    fi
    # With what was skipped.
    "$bin/python" -m pytest -q -rs python
    "$bin/python" python/benchmarks/transforms.py --smoke >target/python-benchmark.log
    "$bin/python" python/benchmarks/deconvolve.py --shape 8x16x16 --rounds 2 >>target/python-benchmark.log
}

# A wheel of what is compiled already, in an environment where nothing else is but NumPy.
wheel() {
    local folder=$PWD/target/python-wheel
    rm -rf "$folder"
    mkdir -p "$folder/bin"
    scripts/third_party.py wgpu-fft-python python/wgpu_fft/THIRD-PARTY.txt
    local cargo
    cargo=$(command -v cargo)
    if [ ${#selection[@]} -gt 0 ]; then
        # maturin asks Cargo for this package alone, and tells pyo3 about the interpreter, which also
        # looks at PATH: all that is compiled would be compiled anew.
        cat >"$folder/bin/cargo" <<SCRIPT
#!/bin/sh
[ "\$1" = rustc ] || exec "$cargo" "\$@"
for name in PYTHON_SYS_EXECUTABLE \$(env | sed -n 's/^\(PYO3_[A-Z_]*\)=.*/\1/p'); do unset "\$name"; done
PATH='$PATH'
exec "$cargo" build ${selection[*]} --all-targets --message-format json-render-diagnostics
SCRIPT
        cargo=$folder/bin/cargo
        chmod +x "$cargo"
    fi
    # For this machine: no manylinux.
    (cd python && CARGO=$cargo PATH=$folder/bin:$bin:$PATH "$bin/maturin" build --profile dev --compatibility linux --out "$folder") \
        >"$folder/maturin.log" 2>&1 || { cat "$folder/maturin.log" && return 1; }
    "$python" -m venv --without-pip "$folder/venv"
    "$bin/python" -m pip --python "$folder/venv/bin/python" install --quiet --disable-pip-version-check --no-index --no-deps "$folder"/*.whl
    # NumPy as it is in the other environment, whose package in the folder is not found this way.
    local places='import sysconfig; print(sysconfig.get_path("purelib"))'
    "$bin/python" -c "$places" >"$("$folder/venv/bin/python" -c "$places")/numpy.pth"
    (cd "$folder" && "$folder/venv/bin/python" "$OLDPWD/python/tests/installed.py" "$folder/venv")
}

sample_of_scipy() {
    scipy_tests scipy.fft --every 40
    scipy_tests scipy.fft --every 80 --single
    scipy_tests scipy.signal.tests.test_czt scipy.signal.tests.test_signaltools -k "$transforms" --every 800
    namespace_tests scipy.fft --every 100
    namespace_tests scipy.signal.tests.test_filter_design scipy.signal.tests.test_fir_filter_design scipy.signal.tests.test_windows --every 4
}

case ${1:-} in
'') ;;
own) own_tests ;;
scipy) sample_of_scipy ;;
wheel) wheel ;;
test)
    own_tests
    sample_of_scipy
    wheel
    ;;
test-all)
    own_tests
    scipy_tests scipy.fft
    scipy_tests scipy.fft --single
    scipy_tests scipy.signal.tests.test_czt scipy.signal.tests.test_signaltools -k "$transforms"
    namespace_tests scipy.fft
    namespace_tests scipy.signal
    ;;
torch)
    if ! "$bin/python" -m pip install --quiet --disable-pip-version-check -c python/requirements-test.txt -r python/requirements-torch.txt; then
        say 'SKIPPED: PyTorch is out of reach'
        exit 75
    fi
    "$bin/python" -m pytest -q -rs python/tests/test_gradients.py
    "$bin/python" -m pytest -q python/tests/test_documents.py -k torch
    ;;
pytest)
    shift
    "$bin/python" -m pytest "$@"
    ;;
*)
    say "unknown argument $1"
    exit 1
    ;;
esac

# Shortcuts; `make` lists them. They need Rust, a C linker for it (gcc or clang), and make.

# Mesa's Vulkan drivers complain if XDG_RUNTIME_DIR is unset, although they do not need it.
XDG_RUNTIME_DIR ?= /tmp
export XDG_RUNTIME_DIR

.PHONY: help demo check test test-thorough tune bench-smoke ladder reach hlsl windows figures book guests burn-test distributed-demo distributed-test web web-test web-bench capi-install capi-test capi-verify python-test python-test-all

help:
	@echo 'make demo         compute the spectrum of a photograph: out/spectrum.png'
	@echo 'make check        what takes minutes and needs no adapter: style, warnings, also for browsers'
	@echo 'make test         run the tests on every adapter'
	@echo 'make test-thorough  more of them, which take hours: what a release must pass'
	@echo 'make tune         find the fastest recipe for an FFT of 512 x 512, and add it to the record'
	@echo 'make bench-smoke  run every benchmark once on small sizes, to check that they work'
	@echo 'make ladder       compare the variants of the transpose, from naive to several elements per invocation'
	@echo 'make reach        compile the kernels for GPUs that are not here, by their real drivers (scripts/reach.sh)'
	@echo 'make hlsl         compile the kernels by the compilers of Direct3D, and check those for Metal (scripts/hlsl.sh)'
	@echo 'make windows      run the tests as Windows programs, under wine (scripts/windows.sh)'
	@echo 'make figures      draw docs/figures from the reports of measurements (needs python3)'
	@echo 'make book         render the guides as a book: target/book/index.html (scripts/book.sh says what it needs)'
	@echo 'make guests       compile the guests in programs of egui and bevy (examples/guests)'
	@echo 'make burn-test    test the transforms of burn'\''s tensors (crates/burn)'
	@echo 'make distributed-demo  the spectrum of an array in a file, by all devices at once (crates/distributed)'
	@echo 'make distributed-test  test jobs on several devices, and on 1 to 4 MPI processes (crates/distributed)'
	@echo 'make python-test  build the package for Python, and run its tests and a sample of those of SciPy (python)'
	@echo 'make python-test-all  the same with all tests of scipy.fft, and more of scipy.signal'
	@echo 'make web          build the package for browsers and serve its page (web)'
	@echo 'make web-test     build that package and test it in Chromium, Firefox, Deno and Node'
	@echo 'make web-bench    measure it in Chromium beside other libraries'
	@echo 'make capi-install PREFIX=FOLDER  build the libraries for C and put them into a folder (capi)'
	@echo 'make capi-test    test them, also in place of FFTW'
	@echo 'make capi-verify  FFTW'\''s own verifier on thousands of random problems'
	@echo
	@echo 'You need Rust, make and a C linker (Debian and Ubuntu: apt install gcc libc6-dev).'
	@echo 'All but help, check, bench-smoke, ladder, figures, book, guests and those of web look for your GPU. If none is found, they offer to install lavapipe, a software driver;'
	@echo 'The three of web need node 20 with npm; web-test and web-bench also Chromium.'
	@echo 'distributed-test also offers to install MPI. WGPU_FFT_INSTALL=1 agrees in advance, WGPU_FFT_INSTALL=0 declines.'

demo:
	@echo 'make demo: 1. looks for a GPU or a software driver, and offers to install one if there is none (scripts/adapter.sh);'
	@echo '           2. compiles the example spectrum (some minutes the first time) and runs it. The example transforms a photograph'
	@echo '              forward and back, checks the result, and writes out/spectrum.png and out/spectrum-recovered.png.'
	@scripts/adapter.sh
	cargo run --release --example spectrum -- --inverse

check:
	cargo fmt --all --check
	cargo clippy --all-targets -- -D warnings
	@scripts/web.sh --target
	cargo clippy -p wgpu-fft --lib --target wasm32-unknown-unknown -- -D warnings
	cargo clippy -p wgpu-fft --lib --no-default-features --target wasm32-unknown-unknown -- -D warnings

test:
	@echo 'make test: takes about 20 minutes on 2 cores, 6 of them to compile the first time. It'
	@echo '           1. looks for a GPU or a software driver, and offers to install one if there is none (scripts/adapter.sh);'
	@echo '           2. runs `cargo test`: all tests on every adapter, or without an adapter only the tests that need none.'
	@scripts/test.sh

test-thorough:
	@echo 'make test-thorough: takes hours on 2 cores. It runs all of `make test` with more cases, and what scripts/test.sh lists.'
	@scripts/test.sh thorough

tune:
	@echo 'make tune: 1. looks for a GPU or a software driver, and offers to install one if there is none (scripts/adapter.sh);'
	@echo '           2. compiles the program wgpu-fft (some minutes the first time) and runs it. It searches for 2 seconds and adds'
	@echo '              the fastest recipe to the record. If the record has one already, it measures nothing.'
	@echo '              `cargo run --release -p wgpu-fft-cli -- --help` lists what else it can do.'
	@scripts/adapter.sh
	cargo run --release -p wgpu-fft-cli -- tune "c2c fwd 512x512"

# Not `--benches`, which includes the library's own tests; they do not know --smoke.
bench-smoke:
	cargo bench --bench '*' -- --smoke

ladder:
	cargo bench --bench measure -- transpose --ladder

reach:
	@echo 'make reach: 1. unpacks Mesa of Debian unstable into target/reach (a minute, 420 MB; scripts/reach.sh says what it needs);'
	@echo '            2. compiles what the rules choose for 25 GPUs that are not here, and compares registers, spills and occupancy'
	@echo '               with benches/reports/reach. It takes some ten minutes the first time.'
	@scripts/reach.sh

hlsl:
	@echo 'make hlsl: 1. fetches DXC and FXC into target/hlsl and web/node_modules (scripts/hlsl.sh says what it needs);'
	@echo '           2. compiles what the rules choose for devices of Direct3D and Metal. It takes half an hour.'
	@scripts/adapter.sh
	@scripts/hlsl.sh

windows:
	@echo 'make windows: 1. installs wine, mingw and a target of rustup, after asking (scripts/windows.sh says what for);'
	@echo '              2. compiles the tests for Windows (ten minutes the first time) and runs them under wine, a quarter of an hour.'
	@scripts/adapter.sh
	@scripts/windows.sh

distributed-demo:
	@echo 'make distributed-demo: 1. looks for a GPU or a software driver, and offers to install one if there is none (scripts/adapter.sh);'
	@echo '                       2. compiles the example out_of_core (some minutes the first time) and runs it. The example transforms'
	@echo '                          2048 x 2048 numbers in a file on all devices and the host, and checks every number of the result.'
	@scripts/adapter.sh
	cargo run --release -p wgpu-fft-distributed --example out_of_core -- --host

distributed-test:
	@echo 'make distributed-test: 1. looks for MPI and libclang, and offers to install them if they are missing (scripts/mpi.sh);'
	@echo '                       2. looks for a GPU or a software driver, and offers to install one if there is none (scripts/adapter.sh);'
	@echo '                       3. tests jobs on several devices, and then on 1, 2, 3 and 4 MPI ranks;'
	@echo '                       4. compiles the examples of capi/mpi in C and Fortran, and runs them and those in Python on up to 4 ranks.'
	@scripts/mpi.sh
	@scripts/adapter.sh
	WGPU_FFT_REQUIRE_GPU=1 cargo test -p wgpu-fft-distributed --features mpi
	WGPU_FFT_REQUIRE_GPU=1 scripts/mpi.sh test
	WGPU_FFT_REQUIRE_GPU=1 scripts/mpi.sh doors

figures:
	python3 benches/figures.py

book:
	@scripts/book.sh

guests:
	@echo 'make guests: compiles the guests in programs of egui and bevy, in workspaces of their own (many minutes the first time).'
	cd examples/guests/egui && cargo build
	cd examples/guests/bevy && cargo build

burn-test:
	@echo 'make burn-test: 1. looks for a GPU or a software driver, and offers to install one if there is none (scripts/adapter.sh);'
	@echo '                2. compiles burn and the tests in a workspace of its own (some ten minutes the first time), and runs them.'
	@scripts/adapter.sh
	cd crates/burn && WGPU_FFT_REQUIRE_GPU=1 CARGO_PROFILE_DEV_DEBUG=none cargo test

python-test:
	@echo 'make python-test: 1. looks for a GPU or a software driver, and offers to install one if there is none (scripts/adapter.sh);'
	@echo '                  2. compiles the extension, and installs what the tests need into target/python-venv (scripts/python.sh);'
	@echo '                  3. runs the tests of the package, and a sample of the tests of SciPy with this package as its backend.'
	@scripts/adapter.sh
	@scripts/python.sh test

python-test-all:
	@scripts/adapter.sh
	@scripts/python.sh test-all

web:
	@echo 'make web: 1. compiles the package for browsers into web/pkg (some minutes the first time; scripts/web.sh says what it needs);'
	@echo '          2. puts the page and the package into one folder, and serves that folder on this machine alone.'
	@scripts/web.sh
	@node web/site.js --serve

web-test:
	@echo 'make web-test: 1. compiles the package for browsers into web/pkg (some minutes the first time; scripts/web.sh says what it needs);'
	@echo '               2. runs its tests in Chromium, and a share in Firefox, Deno and Node, with WebGPU on software adapters (scripts/web-test.sh says what it needs).'
	@scripts/web.sh
	@scripts/web-test.sh

web-bench:
	@scripts/web.sh
	@scripts/web-bench.sh

PREFIX ?= /usr/local
capi-install:
	@echo 'make capi-install: compiles the libraries for C (some minutes the first time) and puts them into $(PREFIX).'
	@scripts/capi.sh install '$(PREFIX)'

capi-test:
	@echo 'make capi-test: 1. looks for a GPU or a software driver, and offers to install one if there is none (scripts/adapter.sh);'
	@echo '                2. compiles the libraries for C and their tests, and runs them (scripts/capi.sh says what it needs).'
	@scripts/adapter.sh
	@scripts/capi.sh test
	@scripts/capi.sh program
	@scripts/capi.sh verify 4

capi-verify:
	@scripts/adapter.sh
	@scripts/capi.sh verify 150 -0d -1d

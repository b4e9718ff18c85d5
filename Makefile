# Shortcuts; `make` lists them. They need Rust, a C linker for it (gcc or clang), and make.

# Mesa's Vulkan drivers complain if XDG_RUNTIME_DIR is unset, although they do not need it.
XDG_RUNTIME_DIR ?= /tmp
export XDG_RUNTIME_DIR

.PHONY: help demo test tune bench-smoke ladder mpi-test

help:
	@echo 'make demo         compute the spectrum of a photograph: out/spectrum.png'
	@echo 'make test         run all tests on every adapter'
	@echo 'make tune         find the fastest recipe for an FFT of 512 x 512, and add it to the record'
	@echo 'make bench-smoke  run every benchmark once on small sizes, to check that they work'
	@echo 'make ladder       compare the variants of the transpose, from naive to several elements per invocation'
	@echo 'make mpi-test     test transforms that are distributed over 1 to 4 MPI processes (mpi/)'
	@echo
	@echo 'You need Rust, make and a C linker (Debian and Ubuntu: apt install gcc libc6-dev).'
	@echo 'demo, test, tune and mpi-test use your GPU. If none is found, they offer to install lavapipe, a software driver;'
	@echo 'mpi-test also offers to install MPI. WGPU_FFT_INSTALL=1 agrees in advance, WGPU_FFT_INSTALL=0 declines.'

demo:
	@echo 'make demo: 1. looks for a GPU or a software driver, and offers to install one if there is none (scripts/adapter.sh);'
	@echo '           2. compiles the example spectrum (some minutes the first time) and runs it. The example transforms a photograph'
	@echo '              forward and back, checks the result, and writes out/spectrum.png and out/spectrum-recovered.png.'
	@scripts/adapter.sh
	cargo run --release --example spectrum -- --inverse

test:
	@echo 'make test: 1. looks for a GPU or a software driver, and offers to install one if there is none (scripts/adapter.sh);'
	@echo '           2. runs `cargo test --features cpu`: all tests on every adapter, or without an adapter only the tests that need none.'
	@if scripts/adapter.sh; then \
		echo 'WGPU_FFT_REQUIRE_GPU=1 cargo test --features cpu'; \
		WGPU_FFT_REQUIRE_GPU=1 cargo test --features cpu; \
	else \
		echo 'make test: NO ADAPTER. The tests that need one are skipped, so this run does not test the shaders on a device.'; \
		cargo test --features cpu; \
	fi

tune:
	@echo 'make tune: 1. looks for a GPU or a software driver, and offers to install one if there is none (scripts/adapter.sh);'
	@echo '           2. compiles the example tune (some minutes the first time) and runs it. The example searches for 2 seconds and adds'
	@echo '              the fastest recipe to the record. If the record has one already, it measures nothing.'
	@echo '              `cargo run --release --example tune -- --help` lists what else it can do.'
	@scripts/adapter.sh
	cargo run --release --example tune -- tune "c2c fwd 512x512"

# Not `--benches`, which includes the library's own tests; they do not know --smoke.
bench-smoke:
	cargo bench --bench '*' -- --smoke

ladder:
	cargo bench --bench transpose -- --ladder

mpi-test:
	@echo 'make mpi-test: 1. looks for MPI and libclang, and offers to install them if they are missing (scripts/mpi.sh);'
	@echo '               2. looks for a GPU or a software driver, and offers to install one if there is none (scripts/adapter.sh);'
	@echo '               3. builds the member mpi/ and runs its tests on 1, 2, 3 and 4 ranks.'
	@scripts/mpi.sh
	@scripts/adapter.sh
	WGPU_FFT_REQUIRE_GPU=1 scripts/mpi.sh test

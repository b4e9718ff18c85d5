# Shortcuts; `make` lists them. All they need is Rust (with the C linker that it needs: gcc or
# clang) and make.

# Mesa's Vulkan drivers complain about an unset XDG_RUNTIME_DIR, though they do without it.
XDG_RUNTIME_DIR ?= /tmp
export XDG_RUNTIME_DIR

.PHONY: help demo test tune bench-smoke ladder mpi-test

help:
	@echo 'make demo         find an adapter or install one, then compute the spectrum of a photograph: out/spectrum.png'
	@echo 'make test         find an adapter or install one, then run all tests on every adapter'
	@echo 'make tune         find an adapter or install one, then look for the fastest recipe of an FFT of 512 x 512 and remember it'
	@echo 'make bench-smoke  run every benchmark once on small sizes, to see that they work'
	@echo 'make ladder       compare the variants of the transpose'
	@echo 'make mpi-test     find MPI or install it, then test transforms that are distributed over 1 to 4 processes (mpi/)'
	@echo
	@echo 'Needed: Rust with a C linker (Debian and Ubuntu: apt install gcc libc6-dev), and make. Where there is no GPU, demo, test and tune'
	@echo 'offer to install a software adapter (scripts/adapter.sh); WGPU_FFT_INSTALL=1 says yes beforehand, WGPU_FFT_INSTALL=0 says no.'

demo:
	@echo 'make demo: 1. looks for a GPU or a software adapter, and installs one if there is none (scripts/adapter.sh);'
	@echo '           2. compiles (some minutes the first time) and runs the example spectrum, which transforms a photograph and back,'
	@echo '              checks the result, and writes out/spectrum.png and out/spectrum-recovered.png.'
	@scripts/adapter.sh
	cargo run --release --example spectrum -- --inverse

test:
	@echo 'make test: 1. looks for a GPU or a software adapter, and installs one if there is none (scripts/adapter.sh);'
	@echo '           2. runs `cargo test --features cpu`: with an adapter all tests, on every adapter; without one only those that need none.'
	@if scripts/adapter.sh; then \
		echo 'WGPU_FFT_REQUIRE_GPU=1 cargo test --features cpu'; \
		WGPU_FFT_REQUIRE_GPU=1 cargo test --features cpu; \
	else \
		echo 'make test: NO ADAPTER. The tests that need one print SKIPPED and say nothing about the shaders.'; \
		cargo test --features cpu; \
	fi

tune:
	@echo 'make tune: 1. looks for a GPU or a software adapter, and installs one if there is none (scripts/adapter.sh);'
	@echo '           2. compiles (some minutes the first time) and runs the example tune, which measures for 2 seconds, unless it was done before,'
	@echo '              and adds the fastest recipe to the record; `cargo run --release --example tune -- --help` lists what else it does.'
	@scripts/adapter.sh
	cargo run --release --example tune -- tune "c2c fwd 512x512"

# Not `--benches`, which includes the library's own tests; they do not know --smoke.
bench-smoke:
	cargo bench --bench '*' -- --smoke

ladder:
	cargo bench --bench transpose -- --ladder

mpi-test:
	@echo 'make mpi-test: 1. looks for MPI and libclang, and installs them if they are missing (scripts/mpi.sh);'
	@echo '               2. looks for a GPU or a software adapter, and installs one if there is none (scripts/adapter.sh);'
	@echo '               3. builds the member mpi/ and runs its tests on 1, 2, 3 and 4 ranks.'
	@scripts/mpi.sh
	@scripts/adapter.sh
	WGPU_FFT_REQUIRE_GPU=1 scripts/mpi.sh test

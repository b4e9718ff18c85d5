// Times CUDA's transposes out of place and reductions. Prints one line of JSON per case and peer on
// stdout, which memory_ratios.py compares with our times.
//
//     nvcc -O3 -arch=native -std=c++17 -o memory memory.cu
//     ./memory > memory.jsonl
//     ./memory --filter "transpose u8" --filter argmax --rounds 21
//
// If no variant of a peer is the best everywhere, it has several. The fastest is reported and named
// in `recipe`. Each variant is checked once before it is timed, and a wrong one is not reported. The
// method is that of our own benches. Arrays are used in rotation and are together larger than the
// caches. About a second of work precedes the first sample. A sample is many runs between two events.
// In each round every variant gives one sample, and the median of its samples is reported. The runs
// are recorded in a CUDA graph, which starts behind a kernel that waits, so that neither launches nor
// gaps between them count. `copy` and `read` are not operations of ours but bounds: the same bytes,
// copied or read 16 at a time.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

constexpr size_t ROTATION_BYTES = size_t(240) << 20;
constexpr double SAMPLE_SECONDS = 2e-3, WARM_UP_SECONDS = 1.0;
constexpr size_t MOST_RUNS = 2048, MOST_TURNS = 512;
constexpr int WARP = 32;

void check(cudaError_t error, const char* what, int line) {
    if (error != cudaSuccess) {
        cudaGetLastError();
        throw std::runtime_error(std::string(what) + ", line " + std::to_string(line) + ": " + cudaGetErrorString(error));
    }
}
#define CHECK(call) check((call), #call, __LINE__)

// ---------------------------------------------------------------- arrays

struct Buffer {
    void* data = nullptr;
    size_t bytes;

    explicit Buffer(size_t bytes) : bytes(bytes) { CHECK(cudaMalloc(&data, std::max<size_t>(bytes, 16))); }
    Buffer(const Buffer&) = delete;
    ~Buffer() { cudaFree(data); }
    template <typename T>
    T* as() const {
        return static_cast<T*>(data);
    }
};

struct Turn {
    Buffer input, output;
    Turn(size_t input_bytes, size_t output_bytes) : input(input_bytes), output(output_bytes) {}
};

__device__ unsigned hash(size_t i) {
    unsigned x = unsigned(i) * 0x9e3779b9u + unsigned(i >> 32) * 0x85ebca6bu + 1;
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}

__global__ void fill_words(unsigned* data, size_t count) {
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count; i += size_t(gridDim.x) * blockDim.x) data[i] = hash(i);
}

// In 0 … 1, not -1 … 1: then a missing part of a sum is always noticed.
__global__ void fill_floats(float* data, size_t count) {
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count; i += size_t(gridDim.x) * blockDim.x)
        data[i] = (hash(i) >> 8) * (1.0f / 16777216.0f);
}

__global__ void hold(long long ticks) {
    long long start = clock64();
    while (clock64() - start < ticks) {
    }
}

// ---------------------------------------------------------------- measurement

cudaStream_t stream;
std::string device_name;
int processors, rounds = 11;
std::vector<std::string> filters;
int left_out = 0, wrong = 0;

struct Candidate {
    std::string peer, recipe;
    std::function<void(const Turn&)> run;
    // Returns what is wrong with the result of a run on this pair, or nothing.
    std::function<std::string(const Turn&)> fault;

    cudaGraphExec_t graph = nullptr;
    size_t runs = 0;
    std::vector<double> seconds = {};
};

// Graphs would accumulate.
struct Graphs {
    std::vector<Candidate>& candidates;
    ~Graphs() {
        for (Candidate& candidate : candidates) {
            if (candidate.graph) cudaGraphExecDestroy(candidate.graph);
            candidate.graph = nullptr;
        }
    }
};

using Turns = std::vector<std::unique_ptr<Turn>>;

void record(Candidate& candidate, const Turns& turns, size_t runs) {
    if (candidate.graph) CHECK(cudaGraphExecDestroy(candidate.graph));
    candidate.graph = nullptr;
    cudaGraph_t graph;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    try {
        for (size_t i = 0; i < runs; i++) candidate.run(*turns[i % turns.size()]);
    } catch (...) {
        cudaStreamEndCapture(stream, &graph);
        throw;
    }
    CHECK(cudaStreamEndCapture(stream, &graph));
    cudaError_t error = cudaGraphInstantiate(&candidate.graph, graph, 0);
    cudaGraphDestroy(graph);
    CHECK(error);
    CHECK(cudaGraphUpload(candidate.graph, stream));
    candidate.runs = runs;
}

// Seconds of one run.
double sample(const Candidate& candidate) {
    static cudaEvent_t begin, end;
    if (!begin) {
        CHECK(cudaEventCreate(&begin));
        CHECK(cudaEventCreate(&end));
    }
    // About half a millisecond, enough for the host to launch any of the graphs.
    hold<<<1, 1, 0, stream>>>(1000000);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(begin, stream));
    CHECK(cudaGraphLaunch(candidate.graph, stream));
    CHECK(cudaEventRecord(end, stream));
    CHECK(cudaEventSynchronize(end));
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    return ms * 1e-3 / double(candidate.runs);
}

double quantile(std::vector<double> values, double q) {
    std::sort(values.begin(), values.end());
    double position = q * double(values.size() - 1);
    size_t below = size_t(position), above = std::min(below + 1, values.size() - 1);
    return values[below] + (values[above] - values[below]) * (position - double(below));
}

double median(const Candidate& candidate) { return quantile(candidate.seconds, 0.5); }

void report(const std::string& spec, size_t bytes, const Candidate& candidate) {
    double middle = median(candidate);
    double spread = (quantile(candidate.seconds, 0.9) - quantile(candidate.seconds, 0.1)) / middle;
    printf("{\"bench\": \"memory\", \"spec\": \"%s\", \"peer\": \"%s\", \"recipe\": \"%s\", \"device\": \"%s\", \"bytes\": %zu, \"ms\": %.5g, "
           "\"min_ms\": %.5g, \"spread\": %.3g, \"gb_per_s\": %.5g, \"samples\": %zu, \"repetitions\": %zu}\n",
           spec.c_str(), candidate.peer.c_str(), candidate.recipe.c_str(), device_name.c_str(), bytes, middle * 1e3,
           quantile(candidate.seconds, 0) * 1e3, spread, double(bytes) / middle * 1e-9, candidate.seconds.size(), candidate.runs);
    fflush(stdout);
    fprintf(stderr, "%-34s %-18s %10.4f ms %8.1f GB/s  %s\n", spec.c_str(), candidate.peer.c_str(), middle * 1e3,
            double(bytes) / middle * 1e-9, candidate.recipe.c_str());
}

// Checks a candidate and records enough runs to fill a sample. A candidate that fails or is wrong is reported and skipped.
bool prepare(const std::string& spec, const Turns& turns, Candidate& candidate) {
    std::string why;
    try {
        // Otherwise the previous result could pass for this one's. A word of all ones is a NaN and not an index.
        CHECK(cudaMemsetAsync(turns[0]->output.data, 0xff, turns[0]->output.bytes, stream));
        candidate.run(*turns[0]);
        CHECK(cudaStreamSynchronize(stream));
        if (candidate.fault) why = candidate.fault(*turns[0]);
        if (why.empty()) {
            // A few runs are enough to find out how many fill a sample.
            record(candidate, turns, 8);
            double once = sample(candidate);
            for (int i = 0; i < 2; i++) once = std::min(once, sample(candidate));
            size_t runs = std::min(MOST_RUNS, std::max<size_t>(1, size_t(std::ceil(SAMPLE_SECONDS / std::max(once, 1e-7)))));
            // Every array is used equally often.
            record(candidate, turns, std::max(runs - runs % turns.size(), turns.size()));
            return true;
        }
        why = "WRONG: " + why;
        wrong++;
    } catch (const std::exception& error) {
        why = error.what();
        left_out++;
    }
    fprintf(stderr, "%s by %s (%s) is left out: %s\n", spec.c_str(), candidate.peer.c_str(), candidate.recipe.c_str(), why.c_str());
    return false;
}

// Measures the candidates together, and reports the fastest of each peer.
void measure(const std::string& spec, size_t bytes, const Turns& turns, std::vector<Candidate> all) {
    std::vector<Candidate> candidates;
    Graphs graphs{candidates};
    for (Candidate& candidate : all)
        if (prepare(spec, turns, candidate)) candidates.push_back(std::move(candidate));
    auto start = std::chrono::steady_clock::now();
    while (!candidates.empty() && std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() < WARM_UP_SECONDS)
        for (Candidate& candidate : candidates) sample(candidate);
    for (int round = 0; round < rounds; round++)
        for (Candidate& candidate : candidates) candidate.seconds.push_back(sample(candidate));
    std::vector<std::string> done;
    for (const Candidate& candidate : candidates) {
        if (std::find(done.begin(), done.end(), candidate.peer) != done.end()) continue;
        done.push_back(candidate.peer);
        const Candidate* best = &candidate;
        for (const Candidate& other : candidates)
            if (other.peer == candidate.peer && median(other) < median(*best)) best = &other;
        report(spec, bytes, *best);
    }
}

Turns make_turns(size_t input_bytes, size_t output_bytes) {
    size_t count = (ROTATION_BYTES + input_bytes + output_bytes - 1) / (input_bytes + output_bytes);
    Turns turns;
    for (size_t i = 0; i < std::min(MOST_TURNS, std::max<size_t>(1, count)); i++)
        turns.push_back(std::make_unique<Turn>(input_bytes, output_bytes));
    return turns;
}

// A case that fails is reported and skipped; the others continue.
void contest(const std::string& spec, const std::function<void()>& work) {
    auto named = [&](const std::string& filter) { return spec.find(filter) != std::string::npos; };
    if (!filters.empty() && std::none_of(filters.begin(), filters.end(), named)) return;
    try {
        work();
    } catch (const std::exception& error) {
        fprintf(stderr, "%s is left out: %s\n", spec.c_str(), error.what());
        left_out++;
    }
}

// ---------------------------------------------------------------- bounds

constexpr int COPY_THREADS = 256, COPY_UNROLL = 4;

__global__ void __launch_bounds__(COPY_THREADS) copy_vectors(const uint4* __restrict__ input, uint4* __restrict__ output, size_t count) {
    size_t first = size_t(blockIdx.x) * (COPY_THREADS * COPY_UNROLL) + threadIdx.x;
    uint4 held[COPY_UNROLL];
#pragma unroll
    for (int k = 0; k < COPY_UNROLL; k++)
        if (first + k * COPY_THREADS < count) held[k] = input[first + k * COPY_THREADS];
#pragma unroll
    for (int k = 0; k < COPY_UNROLL; k++)
        if (first + k * COPY_THREADS < count) output[first + k * COPY_THREADS] = held[k];
}

__device__ float total(float4 vector) { return (vector.x + vector.y) + (vector.z + vector.w); }

// The numbers are not negative, so nothing is stored. The compiler does not know this.
template <int UNROLL>
__global__ void read_vectors(const float4* __restrict__ input, float* __restrict__ output, size_t count) {
    size_t stride = size_t(gridDim.x) * blockDim.x;
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    float sum = 0;
    for (; i + (UNROLL - 1) * stride < count; i += UNROLL * stride) {
        float4 held[UNROLL];
#pragma unroll
        for (int k = 0; k < UNROLL; k++) held[k] = input[i + k * stride];
#pragma unroll
        for (int k = 0; k < UNROLL; k++) sum += total(held[k]);
    }
    for (; i < count; i += stride) sum += total(input[i]);
    if (sum < 0) output[0] = sum;
}

unsigned blocks_for(size_t items, size_t per_block, size_t most) {
    return unsigned(std::max<size_t>(1, std::min(most, (items + per_block - 1) / per_block)));
}

void add_reads(std::vector<Candidate>& candidates, size_t count) {
    for (int per_processor : {4, 8, 16}) {
        unsigned grid = blocks_for(count / 4, 256 * 4, size_t(per_processor) * processors);
        auto run = [=](const Turn& turn) {
            read_vectors<4><<<grid, 256, 0, stream>>>(turn.input.as<float4>(), turn.output.as<float>(), count / 4);
            CHECK(cudaGetLastError());
        };
        candidates.push_back({"read", "4x16 bytes, blocks=" + std::to_string(grid), run, nullptr});
    }
}

// ---------------------------------------------------------------- transposes

// Bytes moved by one access, as a type.
template <int BYTES>
struct Access;
template <>
struct Access<4> {
    using Type = unsigned;
};
template <>
struct Access<8> {
    using Type = uint2;
};
template <>
struct Access<16> {
    using Type = uint4;
};

constexpr int fewer(int a, int b) { return a < b ? a : b; }

// Elements of 4 bytes or more, through a padded tile. A warp moves segments of 128 bytes, of BYTES/4 rows at once: with one spare element per
// row, no two lanes then meet in a bank, neither on the way in nor on the way out, whatever the width of the accesses.
template <typename T, int TILE, int BYTES>
struct WideTile {
    static constexpr int V = BYTES / int(sizeof(T)), LANES = 128 / BYTES, ROWS = WARP / LANES;
    static constexpr int SEGMENTS = TILE * int(sizeof(T)) / 128, STEPS = TILE * TILE / (WARP * V);
    static constexpr int THREADS = fewer(256, STEPS * WARP), EACH = STEPS * WARP / THREADS;
    static_assert(V >= 1 && SEGMENTS >= 1 && TILE % ROWS == 0 && STEPS % (THREADS / WARP) == 0, "no such tile");

    static __device__ void place(int step, int& line, int& column) {
        int lane = threadIdx.x % WARP, warp = step * (THREADS / WARP) + threadIdx.x / WARP;
        line = warp / SEGMENTS * ROWS + lane / LANES;
        column = (warp % SEGMENTS * LANES + lane % LANES) * V;
    }
};

template <typename T, int TILE, int BYTES>
__global__ void __launch_bounds__(WideTile<T, TILE, BYTES>::THREADS)
    transpose_wide(const T* __restrict__ input, T* __restrict__ output, int rows, int columns) {
    using Tile = WideTile<T, TILE, BYTES>;
    using Vector = typename Access<BYTES>::Type;
    union Piece {
        Vector vector;
        T elements[Tile::V];
        __device__ Piece() {}
    };
    __shared__ T tile[TILE][TILE + 1];
    int row = blockIdx.y * TILE, column = blockIdx.x * TILE;
    int line, at;
    // All loads first: what is in flight at once makes the bandwidth.
    Piece pieces[Tile::EACH];
#pragma unroll
    for (int step = 0; step < Tile::EACH; step++) {
        Tile::place(step, line, at);
        if (row + line < rows && column + at < columns)
            pieces[step].vector = *reinterpret_cast<const Vector*>(input + size_t(row + line) * columns + (column + at));
    }
#pragma unroll
    for (int step = 0; step < Tile::EACH; step++) {
        Tile::place(step, line, at);
#pragma unroll
        for (int k = 0; k < Tile::V; k++) tile[line][at + k] = pieces[step].elements[k];
    }
    __syncthreads();
#pragma unroll
    for (int step = 0; step < Tile::EACH; step++) {
        Tile::place(step, line, at);
        Piece piece;
#pragma unroll
        for (int k = 0; k < Tile::V; k++) piece.elements[k] = tile[at + k][line];
        if (column + line < columns && row + at < rows)
            *reinterpret_cast<Vector*>(output + size_t(column + line) * rows + (row + at)) = piece.vector;
    }
}

// Bytes. Blocks of 4x4 are transposed in registers, so that the tile consists of words: four rows of one column. Of each column's words, chunks
// that are as wide as an access are permuted, by which no two lanes meet in a bank (two do in tiles of 64).
template <int TILE, int BYTES>
struct ByteTile {
    static constexpr int WORDS = TILE / 4, A = BYTES / 4, CHUNKS = TILE / BYTES;
    static constexpr int THREADS = fewer(256, CHUNKS * WORDS), EACH = CHUNKS * WORDS / THREADS, STORES = 4 * EACH;
    static_assert(CHUNKS >= 1 && CHUNKS * WORDS % THREADS == 0, "no such tile");
};

template <int TILE, int BYTES>
__global__ void __launch_bounds__(ByteTile<TILE, BYTES>::THREADS)
    transpose_bytes(const unsigned char* __restrict__ input, unsigned char* __restrict__ output, int rows, int columns) {
    using Tile = ByteTile<TILE, BYTES>;
    using Vector = typename Access<BYTES>::Type;
    union Piece {
        Vector vector;
        unsigned words[Tile::A];
        __device__ Piece() {}
    };
    __shared__ __align__(16) unsigned tile[TILE * Tile::WORDS];
    int row = blockIdx.y * TILE, column = blockIdx.x * TILE;
    Piece pieces[Tile::EACH][4];
#pragma unroll
    for (int step = 0; step < Tile::EACH; step++) {
        int i = step * Tile::THREADS + threadIdx.x, chunk = i % Tile::CHUNKS, group = i / Tile::CHUNKS;
#pragma unroll
        for (int k = 0; k < 4; k++)
            if (row + 4 * group + k < rows && column + chunk * BYTES < columns)
                pieces[step][k].vector =
                    *reinterpret_cast<const Vector*>(input + size_t(row + 4 * group + k) * columns + (column + chunk * BYTES));
    }
#pragma unroll
    for (int step = 0; step < Tile::EACH; step++) {
        int i = step * Tile::THREADS + threadIdx.x, chunk = i % Tile::CHUNKS, group = i / Tile::CHUNKS;
        int slot = ((group / Tile::A) ^ chunk) * Tile::A + group % Tile::A;
#pragma unroll
        for (int w = 0; w < Tile::A; w++) {
            unsigned a = pieces[step][0].words[w], b = pieces[step][1].words[w], c = pieces[step][2].words[w], d = pieces[step][3].words[w];
            unsigned ab = __byte_perm(a, b, 0x5140), cd = __byte_perm(c, d, 0x5140);
            unsigned* words = tile + (chunk * BYTES + 4 * w) * Tile::WORDS + slot;
            words[0] = __byte_perm(ab, cd, 0x5410);
            words[Tile::WORDS] = __byte_perm(ab, cd, 0x7632);
            ab = __byte_perm(a, b, 0x7362), cd = __byte_perm(c, d, 0x7362);
            words[2 * Tile::WORDS] = __byte_perm(ab, cd, 0x5410);
            words[3 * Tile::WORDS] = __byte_perm(ab, cd, 0x7632);
        }
    }
    __syncthreads();
#pragma unroll
    for (int step = 0; step < Tile::STORES; step++) {
        int i = step * Tile::THREADS + threadIdx.x, chunk = i % Tile::CHUNKS, line = i / Tile::CHUNKS;
        Vector vector = *reinterpret_cast<const Vector*>(tile + line * Tile::WORDS + (chunk ^ (line / BYTES)) * Tile::A);
        if (column + line < columns && row + chunk * BYTES < rows)
            *reinterpret_cast<Vector*>(output + size_t(column + line) * rows + (row + chunk * BYTES)) = vector;
    }
}

template <typename T>
__global__ void transpose_simply(const T* input, T* output, int rows, int columns) {
    int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
    if (row < rows && column < columns) output[size_t(column) * rows + row] = input[size_t(row) * columns + column];
}

__global__ void count_differences(const unsigned* a, const unsigned* b, size_t count, unsigned long long* differences) {
    unsigned long long own = 0;
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count; i += size_t(gridDim.x) * blockDim.x) own += a[i] != b[i];
    if (own) atomicAdd(differences, own);
}

std::string compare(const Buffer& got, const Buffer& wanted) {
    Buffer counter(8);
    CHECK(cudaMemsetAsync(counter.data, 0, 8, stream));
    count_differences<<<1024, 256, 0, stream>>>(got.as<unsigned>(), wanted.as<unsigned>(), got.bytes / 4, counter.as<unsigned long long>());
    CHECK(cudaGetLastError());
    unsigned long long count = 0;
    CHECK(cudaMemcpyAsync(&count, counter.data, 8, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    return count ? std::to_string(count) + " words differ" : "";
}

using Fault = std::function<std::string(const Turn&)>;

template <typename T, int TILE, int BYTES>
void add_tile(std::vector<Candidate>& candidates, int rows, int columns, const Fault& fault) {
    // Accesses are aligned in every row only if rows are whole numbers of them, of the input and of the output.
    if (rows * sizeof(T) % BYTES || columns * sizeof(T) % BYTES) return;
    dim3 grid((columns + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
    std::function<void(const Turn&)> run;
    if constexpr (sizeof(T) == 1) {
        run = [=](const Turn& turn) {
            transpose_bytes<TILE, BYTES>
                <<<grid, ByteTile<TILE, BYTES>::THREADS, 0, stream>>>(turn.input.as<T>(), turn.output.as<T>(), rows, columns);
            CHECK(cudaGetLastError());
        };
    } else {
        run = [=](const Turn& turn) {
            transpose_wide<T, TILE, BYTES>
                <<<grid, WideTile<T, TILE, BYTES>::THREADS, 0, stream>>>(turn.input.as<T>(), turn.output.as<T>(), rows, columns);
            CHECK(cudaGetLastError());
        };
    }
    candidates.push_back({"cuda tile", "tile=" + std::to_string(TILE) + " bytes=" + std::to_string(BYTES), run, fault});
}

template <typename T>
void transpose(const std::string& name, int rows, int columns) {
    std::string spec = "transpose " + name + " " + std::to_string(rows) + "x" + std::to_string(columns);
    contest(spec, [&] {
        size_t bytes = size_t(rows) * columns * sizeof(T);
        Turns turns = make_turns(bytes, bytes);
        for (auto& turn : turns) {
            fill_words<<<1024, 256, 0, stream>>>(turn->input.as<unsigned>(), bytes / 4);
            CHECK(cudaGetLastError());
            CHECK(cudaMemsetAsync(turn->output.data, 0, bytes, stream));
        }
        Buffer wanted(bytes);
        dim3 grid((columns + 31) / 32, (rows + 7) / 8), block(32, 8);
        transpose_simply<<<grid, block, 0, stream>>>(turns[0]->input.as<T>(), wanted.as<T>(), rows, columns);
        CHECK(cudaGetLastError());
        Fault fault = [&](const Turn& turn) { return compare(turn.output, wanted); };
        std::vector<Candidate> candidates;
        auto copy = [=](const Turn& turn) {
            unsigned blocks = blocks_for(bytes / 16, COPY_THREADS * COPY_UNROLL, 0x7fffffff);
            copy_vectors<<<blocks, COPY_THREADS, 0, stream>>>(turn.input.as<uint4>(), turn.output.as<uint4>(), bytes / 16);
            CHECK(cudaGetLastError());
        };
        candidates.push_back({"copy", "4x16 bytes", copy, [](const Turn& turn) { return compare(turn.output, turn.input); }});
        if constexpr (sizeof(T) == 1) {
            add_tile<T, 64, 4>(candidates, rows, columns, fault);
            add_tile<T, 64, 8>(candidates, rows, columns, fault);
            add_tile<T, 64, 16>(candidates, rows, columns, fault);
            add_tile<T, 128, 4>(candidates, rows, columns, fault);
            add_tile<T, 128, 8>(candidates, rows, columns, fault);
            add_tile<T, 128, 16>(candidates, rows, columns, fault);
        } else if constexpr (sizeof(T) == 4) {
            add_tile<T, 32, 4>(candidates, rows, columns, fault);
            add_tile<T, 32, 8>(candidates, rows, columns, fault);
            add_tile<T, 32, 16>(candidates, rows, columns, fault);
            add_tile<T, 64, 4>(candidates, rows, columns, fault);
            add_tile<T, 64, 8>(candidates, rows, columns, fault);
            add_tile<T, 64, 16>(candidates, rows, columns, fault);
        } else if constexpr (sizeof(T) == 8) {
            add_tile<T, 16, 16>(candidates, rows, columns, fault);
            add_tile<T, 32, 8>(candidates, rows, columns, fault);
            add_tile<T, 32, 16>(candidates, rows, columns, fault);
            add_tile<T, 64, 8>(candidates, rows, columns, fault);
            add_tile<T, 64, 16>(candidates, rows, columns, fault);
        } else {
            add_tile<T, 8, 16>(candidates, rows, columns, fault);
            add_tile<T, 16, 16>(candidates, rows, columns, fault);
            add_tile<T, 32, 16>(candidates, rows, columns, fault);
        }
        measure(spec, 2 * bytes, turns, candidates);
    });
}

// ---------------------------------------------------------------- reductions

struct Sum {
    using Result = float;
    float value;

    static __device__ Sum none() { return {0}; }
    __device__ void take(float other, unsigned) { value += other; }
    __device__ void join(const Sum& other) { value += other.value; }
    __device__ Sum shuffled(int distance) const { return {__shfl_down_sync(~0u, value, distance)}; }
    __device__ Result result() const { return value; }
};

struct Greatest {
    float value;
    unsigned index;
};

// The index of the first maximum.
struct ArgMax {
    using Result = Greatest;
    float value;
    unsigned index;

    static __device__ ArgMax none() { return {-INFINITY, ~0u}; }
    __device__ void take(float other, unsigned at) {
        // A thread sees its indices in ascending order.
        if (other > value) value = other, index = at;
    }
    __device__ void join(const ArgMax& other) {
        if (other.value > value || (other.value == value && other.index < index)) *this = other;
    }
    __device__ ArgMax shuffled(int distance) const {
        return {__shfl_down_sync(~0u, value, distance), __shfl_down_sync(~0u, index, distance)};
    }
    __device__ Result result() const { return {value, index}; }
};

// Reduces over the block; thread 0 gets the result. At most 1024 threads, in whole warps.
template <typename Op>
__device__ Op over_block(Op own) {
    __shared__ Op partials[WARP];
#pragma unroll
    for (int distance = WARP / 2; distance > 0; distance /= 2) own.join(own.shuffled(distance));
    int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    if (lane == 0) partials[warp] = own;
    __syncthreads();
    if (warp == 0) {
        own = lane < int(blockDim.x) / WARP ? partials[lane] : Op::none();
#pragma unroll
        for (int distance = WARP / 2; distance > 0; distance /= 2) own.join(own.shuffled(distance));
    }
    return own;
}

template <typename Op>
__device__ void take_vector(Op& own, float4 vector, size_t i) {
    own.take(vector.x, unsigned(4 * i)), own.take(vector.y, unsigned(4 * i + 1));
    own.take(vector.z, unsigned(4 * i + 2)), own.take(vector.w, unsigned(4 * i + 3));
}

template <typename Op, int UNROLL>
__global__ void reduce_first(const float4* __restrict__ input, Op* __restrict__ partials, size_t count) {
    size_t stride = size_t(gridDim.x) * blockDim.x, i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    // One sum for each load, so that additions do not wait for each other.
    Op own[UNROLL];
#pragma unroll
    for (int k = 0; k < UNROLL; k++) own[k] = Op::none();
    for (; i + (UNROLL - 1) * stride < count; i += UNROLL * stride) {
        float4 held[UNROLL];
#pragma unroll
        for (int k = 0; k < UNROLL; k++) held[k] = input[i + k * stride];
#pragma unroll
        for (int k = 0; k < UNROLL; k++) take_vector(own[k], held[k], i + k * stride);
    }
    for (; i < count; i += stride) take_vector(own[0], input[i], i);
#pragma unroll
    for (int k = 1; k < UNROLL; k++) own[0].join(own[k]);
    Op all = over_block(own[0]);
    if (threadIdx.x == 0) partials[blockIdx.x] = all;
}

template <typename Op>
__global__ void reduce_last(const Op* __restrict__ partials, typename Op::Result* __restrict__ output, unsigned count) {
    Op own = Op::none();
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) own.join(partials[i]);
    Op all = over_block(own);
    if (threadIdx.x == 0) output[0] = all.result();
}

template <typename Op>
void add_two_launches(std::vector<Candidate>& candidates, size_t count, const Buffer& partials, const Fault& fault) {
    for (int threads : {256, 512})
        for (int per_processor : {2, 4, 8}) {
            if (threads * per_processor > 2048) continue;
            unsigned grid = blocks_for(count / 4, size_t(threads) * 4, size_t(per_processor) * processors);
            if (grid * sizeof(Op) > partials.bytes) continue;
            Op* between = partials.as<Op>();
            auto run = [=](const Turn& turn) {
                reduce_first<Op, 4><<<grid, threads, 0, stream>>>(turn.input.as<float4>(), between, count / 4);
                CHECK(cudaGetLastError());
                reduce_last<Op><<<1, 512, 0, stream>>>(between, turn.output.as<typename Op::Result>(), grid);
                CHECK(cudaGetLastError());
            };
            std::string recipe = "blocks=" + std::to_string(grid) + " threads=" + std::to_string(threads);
            candidates.push_back({"cuda two launches", recipe, run, fault});
        }
}

// A call of CUB with storage allocated beforehand.
using CubCall = std::function<cudaError_t(void*, size_t&, const Turn&)>;

void add_cub(std::vector<Candidate>& candidates, const char* peer, const char* recipe, const CubCall& call, const Turn& turn,
             const Fault& fault) {
    size_t bytes = 0;
    CHECK(call(nullptr, bytes, turn));
    auto storage = std::make_shared<Buffer>(bytes);
    auto run = [=](const Turn& turn) {
        size_t bytes = storage->bytes;
        CHECK(call(storage->data, bytes, turn));
    };
    candidates.push_back({peer, recipe, run, fault});
}

__global__ void sum_simply(const float* input, size_t count, double* sum) {
    double own = 0;
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count; i += size_t(gridDim.x) * blockDim.x) own += input[i];
    atomicAdd(sum, own);
}

// One thread for each output; `outer` and `inner` are the strides of outputs and of what is summed.
__global__ void sum_axis_simply(const float* input, double* output, int outputs, int length, size_t outer, size_t inner) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= outputs) return;
    double sum = 0;
    for (int k = 0; k < length; k++) sum += input[i * outer + k * inner];
    output[i] = sum;
}

template <typename T>
std::vector<T> download(const Buffer& buffer, size_t count) {
    std::vector<T> values(count);
    CHECK(cudaMemcpyAsync(values.data(), buffer.data, count * sizeof(T), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    return values;
}

// All numbers are in 0 … 1: sums have no cancellation, and f32 in any sensible order is far more exact than this.
std::string compare_sums(const Turn& turn, const std::vector<double>& wanted) {
    std::vector<float> got = download<float>(turn.output, wanted.size());
    for (size_t i = 0; i < got.size(); i++)
        if (!(std::fabs(got[i] - wanted[i]) <= 1e-5 * wanted[i]))
            return "sum " + std::to_string(i) + " is " + std::to_string(got[i]) + ", not " + std::to_string(wanted[i]);
    return "";
}

Turns make_float_turns(size_t count, size_t output_bytes) {
    Turns turns = make_turns(count * sizeof(float), output_bytes);
    for (auto& turn : turns) {
        fill_floats<<<1024, 256, 0, stream>>>(turn->input.as<float>(), count);
        CHECK(cudaGetLastError());
        CHECK(cudaMemsetAsync(turn->output.data, 0, output_bytes, stream));
    }
    return turns;
}

void sum(int exponent) {
    size_t count = size_t(1) << exponent;
    std::string spec = "sum f32 " + std::to_string(count);
    contest(spec, [&] {
        Turns turns = make_float_turns(count, 16);
        Buffer exact(sizeof(double)), partials(size_t(1) << 20);
        CHECK(cudaMemsetAsync(exact.data, 0, sizeof(double), stream));
        sum_simply<<<256, 256, 0, stream>>>(turns[0]->input.as<float>(), count, exact.as<double>());
        CHECK(cudaGetLastError());
        std::vector<double> wanted = download<double>(exact, 1);
        Fault fault = [&](const Turn& turn) { return compare_sums(turn, wanted); };
        std::vector<Candidate> candidates;
        add_reads(candidates, count);
        CubCall call = [=](void* storage, size_t& bytes, const Turn& turn) {
            return cub::DeviceReduce::Sum(storage, bytes, turn.input.as<float>(), turn.output.as<float>(), int(count), stream);
        };
        add_cub(candidates, "cub", "DeviceReduce::Sum", call, *turns[0], fault);
        add_two_launches<Sum>(candidates, count, partials, fault);
        measure(spec, count * sizeof(float), turns, candidates);
    });
}

struct WithIndex {
    const float* data;
    __host__ __device__ Greatest operator()(unsigned i) const { return {data[i], i}; }
};

struct TheGreater {
    __host__ __device__ Greatest operator()(const Greatest& a, const Greatest& b) const {
        return b.value > a.value || (b.value == a.value && b.index < a.index) ? b : a;
    }
};

__global__ void plant(float* data, size_t at) { data[at] = 2.0f; }

void argmax(int exponent) {
    size_t count = size_t(1) << exponent;
    std::string spec = "argmax f32 " + std::to_string(count);
    contest(spec, [&] {
        Turns turns = make_float_turns(count, 16);
        // Noise of 24 bits has its greatest number many times: one greater, in no special place, and again later.
        size_t where = count / 3 * 2 + 1;
        for (auto& turn : turns)
            for (size_t at : {where, count - 2}) {
                plant<<<1, 1, 0, stream>>>(turn->input.as<float>(), at);
                CHECK(cudaGetLastError());
            }
        auto compare_places = [=](float value, long long index) {
            return value == 2.0f && index == (long long)where ? "" : std::to_string(value) + " at " + std::to_string(index);
        };
        Fault pair = [=](const Turn& turn) {
            Greatest got = download<Greatest>(turn.output, 1)[0];
            return compare_places(got.value, got.index);
        };
        Fault apart = [=](const Turn& turn) {
            std::vector<long long> got = download<long long>(turn.output, 2);
            return compare_places(download<float>(turn.output, 1)[0], got[1]);
        };
        Buffer partials(size_t(1) << 20);
        std::vector<Candidate> candidates;
        add_reads(candidates, count);
        // The value lies in the first 4 bytes of the output, the index in the last 8.
        CubCall call = [=](void* storage, size_t& bytes, const Turn& turn) {
            long long length = (long long)count;
            return cub::DeviceReduce::ArgMax(storage, bytes, turn.input.as<float>(), turn.output.as<float>(), turn.output.as<long long>() + 1,
                                             length, stream);
        };
        add_cub(candidates, "cub", "DeviceReduce::ArgMax", call, *turns[0], apart);
        CubCall pairs = [=](void* storage, size_t& bytes, const Turn& turn) {
            auto input = thrust::make_transform_iterator(thrust::make_counting_iterator(0u), WithIndex{turn.input.as<float>()});
            Greatest none{-INFINITY, ~0u};
            return cub::DeviceReduce::Reduce(storage, bytes, input, turn.output.as<Greatest>(), int(count), TheGreater(), none, stream);
        };
        add_cub(candidates, "cub", "DeviceReduce::Reduce of pairs", pairs, *turns[0], pair);
        add_two_launches<ArgMax>(candidates, count, partials, pair);
        measure(spec, count * sizeof(float), turns, candidates);
    });
}

// A row for GROUP lanes of a warp or, if GROUP is larger, for a block of GROUP threads.
template <int GROUP, int UNROLL>
__global__ void sum_rows(const float4* __restrict__ input, float* __restrict__ output, int rows, int vectors) {
    int row = GROUP == WARP ? blockIdx.x * (blockDim.x / WARP) + threadIdx.x / WARP : blockIdx.x, lane = threadIdx.x % GROUP;
    // Whole warps, or the whole block.
    if (row >= rows) return;
    input += size_t(row) * vectors;
    Sum own = Sum::none();
    int i = lane;
    for (; i + (UNROLL - 1) * GROUP < vectors; i += UNROLL * GROUP) {
        float4 held[UNROLL];
#pragma unroll
        for (int k = 0; k < UNROLL; k++) held[k] = input[i + k * GROUP];
#pragma unroll
        for (int k = 0; k < UNROLL; k++) own.value += total(held[k]);
    }
    for (; i < vectors; i += GROUP) own.value += total(input[i]);
    if constexpr (GROUP == WARP) {
#pragma unroll
        for (int distance = WARP / 2; distance > 0; distance /= 2) own.join(own.shuffled(distance));
    } else {
        own = over_block(own);
    }
    if (lane == 0) output[row] = own.value;
}

template <int GROUP, int UNROLL>
void add_rows(std::vector<Candidate>& candidates, int rows, int columns, int threads, const Fault& fault) {
    int each = GROUP == WARP ? threads / WARP : 1;
    auto run = [=](const Turn& turn) {
        sum_rows<GROUP, UNROLL><<<(rows + each - 1) / each, threads, 0, stream>>>(
            turn.input.as<float4>(), turn.output.as<float>(), rows, columns / 4);
        CHECK(cudaGetLastError());
    };
    std::string recipe = GROUP == WARP ? "a warp per row, threads=" : "a block per row, threads=";
    candidates.push_back({"cuda rows", recipe + std::to_string(threads), run, fault});
}

struct TimesLength {
    int length;
    __host__ __device__ int operator()(int i) const { return i * length; }
};

void sum_of_rows(int rows, int columns) {
    std::string spec = "sum f32 " + std::to_string(rows) + "x" + std::to_string(columns) + " axes=1";
    contest(spec, [&] {
        size_t count = size_t(rows) * columns;
        Turns turns = make_float_turns(count, size_t(rows) * sizeof(float));
        Buffer exact(size_t(rows) * sizeof(double));
        sum_axis_simply<<<(rows + 63) / 64, 64, 0, stream>>>(turns[0]->input.as<float>(), exact.as<double>(), rows, columns, columns, 1);
        CHECK(cudaGetLastError());
        std::vector<double> wanted = download<double>(exact, rows);
        Fault fault = [&](const Turn& turn) { return compare_sums(turn, wanted); };
        std::vector<Candidate> candidates;
        add_reads(candidates, count);
        CubCall call = [=](void* storage, size_t& bytes, const Turn& turn) {
            auto begins = thrust::make_transform_iterator(thrust::make_counting_iterator(0), TimesLength{columns});
            return cub::DeviceSegmentedReduce::Sum(storage, bytes, turn.input.as<float>(), turn.output.as<float>(), rows, begins, begins + 1,
                                                   stream);
        };
        add_cub(candidates, "cub segmented", "DeviceSegmentedReduce::Sum", call, *turns[0], fault);
        add_rows<32, 8>(candidates, rows, columns, 128, fault);
        add_rows<32, 8>(candidates, rows, columns, 256, fault);
        add_rows<128, 2>(candidates, rows, columns, 128, fault);
        add_rows<256, 1>(candidates, rows, columns, 256, fault);
        measure(spec, count * sizeof(float), turns, candidates);
    });
}

__device__ void add(float4& sum, float4 other) { sum.x += other.x, sum.y += other.y, sum.z += other.z, sum.w += other.w; }

// A block of 32 x DEPTH threads sums 128 columns: each thread every DEPTH-th row of four columns.
template <int DEPTH, int UNROLL>
__global__ void sum_columns(const float4* __restrict__ input, float4* __restrict__ output, int rows, int vectors) {
    __shared__ float4 partials[DEPTH][WARP];
    int at = blockIdx.x * WARP + threadIdx.x;
    float4 own = make_float4(0, 0, 0, 0);
    if (at < vectors) {
        int row = threadIdx.y;
        for (; row + (UNROLL - 1) * DEPTH < rows; row += UNROLL * DEPTH) {
            float4 held[UNROLL];
#pragma unroll
            for (int k = 0; k < UNROLL; k++) held[k] = input[size_t(row + k * DEPTH) * vectors + at];
#pragma unroll
            for (int k = 0; k < UNROLL; k++) add(own, held[k]);
        }
        for (; row < rows; row += DEPTH) add(own, input[size_t(row) * vectors + at]);
    }
    partials[threadIdx.y][threadIdx.x] = own;
    __syncthreads();
    if (threadIdx.y == 0 && at < vectors) {
        for (int k = 1; k < DEPTH; k++) add(own, partials[k][threadIdx.x]);
        output[at] = own;
    }
}

template <int DEPTH, int UNROLL>
void add_columns(std::vector<Candidate>& candidates, int rows, int columns, const Fault& fault) {
    auto run = [=](const Turn& turn) {
        int vectors = columns / 4;
        sum_columns<DEPTH, UNROLL>
            <<<(vectors + WARP - 1) / WARP, dim3(WARP, DEPTH), 0, stream>>>(turn.input.as<float4>(), turn.output.as<float4>(), rows, vectors);
        CHECK(cudaGetLastError());
    };
    candidates.push_back({"cuda columns", "block=32x" + std::to_string(DEPTH) + " loads=" + std::to_string(UNROLL), run, fault});
}

void sum_of_columns(int rows, int columns) {
    std::string spec = "sum f32 " + std::to_string(rows) + "x" + std::to_string(columns) + " axes=0";
    contest(spec, [&] {
        size_t count = size_t(rows) * columns;
        Turns turns = make_float_turns(count, size_t(columns) * sizeof(float));
        Buffer exact(size_t(columns) * sizeof(double));
        sum_axis_simply<<<(columns + 63) / 64, 64, 0, stream>>>(turns[0]->input.as<float>(), exact.as<double>(), columns, rows, 1, columns);
        CHECK(cudaGetLastError());
        std::vector<double> wanted = download<double>(exact, columns);
        Fault fault = [&](const Turn& turn) { return compare_sums(turn, wanted); };
        std::vector<Candidate> candidates;
        add_reads(candidates, count);
        add_columns<8, 8>(candidates, rows, columns, fault);
        add_columns<16, 4>(candidates, rows, columns, fault);
        add_columns<16, 8>(candidates, rows, columns, fault);
        add_columns<32, 4>(candidates, rows, columns, fault);
        measure(spec, count * sizeof(float), turns, candidates);
    });
}

void read_alone(int exponent) {
    size_t count = size_t(1) << exponent;
    std::string spec = "read f32 " + std::to_string(count);
    contest(spec, [&] {
        Turns turns = make_float_turns(count, 16);
        std::vector<Candidate> candidates;
        add_reads(candidates, count);
        measure(spec, count * sizeof(float), turns, candidates);
    });
}

// ---------------------------------------------------------------- the program

int usage() {
    fprintf(stderr, "memory [--filter TEXT ...] [--rounds N]\n"
                    "  --filter TEXT   only cases whose specification contains TEXT; repeated: any of them\n"
                    "  --rounds N      samples of each case (11)\n");
    return 2;
}

int main(int count, char** arguments) {
    for (int i = 1; i < count; i++) {
        std::string name = arguments[i];
        if (i + 1 == count) return usage();
        const char* value = arguments[++i];
        if (name == "--filter") {
            filters.push_back(value);
        } else if (name == "--rounds") {
            rounds = std::max(1, atoi(value));
        } else {
            return usage();
        }
    }
    try {
        int device = 0;
        cudaDeviceProp properties;
        CHECK(cudaGetDevice(&device));
        CHECK(cudaGetDeviceProperties(&properties, device));
        CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        device_name = properties.name;
        processors = properties.multiProcessorCount;
    } catch (const std::exception& error) {
        fprintf(stderr, "memory: %s\n", error.what());
        return 1;
    }
    fprintf(stderr, "memory on %s, CUDA %d, CUB %d\n", device_name.c_str(), CUDART_VERSION, CUB_VERSION);
    const int shapes[][2] = {{1024, 1024}, {4096, 4096}, {8192, 8192}, {16384, 16384}, {1080, 1920}};
    for (auto& shape : shapes) transpose<unsigned>("f32", shape[0], shape[1]);
    for (auto& shape : shapes) transpose<uint2>("complex f32", shape[0], shape[1]);
    for (auto& shape : shapes) transpose<uint4>("f32x4", shape[0], shape[1]);
    for (auto& shape : shapes) transpose<unsigned char>("u8", shape[0], shape[1]);
    for (int exponent : {20, 22, 24, 26, 28, 30}) sum(exponent);
    for (int exponent : {24, 26, 28}) argmax(exponent);
    sum_of_rows(65536, 1024);
    sum_of_columns(1024, 65536);
    for (int exponent : {24, 30}) read_alone(exponent);
    fprintf(stderr, "memory: %d left out, %d results wrong\n", left_out, wrong);
    return wrong ? 1 : 0;
}

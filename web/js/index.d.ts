/** The name of an element type. Complex numbers lie interleaved: re, im, re, im. */
export type Element =
    | "f32" | "complex f32" | "f32x2" | "f32x4"
    | "f64" | "complex f64"
    | "f16" | "complex f16" | "f16x2" | "f16x4" | "bf16" | "complex bf16"
    | "i32" | "i32x2" | "i32x4" | "u32" | "u32x2" | "u32x4" | "i64" | "u64"
    | "u8" | "u8x2" | "u8x3" | "u8x4" | "i8" | "i16" | "u16" | "u16x4";

/**
 * What holds elements on the host: `Float32Array` for f32 and complex f32, `Float64Array` for f64
 * and complex f64, `Uint16Array` for the bits of f16 and bf16, and so on. A `Uint8Array` may hold
 * the bytes of any type.
 */
export type TypedArray =
    | Float32Array | Float64Array
    | Int8Array | Uint8Array | Uint8ClampedArray | Int16Array | Uint16Array | Int32Array | Uint32Array
    | BigInt64Array | BigUint64Array;

/** Which error an {@link FftError} is. */
export type ErrorKind =
    /** The browser has no WebGPU, or gives out no adapter. */
    | "no-webgpu"
    /** The adapter opens no device. */
    | "no-device"
    /** The wasm module could not be loaded. */
    | "no-wasm"
    /** There is only a software adapter, and `allowFallback` is false. */
    | "fallback"
    /** The device was lost: open another `Gpu`. */
    | "device-lost"
    | "out-of-memory"
    /** Something is larger than a limit of the device; the message has both numbers. */
    | "too-large"
    | "unsupported"
    /** A text is no specification, recipe, element type or WGSL; the message says where. */
    | "parse"
    | "unfit-recipe"
    | "wrong-length" | "wrong-shape" | "wrong-inputs" | "wrong-arrays" | "wrong-placement"
    | "empty" | "out-of-range" | "missing-usage" | "wrong-texture" | "foreign-object" | "aliased" | "misaligned"
    /** A `Gpu`, `Plan` or `DeviceArray` was used after `free`. */
    | "freed"
    /** The browser reported an error that this package did not expect. */
    | "webgpu"
    | "other";

export class FftError extends Error {
    readonly kind: ErrorKind;
}

export interface OpenOptions {
    powerPreference?: "high-performance" | "low-power";
    /** Whether a software adapter will do; default true. */
    allowFallback?: boolean;
    /**
     * A device of yours to work on. Plans use the limits and features that you opened it with.
     * `Gpu.free` does not destroy it.
     */
    device?: GPUDevice;
    /** Where the wasm module is, if not next to this module; a URL, a response or its bytes. */
    wasm?: string | URL | Request | Response | Promise<Response> | BufferSource | WebAssembly.Module;
}

export interface GpuInfo {
    /** What the browser says of the adapter. */
    readonly name: string;
    readonly backend: string;
    /** Whether it is a software adapter, which computes on the processor. */
    readonly fallback: boolean;
    /** The limits of the device, such as `maxStorageBufferBindingSize`. */
    readonly limits: Readonly<Record<string, number>>;
    /** Whether the device has `shader-f16`. Arrays of f16 work without it. */
    readonly f16: boolean;
}

export interface DeclaredArray {
    element: Element;
    len: number;
    /** A uniform instead of an array that is indexed. */
    uniform?: boolean;
    /** The WGSL type of a uniform. By default a scalar, a vector, or an array of vec4. */
    type?: string;
}

/** A texture in place of an array. Texels of formats with `-srgb` are linear numbers; none are stored to them. */
export interface FragmentTexture {
    format: GPUTextureFormat;
    /** `[rows, columns]`, or with layers or a depth before them. */
    size: readonly number[];
    /** Whether its dimension is `3d`. */
    volume?: boolean;
}

/** WGSL that is fused into the loads or the stores of a plan. */
export interface Fragment {
    /**
     * One WGSL expression of `value`, the indices `i0`, `i1`, ..., the lengths `n0`, `n1`, ..., and
     * on the side of frequencies the signed frequencies `k0`, ... and `f0`, ....
     */
    code: string;
    /** WGSL functions, constants and structures that the expression uses. */
    functions?: string;
    /** What the array holds that the expression reads from or writes to. A texture has none. */
    element?: Element;
    /** The texture that the expression reads from or writes to. `value` has as many numbers as it has channels. */
    texture?: FragmentTexture;
    /** Arrays and uniforms that it uses, by name. `runOn` takes them under the same names. */
    arrays?: Record<string, DeclaredArray>;
}

export interface PlanOptions {
    /** How to compute it: a text such as `Plan.recipe`. */
    recipe?: string;
    mapInput?: Fragment;
    mapOutput?: Fragment;
}

/** A device to compute on. */
export class Gpu {
    /** Opens a device, or takes one of yours. Loads the wasm module the first time. */
    static open(options?: OpenOptions): Promise<Gpu>;
    private constructor();
    readonly info: GpuInfo;
    /** The device, to work on its buffers yourself. */
    readonly device: GPUDevice;
    /** Resolves with the reason when the device is lost. */
    readonly lost: Promise<string>;
    /** Makes a plan for the text of a specification, such as `r2c fwd 1080x1920`. */
    plan(spec: string, options?: PlanOptions): Promise<Plan>;
    /** Begins a convolution of blocks with a kernel of any length, as in real time. */
    convolveStream(kernel: Float32Array, options?: StreamOptions): Promise<ConvolveStream>;
    /** A new array on the device with these elements. */
    upload(data: TypedArray, element?: Element): DeviceArray;
    /** A new array of zeros on the device. */
    alloc(element: Element, len: number): DeviceArray;
    /**
     * A `GPUBuffer` of this device as an array, without a copy: from its start, and of as many
     * elements as fit unless `len` is given. It needs the usage `STORAGE`.
     */
    wrap(buffer: GPUBuffer, element: Element, len?: number): DeviceArray;
    /** Submits what `Plan.enqueue` has queued: before commands of your own that use its arrays. */
    flush(): void;
    /**
     * A `GPUTexture` of this device, without a copy, for plans with a fragment's `texture`. As an input
     * it needs the usage `TEXTURE_BINDING`, as an output `STORAGE_BINDING`.
     */
    wrapTexture(texture: GPUTexture, place?: { mipLevel?: number; layer?: number }): DeviceTexture;
    /** Forgets all plans, and destroys the device unless it is yours. */
    free(): void;
}

/** An array on the device. */
export class DeviceArray {
    private constructor();
    readonly element: Element;
    readonly len: number;
    readonly byteLength: number;
    /** The buffer that holds it. */
    readonly buffer: GPUBuffer;
    /** The elements, when everything submitted so far has run. Rejects if queued plans did not run. */
    read(): Promise<TypedArray>;
    /** Replaces the elements, before what is submitted afterwards. */
    write(data: TypedArray): void;
    /** Frees its memory on the device; a wrapped buffer stays. */
    free(): void;
}

/** A level of a texture, from a layer on. */
export class DeviceTexture {
    private constructor();
    readonly texture: GPUTexture;
    readonly mipLevel: number;
    readonly layer: number;
    /** Lets go of the texture, which stays. */
    free(): void;
}

export interface ArrayLayout {
    /** `texel` is that of a texture. */
    element: Element | "texel";
    len: number;
}

/** What computes a specification on a device. */
export class Plan {
    private constructor();
    readonly spec: string;
    /** How it is computed, as a text that `Gpu.plan` takes. */
    readonly recipe: string;
    /** The dispatches that it runs, to read. */
    readonly program: string;
    /** Whether the result replaces the input: `runOn` takes no inputs then. */
    readonly inPlace: boolean;
    readonly inputs: readonly ArrayLayout[];
    readonly output: ArrayLayout;
    /** Runs it on typed arrays and returns a new one. */
    run(...inputs: TypedArray[]): Promise<TypedArray>;
    /** The same with arrays on the device for what the fragments declare. */
    runWith(inputs: TypedArray[], arrays?: Record<string, DeviceArray>): Promise<TypedArray>;
    /** Submits it on arrays and textures on the device and returns at once. */
    runOn(inputs: (DeviceArray | DeviceTexture)[], output: DeviceArray | DeviceTexture, arrays?: Record<string, DeviceArray>): void;
    /**
     * The same, but queued, and submitted with other plans: by the next call that submits, reads,
     * writes or frees, by `Gpu.flush`, or when 64 plans, 256 MiB or half a millisecond have gathered.
     * If the browser refuses one of them, none that was submitted with it runs, and the next `read` of any
     * array rejects.
     */
    enqueue(inputs: (DeviceArray | DeviceTexture)[], output: DeviceArray | DeviceTexture, arrays?: Record<string, DeviceArray>): void;
    /** Milliseconds per run, of several in a row, with what a submission costs. */
    time(inputs: (DeviceArray | DeviceTexture)[], output: DeviceArray | DeviceTexture, repeats?: number, arrays?: Record<string, DeviceArray>): Promise<number>;
    /** Lets go of the plan, and frees the arrays that `run` keeps on the device. */
    free(): void;
}

export interface StreamOptions {
    /** Samples of a block; 128 by default. */
    block?: number;
    /** Channels, which lie one after the other in a block; 1 by default. */
    channels?: number;
    /** The kernels of all channels one after the other, instead of one for all. */
    kernelForEach?: boolean;
    /** Partitions for late taps, in blocks, such as `[8, 64]`; by default the library chooses. */
    larger?: readonly number[];
}

/** A convolution that remembers what it was given. */
export class ConvolveStream {
    private constructor();
    readonly spec: string;
    /** Samples of a block of all channels. */
    readonly len: number;
    /** The lengths of partitions and how many there are of each, first taps first. */
    readonly partitions: readonly { taps: number; count: number }[];
    /** Takes the next block, and returns the same block of the results. More may be pushed before it is there. */
    push(block: Float32Array): Promise<Float32Array>;
    /** Forgets all blocks: the next one is the first again. */
    reset(): void;
    /** Exchanges the kernel for one of the same length. */
    setKernel(kernel: Float32Array): void;
    /** Frees its memory on the device. */
    free(): void;
}

export interface InlineOptions {
    /** Lines of reals, an even number of them, and half-spectra. */
    real?: boolean;
    /** Lines for each workgroup; 1 by default. */
    lines?: number;
    /** Invocations for each line. */
    invocations?: number;
    /** Bytes of workgroup memory that the transforms may have; 16384 by default. */
    workgroupMemory?: number;
    /** Also declares an array of the lines in workgroup memory, and transforms of it. */
    data?: boolean;
    /** What all names begin with; `fft` by default. */
    name?: string;
    /** The group and the binding of the twiddle factors. By default they are computed. */
    twiddlesAt?: [number, number];
    /** As that of {@link OpenOptions}. */
    wasm?: OpenOptions["wasm"];
}

/** WGSL to append to a shader, and what it needs. */
export interface InlineText {
    readonly wgsl: string;
    /** The contents of the buffer for `twiddlesAt`. */
    readonly twiddles: Float32Array;
    /** Invocations of the workgroup. */
    readonly invocations: number;
    /** Complex numbers that each of them holds. */
    readonly elements: number;
    /** Whether all of these are numbers of the line. If not, check that positions and frequencies are below the length. */
    readonly isEven: boolean;
    readonly workgroupBytes: number;
    /** Registers of an invocation, about. */
    readonly registers: number;
}

/** Transforms of `n` numbers inside a compute shader of your own. Needs no device. */
export function inlineFft(n: number, options?: InlineOptions): Promise<InlineText>;

/** Complex to complex, forward, along rows of `n` numbers; by default the whole array. */
export function fft(gpu: Gpu, data: Float32Array, n?: number): Promise<Float32Array>;
/** The inverse of {@link fft}, divided by `n`. */
export function ifft(gpu: Gpu, data: Float32Array, n?: number): Promise<Float32Array>;
/** Real to complex: n/2 + 1 frequencies of each row of `n` reals. */
export function rfft(gpu: Gpu, data: Float32Array, n?: number): Promise<Float32Array>;
/** The inverse of {@link rfft}. `n` is the number of reals; by default an even one. */
export function irfft(gpu: Gpu, data: Float32Array, n?: number): Promise<Float32Array>;
/** Complex to complex over rows and columns. */
export function fft2(gpu: Gpu, data: Float32Array, rows: number, columns: number): Promise<Float32Array>;
/** The inverse of {@link fft2}, divided by the number of elements. */
export function ifft2(gpu: Gpu, data: Float32Array, rows: number, columns: number): Promise<Float32Array>;
/** Real to complex over rows and columns: rows x (columns/2 + 1) frequencies. */
export function rfft2(gpu: Gpu, data: Float32Array, rows: number, columns: number): Promise<Float32Array>;
/** The inverse of {@link rfft2}. */
export function irfft2(gpu: Gpu, data: Float32Array, rows: number, columns: number): Promise<Float32Array>;

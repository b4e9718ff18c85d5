import { check, layoutOf } from "./elements.js";
import { FftError, guarded } from "./error.js";
import { read, scoped, write } from "./device.js";
import { DeviceTexture } from "./texture.js";

// Bindings that a plan keeps for the next run on the same arrays.
const KEPT = 8;

/** What a plan does: `Gpu.plan` makes them. */
export class Plan {
    #gpu;
    #raw;
    #own;
    #bound = new Map();

    /** @internal */
    constructor(gpu, raw) {
        this.#gpu = gpu;
        this.#raw = raw;
        this.spec = raw.spec;
        this.recipe = raw.recipe;
        this.program = raw.program;
        this.inPlace = raw.inPlace;
        const element = raw.inputElement;
        this.inputs = Array.from(raw.inputLengths, (len) => ({ element, len }));
        this.output = { element: raw.outputElement, len: raw.outputLength };
    }

    /** Runs the plan on typed arrays, one for each input, and returns a new one. */
    run(...inputs) {
        return this.runWith(inputs);
    }

    /** The same with arrays on the device for what the fragments declare. */
    async runWith(inputs, arrays = {}) {
        this.#gpu.alive("running");
        if ([...this.inputs, this.output].some(({ element }) => element === "texel")) {
            throw new FftError("unsupported", `the plan \`${this.spec}\` has textures, which are none of the host's: use runOn`);
        }
        if (inputs.length !== this.inputs.length) {
            throw new FftError("wrong-inputs", `the plan \`${this.spec}\` takes ${this.inputs.length} input(s), got ${inputs.length}`);
        }
        inputs.forEach((data, i) => check(i === 0 ? "input" : "second input", data, this.inputs[i].element, this.inputs[i].len));
        const device = this.#gpu.device;
        const own = this.#arrays();
        // What is wrong with it is no error of this run.
        this.#gpu.flush();
        // Written, submitted and copied before anything is awaited, so that runs may overlap.
        const [data, outcome] = scoped(device, `running \`${this.spec}\``, () => {
            const targets = this.inPlace ? [own.output] : own.inputs;
            inputs.forEach((data, i) => write(device, targets[i].buffer, data));
            this.runOn(own.inputs, own.output, arrays);
            return read(device, own.output.buffer, own.output.byteLength, layoutOf(this.output.element).Type);
        });
        data.catch(() => {});
        try {
            await Promise.all([...own.inputs, own.output].map((array) => array.allocated));
            await outcome;
        } catch (error) {
            // They may be what is wrong.
            this.#freeArrays();
            throw error;
        }
        return data;
    }

    /** The arrays of `run`, kept for the next one. */
    #arrays() {
        this.#own ??= {
            inputs: this.inPlace ? [] : this.inputs.map(({ element, len }) => this.#gpu.alloc(element, len)),
            output: this.#gpu.alloc(this.output.element, this.output.len),
        };
        return this.#own;
    }

    #freeArrays() {
        this.#own?.inputs.forEach((array) => array.free());
        this.#own?.output.free();
        this.#own = undefined;
    }

    /**
     * Submits the plan on arrays or textures on the device and returns at once. A plan that works in place has
     * no inputs. `arrays` has what the fragments declare, by name.
     */
    runOn(inputs, output, arrays = {}) {
        this.#gpu.alive("running");
        const bound = this.#binding(inputs, output, arrays);
        this.#gpu.settle();
        guarded(() => bound.submit());
    }

    /** The same, but queued, and submitted with other plans. */
    enqueue(inputs, output, arrays = {}) {
        this.#gpu.alive("running");
        const bound = this.#binding(inputs, output, arrays);
        this.#gpu.queue(() => bound.enqueue());
    }

    #binding(inputs, output, arrays) {
        if (this.#raw === undefined) {
            throw new FftError("freed", "this Plan was freed");
        }
        const named = Object.entries(arrays);
        const key = [inputs.map((array) => array.id), output.id, ...named.map(([name, array]) => `${name}:${array.id}`)].join();
        let bound = this.#bound.get(key);
        const live = [...inputs, output, ...named.map(([, array]) => array)].map((array) => array.raw);
        if (bound === undefined) {
            bound = guarded(() => {
                const binding = this.#raw.binding();
                const isTexture = (operand) => operand instanceof DeviceTexture;
                inputs.forEach((own, i) => (isTexture(own) ? binding.inputTexture(live[i]) : binding.input(live[i])));
                isTexture(output) ? binding.outputTexture(live[inputs.length]) : binding.output(live[inputs.length]);
                named.forEach(([name], i) => binding.array(name, live[inputs.length + 1 + i]));
                return this.#raw.bind(binding);
            });
            this.#bound.set(key, bound);
            if (this.#bound.size > KEPT) {
                const [oldest, old] = this.#bound.entries().next().value;
                this.#bound.delete(oldest);
                old.free();
            }
        }
        return bound;
    }

    /** Milliseconds of a run: of `repeats` runs one after the other, until the device is done. */
    async time(inputs, output, repeats = 10, arrays = {}) {
        const { queue } = this.#gpu.device;
        this.runOn(inputs, output, arrays);
        await queue.onSubmittedWorkDone();
        const start = performance.now();
        for (let i = 0; i < repeats; i++) {
            this.runOn(inputs, output, arrays);
        }
        await queue.onSubmittedWorkDone();
        this.#gpu.alive("timing");
        return (performance.now() - start) / repeats;
    }

    /** Frees the arrays of `run` and lets go of the plan. Its pipelines stay with the `Gpu`. */
    free() {
        if (this.#raw === undefined) {
            return;
        }
        this.#bound.forEach((bound) => bound.free());
        this.#bound.clear();
        this.#freeArrays();
        this.#raw.free();
        this.#raw = undefined;
    }

    [Symbol.dispose ?? Symbol.for("Symbol.dispose")]() {
        this.free();
    }
}

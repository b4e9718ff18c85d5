/** An error of this package. `kind` says which, see the README. */
export class FftError extends Error {
    constructor(kind, message, options) {
        super(message, options);
        this.name = "FftError";
        this.kind = kind;
    }

    /** What the wasm module throws is a plain object; everything else stays what it is. */
    static of(thrown) {
        if (thrown instanceof Error) {
            return thrown;
        }
        return new FftError(thrown?.kind ?? "other", thrown?.message ?? String(thrown));
    }
}

/** Calls the wasm module. */
export function guarded(work) {
    try {
        return work();
    } catch (thrown) {
        throw FftError.of(thrown);
    }
}

/** Awaits the wasm module. */
export async function guardedAsync(work) {
    try {
        return await work();
    } catch (thrown) {
        throw FftError.of(thrown);
    }
}

// At most one run at a time, and the last request wins.

/**
 * Calls `run` at once if it is not running, and otherwise once more when it is done, however often
 * it was asked for meanwhile. An error goes to `failed`; the next request runs as usual.
 * @param {() => Promise<void>} run
 * @param {(error: unknown) => void} failed
 */
export function latest(run, failed) {
    /** @type {Promise<void> | undefined} */
    let running;
    let again = false;

    async function loop() {
        do {
            again = false;
            try {
                await run();
            } catch (error) {
                failed(error);
            }
        } while (again);
        running = undefined;
    }

    return {
        request() {
            if (running) again = true;
            else running = loop();
        },
        /** Resolves when nothing runs and nothing is asked for. */
        async idle() {
            while (running) await running;
        },
        get isBusy() {
            return running !== undefined;
        },
        /** Whether there is a request that has not begun. */
        get isWaiting() {
            return again;
        },
    };
}

// In the thread of the sound card: collects blocks, sends them, and plays those that have come back.
// It begins so many blocks ahead with silence. If the next block is not there when it should be
// played, that counts as late, and silence takes its place; when it comes, it is left out.

class Room extends AudioWorkletProcessor {
    constructor({ processorOptions: { block, ahead } }) {
        super();
        this.block = block;
        this.filling = new Float32Array(block);
        this.filled = 0;
        this.ready = Array.from({ length: ahead }, () => new Float32Array(block));
        this.sent = [];
        this.missed = 0;
        this.counts = { blocks: 0, late: 0, loudest: 0, turn: 0 };
        this.port.onmessage = ({ data }) => {
            this.worker = data.port;
            this.worker.onmessage = ({ data }) => this.receive(data);
        };
    }

    receive(samples) {
        this.counts.turn = Math.max(this.counts.turn, Date.now() - this.sent.shift());
        this.counts.loudest = samples.reduce((loudest, sample) => Math.max(loudest, Math.abs(sample)), this.counts.loudest);
        if (this.missed > 0) {
            this.missed--;
        } else {
            this.ready.push(samples);
        }
    }

    /** Sends a block, and takes the one that is to be played. */
    turn() {
        this.sent.push(Date.now());
        this.worker.postMessage(this.filling, [this.filling.buffer]);
        this.filling = new Float32Array(this.block);
        this.filled = 0;
        this.counts.blocks++;
        this.playing = this.ready.shift();
        if (this.playing === undefined) {
            this.counts.late++;
            this.missed++;
        }
        if (this.counts.blocks % Math.ceil(8192 / this.block) === 0) {
            this.port.postMessage(this.counts);
            this.counts.turn = 0;
        }
    }

    process([[input]], [[output]]) {
        if (this.worker === undefined) {
            return true;
        }
        // A quantum of sound is 128 samples, which divide a block.
        if (this.playing !== undefined) {
            output.set(this.playing.subarray(this.filled, this.filled + output.length));
        }
        if (input !== undefined) {
            this.filling.set(input, this.filled);
        }
        this.filled += output.length;
        if (this.filled >= this.block) {
            this.turn();
        }
        return true;
    }
}

registerProcessor("room", Room);

// A scene of three.js that glows: each frame is filtered by its frequencies before it is shown. The
// plans load what WebGPURenderer has rendered and store to a texture that a node material samples, all
// on three's own device. No pixel is copied.
//
//   npm ci, scripts/web.sh, and then any web server for the folder web: /three/

import * as THREE from "three/webgpu";
import { texture } from "three/tsl";
import { Gpu } from "wgpu-fft";

const SIDE = 256;
const size = [SIDE, SIDE];

const canvas = document.getElementById("scene");
const counts = document.getElementById("counts");
const renderer = new THREE.WebGPURenderer({ canvas });
await renderer.init();
renderer.setSize(2 * SIDE, 2 * SIDE);
const gpu = await Gpu.open({ device: renderer.backend.device });

const scene = new THREE.Scene();
const camera = new THREE.PerspectiveCamera(50, 1, 0.1, 10);
camera.position.z = 3;
const knot = new THREE.Mesh(new THREE.TorusKnotGeometry(0.7, 0.08, 200, 16), new THREE.MeshNormalMaterial());
scene.add(knot);

// What is rendered, and what the filter leaves of its light.
const rendered = new THREE.RenderTarget(SIDE, SIDE, { type: THREE.HalfFloatType });
const glow = new THREE.StorageTexture(SIDE, SIDE);
glow.type = THREE.HalfFloatType;
const material = new THREE.NodeMaterial();
material.fragmentNode = texture(rendered.texture).add(texture(glow).mul(1.5));
const shown = new THREE.QuadMesh(material);

function render() {
    renderer.setRenderTarget(rendered);
    renderer.render(scene, camera);
    renderer.setRenderTarget(null);
}

// three makes the textures when they are first used.
render();
renderer.initTexture(glow);
const [input, output] = [rendered.texture, glow].map((own) => gpu.wrapTexture(renderer.backend.get(own).texture));
const texels = { format: "rgba16float", size };
const luminance = { code: "dot(value.rgb, vec3(0.2126, 0.7152, 0.0722))", texture: texels };
const forward = await gpu.plan(`r2c fwd ${SIDE}x${SIDE}`, { mapInput: luminance });
const back = await gpu.plan(`c2r inv ${SIDE}x${SIDE}`, {
    mapInput: { code: `value * exp(-400.0 * (f0 * f0 + f1 * f1)) / ${SIDE * SIDE}.0`, element: "complex f32" },
    mapOutput: { code: "vec4(vec3(value), 1.0)", texture: texels },
});
const spectrum = gpu.alloc("complex f32", forward.output.len);

// The filter keeps the sum of all light, which is frequency 0.
const sum = await gpu.plan(`sum f32 ${SIDE}x${SIDE}`, { mapInput: luminance });
const [before, after] = [gpu.alloc("f32", 1), gpu.alloc("f32", 1)];

let frames = 0;
const start = performance.now();
await renderer.setAnimationLoop(async (time) => {
    knot.rotation.set(time / 2000, time / 3000, 0);
    render();
    forward.runOn([input], spectrum);
    back.runOn([spectrum], output);
    shown.render(renderer);
    frames += 1;
    if (frames % 30 === 0) {
        sum.runOn([input], before);
        sum.runOn([output], after);
        const light = (await Promise.all([before.read(), after.read()])).map(([sum]) => sum / SIDE ** 2);
        const rate = (1000 * frames) / (performance.now() - start);
        Object.assign(counts.dataset, { frames, before: light[0], after: light[1] });
        counts.textContent = `${rate.toFixed(0)} frames a second; light ${light[0].toFixed(4)} before the filter, ${light[1].toFixed(4)} after it`;
    }
});

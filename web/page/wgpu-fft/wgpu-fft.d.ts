export type Element = "f32" | "complex f32" | "f16" | "complex f16" | "u8" | "u32" | "i32";
export type TypedArray = Float32Array | Float64Array | Uint8Array | Uint16Array | Int32Array | Uint32Array;
export class FftError extends Error { readonly kind: string }
type Map = { code: string; element: Element; arrays?: Record<string, { element: Element; len: number; uniform?: boolean }> };
export class Gpu {
  static open(options?: { powerPreference?: "high-performance" | "low-power"; allowFallback?: boolean }): Promise<Gpu>;
  readonly info: { name: string; backend: string; fallback: boolean; limits: Record<string, number>; f16: boolean };
  readonly lost: Promise<string>;
  plan(spec: string, options?: { recipe?: string; mapInput?: Map; mapOutput?: Map }): Promise<Plan>;
  upload(data: TypedArray, element?: Element): DeviceArray;
  alloc(element: Element, len: number): DeviceArray;
  free(): void;
}
export class DeviceArray { readonly element: Element; readonly len: number; read(): Promise<TypedArray>; write(data: TypedArray): void; free(): void; }
export class Plan {
  readonly spec: string; readonly recipe: string; readonly program: string;
  readonly inputs: { element: Element; len: number }[]; readonly output: { element: Element; len: number };
  run(...inputs: TypedArray[]): Promise<TypedArray>;
  runOn(inputs: DeviceArray[], output: DeviceArray, arrays?: Record<string, DeviceArray>): void;
  time(inputs: DeviceArray[], output: DeviceArray, repeats?: number): Promise<number>;
  free(): void;
}

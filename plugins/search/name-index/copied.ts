/** Returns `to`, which begins with the values of `from`. */
export function copied<T extends Uint8Array | Uint32Array | Float64Array>(
  from: Uint8Array | Uint32Array | Float64Array,
  to: T,
): T {
  to.set(from);
  return to;
}

/** Returns `to`, which begins with the values of `from`. */
export function copied<T extends Uint8Array | Uint32Array | Int32Array | Float64Array>(
  from: ArrayLike<number>,
  to: T,
): T {
  to.set(from);
  return to;
}

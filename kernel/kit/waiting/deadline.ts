/** Settles with the promise, or rejects with `late()` after `ms`. The work itself continues; its result is ignored. */
export function withDeadline<T>(
  promise: Promise<T>,
  ms: number,
  late = (): Error => new Error(`no answer within ${ms} ms`),
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), ms);
  });
  return Promise.race([promise, deadline]).finally(() => clearTimeout(timer));
}

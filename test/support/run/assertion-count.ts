/** How many assertions this process has run; `undefined` where nothing counts those of `uvu/assert`. */
let count: number | undefined;

export function startCounting(): void {
  count = 0;
}

export function countAssertion(): void {
  if (count !== undefined) count += 1;
}

export const countedAssertions = (): number | undefined => count;

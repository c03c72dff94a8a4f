/** Returns the time of a clock that nobody sets and that all processes of the machine share, in milliseconds. */
export const monotonicMs = (): number => Number(process.hrtime.bigint() / 1000n) / 1000;

/** The members of an object of the description. */
export type Members = Readonly<Record<string, unknown>>;

/** Returns the members of an object; none of anything else. */
export function asMembers(value: unknown): Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {};
}

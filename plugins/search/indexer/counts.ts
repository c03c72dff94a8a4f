const NONE = { indexesBuilt: 0, indexesLoaded: 0, foldersListed: 0, failures: 0 };

/** Counts of this process since the last reply that had them. */
export const counts = { ...NONE };

/** Returns the counts, which begin anew. */
export function takeCounts(): typeof counts {
  const taken = { ...counts };
  Object.assign(counts, NONE);
  return taken;
}

/** The end of what servers of this process have logged since the running test began, for the report of its failure. */

const LINES = 40;
const LINE_LENGTH = 600;
let kept: string[] = [];

/** Where a log of a test's server is written. */
export const keptLog = {
  write: (line: string): void => {
    kept.push(line.trimEnd().slice(0, LINE_LENGTH));
    if (kept.length > LINES * 2) kept = kept.slice(-LINES);
  },
};

export function forgetLog(): void {
  kept = [];
}

export const endOfLog = (): string => kept.slice(-LINES).join('\n');

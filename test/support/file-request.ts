/** What the test entry and the processes that run files of tests say to each other. */

/** Asks for a compiled file of tests to run; without a path, to end. */
export interface FileRequest {
  readonly path?: string;
}

/** Begins the line that says that a file has ended, in both outputs. */
export const ENDED = '\u0000ended with ';

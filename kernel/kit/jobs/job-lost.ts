/** Why a job has no reply: its process ended, by itself or because a limit was reached. */
export class JobLost extends Error {
  /**
   * `breach`: it took more than it may; `hang`: it waited for something outside, such as a dead file system; `busy`: the
   * machine had too little time for it; `other`: somebody else killed its process, or nobody waits for it any more.
   */
  readonly reason: 'breach' | 'hang' | 'busy' | 'other';

  constructor(message: string, reason: JobLost['reason']) {
    super(message);
    this.reason = reason;
  }
}

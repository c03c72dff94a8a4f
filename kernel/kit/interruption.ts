const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Does the work of a command, whose signal is aborted when somebody interrupts it: so it can undo what it has begun. */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const interrupt = () => stop.abort(new Error('the command was interrupted'));
  for (const signal of SIGNALS) process.once(signal, interrupt);
  try {
    return await work(stop.signal);
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupt);
  }
}

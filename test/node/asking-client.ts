/**
 * A client that asks all the time, for a machine: `node asking-client.js <admin address> <token> <file>`. At SIGTERM it writes
 * the longest time without an answer, and what it added and was told to be there. It imports nothing of the project.
 */
import { writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

export interface Asked {
  /** The longest time between two answers, in milliseconds. */
  readonly longestGapMs: number;
  /** Plans whose addition was answered with success. */
  readonly added: readonly string[];
}

const [base = '', token = '', file = ''] = process.argv.slice(2);
const PAUSE_MS = 20;
const added: string[] = [];
let longestGapMs = 0;
let lastAnswer = performance.now();

async function ask(): Promise<void> {
  for (;;) {
    try {
      const reply = await fetch(`${base}/readyz`, { signal: AbortSignal.timeout(5000) });
      await reply.text();
      if (reply.status === 200) {
        longestGapMs = Math.max(longestGapMs, performance.now() - lastAnswer);
        lastAnswer = performance.now();
      }
    } catch {
      // nobody listens
    }
    await delay(PAUSE_MS);
  }
}

async function write(): Promise<void> {
  for (let n = 0; ; n++) {
    const name = `plan-${process.pid}-${n}`;
    try {
      const reply = await fetch(`${base}/api/plans`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name, features: [] }),
        signal: AbortSignal.timeout(5000),
      });
      await reply.text();
      if (reply.status === 201) added.push(name);
    } catch {
      // what was not answered may be there, or not
    }
    await delay(PAUSE_MS);
  }
}

process.once('SIGTERM', () => {
  longestGapMs = Math.max(longestGapMs, performance.now() - lastAnswer);
  writeFileSync(file, JSON.stringify({ longestGapMs, added } satisfies Asked));
  process.exit();
});
await Promise.all([ask(), write()]);

import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { CommandFailure } from '../contract/command.ts';

/** Asks on the terminal. Rejects without one, and if the answer is not yes, so that nothing is destroyed by mistake. */
export async function confirm(question: string): Promise<void> {
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new CommandFailure('confirmation_required', `${question} There is no terminal to ask on: give --yes`);
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
  lines.setPrompt(`${question} [y/N] `);
  lines.prompt();
  const [answer = ''] = (await Promise.race([once(lines, 'line'), once(lines, 'close')])) as string[];
  lines.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandFailure('not_confirmed', 'not confirmed: nothing was done');
}

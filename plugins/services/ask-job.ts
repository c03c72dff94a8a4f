import { connect } from 'node:net';
import type { JobContext } from '../../kernel/kit/jobs/job.ts';
import { withDeadline } from '../../kernel/kit/waiting/deadline.ts';
import { serviceSocket } from './programs/service-program.ts';
import type { Exchange, Recipe } from './recipes.ts';

interface Question {
  readonly recipe: Pick<Recipe, 'name' | 'socket'>;
  readonly exchange: Exchange;
  /** By name a pattern for lines of the answer. */
  readonly values: Readonly<Record<string, string>>;
}

const ANSWER_MS = 2000;
const MOST_BYTES = 65_536;

/**
 * Asks a service of the account as the account, because what lies at its path is in the customer's hands. Resolves with the
 * numbers in the answer, by name; with `null` if the service does not answer so.
 */
export default async function askService(
  { recipe, exchange, values }: Question,
  { root }: JobContext,
): Promise<Record<string, number> | null> {
  const answer = await answerAt(serviceSocket(root.path, recipe), exchange);
  if (answer === undefined) return null;
  return Object.fromEntries(Object.entries(values).map(([name, pattern]) => [name, sumOf(answer, pattern)]));
}

async function answerAt(path: string, { send, until }: Exchange): Promise<string | undefined> {
  const socket = connect(path);
  const answered = new Promise<string | undefined>((resolve) => {
    let answer = '';
    socket.setEncoding('latin1').on('data', (text: string) => {
      answer += text;
      if (answer.endsWith(until)) resolve(answer);
      else if (answer.length > MOST_BYTES) resolve(undefined);
    });
    for (const event of ['error', 'close'] as const) socket.once(event, () => resolve(undefined));
    socket.write(send);
  });
  try {
    return await withDeadline(answered, ANSWER_MS).catch(() => undefined); // too slow is no answer
  } finally {
    socket.destroy();
  }
}

/** Returns a whole number that JSON can hold, whatever the service sent. */
function sumOf(answer: string, pattern: string): number {
  const sum = [...answer.matchAll(new RegExp(pattern, 'gm'))].reduce((all, [, digits]) => all + Number(digits), 0);
  return Number.isSafeInteger(sum) ? sum : Number.MAX_SAFE_INTEGER;
}

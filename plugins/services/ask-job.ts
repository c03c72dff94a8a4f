import { request } from 'node:http';
import { connect } from 'node:net';
import type { JobContext } from '../../kernel/kit/jobs/job.ts';
import { runProgram } from '../../kernel/kit/programs/run-program.ts';
import { withDeadline } from '../../kernel/kit/waiting/deadline.ts';
import { filled, serviceFolder, serviceSocket } from './programs/service-program.ts';
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
  const answer = await answerOf(root.path, recipe, exchange);
  if (answer === undefined) return null;
  return Object.fromEntries(Object.entries(values).map(([name, pattern]) => [name, sumOf(answer, pattern)]));
}

function answerOf(root: string, recipe: Question['recipe'], exchange: Exchange): Promise<string | undefined> {
  if ('program' in exchange) return answerOfProgram(serviceFolder(root, recipe), exchange);
  const path = serviceSocket(root, recipe);
  return 'path' in exchange ? answerByHttp(path, exchange) : answerAt(path, exchange);
}

type Sent<K extends string> = Extract<Exchange, Readonly<Record<K, string>>>;

async function answerOfProgram(folder: string, { program, arguments: given }: Sent<'program'>) {
  const args = given.map((each) => filled(each, { '{folder}': folder }));
  const options = { timeoutMs: ANSWER_MS, stdoutBytes: MOST_BYTES };
  const ended = await runProgram(program, args, options).catch(() => undefined); // it is missing, or prints too much
  return ended?.code === 0 ? ended.stdout : undefined;
}

function answerAt(path: string, { send, until }: Sent<'send'>): Promise<string | undefined> {
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
  return within(answered, socket);
}

function answerByHttp(socketPath: string, { method, path }: Sent<'path'>): Promise<string | undefined> {
  const asked = request({ socketPath, method, path, agent: false, headers: { Host: 'localhost' } });
  const answered = new Promise<string | undefined>((resolve) => {
    for (const event of ['error', 'close'] as const) asked.on(event, () => resolve(undefined));
    asked.once('response', (response) => {
      let answer = '';
      response.setEncoding('latin1').on('data', (text: string) => {
        answer += text;
        if (answer.length > MOST_BYTES) resolve(undefined);
      });
      const { statusCode: status = 0 } = response;
      response.once('end', () => resolve(status >= 200 && status < 300 ? answer : undefined));
      response.once('error', () => resolve(undefined));
    });
    asked.end();
  });
  return within(answered, asked);
}

/** Ends a connection as soon as there is an answer. */
async function within(
  answered: Promise<string | undefined>,
  connection: { destroy(): unknown },
): Promise<string | undefined> {
  try {
    return await withDeadline(answered, ANSWER_MS).catch(() => undefined); // too slow is no answer
  } finally {
    connection.destroy();
  }
}

/** Returns a whole number that JSON can hold, whatever the service sent. */
function sumOf(answer: string, pattern: string): number {
  const sum = [...answer.matchAll(new RegExp(pattern, 'gm'))].reduce((all, [, digits]) => all + Number(digits), 0);
  return Number.isSafeInteger(sum) ? sum : Number.MAX_SAFE_INTEGER;
}

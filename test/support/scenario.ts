/**
 * Rows of requests: who asks for what, and what comes of it. A row is one line where a call and its assertions are five, and if it
 * fails it says what was sent and answered.
 *
 *     const ann = await server.user('ann');
 *     await ann.rows(
 *       ['POST /api/notes', { text: '' }, '400 invalid_request /text'],
 *       ['POST /api/notes', { text: 'call Bob' }, 201, { text: 'call Bob' }, { events: ['note.added'] }],
 *       ['GET /api/notes', 200, {}, { lacks: 'Carl' }],
 *     );
 */
import * as assert from './assert.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
type Line = `${Method} /${string}`;
/** The status; of a refusal also the code of its error, and where its first fault is: `400 invalid_request /text`. */
export type Outcome = number | `${number} ${string}`;
type Members = Readonly<Record<string, unknown>>;

/** What is asserted, or sent, beyond the status and the reply's members. */
interface More {
  readonly headers?: Readonly<Record<string, string>>;
  /** What must not appear in the reply. */
  readonly lacks?: string;
  /** The types of the events that the request records, in order. */
  readonly events?: readonly string[];
}

/** A request, its body if it has one, and the outcome; members of the reply equal these, or match a pattern. */
export type Row =
  | readonly [ask: Line, is: Outcome, has?: Members, more?: More]
  | readonly [ask: Line, body: object, is: Outcome, has?: Members, more?: More];

/** Characters of a body that a failure repeats. */
const SHOWN = 600;

export interface Answered {
  readonly status: number;
  readonly body: unknown;
}

/** Somebody who sends requests to a server. */
export interface Asker {
  /** Sends a row's request and asserts what comes of it; resolves with the reply's body. */
  asks<T = Record<string, unknown>>(...row: Row): Promise<T>;
  /** Does the same for many, one after another. */
  rows(...rows: readonly Row[]): Promise<void>;
  /** Sends a request, asserts nothing, and resolves with its outcome. */
  tries(line: Line, body?: object): Promise<Outcome>;
}

export interface Means {
  /** How a failed row calls who asks. */
  readonly who: string;
  send(request: { method: Method; path: string; body?: object; headers?: Record<string, string> }): Promise<Answered>;
  /** Resolves with the id of the last event. */
  lastEvent(): Promise<number>;
  /** Resolves with the types of the events after that. */
  eventsAfter(id: number): Promise<readonly string[]>;
}

/** Returns the status, and of a refusal the code. */
export function outcome({ status, body }: Answered): Outcome {
  const { error } = (body ?? {}) as { error?: unknown };
  return status >= 400 && typeof error === 'string' ? `${status} ${error}` : status;
}

/** Returns as much of what came of a request as a row says of it. */
function asFarAs(expected: Outcome, answer: Answered): Outcome {
  if (typeof expected === 'number') return answer.status;
  if (expected.split(' ').length < 3) return outcome(answer);
  const { errors } = (answer.body ?? {}) as { errors?: { path: string }[] };
  return `${outcome(answer)} ${errors?.[0]?.path ?? ''}` as Outcome;
}

export function asker({ who, send, lastEvent, eventsAfter }: Means): Asker {
  const ask = (line: Line, body?: object, headers: Readonly<Record<string, string>> = {}) => {
    const space = line.indexOf(' ');
    const [method, path] = [line.slice(0, space) as Method, line.slice(space + 1)];
    return send({ method, path, headers, ...(body !== undefined && { body }) });
  };
  const asks: Asker['asks'] = async <T>(...row: Row) => {
    const { line, body, is, has = {}, more = {} } = parts(row);
    const last = more.events === undefined ? 0 : await lastEvent();
    const answer = await ask(line, body, more.headers);
    const sent = body === undefined ? line : `${line} ${JSON.stringify(body).slice(0, SHOWN)}`;
    const said = `${who} asks ${sent} and is answered ${answer.status} ${shown(answer.body).slice(0, SHOWN)}`;
    assert.is(asFarAs(is, answer), is, said);
    for (const [name, expected] of Object.entries(has)) {
      const seen = (answer.body as Members)[name];
      if (expected instanceof RegExp) assert.match(String(seen), expected, `${said}: ${name}`);
      else assert.equal(seen, expected, `${said}: ${name}`);
    }
    if (more.lacks !== undefined) assert.not.match(shown(answer.body), more.lacks, said);
    if (more.events !== undefined) assert.equal(await eventsAfter(last), more.events, said);
    return answer.body as T;
  };
  return {
    asks,
    rows: async (...rows) => {
      for (const row of rows) await asks(...row);
    },
    tries: async (line, body) => outcome(await ask(line, body)),
  };
}

function parts(row: Row) {
  const [line, second, third, fourth, fifth] = row as readonly [Line, ...unknown[]];
  const [body, is, has, more] =
    typeof second === 'object' ? [second, third, fourth, fifth] : [undefined, second, third, fourth];
  return { line, body: body as object | undefined, is: is as Outcome, has: has as Members, more: more as More };
}

const shown = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body));

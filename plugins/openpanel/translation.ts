import type { RouteAnswer, RouteCalls, RouteInput } from '../../kernel/contract/route-calls.ts';
import { ready, type Reply } from '../../kernel/contract/reply.ts';
import type { Call } from '../../kernel/contract/route-spec.ts';
import type { Given, Row, Step, Values } from './row.ts';
import { fail } from './errors.ts';

/** The most pages of a list that one request reads, each of 500. */
const PAGES = 40;

/** Answers a request of a row: calls its steps one after the other, and puts their answers into OpenPanel's form. */
export async function answer(routes: RouteCalls, row: Row, call: Call): Promise<unknown> {
  const given = givenOf(call);
  const ask: Ask = async (step, input) => {
    if (step.calls.startsWith('GET ')) call.signal.throwIfAborted(); // a list of thousands, for nobody
    const headers = Object.fromEntries((step.headers ?? []).map((name) => [name, call.header(name as never)]));
    return routes.call(call, step.calls, { ...input, headers });
  };
  const values: unknown[] = [];
  for (const step of row.steps) {
    if (step.if?.(given, values) === false) {
      values.push(undefined);
      continue;
    }
    const answered = await valueOf(step, given, values, ask);
    if ('reply' in answered && (answered.value === undefined || answered.status >= 400)) return asItIs(answered);
    values.push(answered.value);
  }
  return row.reply === undefined ? values.at(-1) : row.reply(values, given);
}

/** The path comes last: no member of a body takes the place of what a path names. */
function givenOf(call: Call): Given {
  const { params, query, body } = call as unknown as Readonly<Partial<Record<'params' | 'query' | 'body', object>>>;
  const caller = (call.account as Call['account'] | undefined)?.username ?? '';
  return { ...query, ...body, ...params, ':caller': caller };
}

type Ask = (step: Step, input: RouteInput) => Promise<RouteAnswer>;

async function valueOf(step: Step, given: Given, values: Values, ask: Ask): Promise<RouteAnswer | { value: unknown }> {
  if (step.pages !== undefined) return { value: await allPages(step, step.pages, given, values, ask) };
  return ask(step, inputOf(step, given, values));
}

async function allPages(step: Step, list: string, given: Given, values: Values, ask: Ask): Promise<unknown[]> {
  const all: unknown[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES; page += 1) {
    const input = inputOf(step, given, values);
    const { value } = await ask(step, { ...input, query: { ...input.query, limit: 500, cursor } });
    const { [list]: rows, next_cursor: next } = value as Record<string, unknown> & { next_cursor: string | null };
    all.push(...(rows as unknown[]));
    if (next === null) return all;
    cursor = next;
  }
  throw fail.reply_too_large(`there are too many to list at once: page through ${step.calls}`);
}

function inputOf({ params, query, body }: Step, given: Given, values: Values): RouteInput {
  return {
    ...(params && { params: params(given, values) ?? {} }),
    ...(query && { query: query(given, values) ?? {} }),
    ...(body && { body: present(body(given, values)) }),
  };
}

const present = (members: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

/** A picture, or the 401 that asks for a code. */
function asItIs({ reply, status, value }: RouteAnswer): Reply {
  return reply ?? ready(value, { status });
}

import { fill, type Actor } from './cast.ts';
import type { Sent } from './client.ts';
import { headBytes } from './client.ts';
import type { Draft } from './draft.ts';
import type { Harvest } from './harvest.ts';
import { Hole } from './values.ts';

/** A request that can be sent, with what is known of it for its judge. */
export interface Question extends Sent {
  readonly draft: Draft;
  readonly actor: Actor;
  /** What was sent as JSON, holes filled. */
  readonly json: unknown;
  /** Whether its bytes are HTTP within the limits, so that it gets further than the parser. */
  readonly isHttp: boolean;
  /** Whether its path may lead to another operation or to none: it was mangled, or a parameter is empty. */
  readonly isElsewhere: boolean;
}

/** The parser takes heads of 4 KiB; nearer to that than this, it may refuse. */
const HEAD_BYTES = 3900;

/** Puts what is known now in the place of holes. */
export function questionOf(draft: Draft, actor: Actor, other: Actor, harvest: Harvest, hostOf: string): Question {
  const { operation, headers, contentType, authorization, method, mangle } = draft;
  const path = pathOf(draft, actor, harvest);
  const filled = (value: unknown) => filledIn(value, (hole) => fill(hole, actor, harvest, path));
  const query = draft.query.map(([name, value]) => `${encoded(name)}=${encoded(textOf(filled(value)))}`).join('&');
  const target = `${mangle?.(path) ?? path}${query === '' ? '' : '?'}${query}`;
  const json = draft.body === undefined || Buffer.isBuffer(draft.body) ? undefined : filled(draft.body);
  const body = Buffer.isBuffer(draft.body)
    ? draft.body
    : json === undefined
      ? undefined
      : Buffer.from(JSON.stringify(json));
  const sent: Sent = {
    method,
    target,
    body,
    headers: [
      ...(headers.some(([name]) => name === 'Host') ? [] : [['Host', hostOf] as const]),
      ...headers,
      ...(authorization === undefined
        ? []
        : [
            [
              'Authorization',
              authorization.replaceAll('{token}', actor.token).replaceAll('{other}', other.token),
            ] as const,
          ]),
      ...(contentType === undefined || body === undefined ? [] : [['Content-Type', contentType] as const]),
    ],
  };
  const isHttp =
    !/[^\u0021-\u007e]/.test(target) &&
    headBytes(sent).length < HEAD_BYTES &&
    target.startsWith('/') &&
    operation.path !== '' &&
    !sent.headers.some(([, value]) => /[\u0000-\u001f\u007f]/.test(value));
  return {
    ...sent,
    draft,
    actor,
    json,
    isHttp,
    isElsewhere:
      mangle !== undefined ||
      /\/(\/|$)/.test(path.slice(0, path.endsWith('/') && operation.path.endsWith('{path}') ? -1 : undefined)),
  };
}

function pathOf({ operation, path }: Draft, actor: Actor, harvest: Harvest): string {
  let made = operation.path;
  for (const { name, description = '' } of operation.parameters.filter((each) => each.in === 'path')) {
    const value = path[name];
    const text =
      value instanceof Hole ? fill(value, actor, harvest, made.slice(0, made.indexOf(`/{${name}}`))) : textOf(value);
    const written = description.includes('slashes included') ? text.split('/').map(encoded).join('/') : encoded(text);
    made = made.replace(`{${name}}`, () => written);
  }
  return made;
}

function filledIn(value: unknown, fillHole: (hole: Hole) => string): unknown {
  if (value instanceof Hole) return fillHole(value);
  if (Array.isArray(value)) return value.map((each) => filledIn(each, fillHole));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, filledIn(each, fillHole)]));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
}

/** Lone surrogates have no UTF-8; they leave as U+FFFD. */
function encoded(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString());
}

/** The request as a command for a shell. */
export function curlOf(question: Sent, url: string): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const headers = question.headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  const body = question.body === undefined ? [] : ['--data-binary', quoted(question.body.toString().slice(0, 2000))];
  return [
    'curl -i --path-as-is',
    question.method === 'HEAD' ? '--head' : `-X ${question.method}`,
    quoted(url + question.target),
    ...headers,
    ...body,
  ].join(' ');
}

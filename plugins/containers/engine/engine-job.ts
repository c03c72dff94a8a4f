/**
 * The process that speaks with one engine. It has no network, and for an account's own engine the user id of that
 * account: what the client library or an engine makes it do concerns this engine only.
 */
import { errorMessage } from '../../../kernel/errors.ts';
import type { JobContext } from '../../../kernel/kit/jobs/job.ts';
import { parseEngineUsage } from '../disk-usage/engine-usage.ts';
import { parseStats } from '../stats/engine-stats.ts';
import { parseContainers } from './container.ts';
import { EngineModem, type EngineReply } from './engine-modem.ts';
import type {
  EngineAnswers,
  EngineInput,
  EngineOutput,
  EngineQuestionKind,
  EngineQuestions,
} from './engine-questions.ts';
import { count, labels, list, members, text } from './untrusted-json.ts';

const KIB = 2 ** 10;
const MIB = 2 ** 20;
const SMALL_BYTES = 64 * KIB;
const INSPECT_BYTES = MIB;
const LIST_BYTES = { shared: 16 * MIB, own: 2 * MIB };
/** Items of one kind on an account's own engine. */
const OWN_ITEMS = 1000;

/** The context of an answer. */
interface AnswerContext {
  readonly modem: EngineModem;
  readonly timeoutMs: number;
  readonly isOwn: boolean;
  readonly bytes: Buffer;
}

const answers: {
  [K in EngineQuestionKind]: (question: EngineQuestions[K], context: AnswerContext) => Promise<EngineAnswers[K]>;
} = {
  load: () => Promise.resolve(null),
  async version(_, context) {
    const { Version, ApiVersion, Components } = members(await readJson('/version', SMALL_BYTES, context));
    const program = text(members(list(Components)[0])['Name']) === 'Podman Engine' ? 'Podman' : 'Docker';
    return { program, version: text(Version), apiVersion: text(ApiVersion) };
  },
  async containers({ all }, context) {
    const query = all ? { all: 'true' } : {};
    const containers = parseContainers(await readJson('/containers/json', listBytes(context), context, query));
    assertBounded(containers.length, context);
    return containers;
  },
  async usage(_, context) {
    const usage = parseEngineUsage(await readJson('/system/df', listBytes(context), context), Date.now());
    assertBounded(Math.max(usage.writtenBytes.length, usage.images.length, usage.volumes.length), context);
    return usage;
  },
  async volumes(_, context) {
    return list(members(await readJson('/volumes', listBytes(context), context))['Volumes'])
      .map(members)
      .map(({ Name, Labels }) => ({ name: text(Name), labels: labels(Labels) }));
  },
  async firstProcess({ id }, context) {
    const body = await readJson(`/containers/${id}/json`, INSPECT_BYTES, context, {}, [404]);
    return count(members(members(body)['State'])['Pid']) || null;
  },
  async stats({ id }, context) {
    const query = { stream: 'false', 'one-shot': 'true' };
    return parseStats(await readJson(`/containers/${id}/stats`, SMALL_BYTES, context, query, [404, 409])) ?? null;
  },
  async request({ path, ...request }, { modem, timeoutMs, bytes }) {
    return modem.request(path, { ...request, timeoutMs, maxBytes: MIB, ...(bytes.length > 0 && { file: bytes }) });
  },
};

let modem: EngineModem | undefined;

export default async function answer<K extends EngineQuestionKind>(
  { target, kind, question, timeoutMs }: EngineInput<K>,
  { root, bytes }: JobContext,
): Promise<EngineOutput<K>> {
  modem ??= new EngineModem(target, root);
  try {
    const context: AnswerContext = { modem, timeoutMs, isOwn: target.ownBeside !== null, bytes };
    return { ok: true, answer: await answers[kind](question, context) };
  } catch (error) {
    return { ok: false, message: `the engine at ${target.socketPath} ${errorMessage(error)}` };
  }
}

function listBytes({ isOwn }: AnswerContext): number {
  return isOwn ? LIST_BYTES.own : LIST_BYTES.shared;
}

function assertBounded(items: number, { isOwn }: AnswerContext): void {
  if (isOwn && items > OWN_ITEMS) throw new Error(`lists ${items} items of one kind, more than ${OWN_ITEMS}`);
}

/** Returns the parsed body, `undefined` if it is empty or the status is one of `absent`. Rejects for other statuses. */
async function readJson(
  path: string,
  maxBytes: number,
  { modem: engine, timeoutMs }: AnswerContext,
  query: Readonly<Record<string, string>> = {},
  absent: readonly number[] = [],
): Promise<unknown> {
  const reply: EngineReply = await engine.request(path, { method: 'GET', query, timeoutMs, maxBytes });
  if (absent.includes(reply.status)) return undefined;
  if (reply.status !== 200) throw new Error(`answers ${path} with ${reply.status}`);
  try {
    return reply.text === '' ? undefined : (JSON.parse(reply.text) as unknown);
  } catch (cause) {
    throw new Error(`answers ${path} with invalid JSON`, { cause });
  }
}

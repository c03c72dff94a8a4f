/**
 * The process that speaks with one engine. It has no network, and for an account's own engine the user id of that
 * account: what the client library or an engine makes it do concerns this engine only. Questions and answers are plain
 * data of bounded size.
 */
import { finished } from 'node:stream/promises';
import { Readable } from 'node:stream';
import { SEARCHED_LINES, type ContainerChange, type ContainerLimits } from '../../../kernel/areas/containers.ts';
import type { JobContext } from '../../../kernel/kit/jobs/job.ts';
import { parseEngineUsage } from '../disk-usage/engine-usage.ts';
import { parseStats } from '../stats/engine-stats.ts';
import { parseDetails } from './container-details.ts';
import { parseContainers } from './container.ts';
import { removeDemo, startDemo } from './demo-containers.ts';
import { EngineLibrary, LargeReply, LateReply, type EngineTarget } from '../../../kernel/kit/engine/engine-library.ts';
import { json, refusal, unless } from '../../../kernel/kit/engine/engine-replies.ts';
import { contains, isAfter, parseLines, sinceSeconds } from '../../../kernel/kit/engine/log-lines.ts';
import { count, labels, list, members, text } from '../../../kernel/kit/engine/untrusted-json.ts';

const MIB = 2 ** 20;
const LIST_BYTES = { shared: 16 * MIB, own: 2 * MIB };
const STATS_BYTES = MIB / 16;
/** Items of one kind on an account's own engine. */
const OWN_ITEMS = 1000;
/** A tar archive without files: the content of an image that needs no registry. */
const EMPTY_ARCHIVE = Buffer.alloc(1024);

interface AnswerContext {
  readonly docker: EngineLibrary['docker'];
  readonly isOwn: boolean;
  readonly bytes: Buffer;
}

type AskedLines = { readonly id: string; readonly most: number; readonly after: string; readonly text: string };
type Changing = { readonly id: string; readonly change: ContainerChange; readonly limits: ContainerLimits };
/** By the kind of the question. */
const answers = {
  /** Loads the client library, and asks the engine nothing. */
  load: () => Promise.resolve(null),
  async version({ docker }: AnswerContext) {
    const { Version, ApiVersion, Components } = members(await json(docker.version()));
    const program = text(members(list(Components)[0])['Name']) === 'Podman Engine' ? 'Podman' : 'Docker';
    return { program, version: text(Version), apiVersion: text(ApiVersion) };
  },
  /** The running containers, or all. */
  async containers({ docker, isOwn }: AnswerContext, { all }: { readonly all: boolean }) {
    const containers = parseContainers(await json(docker.listContainers(all ? { all } : {})));
    assertBounded(containers.length, isOwn);
    return containers;
  },
  /** The engine walks all of its files. */
  async usage({ docker, isOwn }: AnswerContext) {
    const usage = parseEngineUsage(await json(docker.df()), Date.now());
    assertBounded(Math.max(usage.writtenBytes.length, usage.images.length, usage.volumes.length), isOwn);
    const buildCache = isOwn ? usage.buildCache.toSorted((a, b) => b.sizeBytes - a.sizeBytes) : [];
    return { ...usage, buildCache: buildCache.slice(0, OWN_ITEMS) };
  },
  async volumes({ docker }: AnswerContext) {
    return list(members(await json(docker.listVolumes()))['Volumes'])
      .map(members)
      .map(({ Name, Labels }) => ({ name: text(Name), labels: labels(Labels) }));
  },
  /** `null` for a container that does not run. */
  async firstProcess({ docker }: AnswerContext, { id }: { readonly id: string }) {
    const container = await json(unless([404], docker.getContainer(id).inspect()));
    return count(members(members(container)['State'])['Pid']) || null;
  },
  /** `null` for a container that does not run. */
  async stats({ docker }: AnswerContext, { id }: { readonly id: string }) {
    const stats = docker.getContainer(id).stats({ stream: false, 'one-shot': true });
    return parseStats(await json(unless([404, 409], stats))) ?? null;
  },
  async details({ docker }: AnswerContext, { id }: { readonly id: string }) {
    return parseDetails(await json(docker.getContainer(id).inspect()));
  },
  /** Why the engine refuses; `null` if the container is, or was already, as it shall be. Swap is memory. */
  async change({ docker }: AnswerContext, { id, change, limits: { memoryBytes: Memory, nanoProcessors } }: Changing) {
    const container = docker.getContainer(id);
    const changes: Record<ContainerChange, () => Promise<unknown>> = {
      start: () => container.start(),
      // The engine still lists it as running for a moment; its details come after that.
      stop: () => container.stop().then(() => container.inspect()),
      restart: () => container.restart(),
      limit: () => container.update({ Memory, MemorySwap: Memory, NanoCpus: nanoProcessors }),
      remove: () => container.remove({ v: true }),
    };
    const { status, reason } = await refusal(changes[change]());
    return [0, 304].includes(status) ? null : reason || `it answers ${status}`;
  },
  /** The newest lines after a time that contain a text; fewer where they are longer than a reply may be. */
  async lines({ docker }: AnswerContext, { id, most, after, text: wanted }: AskedLines) {
    const options = { stdout: true, stderr: true, timestamps: true, since: sinceSeconds(after) } as const;
    const logs = (tail: number): Promise<unknown> =>
      docker
        .getContainer(id)
        .logs({ ...options, tail, follow: false })
        .catch((error: unknown) => {
          if (error instanceof LargeReply && tail > 1) return logs(Math.floor(tail / 4) || 1);
          throw error;
        });
    const bytes = await logs(wanted === '' ? most : SEARCHED_LINES);
    const lines = bytes instanceof Uint8Array ? parseLines(Buffer.from(bytes)) : [];
    return lines.filter(({ at, text }) => isAfter(at, after) && contains(text, wanted)).slice(-most);
  },
  /** The status with which the engine refuses; `null` if it removed the thing, or there was none. */
  async remove({ docker }: AnswerContext, { what, name }: { readonly what: 'containers' | 'volumes'; name: string }) {
    const options = { force: true, v: true };
    const removed = what === 'containers' ? docker.getContainer(name).remove(options) : docker.getVolume(name).remove();
    const { status } = await refusal(removed);
    return [0, 404].includes(status) ? null : status;
  },
  /** Makes a container of an empty image, never starts it, and removes both. */
  async prove({ docker }: AnswerContext, { name }: { readonly name: string }) {
    await finished(await docker.importImage(Readable.from([EMPTY_ARCHIVE]), { repo: name, tag: 'empty' }));
    const Image = `${name}:empty`;
    try {
      const Labels = { 'hostkeep.doctor': name };
      const container = await docker.createContainer({ name, Image, Cmd: ['none'], Labels });
      await container.remove({ force: true, v: true });
    } finally {
      await docker.getImage(Image).remove();
    }
    return null;
  },
  startDemo: ({ docker, bytes }: AnswerContext, { username }: { readonly username: string }) =>
    startDemo(docker, username, bytes),
  removeDemo: ({ docker }: AnswerContext, { username }: { readonly username: string }) => removeDemo(docker, username),
};

export type EngineQuestionKind = keyof typeof answers;
type Answers = typeof answers;
export type EngineQuestions = {
  [K in EngineQuestionKind]: Answers[K] extends (context: AnswerContext, question: infer Q) => unknown ? Q : never;
};
export type EngineAnswers = { [K in EngineQuestionKind]: Awaited<ReturnType<Answers[K]>> };

export interface EngineInput<K extends EngineQuestionKind = EngineQuestionKind> {
  readonly target: EngineTarget;
  readonly kind: K;
  readonly question: EngineQuestions[K];
  /** The limit for the engine's replies. */
  readonly timeoutMs: number;
}
/** `message` says why the engine has no answer; it names the socket, so it is for the log. */
export type EngineOutput<K extends EngineQuestionKind = EngineQuestionKind> =
  | { readonly ok: true; readonly answer: EngineAnswers[K] }
  | { readonly ok: false; readonly message: string; readonly isLate: boolean };

export default async function answer<K extends EngineQuestionKind>(
  { target, kind, question, timeoutMs }: EngineInput<K>,
  { bytes }: JobContext,
): Promise<EngineOutput<K>> {
  const isOwn = target.ownBeside !== null;
  const maxBytes = kind === 'stats' ? STATS_BYTES : isOwn ? LIST_BYTES.own : LIST_BYTES.shared;
  const library = new EngineLibrary(target, { timeoutMs, maxBytes });
  const find: { [N in EngineQuestionKind]: (context: AnswerContext, asked: EngineQuestions[N]) => Promise<unknown> } =
    answers;
  try {
    const found = await find[kind]({ docker: library.docker, isOwn, bytes }, question);
    return { ok: true, answer: found as EngineAnswers[K] };
  } catch (error) {
    const message = `the engine at ${target.socketPath} ${library.describe(error)}`;
    return { ok: false, message, isLate: error instanceof LateReply };
  }
}

function assertBounded(items: number, isOwn: boolean): void {
  if (isOwn && items > OWN_ITEMS) throw new Error(`it lists ${items} items of one kind, more than ${OWN_ITEMS}`);
}

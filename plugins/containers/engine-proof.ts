import { randomBytes } from 'node:crypto';
import { errorMessage } from '../../kernel/errors.ts';
import type { Finding } from '../../kernel/contract/points/finding.ts';
import type { EngineClient } from './engine/engine-client.ts';
import type { EngineQuestions } from './engine/engine-questions.ts';

/** A tar archive without files: the content of an image that needs no registry. */
const EMPTY_ARCHIVE = Buffer.alloc(1024);
const STEP_MS = 10_000;
const PREFIX = 'hostkeep-doctor';

/** Makes a container of an empty image, never starts it, and removes both. */
export async function proveContainers(engine: EngineClient): Promise<Finding> {
  const name = 'container made and removed';
  try {
    await makeAndRemove(engine, `${PREFIX}-${randomBytes(6).toString('hex')}`);
    return { name, ok: true, detail: `at ${engine.socketPath}` };
  } catch (error) {
    const remedy = `see the log of the engine; remove what is left with docker rm and docker rmi (${PREFIX}-…)`;
    return { name, ok: false, detail: errorMessage(error), remedy };
  }
}

async function makeAndRemove(engine: EngineClient, name: string): Promise<void> {
  const image = { method: 'POST', path: '/images/create', query: { fromSrc: '-', repo: name, tag: 'empty' } } as const;
  await step(engine, 'makes no image', image, [200], EMPTY_ARCHIVE);
  try {
    const body = { Image: `${name}:empty`, Cmd: ['none'], Labels: { 'hostkeep.doctor': name } };
    const query = { name };
    await step(engine, 'makes no container', { method: 'POST', path: '/containers/create', query, body }, [201]);
    const removal = { method: 'DELETE', path: `/containers/${name}`, query: { force: 'true', v: 'true' } } as const;
    await step(engine, 'removes no container', removal, [200, 204]);
  } finally {
    await step(engine, 'removes no image', { method: 'DELETE', path: `/images/${name}:empty` }, [200]);
  }
}

async function step(
  engine: EngineClient,
  failure: string,
  request: EngineQuestions['request'],
  expected: readonly number[],
  bytes?: Uint8Array,
): Promise<void> {
  const options = { timeoutMs: STEP_MS, ...(bytes !== undefined && { bytes }) };
  const { status, text } = await engine.ask('request', request, options);
  if (!expected.includes(status))
    throw new Error(`the engine ${failure}: it answers ${status} ${text.slice(0, 200).trim()}`);
}

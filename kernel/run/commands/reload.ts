import type { Command } from 'commander';
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../../errors.ts';
import { CommandFailure } from '../../contract/command.ts';
import { servingProcess } from '../../store/serving-lock.ts';
import { configOf, print, withCore, type GlobalOptions } from '../command-context.ts';

const POLL_MS = 100;
/** Plugins may take 30 seconds each to start. */
const ANSWER_MS = 120_000;

/** `hostkeep reload`: has the server read its configuration again, and waits for what it records of that. */
export async function reload(_: GlobalOptions, command: Command): Promise<void> {
  const { json, ...options } = command.optsWithGlobals<GlobalOptions & { json?: boolean }>();
  const { data } = configOf(options);
  const server = servingProcess(data);
  if (server === undefined) throw new CommandFailure('server_not_running', `no server serves ${data}`);
  const { pid } = server;
  await withCore(options, async ({ events }) => {
    const before = await events.lastId();
    signal(pid);
    for (const until = performance.now() + ANSWER_MS; performance.now() < until; await delay(POLL_MS)) {
      const [answer] = await events.find({ type: 'configuration.*' }, 1, before);
      if (answer?.type === 'configuration.reloaded')
        return print(json, { reloaded: true, pid }, 'the configuration was reloaded');
      if (answer?.type === 'configuration.refused')
        throw new CommandFailure('reload_failed', String(answer.data['reason']));
      if (servingProcess(data)?.pid !== pid)
        throw new CommandFailure('reload_failed', `process ${pid} does not serve ${data} any more`);
    }
    throw new CommandFailure('reload_failed', `process ${pid} did not answer within ${ANSWER_MS / 1000} s`);
  });
}

function signal(pid: number): void {
  try {
    process.kill(pid, 'SIGHUP');
  } catch (cause) {
    throw new CommandFailure(
      'reload_failed',
      `process ${pid} cannot be signalled: ${messageOf(cause)}; run the command as root or as the server's user`,
    );
  }
}

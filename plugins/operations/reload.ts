import { setTimeout as delay } from 'node:timers/promises';
import { CommandFailure, type Command } from '../../kernel/contract/command.ts';
import { errorMessage } from '../../kernel/errors.ts';
import { escapeControl } from '../../kernel/log.ts';

const POLL_MS = 100;
/** Plugins may take 30 seconds each to start. */
const ANSWER_MS = 120_000;

export const reloadCommand: Command = {
  usage: 'reload',
  summary: 'have the running server read its configuration and certificate again, and say what it made of them',
  async run({ files, withStore }) {
    const { folder } = files;
    const server = files.serving();
    if (server === undefined) throw new CommandFailure('server_not_running', `no server serves ${folder}`);
    const { pid } = server;
    return withStore(async ({ events }) => {
      const before = await events.lastId();
      signal(pid);
      for (const until = performance.now() + ANSWER_MS; performance.now() < until; await delay(POLL_MS)) {
        const [answer] = await events.find({ type: 'configuration.*' }, 1, before);
        if (answer?.type === 'configuration.reloaded') {
          const lacks = answer.data['lacks'] as readonly string[];
          const text = ['the configuration was reloaded', ...lacks.map((each) => escapeControl(each))].join('\n');
          return { value: { reloaded: true, pid, lacks }, text };
        }
        if (answer?.type === 'configuration.refused')
          throw new CommandFailure('reload_failed', String(answer.data['reason']));
        if (files.serving()?.pid !== pid)
          throw new CommandFailure('reload_failed', `process ${pid} does not serve ${folder} any more`);
      }
      throw new CommandFailure('reload_failed', `process ${pid} did not answer within ${ANSWER_MS / 1000} s`);
    });
  },
};

function signal(pid: number): void {
  try {
    process.kill(pid, 'SIGHUP');
  } catch (cause) {
    throw new CommandFailure(
      'reload_failed',
      `process ${pid} cannot be signalled: ${errorMessage(cause)}; run the command as root or as the server's user`,
    );
  }
}

import { randomUUID } from 'node:crypto';
import { defineCommands, type CommandContext, type OptionValues } from '../../kernel/contract/command.ts';
import { formatSize, textTable } from '../../kernel/kit/format.ts';
import { interruptible } from '../../kernel/kit/interruption.ts';
import { fail } from '../../kernel/errors.ts';
import { escapeControl } from '../../kernel/log.ts';
import type { KeptAccounts } from './kept-accounts.ts';

const BY = { username: '', ip: '' };

export default defineCommands({
  name: 'removed-account',
  summary: 'removed accounts whose backups are there',
  commands: [
    { usage: 'list', summary: 'list the removed accounts of this node that can be restored', run: list },
    {
      usage: 'restore <name>',
      summary:
        'make an account of the backup of a removed one, with its files, databases and settings, and print a new password for it. What fails leaves nothing, and the backups stay. What could not be restored is named, and the command then ends with 1',
      options: [
        { flags: '--backup <id>', summary: 'the backup; the newest one unless given' },
        { flags: '--username <name>', summary: 'name of the account; the one that it had unless given' },
        { flags: '--plan <name>', summary: 'plan of the account; the one that it had unless given' },
      ],
      run: restore,
    },
    {
      usage: 'remove <name>',
      summary: 'remove the backups of a removed account for good',
      asks: ([name = '']) => `Remove the backups of ${name}? Nothing of the account is left then.`,
      run: remove,
    },
  ],
});

function list(context: CommandContext) {
  return withRemoved(context, async (removed) => {
    const value = await removed.list();
    const rows = value.map(({ name, plan, removed_at: at, gone_at: goneAt, size_bytes: size, backups }) => [
      ...[
        name,
        plan ?? '',
        at,
        backups[0]?.created_at ?? '',
        String(backups.length),
        formatSize(size),
        goneAt ?? 'its purge',
      ],
    ]);
    return { value, text: textTable(['NAME', 'PLAN', 'REMOVED', 'NEWEST', 'BACKUPS', 'SIZE', 'STAYS UNTIL'], rows) };
  });
}

function restore(context: CommandContext, [name = '']: readonly string[], options: OptionValues) {
  const say = (step: string) => context.emit({ value: { step }, text: escapeControl(step) });
  return interruptible((signal) =>
    withRemoved(context, async (removed, { passwords }) => {
      const run = { id: randomUUID(), signal, onProgress: () => undefined, say };
      const prepared = await removed.prepare(name, textsIn(options));
      const password = passwords.random();
      const hash = await passwords.hash(password);
      const { username, plan, missing, next } = await removed.restore(prepared, hash, run, BY);
      if (missing.length > 0) process.exitCode = 1;
      const listed = [...missing.map((each) => `missing: ${each}`), ...next.map((each) => `left to do: ${each}`)];
      const text = `restored ${name} as ${username} on the plan ${plan ?? 'none'}, password ${password}`;
      const lines = [text, ...listed].map(escapeControl);
      context.emit({ value: { username, plan, password, missing, next }, text: lines.join('\n') });
      return undefined;
    }),
  );
}

function remove(context: CommandContext, [name = '']: readonly string[]) {
  return withRemoved(context, async (removed) => {
    await removed.remove(name, BY);
    return { value: { name, removed: true }, text: `the backups of ${name} are removed` };
  });
}

/** Calls back with what a command works on. Errors: 503 `feature_unavailable`. */
function withRemoved<T>(
  context: CommandContext,
  work: (
    removed: KeptAccounts,
    identity: Parameters<Parameters<CommandContext['withPlugins']>[0]>[0]['identity'],
  ) => Promise<T>,
): Promise<T> {
  return context.withPlugins(({ service, identity }) => {
    const removed = service<KeptAccounts>();
    if (removed === undefined) throw fail.feature_unavailable('the plugin backups is off or unavailable');
    return work(removed, identity);
  });
}

/** Returns the options that were given. */
function textsIn(options: OptionValues) {
  const text = (name: string) => (typeof options[name] === 'string' ? { [name]: options[name] } : {});
  return { ...text('backup'), ...text('username'), ...text('plan') };
}

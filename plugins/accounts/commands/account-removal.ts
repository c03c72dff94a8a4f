import type { CommandContext } from '../../../kernel/contract/command.ts';
import { textTable } from '../../../kernel/kit/format.ts';
import { purgeAccount } from '../purge.ts';
import { removeAccount } from '../removal.ts';

export function remove(context: CommandContext, [username = '']: readonly string[]) {
  return context.withPlugins(async (host) => {
    const { kept, files, problem } = await removeAccount(host, username);
    const where = files === undefined ? '' : `; its files are in ${files}`;
    const text = `${username} is removed${where}${problem === undefined ? '' : ` (${problem})`}`;
    return {
      value: { username, state: 'removed', files: files ?? null, problem: problem ?? null, kept },
      text: [text, ...kept].join('\n'),
    };
  });
}

/** The exit code is 1 if something is left. */
export async function purge(context: CommandContext, [username = '']: readonly string[]) {
  const never = new AbortController().signal;
  const report = await context.withPlugins((host) => purgeAccount(host, username, { username: '', ip: '' }, never));
  const isComplete = report.state === 'complete';
  if (!isComplete) process.exitCode = 1;
  const rows = report.parts.map(({ plugin, what, removed, problem }) => [plugin, what, String(removed), problem ?? '']);
  const table = textTable(['PLUGIN', 'WHAT', 'REMOVED', 'PROBLEM'], rows);
  const verdict = isComplete
    ? `${username} is purged, and its name is free`
    : `${username} is not purged: its name stays reserved`;
  return { value: { username, ...report }, text: `${table}\n${verdict}` };
}

export function listRemoved(context: CommandContext) {
  return context.withStore(async ({ identity: { accounts }, jobs }) => {
    const value = (await accounts.removed.list()).map((account) => ({
      username: account.username,
      removed_at: new Date(account.removedAt).toISOString(),
      node: account.home === '' ? null : account.home,
      files: jobs.removedRootOf(account),
    }));
    const rows = value.map(({ username, removed_at, files }) => [username, removed_at, files]);
    return { value, text: textTable(['USERNAME', 'REMOVED', 'FILES, IF ANY'], rows) };
  });
}

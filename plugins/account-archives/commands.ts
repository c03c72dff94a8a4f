import { resolve } from 'node:path';
import { defineCommands, type CommandContext, type OptionValues } from '../../kernel/contract/command.ts';
import { formatSize } from '../../kernel/kit/format.ts';
import { interruptible } from '../../kernel/kit/interruption.ts';
import { escapeControl } from '../../kernel/log.ts';
import type { Run } from './run.ts';

export default defineCommands({
  name: 'account',
  summary: 'accounts of customers and administrators',
  commands: [
    {
      usage: 'export <username> <file>',
      summary:
        'write an account of this node to a new file, with its files, domains and databases, for another installation. The account stays as it is, and may be used meanwhile. The file is closed to other users: keys of certificates and hashes of passwords are in it. What could not be read is named, and the command then ends with 1',
      run: exportOne,
    },
    {
      usage: 'import <file>',
      summary:
        'make an account of a file that `account export` wrote, and print a new password for it. Whatever is refused, or fails before the files and domains are there, leaves nothing. Databases that could not be brought are named, and the command then ends with 1',
      options: [
        { flags: '--username <name>', summary: 'name of the account here; the one that it had unless given' },
        { flags: '--plan <name>', summary: 'plan of the account here; the one of the same name unless given' },
      ],
      run: importOne,
    },
  ],
});

async function exportOne(context: CommandContext, [username = '', file = '']: readonly string[]) {
  const { exportAccount } = await import('./commands/export-account.ts'); // for which few commands should wait
  const path = resolve(file);
  const { sizeBytes, missing } = await withRun(context, (run) => exportAccount(run, username, path));
  const value = { username, file: path, size_bytes: sizeBytes };
  return report(context, value, `wrote ${path}, ${formatSize(sizeBytes)}`, { missing });
}

async function importOne(context: CommandContext, [file = '']: readonly string[], options: OptionValues) {
  const [{ importAccount }, { withArchive }, { Manifest }] = await Promise.all([
    import('./commands/import-account.ts'),
    import('./commands/archive-file.ts'),
    import('./commands/manifest.ts'),
  ]);
  const checked = (manifest: Record<string, unknown>) => context.checked(Manifest, manifest);
  return withArchive(resolve(file), checked, async (archive) => {
    const { account: told } = archive.manifest;
    const { username = told.username, plan = told.plan } = options;
    const chosen = { username: String(username), plan: plan === null ? null : String(plan) };
    const { account, password, missing, next } = await withRun(context, (run) => importAccount(run, archive, chosen));
    const text = `added user ${account.username} on the plan ${chosen.plan ?? 'none'}, password ${password}`;
    return report(context, { ...chosen, password }, text, { missing, next });
  });
}

function withRun<T>(context: CommandContext, work: (run: Run) => Promise<T>): Promise<T> {
  const say = (step: string) => context.emit({ value: { step }, text: escapeControl(step) });
  return interruptible((signal) => context.withPlugins((node) => work({ node, say, signal })));
}

/** Prints what came of a command on a line, as its steps before. */
function report(
  context: CommandContext,
  value: Readonly<Record<string, unknown>>,
  text: string,
  { missing, next = [] }: { readonly missing: readonly string[]; readonly next?: readonly string[] },
): undefined {
  const listed = (title: string, items: readonly string[]) =>
    items.length === 0 ? '' : `\n${title}:${items.map((each) => `\n- ${escapeControl(each)}`).join('')}`;
  const all = `${text}${listed('what is missing', missing)}${listed('what is left to do', next)}`;
  context.emit({ value: { ...value, missing, next }, text: all });
  if (missing.length > 0) process.exitCode = 1;
}

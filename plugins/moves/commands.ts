import {
  defineCommands,
  type Command,
  type CommandContext,
  type CommandOutput,
  type OptionValues,
} from '../../kernel/contract/command.ts';
import { interruptible } from '../../kernel/kit/interruption.ts';
import type { AccountMove, MoveReport } from './move-account.ts';
import { fail } from './errors.ts';

const moveCommand: Command = {
  usage: 'move <username>',
  summary:
    'move an account of this node to another one of the fleet, with its files, its databases and their users, its backups, the logs of its sites and what its services have stored. Changes are refused while the last differences are copied, and whatever fails before that is over leaves the account here. The same command again finishes what was interrupted. Sites that name a database server by its address must be changed. At its end it says what is left to do, such as to point domains to the other node: shorten their TTL before. Crontabs, users of the system, and certificates outside its files stay. An account with containers cannot be moved',
  options: [
    { flags: '--to <node>', summary: 'node where the account will live' },
    { flags: '--undo', summary: 'give up a move that was interrupted, and remove what came of it', conflicts: 'to' },
    {
      flags: '--force',
      summary: 'remove files and databases here, even what changed too late to be moved',
    },
  ],
  run: move,
};

export default defineCommands({
  name: 'account',
  summary: 'accounts of customers and administrators',
  commands: [moveCommand],
});

async function move(context: CommandContext, [username = '']: readonly string[], options: OptionValues) {
  const { to, undo, force } = options;
  if (undo !== true && typeof to !== 'string') throw fail.invalid_request('give --to <node>, or --undo');
  const { AccountMove } = await import('./move-account.ts'); // for which few commands should wait
  const say = (step: string) => context.emit({ value: { step }, text: step });
  const output = await interruptible((signal) =>
    context.withPlugins((parts) => {
      const one = new AccountMove(parts, say, signal);
      return undo === true ? undone(one, username) : moved(one, username, String(to), force === true);
    }),
  );
  context.emit(output);
  return undefined;
}

async function undone(one: AccountMove, username: string): Promise<CommandOutput> {
  const { to } = await one.undo(username);
  return { value: { username, to, state: 'undone' }, text: `${username} stays here, and ${to} has nothing of it` };
}

async function moved(one: AccountMove, username: string, to: string, isForced: boolean): Promise<CommandOutput> {
  return outputOf(await one.run(username, to, isForced));
}

/** The exit code is 1 if files are left to look at. */
function outputOf({ username, from, to, readOnlySeconds, late, files, next }: MoveReport): CommandOutput {
  const value = { username, from, to, state: 'moved', read_only_seconds: readOnlySeconds, late, next };
  const window = readOnlySeconds === null ? '' : `, and was read-only for ${readOnlySeconds} s`;
  const todo = next.map((each) => `\n- ${each}`).join('');
  const moved = `${username} lives on ${to}${window}${todo === '' ? '' : `\nwhat is left to do:${todo}`}`;
  if (late.length === 0) return { value, text: moved };
  process.exitCode = 1;
  return {
    value: { ...value, state: 'files_left' },
    text: `${moved}\nsomething wrote to ${files} after that: ${late.join(', ')}\nlook at them, and run this again with --force to remove all files there`,
  };
}

import { Command } from 'commander';
import { HttpError } from '../errors.ts';
import { Keyring } from '../identity/keyring.ts';
import { formatTime } from '../system/format-time.ts';
import { configOf, print, table, withCore, type GlobalOptions } from './command-context.ts';

interface Options extends GlobalOptions {
  readonly json?: boolean;
  readonly all?: boolean;
}

/** `hostkeep session …` */
export function sessionCommand(): Command {
  const session = new Command('session').description('sessions, each of which is one token');
  session.command('list <username>').description('sessions of an account').option('--json').action(list);
  session.command('end <username> [id]').description('ends one session, or all').option('--all').action(end);
  session
    .command('rotate-key')
    .description(
      'signs new tokens with a new key; the last one stays good for tokens in use. Then reload the server (SIGHUP)',
    )
    .action((_: Options, command: Command) => {
      print(
        false,
        undefined,
        `new key ${Keyring.open(configOf(command.optsWithGlobals<Options>()).data).rotate()}; send SIGHUP to the server`,
      );
    });
  return session;
}

async function list(username: string, _: Options, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>();
  await withCore(options, async ({ accounts, sessions }) => {
    const rows = await sessions.list((await accounts.get(username)).id);
    print(
      options.json,
      rows,
      table(
        ['ID', 'SINCE (UTC)', 'ADDRESS', 'CLIENT'],
        rows.map((row) => [row.id, formatTime(row.created_at), row.ip, row.user_agent]),
      ),
    );
  });
}

async function end(username: string, id: string | undefined, _: Options, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>();
  await withCore(options, async ({ accounts, sessions }) => {
    const account = await accounts.get(username);
    if (id !== undefined) await sessions.end(account, id, '');
    else if (options.all !== true) throw new HttpError('invalid_request', 'name a session, or --all');
    const count = id === undefined ? await sessions.endOthers(account, '', '') : 1;
    print(false, undefined, `ended ${count} session${count === 1 ? '' : 's'} of ${username}`);
  });
}

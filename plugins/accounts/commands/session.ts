import {
  assertChange,
  type CommandContext,
  type CommandGroup,
  type OptionValues,
} from '../../../kernel/contract/command.ts';
import { formatTime, textTable } from '../../../kernel/kit/format.ts';
import { fail } from '../errors.ts';

/** `hostkeep session …` */
export const sessionCommands: CommandGroup = {
  name: 'session',
  summary: 'logged-in sessions of accounts',
  commands: [
    { usage: 'list <username>', summary: 'list the sessions of an account', run: list },
    {
      usage: 'end <username> [id]',
      summary: 'end one session, or all',
      options: [{ flags: '--all', summary: 'all sessions of the account' }],
      run: end,
    },
    {
      usage: 'rotate-key',
      summary: 'sign new tokens with a new key; tokens in use stay valid. Run `hostkeep reload` after it',
      run: rotateKey,
    },
  ],
};

function list(context: CommandContext, [username = '']: readonly string[]) {
  return context.withStore(async ({ identity: { accounts, sessions } }) => {
    const value = await sessions.list((await accounts.get(username)).id);
    const rows = value.map((row) => [row.id, formatTime(row.created_at), row.ip, row.user_agent]);
    return { value, text: textTable(['ID', 'SINCE (UTC)', 'ADDRESS', 'CLIENT'], rows) };
  });
}

function end(context: CommandContext, [username = '', id]: readonly string[], { all }: OptionValues) {
  return context.withStore(async ({ identity: { accounts, sessions } }) => {
    const account = await accounts.get(username);
    if (id !== undefined) await sessions.end(account, id, '');
    else if (all !== true) throw fail.invalid_request('give the id of a session, or --all');
    const ended = id === undefined ? await sessions.endOthers(account, '', '') : 1;
    assertChange(ended > 0, `${username} has no session`);
    return { value: { ended }, text: `ended ${ended} session${ended === 1 ? '' : 's'} of ${username}` };
  });
}

async function rotateKey(context: CommandContext) {
  const kid = context.keyring().rotate();
  return { value: { kid }, text: `new key ${kid}; now run \`hostkeep reload\`` };
}

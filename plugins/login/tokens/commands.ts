import {
  assertChange,
  type CommandContext,
  type CommandGroup,
  type OptionValues,
} from '../../../kernel/contract/command.ts';
import { formatTime, textTable } from '../../../kernel/kit/format.ts';
import { NewToken } from './schema.ts';
import { tokenToMake, tokenView } from './tokens.ts';
import { fail } from '../errors.ts';

/** `hostkeep token …` */
export const tokenCommands: CommandGroup = {
  name: 'token',
  summary: 'API tokens, with which scripts act for an account',
  commands: [
    { usage: 'list <username>', summary: 'list the API tokens of an account', run: list },
    {
      usage: 'add <username>',
      summary: 'make an API token, and print it: it cannot be shown again',
      options: [
        { flags: '--name <text>', summary: 'what it is for', isRequired: true },
        { flags: '--scopes <list>', summary: 'what it may do, such as domains:read,domains:write', isRequired: true },
        { flags: '--days <number>', summary: 'days until it expires, at most 365', default: '90' },
        {
          flags: '--networks <list>',
          summary: 'where it may be used from, such as 192.0.2.7,2001:db8::/32; anywhere unless given',
        },
      ],
      run: add,
    },
    {
      usage: 'remove <username> [id]',
      summary: 'end one API token, or all',
      options: [{ flags: '--all', summary: 'all API tokens of the account' }],
      run: remove,
    },
  ],
};

function list(context: CommandContext, [username = '']: readonly string[]) {
  return context.withStore(async ({ identity: { accounts, tokens } }) => {
    const found = await tokens.list((await accounts.get(username)).id);
    const rows = found.map(({ id, name, scopes, expiresAt, lastUsedAt, lastUsedFrom }) => {
      const used = lastUsedAt === undefined ? '–' : `${formatTime(lastUsedAt)} ${lastUsedFrom}`;
      return [id, name, formatTime(expiresAt), used, scopes.join(',')];
    });
    const head = ['ID', 'NAME', 'EXPIRES (UTC)', 'LAST USED (UTC)', 'SCOPES'];
    return { value: found.map(tokenView), text: textTable(head, rows) };
  });
}

function add(context: CommandContext, [username = '']: readonly string[], options: OptionValues) {
  const wanted = context.checked(NewToken, {
    name: String(options['name']),
    scopes: wordsOf(options['scopes']),
    networks: wordsOf(options['networks']),
    expires_in_days: Number(options['days']),
  });
  return context.withPlugins(async ({ identity: { accounts, tokens }, node }) => {
    const account = await accounts.get(username);
    const { token, made } = await tokens.make(account, tokenToMake(node, account, wanted), '');
    return { value: { ...tokenView(made), token }, text: `${token}\n\nIt cannot be shown again.` };
  });
}

function remove(context: CommandContext, [username = '', id]: readonly string[], { all }: OptionValues) {
  return context.withStore(async ({ identity: { accounts, tokens } }) => {
    const account = await accounts.get(username);
    if (id !== undefined) await tokens.end(account, id, '');
    else if (all !== true) throw fail.invalid_request('give the id of an API token, or --all');
    const ended = id === undefined ? await tokens.endAll(account, '') : 1;
    assertChange(ended > 0, `${username} has no API token`);
    return { value: { ended }, text: `ended ${ended} API token${ended === 1 ? '' : 's'} of ${username}` };
  });
}

function wordsOf(value: OptionValues[string]): string[] {
  return value === undefined
    ? []
    : String(value)
        .split(',')
        .map((word) => word.trim());
}

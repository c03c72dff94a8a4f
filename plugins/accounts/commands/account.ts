import {
  assertChange,
  type Command,
  type CommandContext,
  type CommandGroup,
  type OptionValues,
} from '../../../kernel/contract/command.ts';
import { assertInstalled } from '../accounts.ts';
import { chooseHome } from '../placement.ts';
import { AccountBody, AccountChange, PasswordBody } from '../schema.ts';
import { list, show } from './account-list.ts';
import { listRemoved, purge, remove } from './account-removal.ts';
import { describe, planOption } from './account-text.ts';
import { fail } from '../errors.ts';

const EMAIL = { flags: '--email <address>', summary: 'e-mail address' } as const;
const PASSWORD_STDIN = { flags: '--password-stdin', summary: 'read the password from standard input' } as const;
/** Sets the option `plan` to false. */
const NO_PLAN = { flags: '--no-plan', summary: 'no plan, and so no features' } as const;

/** `hostkeep account …` */
export const accountCommands: CommandGroup = {
  name: 'account',
  summary: 'accounts of customers and administrators',
  commands: [
    {
      usage: 'add <username>',
      summary: 'add an account; prints a random password unless one is given',
      options: [
        { flags: '--admin', summary: 'an administrator, who has no plan' },
        { flags: '--plan <name>', summary: 'plan of the account; a user needs one, or --no-plan' },
        NO_PLAN,
        EMAIL,
        PASSWORD_STDIN,
        { flags: '--node <name>', summary: 'home of the account in a fleet; this node unless given' },
      ],
      run: add,
    },
    {
      usage: 'list',
      summary: 'list all accounts, or some of them',
      options: [
        { flags: '--plan <name>', summary: 'only those on a plan' },
        { flags: '--no-plan', summary: 'only those without a plan' },
        { flags: '--suspended', summary: 'only those that are suspended' },
        { flags: '--node <name>', summary: 'only those whose home is the named node of the fleet' },
        {
          flags: '--over-quota',
          summary:
            'only those of this node that have more than their plan allows, or no disk space left; measures the files of those that were not measured within a day',
        },
      ],
      run: list,
    },
    { usage: 'show <username>', summary: 'show one account with its domains, usage and features', run: show },
    {
      usage: 'set <username>',
      summary: 'change the plan, the e-mail address or the language',
      options: [
        { flags: '--plan <name>', summary: 'plan of the account' },
        NO_PLAN,
        EMAIL,
        { flags: '--locale <language>', summary: 'language of its pages and errors' },
      ],
      run: set,
    },
    {
      usage: 'password <username>',
      summary: 'set a new password, random unless given; ends all sessions',
      options: [PASSWORD_STDIN],
      run: setPassword,
    },
    suspension(true),
    suspension(false),
    {
      usage: 'remove <username>',
      summary: 'remove an account; its files are set aside, and its name stays reserved',
      asks: ([username = '']) =>
        `Remove the account ${username}? Its settings, domains and sessions are deleted; its files are set aside.`,
      run: remove,
    },
    {
      usage: 'purge <username>',
      summary:
        'remove the files, databases, containers and virtual hosts of a removed account, and free its name; may take long',
      asks: ([username = '']) => `Purge ${username}? Its files, databases and containers are deleted for good.`,
      run: purge,
    },
    { usage: 'removed', summary: 'list removed accounts whose names are reserved', run: listRemoved },
  ],
};

/** Rejects like the API, which has the same rules for names, plans, addresses and passwords. */
async function add(context: CommandContext, [username = '']: readonly string[], options: OptionValues) {
  const given = options['passwordStdin'] === true ? await context.readInput('The password') : undefined;
  const { email } = options;
  const isAdmin = options['admin'] === true;
  const node = options['node'] ?? (isAdmin ? undefined : context.nodeFiles.membership()?.name);
  // asks the other plugins, which takes a moment
  const home =
    typeof node === 'string'
      ? await context.withPlugins((host) => chooseHome(host, isAdmin ? 'admin' : 'user', node))
      : {};
  return context.withStore(
    async ({ identity: { accounts, passwords } }) => {
      const { password, ...rest } = context.checked(AccountBody, {
        username,
        password: given ?? passwords.random(),
        role: isAdmin ? 'admin' : 'user',
        ...planOption(options),
        ...(email !== undefined && { email }),
      });
      if (!isAdmin && rest.plan === undefined)
        throw fail.invalid_request('a user needs a plan: give --plan <name>, or --no-plan');
      const account = await accounts.create({ ...rest, ...home, passwordHash: await passwords.hash(password) });
      const added = `added ${account.role} ${username}`;
      return given === undefined
        ? { value: { ...describe(account), password }, text: `${added}, password ${password}` }
        : { value: describe(account), text: added };
    },
    { create: isAdmin }, // a node begins with its first administrator
  );
}

function set(context: CommandContext, [username = '']: readonly string[], options: OptionValues) {
  const { email, locale } = options;
  return context.withStore(async ({ identity: { accounts } }) => {
    const given = {
      ...planOption(options),
      ...(email !== undefined && { email }),
      ...(locale !== undefined && { locale }),
    };
    if (Object.keys(given).length === 0)
      throw fail.invalid_request('nothing to change: give --plan, --no-plan, --email or --locale');
    const changes = context.checked(AccountChange, given);
    if (changes.locale !== undefined) assertInstalled(context.locales, changes.locale);
    const { plan, ...before } = await accounts.get(username);
    const current: typeof changes = { ...before, plan: plan?.name ?? null };
    const names = Object.keys(changes) as (keyof typeof changes)[];
    assertChange(
      names.some((name) => changes[name] !== current[name]),
      `${username} has these settings already`,
    );
    const account = await accounts.update(username, changes);
    return { value: describe(account), text: `${username} is changed` };
  });
}

async function setPassword(context: CommandContext, [username = '']: readonly string[], options: OptionValues) {
  const given = options['passwordStdin'] === true ? await context.readInput('The password') : undefined;
  return context.withStore(async ({ identity: { accounts, credentials, passwords } }) => {
    const { password } = context.checked(PasswordBody, { password: given ?? passwords.random() });
    const account = await accounts.get(username);
    await credentials.setPassword(account, await passwords.hash(password));
    return given === undefined
      ? { value: { username, password }, text: `${username} has a new password: ${password}` }
      : { value: { username }, text: `${username} has a new password` };
  });
}

function suspension(suspended: boolean): Command {
  const [name, state, summary] = suspended
    ? ['suspend', 'suspended', 'close the account and end its sessions']
    : ['unsuspend', 'open again', 'open the account again'];
  return {
    usage: `${name} <username>`,
    summary,
    run: (context, [username = '']) =>
      context.withStore(async ({ identity: { accounts } }) => {
        const before = await accounts.get(username);
        assertChange(
          before.suspended !== suspended,
          `${username} is ${suspended ? 'suspended already' : 'not suspended'}`,
        );
        await (suspended ? accounts.suspend(username) : accounts.unsuspend(username));
        return { value: { username, state }, text: `${username} is ${state}` };
      }),
  };
}

import type { Account } from '../../../kernel/identity/accounts.ts';
import { HttpError } from '../../../kernel/errors.ts';
import type { Identity } from '../../../kernel/identity/identity.ts';
import { purgeAccount } from '../purge.ts';
import { removeAccount } from '../removal.ts';
import {
  textTable,
  type Command,
  type CommandContext,
  type CommandGroup,
  type OptionValues,
} from '../../../kernel/plugin-api/command.ts';

/** How many accounts are read at a time for a list of all. */
const PAGE = 1000;
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
        { flags: '--plan <name>', summary: 'plan of the account', default: 'basic' },
        NO_PLAN,
        { flags: '--email <address>', summary: 'e-mail address' },
        PASSWORD_STDIN,
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
      ],
      run: list,
    },
    { usage: 'show <username>', summary: 'show one account with its features', run: show },
    {
      usage: 'set <username>',
      summary: 'change the plan or the e-mail address',
      options: [
        { flags: '--plan <name>', summary: 'plan of the account' },
        NO_PLAN,
        { flags: '--email <address>', summary: 'e-mail address' },
      ],
      run: set,
    },
    {
      usage: 'password <username>',
      summary: 'set a new password, random unless given; ends all sessions',
      options: [PASSWORD_STDIN],
      run: setPassword,
    },
    change('suspend', 'close the account and end its sessions', 'suspended', ({ accounts }, name) =>
      accounts.suspend(name),
    ),
    change('unsuspend', 'open the account again', 'open again', ({ accounts }, name) => accounts.unsuspend(name)),
    { usage: 'remove <username>', summary: 'remove the account and keep its files, set aside', run: remove },
    {
      usage: 'purge <username>',
      summary: 'remove files, databases, containers and virtual hosts of a removed account, and free its name',
      run: purge,
    },
    { usage: 'removed', summary: 'list the removed accounts whose names are reserved', run: listRemoved },
  ],
};

async function add(context: CommandContext, [username = '']: readonly string[], options: OptionValues) {
  const given = options['passwordStdin'] === true ? await context.readInput() : undefined;
  const isAdmin = options['admin'] === true;
  return context.withStore(
    async ({ identity: { accounts, passwords } }) => {
      const password = given ?? passwords.random();
      const account = await accounts.create({
        username,
        role: isAdmin ? 'admin' : 'user',
        passwordHash: await passwords.hash(password),
        ...(isAdmin ? {} : planOf(options)),
        ...(typeof options['email'] === 'string' && { email: options['email'] }),
      });
      const added = `added ${account.role} ${username}`;
      return given === undefined
        ? { value: { ...describe(account), password }, text: `${added}, password ${password}` }
        : { value: describe(account), text: added };
    },
    { create: isAdmin }, // a node begins with its first administrator
  );
}

/** The plan that the options name, `null` for `--no-plan`. */
function planOf({ plan }: OptionValues): { plan?: string | null } {
  return plan === false ? { plan: null } : typeof plan === 'string' ? { plan } : {};
}

function list(context: CommandContext, _: readonly string[], { plan, suspended }: OptionValues) {
  return context.withStore(async ({ identity: { accounts, plans } }) => {
    if (typeof plan === 'string') await plans.get(plan); // rejects if there is none: a typing error is no empty list
    const all: Account[] = [];
    for (let page = await accounts.list(PAGE); page.length > 0;)
      page = await accounts.list(PAGE, all[all.push(...page) - 1]?.username);
    const found = all.filter(
      (account) =>
        (suspended !== true || account.suspended) &&
        (typeof plan !== 'string' || account.plan?.name === plan) &&
        (plan !== false || (account.plan === undefined && account.role === 'user')),
    );
    const rows = found.map(({ username, role, plan, suspended, email }) => [
      username,
      role,
      plan?.name ?? '',
      suspended ? 'suspended' : '',
      email,
    ]);
    return { value: found.map(describe), text: textTable(['USERNAME', 'ROLE', 'PLAN', 'STATE', 'EMAIL'], rows) };
  });
}

function show(context: CommandContext, [username = '']: readonly string[]) {
  return context.withStore(async ({ identity: { accounts } }) => {
    const value = describe(await accounts.get(username));
    const lines = Object.entries(value).map(
      ([name, each]) => `${name}: ${Array.isArray(each) ? each.join(', ') : JSON.stringify(each)}`,
    );
    return { value, text: lines.join('\n') };
  });
}

function set(context: CommandContext, [username = '']: readonly string[], { plan, email }: OptionValues) {
  return context.withStore(async ({ identity: { accounts } }) => {
    const changes = { ...planOf({ plan }), ...(typeof email === 'string' && { email }) };
    if (Object.keys(changes).length === 0)
      throw new HttpError('invalid_request', 'nothing to change: give --plan, --no-plan or --email');
    const account = await accounts.update(username, changes);
    return { value: describe(account), text: `${username} is changed` };
  });
}

async function setPassword(context: CommandContext, [username = '']: readonly string[], options: OptionValues) {
  const given = options['passwordStdin'] === true ? await context.readInput() : undefined;
  return context.withStore(async ({ identity: { accounts, credentials, passwords } }) => {
    const password = given ?? passwords.random();
    const account = await accounts.get(username);
    await credentials.setPassword(account, await passwords.hash(password));
    return given === undefined
      ? { value: { username, password }, text: `${username} has a new password: ${password}` }
      : { value: { username }, text: `${username} has a new password` };
  });
}

function remove(context: CommandContext, [username = '']: readonly string[]) {
  return context.withStore(async ({ identity: { accounts }, jobs }) => {
    const { files, problem } = await removeAccount(accounts, jobs, username);
    const where = files === undefined ? '' : `; its files are in ${files}`;
    return {
      value: { username, state: 'removed', files: files ?? null, problem: problem ?? null },
      text: `${username} is removed${where}${problem === undefined ? '' : ` (${problem})`}`,
    };
  });
}

/** The exit code is 1 if something is left. */
async function purge(context: CommandContext, [username = '']: readonly string[]) {
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

function listRemoved(context: CommandContext) {
  return context.withStore(async ({ identity: { accounts }, jobs }) => {
    const value = (await accounts.removed.list()).map((account) => ({
      username: account.username,
      removed_at: new Date(account.removedAt).toISOString(),
      files: jobs.removedRootOf(account),
    }));
    const rows = value.map(({ username, removed_at, files }) => [username, removed_at, files]);
    return { value, text: textTable(['USERNAME', 'REMOVED', 'FILES, IF ANY'], rows) };
  });
}

/** A command that does one thing to the account that it names. */
function change(
  name: string,
  summary: string,
  state: string,
  work: (identity: Identity, username: string) => Promise<void>,
): Command {
  return {
    usage: `${name} <username>`,
    summary,
    run: (context, [username = '']) =>
      context.withStore(async ({ identity }) => {
        await work(identity, username);
        return { value: { username, state }, text: `${username} is ${state}` };
      }),
  };
}

function describe({ username, role, email, plan, suspended, locale, overrides, features, createdAt }: Account) {
  return {
    username,
    role,
    email,
    plan: plan?.name ?? null,
    suspended,
    locale,
    overrides,
    features: [...features].toSorted(),
    created_at: new Date(createdAt).toISOString(),
  };
}

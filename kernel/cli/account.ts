import { Command } from 'commander';
import type { Account } from '../identity/accounts.ts';
import type { Core } from '../core.ts';
import { randomPassword } from '../identity/password-hasher.ts';
import { print, readStdin, table, withCore, type GlobalOptions } from './command-context.ts';

interface Options extends GlobalOptions {
  readonly json?: boolean;
  readonly admin?: boolean;
  readonly plan?: string;
  readonly email?: string;
  readonly passwordStdin?: boolean;
}

/** How many accounts are read at a time for a list of all. */
const PAGE = 1000;

/** `hostkeep account …` */
export function accountCommand(): Command {
  const account = new Command('account').description('accounts of customers and administrators');
  account
    .command('add <username>')
    .description('adds an account; prints a random password unless one is given')
    .option('--admin', 'an administrator, who has no plan')
    .option('--plan <name>', 'plan of the account', 'basic')
    .option('--email <address>')
    .option('--password-stdin', 'read the password from standard input')
    .option('--json')
    .action(add);
  account.command('list').description('all accounts').option('--json').action(list);
  account.command('show <username>').description('one account with its features').option('--json').action(show);
  account
    .command('set <username>')
    .description('changes plan or e-mail address')
    .option('--plan <name>')
    .option('--email <address>')
    .action(set);
  account
    .command('password <username>')
    .description('sets a new password, random unless given; ends all sessions')
    .option('--password-stdin', 'read the password from standard input')
    .option('--json')
    .action(password);
  account
    .command('suspend <username>')
    .description('closes the account and ends its sessions')
    .action((name: string, _: Options, command: Command) =>
      change(command, name, 'suspended', (core) => core.accounts.suspend(name)),
    );
  account
    .command('unsuspend <username>')
    .description('opens the account again')
    .action((name: string, _: Options, command: Command) =>
      change(command, name, 'open again', (core) => core.accounts.unsuspend(name)),
    );
  account
    .command('remove <username>')
    .description('removes the account; its files stay')
    .action((name: string, _: Options, command: Command) =>
      change(command, name, 'removed', (core) => core.accounts.remove(name)),
    );
  return account;
}

async function add(username: string, _: Options, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>();
  const given = options.passwordStdin === true ? await readStdin() : undefined;
  const secret = given ?? randomPassword();
  await withCore(options, async ({ accounts, passwords }) => {
    const isAdmin = options.admin === true;
    const account = await accounts.create({
      username,
      role: isAdmin ? 'admin' : 'user',
      passwordHash: await passwords.hash(secret),
      ...(isAdmin ? {} : { plan: options.plan ?? 'basic' }),
      ...(options.email === undefined ? {} : { email: options.email }),
    });
    const shown = given === undefined ? { password: secret } : {};
    print(
      options.json,
      { ...describe(account), ...shown },
      `added ${account.role} ${username}${given === undefined ? `, password ${secret}` : ''}`,
    );
  });
}

async function list(_: Options, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>();
  await withCore(options, async ({ accounts }) => {
    const all: Account[] = [];
    for (let page = await accounts.list(PAGE); page.length > 0; page = await accounts.list(PAGE, all.at(-1)?.username))
      all.push(...page);
    const rows = all.map((each) => [
      each.username,
      each.role,
      each.plan?.name ?? '',
      each.suspended ? 'suspended' : '',
      each.email,
    ]);
    print(options.json, all.map(describe), table(['USERNAME', 'ROLE', 'PLAN', 'STATE', 'EMAIL'], rows));
  });
}

async function show(username: string, _: Options, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>();
  await withCore(options, async ({ accounts }) => {
    const shown = describe(await accounts.get(username));
    print(
      options.json,
      shown,
      Object.entries(shown)
        .map(([name, value]) => `${name}: ${Array.isArray(value) ? value.join(', ') : JSON.stringify(value)}`)
        .join('\n'),
    );
  });
}

async function set(username: string, _: Options, command: Command): Promise<void> {
  const { plan, email } = command.optsWithGlobals<Options>();
  await change(command, username, 'changed', (core) =>
    core.accounts.update(username, {
      ...(plan === undefined ? {} : { plan }),
      ...(email === undefined ? {} : { email }),
    }),
  );
}

async function password(username: string, _: Options, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>();
  const given = options.passwordStdin === true ? await readStdin() : undefined;
  const secret = given ?? randomPassword();
  await withCore(options, async ({ accounts, passwords }) => {
    await accounts.setPassword(username, await passwords.hash(secret));
    print(
      options.json,
      { username, ...(given === undefined ? { password: secret } : {}) },
      `${username} has a new password${given === undefined ? `: ${secret}` : ''}`,
    );
  });
}

async function change(
  command: Command,
  username: string,
  what: string,
  work: (core: Core) => Promise<unknown>,
): Promise<void> {
  await withCore(command.optsWithGlobals<Options>(), work);
  print(false, undefined, `${username} is ${what}`);
}

function describe({
  username,
  role,
  email,
  plan,
  suspended,
  locale,
  overrides,
  features,
  createdAt,
}: Account): Record<string, unknown> {
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

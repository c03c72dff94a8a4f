import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fail as refuse } from '../../kernel/errors.ts';
import { defineCommands, type CommandContext, type OptionValues } from '../../kernel/contract/command.ts';
import { clientPath } from '../../kernel/kit/files/client-path.ts';
import { formatTime, textTable } from '../../kernel/kit/format.ts';
import type { DomainRegistry } from './changes/registry.ts';
import { listDomains, pages, type DomainRow } from './store.ts';

export default defineCommands({
  name: 'domain',
  summary: 'domains of all accounts',
  commands: [
    {
      usage: 'list',
      summary: 'list the domains, oldest first',
      options: [{ flags: '--account <username>', summary: 'only those of one account' }],
      run: list,
    },
    {
      usage: 'add <username> <domain>',
      summary: 'add a domain to an account, as the account itself can, and say where its files belong',
      options: [{ flags: '--docroot <path>', summary: 'the document root, as the account sees it' }],
      run: add,
    },
  ],
});

async function add(
  context: CommandContext,
  [username = '', domain = '']: readonly string[],
  { docroot }: OptionValues,
) {
  return context.withPlugins(async ({ identity, jobs, service }) => {
    const registry = service<{ readonly registry: DomainRegistry }>()?.registry;
    if (registry === undefined) throw refuse.feature_unavailable('the plugin domains is off or unavailable');
    const subject = { account: await identity.accounts.get(username), domain, ip: '' };
    const row = await registry.add(subject, typeof docroot === 'string' ? docroot : undefined);
    const root = jobs.rootOf(username).path;
    const folder = join(root, row.docroot);
    const { uid } = await stat(root);
    const value = { domain: row.name, account: username, folder, uid };
    return { value, text: `${row.name} is added; its files belong into ${folder}, and to the user id ${uid}` };
  });
}

function list({ withStore, config }: CommandContext, _: readonly string[], { account: username }: OptionValues) {
  return withStore(async ({ identity: { accounts }, store, jobs }) => {
    const found: DomainRow[] = [];
    if (typeof username === 'string') found.push(...(await listDomains(store, (await accounts.get(username)).id)));
    else for await (const page of pages(store)) found.push(...page);
    const value = await Promise.all(
      found.map(async ({ name, account_id, docroot, created_at }) => {
        const account = (await accounts.byId(account_id))?.username ?? '';
        return {
          domain: name,
          account,
          docroot: clientPath(docroot === '' ? [] : docroot.split('/'), config.virtual_root),
          folder: account === '' ? '' : join(jobs.rootOf(account).path, docroot),
          created_at: new Date(created_at).toISOString(),
        };
      }),
    );
    const rows = value.map(({ domain, account, folder }, i) => [
      domain,
      account,
      folder,
      formatTime(found[i]?.created_at ?? 0),
    ]);
    return { value, text: textTable(['DOMAIN', 'ACCOUNT', 'FOLDER', 'ADDED (UTC)'], rows) };
  });
}

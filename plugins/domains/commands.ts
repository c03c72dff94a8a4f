import { defineCommands, type CommandContext, type OptionValues } from '../../kernel/contract/command.ts';
import { clientPath } from '../../kernel/kit/files/client-path.ts';
import { formatTime, textTable } from '../../kernel/kit/format.ts';
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
  ],
});

function list({ withStore, config }: CommandContext, _: readonly string[], { account: username }: OptionValues) {
  return withStore(async ({ identity: { accounts }, store }) => {
    const found: DomainRow[] = [];
    if (typeof username === 'string') found.push(...(await listDomains(store, (await accounts.get(username)).id)));
    else for await (const page of pages(store)) found.push(...page);
    const value = await Promise.all(
      found.map(async ({ name, account_id, docroot, created_at }) => ({
        domain: name,
        account: (await accounts.byId(account_id))?.username ?? '',
        docroot: clientPath(docroot === '' ? [] : docroot.split('/'), config.virtual_root),
        created_at: new Date(created_at).toISOString(),
      })),
    );
    const rows = value.map(({ domain, account, docroot }, i) => [
      domain,
      account,
      docroot,
      formatTime(found[i]?.created_at ?? 0),
    ]);
    return { value, text: textTable(['DOMAIN', 'ACCOUNT', 'DOCUMENT ROOT', 'ADDED (UTC)'], rows) };
  });
}

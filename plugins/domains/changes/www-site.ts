import type { Gathered } from '../../../kernel/contract/extension-points.ts';
import type { Host } from '../../../kernel/contract/plugin.ts';
import { wwwName } from '../../../kernel/areas/sites/domain-directory.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import { domainPart } from '../docroots/docroot.ts';
import * as rows from '../store.ts';

type Surroundings = Pick<Host, 'store' | 'gather'> & { readonly node: Pick<Host['node'], 'config'> };

/**
 * Returns what serves again the site of an account that answers to a name as its `www.` while no domain and no alias has that. It is
 * called before another site gets the name, as a web server may refuse two of one name, and after any change.
 */
export async function wwwSite(
  { store, gather, node }: Surroundings,
  account: Account,
  name: string,
): Promise<() => Promise<readonly Gathered<'siteChanged'>[]>> {
  const row = name.startsWith('www.') ? await rows.find(store, name.slice('www.'.length)) : undefined;
  if (row?.account_id !== account.id || wwwName(row.name) !== name) return async () => [];
  const part = domainPart(row, account, node.config.virtual_root);
  return () => gather('siteChanged', part);
}

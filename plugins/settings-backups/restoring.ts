import type { ImportNotes } from '../../kernel/contract/points/archive-part.ts';
import { allowsPart, readParts, type SavedPart } from '../../kernel/areas/archives/saved-parts.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import { publicReason } from '../../kernel/errors.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { fail } from './errors.ts';
import type { Settings } from './settings-file.ts';

type Surroundings = Pick<Host, 'gather' | 'identity' | 'log' | 'node'>;

/**
 * Puts back what it can of the settings of an account that is in use, part by part, and then serves it. Resolves with what could not be
 * put back. `by` brings back an account that was removed. Can be repeated. Errors: 409 `account_not_open`; the signal's, between parts.
 */
export async function restoreSettings(
  host: Surroundings,
  { id }: Pick<Account, 'id'>,
  settings: Settings,
  { signal, by }: { readonly signal: AbortSignal; readonly by?: string },
): Promise<string[]> {
  const told: ImportNotes = { isLive: true, ...(by !== undefined && { restoredBy: by }), missing: [], next: [] };
  const all = await readParts(host, settings.parts, told, {
    misshapen: (plugin, reason, err) => {
      host.log.warn({ err, account: id, plugin }, 'settings of a backup have another form');
      told.missing.push(`what the plugin ${plugin} keeps, whose form has changed since: ${reason}`);
    },
  });
  const restored: SavedPart[] = [];
  const step = async ({ plugin }: SavedPart, work: (account: Account) => Promise<void> | undefined) => {
    signal.throwIfAborted();
    const account = await openAccount(host, id);
    await Promise.resolve(work(account)).catch((err: unknown) => {
      host.log.warn({ err, account: account.username, plugin }, 'settings of a backup were not restored');
      told.missing.push(`what the plugin ${plugin} keeps: ${publicReason(err)}`);
    });
  };
  for (const each of [...all.filter(({ part }) => part.isOpen), ...all.filter(({ part }) => part.isOpen !== true)])
    await step(each, async (account) => {
      if (!allowsPart(host.node, account, each.plugin, told)) return;
      restored.push(each);
      await each.part.restore(account, each.saved, told);
    });
  for (const each of restored) await step(each, (account) => each.part.serve?.(account, each.saved, told));
  return [...told.missing, ...told.next];
}

/** Resolves with the account as it is by now. Errors: 409 `account_not_open`. */
async function openAccount({ identity }: Pick<Host, 'identity'>, id: number): Promise<Account> {
  const account = await identity.accounts.byId(id);
  if (identity.accounts.isOpenHere(account)) return account;
  throw fail.account_not_open('it was suspended, moved or removed meanwhile; restore its settings again later');
}

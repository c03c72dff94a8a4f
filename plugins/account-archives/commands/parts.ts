import { checkArchived, type ArchivePart, type ImportNotes } from '../../../kernel/contract/archives/archive-part.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import { errorMessage } from '../../../kernel/errors.ts';
import { fail } from '../errors.ts';
import type { Manifest } from './manifest.ts';
import type { Node, Run } from './run.ts';

/** A part of an archive, as its plugin has checked it. */
export interface SavedPart {
  readonly plugin: string;
  readonly part: ArchivePart;
  readonly saved: unknown;
}

/** Resolves with the parts of the plugins that are on, in the order in which they use each other. */
async function archiveParts({ gather }: Pick<Node, 'gather'>): Promise<Omit<SavedPart, 'saved'>[]> {
  return (await gather('archive')).map((answer) => {
    if (!answer.ok) throw answer.error;
    return { plugin: answer.plugin, part: answer.value };
  });
}

export async function saveParts(node: Node, account: Account): Promise<Manifest['parts']> {
  const saved: Record<string, unknown> = {};
  for (const { plugin, part } of await archiveParts(node)) {
    const value = await part.save(account);
    if (value !== undefined) saved[plugin] = value;
  }
  return saved;
}

/** Returns the parts of an archive that plugins can put back. Errors: 422 `account_archive_refused`. */
export async function readParts(node: Node, given: Manifest['parts'], { missing }: ImportNotes): Promise<SavedPart[]> {
  const parts = await archiveParts(node);
  const known = new Set(parts.map(({ plugin }) => plugin));
  for (const plugin of Object.keys(given))
    if (!known.has(plugin)) missing.push(`what the plugin ${plugin} keeps, which is not installed or off`);
  return parts
    .filter(({ plugin }) => Object.hasOwn(given, plugin))
    .map(({ plugin, part }) => {
      try {
        return { plugin, part, saved: checkArchived(plugin, part, given[plugin]) };
      } catch (cause) {
        throw fail.account_archive_refused(`it has what no account can have: ${errorMessage(cause)}`, { cause });
      }
    });
}

/** Puts back what the features of an account allow: what is for an open account, or all else. */
export async function restoreParts(
  { node: { node, identity }, signal }: Run,
  username: string,
  parts: readonly SavedPart[],
  told: ImportNotes,
  { isOpen }: { readonly isOpen: boolean },
): Promise<void> {
  const account = await identity.accounts.get(username);
  const plugins = new Map(node.plugins().map((each) => [each.name, each]));
  for (const { plugin, part, saved } of parts.filter((each) => (each.part.isOpen === true) === isOpen)) {
    signal.throwIfAborted();
    const { features = [] } = plugins.get(plugin) ?? {};
    if (features.length === 0 || features.some((each) => account.features.has(each)))
      await part.restore(account, saved, told);
    else told.missing.push(`what the plugin ${plugin} keeps: the account has no feature of ${features.join(', ')}`);
  }
}

import type { ImportNotes } from '../../../kernel/contract/points/archive-part.ts';
import { allowsPart, readParts, type SavedPart } from '../../../kernel/areas/archives/saved-parts.ts';
import { fail } from '../errors.ts';
import type { Manifest } from './manifest.ts';
import type { Node, Run } from '../run.ts';

/** Returns the parts of an archive that plugins can put back. Errors: 422 `account_archive_refused`. */
export const archivedParts = (node: Node, given: Manifest['parts'], told: ImportNotes): Promise<SavedPart[]> =>
  readParts(node, given, told, {
    misshapen: (_plugin, reason, cause) => {
      throw fail.account_archive_refused(`it has what no account can have: ${reason}`, { cause });
    },
  });

/** Puts back what the features of an account allow: what is for an open account, or all else. */
export async function restoreParts(
  { node: { node, identity }, signal }: Run,
  username: string,
  parts: readonly SavedPart[],
  told: ImportNotes,
  { isOpen }: { readonly isOpen: boolean },
): Promise<void> {
  const account = await identity.accounts.get(username);
  for (const { plugin, part, saved } of parts.filter((each) => (each.part.isOpen === true) === isOpen)) {
    signal.throwIfAborted();
    if (allowsPart(node, account, plugin, told)) await part.restore(account, saved, told);
  }
}

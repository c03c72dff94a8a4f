import { buffer } from 'node:stream/consumers';
import type { IncomingBody } from '../../kernel/contract/incoming-body.ts';
import type { SavedParts } from '../../kernel/areas/archives/saved-parts.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { PART_BYTES } from '../../kernel/kit/restic/questions.ts';
import { fail } from './errors.ts';

/** The settings of an account at one moment. */
export interface Settings {
  readonly version: 1;
  /** RFC 3339. */
  readonly made_at: string;
  readonly parts: SavedParts;
}
type Keys = Pick<Host['identity'], 'keys'>;

/** Far more than the settings of ten thousand domains take. */
const MOST_BYTES = 64 << 20;
const FOREIGN =
  'they were sealed for another account or by another installation, or were changed; an export of the account takes settings there';

/** Names the account: one has no use for what is sealed for another. */
const contextFor = ({ id }: Pick<Account, 'id'>) => `settings in backups of the account ${id}`;

/** Yields the settings of an account, sealed: they pass through its processes, and have keys of certificates. Errors: 422 `settings_refused`. */
export async function* sealSettings({ keys }: Keys, account: Account, settings: Settings): AsyncGenerator<Buffer> {
  const sealed = Buffer.from(keys.seal(JSON.stringify(settings), contextFor(account)));
  if (sealed.length > MOST_BYTES) throw fail.settings_refused(`they take more than ${MOST_BYTES} bytes`);
  for (let from = 0; from < sealed.length; from += PART_BYTES) yield sealed.subarray(from, from + PART_BYTES);
}

/** Resolves with what was sealed for an account. Errors: 422 `settings_refused`. */
export async function unsealSettings(
  { keys }: Keys,
  account: Pick<Account, 'id'>,
  content: IncomingBody,
): Promise<Settings> {
  if ((content.sizeBytes ?? 0) > MOST_BYTES) throw fail.settings_refused(`they take more than ${MOST_BYTES} bytes`);
  const sealed = await buffer(content);
  let text: string;
  try {
    text = keys.unseal(sealed.toString('latin1'), contextFor(account));
  } catch (cause) {
    throw fail.settings_refused(FOREIGN, { cause });
  }
  const settings = JSON.parse(text) as Settings;
  if (settings.version !== 1) throw fail.settings_refused('this version of the service does not know their form');
  return settings;
}

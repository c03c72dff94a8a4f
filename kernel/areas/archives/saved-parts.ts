import type { Account } from '../../identity/accounts/account.ts';
import { errorMessage } from '../../errors.ts';
import type { NodeInfo } from '../../contract/node-info.ts';
import type { Host } from '../../contract/plugin.ts';
import { checkArchived, type ArchivePart, type ImportNotes } from '../../contract/points/archive-part.ts';

/** The JSON that plugins keep of an account, by plugin. */
export type SavedParts = Record<string, unknown>;
/** A part that its plugin has checked. */
export interface SavedPart {
  readonly plugin: string;
  readonly part: ArchivePart;
  readonly saved: unknown;
}
interface PartFaults {
  /** Takes a plugin whose part is of another form. Throws, or leaves that part out. */
  misshapen(plugin: string, reason: string, cause: unknown): void;
}

/** Resolves with the parts of the plugins that are on, in the order in which they use each other. */
async function archiveParts({ gather }: Pick<Host, 'gather'>): Promise<Omit<SavedPart, 'saved'>[]> {
  return (await gather('archive')).map((answer) => {
    if (!answer.ok) throw answer.error;
    return { plugin: answer.plugin, part: answer.value };
  });
}

/** Rejects with what a plugin rejects with. */
export async function saveParts(host: Pick<Host, 'gather'>, account: Account): Promise<SavedParts> {
  const saved: SavedParts = {};
  for (const { plugin, part } of await archiveParts(host)) {
    const value = await part.save(account);
    if (value !== undefined) saved[plugin] = value;
  }
  return saved;
}

/** Returns the parts that plugins can put back; the others are missing. */
export async function readParts(
  host: Pick<Host, 'gather'>,
  given: SavedParts,
  { missing }: Pick<ImportNotes, 'missing'>,
  { misshapen }: PartFaults,
): Promise<SavedPart[]> {
  const parts = await archiveParts(host);
  const known = new Set(parts.map(({ plugin }) => plugin));
  for (const plugin of Object.keys(given))
    if (!known.has(plugin)) missing.push(`what the plugin ${plugin} keeps, which is not installed or off`);
  const read: SavedPart[] = [];
  for (const { plugin, part } of parts.filter((each) => Object.hasOwn(given, each.plugin)))
    try {
      read.push({ plugin, part, saved: checkArchived(plugin, part, given[plugin]) });
    } catch (cause) {
      misshapen(plugin, errorMessage(cause), cause);
    }
  return read;
}

/** Whether an account has a feature of the plugin of a part; else the part is missing. */
export function allowsPart(
  node: Pick<NodeInfo, 'plugins'>,
  account: Account,
  plugin: string,
  { missing }: Pick<ImportNotes, 'missing'>,
): boolean {
  const { features = [] } = node.plugins().find(({ name }) => name === plugin) ?? {};
  if (features.length === 0 || features.some((each) => account.features.has(each))) return true;
  missing.push(`what the plugin ${plugin} keeps: the account has no feature of ${features.join(', ')}`);
  return false;
}

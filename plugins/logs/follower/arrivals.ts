import { rename } from 'node:fs/promises';
import type { Host } from '../../../kernel/contract/plugin.ts';
import type { ArrivingLogs } from '../site-logs/arriving.ts';
import { KINDS, type SiteFolders } from '../site-logs/segments.ts';
import type { SiteWriter } from '../site-logs/writer.ts';
import { forgetDomain, writeFile, type GrowingFile } from '../store.ts';
import type { Sites } from './sites.ts';

interface ArrivalParts {
  readonly services: Pick<Host, 'local' | 'identity'>;
  readonly arriving: ArrivingLogs;
  readonly folders: SiteFolders;
  readonly sites: Sites;
}

/**
 * Gives sites the lines that came with their accounts, once these live here. Is to be called after the domains were read again, before a
 * line is appended: then those of before are the older ones.
 */
export async function takeArrived(parts: ArrivalParts, writer: SiteWriter): Promise<void> {
  const { arriving, services, sites } = parts;
  const { accounts } = services.identity;
  const here: number[] = [];
  for (const id of await arriving.accounts()) {
    const account = await accounts.byId(id);
    if (account !== undefined && accounts.isHere(account)) here.push(id);
  }
  if (here.length === 0) return;
  await sites.refresh(); // which may have been read before their accounts came
  for (const id of here) {
    for (const domainId of await arriving.folders(id).ids())
      if (sites.ownerOf(domainId) === id) await take(parts, writer, id, domainId);
    await arriving.remove(id); // with what is of no site of the account
  }
}

/** The rows go first: while the lines are where they came to, nothing was appended, and all can be repeated. */
async function take({ services, arriving, folders }: ArrivalParts, writer: SiteWriter, accountId: number, id: number) {
  const arrived = arriving.folders(accountId);
  const begun: GrowingFile[] = [];
  for (const kind of KINDS) {
    const last = (await arrived.segments(id, kind)).at(-1);
    const file = { domainId: id, kind, accountId, sizeBytes: 0, since: Date.now() };
    if (last !== undefined) begun.push({ ...file, segment: last.number + 1 });
  }
  await services.local.write(async (tx) => {
    await forgetDomain(tx, id);
    for (const file of begun) await writeFile(tx, file);
  });
  await folders.remove(id); // of when the account lived here before
  await rename(arrived.folder(id), folders.folder(id));
  writer.forget(id, KINDS);
  writer.begin(begun);
}

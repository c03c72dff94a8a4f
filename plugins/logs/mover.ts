import { appendPiece, assertRoom, readPiece } from '../../kernel/areas/moves/arriving-files.ts';
import { LeavingFiles, type LeavingFile } from '../../kernel/areas/moves/leaving-files.ts';
import type { Arrival, Leaving, MovePart, MoveLink } from '../../kernel/contract/points/move-part.ts';
import { formatSize } from '../../kernel/kit/format.ts';
import { readCount, readJson, readList, readMembers, readText } from '../../kernel/kit/verb-arguments.ts';
import type { Store } from '../../kernel/store/store.ts';
import { fail } from './errors.ts';
import type { ArrivingLogs } from './site-logs/arriving.ts';
import { type Kind, type SiteFolders } from './site-logs/segments.ts';
import { addTraffic, forgetAccount, readFiles, trafficByDay } from './store.ts';
import { firstOfMonth } from './traffic.ts';

interface Logs {
  readonly local: Store;
  readonly folders: SiteFolders;
  readonly arriving: ArrivingLogs;
  /** Resolves with the ids of the domains of an account, wherever it lives. */
  readonly siteIds: (username: string) => Promise<readonly number[]>;
}

const MOST_DAYS = 31;
const DAY = /^\d{4}-\d\d-\d\d$/;
/** The id of a domain, and the file: `7/access.1`. */
const FILE = /^[1-9]\d{0,14}\/(?:access|error)\.[1-9]\d{0,8}$/;
/** Traffic that came from another node counts for the account, and for none of its domains. */
const NO_DOMAIN = 0;

const nothing = async (): Promise<void> => undefined;

/**
 * Takes the lines of the account's sites along, and the traffic of this month, which the plan limits wherever the account lives. Who follows
 * the logs at the new home gives the lines to their sites.
 */
export function movePart(logs: Logs): MovePart {
  const forget = (id: number) => logs.local.write((tx) => forgetAccount(tx, id));
  return {
    obstacles: () => [],
    mover: {
      leave: ({ id }, link) => leave(logs, id, link),
      reopen: nothing,
      remove: async ({ id, username }) => {
        for (const domainId of await logs.siteIds(username)) await logs.folders.remove(domainId);
        await forget(id);
      },
      arrive: (arrival) => arrive(logs, arrival),
      discard: async ({ id }) => {
        await forget(id);
        await logs.arriving.remove(id);
      },
    },
  };
}

function leave(logs: Logs, id: number, link: MoveLink): Leaving {
  const lines = new LeavingFiles(link, 'lines');
  const ask = (name: string, value: unknown) => link.ask({ name }, JSON.stringify(value));
  return {
    async begin() {
      const bytes = (await files(logs, id)).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
      await ask('room', { bytes });
      if (bytes > 0) link.say(`the logs of its sites go along, ${formatSize(bytes)}`);
    },
    copy: async () => lines.send(await files(logs, id)),
    async close() {
      await lines.send(await files(logs, id));
      await ask('traffic', await trafficByDay(logs.local, id, firstOfMonth()));
    },
    assertClosed: nothing,
    end: nothing,
  };
}

/** Resolves with what counts of the files of an account's sites. */
async function files({ local, folders }: Logs, id: number): Promise<LeavingFile[]> {
  const found: LeavingFile[] = [];
  for (const { domainId, kind, segment, sizeBytes } of (await readFiles(local)).filter((each) => each.accountId === id))
    for (const file of await folders.segments(domainId, kind)) {
      const { path, number, changedAt } = file;
      const counted = number === segment ? Math.min(file.sizeBytes, sizeBytes) : file.sizeBytes;
      if (number <= segment) found.push({ name: `${domainId}/${kind}.${number}`, path, sizeBytes: counted, changedAt });
    }
  return found;
}

async function arrive({ local, arriving }: Logs, { account: { id }, name, about = '', body }: Arrival): Promise<null> {
  if (name === 'lines') {
    const piece = readPiece(about, FILE);
    const [domainId, kind, segment] = piece.name.split(/[/.]/) as [string, Kind, string];
    await assertRoom(arriving.root, piece.bytes, 'its logs');
    await appendPiece(arriving.folders(id).path(Number(domainId), kind, Number(segment)), piece, body);
    return null;
  }
  const value = await readJson(body);
  if (name === 'room') {
    await arriving.remove(id);
    await assertRoom(arriving.root, readCount(readMembers(value, ['bytes']).bytes), 'its logs');
  } else if (name === 'traffic') {
    const days = readList(value, MOST_DAYS, readDay);
    await local.write(async (tx) => {
      await forgetAccount(tx, id);
      for (const each of days) await addTraffic(tx, { accountId: id, domainId: NO_DOMAIN, ...each });
    });
  } else throw fail.not_found('there is no such request between nodes');
  return null;
}

function readDay(value: unknown) {
  const { day, requests, bytes } = readMembers(value, ['day', 'requests', 'bytes']);
  return { day: readText(day, DAY), requests: readCount(requests), bytes: readCount(bytes) };
}

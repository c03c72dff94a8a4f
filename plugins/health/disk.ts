/** The disk with the data folder: while it is full, nobody can log in, because a login writes. */
import { statfs } from 'node:fs/promises';
import { errorMessage } from '../../kernel/errors.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import type { Finding } from '../../kernel/contract/points/finding.ts';
import { formatSize } from '../../kernel/kit/format.ts';

/** Room for some writes of the store and of its write-ahead log. */
const FULL_BYTES = 1 << 20;
/** Low is less than both a share and a number of bytes: a large disk has room for long, a small one is not low at once. */
const LOW = { share: 0.1, bytes: 1 << 30 };
const LOOK_MS = 30_000;

interface Room {
  readonly free_bytes: number;
  readonly total_bytes: number;
}

/** Whether the disk of a folder has no room for further writes. */
export const isFull = async (folder: string): Promise<boolean> => (await roomOf(folder)).free_bytes < FULL_BYTES;

/** Says how much room is left on the disk of a folder. */
export async function diskFinding(folder: string): Promise<Finding> {
  const name = 'disk';
  try {
    const room = await roomOf(folder);
    const detail = `${formatSize(room.free_bytes)} of ${formatSize(room.total_bytes)} are free for ${folder}`;
    if (!isLow(room)) return { name, ok: true, detail };
    const isWarning = room.free_bytes >= FULL_BYTES;
    return { name, ok: false, isWarning, detail, remedy: 'free some space there: when it is full, nobody can log in' };
  } catch (error) {
    return { name, ok: false, detail: errorMessage(error), remedy: `see that the disk of ${folder} can be read` };
  }
}

/** Records an event when room gets low, while it can still be recorded; again only after there was enough. */
export async function watchDisk({ node, store, events, log, onClose }: Host): Promise<void> {
  let wasLow = false;
  const look = async () => {
    const room = await roomOf(node.config.data);
    const low = isLow(room);
    if (low && !wasLow) {
      log.warn(room, 'the disk with the data folder is nearly full');
      const text = `has ${formatSize(room.free_bytes)} left on the disk with the data folder`;
      await store.write((tx) => events.record(tx, { type: 'disk.low', text, ip: '', isNoticed: true, data: room }));
    }
    wasLow = low;
  };
  const attempt = () => look().catch((err: unknown) => log.error({ err }, 'the room on the disk is not known'));
  const timer = setInterval(() => void attempt(), LOOK_MS).unref();
  onClose(() => clearInterval(timer));
  await attempt();
}

const isLow = ({ free_bytes: free, total_bytes: total }: Room): boolean => free < LOW.bytes && free < total * LOW.share;

async function roomOf(folder: string): Promise<Room> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { free_bytes: bavail * bsize, total_bytes: blocks * bsize };
}

/** The quota of one user on one file system. Blocks are of 1 KiB; a limit of 0 means unlimited. */
export interface QuotaRow {
  /** Login name, or `#` and the number of a user without one. */
  readonly user: string;
  readonly blocksUsed: number;
  readonly blocksSoft: number;
  readonly blocksHard: number;
  readonly filesUsed: number;
  readonly filesSoft: number;
  readonly filesHard: number;
}

const NAMES = {
  blocksUsed: 'BlockUsed',
  blocksSoft: 'BlockSoftLimit',
  blocksHard: 'BlockHardLimit',
  filesUsed: 'FileUsed',
  filesSoft: 'FileSoftLimit',
  filesHard: 'FileHardLimit',
} as const;
const FIELDS = Object.entries(NAMES) as [keyof typeof NAMES, string][];

/**
 * Parses the output of `repquota -u -O csv` line by line, so that a report on many users is never one long text.
 * Columns are identified by name. Lines that are not rows (warnings, reports on groups) are skipped; grace times, which
 * are text or seconds, are ignored.
 */
export class RepquotaParser {
  /** Whether a report on users has begun. */
  hasReport = false;
  #columns: Map<string, number> | undefined;

  row(line: string): QuotaRow | undefined {
    const cells = line.trim().split(',');
    if (cells[0] === 'User' || cells[0] === 'Group' || cells[0] === 'Project') {
      this.#columns = cells[0] === 'User' ? new Map(cells.map((name, i) => [name, i])) : undefined;
      this.hasReport ||= this.#columns !== undefined;
      return undefined;
    }
    const columns = this.#columns;
    const user = cells[0] ?? '';
    if (columns === undefined || user === '' || cells.length !== columns.size) return undefined;
    const row = { user } as Record<keyof typeof NAMES, number> & { user: string };
    for (const [field, name] of FIELDS) {
      const cell = cells[columns.get(name) ?? -1] ?? '';
      if (!/^\d{1,15}$/.test(cell)) return undefined;
      row[field] = Number(cell);
    }
    return row;
  }
}

/** Mount options of a file system with user quotas (ext4, XFS, and compatible ones). */
const USER_QUOTA = /^(quota|usrquota|uquota|uqnoenforce|usrjquota=.+)$/;

/** Returns the mount points with user quotas from `/proc/self/mountinfo`, one for each file system, unescaped. */
export function quotaMounts(mountinfo: string): string[] {
  const byDevice = new Map<string, string>();
  for (const line of mountinfo.split('\n')) {
    const fields = line.split(' ');
    const [device, root, mountPoint] = fields.slice(2, 5);
    const options = (fields[fields.indexOf('-') + 3] ?? '').split(',');
    if (device === undefined || mountPoint === undefined || !options.some((option) => USER_QUOTA.test(option)))
      continue;
    if (root === '/' || !byDevice.has(device))
      byDevice.set(
        device,
        mountPoint.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(parseInt(octal, 8))),
      );
  }
  return [...byDevice.values()];
}

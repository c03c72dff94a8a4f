/** What the kernel knows of one user on one file system. Blocks are of 1 KiB; a limit of 0 is none. */
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
 * Reads `repquota -u -O csv` line by line, so that a report on many users comes in pieces. Columns are found by
 * their names. A line that is no row (a warning, a group's report) is left out, as are the times of grace, which
 * come as text or as seconds.
 */
export class RepquotaParser {
  /** Whether there was a report on users at all. */
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

/** The rows of a whole report by user. */
export function parseRepquota(text: string): Map<string, QuotaRow> {
  const parser = new RepquotaParser();
  return new Map(
    text
      .split('\n')
      .flatMap((line) => parser.row(line) ?? [])
      .map((row) => [row.user, row]),
  );
}

/** Options of a mounted file system that counts for users (ext4, XFS, and what follows them). */
const USER_QUOTA = /^(quota|usrquota|uquota|uqnoenforce|usrjquota=.+)$/;

/** Mount points of `/proc/self/mountinfo` that count for users, one for each file system, with their octal escapes undone. */
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

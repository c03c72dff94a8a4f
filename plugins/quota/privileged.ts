import { readFile } from 'node:fs/promises';
import { fail } from '../../kernel/errors.ts';
import { definePrivileged } from '../../kernel/contract/privileged.ts';
import { readText } from '../../kernel/kit/verb-arguments.ts';
import { runProgram } from '../../kernel/kit/programs/run-program.ts';
import { quotaMounts, RepquotaParser, type QuotaRow } from './repquota.ts';
import { QuotaConfig } from './schema.ts';

export interface QuotaVerbs {
  /** Resolves with the quotas of all users of a file system, by its mount point. Rejects with why there is no report. */
  report(mount: string): Promise<readonly QuotaRow[]>;
}

const REPORT_MS = 10_000;
/** About a hundred bytes for each of 600,000 users. */
const REPORT_BYTES = 64 * 2 ** 20;

/** Reads the quotas of all users from the kernel. */
export default definePrivileged<QuotaVerbs>()({
  name: 'quota',
  config: QuotaConfig,
  verbs: ['report'],
  timeoutMs: REPORT_MS + 5000,
  open: ({ config, signal }) => ({
    report: async (given: unknown) => {
      const mount = readText(given, /^\/[^\0]*$/);
      const mounts = await findQuotaMounts(config.mounts);
      if (!mounts.includes(mount)) throw fail.invalid_request(`${mount} has no user quotas`);
      return report(config.repquota, mount, signal);
    },
  }),
});

/** Returns the mount points of the settings, or those that the kernel counts. */
export async function findQuotaMounts(configured: readonly string[]): Promise<readonly string[]> {
  return configured.length > 0 ? configured : quotaMounts(await readFile('/proc/self/mountinfo', 'utf8'));
}

async function report(command: string, mount: string, signal: AbortSignal): Promise<QuotaRow[]> {
  const rows: QuotaRow[] = [];
  const parser = new RepquotaParser();
  let rest = '';
  const { code, endedBy, stderr } = await runProgram(command, ['-u', '-p', '-O', 'csv', '--', mount], {
    signal,
    timeoutMs: REPORT_MS,
    exception: 'repquota',
    stdoutBytes: REPORT_BYTES,
    onOutput: (text) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const row = parser.row(line);
        if (row !== undefined) rows.push(row);
      }
    },
  });
  // The exit code is no criterion: it is not 0 also when another file system has a problem.
  if (endedBy === null && parser.hasReport) return rows;
  throw new Error(stderr.trim() || `no report within ${REPORT_MS / 1000} s, ended with ${endedBy ?? code}`);
}

import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { fail } from '../../kernel/errors.ts';
import { definePrivileged } from '../../kernel/contract/privileged.ts';
import type { Identified } from '../../kernel/kit/jobs/job.ts';
import { readAccount, readInteger, readList, readMembers, readText } from '../../kernel/kit/verb-arguments.ts';
import { runProgram } from '../../kernel/kit/programs/run-program.ts';
import { quotaMounts, RepquotaParser, type QuotaRow } from './kernel-quota/repquota.ts';
import { QuotaConfig } from './schema.ts';

/** Limits of what an account stores; 0 = unlimited. */
export interface AccountLimits {
  readonly account: Identified;
  readonly mib: number;
  readonly inodes: number;
}

export interface QuotaVerbs {
  /** Resolves with the quotas of all users of a file system, by its mount point. Rejects with why there is no report. */
  report(mount: string): Promise<readonly QuotaRow[]>;
  /** Has the kernel refuse what the user ids of accounts store beyond their limits on a file system, by its mount point. */
  limit(request: { readonly mount: string; readonly limits: readonly AccountLimits[] }): Promise<null>;
}

const TOOL_MS = 10_000;
/** Accounts whose limits are set at a time; callers have fewer in a page. */
const LIMITS_AT_ONCE = 1000;
const KIB_IN_MIB = 1024;
/** About an exbibyte. */
const LARGEST_MIB = 2 ** 40;
const LARGEST_INODES = 2 ** 48;
/** About a hundred bytes for each of 600,000 users. */
const REPORT_BYTES = 64 * 2 ** 20;

/** Reads the quotas of all users from the kernel, and sets those of accounts. */
export default definePrivileged<QuotaVerbs>()({
  name: 'quota',
  config: QuotaConfig,
  verbs: ['report', 'limit'],
  timeoutMs: TOOL_MS + 5000,
  open: ({ config, signal, userOf }) => ({
    report: async (given: unknown) => report(config.repquota, await readMount(config, given), signal),
    limit: async (given: unknown) => {
      const request = readMembers(given, ['mount', 'limits']);
      const mount = await readMount(config, request.mount);
      const lines = readList(request.limits, LIMITS_AT_ONCE, (each) => {
        const { account, mib, inodes } = readMembers(each, ['account', 'mib', 'inodes']);
        const user = userOf(readAccount(account));
        if (user === null) throw fail.invalid_request('accounts have no user ids of their own');
        const blocks = readInteger(mib, 0, LARGEST_MIB) * KIB_IN_MIB;
        const files = readInteger(inodes, 0, LARGEST_INODES);
        return `${user.uid} ${blocks} ${blocks} ${files} ${files}\n`;
      });
      await setLimits(config.setquota, mount, lines, signal);
      return null;
    },
  }),
});

async function readMount({ mounts }: QuotaConfig, given: unknown): Promise<string> {
  const mount = readText(given, /^\/[^\0]*$/);
  if (!(await findQuotaMounts(mounts)).includes(mount)) throw fail.invalid_request(`${mount} has no user quotas`);
  return mount;
}

/** Each line has a user id, the soft and the hard limit of blocks of 1 KiB, and the same of inodes. */
async function setLimits(command: string, mount: string, lines: readonly string[], signal: AbortSignal): Promise<void> {
  const { code, endedBy, stderr } = await runProgram(command, ['-u', '-b', '--', mount], {
    signal,
    timeoutMs: TOOL_MS,
    exception: 'quota tools',
    input: Readable.from(lines),
  });
  if (code !== 0) throw new Error(stderr.trim() || `${command} ended with ${endedBy ?? code}`);
}

/** Returns the mount points of the settings, or those that the kernel counts. */
export async function findQuotaMounts(configured: readonly string[]): Promise<readonly string[]> {
  return configured.length > 0 ? configured : quotaMounts(await readFile('/proc/self/mountinfo', 'utf8'));
}

async function report(command: string, mount: string, signal: AbortSignal): Promise<QuotaRow[]> {
  const rows: QuotaRow[] = [];
  const parser = new RepquotaParser();
  let rest = '';
  const { code, endedBy, stderr } = await runProgram(command, ['-u', '-p', '-v', '-O', 'csv', '--', mount], {
    signal,
    timeoutMs: TOOL_MS,
    exception: 'quota tools',
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
  throw new Error(stderr.trim() || `no report within ${TOOL_MS / 1000} s, ended with ${endedBy ?? code}`);
}

import { errorMessage } from '../../kernel/errors.ts';
import type { Finding } from '../../kernel/contract/points/finding.ts';
import { runProgram } from '../../kernel/kit/programs/run-program.ts';
import type { KernelQuota } from './kernel-quota/kernel-quota.ts';
import type { QuotaConfig } from './schema.ts';

/** Programs start slowly on a busy node. */
const VERSION_MS = 10_000;

/** Reports on `du`, the quota tools, and the file systems with user quotas. */
export async function doctor({ du, repquota }: QuotaConfig, kernel: KernelQuota): Promise<readonly Finding[]> {
  const [duVersion, tools, mounts] = await Promise.all([version(du), version(repquota), kernel.mounts()]);
  const isGnu = duVersion.startsWith('du (GNU coreutils)');
  return [
    {
      name: 'du',
      ok: isGnu,
      detail: duVersion,
      ...(isGnu ? {} : { remedy: 'install the GNU coreutils (apt-get install coreutils), or set quota.du to its du' }),
    },
    ...(mounts.length === 0
      ? [
          {
            name: 'kernel quota',
            ok: true,
            isUntried: true,
            detail: `no file system has user quotas; usage is measured and compared with the plans; ${repquota}: ${tools}`,
          },
        ]
      : await examineMounts(kernel, tools)),
  ];
}

async function examineMounts(kernel: KernelQuota, tools: string): Promise<Finding[]> {
  const { reports, problems } = await kernel.read();
  return [
    ...reports.map(({ mount, rows }) => ({
      name: 'kernel quota',
      ok: true,
      detail: `${mount}: ${rows.size} users; ${tools}`,
    })),
    ...problems.map((problem) => ({
      name: 'kernel quota',
      ok: false,
      detail: `${problem}; ${tools}`,
      remedy: 'apt-get install quota, turn quotas on (quotaon -u), and allow this user to read them',
    })),
  ];
}

/** Returns the first line that `--version` prints, or why there is none. */
async function version(command: string): Promise<string> {
  try {
    const { endedBy, stdout, stderr } = await runProgram(command, ['--version'], { timeoutMs: VERSION_MS });
    if (endedBy === 'SIGKILL') return `${command} did not end within ${VERSION_MS / 1000} s, or was killed`;
    return `${stdout}${stderr}`.split('\n')[0] ?? '';
  } catch (error) {
    return errorMessage(error);
  }
}

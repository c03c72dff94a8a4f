import { messageOf } from '../../kernel/errors.ts';
import type { Finding } from '../../kernel/plugin-api/points/finding.ts';
import type { KernelQuota } from './kernel-quota.ts';
import { runProgram } from './run-program.ts';
import type { QuotaConfig } from './schema.ts';

const VERSION_MS = 1500;

/** What the plugin works with: `du`, the quota tools, and the file systems on which the kernel counts. */
export async function doctor({ du, repquota }: QuotaConfig, kernel: KernelQuota): Promise<readonly Finding[]> {
  const [measuring, tools, mounts] = await Promise.all([version(du), version(repquota), kernel.mounts()]);
  const isGnu = measuring.startsWith('du (GNU coreutils)');
  return [
    {
      name: 'du',
      ok: isGnu,
      detail: measuring,
      ...(isGnu ? {} : { remedy: 'install the GNU coreutils (apt-get install coreutils), or name its du in quota.du' }),
    },
    ...(mounts.length === 0
      ? [
          {
            name: 'kernel quota',
            ok: true,
            detail: `none: no file system is mounted with user quotas, so usage is measured and compared with plans; ${repquota}: ${tools}`,
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
      remedy: 'apt-get install quota, switch quotas on (quotaon -u), and let this user read them',
    })),
  ];
}

/** The first line of what `--version` prints, or why there is none. */
async function version(command: string): Promise<string> {
  let output = '';
  try {
    const { stderr } = await runProgram(command, ['--version'], {
      signal: new AbortController().signal,
      timeoutMs: VERSION_MS,
      onOutput: (text) => (output += text),
    });
    return `${output}${stderr}`.split('\n')[0] ?? '';
  } catch (error) {
    return messageOf(error);
  }
}

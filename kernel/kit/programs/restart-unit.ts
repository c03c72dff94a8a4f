import { readFileSync } from 'node:fs';
import { runProgram } from './run-program.ts';

const TIMEOUT_MS = 10_000;

/** Has systemd start the unit of a process anew. Resolves with `false` if the process is of none. Rejects if systemd refuses. */
export async function restartUnit(pid: number, signal: AbortSignal): Promise<boolean> {
  const [, unit] = /\/([^/]+\.service)$/m.exec(readFileSync(`/proc/${pid}/cgroup`, 'utf8')) ?? [];
  if (unit === undefined) return false;
  const restart = ['--no-block', 'try-restart', unit];
  const { code, stderr } = await runProgram('systemctl', restart, { signal, timeoutMs: TIMEOUT_MS });
  if (code !== 0) throw new Error(`systemctl ${restart.join(' ')}: ${stderr.trim() || `exit code ${code}`}`);
  return true;
}

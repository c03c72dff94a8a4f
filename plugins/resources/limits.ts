import type { Account } from '../../kernel/identity/accounts/account.ts';

/** The limits of all processes of an account together; 0 = unlimited. */
export interface AccountLimits {
  readonly memoryMib: number;
  /** Of one processor. */
  readonly cpuPercent: number;
  /** Processes and threads. */
  readonly processes: number;
  /** From the disk of accounts' files, each second. */
  readonly readMib: number;
  readonly writeMib: number;
}

/** The largest that are kept: of memory and disks, more than any machine has. */
export const LARGEST: AccountLimits = {
  ...{ memoryMib: 2 ** 24, cpuPercent: 409_600, processes: 100_000 },
  ...{ readMib: 2 ** 20, writeMib: 2 ** 20 },
};
export const LIMIT_NAMES = Object.keys(LARGEST) as (keyof AccountLimits)[];

/** Returns what the plan of an account says. Without a plan, nothing is limited. */
export function planLimits({ plan }: Pick<Account, 'plan'>): AccountLimits {
  const { cpu_limit: cpu = 0, ram_limit_mib: memoryMib = 0, processes_limit: processes = 0 } = plan?.limits ?? {};
  const { io_read_limit_mib: readMib = 0, io_write_limit_mib: writeMib = 0 } = plan?.limits ?? {};
  return {
    memoryMib: Math.min(memoryMib, LARGEST.memoryMib),
    // a share that is too small for a percent is still a limit
    cpuPercent: cpu === 0 ? 0 : Math.max(1, Math.round(cpu * 100)),
    processes,
    readMib,
    writeMib,
  };
}

export const isSame = (a: AccountLimits, b: AccountLimits): boolean => LIMIT_NAMES.every((name) => a[name] === b[name]);

import type { Account } from '../../kernel/identity/accounts/account.ts';
import { counted, type AccountsUsage, type ResourceUsage } from '../../kernel/contract/points/account-report.ts';
import { Polled } from '../../kernel/kit/waiting/polled.ts';
import type { GroupFigures } from './groups.ts';
import { planLimits } from './limits.ts';
import type { ResourcesVerbs } from './privileged.ts';
import type { Resources } from './schema.ts';

const EVERY_MS = 5000;
/** How long figures are read after the last request. */
const IDLE_MS = 30_000;
const MIB = 2 ** 20;
const CONTROLLERS = ['memory', 'cpu', 'pids'] as const;
type Controller = (typeof CONTROLLERS)[number];

interface Known extends GroupFigures {
  readonly cpuPercent: number;
}
interface Reading {
  /** By the monotonic clock. */
  readonly at: number;
  readonly controllers: ReadonlySet<string>;
  readonly groups: ReadonlyMap<number, Known>;
}

/** The figures of all accounts' groups, read for all who ask, and only while somebody does. */
export class Readings {
  readonly #verbs: ResourcesVerbs;
  readonly #newest: Polled<Reading>;
  #before: Reading | undefined;

  constructor(verbs: ResourcesVerbs) {
    this.#verbs = verbs;
    this.#newest = new Polled({
      measure: () => this.#read(),
      freshMs: 2 * EVERY_MS,
      everyMs: EVERY_MS,
      idleMs: IDLE_MS,
    });
  }

  /** Errors: 503 `broker_unavailable`. */
  async of(account: Account): Promise<Resources> {
    const { controllers, groups } = await this.#newest.read();
    const { memoryMib, cpuPercent, processes } = planLimits(account);
    const known = groups.get(account.id);
    const figure = (controller: Controller, value = 0) => (controllers.has(controller) ? value : null);
    return {
      is_kept: CONTROLLERS.every((each) => controllers.has(each)),
      memory_bytes: figure('memory', known?.memoryBytes),
      memory_limit_bytes: memoryMib * MIB,
      cpu_percent: figure('cpu', known?.cpuPercent),
      cpu_limit_percent: cpuPercent,
      processes: figure('pids', known?.processes),
      processes_limit: processes,
    };
  }

  /** Returns what many accounts take; nothing of what is not counted here. */
  async ofMany(accounts: readonly Account[]): Promise<AccountsUsage> {
    return new Map(
      await Promise.all(accounts.map(async (account) => [account.id, toUsage(await this.of(account))] as const)),
    );
  }

  close(): Promise<void> {
    return this.#newest.close();
  }

  async #read(): Promise<Reading> {
    const { controllers, groups } = await this.#verbs.figures(null);
    const at = performance.now();
    const reading = {
      at,
      controllers: new Set(controllers),
      groups: new Map(groups.map((each) => [each.accountId, { ...each, cpuPercent: this.#percent(each, at) }])),
    };
    this.#before = reading;
    return reading;
  }

  /** Of one processor, since the reading before; 0 at first. A group that was made anew has counted less than before. */
  #percent({ accountId, cpuUs }: GroupFigures, at: number): number {
    const before = this.#before?.groups.get(accountId);
    if (this.#before === undefined || before === undefined) return 0;
    const percent = Math.max(0, cpuUs - before.cpuUs) / 10 / (at - this.#before.at);
    return Math.round(percent * 10) / 10;
  }
}

/** Returns the figures that are known, for operators. */
export function toUsage(resources: Resources): ResourceUsage[] {
  const { memory_bytes, memory_limit_bytes, cpu_percent, cpu_limit_percent, processes, processes_limit } = resources;
  const usage = (resource: string, used: number | null, limit: number): ResourceUsage[] =>
    used === null ? [] : [counted(resource, Math.round(used), limit)];
  return [
    ...usage('memory_kib', memory_bytes === null ? null : memory_bytes / 1024, memory_limit_bytes / 1024),
    ...usage('processor_percent', cpu_percent, cpu_limit_percent),
    ...usage('processes', processes, processes_limit),
  ];
}

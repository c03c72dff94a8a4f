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
const KIB = 1024;
const CONTROLLERS = ['memory', 'cpu', 'pids'] as const;
type Controller = (typeof CONTROLLERS)[number] | 'io';

interface Known extends GroupFigures {
  readonly cpuPercent: number;
  readonly readPerSecond: number;
  readonly writtenPerSecond: number;
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
    const { memoryMib, cpuPercent, processes, readMib, writeMib } = planLimits(account);
    const known = groups.get(account.id);
    const figure = (controller: Controller, value = 0) => (controllers.has(controller) ? value : null);
    return {
      is_kept:
        CONTROLLERS.every((each) => controllers.has(each)) && (readMib + writeMib === 0 || controllers.has('io')),
      memory_bytes: figure('memory', known?.memoryBytes),
      memory_limit_bytes: memoryMib * MIB,
      cpu_percent: figure('cpu', known?.cpuPercent),
      cpu_limit_percent: cpuPercent,
      processes: figure('pids', known?.processes),
      processes_limit: processes,
      read_per_second: figure('io', known?.readPerSecond),
      read_limit_per_second: readMib * MIB,
      written_per_second: figure('io', known?.writtenPerSecond),
      write_limit_per_second: writeMib * MIB,
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
      groups: new Map(groups.map((each) => [each.accountId, { ...each, ...this.#rates(each, at) }])),
    };
    this.#before = reading;
    return reading;
  }

  /** Since the reading before; 0 at first. A group that was made anew has counted less than before. */
  #rates(now: GroupFigures, at: number): Omit<Known, keyof GroupFigures> {
    const before = this.#before?.groups.get(now.accountId) ?? now;
    const seconds = (at - (this.#before?.at ?? 0)) / 1000;
    const rate = (name: 'cpuUs' | 'readBytes' | 'writtenBytes') => Math.max(0, now[name] - before[name]) / seconds;
    return {
      cpuPercent: Math.round(rate('cpuUs') / 1000) / 10,
      readPerSecond: Math.round(rate('readBytes')),
      writtenPerSecond: Math.round(rate('writtenBytes')),
    };
  }
}

/** Returns the figures that are known, for operators. */
export function toUsage(resources: Resources): ResourceUsage[] {
  const { memory_bytes, memory_limit_bytes, cpu_percent, cpu_limit_percent, processes, processes_limit } = resources;
  const { read_per_second, read_limit_per_second, written_per_second, write_limit_per_second } = resources;
  const kib = (resource: string, used: number | null, limit: number) =>
    usage(resource, used === null ? null : used / KIB, limit / KIB);
  const usage = (resource: string, used: number | null, limit: number): ResourceUsage[] =>
    used === null ? [] : [counted(resource, Math.round(used), limit)];
  return [
    ...kib('memory_kib', memory_bytes, memory_limit_bytes),
    ...usage('processor_percent', cpu_percent, cpu_limit_percent),
    ...usage('processes', processes, processes_limit),
    ...kib('disk_read_kib_per_second', read_per_second, read_limit_per_second),
    ...kib('disk_written_kib_per_second', written_per_second, write_limit_per_second),
  ];
}

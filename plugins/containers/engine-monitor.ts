import { randomBytes } from 'node:crypto';
import { withDeadline } from '../../kernel/kit/waiting/deadline.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { errorMessage } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import type { AccountLoad, AccountsLoad } from '../../kernel/contract/points/account-report.ts';
import type { Finding } from '../../kernel/contract/points/finding.ts';
import { counter, gauge, type Metric } from '../../kernel/contract/points/metric.ts';
import { pollDiskUsage } from './disk-usage/poll-disk-usage.ts';
import { pollContainers, type ContainerList } from './engine/container-list.ts';
import { EngineClient, EngineLate, type EngineOptions } from './engine/engine-client.ts';
import type { CgroupReader } from './stats/cgroup-reader.ts';
import { StatsCollector } from './stats/stats-collector.ts';
import { StatsSampler } from './stats/stats-sampler.ts';

interface MonitorOptions extends EngineOptions {
  readonly keepUsageMs: number;
  readonly cgroups: CgroupReader;
  readonly log: Log;
}

/** An engine on a busy node answers late, and the process that asks it starts late; the plugin's check has 5 s. */
const VERSION_MS = 4000;
const PROOF_MS = 10_000;

/** One engine and everything that is measured on it. Connects on the first request. */
export class EngineMonitor {
  readonly engine: EngineClient;
  readonly list: ContainerList;
  readonly sampler: StatsSampler;
  readonly diskUsage: ReturnType<typeof pollDiskUsage>;
  readonly #collector: StatsCollector;

  constructor(options: MonitorOptions) {
    const { cgroups, log, keepUsageMs } = options;
    this.engine = new EngineClient(options);
    this.list = pollContainers(this.engine, log);
    this.#collector = new StatsCollector(this.engine, cgroups);
    this.sampler = new StatsSampler({ list: this.list, collector: this.#collector, log });
    this.diskUsage = pollDiskUsage(this.engine, this.list, keepUsageMs);
  }

  /**
   * Measures what the running containers of accounts take, all zero for who has none. Errors: 503 `containers_unavailable`
   * while the engine is down.
   */
  async loads(accounts: readonly Account[]): Promise<AccountsLoad> {
    const snapshot = await this.list.read();
    const loads = accounts.map(async (account): Promise<[number, AccountLoad]> => {
      const own = snapshot.of(account);
      const measured = own.length === 0 ? [] : await this.#collector.measure(own, account.id);
      const sum = (figure: 'cpuPercent' | 'memoryBytes') => measured.reduce((total, each) => total + each[figure], 0);
      return [account.id, { cpuPercent: sum('cpuPercent'), memoryBytes: sum('memoryBytes') }];
    });
    this.#collector.keepOnly(snapshot.all);
    return new Map(await Promise.all(loads));
  }

  /**
   * Like `finding`, but without an engine it starts no process. `features` need the engine; they stay while it is only
   * late, since a request may find it in time.
   */
  async health(features: readonly string[]): Promise<Finding> {
    const { socketPath, isOwn } = this.engine;
    if (await this.engine.hasSocket()) {
      const { found, isLate } = await this.#check();
      if (found.ok) return found;
      const what = isLate ? 'does not answer in time' : 'gives no usable answer';
      return { ...found, ...(!isLate && { features }), detail: `the container engine at ${socketPath} ${what}` };
    }
    const detail = `no container engine listens at ${socketPath}`;
    return { name: 'container engine', ok: false, features, detail, remedy: remedyFor(detail, isOwn) };
  }

  /** The program at the socket and its version. */
  async finding(): Promise<Finding> {
    return (await this.#check()).found;
  }

  async #check(): Promise<{ readonly found: Finding; readonly isLate: boolean }> {
    const { isOwn, socketPath } = this.engine;
    const name = isOwn ? `container engine ${socketPath}` : 'container engine';
    try {
      const asked = this.engine.ask('version', {}, { timeoutMs: VERSION_MS });
      const { program, version, apiVersion } = await withDeadline(asked, VERSION_MS, () => new EngineLate('too late'));
      const detail = `${program} ${version} (API ${apiVersion}) at ${socketPath}`;
      return { found: { name, ok: true, detail }, isLate: false };
    } catch (error) {
      const detail = errorMessage(error);
      const found = { name, ok: false, detail, remedy: remedyFor(detail, isOwn) };
      return { found, isLate: error instanceof EngineLate };
    }
  }

  /** Has the engine make a container, and remove it. */
  async proof(): Promise<Finding> {
    const [name, prefix] = ['container made and removed', 'hostkeep-doctor'];
    try {
      const made = { name: `${prefix}-${randomBytes(6).toString('hex')}` };
      await this.engine.ask('prove', made, { timeoutMs: PROOF_MS });
      return { name, ok: true, detail: `at ${this.engine.socketPath}` };
    } catch (error) {
      const remedy = `see the log of the engine; remove what is left with docker rm and docker rmi (${prefix}-…)`;
      return { name, ok: false, detail: errorMessage(error), remedy };
    }
  }

  close(): void {
    this.sampler.close();
    void this.list.close();
  }
}

/** Returns the remedy for an engine that does not answer, by the message of the failed request. */
export function remedyFor(message: string, isOwn: boolean): string {
  if (isOwn)
    return "start the account's engine; its socket must belong to the user of the account's files, and no part of its path may be a symbolic link";
  if (/\bEACCES\b/.test(message)) return 'give this user access: usermod -aG docker <user>, then log in again';
  return 'apt-get install docker.io and start dockerd, or set containers.socket (empty = no engine)';
}

/** Reports which version of control groups is readable; without any, statistics come from the engine. */
export async function cgroupFinding(cgroups: CgroupReader): Promise<Finding> {
  const version = await cgroups.version();
  const unreadable = 'not readable: statistics come from the engine, one slower request for each container';
  return { name: 'control groups', ok: true, detail: version ? `version ${version}, readable` : unreadable };
}

/** The metrics of each engine, labelled with the path of its socket. */
export function engineMetrics(monitors: readonly EngineMonitor[]): Metric[] {
  const samples = (figure: (monitor: EngineMonitor) => number | undefined) =>
    monitors.flatMap((monitor) => {
      const value = figure(monitor);
      return value === undefined ? [] : [{ labels: { socket: monitor.engine.socketPath }, value }];
    });
  return [
    gauge(
      'hostkeep_container_engine_up',
      'Whether the engine answered the latest request for its containers',
      samples(({ list: { isUp } }) => (isUp === undefined ? undefined : Number(isUp))),
      'min',
    ),
    counter(
      'hostkeep_container_engine_calls_total',
      'Requests to the engine',
      samples(({ engine }) => engine.requests),
    ),
    gauge(
      'hostkeep_container_sampler_running',
      'Whether containers are sampled, which they are while accounts poll',
      samples(({ sampler }) => Number(sampler.isRunning)),
      'max',
    ),
    gauge(
      'hostkeep_container_sample_age_seconds',
      'Age of the oldest sample that is still served',
      samples(({ sampler }) => sampler.ageSeconds),
      'max',
    ),
  ];
}

import type { Account } from '../../kernel/identity/accounts.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import type { Finding } from '../../kernel/plugin-api/points/finding.ts';
import type { Metric } from '../../kernel/plugin-api/points/metric.ts';
import type { PortsPart } from '../../kernel/plugin-api/points/ports-part.ts';
import type { CgroupReader } from './stats/cgroup-reader.ts';
import { DiskUsageCollector } from './disk-usage/disk-usage-collector.ts';
import { Engine, type EngineOptions } from './engine/engine-client.ts';
import { list, members, text } from './engine/untrusted-json.ts';
import { StatsCollector } from './stats/stats-collector.ts';
import { portsOf } from './published-ports.ts';
import { ContainerList } from './engine/container-list.ts';
import { StatsSampler } from './stats/stats-sampler.ts';

export interface MonitorOptions extends EngineOptions {
  readonly keepUsageMs: number;
  readonly cgroups: CgroupReader;
  readonly log: Log;
}

/** All that is known and kept of one engine. Opens nothing until somebody asks. */
export class EngineMonitor {
  readonly engine: Engine;
  readonly sampler: StatsSampler;
  readonly diskUsage: DiskUsageCollector;
  readonly roster: ContainerList;

  constructor(socketPath: string, options: MonitorOptions) {
    const { cgroups, log, keepUsageMs } = options;
    this.engine = new Engine(socketPath, options);
    this.roster = new ContainerList(this.engine, log);
    this.sampler = new StatsSampler({ roster: this.roster, meter: new StatsCollector(this.engine, cgroups), log });
    this.diskUsage = new DiskUsageCollector(this.engine, this.roster, keepUsageMs);
  }

  /** Errors: 503 `containers_unavailable`, for accounts that may know of containers, while the engine is down. */
  async ports(account: Account): Promise<PortsPart> {
    try {
      return portsOf((await this.roster.list()).of(account));
    } catch (error) {
      if (!account.features.has('docker') || (await this.roster.isAbsent())) return {};
      throw error;
    }
  }

  /** What program answers at the socket, in which version. */
  async find(): Promise<Finding> {
    const name = this.engine.isOwn ? `container engine ${this.engine.socketPath}` : 'container engine';
    try {
      const { status, body } = await this.engine.get('/version', { timeoutMs: 1500 });
      if (status !== 200)
        throw new Error(`${this.engine.socketPath} answers a question for its version with ${status}`);
      const { Version, ApiVersion, Components } = members(body);
      const program = text(members(list(Components)[0])['Name']) === 'Podman Engine' ? 'Podman' : 'Docker';
      return {
        name,
        ok: true,
        detail: `${program} ${text(Version)} (API ${text(ApiVersion)}) at ${this.engine.socketPath}`,
      };
    } catch (error) {
      return { name, ok: false, detail: messageOf(error), remedy: remedyFor(messageOf(error), this.engine.isOwn) };
    }
  }

  close(): void {
    this.sampler.close();
    this.roster.close();
    this.engine.close();
  }
}

/** What to do about an engine that does not answer, by what connecting to it said. */
export function remedyFor(message: string, isOwn: boolean): string {
  if (isOwn) return "start the engine of the account, and see that no part of the socket's path is a link";
  if (/\bEACCES\b/.test(message)) return 'let this user talk to it: usermod -aG docker <user>, and log in again';
  return 'apt-get install docker.io and start dockerd, or name its socket in containers.socket; empty = none';
}

/** Which control groups can be read; where none can, the engine is asked for what they hold. */
export async function findCgroups(cgroups: CgroupReader): Promise<Finding> {
  const version = await cgroups.version();
  if (version === undefined)
    return {
      name: 'control groups',
      ok: true,
      detail: 'not readable here: the engine is asked for the use of each container, which takes longer',
    };
  return { name: 'control groups', ok: true, detail: `version ${version}, readable` };
}

/** Figures of each engine under the path of its socket. */
export function metricsOf(rooms: readonly EngineMonitor[]): Metric[] {
  const samples = (value: (room: EngineMonitor) => number | undefined) =>
    rooms.flatMap((room) => {
      const figure = value(room);
      return figure === undefined ? [] : [{ labels: { socket: room.engine.socketPath }, value: figure }];
    });
  return [
    {
      name: 'hostkeep_container_engine_up',
      help: 'Whether the engine answered when it was asked last.',
      type: 'gauge',
      samples: samples(({ roster }) => (roster.isUp === undefined ? undefined : Number(roster.isUp))),
    },
    {
      name: 'hostkeep_container_engine_calls_total',
      help: 'Questions to the engine.',
      type: 'counter',
      samples: samples(({ engine }) => engine.calls),
    },
    {
      name: 'hostkeep_container_sampler_running',
      help: 'Whether somebody polls and so samples are taken.',
      type: 'gauge',
      samples: samples(({ sampler }) => Number(sampler.isRunning)),
    },
    {
      name: 'hostkeep_container_sample_age_seconds',
      help: 'Age of the oldest sample that is answered.',
      type: 'gauge',
      samples: samples(({ sampler }) => sampler.ageSeconds),
    },
  ];
}

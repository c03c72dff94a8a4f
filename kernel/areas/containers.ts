import type { Account } from '../identity/accounts/account.ts';
import type { EngineTarget } from '../kit/engine/engine-library.ts';
import type { ContainerLine } from '../kit/engine/log-lines.ts';
import type { JobOwner } from '../kit/jobs/job.ts';

/** The label of a container that a service of its account is, by the name of the service: who made it, changes it. */
export const SERVICE_LABEL = 'hostkeep.service';

/** Lines of a log among which a text is looked for. */
export const SEARCHED_LINES = 20_000;

/** A port of a container; `publicPort` is 0 where it is not published. */
export interface ContainerPort {
  readonly ip: string;
  readonly privatePort: number;
  readonly publicPort: number;
  readonly protocol: string;
}

/** A container, as its engine lists it. */
export interface ListedContainer {
  readonly id: string;
  readonly names: readonly string[];
  readonly image: string;
  /** The service of its compose project; empty without one. */
  readonly service: string;
  /** `running`, `exited` and so on, and the same for people: `Up 3 hours`. */
  readonly state: string;
  readonly status: string;
  readonly createdSeconds: number;
  readonly ports: readonly ContainerPort[];
  /**
   * The IPv4 address at which this machine reaches it, on a network which no other account has a container on, so that none can come to
   * have the address; empty without one. Of `running`, only containers that run count.
   */
  readonly address: string;
}

/** A container by itself. Times are RFC 3339, empty for never. */
export interface ContainerDetails {
  readonly startedAt: string;
  readonly finishedAt: string;
  readonly exitCode: number;
  readonly isOutOfMemory: boolean;
  /** Whether it has no rights, namespaces or devices of the machine, and none of another container. */
  readonly isIsolated: boolean;
  readonly restarts: number;
  /** `starting`, `healthy` or `unhealthy`; empty without a check. */
  readonly health: string;
  /** 0 = unlimited. */
  readonly memoryBytes: number;
  readonly processors: number;
  /** A value is `null` where its name, or what it looks like, says that it is secret: it never leaves the engine's process. */
  readonly environment: readonly { readonly name: string; readonly value: string | null }[];
}

export type ContainerChange = 'start' | 'stop' | 'restart' | 'limit' | 'remove';

/** New limits; one that is left out stays. */
export interface ContainerLimits {
  /** Of memory and swap together. */
  readonly memoryBytes?: number;
  readonly nanoProcessors?: number;
}

/** The way of a job to an engine. */
export interface EngineAccess {
  readonly target: EngineTarget;
  /** Resolves with the account whose own engine it is, as which the job runs; without it, accounts share the engine. */
  readonly owner?: () => Promise<JobOwner>;
}

/** A container of an account. */
export interface OwnContainer {
  readonly listed: ListedContainer;
  readonly engine: EngineAccess;
  details(): Promise<ContainerDetails>;
  /** Resolves with why the engine refuses; `undefined` once it is done, or was so already. `limits` are those of `limit`. */
  change(change: ContainerChange, limits?: ContainerLimits): Promise<string | undefined>;
  /**
   * Resolves with the newest lines after a time, oldest first; fewer than `most` where they are long. With a text, those that contain
   * it, of the newest `SEARCHED_LINES`.
   */
  lines(most: number, after?: string, text?: string): Promise<readonly ContainerLine[]>;
}

/** The figures of running containers at one moment; bytes of network and disks are those since the start. */
export interface FiguresSample {
  /** In milliseconds since 1970. */
  readonly atMs: number;
  readonly containers: readonly {
    readonly id: string;
    /** 100 = one processor all the time. */
    readonly cpuPercent: number;
    /** Without inactive file cache, as the docker CLI shows it. */
    readonly memoryBytes: number;
    readonly limitBytes: number;
    readonly receivedBytes: number;
    readonly sentBytes: number;
    readonly readBytes: number;
    readonly writtenBytes: number;
    /** Processes and threads. */
    readonly pids: number;
  }[];
}

/** The containers of accounts. Errors: 503 `containers_unavailable`. */
export interface Containers {
  /** The running ones, at most a second old. */
  running(account: Account): Promise<readonly ListedContainer[]>;
  /** All, those that do not run included. */
  all(account: Account): Promise<readonly ListedContainer[]>;
  /** Resolves with one of the account's by its whole id. */
  find(account: Account, id: string): Promise<OwnContainer | undefined>;
  /**
   * Resolves with the latest samples, the newest last and at most five seconds old. They are taken every two seconds while somebody
   * asks, once for all who ask, and of the first containers where there are many.
   */
  figures(account: Account): Promise<readonly FiguresSample[]>;
}

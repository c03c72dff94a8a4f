import { NamedObject, Type, type Static } from '../../schema.ts';

/** A plugin's part of the report about an account, for operators. */
export interface AccountReport {
  /** Names of its domains. */
  readonly domains?: readonly string[];
  readonly usage?: readonly ResourceUsage[];
}

export interface ResourceUsage {
  /** The resource, with its unit: `disk_kib`. */
  readonly resource: string;
  readonly used: number;
  /** 0 = unlimited. */
  readonly limit: number;
  /** Whether the account has more than it may: more domains than its plan allows now, or no disk space left. */
  readonly isOver: boolean;
  /** When it was measured, in milliseconds since 1970; left out for what is counted now. */
  readonly at?: number;
}

/** Returns the usage of something that is counted, such as domains, of which an account may have as many as its plan says. */
export function counted(resource: string, used: number, limit = 0): ResourceUsage {
  return { resource, used, limit, isOver: limit > 0 && used > limit };
}

/** The usage of accounts, by their ids, as far as it is known without looking for it; the others are left out. */
export type AccountsUsage = ReadonlyMap<number, readonly ResourceUsage[]>;

/** The load by the processes, or by the containers, of an account. */
export interface AccountLoad {
  /** Of one core. */
  readonly cpuPercent: number;
  readonly memoryBytes: number;
}

export const IDLE: AccountLoad = { cpuPercent: 0, memoryBytes: 0 };

/** The load of accounts, by their ids; accounts of which a provider does not know it are left out. */
export type AccountsLoad = ReadonlyMap<number, AccountLoad>;

/** The figures by which operators find who uses most. */
export const FIGURES = ['disk_kib', 'inodes', 'cpu_percent', 'memory_bytes'] as const;
export type FigureName = (typeof FIGURES)[number];

const UNKNOWN = 'null while it is not known';
export const AccountFigures = NamedObject('AccountFigures', {
  disk_kib: Type.Union([Type.Integer(), Type.Null()], { description: UNKNOWN }),
  inodes: Type.Union([Type.Integer(), Type.Null()], { description: UNKNOWN }),
  cpu_percent: Type.Union([Type.Number(), Type.Null()], {
    description: `Of one core, by processes and containers, over the last seconds; ${UNKNOWN}`,
  }),
  memory_bytes: Type.Union([Type.Integer(), Type.Null()], {
    description: `In use by processes and containers; ${UNKNOWN}`,
  }),
});
export type AccountFigures = Static<typeof AccountFigures>;

/** The service of the plugin that samples what customers use. */
export interface SampledUsage {
  /** Resolves with the figures of this node's customers by their ids, sampled while somebody asks. Errors: 503 `overloaded`. */
  figures(): Promise<ReadonlyMap<number, AccountFigures>>;
  /** Returns the newest, which are `undefined` until a first sample, which this starts, has been taken. */
  peek(): ReadonlyMap<number, AccountFigures> | undefined;
}

import { toPercent } from '../kit/format.ts';
import { NamedObject, Type, type Static } from '../schema.ts';
import type { EtagReply } from './etag-reply.ts';

export interface CpuLoad {
  /** Percent of the time between two readings, with one decimal, by `core_<n>`. */
  readonly cores: Readonly<Record<string, number>>;
  /** Over all cores. */
  readonly percent: number;
}

/** Bytes. */
export interface MemorySpace {
  /** Of the machine, or the limit of its container. */
  readonly total: number;
  /** The kernel's estimate of what programs can still allocate. */
  readonly available: number;
}

const Count = (description: string) => Type.Integer({ minimum: 0, description: `Bytes; ${description}` });

export const Partition = NamedObject('Partition', {
  device: Type.String(),
  free: Count('available to unprivileged users, as in df'),
  fstype: Type.String(),
  mountpoint: Type.String(),
  percent: Type.Number({ minimum: 0, maximum: 100, description: 'With one decimal' }),
  total: Count('size'),
  used: Count('in use'),
});
export type Partition = Static<typeof Partition>;

/** Percent in use of the whole machine, 0 to 100; `null` where it cannot be read. */
export interface Load {
  readonly cpu: number | null;
  readonly memory: number | null;
  readonly disk: number | null;
}

/** How the host calls itself. */
export interface SystemNames {
  /** Manufacturer and model of the processor. */
  readonly processor: string;
  /** Name, release and code name of the operating system, e.g. `Debian GNU/Linux 12 (bookworm)`. */
  readonly distribution: string;
}

/** The service of the plugin that reads this machine. */
export interface Machine {
  /** Returns a meter: each call resolves with the load since the one before, the first with that since it was opened. */
  cpuMeter(): () => Promise<CpuLoad>;
  memory(): Promise<MemorySpace>;
  /** Resolves within a second: a disk that does not answer in time is left out. */
  disks(): Promise<readonly Partition[]>;
  /** Resolves with the load since the last call, whoever made it; never rejects. */
  load(): Promise<Load>;
  /** Resolves with the newest `SystemReport`, sampled while somebody asks. Errors: 503 `overloaded` while there is none yet. */
  report(): Promise<EtagReply>;
  /** Returns the names of the host; `undefined` while they are being found out. */
  names(): SystemNames | undefined;
}

/** Returns the load that figures show: over all cores, of the memory, and over all disks. */
export function toLoad(
  cpu: CpuLoad | undefined,
  memory: MemorySpace | undefined,
  disks: readonly Partition[] | undefined,
): Load {
  const sum = (name: 'used' | 'free') => disks?.reduce((all, disk) => all + disk[name], 0) ?? 0;
  return {
    cpu: cpu?.percent ?? null,
    memory: memory === undefined ? null : toPercent(memory.total - memory.available, memory.total),
    disk: disks === undefined || disks.length === 0 ? null : toPercent(sum('used'), sum('used') + sum('free')),
  };
}

const Bytes = (description: string) => Type.Number({ minimum: 0, description: `${description}, in bytes` });
const Text = (description: string) => Type.String({ description: `${description}; empty where unknown` });
const Rate = (description: string) =>
  Type.Union([Type.Number({ minimum: 0 }), Type.Null()], {
    description: `${description}; null until two samples exist`,
  });

export const SystemReport = NamedObject('SystemReport', {
  sampled_at: Type.String({ format: 'date-time', description: 'When this was sampled (UTC)' }),
  operating_system: NamedObject('OperatingSystem', {
    platform: Text('e.g. linux'),
    distribution: Text('e.g. Debian GNU/Linux'),
    release: Text('Release of the distribution'),
    codename: Text('Code name of the release'),
    kernel: Text('Release of the kernel'),
    architecture: Text('e.g. x64'),
    host_name: Text('Name of the host'),
  }),
  processor: NamedObject('Processor', {
    manufacturer: Text('Manufacturer'),
    model: Text('Model'),
    cores: Type.Integer({ description: 'Logical cores' }),
    physical_cores: Type.Integer(),
    speed_ghz: Type.Number({ description: 'Base speed; 0 where unknown' }),
    cache: NamedObject('ProcessorCache', {
      l1d: Bytes('Level 1 data cache'),
      l1i: Bytes('Level 1 instruction cache'),
      l2: Bytes('Level 2 cache'),
      l3: Bytes('Level 3 cache'),
    }),
  }),
  memory_modules: Type.Array(
    NamedObject('MemoryModule', {
      size: Bytes('Size'),
      bank: Text('Slot'),
      type: Text('e.g. DDR5'),
      clock_mhz: Type.Number(),
    }),
    { description: 'As the firmware tells; a single one without details in most virtual machines' },
  ),
  file_systems: Type.Array(
    NamedObject('FileSystem', {
      device: Text('Device'),
      type: Text('File system'),
      mountpoint: Text('Where it is mounted'),
      size: Bytes('Size'),
      used: Bytes('In use'),
      read_only: Type.Boolean(),
    }),
    { description: 'On devices and other machines; one that does not answer is left out' },
  ),
  network_interfaces: Type.Array(
    NamedObject('NetworkInterface', {
      name: Text('Interface'),
      ip4: Text('IPv4 address'),
      ip6: Text('IPv6 address'),
      mac: Text('Hardware address'),
      state: Text('up, down or unknown'),
      speed_mbit: Type.Union([Type.Number(), Type.Null()], { description: 'null where unknown' }),
      received: Bytes('Received since the start of the host'),
      sent: Bytes('Sent since the start of the host'),
      received_per_second: Rate('Bytes received a second'),
      sent_per_second: Rate('Bytes sent a second'),
    }),
  ),
  disk_io: NamedObject('DiskIo', {
    read: Bytes('Read since the start of the host'),
    written: Bytes('Written since the start of the host'),
    read_per_second: Rate('Bytes read a second'),
    written_per_second: Rate('Bytes written a second'),
  }),
  processes: NamedObject('ProcessList', {
    total: Type.Integer(),
    top: Type.Array(
      NamedObject('Process', {
        pid: Type.Integer(),
        name: Type.String({ description: 'Name of the program, without its arguments' }),
        user: Text('User that it runs as'),
        cpu_percent: Type.Number({ description: 'Of one core' }),
        memory_percent: Type.Number(),
        memory: Bytes('Resident memory'),
      }),
      { maxItems: 20, description: 'The twenty that use most, processor time first' },
    ),
    problem: Type.String({ description: 'Why the list is not of all processes; empty where it is' }),
  }),
  uptime_seconds: Type.Integer(),
  time_zone: Text('Name of the time zone, e.g. Europe/Berlin'),
  virtualization: NamedObject('Virtualization', { is_virtual: Type.Boolean(), host: Text('e.g. KVM') }),
});
export type SystemReport = Static<typeof SystemReport>;

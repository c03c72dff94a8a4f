import { NamedObject, Type, type Static } from '../../kernel/schema.ts';

const Socket = Type.String({ pattern: '^/', description: "Absolute path of an engine's socket" });

export const ContainersConfig = Type.Object(
  {
    socket: Type.String({
      pattern: '^(/.*)?$',
      default: '/var/run/docker.sock',
      description:
        'Socket of the Docker-compatible engine that accounts share; empty = no shared engine. On it, a container is that of the account that its label hostkeep.account names; without that label, of the account whose name its compose project has, if it was started from the folder of that account. While the engine at a socket does not answer, or is not there, statistics, disk usage and ports are 503; without an engine ports are null',
    }),
    sockets: Type.Record(Type.String(), Socket, {
      default: {},
      description:
        "Socket of an account's own engine by user name; all of its containers are that account's. It belongs to the user of the account's files, unless only root can change the folders above it. No part of the path may be a symbolic link",
    }),
    own_engines_at_once: Type.Integer({
      minimum: 1,
      maximum: 1000,
      default: 32,
      description:
        "Processes for accounts' own engines. An engine has one of some 50 MiB while it is polled; further engines wait",
    }),
    timeout_ms: Type.Integer({
      minimum: 100,
      maximum: 10_000,
      default: 2000,
      description: 'Time limit for one reply of an engine',
    }),
    df_seconds: Type.Integer({
      minimum: 1,
      maximum: 3600,
      default: 30,
      description:
        'How long measured sizes, images and volumes are kept; measuring makes the engine walk all of its files',
    }),
  },
  { additionalProperties: false },
);
export type ContainersConfig = Static<typeof ContainersConfig>;

const DATE = 'YYYY-MM-DD-HH-MM-SS in UTC';

export const ContainerStats = NamedObject('ContainerStats', {
  container_stats: NamedObject('ContainerSample', {
    date: Type.String({
      pattern: '^\\d{4}(-\\d\\d){5}$',
      description: `Time of the sample, ${DATE}; at most 5 seconds ago`,
    }),
    sampled_at: Type.String({ format: 'date-time', description: 'The same, RFC 3339' }),
    stats: NamedObject(
      'ContainerTotals',
      {
        BlockIO: Type.String({ description: 'Bytes read and written, e.g. 1.2MB / 3.4kB (1000 bytes = 1kB)' }),
        CPUPerc: Type.String({ description: 'Sum over the containers, 100 % = one processor, e.g. 0.15 %' }),
        Container: Type.String({ description: 'Number of running containers' }),
        ID: Type.String({ description: 'Always empty: the figures are sums over containers' }),
        MemPerc: Type.String({ description: 'Total usage in percent of the total limit' }),
        MemUsage: Type.String({
          description:
            'Total usage without inactive file cache, and total limit, e.g. 320.3MiB / 3GiB (1024 bytes = 1KiB); a container without a limit counts with the memory of the host',
        }),
        Name: Type.String({ description: 'Always empty: the figures are sums over containers' }),
        NetIO: Type.String({ description: 'Bytes received and sent, e.g. 1.2MB / 3.4kB (1000 bytes = 1kB)' }),
        PIDs: Type.Integer({ description: 'Processes and threads' }),
      },
      {
        description:
          "Sums over the account's running containers, including paused ones; on an account's own engine over the first 50",
      },
    ),
  }),
});
export type StatsTotals = Static<typeof ContainerStats>['container_stats']['stats'];

/** Members that are plain texts. */
const texts = <K extends string>(...names: readonly K[]) =>
  Object.fromEntries(names.map((name) => [name, Type.String()])) as Record<K, ReturnType<typeof Type.String>>;
const Size = Type.String({
  description: 'e.g. 3.15MB (1000 bytes = 1kB), as measured at `date`; N/A for what is newer than the measurement',
});
const Numeral = Type.String({ pattern: '^\\d+$' });
const Labels = Type.String({ description: 'name=value, sorted by name, separated by commas' });

const ContainerRecord = NamedObject('ContainerRecord', {
  Command: Type.String({ description: 'In double quotes' }),
  ...texts('CreatedAt', 'ID', 'Image'),
  Labels,
  LocalVolumes: Numeral,
  ...texts('Mounts', 'Names', 'Networks'),
  Platform: Type.Null(),
  ...texts('Ports', 'RunningFor'),
  Size,
  ...texts('State', 'Status'),
});
export type ContainerRecord = Static<typeof ContainerRecord>;

const ImageRecord = NamedObject('ImageRecord', {
  Containers: Type.String({ pattern: '^\\d+$', description: "Number of the account's containers that use the image" }),
  ...texts('CreatedAt', 'CreatedSince', 'Digest', 'ID', 'Repository', 'SharedSize'),
  Size,
  ...texts('Tag', 'UniqueSize', 'VirtualSize'),
});
export type ImageRecord = Static<typeof ImageRecord>;

const VolumeRecord = NamedObject('VolumeRecord', {
  ...texts('Availability', 'Driver', 'Group'),
  Labels,
  Links: Type.String({ pattern: '^\\d+$', description: "Number of the account's containers that mount the volume" }),
  ...texts('Mountpoint', 'Name', 'Scope', 'Size', 'Status'),
});
export type VolumeRecord = Static<typeof VolumeRecord>;

const BuildCacheRecord = NamedObject('BuildCacheRecord', {
  ...texts('CacheType', 'CreatedAt', 'CreatedSince', 'Description'),
  ID: Type.String({ description: 'Ends with * while a build uses it' }),
  ...texts('InUse', 'LastUsedAt', 'LastUsedSince', 'Parent', 'Shared'),
  Size,
  UsageCount: Numeral,
});
export type BuildCacheRecord = Static<typeof BuildCacheRecord>;

export const DiskUsage = NamedObject('ContainerDiskUsage', {
  data: Type.Array(
    NamedObject('EngineDiskUsage', {
      BuildCache: Type.Array(BuildCacheRecord, {
        description:
          "At most 1,000 records of an account's own engine, the largest first; empty on a shared engine, where records name no owner",
      }),
      Containers: Type.Array(ContainerRecord),
      Images: Type.Array(ImageRecord),
      Volumes: Type.Array(VolumeRecord),
    }),
    {
      minItems: 1,
      maxItems: 1,
      description:
        "What docker system df -v --format json prints, limited to the account: its containers, their images, and the volumes that they mount or that carry the account's label. Containers are at most 3 seconds old; sizes, images and volumes are those of `date`",
    },
  ),
  date: Type.String({
    pattern: '^\\d{4}(-\\d\\d){5}$',
    description: `When sizes, images and volumes were measured, ${DATE}`,
  }),
  measured_at: Type.String({ format: 'date-time', description: 'The same, RFC 3339' }),
});
export type DiskUsage = Static<typeof DiskUsage>;

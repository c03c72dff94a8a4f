import { NamedObject, Type, type Static } from '../../../kernel/schema.ts';

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
/** Report of the thread. */
export type HostReport = Omit<SystemReport, 'processes' | 'file_systems'>;

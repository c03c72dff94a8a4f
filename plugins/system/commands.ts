import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { defineCommands, type CommandContext, type OptionValues } from '../../kernel/contract/command.ts';
import { escapeControl } from '../../kernel/log.ts';
import { formatSize, formatTime, textTable } from '../../kernel/kit/format.ts';
import type { MemorySpace, Partition, SystemReport } from '../../kernel/areas/machine.ts';
import { cpuLoad, cpuReader, type CpuTimes } from './readers/cpu.ts';
import { DiskReader } from './readers/disks.ts';
import { MemoryReader } from './readers/memory.ts';
import { ProcessTable } from './readers/process-table.ts';
import { openSystemPool, type HostReport } from './report/report-sampler.ts';
import type { SystemConfig } from './schema.ts';

const INTERVAL_SECONDS = 2;
/** Clears a terminal and goes to its first line. */
const CLEAR = '\u001b[H\u001b[2J';

interface Sample {
  readonly at: number;
  readonly cpuPercent: number;
  readonly memory: MemorySpace;
  readonly disks: readonly Partition[];
  readonly report: HostReport & Pick<SystemReport, 'processes'>;
}

export default defineCommands({
  usage: 'top',
  summary: 'show processor, memory, disks, network and the busiest processes of this node, until Ctrl-C',
  options: [
    {
      flags: '--interval <seconds>',
      summary: `seconds between two samples, ${INTERVAL_SECONDS} unless given`,
      isNumber: true,
    },
    {
      flags: '--count <number>',
      summary: 'end after this many samples; without end on a terminal, and 1 elsewhere, unless given',
      isNumber: true,
    },
  ],
  run: top,
});

/** Samples the node itself, so that it works without a server, and costs a running one nothing. */
async function top(context: CommandContext, _: readonly string[], { interval, count }: OptionValues) {
  const { roots, remote_disks: remote } = await context.settingsOf<SystemConfig>('system');
  const [readCpu, memory, disks] = [cpuReader(roots.proc), new MemoryReader(roots), new DiskReader(roots, remote)];
  const [pool, table] = [openSystemPool(), new ProcessTable(roots.proc)];
  const stopping = new AbortController();
  void Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]).then(() => stopping.abort());
  const isLive = context.columns !== undefined;
  const wanted = typeof count === 'number' ? count : isLive ? Infinity : 1;
  try {
    let before: CpuTimes = await readCpu();
    for (let taken = 0; taken < wanted && !stopping.signal.aborted; taken += 1) {
      const pauseMs = 1000 * (typeof interval === 'number' ? interval : INTERVAL_SECONDS);
      // aborted, as the loop sees
      if (taken > 0) await delay(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) break;
      const [host, processes] = await Promise.all([pool.ask(null), table.read()]);
      const now = await readCpu();
      const sample: Sample = {
        at: Date.now(),
        cpuPercent: cpuLoad(before, now).percent,
        memory: await memory.read(),
        disks: await disks.read(),
        report: { ...host, processes },
      };
      before = now;
      const text = screen(sample);
      context.emit({ value: valueOf(sample), text: isLive ? CLEAR + fitted(text, context.columns ?? 0) : text });
    }
  } finally {
    await pool.close();
  }
  return undefined;
}

function valueOf({ at, cpuPercent, memory, disks, report }: Sample) {
  return {
    at: new Date(at).toISOString(),
    cpu_percent: cpuPercent,
    memory,
    disks,
    network_interfaces: report.network_interfaces,
    disk_io: report.disk_io,
    processes: report.processes,
    uptime_seconds: report.uptime_seconds,
  };
}

function screen({ at, cpuPercent, memory, disks, report }: Sample): string {
  const { operating_system: os, disk_io: io, processes, uptime_seconds: uptime } = report;
  const used = memory.total - memory.available;
  const active = report.network_interfaces.filter(({ received_per_second: rate }) => rate !== null);
  return [
    `${os.host_name}  ${formatTime(at)} UTC  up ${Math.floor(uptime / 3600)} h  ${processes.total} processes`,
    `processor ${cpuPercent} %  memory ${formatSize(used)} of ${formatSize(memory.total)}  disks read ${rateText(io.read_per_second)}, write ${rateText(io.written_per_second)}`,
    ...disks.map(
      ({ mountpoint, used: taken, total, percent }) =>
        `disk ${escapeControl(mountpoint)}  ${formatSize(taken)} of ${formatSize(total)}, ${percent} %`,
    ),
    ...active.map(
      ({ name, received_per_second: received, sent_per_second: sent }) =>
        `network ${name}  in ${rateText(received)}, out ${rateText(sent)}`,
    ),
    processes.problem,
    textTable(
      ['PID', 'USER', 'CPU %', 'MEMORY %', 'MEMORY', 'NAME'],
      processes.top.map(({ pid, user, cpu_percent: cpu, memory_percent: share, memory: bytes, name }) => [
        String(pid),
        user,
        cpu.toFixed(1),
        share.toFixed(1),
        formatSize(bytes),
        name,
      ]),
    ),
  ].join('\n');
}

const rateText = (bytes: number | null): string => (bytes === null ? 'unknown' : `${formatSize(Math.round(bytes))}/s`);

/** Cuts lines that a terminal would wrap, because the screen would scroll. */
const fitted = (text: string, columns: number): string =>
  text
    .split('\n')
    .map((line) => line.slice(0, columns))
    .join('\n');

import { definePlugin } from '../../kernel/plugin-api/plugin.ts';
import { ready, type Reply } from '../../kernel/plugin-api/reply.ts';
import { Type } from '../../kernel/schema.ts';
import { Broadcast } from './sampling/broadcast.ts';
import { Counts } from './history/counts.ts';
import { DiskReader } from './readers/disks.ts';
import { endpoints } from './endpoints.ts';
import { Recorder } from './history/recorder.ts';
import { MemoryReader } from './readers/memory.ts';
import { doctor, metrics } from './extension-points.ts';
import { RecentSamples } from './sampling/recent-samples.ts';
import { cpuReader, Sampler } from './sampling/sampler.ts';
import { Cpu, Disks, Endpoints, History, HistoryQuery, Memory, METRICS, Stats, UsageConfig } from './schema.ts';
import { SystemReport } from './system/report.ts';
import { SystemSampler } from './system/sampler.ts';
import { DailyStats } from './history/daily-stats.ts';
import { UsageStore } from './history/store.ts';

export default definePlugin({
  name: 'usage',
  features: ['usage'],
  config: UsageConfig,
  routes: (config) => {
    const access = config.access === 'feature' ? 'feature' : 'admin';
    const gate = { method: 'GET', address: 'admin', access } as const;
    return {
      list: {
        ...gate,
        path: '/api/usage',
        summary: 'All endpoints of this address, each with an example',
        reply: Endpoints,
      },
      stats: {
        ...gate,
        path: '/api/usage/stats',
        summary: 'Number of users, domains and websites by day',
        reply: Stats,
      },
      cpu: { ...gate, path: '/api/usage/cpu', summary: 'Load of each core', reply: Cpu },
      memory: { ...gate, path: '/api/usage/memory', summary: 'Memory in use and available', reply: Memory },
      disk: {
        ...gate,
        path: ['/api/usage/disk', '/api/usage/server'],
        summary: 'Space on each file system',
        reply: Disks,
      },
      system: {
        ...gate,
        path: '/api/usage/system',
        summary: 'Hardware, operating system, file systems, network, disk I/O and the busiest processes',
        description:
          'Sampled in the background while it is requested, every 5 seconds. The first request waits for the first ' +
          'sample, at most 3 seconds.',
        reply: SystemReport,
        errors: ['overloaded'],
      },
      stream: {
        ...gate,
        path: '/api/usage/stream',
        summary: 'Live samples as server-sent events',
        reply: Type.String(),
        produces: ['text/event-stream'],
        headers: ['last-event-id'],
        description:
          'Each event `sample` holds `{at, cpu, memory, disk}`, in the forms of the other routes. With ' +
          '`Last-Event-ID`, the stream begins with the samples missed in the last ten minutes. A client that does ' +
          'not keep up loses samples.',
        errors: ['overloaded'],
      },
      history: {
        ...gate,
        path: '/api/usage/history',
        summary: `One of ${METRICS.join(', ')} over time`,
        query: HistoryQuery,
        reply: History,
      },
    };
  },
  setup({ config, store, events, node, log, gather, onClose }) {
    const disks = new DiskReader(config.roots, config.remote_disks);
    const memory = new MemoryReader(config.roots);
    const sampler = new Sampler(
      { cpu: cpuReader(config.roots.proc), memory: () => memory.read(), disks: () => disks.read() },
      config.interval_ms,
      log,
    );
    const recent = new RecentSamples();
    const system = new SystemSampler(log);
    onClose(() => system.close());
    const counts = new Counts(gather, events);
    const usageStore = new UsageStore(store);
    const stats = new DailyStats(counts, usageStore);
    const recorder = new Recorder({ sampler, recent, counts, store: usageStore, log });
    const broadcast = new Broadcast(recent, config);
    sampler.isFollowed = () => broadcast.size > 0;
    sampler.listen((sample) => {
      recent.add(sample);
      recorder.add(sample);
      broadcast.send(sample);
    });
    onClose(() => recorder.close());
    onClose(() => counts.close());
    onClose(() => broadcast.close());
    onClose(() => sampler.close());

    /** Without a promise while the sampler is running. */
    const figure = (name: 'cpu' | 'memory' | 'disks') => (): Reply | Promise<Reply> => {
      const sample = sampler.read();
      return sample instanceof Promise ? sample.then((first) => first[name].reply) : sample[name].reply;
    };
    let list: Reply | undefined;
    return {
      handlers: {
        list: () => (list ??= ready({ endpoints: endpoints(node.routes(), node.url('admin')) })),
        stats: () => stats.reply(),
        cpu: figure('cpu'),
        memory: figure('memory'),
        disk: figure('disks'),
        system: () => system.reply(),
        stream: (call) => {
          const stream = broadcast.open(call.header('last-event-id'), call.account);
          void sampler.read();
          return stream;
        },
        history: ({ query }) => recorder.query(query.metric, query),
      },
      provides: {
        systemNames: () => system.names(),
        metrics: () => metrics(sampler, counts, broadcast),
        doctor: () => doctor(sampler, config.roots),
        demo: async () => usageStore.addDays((await import('./demo.ts')).demoDays()),
      },
    };
  },
});

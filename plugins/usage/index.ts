import { definePlugin } from '../../kernel/plugin-api/plugin.ts';
import { ready, type Reply } from '../../kernel/plugin-api/reply.ts';
import { Type } from '../../kernel/schema.ts';
import { Broadcast } from './broadcast.ts';
import { Counts } from './counts.ts';
import { DiskReader } from './disks.ts';
import { endpoints } from './endpoints.ts';
import { Recorder } from './history.ts';
import { MemoryReader } from './memory.ts';
import { doctor, metrics } from './provides.ts';
import { Recent } from './recent.ts';
import { cpuReader, Sampler } from './sampler.ts';
import { Cpu, Disks, Endpoints, History, HistoryQuery, Memory, METRICS, Stats, UsageConfig } from './schema.ts';
import { Stats as DailyStats } from './stats.ts';
import { UsageStore } from './store.ts';

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
        summary: 'All endpoints of this address, with an example of each',
        reply: Endpoints,
      },
      stats: { ...gate, path: '/api/usage/stats', summary: 'Users, domains and websites by the day', reply: Stats },
      cpu: { ...gate, path: '/api/usage/cpu', summary: 'Load of each core', reply: Cpu },
      memory: { ...gate, path: '/api/usage/memory', summary: 'Memory in use and available', reply: Memory },
      disk: {
        ...gate,
        path: ['/api/usage/disk', '/api/usage/server'],
        summary: 'Space on each file system',
        reply: Disks,
      },
      stream: {
        ...gate,
        path: '/api/usage/stream',
        summary: 'Every sample as it is taken, as server-sent events',
        reply: Type.String(),
        produces: ['text/event-stream'],
        headers: ['last-event-id'],
        description:
          'Events named `sample` hold `{at, cpu, memory, disk}` in the shapes of the other routes. `Last-Event-ID` brings what was missed in the last ten minutes. A client that does not keep up loses samples.',
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
    const recent = new Recent();
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

    /** In the same tick while the sampler is at work. */
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
        stream: (call) => {
          const stream = broadcast.open(call.header('last-event-id'), call.account);
          void sampler.read();
          return stream;
        },
        history: ({ query }) => recorder.query(query.metric, query),
      },
      provides: {
        metrics: () => metrics(sampler, counts, broadcast),
        doctor: () => doctor(sampler, config.roots),
      },
    };
  },
});

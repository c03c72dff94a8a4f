import { SharedCounter } from '../../kernel/contract/workers.ts';
import { definePlugin } from '../../kernel/contract/plugin.ts';
import { EtagReply, revalidated } from '../../kernel/areas/etag-reply.ts';
import type { SampledUsage } from '../../kernel/contract/points/account-report.ts';
import { SystemReport, type Machine } from '../../kernel/areas/machine.ts';
import { ready, type Reply } from '../../kernel/contract/reply.ts';
import { Type } from '../../kernel/schema.ts';
import { Broadcast } from './sampling/broadcast.ts';
import { Counts } from './history/counts.ts';
import { endpoints } from './endpoints.ts';
import { Recorder } from './history/recorder.ts';
import { metrics } from './extension-points.ts';
import { NO_MACHINE } from './sampling/no-machine.ts';
import { RecentSamples } from './sampling/recent-samples.ts';
import { Sampler } from './sampling/sampler.ts';
import { pollCustomers } from './customer-figures.ts';
import { accountUsagePage } from './accounts.ts';
import {
  AccountsQuery,
  AccountUsagePage,
  Cpu,
  Disks,
  Endpoints,
  History,
  HistoryQuery,
  Memory,
  METRICS,
  NodeQuery,
  Stats,
  UsageConfig,
} from './schema.ts';
import { DailyStats } from './history/daily-stats.ts';
import { UsageStore } from './history/store.ts';

export default definePlugin({
  name: 'usage',
  description: 'Load of the node: processor, memory, disks, counts, live stream and history.',
  features: ['usage'],
  uses: ['system'],
  config: UsageConfig,
  routes: (config) => {
    const access = config.access === 'feature' ? 'feature' : 'admin';
    const gate = { method: 'GET', address: 'admin', access } as const;
    return {
      list: {
        ...gate,
        path: '/api/usage',
        summary: 'List all endpoints of this address, each with an example',
        description:
          'An example is a command for curl that can be pasted into a shell. Those that change nothing name an account and a plan ' +
          'of this server.',
        reply: Endpoints,
      },
      stats: {
        ...gate,
        path: '/api/usage/stats',
        at: 'node',
        summary: 'Get the numbers of users, domains and websites by day',
        description: 'One line of JSON for each day on which the server ran, as text.',
        headers: ['if-none-match'],
        query: NodeQuery,
        reply: Stats,
      },
      cpu: {
        ...gate,
        path: '/api/usage/cpu',
        at: 'node',
        summary: 'Get the load of each core',
        description: 'In percent of the time since the last sample.',
        query: NodeQuery,
        reply: Cpu,
      },
      memory: {
        ...gate,
        path: '/api/usage/memory',
        at: 'node',
        summary: 'Get the memory in use and available',
        description: 'As `free` counts it, in bytes and as text; in a container, against its limit.',
        query: NodeQuery,
        reply: Memory,
      },
      disk: {
        ...gate,
        path: ['/api/usage/disk', '/api/usage/server'],
        at: 'node',
        summary: 'Get the space on each file system',
        description: 'File systems on devices, each once, as df counts them.',
        query: NodeQuery,
        reply: Disks,
      },
      accounts: {
        method: 'GET',
        address: 'admin',
        access: 'admin',
        path: '/api/usage/accounts',
        at: 'node',
        summary: 'List what each customer uses, with the limits of the plan',
        description:
          'From what is known already, so that it can be polled. Disk and inodes are those of the newest report of the ' +
          "kernel's quota; where there is none, they are measured in the background, ten accounts a minute at most, once somebody " +
          'asks, and again when they are a day old. Processor and memory are sampled every ten seconds while somebody asks: ' +
          'the first answer in order of names lacks them, and one in another order waits for them. Traffic is what sites have sent in this month, and bandwidth what they send today, in Mbit/s. In a fleet, the node that answers knows what its own customers ' +
          'use.',
        query: AccountsQuery,
        headers: ['if-none-match'],
        reply: AccountUsagePage,
        errors: ['overloaded'],
      },
      system: {
        ...gate,
        path: '/api/usage/system',
        at: 'node',
        summary: 'Get hardware, operating system, file systems, network, disk I/O and the busiest processes',
        description:
          'Sampled in the background while it is requested, every 5 seconds. The first request waits for the first ' +
          'sample, at most 3 seconds.',
        headers: ['if-none-match'],
        query: NodeQuery,
        reply: SystemReport,
        errors: ['overloaded'],
      },
      stream: {
        ...gate,
        path: '/api/usage/stream',
        at: 'node',
        summary: 'Follow the load of the node as server-sent events',
        query: NodeQuery,
        reply: Type.String(),
        produces: ['text/event-stream'],
        headers: ['last-event-id'],
        description:
          'Each event `sample` holds `{at, cpu, memory, disk}`, in the forms of the other routes. With ' +
          '`Last-Event-ID`, the stream begins with the samples missed in the last ten minutes, without it with the newest. ' +
          'A client that does not keep up loses samples.',
        errors: ['overloaded'],
      },
      history: {
        ...gate,
        path: '/api/usage/history',
        at: 'node',
        summary: `Get one of ${METRICS.join(', ')} over time`,
        description: 'Means over steps of the requested length. Older samples are kept in coarser steps.',
        query: HistoryQuery,
        reply: History,
      },
    };
  },
  setup(host) {
    const { config, local, events, identity, node, log, gather, peer, workers, onClose } = host;
    const { cpuMeter, memory, disks, report } = peer<Machine>('system') ?? NO_MACHINE;
    const sampler = new Sampler({ cpu: cpuMeter(), memory, disks }, config.interval_ms, log);
    const recent = new RecentSamples();
    const counts = new Counts(gather, events);
    const usageStore = new UsageStore(local);
    const stats = new DailyStats(counts, usageStore);
    const customers = pollCustomers(host);
    onClose(() => customers.close());
    const recorder = new Recorder({ sampler, recent, counts, store: usageStore, log, isShared: workers.count > 1 });
    const streams = new SharedCounter(workers, 'usage streams');
    onClose(() => streams.close());
    const broadcast = new Broadcast(recent, config, streams);
    sampler.isFollowed = () => broadcast.size > 0;
    sampler.listen((sample) => {
      recent.add(sample);
      broadcast.sendSample(sample);
    });
    void node.onLeader(() => {
      recorder.start();
      onClose(sampler.listen((sample) => recorder.add(sample)));
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
    let list: { readonly of: string; readonly reply: Reply } | undefined;
    const listed = async (caller: string): Promise<Reply> => {
      const [[customer], plans] = await Promise.all([
        identity.accounts.list(1, '', { role: 'user' }),
        identity.plans.all(),
      ]);
      const [plan = 'starter'] = plans.keys();
      const existing = { jane: customer?.username ?? caller, starter: plan };
      const of = JSON.stringify(existing);
      if (list?.of !== of)
        list = { of, reply: ready({ endpoints: endpoints(node.routes(), node.url('admin'), existing) }) };
      return list.reply;
    };
    return {
      handlers: {
        list: ({ account }) => listed(account.username),
        stats: (call) => revalidated(stats.reply(), call),
        cpu: figure('cpu'),
        memory: figure('memory'),
        disk: figure('disks'),
        system: (call) => revalidated(report(), call),
        stream: (call) => {
          const newest = sampler.read();
          return broadcast.open(
            call.header('last-event-id'),
            call.account,
            newest instanceof Promise ? undefined : newest,
          );
        },
        accounts: (call) =>
          revalidated(accountUsagePage({ identity, gather, customers }, call.query).then(EtagReply.json), call),
        history: ({ query }) => recorder.query(query.metric, query),
      },
      service: {
        figures: async () => (await customers.read()).figures,
        peek: () => customers.peek()?.figures,
      } satisfies SampledUsage,
      provides: {
        metrics: () => metrics(sampler, counts, broadcast),
        demo: async () => {
          const { demoMinutes } = await import('./demo.ts');
          await usageStore.write(demoMinutes());
        },
      },
    };
  },
});

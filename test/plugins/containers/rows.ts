import { join } from 'node:path';
import { dockerMissing, TestDocker } from '../../support/docker.ts';
import { demoEngine } from '../../support/fake-engine.ts';
import { temporaryFolder } from '../../support/folder.ts';
import type { PluginRows } from '../../support/plugin-rows.ts';

const rows: PluginRows = {
  surroundings: async () => {
    const socket = join(temporaryFolder(), 'engine.sock');
    const engine = await demoEngine(socket);
    return { config: { containers: { socket, timeout_ms: 10_000 } }, close: () => engine.close() };
  },
  opened: 'docker',
  answered: 'home',
  bounded: { df: 'a number that the plugin keeps or makes' },
  isolation: { unmarked: { stats: 'figures' } },
  pages: { '/home/containers': [] },
  measured: ['/api/docker_stats', '/api/container/df'],
  examples: {
    surroundings: async () => {
      const missing = dockerMissing();
      if (missing !== undefined) console.log(`no examples of containers: ${missing}`);
      const docker = missing === undefined ? await TestDocker.start() : undefined;
      return docker === undefined
        ? { config: {} }
        : { config: { containers: { socket: docker.socket } }, close: () => docker.stop() };
    },
  },
};
export default rows;

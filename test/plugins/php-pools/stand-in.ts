import { definePlugin, type Plugin } from '../../../kernel/contract/plugin.ts';
import type { PhpPool, PhpPoolDirectory } from '../../../kernel/areas/php-pools.ts';

export const NAME = '8.4-0f1e2d3c4b5a';
export const MIB = 2 ** 20;
/** Returns a pool that runs. */
export const pool = (username: string, other: Partial<PhpPool> = {}): PhpPool => ({
  ...{ username, name: NAME, version: '8.4', domains: [`${username}.example`], state: 'running', problem: null },
  ...{ processes: 2, active: 1, mostProcesses: 10, memoryBytes: 20 * MIB, runningSeconds: 120 },
  ...{ requests: 10, limitReached: 0, ...other },
});
export const asleep: Partial<PhpPool> = {
  ...{ state: 'asleep', processes: 0, active: 0, memoryBytes: 0, runningSeconds: 0, requests: null },
  limitReached: null,
};

/** Stands for the plugin that keeps the pools; those named by user name and name can be restarted. */
export function standIn(pools: readonly PhpPool[], restarts: readonly string[] = []): Plugin {
  const service: PhpPoolDirectory = {
    read: async () => ({ pools, served: 77 }),
    restart: async ({ username }, name) => restarts.includes(`${username} ${name}`),
  };
  return definePlugin({ name: 'php', features: [], routes: {}, setup: () => ({ service, handlers: {} }) });
}

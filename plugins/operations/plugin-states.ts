import type { PluginStatus } from '../../kernel/contract/node-info.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import { topic } from '../../kernel/contract/workers.ts';

const STATUSES = topic<readonly PluginStatus[]>('plugins');
/** From the best to the worst. */
const STATES: readonly PluginStatus['state'][] = ['off', 'ready', 'degraded', 'unavailable'];

/** Returns what resolves with the plugins and their states: of several workers, the worst, and those that do not answer. */
export function pluginStates({ node, workers, onClose }: Host) {
  onClose(workers.respond(STATUSES, () => node.plugins()));
  return async () => {
    const answers = await workers.query(STATUSES);
    const plugins = new Map(node.plugins().map((each) => [each.name, each]));
    const silent: number[] = [];
    for (const answer of answers) {
      if ('problem' in answer) silent.push(answer.worker);
      else
        for (const each of answer.value) {
          const known = plugins.get(each.name);
          if (known === undefined || STATES.indexOf(each.state) <= STATES.indexOf(known.state)) continue;
          plugins.set(each.name, { ...each, reason: `in worker ${answer.worker}: ${each.reason ?? ''}` });
        }
    }
    return { plugins: [...plugins.values()].map(viewOf), ...(silent.length > 0 && { silent_workers: silent }) };
  };
}

const viewOf = ({ name, state, features, provides, reason, remedy }: PluginStatus) => ({
  name,
  state,
  features: [...features],
  provides: [...provides],
  reason: reason ?? null,
  remedy: remedy ?? null,
});

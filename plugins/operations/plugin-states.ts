import type { PluginStatus } from '../../kernel/contract/node-info.ts';
import type { Host } from '../../kernel/contract/plugin.ts';

const TOPIC = 'plugins';
/** From the best to the worst. */
const STATES: readonly PluginStatus['state'][] = ['off', 'ready', 'degraded', 'unavailable'];

/** Returns what resolves with the plugins and their states: of several workers, the worst, and those that do not answer. */
export function pluginStates({ node, workers, onClose }: Host) {
  onClose(workers.answer(TOPIC, () => node.plugins()));
  return async () => {
    const answers = await workers.ask(TOPIC);
    const plugins = new Map(node.plugins().map((each) => [each.name, each]));
    const silent: number[] = [];
    for (const answer of answers) {
      if ('problem' in answer) silent.push(answer.worker);
      else
        for (const each of answer.value as PluginStatus[]) {
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

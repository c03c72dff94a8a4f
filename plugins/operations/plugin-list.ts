import type { CommandContext, CommandGroup } from '../../kernel/contract/command.ts';
import { textTable } from '../../kernel/kit/format.ts';

/** `hostkeep plugin …` */
export const pluginCommands: CommandGroup = {
  name: 'plugin',
  summary: 'plugins, which `plugins.<name>` of the configuration switches off',
  commands: [{ usage: 'list', summary: 'list all plugins, their states and features', run: list }],
};

/** Sets the plugins up as a server would, and asks them what they lack outside. */
function list(context: CommandContext) {
  return context.withPlugins(async ({ node, gather }) => {
    const lacks = new Map(
      (await gather('health')).map((answer) => [
        answer.plugin,
        answer.ok ? answer.value.find(({ ok }) => !ok) : undefined,
      ]),
    );
    const value = node.plugins().map(({ name, state, features, reason, remedy }) => {
      const lack = state === 'ready' ? lacks.get(name) : undefined;
      return {
        name,
        state: lack === undefined ? state : 'degraded',
        features: [...features],
        reason: reason ?? lack?.detail ?? null,
        remedy: remedy ?? lack?.remedy ?? null,
      };
    });
    const rows = value.map(({ name, state, features, reason }) => [name, state, features.join(', '), reason ?? '']);
    return { value, text: textTable(['PLUGIN', 'STATE', 'FEATURES', 'REASON'], rows) };
  });
}

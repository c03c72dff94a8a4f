import { ConfigError, type Config } from '../config/configuration.ts';
import type { PluginStatus } from '../contract/node-info.ts';

/**
 * Returns the features that accounts can use on this server: those of ready plugins, and those that other software
 * provides. Throws if two plugins own one feature, or if the catalogue does not describe a feature.
 */
export function providedFeatures(
  plugins: readonly PluginStatus[],
  { external_features: external }: Config,
  catalogue: ReadonlySet<string>,
): ReadonlySet<string> {
  const owners = new Map<string, string>();
  for (const { name, features } of plugins)
    for (const feature of features) {
      if (owners.has(feature))
        throw new Error(`plugins ${owners.get(feature)} and ${name} both own the feature ${feature}`);
      if (!catalogue.has(feature))
        throw new Error(
          `plugin ${name} owns ${feature}, which no features.json describes; add it to plugins/${name}/features.json`,
        );
      owners.set(feature, name);
    }
  const unknown = external.find((feature) => !catalogue.has(feature));
  if (unknown !== undefined) throw new ConfigError(`external_features names ${unknown}, which is not a feature`);
  const ready = plugins.filter(({ state }) => state === 'ready').flatMap(({ features }) => features);
  return new Set([...ready, ...external]);
}

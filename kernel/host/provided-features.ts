import { ConfigError, type Config } from '../config/configuration.ts';
import type { PluginStatus, RouteInfo } from '../contract/node-info.ts';

/**
 * Returns the features that accounts can use on this server: those of ready plugins, unless all their routes are for
 * administrators, and those that other software provides. Throws if two plugins own one feature, or if the catalogue does not describe a feature.
 */
export function providedFeatures(
  plugins: readonly PluginStatus[],
  routes: readonly RouteInfo[],
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
  const isOpen = (plugin: string) => {
    const its = routes.filter((route) => route.plugin === plugin);
    return its.length === 0 || its.some(({ access }) => access !== 'admin');
  };
  const ready = plugins
    .filter(({ name, state }) => state === 'ready' && isOpen(name))
    .flatMap(({ features }) => features);
  return new Set([...ready, ...external]);
}

import type { Plugin } from '../../kernel/contract/plugin.ts';
import { installedPlugins } from '../../kernel/host/discovery.ts';
import { reportSkipped } from './suite.ts';

/**
 * Resolves with other plugins, for a test of several together, which names no file of theirs. Where one of them was deleted, the
 * whole file is left out, and says so.
 */
export async function needs<const Names extends readonly string[]>(
  ...names: Names
): Promise<{ readonly [Name in keyof Names]: Plugin }> {
  const installed = new Map(installedPlugins().map((each) => [each.name, each]));
  const found = names.flatMap((name) => installed.get(name) ?? []);
  if (found.length < names.length) {
    reportSkipped(`a test of several plugins needs ${names.filter((name) => !installed.has(name)).join(', ')}`);
    process.exit(0);
  }
  return (await Promise.all(found.map((each) => each.load()))) as { readonly [Name in keyof Names]: Plugin };
}

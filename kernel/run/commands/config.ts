import type { Command } from 'commander';
import { join } from 'node:path';
import { configFaults, type ConfigFault } from '../../config/config-faults.ts';
import { installedConfig, readJson, SHIPPED } from '../../config/configuration.ts';
import { withSecretFiles } from '../../config/secrets.ts';
import { settingsReference, settingsRows } from '../../config/settings-reference.ts';
import { installedPlugins, isOn, type InstalledPlugin } from '../../host/discovery.ts';
import { effectiveSettings } from '../../host/effective-settings.ts';
import { editorSchema, wholeSchema } from '../../host/whole-schema.ts';
import type { Plugin } from '../../contract/plugin.ts';
import { textTable } from '../../contract/command.ts';
import { projectDir } from '../../kit/files/project-dir.ts';
import { configOf, print, type GlobalOptions } from '../command-context.ts';

type Options = GlobalOptions & { readonly json?: boolean };

/** `hostkeep config check | show | schema | reference` */
export function addConfigCommands(program: Command): void {
  const config = program.command('config').description('check and describe the configuration');
  config
    .command('check')
    .description('print all faults with file, line and column; the exit code is 1 if there are any')
    .option('--json', 'print JSON')
    .action(check);
  config
    .command('show')
    .description('print all settings in effect, and what set each; secrets are masked')
    .option('--json', 'print JSON')
    .action(show);
  config
    .command('schema')
    .description('print a JSON Schema of the whole configuration, for editors')
    .option('--json', 'print JSON, as it does anyway')
    .action(async () => print(true, editorSchema(await settingsSchema()), ''));
  config
    .command('reference')
    .description('print all settings with type, default and description, in Markdown')
    .option('--json', 'print JSON')
    .action(reference);
}

async function reference(_: GlobalOptions, command: Command): Promise<void> {
  const [schema, shipped] = [await settingsSchema(), readJson(join(projectDir, SHIPPED))];
  print(command.optsWithGlobals<Options>().json, settingsRows(schema, shipped), settingsReference(schema, shipped));
}

async function check(_: GlobalOptions, command: Command): Promise<void> {
  const { json, config = installedConfig() } = command.optsWithGlobals<Options>();
  const { files, faults } = configFaults(config, process.env, wholeSchema(await loadedPlugins()));
  const valid = files.length === 0 ? 'there is no configuration file; the defaults hold' : `${files.join(', ')}: valid`;
  print(json, { files, faults }, faults.length === 0 ? valid : faults.map(lineOf).join('\n'));
  if (faults.length > 0) process.exitCode = 1;
}

async function show(_: GlobalOptions, command: Command): Promise<void> {
  const { json, ...options } = command.optsWithGlobals<Options>();
  const given = configOf(options);
  const settings = effectiveSettings(given, await loadedPlugins((each) => isOn(each, given)));
  const rows = settings.map(({ setting, value: each, origin }) => [setting, JSON.stringify(each), origin]);
  print(json, settings, textTable(['SETTING', 'VALUE', 'SET BY'], rows));
}

function lineOf({ source, line, column, setting, message }: ConfigFault): string {
  const place = line === undefined ? source : `${source}:${line}:${column}`;
  return `${place}: ${setting === '' ? '' : `${setting} `}${message}`;
}

const settingsSchema = async () => withSecretFiles(wholeSchema(await loadedPlugins()));
const loadedPlugins = (isMeant: (each: InstalledPlugin) => boolean = () => true): Promise<Plugin[]> =>
  Promise.all(
    installedPlugins()
      .filter(isMeant)
      .map((each) => each.load()),
  );

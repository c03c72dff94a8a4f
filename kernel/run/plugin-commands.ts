import { Command, InvalidArgumentError, Option } from 'commander';
import { assertStoreExists } from './core.ts';
import { Keyring } from '../identity/gate/keyring.ts';
import type { Config } from '../config/configuration.ts';
import { inPlainWords } from '../config/plain-words.ts';
import { violations } from '../config/validator.ts';
import { Locales } from '../config/locales.ts';
import { fail } from '../errors.ts';
import { createLog, outputAt } from '../log.ts';
import {
  UsageError,
  type Command as PluginCommand,
  type CommandContext,
  type CommandGroup,
  type CommandOption,
  type OptionValues,
} from '../contract/command.ts';
import { installedPlugins, migrationsFolder, pluginSettings } from '../host/discovery.ts';
import { importDefault, pluginsWith } from '../kit/files/plugin-files.ts';
import type { Static, TSchema } from '../schema.ts';
import { migrateStores } from '../store/local-store.ts';
import { configFile, readConfig, print, readInput, withCore, type GlobalOptions } from './command-context.ts';
import { configurationFiles } from './configuration-files.ts';
import { confirm } from './confirm.ts';
import { dataFilesAt } from './data/data-files.ts';
import { nodeFilesAt } from './data/node-files.ts';
import { withStoredBeside } from './stored-settings.ts';

/** Adds the plugins' commands to the program, in their groups. Imports nothing else of them, so that commands start quickly. */
export async function addPluginCommands(program: Command): Promise<void> {
  const names = pluginsWith('commands');
  const found = await Promise.all(
    names.map((plugin) => importDefault<readonly (CommandGroup | PluginCommand)[]>(plugin, 'commands')),
  );
  for (const [i, plugin] of names.entries())
    for (const entry of found[i] ?? []) {
      if ('usage' in entry) addCommand(program, plugin, entry);
      else {
        const group = groupOf(program, entry);
        for (const command of entry.commands) addCommand(group, plugin, command);
      }
    }
}

function groupOf(program: Command, { name, summary }: CommandGroup): Command {
  const known = program.commands.find((each) => each.name() === name);
  if (known !== undefined) return known.configureHelp({ sortSubcommands: true }); // no plugin's come first
  const group = new Command(name).description(summary);
  program.addCommand(group);
  return group;
}

function addCommand(group: Command, plugin: string, { usage, summary, options = [], asks, run }: PluginCommand): void {
  const [first = summary] = summary.split('. ');
  const command = group.command(usage).summary(first).description(summary).option('--json', 'print JSON');
  if (asks !== undefined) command.option('--yes', 'do not ask whether this is meant');
  for (const option of options) command.addOption(optionOf(option));
  command.action(async () => {
    const given = command.optsWithGlobals<GlobalOptions & OptionValues & { json?: boolean; yes?: boolean }>();
    if (asks !== undefined && given.yes !== true) await confirm(asks(command.args));
    const output = await run(contextOf(plugin, given), command.args, given);
    if (output === undefined) return;
    print(given.json, output.value, output.text);
    if (output.isFailure === true) process.exitCode = 1;
  });
}

function optionOf({ flags, summary, default: value, isNumber, parse, isRequired, conflicts }: CommandOption): Option {
  const option = new Option(flags, summary);
  if (value !== undefined) option.default(value);
  if (isNumber === true) option.argParser(numberOf);
  if (parse !== undefined) option.argParser((text: string) => parsed(parse, text));
  if (isRequired === true) option.makeOptionMandatory();
  if (conflicts !== undefined) option.conflicts(conflicts);
  return option;
}

function parsed(parse: NonNullable<CommandOption['parse']>, text: string): string | number {
  try {
    return parse(text);
  } catch (error) {
    throw error instanceof UsageError ? new InvalidArgumentError(error.message) : error;
  }
}

function numberOf(text: string): number {
  const value = Number(text);
  if (text === '' || !Number.isFinite(value) || value < 0)
    throw new InvalidArgumentError('It must be a number of at least 0.');
  return value;
}

function contextOf(plugin: string, options: GlobalOptions & { readonly json?: boolean }): CommandContext {
  let loaded: Config | undefined;
  const config = () => (loaded ??= readConfig(options)); // commands that check it must run with one that is wrong
  return {
    get config() {
      return config();
    },
    get nodeFiles() {
      return nodeFilesAt(config());
    },
    get files() {
      return dataFilesAt(config());
    },
    configuration: configurationFiles(configFile(options), config),
    locales: new Locales(),
    withStore: (work, access) =>
      withCore(
        options,
        async (core) => {
          await migrateStores(core, plugin, migrationsFolder(plugin)); // no server may have started with the plugin yet
          return work({ identity: core, events: core.events, store: core.store, jobs: core.jobs });
        },
        access,
      ),
    withPlugins: (work) => withPlugins(config(), plugin, work),
    serveDemo: async (settings, prepare) =>
      (await import('./serving/demo-node.ts')).serveDemo(options.config, settings, prepare),
    keyring() {
      const { data } = config();
      assertStoreExists(data);
      return Keyring.open(data);
    },
    settingsOf: async <S>(name: string) => {
      const named = installedPlugins().find((each) => each.name === name);
      if (named === undefined) throw new Error(`the plugin ${name} is not installed`);
      return pluginSettings(await named.load(), await withStoredBeside(config())) as S;
    },
    checked,
    emit: ({ value, text }) => void process.stdout.write(`${options.json === true ? JSON.stringify(value) : text}\n`),
    columns: process.stdout.isTTY ? process.stdout.columns : undefined,
    readInput,
  };
}

function checked<S extends TSchema>(schema: S, values: Readonly<Record<string, unknown>>): Static<S> {
  const value = structuredClone(values);
  const found = violations(schema, value);
  if (found.length === 0) return value as Static<S>;
  const lines = found.map((each) => `${each.path.slice(1).replaceAll('/', '.')} ${inPlainWords(each)}`.trim());
  throw fail.invalid_request(lines.join('; '));
}

/** Imported only by the commands that need it, because commands are to start quickly. */
async function withPlugins<T>(
  config: Config,
  plugin: string,
  work: (open: Parameters<Parameters<CommandContext['withPlugins']>[0]>[0]) => Promise<T>,
): Promise<T> {
  assertStoreExists(config.data);
  const { Hostkeep } = await import('./hostkeep.ts');
  const hostkeep = await Hostkeep.start(config, createLog('error', outputAt(2)), { listen: 'never' });
  const { core, node, plugins } = hostkeep;
  try {
    return await work({
      identity: core,
      events: core.events,
      store: core.store,
      jobs: core.jobs,
      node,
      gather: plugins.gather,
      service: <S>() => plugins.service(plugin) as S | undefined,
    });
  } finally {
    await hostkeep.close();
  }
}

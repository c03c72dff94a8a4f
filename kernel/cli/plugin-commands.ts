import { Command, InvalidArgumentError, Option } from 'commander';
import { assertStoreExists } from '../core.ts';
import { Keyring } from '../identity/keyring.ts';
import type { Config } from '../config/configuration.ts';
import { Locales } from '../config/locales.ts';
import { createLog } from '../log.ts';
import type { Command as PluginCommand, CommandContext, CommandOption, OptionValues } from '../plugin-api/command.ts';
import { findCommands } from '../plugin-host/discovery.ts';
import { configOf, print, readInput, withCore, type GlobalOptions } from './command-context.ts';

/** Adds the commands of all plugins to the program, in their groups. */
export async function addPluginCommands(program: Command): Promise<void> {
  for (const { name, summary, commands } of await findCommands()) {
    let group = program.commands.find((each) => each.name() === name);
    if (group === undefined) program.addCommand((group = new Command(name).description(summary)));
    for (const command of commands) addCommand(group, command);
  }
}

function addCommand(group: Command, { usage, summary, options = [], run }: PluginCommand): void {
  const command = group.command(usage).description(summary).option('--json', 'print JSON');
  for (const option of options) command.addOption(optionOf(option));
  command.action(async () => {
    const given = command.optsWithGlobals<GlobalOptions & OptionValues & { json?: boolean }>();
    const { value, text } = await run(contextOf(given), command.args, given);
    print(given.json, value, text);
  });
}

function optionOf({ flags, summary, default: value, isNumber, isRequired, conflicts }: CommandOption): Option {
  const option = new Option(flags, summary);
  if (value !== undefined) option.default(value);
  if (isNumber === true) option.argParser(numberOf);
  if (isRequired === true) option.makeOptionMandatory();
  if (conflicts !== undefined) option.conflicts(conflicts);
  return option;
}

function numberOf(text: string): number {
  const value = Number(text);
  if (text === '' || !Number.isFinite(value) || value < 0)
    throw new InvalidArgumentError('It must be a number of at least 0.');
  return value;
}

function contextOf(options: GlobalOptions): CommandContext {
  const config = configOf(options);
  return {
    config,
    locales: new Locales(),
    withStore: (work, access) =>
      withCore(
        options,
        (core) => work({ identity: core, events: core.events, store: core.store, jobs: core.jobs }),
        access,
      ),
    withPlugins: pluginsOf(config),
    keyring() {
      assertStoreExists(config.data);
      return Keyring.open(config.data);
    },
    readInput,
  };
}

/** Imported only by the commands that need it, because commands are to start quickly. */
function pluginsOf(config: Config): CommandContext['withPlugins'] {
  return async (work) => {
    assertStoreExists(config.data);
    const { Hostkeep } = await import('../hostkeep.ts');
    const hostkeep = await Hostkeep.start(config, createLog('error'), { listen: 'never' });
    const { core, node, plugins } = hostkeep;
    try {
      return await work({ identity: core, jobs: core.jobs, node, gather: plugins.gather });
    } finally {
      await hostkeep.close();
    }
  };
}

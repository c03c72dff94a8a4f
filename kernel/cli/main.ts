#!/usr/bin/env node
import { Command, CommanderError, Option } from 'commander';
import { ConfigError } from '../config/configuration.ts';
import { messageOf } from '../errors.ts';
import { VERSION } from '../core.ts';
import type { GlobalOptions } from './command-context.ts';
import { backup, doctor } from './maintenance.ts';
import { addPluginCommands } from './plugin-commands.ts';
import { serve } from './serve.ts';
import { remedyFor } from '../storage/store.ts';

const program = new Command('hostkeep')
  .description('Control service for hosting accounts')
  .version(VERSION)
  .addOption(new Option('-c, --config <file>', 'settings over config/hostkeep.json').env('HOSTKEEP_CONFIG'))
  .addHelpText(
    'after',
    '\nHOSTKEEP_DATA, HOSTKEEP_LISTEN and HOSTKEEP_ADMIN_LISTEN replace single settings.\nExit codes: 0 done, 1 failed or something is missing, 2 wrong usage or configuration.',
  );

program
  .command('serve')
  .description('serve a node; SIGTERM stops it, SIGHUP reads the configuration again')
  .action(serve);
program
  .command('demo')
  .description('serve a node with demo accounts and content, created at the first start')
  .action(async (options: GlobalOptions, command: Command) => (await import('./demo.ts')).demo(options, command));
program
  .command('backup <file>')
  .description('write a consistent copy of the store while the server runs')
  .action(backup);
program
  .command('doctor')
  .description('check for every plugin that what it needs is present, and say what to install if not')
  .option('--json')
  .action(doctor);
const [first = ''] = program.parseOptions(process.argv.slice(2)).operands;
if (program.commands.every((command) => command.name() !== first)) await addPluginCommands(program); // a server starts without them
throwInsteadOfExit(program);

/** Gives wrong usage its own exit code; subcommands do not inherit this from their parent. */
function throwInsteadOfExit(command: Command): void {
  command.exitOverride();
  for (const each of command.commands) throwInsteadOfExit(each);
}

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : 2); // commander printed what is wrong
  const remedy = remedyFor(error);
  process.stderr.write(`hostkeep: ${messageOf(error)}${remedy === undefined ? '' : `; ${remedy}`}\n`);
  process.exit(error instanceof ConfigError ? 2 : 1);
}

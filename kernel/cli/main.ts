#!/usr/bin/env node
import { Command, CommanderError, Option } from 'commander';
import { ConfigError } from '../config/configuration.ts';
import { messageOf } from '../errors.ts';
import { VERSION } from '../core.ts';
import type { GlobalOptions } from './command-context.ts';
import { doctor } from './doctor.ts';
import { addPluginCommands } from './plugin-commands.ts';
import { serve } from './serve.ts';
import { remedyFor } from '../storage/store.ts';

const program = new Command('hostkeep')
  .description('Control service for hosting accounts')
  .version(VERSION)
  .addOption(
    new Option(
      '-c, --config <file>',
      'settings that override the defaults; by default /etc/hostkeep/hostkeep.json if it exists',
    ).env('HOSTKEEP_CONFIG'),
  )
  .addHelpText(
    'after',
    '\nHOSTKEEP_DATA, HOSTKEEP_LISTEN and HOSTKEEP_ADMIN_LISTEN override single settings.\nExit codes: 0 success, 1 failure or something missing, 2 invalid usage or configuration.',
  );

program.command('serve').description('serve a node; SIGTERM stops it, SIGHUP reloads the configuration').action(serve);
program
  .command('demo')
  .description('serve a node with demo accounts and content, created at the first start')
  .action(async (options: GlobalOptions, command: Command) => (await import('./demo.ts')).demo(options, command));
program
  .command('doctor')
  .description('check that every plugin has what it needs, and say what to install if not')
  .option('--json')
  .action(doctor);
const [first = ''] = program.parseOptions(process.argv.slice(2)).operands;
const isAdded = () => program.commands.some((command) => command.name() === first);
// A command starts faster without the code of those that are added after it.
if (!isAdded()) {
  (await import('./backup.ts')).addBackupCommands(program);
  (await import('./config.ts')).addConfigCommands(program);
}
if (!isAdded()) await addPluginCommands(program);
throwInsteadOfExit(program);

/** Makes commander throw, so that invalid usage gets its own exit code. Subcommands do not inherit this. */
function throwInsteadOfExit(command: Command): void {
  command.exitOverride();
  for (const each of command.commands) throwInsteadOfExit(each);
}

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : 2); // commander has printed the error
  const remedy = remedyFor(error);
  process.stderr.write(`hostkeep: ${messageOf(error)}${remedy === undefined ? '' : `; ${remedy}`}\n`);
  process.exit(error instanceof ConfigError ? 2 : 1);
}

#!/usr/bin/env node
import { Command, Option } from 'commander';
import { VERSION } from '../core.ts';
import type { GlobalOptions } from './command-context.ts';
import { doctor } from './doctor.ts';
import { EXIT_CODES, reportFailure } from './failure.ts';
import { addPluginCommands } from './plugin-commands.ts';
import { serve } from './serve.ts';

/** Whether errors are for programs; looked for here, because invalid usage has no options. */
const asJson = process.argv.includes('--json');
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
    `\nHOSTKEEP_DATA, HOSTKEEP_LISTEN and HOSTKEEP_ADMIN_LISTEN override single settings.\n${EXIT_CODES}\nWith --json, an error is a problem (RFC 9457) on standard error; its member "error" is a stable code.`,
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
  if (asJson) command.configureOutput({ writeErr: () => undefined });
  for (const each of command.commands) throwInsteadOfExit(each);
}

try {
  await program.parseAsync();
} catch (error) {
  process.exit(reportFailure(error, asJson));
}

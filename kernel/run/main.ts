#!/usr/bin/env node
import { Command, InvalidArgumentError, Option } from 'commander';
import { VERSION } from '../kit/files/project-dir.ts';
import type { GlobalOptions } from './command-context.ts';
import { EXIT_CODES, reportFailure } from './failure.ts';

/** Whether errors are for programs; looked for here, because invalid usage has no options. */
const asJson = process.argv.includes('--json');
const program = new Command('hostkeep')
  .description('Control service for hosting accounts')
  .version(VERSION)
  .configureHelp({ sortSubcommands: true })
  .addOption(
    new Option(
      '-c, --config <file>',
      'configuration file; /etc/hostkeep/hostkeep.json unless given, if that exists',
    ).env('HOSTKEEP_CONFIG'),
  )
  .addHelpText(
    'after',
    `
Examples:
  hostkeep account add ann --plan standard     add a customer, with a random password
  hostkeep feature off docker --plan standard  switch a feature off for all accounts of a plan
  hostkeep account list --over-quota --json    list, for a program, who has more than the plan allows
  hostkeep events --follow --type 'account.*'  watch what happens to accounts

HOSTKEEP_DATA, HOSTKEEP_FILES_ROOT, HOSTKEEP_LISTEN, HOSTKEEP_ADMIN_LISTEN and HOSTKEEP_STORE_URL override single settings.
${EXIT_CODES}
With --json, every command prints JSON, and errors are problems (RFC 9457) on standard error, with a stable code in "error".
Commands that destroy something ask on a terminal; elsewhere they need --yes.`,
  );

program
  .command('serve')
  .description('serve a node; SIGTERM stops it, SIGHUP reloads the configuration')
  .addOption(
    new Option(
      '--workers <number>',
      'processes that share the work, 1 to 16; one for each core, at most 4, unless given',
    )
      .env('HOSTKEEP_WORKERS')
      .argParser(workersOf),
  )
  .action(async (options: GlobalOptions, command: Command) =>
    (await import('./serving/serve.ts')).serve(options, command),
  );
program.command('worker', { hidden: true }).action(async () => (await import('./serving/worker.ts')).worker());
const [first = ''] = program.parseOptions(process.argv.slice(2)).operands;
const isAdded = () => program.commands.some((command) => command.name() === first);
if (!isAdded()) await (await import('./plugin-commands.ts')).addPluginCommands(program);
throwInsteadOfExit(program);

/** More would only wait for each other's writes. */
function workersOf(text: string): number {
  if (!/^([1-9]|1[0-6])$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1 to 16.');
  return Number(text);
}

/** Makes commander throw, so that invalid usage gets its own exit code. Subcommands do not inherit this. */
function throwInsteadOfExit(command: Command): void {
  command.exitOverride();
  if (asJson) command.configureOutput({ writeErr: () => undefined });
  for (const each of command.commands) throwInsteadOfExit(each);
}

// A reader such as `head` may close the pipe when it has enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

try {
  await program.parseAsync();
} catch (error) {
  process.exit(reportFailure(error, asJson));
}

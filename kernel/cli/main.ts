#!/usr/bin/env node
import { Command, CommanderError, Option } from 'commander';
import { ConfigError } from '../config/configuration.ts';
import { messageOf } from '../errors.ts';
import { VERSION } from '../core.ts';
import { accountCommand } from './account.ts';
import type { GlobalOptions } from './command-context.ts';
import { featureCommand, planCommand } from './plan.ts';
import { backup, doctor } from './maintenance.ts';
import { serve } from './serve.ts';
import { sessionCommand } from './session.ts';
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
  .description('serves a node; SIGTERM stops it, SIGHUP reads the configuration again')
  .action(serve);
program
  .command('demo')
  .description('serves a node with demo accounts and content, which it makes at the first start')
  .action(async (options: GlobalOptions, command: Command) => (await import('./demo.ts')).demo(options, command));
program.addCommand(accountCommand());
program.addCommand(planCommand());
program.addCommand(featureCommand());
program.addCommand(sessionCommand());
program
  .command('backup <file>')
  .description('writes a consistent copy of the store while the server runs')
  .action(backup);
program
  .command('doctor')
  .description('says for every plugin whether what it needs is here, and what to install if not')
  .option('--json')
  .action(doctor);
throwInsteadOfExit(program);

/** So that wrong usage has its own exit code, in subcommands too, which inherit nothing when they are added. */
function throwInsteadOfExit(command: Command): void {
  command.exitOverride();
  for (const each of command.commands) throwInsteadOfExit(each);
}

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : 2); // commander has told what was wrong
  const remedy = remedyFor(error);
  process.stderr.write(`hostkeep: ${messageOf(error)}${remedy === undefined ? '' : `; ${remedy}`}\n`);
  process.exit(error instanceof ConfigError ? 2 : 1);
}

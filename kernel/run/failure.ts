import { userInfo } from 'node:os';
import { CommanderError } from 'commander';
import { ConfigError } from '../config/configuration.ts';
import { errorKind, HttpError, errorMessage } from '../errors.ts';
import { COMMAND_FAILURES, CommandFailure, UsageError } from '../contract/command.ts';
import { remedyFor } from '../store/sqlite/sqlite-engine.ts';

/** How a command ended, for scripts. */
export const EXIT_CODES = `Exit codes:
  0  success
  1  failure: also where nothing was to change, or where doctor or config check found something
  2  invalid usage or configuration, or no confirmation: nothing was done`;

/**
 * Writes an error to standard error: as one line of text, or as a problem (RFC 9457) whose member `error` is a stable code.
 * Returns the exit code.
 */
export function reportFailure(error: unknown, asJson: boolean): number {
  const isUsage = error instanceof CommanderError;
  if (isUsage && error.exitCode === 0) return 0; // help or the version was asked for
  const remedy = remedyFor(error);
  const advice =
    remedy ?? (isDenied(error) ? `the command has the rights of the user ${userInfo().username}` : undefined);
  const detail = `${errorMessage(error).replace(/^error: /, '')}${advice === undefined ? '' : `; ${advice}`}`;
  if (asJson) process.stderr.write(`${JSON.stringify(problemOf(error, detail))}\n`);
  else if (!isUsage) process.stderr.write(`hostkeep: ${detail}\n`); // commander has printed its own
  const isUnconfirmed = error instanceof CommandFailure && error.code === 'confirmation_required';
  return isUsage || isUnconfirmed || error instanceof ConfigError || error instanceof UsageError ? 2 : 1;
}

/** Root may be denied a file, too: the package's command takes the rights of the service's user. */
const isDenied = (error: unknown): boolean => (error as NodeJS.ErrnoException | null)?.code === 'EACCES';

function problemOf(error: unknown, detail: string): Record<string, unknown> {
  if (error instanceof HttpError) {
    const [status, title] = errorKind(error.code);
    return { type: `urn:hostkeep:error:${error.code}`, title, status, detail, error: error.code, ...error.members };
  }
  const [code, title] =
    error instanceof CommanderError || error instanceof UsageError
      ? ['invalid_usage', 'Invalid usage']
      : error instanceof CommandFailure
        ? [error.code, COMMAND_FAILURES[error.code]]
        : error instanceof ConfigError
          ? ['invalid_configuration', 'Invalid configuration']
          : ['command_failed', 'The command failed'];
  return { type: `urn:hostkeep:error:${code}`, title, detail, error: code };
}

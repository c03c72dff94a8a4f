import type { Command } from 'commander';
import { CommandFailure } from '../../contract/command.ts';

/**
 * `hostkeep upgrade` and `hostkeep rollback`. Here they are only described: in the package, `/usr/bin/hostkeep` carries them
 * out (`config/package/debian/upgrade`), because they need root's rights, and no version can replace itself.
 */
export function addUpgradeCommands(program: Command): void {
  program
    .command('upgrade <package>')
    .description(
      'install the version of a Debian package, as `apt install` does; if it does not get ready, the former version and store come back',
    )
    .option('--json', 'print JSON')
    .action(refuse);
  program
    .command('rollback')
    .description('go back to the version before the last upgrade, and to its store if the upgrade changed the store')
    .option('--yes', 'do not ask whether the changes since the upgrade may be lost')
    .option('--json', 'print JSON')
    .action(refuse);
}

function refuse(): never {
  throw new CommandFailure(
    'not_a_package',
    'only an installed package has versions; in a checkout: git pull && npm ci && npm run build, then restart',
  );
}

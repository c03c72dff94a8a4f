import { CommandFailure, defineCommands } from '../../kernel/contract/command.ts';
import { configCommands } from './config.ts';
import { doctorCommand } from './doctor.ts';
import { pluginCommands } from './plugin-list.ts';
import { reloadCommand } from './reload.ts';
import { statusCommand } from './status.ts';

/**
 * The last two are only described here: in the package, `/usr/bin/hostkeep` carries them out
 * (`config/package/debian/upgrade`), because they need root's rights, and no version can replace itself.
 */
export default defineCommands(
  statusCommand,
  reloadCommand,
  doctorCommand,
  configCommands,
  pluginCommands,
  {
    usage: 'upgrade <package>',
    summary:
      'install the version of a Debian package, as `apt install` does; if it does not get ready, the former version and store come back',
    run: refuse,
  },
  {
    usage: 'rollback',
    summary: 'go back to the version before the last upgrade, and to its store if the upgrade changed the store',
    options: [{ flags: '--yes', summary: 'do not ask whether the changes since the upgrade may be lost' }],
    run: refuse,
  },
);

function refuse(): never {
  throw new CommandFailure(
    'not_a_package',
    'only an installed package has versions; in a checkout: git pull && npm ci && npm run build, then restart',
  );
}

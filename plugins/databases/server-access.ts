import type { DatabaseServers, ServerAccess } from '../../kernel/areas/database-servers.ts';
import type { Accounts } from '../../kernel/identity/accounts/accounts.ts';
import { serverName } from './database-sources.ts';
import { MysqlClient, readLogin } from './mysql/client.ts';
import { ownNames } from './purge.ts';
import type { DatabasesConfig } from './schema.ts';

/** Returns the servers in the settings, for the plugin that moves databases between them. */
export function accessServers(
  config: DatabasesConfig,
  accounts: Accounts,
): Omit<DatabaseServers, 'takeMoves' | 'sizeBytes'> {
  const named = (name: string): ServerAccess | undefined => {
    const settings = Object.hasOwn(config.servers, name) ? config.servers[name] : undefined;
    if (settings === undefined) return undefined;
    return {
      name,
      ownership: settings.ownership,
      login: () => readLogin(settings),
      open: ({ queryMs, connections, as }) =>
        MysqlClient.open({ ...settings, ...as }, { connectMs: config.connect_timeout_ms, queryMs }, connections),
      ownNames: (client, username, among) => ownNames(client, settings, accounts, username, among),
    };
  };
  return { names: Object.keys(config.servers), named, serverFor: (username) => named(serverName(config, username)) };
}

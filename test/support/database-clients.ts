import { definePlugin, type Plugin } from '../../kernel/contract/plugin.ts';
import type { DatabaseClient, DatabaseServers } from '../../kernel/areas/database-servers.ts';
import type { ServerLogin } from '../../kernel/kit/databases/mariadb-programs.ts';
import { TestServer } from './hostkeep.ts';
import { loginTo } from './mariadb.ts';

/** Clients of a MariaDB with one connection each, and no chosen database, as the plugin `databases` gives them to others. */
export class DatabaseClients {
  readonly #server: TestServer;
  readonly #servers: DatabaseServers;
  readonly #clients: DatabaseClient[] = [];

  private constructor(server: TestServer, servers: DatabaseServers) {
    this.#server = server;
    this.#servers = servers;
  }

  /** `socket` is that of a server which root reaches without a password. */
  static async start(databases: Plugin, socket: string): Promise<DatabaseClients> {
    let servers: DatabaseServers | undefined;
    const user = definePlugin({
      name: 'database-user',
      features: [],
      uses: ['databases'],
      routes: {},
      setup: ({ peer }) => {
        servers = peer<DatabaseServers>('databases');
        return { handlers: {} };
      },
    });
    const config = { databases: { servers: { own: loginTo(socket) }, default_server: 'own' } };
    const server = await TestServer.start({ plugins: [databases, user], config });
    return new DatabaseClients(server, servers as unknown as DatabaseServers);
  }

  async connect(as?: Pick<ServerLogin, 'user' | 'password'>): Promise<DatabaseClient> {
    const client = await this.#servers.named('own')?.open({ queryMs: 60_000, connections: 1, as });
    if (client === undefined) throw new Error('there is no server');
    this.#clients.push(client);
    return client;
  }

  async close(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close()));
    await this.#server.close();
  }
}

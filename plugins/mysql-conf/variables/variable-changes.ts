import { errorMessage, HttpError } from '../../../kernel/errors.ts';
import type { Host } from '../../../kernel/contract/plugin.ts';
import { connected, type DatabaseClient, type DatabaseServers } from '../../../kernel/areas/database-servers.ts';
import { isDriverError, isSqlError } from '../../../kernel/kit/databases/mysql-text.ts';
import { ServerTurns } from '../../../kernel/kit/databases/server-turns.ts';
import type { AttemptPart } from '../../../kernel/kit/waiting/reconciling.ts';
import { escapeControl } from '../../../kernel/log.ts';
import { fail } from '../errors.ts';
import type { DatabaseServerList } from '../schema.ts';
import { assertValue, readVariables, setVariable, type ServerVariable } from './server-variables.ts';
import { complete, forget, keep, readKept, type KeptVariable } from './variable-store.ts';

const QUERY_MS = 10_000;

interface Parts extends Pick<Host, 'store' | 'events' | 'node'> {
  readonly servers: DatabaseServers | undefined;
}
interface Change {
  readonly server: string;
  readonly variable: string;
  readonly username: string;
  readonly ip: string;
}

/**
 * Variables of this node's servers that administrators set. The store keeps them, because a server forgets them when it is restarted. A
 * change is pending from before the server is asked until its event is recorded; whoever completes it records the event.
 */
export class VariableChanges {
  readonly #parts: Parts;
  readonly #turns = new ServerTurns({ isFailure: isDriverError, isVerdict: isSqlError });

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Resolves with the servers in the settings; one that does not answer has its problem in place of variables. */
  async list(): Promise<DatabaseServerList> {
    const kept = await readKept(this.#parts.store, this.#node);
    const servers = (this.#parts.servers?.names ?? []).toSorted().map(async (name) => {
      const own = new Map(kept.filter(({ server }) => server === name).map((row) => [row.name, row]));
      try {
        const variables = await this.#with(name, readVariables);
        return { name, problem: null, variables: variables.map((each) => toView(each, own.get(each.name))) };
      } catch (error) {
        if (!(error instanceof HttpError)) throw error;
        return { name, problem: escapeControl(error.message), variables: [] };
      }
    });
    return { servers: await Promise.all(servers) };
  }

  /** Errors: 400 `invalid_database_variable`; 404 `database_server_not_found`, `database_variable_not_found`; 409 `database_variable_refused`. */
  async set({ server, variable, username, ip }: Change, value: string): Promise<void> {
    await this.#with(server, async (client) => {
      const found = await find(client, variable);
      assertValue(found, value);
      const before = await this.#kept(server, variable);
      const row: KeptVariable = {
        ...{ server, name: variable, value, files_value: before?.files_value ?? found.value, is_pending: 1 },
        ...{ changed_by: username, changed_at: Date.now(), ip },
      };
      await this.#parts.store.write((tx) => keep(tx, this.#node, row));
      await this.#end(client, found, row, before);
    });
  }

  /** Gives a variable the value of the server's files again. Errors: as those of `set`. */
  async reset({ server, variable, username, ip }: Change): Promise<void> {
    const { store, events } = this.#parts;
    await this.#with(server, async (client) => {
      const found = await find(client, variable);
      const row = await this.#kept(server, variable);
      if (row === undefined) throw fail.database_variable_not_found(`${variable} is as the server's files say`);
      await refusing(variable, () => setVariable(client, found, row.files_value));
      await store.write(async (tx) => {
        if (!(await forget(tx, this.#node, row))) return;
        const text = `gave ${variable} of the database server ${server} back to its files`;
        const data = { server, variable };
        await events.record(tx, { type: 'database_server.variable_reset', username, ip, text, data });
      });
    });
  }

  /** Ends changes that a process left, and sets again what a server forgot when it was restarted. What others set by a statement stays. */
  async reconcile(attempt: AttemptPart): Promise<void> {
    const kept = await readKept(this.#parts.store, this.#node);
    for (const server of new Set(kept.map((row) => row.server))) {
      if (this.#parts.servers?.named(server) === undefined) continue;
      await attempt(`variables of the database server ${server}`, () =>
        this.#with(server, async (client) => {
          const now = new Map((await readVariables(client)).map((each) => [each.name, each]));
          for (const row of kept.filter((each) => each.server === server)) {
            const found = now.get(row.name);
            if (found === undefined) continue;
            if (row.is_pending === 1) await this.#end(client, found, row);
            else if (!found.isSet && found.value !== row.value) await this.#setAgain(client, found, row);
          }
        }),
      );
    }
  }

  async #setAgain(client: DatabaseClient, found: ServerVariable, row: KeptVariable): Promise<void> {
    await refusing(row.name, () => setVariable(client, found, row.value));
    await this.#parts.store.write(async (tx) => {
      const isAsBefore = (await readKept(tx, this.#node)).some(
        (each) => each.server === row.server && each.name === row.name && each.changed_at === row.changed_at,
      );
      if (isAsBefore) await keep(tx, this.#node, { ...row, files_value: found.value });
    });
  }

  async #end(client: DatabaseClient, found: ServerVariable, row: KeptVariable, before?: KeptVariable): Promise<void> {
    const { store, events } = this.#parts;
    let value: string;
    try {
      value = await refusing(row.name, () => setVariable(client, found, row.value));
    } catch (error) {
      if (error instanceof HttpError)
        await store.write(async (tx) => {
          if (before === undefined) await forget(tx, this.#node, row);
          else await keep(tx, this.#node, before);
        });
      throw error;
    }
    await store.write(async (tx) => {
      if (!(await complete(tx, this.#node, { ...row, value }))) return;
      const { server, name: variable, changed_by: username, ip } = row;
      const text = `set ${variable} of the database server ${server} to ${value}`;
      const data = { server, variable, value };
      await events.record(tx, { type: 'database_server.variable_changed', username, ip, text, data });
    });
  }

  async #kept(server: string, variable: string): Promise<KeptVariable | undefined> {
    const rows = await readKept(this.#parts.store, this.#node);
    return rows.find((row) => row.server === server && row.name === variable);
  }

  #with<T>(server: string, work: (client: DatabaseClient) => Promise<T>): Promise<T> {
    const access = this.#parts.servers?.named(server);
    if (access === undefined) throw fail.database_server_not_found(`the settings have no database server ${server}`);
    return this.#turns.judged(server, () => connected(access, { queryMs: QUERY_MS }, work));
  }

  get #node(): string {
    return this.#parts.node.fleet?.name ?? '';
  }
}

async function find(client: DatabaseClient, variable: string): Promise<ServerVariable> {
  const found = (await readVariables(client)).find(({ name }) => name === variable);
  if (found === undefined) throw fail.database_variable_not_found(`${variable} is not among those that can be changed`);
  return found;
}

/** Errors: 409 `database_variable_refused` for a verdict of the server, and those of `work`. */
async function refusing<T>(variable: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isSqlError(error)) throw error;
    throw fail.database_variable_refused(
      `the server refuses this value of ${variable}: ${escapeControl(errorMessage(error))}`,
      { cause: error },
    );
  }
}

function toView(
  variable: ServerVariable,
  row: KeptVariable | undefined,
): DatabaseServerList['servers'][number]['variables'][number] {
  const { isSet: _, choices, ...rest } = variable;
  return {
    ...rest,
    choices: [...choices],
    set_value: row?.value ?? null,
    files_value: row?.files_value ?? null,
    changed_by: row?.changed_by ?? null,
    changed_at: row === undefined ? null : new Date(row.changed_at).toISOString(),
  };
}

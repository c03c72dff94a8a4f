import type { Host } from '../../../kernel/contract/plugin.ts';
import type { EngineClient } from './engine-client.ts';

/** The engines that have ever answered this node. What accounts have in one is there still while it is stopped. */
export class KnownEngines {
  readonly #local: Host['local'];

  constructor(local: Host['local']) {
    this.#local = local;
  }

  /** Whether nothing is at the socket, and no engine ever was: then no account has anything in it. */
  async neverWas(engine: Pick<EngineClient, 'socketPath' | 'hasSocket'>): Promise<boolean> {
    return !(await engine.hasSocket()) && !(await this.#has(engine.socketPath));
  }

  async add(socketPath: string): Promise<void> {
    if (await this.#has(socketPath)) return;
    await this.#local.write((tx) =>
      tx.run('insert into container_engines values (?) on conflict do nothing', socketPath),
    );
  }

  async #has(socketPath: string): Promise<boolean> {
    return (await this.#local.get('select 1 from container_engines where socket = ?', socketPath)) !== undefined;
  }
}

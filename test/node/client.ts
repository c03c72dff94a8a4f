import { join } from 'node:path';
import type { Asked } from './asking-client.ts';
import type { Machine } from './machine.ts';
import { ADMIN } from './packages.ts';

const SCRIPT = join(import.meta.dirname, 'asking-client.js');
const RESULT = '/root/asked.json';

/** A client in a machine, which asks and writes all the time. */
export class Client {
  readonly #machine: Machine;

  private constructor(machine: Machine) {
    this.#machine = machine;
  }

  /** Starts it; only one runs at a time. Its Node.js is a copy, so that it outlives the package's. */
  static async start(machine: Machine, token: string): Promise<Client> {
    const script = machine.take(SCRIPT);
    await machine.run(`cp -n /usr/lib/hostkeep/current/bin/node /root/node && mv ${script} /root/asking-client.mjs`);
    await machine.run(
      `systemd-run --quiet --collect --unit=asking-client /root/node /root/asking-client.mjs ${ADMIN} ${token} ${RESULT}`,
    );
    return new Client(machine);
  }

  /** Ends it and resolves with what it has seen. */
  async stop(): Promise<Asked> {
    await this.#machine.run('systemctl stop asking-client');
    return JSON.parse(await this.#machine.run(`cat ${RESULT}`)) as Asked;
  }
}

import { join } from 'node:path';
import type { Asked } from './asking-client.ts';
import type { Machine } from './machine.ts';
import { ADMIN } from './packages.ts';

const SCRIPT = join(import.meta.dirname, 'asking-client.js');
const RESULT = '/root/asked.json';

/** A client in a machine, which asks and writes all the time. */
export class Client {
  /** systemd forgets a unit some time after it has ended, so each has a name of its own. */
  static #started = 0;
  readonly #machine: Machine;
  readonly #unit: string;

  private constructor(machine: Machine, unit: string) {
    this.#machine = machine;
    this.#unit = unit;
  }

  /** Starts it; only one runs at a time. Its Node.js is a copy, so that it outlives the package's. */
  static async start(machine: Machine, token: string): Promise<Client> {
    const script = machine.take(SCRIPT);
    await machine.run(`cp -n /usr/lib/hostkeep/current/bin/node /root/node && mv ${script} /root/asking-client.mjs`);
    Client.#started += 1;
    const unit = `asking-client-${Client.#started}`;
    await machine.run(
      `systemd-run --quiet --collect --unit=${unit} /root/node /root/asking-client.mjs ${ADMIN} ${token} ${RESULT}`,
    );
    return new Client(machine, unit);
  }

  /** Ends it and resolves with what it has seen. */
  async stop(): Promise<Asked> {
    await this.#machine.run(`systemctl stop ${this.#unit}`);
    return JSON.parse(await this.#machine.run(`cat ${RESULT}`)) as Asked;
  }
}

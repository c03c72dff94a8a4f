import type { Client } from './client.ts';
import { jsonOf } from './judge.ts';

/** Writes for an account that nothing else in the attack touches, and remembers what was acknowledged. */
export class Ledger {
  written = 0;
  readonly #domains = new Set<string>();
  readonly #favorites = new Map<string, string>();
  #turn = 0;

  /** So many turns of it. */
  async writeAll(client: Client, token: string, turns: number): Promise<void> {
    for (let turn = 0; turn < turns; turn += 1) await this.#write(client, token);
  }

  /** What the server has lost or invented of it. */
  async differences(client: Client, token: string): Promise<string[]> {
    const { domains } = (await this.#read(client, token, '/api/domains')) as { domains: { domain_url: string }[] };
    const favorites = (await this.#read(client, token, '/api/favorites')) as { link: string; title: string }[];
    const there = new Set(domains.map(({ domain_url: name }) => name));
    return [
      ...[...this.#domains].filter((name) => !there.has(name)).map((name) => `the domain ${name} is lost`),
      ...[...there]
        .filter((name) => !this.#domains.has(name))
        .map((name) => `the domain ${name} was never acknowledged, or is back`),
      ...[...this.#favorites]
        .filter(([link, title]) => favorites.find((each) => each.link === link)?.title !== title)
        .map(([link]) => `the favorite ${link} is lost`),
    ];
  }

  /** A domain, a favorite, and now and then one of each taken back. */
  async #write(client: Client, token: string): Promise<void> {
    const n = (this.#turn += 1);
    const [domain, link] = [`kept-${n}.example`, `/kept/${n % 40}`];
    if (await this.#ask(client, token, 'POST', '/api/domains/new', { domain_url: domain }, 201))
      this.#domains.add(domain);
    if (await this.#ask(client, token, 'PUT', '/api/favorites', { link, title: `Kept ${n}` }, 200))
      this.#favorites.set(link, `Kept ${n}`);
    const [oldest] = this.#domains;
    if (
      n % 3 === 0 &&
      oldest !== undefined &&
      (await this.#ask(client, token, 'POST', '/api/domains/delete', { domain_url: oldest }, 200))
    )
      this.#domains.delete(oldest);
  }

  async #ask(
    client: Client,
    token: string,
    method: string,
    target: string,
    body: unknown,
    wanted: number,
  ): Promise<boolean> {
    const received = await client.send({
      method,
      target,
      headers: [
        ['Host', 'localhost'],
        ['Authorization', `Bearer ${token}`],
        ['Content-Type', 'application/json'],
      ],
      body: Buffer.from(JSON.stringify(body)),
    });
    if (received.status !== wanted)
      throw new Error(
        `${method} ${target} of an account that nobody touches is answered with ${received.status}: ${received.body.toString()}`,
      );
    this.written += 1;
    return true;
  }

  async #read(client: Client, token: string, target: string): Promise<unknown> {
    const received = await client.send({
      method: 'GET',
      target,
      headers: [
        ['Host', 'localhost'],
        ['Authorization', `Bearer ${token}`],
      ],
    });
    if (received.status !== 200)
      throw new Error(`GET ${target} is answered with ${received.status}: ${received.body.toString()}`);
    return jsonOf(received);
  }
}

import type { RawClient } from '../target/raw-client.ts';
import { jsonOf } from '../target/response-reader.ts';

/** Writes as an account that no other request touches, and records the acknowledged changes. */
export class DurabilityLog {
  written = 0;
  readonly #domains = new Set<string>();
  readonly #favorites = new Map<string, string>();
  #turn = 0;

  async writeAll(client: RawClient, token: string, turns: number): Promise<void> {
    for (let turn = 0; turn < turns; turn += 1) await this.#write(client, token);
  }

  /** Returns the acknowledged changes that are lost and the ones that were never acknowledged. */
  async differences(client: RawClient, token: string): Promise<string[]> {
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

  /** Adds a domain and a favorite; every third turn also removes the oldest domain. */
  async #write(client: RawClient, token: string): Promise<void> {
    const n = (this.#turn += 1);
    const [domain, link] = [`kept-${n}.example`, `/kept/${n % 40}`];
    if (await this.#send(client, token, 'POST', '/api/domains/new', { domain_url: domain }, 201))
      this.#domains.add(domain);
    if (await this.#send(client, token, 'PUT', '/api/favorites', { link, title: `Kept ${n}` }, 200))
      this.#favorites.set(link, `Kept ${n}`);
    const [oldest] = this.#domains;
    if (
      n % 3 === 0 &&
      oldest !== undefined &&
      (await this.#send(client, token, 'POST', '/api/domains/delete', { domain_url: oldest }, 200))
    )
      this.#domains.delete(oldest);
  }

  async #send(
    client: RawClient,
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
        `${method} ${target} of the reserved account returned ${received.status}: ${received.body.toString()}`,
      );
    this.written += 1;
    return true;
  }

  async #read(client: RawClient, token: string, target: string): Promise<unknown> {
    const received = await client.send({
      method: 'GET',
      target,
      headers: [
        ['Host', 'localhost'],
        ['Authorization', `Bearer ${token}`],
      ],
    });
    if (received.status !== 200)
      throw new Error(`GET ${target} returned ${received.status}: ${received.body.toString()}`);
    return jsonOf(received);
  }
}

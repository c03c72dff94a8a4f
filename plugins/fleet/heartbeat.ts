import type { Host } from '../../kernel/contract/plugin.ts';
import type { FleetPlace } from '../../kernel/contract/node-info.ts';
import type { Load, Machine } from '../../kernel/areas/machine.ts';
import { certify, memberKey, partLeft } from './membership/certificates.ts';
import { readAuthority } from './membership/joining.ts';
import { BEAT_MS } from './state.ts';
import { beat, raise } from './store.ts';

/** A certificate is renewed when less than this part of its time is left. */
const RENEWED_AT = 1 / 3;
const UNKNOWN: Load = { cpu: null, memory: null, disk: null };

type Parts = Pick<Host, 'store' | 'identity' | 'node' | 'log' | 'peer'> & { readonly place: FleetPlace };

/** Says every few seconds that this node is there, and renews its certificate in time. */
export class Heartbeat {
  readonly #parts: Parts;
  readonly #timer: NodeJS.Timeout;
  #beating: Promise<void> | undefined;
  #isHeard = true;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#timer = setInterval(() => void this.#beat(), BEAT_MS).unref();
    setImmediate(() => void this.#beat()); // the ports are known by then
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#beating;
  }

  /** Never rejects. */
  #beat(): Promise<void> {
    return (this.#beating ??= this.#write()
      .then(() => void (this.#isHeard = true))
      .catch((error: unknown) => {
        if (this.#isHeard)
          this.#parts.log.error({ err: error }, 'the heartbeat of this node cannot be written; will retry');
        this.#isHeard = false;
      })
      .then(() => void (this.#beating = undefined)));
  }

  async #write(): Promise<void> {
    const { store, identity, node, peer, place } = this.#parts;
    const sample = (await peer<Machine>('system')?.load()) ?? UNKNOWN;
    await beat(store, memberKey(place.membership()), {
      version: node.version,
      accounts: await identity.accounts.countOf({ role: 'user', home: place.name }),
      userUrl: node.url('user'),
      adminUrl: node.url('admin'),
      sample,
    });
    if (partLeft(place.membership().certificate) < RENEWED_AT) await this.#renew();
  }

  async #renew(): Promise<void> {
    const { store, identity, place, log } = this.#parts;
    const authority = await readAuthority(store, identity.keys);
    const { certificate } = await certify(authority, place.name, place.membership().key);
    place.renew(certificate);
    await store.write(raise); // all processes of this node read it
    log.info('the certificate of this node in the fleet was renewed');
  }
}

import type { Host } from '../../kernel/contract/plugin.ts';
import { newPrivateKey, signCertificate } from '../../kernel/kit/net/x509.ts';
import { AccountKey } from './acme/signed-request.ts';
import { findKey, keepKey } from './store.ts';

/** A name that no domain has, so that the certificate is for nobody. */
const NOBODY = 'hostkeep.invalid';
const DAYS = 3650;

/** The keys of the plugin itself, sealed in the store, which all nodes share; each is made when it is first needed. */
export class OwnKeys {
  readonly #host: Pick<Host, 'store' | 'identity'>;
  readonly #kept = new Map<string, Promise<string>>();

  constructor(host: Pick<Host, 'store' | 'identity'>) {
    this.#host = host;
  }

  /** Resolves with a key and its self-signed certificate, for all domains without one: browsers warn in any case. */
  selfSigned(): Promise<string> {
    return this.#keep('self-signed', async () => {
      const key = newPrivateKey();
      const names = { subject: NOBODY, issuer: NOBODY, hosts: [NOBODY] };
      return key + trimmed(await signCertificate({ ...names, key, issuerKey: key, days: DAYS }));
    });
  }

  /** Resolves with the key with which certificates are ordered from a directory. */
  async account(directory: string): Promise<AccountKey> {
    return new AccountKey(await this.#keep(`acme ${directory}`, async () => newPrivateKey()));
  }

  #keep(name: string, make: () => Promise<string>): Promise<string> {
    const kept = this.#kept.get(name) ?? this.#read(name, make);
    this.#kept.set(name, kept);
    kept.catch(() => this.#kept.delete(name)); // the caller gets the error, and the next one tries again
    return kept;
  }

  async #read(name: string, make: () => Promise<string>): Promise<string> {
    const { store, identity } = this.#host;
    const context = `certificate key ${name}`;
    let sealed = await findKey(store, name);
    if (sealed === undefined) {
      const made = identity.keys.seal(await make(), context);
      sealed = await store.write((tx) => keepKey(tx, name, made));
    }
    return identity.keys.unseal(sealed, context);
  }
}

const trimmed = (pem: string) => `${pem.trim()}\n`;

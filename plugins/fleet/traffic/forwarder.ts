import type * as Undici from 'undici';
import type { ForwardedRequest } from './forwarded-request.ts';
import { noNode } from '../../../kernel/areas/fleet-nodes.ts';
import type { Address } from '../../../kernel/contract/route-spec.ts';
import type { Membership } from '../../../kernel/contract/node-info.ts';
import { lazyPackage } from '../../../kernel/kit/programs/lazy-package.ts';
import type { Directory } from './directory.ts';
import type { ForwardedAnswer } from '../../../kernel/contract/forwarding.ts';
import { openFarSocket } from './far-socket.ts';
import { CONNECTIONS, HEADERS_MS, NodeLink, SILENCE_MS, type Outcome } from './node-link.ts';
import type { Member } from '../store.ts';
import { reach, trustIn } from './trust.ts';

const CONNECT_MS = 2000;
/** Below the ten seconds after which the other node closes an idle connection. */
const IDLE_MS = 8000;

/** Nodes of a fleet need it. */
const loadUndici = lazyPackage<typeof Undici>('undici', import.meta.url);

/** The ways to the other nodes of the fleet, which are opened when they are needed. */
export class Forwarder {
  readonly #undici = loadUndici();
  readonly #directory: Pick<Directory, 'find' | 'get'>;
  readonly #links = new Map<string, { readonly member: Member; readonly link: NodeLink }>();
  #own: Membership;

  constructor(directory: Pick<Directory, 'find' | 'get'>, own: Membership) {
    this.#directory = directory;
    this.#own = own;
  }

  /** See `Forward`. */
  readonly send = async (node: string, request: ForwardedRequest): Promise<ForwardedAnswer> => {
    const member = this.#directory.get(node) ?? (await this.#directory.find(node));
    if (member === undefined) throw noNode(node);
    return this.#linkTo(member).send(request);
  };

  /** See `reach`. */
  reach(member: Member): Promise<void> {
    return reach(this.#own, member);
  }

  /** Gives up ways that lead to what is no longer a member, or not as it was; all of them for a new certificate. */
  async follow(own: Membership): Promise<void> {
    const isRenewed = own.certificate !== this.#own.certificate;
    this.#own = own;
    for (const [name, { member, link }] of this.#links) {
      const now = this.#directory.get(name);
      if (!isRenewed && now?.address === member.address && now.keyDigest === member.keyDigest) continue;
      this.#links.delete(name);
      if (now === undefined) await link.destroy();
      else void link.close(); // once its streams have ended, which may be never
    }
  }

  /** Requests forwarded since the start, by node and outcome. */
  get outcomes(): { readonly node: string; readonly outcome: Outcome; readonly count: number }[] {
    return [...this.#links].flatMap(([node, { link }]) =>
      (Object.keys(link.counts) as Outcome[]).map((outcome) => ({ node, outcome, count: link.counts[outcome] })),
    );
  }

  async close(): Promise<void> {
    await Promise.all([...this.#links.values()].map(({ link }) => link.destroy()));
  }

  #linkTo(member: Member): NodeLink {
    const known = this.#links.get(member.name);
    if (known !== undefined) return known.link;
    const pool = (address: Address) =>
      new this.#undici.Pool(`https://${member.address}`, {
        connections: CONNECTIONS,
        keepAliveTimeout: IDLE_MS,
        keepAliveMaxTimeout: IDLE_MS,
        headersTimeout: HEADERS_MS,
        bodyTimeout: SILENCE_MS,
        connect: { ...trustIn(this.#own, address, member), timeout: CONNECT_MS } as object,
      });
    const link = new NodeLink({
      name: member.name,
      pools: { user: pool('user'), admin: pool('admin') },
      openSocket: (address, ...request) =>
        openFarSocket(member.address, trustIn(this.#own, address, member), HEADERS_MS, ...request),
      reach: () => this.reach(member),
    });
    this.#links.set(member.name, { member, link });
    return link;
  }
}

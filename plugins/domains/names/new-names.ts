import { hostname } from 'node:os';
import type { NodeInfo } from '../../../kernel/contract/node-info.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import { splitHostPort } from '../../../kernel/kit/net/host-port.ts';
import { fail } from '../errors.ts';
import { isWithin, parseDomain, publicSuffix } from './name.ts';
import type { DomainsConfig } from '../schema.ts';
import type { NameStatus } from '../store.ts';

interface Surroundings {
  readonly config: DomainsConfig;
  readonly node: NodeInfo;
}
/** The member of a request with the name. */
type At = { readonly path: string };

/** Which names an account may add. */
export class NewNames {
  readonly #reserved: readonly string[];
  readonly #more: ReadonlySet<string>;

  /** `more` are names that are reserved as well, whenever they are added to it. */
  constructor(surroundings: Surroundings, more: ReadonlySet<string> = new Set()) {
    this.#reserved = reservedNames(surroundings);
    this.#more = more;
  }

  /** Returns the lower-case ASCII form of a name. Errors: 400 `invalid_domain`. */
  read(text: string, at: At): string {
    const { name, problem } = parseDomain(text);
    if (name === undefined) throw fail.invalid_domain(problem, at);
    if (publicSuffix(name) === name)
      throw fail.invalid_domain(`${name} is a public suffix, under which anyone can register names`, at);
    // also a parent: its virtual host would stand in for the panel's domain
    if ([...this.#reserved, ...this.#more].some((reserved) => isWithin(name, reserved) || isWithin(reserved, name)))
      throw fail.invalid_domain(`${name} is reserved on this server`, at);
    return name;
  }
}

/** Rejects a name that is in use, or for which the plan has no room. Errors: 409 `domain_exists`, `names_limit_reached`. */
export function assertNameFree({ plan }: Account, name: string, { taken, isOwn, names }: NameStatus): void {
  if (isOwn) throw fail.domain_exists(`the account has ${name} already`);
  if (taken) throw fail.domain_exists(`${name} cannot be added: this name, a parent domain or a subdomain is in use`);
  const limit = plan?.limits['names_limit'] ?? 0;
  if (limit > 0 && names >= limit)
    throw fail.names_limit_reached(`the plan allows ${limit} name${limit === 1 ? '' : 's'}, subdomains included`);
}

/** Returns the forbidden names and all names of the panel itself. */
function reservedNames({ config, node }: Surroundings): string[] {
  const own = [
    hostname(),
    ...node.config.admin_hosts,
    node.config.tls.host_name,
    ...config.panel_hosts,
    ...[node.config.listen, node.config.admin_listen].map((each) => splitHostPort(each).host),
  ];
  return [...config.forbidden, ...own.filter((name) => name.includes('.'))].map(
    (name) => parseDomain(name).name ?? name.toLowerCase(),
  );
}

import { t, type ReplyOf } from '../../pages/kit/index.ts';

export type Domains = ReplyOf<'GET /api/domains'>;

/** From this share on, the limit of all names is said, which few accounts come near. */
const NEAR = 0.8;

/** Says how many of the domains of the plan are in use. */
export function roomText(domains: Domains): string {
  const { domains_limit: limit, names_limit: namesLimit } = domains;
  const total = countNames(domains);
  const names = namesOf(domains);
  const used = mainsOf(names).length;
  const below = names.length - used;
  const isNear = namesLimit > 0 && total >= namesLimit * NEAR;
  return [
    limit > 0 ? t('domains.countOf', { used, n: limit }) : t('domains.count', { n: used }),
    ...(below > 0 ? [t('domains.countBelow', { n: below })] : []),
    ...(isNear ? [t('domains.namesOf', { used: total, n: namesLimit })] : []),
  ].join(' · ');
}

/** Whether not even a subdomain can be added. */
export function isFull(domains: Domains): boolean {
  const { names_limit: limit } = domains;
  return limit > 0 && countNames(domains) >= limit;
}

/** Whether only subdomains of the own domains can be added. */
export function hasRoomBelowOnly(domains: Domains): boolean {
  return domains.domains_limit > 0 && mainsOf(namesOf(domains)).length >= domains.domains_limit;
}

/** Whether the limit of domains stands against a name: a subdomain does not count, and a parent takes the place of those below it. */
export function isBeyondLimit(name: string, domains: Domains): boolean {
  const names = namesOf(domains);
  const { domains_limit: limit } = domains;
  if (limit === 0 || names.some((each) => name.endsWith(`.${each}`))) return false;
  return mainsOf(names).filter((each) => !each.endsWith(`.${name}`)).length >= limit;
}

/** Returns how many names count against the limit of all names. */
const countNames = ({ domains }: Domains) => domains.reduce((n, { aliases }) => n + 1 + aliases.length, 0);
const namesOf = ({ domains }: Domains) => domains.map(({ domain_url: name }) => name);

/** Returns the names that are no subdomain of another. */
function mainsOf(names: readonly string[]): readonly string[] {
  const known = new Set(names);
  const isBelow = (name: string): boolean => {
    const dot = name.indexOf('.');
    const parent = name.slice(dot + 1);
    return dot !== -1 && (known.has(parent) || isBelow(parent));
  };
  return names.filter((name) => !isBelow(name));
}

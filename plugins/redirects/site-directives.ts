import { HOST_NAME } from '../../kernel/kit/net/host-port.ts';
import {
  CHALLENGES,
  MOST_NAMES,
  MOST_REDIRECTS,
  REDIRECT_PATH,
  REDIRECT_TARGET,
  type SiteDirectives,
  type SiteRedirect,
} from '../../kernel/contract/points/web-server-part.ts';
import { readBoolean, readList, readMembers, readText } from '../../kernel/kit/verb-arguments.ts';

/** A name of a site, and those others whose visitors are led there. */
export interface MainAddressRule {
  readonly to: string;
  readonly from: readonly string[];
}

/** The part of a site's rule. */
export interface SiteRedirects {
  readonly redirects: readonly SiteRedirect[];
  readonly main: MainAddressRule | null;
}

/** A redirect as web servers take it. */
interface RedirectRule {
  /** Matches path and query as the visitor sent them: group 1 is the part of the path that may be kept, group 2 the query. */
  readonly pattern: string;
  /** Whether it leaves out the paths at which authorities ask for the proof of a certificate, which it would match too. */
  readonly sparesChallenges: boolean;
  readonly to: string;
  /** The groups that are appended to the target. */
  readonly groups: readonly number[];
  readonly status: number;
}

const QUERY = '(\\?.*)?';
/** No second slash or backslash: appended to an empty path it would lead browsers to another host. */
const REST = '(/(?:[^?/\\x5C][^?]*)?)';
const literal = (path: string) => path.replace(/[.+]/g, '\\$&');

/** They match the address as the visitor sent it, so that nothing is decoded that a header could not hold. */
const directives: SiteDirectives<SiteRedirects> = {
  read: (part) => {
    const { redirects, main } = readMembers(part, ['redirects', 'main']);
    return { redirects: readRedirects(redirects), main: main === null ? null : readMain(main) };
  },
  nginx: ({ redirects, main }) => [
    ...(main === null
      ? []
      : [
          `if ($hostkeep_asked_name ~ "^(?:${main.from.map(literal).join('|')})$") {`,
          `    return 308 "$hostkeep_scheme://${main.to}$hostkeep_asked_port$request_uri";`,
          '}',
        ]),
    ...redirectRules(redirects).flatMap(({ pattern, sparesChallenges, to, groups, status }) => {
      const spared = sparesChallenges ? `(?!${CHALLENGES.replaceAll('.', '\\.')})` : '';
      const target = `${to}${groups.map((n) => `$${n}`).join('')}`;
      return [`if ($request_uri ~ "^${spared}${pattern}$") {`, `    return ${status} "${target}";`, '}'];
    }),
  ],
  caddy: ({ redirects, main }) => {
    const toMain =
      main === null
        ? []
        : [
            '@main {',
            `\tvars_regexp main {http.request.hostport} "(?i)^(?:${main.from.map(literal).join('|')})(:[0-9]+)?$"`,
            `\tnot path ${CHALLENGES}*`,
            '}',
            `redir @main "{http.request.scheme}://${main.to}{re.main.1}{http.request.orig_uri}" 308`,
          ];
    const paths = redirectRules(redirects).flatMap(({ pattern, sparesChallenges, to, groups, status }, i) => [
      `@redirect${i} {`,
      `\tvars_regexp redirect${i} {http.request.orig_uri} "^${pattern}$"`,
      ...(sparesChallenges ? [`\tnot path ${CHALLENGES}*`] : []),
      '}',
      `redir @redirect${i} "${to}${groups.map((n) => `{re.redirect${i}.${n}}`).join('')}" ${status}`,
    ]);
    const lines = [...toMain, ...paths];
    // in their order, which a site's own directives do not have
    return lines.length === 0 ? [] : ['route {', ...lines.map((line) => `\t${line}`), '}'];
  },
};
export default directives;

/** Returns the rules in the order in which they count: that of the longer path first. */
function redirectRules(redirects: readonly SiteRedirect[]): readonly RedirectRule[] {
  return redirects.toSorted((a, b) => b.from.length - a.from.length).flatMap(rulesFor);
}

function rulesFor({ from, isPrefix, to, status, keepsPath, keepsQuery }: SiteRedirect): RedirectRule[] {
  const query = keepsQuery ? [2] : [];
  const exact = { pattern: `${literal(from)}()${QUERY}`, sparesChallenges: false, to, groups: query, status };
  if (!isPrefix) return [exact];
  const base = from === '/' ? '' : literal(from);
  const sparesChallenges = from === '/';
  if (!keepsPath) return [{ ...exact, pattern: `${base}(/[^?]*)?${QUERY}`, sparesChallenges }];
  const below = { pattern: `${base}${REST}${QUERY}`, to: to.replace(/\/$/, ''), groups: [1, ...query] };
  return [exact, { ...exact, ...below, sparesChallenges }];
}

function readMain(part: unknown): MainAddressRule {
  const given = readMembers(part, ['to', 'from']);
  return {
    to: readText(given.to, HOST_NAME),
    from: readList(given.from, MOST_NAMES + 1, (name) => readText(name, HOST_NAME)),
  };
}

function readRedirects(part: unknown): SiteRedirect[] {
  return readList(part, MOST_REDIRECTS, (item) => {
    const given = readMembers(item, ['from', 'isPrefix', 'to', 'status', 'keepsPath', 'keepsQuery']);
    return {
      from: readText(given.from, REDIRECT_PATH),
      isPrefix: readBoolean(given.isPrefix),
      to: readText(given.to, REDIRECT_TARGET),
      status: Number(readText(String(given.status), /^30[1278]$/)),
      keepsPath: readBoolean(given.keepsPath),
      keepsQuery: readBoolean(given.keepsQuery),
    };
  });
}

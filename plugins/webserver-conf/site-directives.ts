import type { SiteDirectives } from '../../kernel/contract/points/web-server-part.ts';
import { fail } from '../../kernel/errors.ts';
import { readBoolean, readInteger, readList, readMembers, readText } from '../../kernel/kit/verb-arguments.ts';
import {
  ENDINGS,
  HEADER,
  HEADER_VALUE,
  INDEX,
  KINDS,
  LONGEST_SECONDS,
  MOST_HEADERS,
  MOST_INDEX,
  type SiteSettings,
} from './site-settings.ts';

/** Folders are listed where no link can be followed: web servers tell of a link what it leads to, whoever owns that. */
const directives: SiteDirectives<SiteSettings> = {
  read(part) {
    const { index, caching, headers, listsFolders } = readMembers(part, [
      'index',
      'caching',
      'headers',
      'listsFolders',
    ]);
    return {
      index: readList(index, MOST_INDEX, (name) => readText(name, INDEX)),
      caching: readList(caching, KINDS.length, (item) => {
        const { kind, seconds } = readMembers(item, ['kind', 'seconds']);
        const known = KINDS.find((each) => each === kind);
        if (known === undefined) throw fail.invalid_request('there is no such kind of files');
        return { kind: known, seconds: readInteger(seconds, 0, LONGEST_SECONDS) };
      }),
      headers: readList(headers, MOST_HEADERS, (item) => {
        const { name, value } = readMembers(item, ['name', 'value']);
        return { name: readText(name, HEADER), value: readText(value, HEADER_VALUE) };
      }),
      listsFolders: readBoolean(listsFolders),
    };
  },
  // By variables and not by locations, which would take addresses from the applications of the site.
  nginx: ({ index, caching, headers, listsFolders }, { followsNoLinks }) => [
    ...(index.length === 0 ? [] : [`index ${index.join(' ')};`]),
    ...(caching.length === 0
      ? []
      : [
          'set $hostkeep_expires off;',
          ...caching.flatMap(({ kind, seconds }) => [
            `if ($uri ~* "${ending(kind)}") {`,
            `    set $hostkeep_expires ${seconds === 0 ? 'epoch' : `${seconds}s`};`,
            '}',
          ]),
          'expires $hostkeep_expires;',
        ]),
    ...headers.map(({ name, value }) => `add_header ${name} ${quoted(value)} always;`),
    ...(listsFolders && followsNoLinks ? ['autoindex on;'] : []),
  ],
  caddy: ({ index, caching, headers, listsFolders }, { followsNoLinks }) => [
    ...headers.map(({ name, value }) => `header ${name} ${quoted(value)}`),
    ...(index.length + caching.length === 0 ? [] : ['route {', ...caddyIndex(index), ...caddyCaching(caching), '}']),
    ...(listsFolders && followsNoLinks
      ? ['@listed path */', 'file_server @listed {', '\tbrowse', '\thide .*', '}']
      : []),
  ],
};
export default directives;

const ending = (kind: keyof typeof ENDINGS) => `\\.(?:${ENDINGS[kind]})$`;
const quoted = (value: string) => `"${value.replaceAll('"', '\\"')}"`;

const caddyIndex = (index: SiteSettings['index']) =>
  index.length === 0
    ? []
    : [
        '\t@index {',
        '\t\tpath */',
        `\t\tfile {`,
        `\t\t\ttry_files ${index.map((name) => `{path}${name}`).join(' ')}`,
        '\t\t}',
        '\t}',
        '\trewrite @index {http.matchers.file.relative}',
      ];

/** Files that are there: what a script or an error answers has no kind. */
const caddyCaching = (caching: SiteSettings['caching']) =>
  caching.flatMap(({ kind, seconds }) => [
    `\t@${kind} {`,
    `\t\tpath_regexp (?i)${ending(kind)}`,
    '\t\tfile',
    '\t}',
    `\theader @${kind} Cache-Control ${seconds === 0 ? 'no-cache' : `max-age=${seconds}`}`,
  ]);

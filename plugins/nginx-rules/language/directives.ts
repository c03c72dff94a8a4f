import { isIpRange } from '../../../kernel/kit/net/ip.ts';

/** Where a directive may stand. */
export type Place = 'site' | 'location' | 'if';

/** A directive whose words are checked one by one; those that need more are in `rules.ts`. */
interface PlainDirective {
  readonly places: readonly Place[];
  /** As it is written. */
  readonly form: string;
  /** Whether a word may stand there. */
  readonly takes: (word: string) => boolean;
  /** How many there are at most; one unless given. */
  readonly most?: number;
}

const ANYWHERE = ['site', 'location'] as const;
const like = (pattern: RegExp) => (word: string) => pattern.test(word);
const isSwitch = like(/^(?:on|off)$/);
const isMediaType = like(/^[a-z]{1,20}\/[a-z0-9][a-z0-9.+-]{0,80}$/);
const isRangeText = like(/^[0-9a-f.:]{2,45}(?:\/\d{1,3})?$/);
const isAddresses = (word: string) => word === 'all' || (isRangeText(word) && isIpRange(word));

/**
 * The directives that owners of sites may use. None names a file, a program, a server or a module, or takes the place of what
 * Hostkeep adds to answers.
 */
export const PLAIN: ReadonlyMap<string, PlainDirective> = new Map<string, PlainDirective>([
  ['allow', { places: ANYWHERE, form: 'allow 192.0.2.0/24;', takes: isAddresses }],
  ['charset', { places: ANYWHERE, form: 'charset utf-8;', takes: like(/^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/) }],
  ['default_type', { places: ANYWHERE, form: 'default_type text/plain;', takes: isMediaType }],
  ['deny', { places: ANYWHERE, form: 'deny all;', takes: isAddresses }],
  ['etag', { places: ANYWHERE, form: 'etag off;', takes: isSwitch }],
  ['expires', { places: ['location'], form: 'expires 30d;', takes: like(/^(?:off|max|epoch|-?\d{1,9}[smhdwMy]?)$/) }],
  ['gzip', { places: ANYWHERE, form: 'gzip on;', takes: isSwitch }],
  ['gzip_min_length', { places: ANYWHERE, form: 'gzip_min_length 1000;', takes: like(/^\d{1,9}$/) }],
  ['gzip_types', { places: ANYWHERE, form: 'gzip_types text/css image/svg+xml;', takes: isMediaType, most: 50 }],
  ['if_modified_since', { places: ANYWHERE, form: 'if_modified_since before;', takes: like(/^(?:off|exact|before)$/) }],
  ['limit_rate', { places: ANYWHERE, form: 'limit_rate 500k;', takes: like(/^\d{1,9}[km]?$/) }],
  [
    'valid_referers',
    {
      ...{ places: ANYWHERE, form: 'valid_referers none server_names *.example.com;', most: 50 },
      takes: like(
        /^(?:none|blocked|server_names|(?:\*\.)?(?:[a-z0-9-]{1,63}\.){1,10}(?:[a-z0-9-]{1,63}|\*)(?:\/[\w./-]*)?)$/,
      ),
    },
  ],
]);

/** Variables of which none names a file of this machine or holds what others than the visitor sent. */
export const VARIABLE = new RegExp(
  `^(?:${[
    ...[
      'args',
      'document_uri',
      'host',
      'https',
      'invalid_referer',
      'is_args',
      'query_string',
      'remote_addr',
      'request_method',
    ],
    ...['request_uri', 'scheme', 'server_name', 'uri', '[1-9]', '(?:arg|cookie|http)_[a-z0-9_]{1,60}'],
  ].join('|')})$`,
  'i', // as nginx takes their names
);

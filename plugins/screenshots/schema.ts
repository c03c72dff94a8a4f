import { NamedObject, Type, type Static } from '../../kernel/schema.ts';

/** Size of a screenshot, in pixels. */
export const [WIDTH, HEIGHT] = [1280, 800] as const;
const MIB = 1024 * 1024;
const HostPort = (description: string) =>
  Type.String({ pattern: '^((\\[[0-9a-fA-F:]+\\]|[^:\\s]+):[0-9]{1,5})?$', default: '', description });

export const ScreenshotsConfig = Type.Object(
  {
    remote_url: Type.String({
      default: '',
      description:
        'URL template of a remote screenshot service, used instead of a local browser. {url}, {domain}, {path}, ' +
        '{width} and {refresh} are replaced, percent-encoded',
    }),
    remote_key: Type.String({
      writeOnly: true,
      default: '',
      description:
        'Signs the remote URL: appends expires=<seconds since 1970>, then signature=<hex of the HMAC-SHA256 of ' +
        'everything before &signature>',
    }),
    executable: Type.String({
      default: '',
      description: 'Path of the browser; empty = the first one found in the usual places',
    }),
    user: Type.String({
      pattern: '^[a-z_][a-z0-9_-]*$',
      default: 'nobody',
      description: 'User that the browser runs as if Hostkeep runs as root; preferably one of its own',
    }),
    sandbox: Type.String({
      enum: ['required', 'off'],
      default: 'required',
      description:
        "required: take no screenshots where the browser's own sandbox does not work (the demo takes them without it); " +
        'off: run the browser without it, so that a page that takes it over has the rights of its user',
    }),
    site_address: HostPort(
      "Web server that serves port 80 of the account's domains; empty = the one of the plugin webserver, or else " +
        '127.0.0.1:80',
    ),
    site_tls_address: HostPort(
      'The same for port 443; empty = pages of own domains load nothing over https from this node',
    ),
    source_address: Type.String({
      default: '127.0.0.2',
      description:
        'Address of this node from which pages of own domains are loaded, so that the web server can tell them from ' +
        'local programs, to which it may show more. Name another one if it trusts all of 127.0.0.0/8, as ' +
        '`Require local` of Apache does, and an IPv6 address if the web server has one',
    }),
    public_addresses: Type.Boolean({
      default: true,
      description:
        'Whether pages may load from public addresses, ports 80 and 443. Private addresses are never allowed',
    }),
    dns_servers: Type.Array(Type.String(), {
      default: [],
      description: "Name servers for the host names in pages; empty = the system's",
    }),
    pages: Type.Integer({ minimum: 1, maximum: 32, default: 3, description: 'Maximum number of open pages' }),
    queue_limit: Type.Integer({
      minimum: 1,
      maximum: 10_000,
      default: 100,
      description: 'Maximum number of waiting screenshots; one account gets at most three quarters of it',
    }),
    idle_seconds: Type.Number({
      minimum: 0.1,
      default: 60,
      description: 'The browser ends after this time without a screenshot',
    }),
    page_seconds: Type.Number({ minimum: 1, maximum: 120, default: 15, description: 'Time limit for a screenshot' }),
    page_bytes: Type.Integer({
      minimum: 1024,
      default: 32 * MIB,
      description: 'Bytes that a page may send and receive; after that it is captured as it is',
    }),
    page_requests: Type.Integer({
      minimum: 1,
      default: 400,
      description: 'Requests, and connections, that a page may make; after that it is captured as it is',
    }),
    page_memory_bytes: Type.Integer({
      minimum: 128 * MIB,
      default: 768 * MIB,
      description: "Memory of a page's process; if exceeded, the process is killed",
    }),
    ttl_seconds: Type.Number({ minimum: 0.1, default: 3600, description: 'How long a screenshot is cached' }),
    failure_seconds: Type.Number({
      minimum: 0,
      default: 30,
      description: 'Time before a site that could not be reached is tried again',
    }),
    cache_bytes: Type.Integer({
      minimum: 0,
      default: 256 * MIB,
      description: 'Size of the screenshots on disk; the least recently used are removed first',
    }),
    memory_cache_bytes: Type.Integer({
      minimum: 0,
      default: 16 * MIB,
      description: 'Size of the screenshots in memory, scaled ones included',
    }),
  },
  { additionalProperties: false },
);
export type Settings = Static<typeof ScreenshotsConfig>;

export const ScreenshotPath = Type.Object({
  path: Type.String({
    description: '<domain> or <domain>/<path>; a percent-encoded ? begins the query string of the page',
  }),
});
export type ScreenshotPath = Static<typeof ScreenshotPath>;

export const ScreenshotQuery = Type.Object({
  width: Type.Optional(
    Type.Integer({
      minimum: 64,
      maximum: 1920,
      description: 'Width in pixels, 1280 by default; the height is scaled with it',
    }),
  ),
  refresh: Type.Optional(
    Type.Boolean({ description: 'Takes a new screenshot; allowed once a minute per domain, else 429' }),
  ),
});
export type ScreenshotQuery = Static<typeof ScreenshotQuery>;

export const ScreenshotUrl = NamedObject(
  'ScreenshotUrl',
  { url: Type.String({ format: 'uri', description: 'URL of the screenshot on the remote service' }) },
  {
    description:
      'With a remote service: the URL. Local screenshots are image/png, 1280×800 or scaled to the width, with an ' +
      'ETag and Cache-Control: private',
  },
);
export type ScreenshotUrl = Static<typeof ScreenshotUrl>;

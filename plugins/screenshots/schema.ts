import { Type, type Static } from '../../kernel/schema.ts';

const MIB = 1024 * 1024;
const HostPort = (byDefault: string, description: string) =>
  Type.String({ pattern: '^((\\[[0-9a-fA-F:]+\\]|[^:\\s]+):[0-9]{1,5})?$', default: byDefault, description });

export const ScreenshotsConfig = Type.Object(
  {
    remote_url: Type.String({
      default: '',
      description:
        "Template of another service's address; pictures are then not taken here. {url}, {domain}, {path}, {width} and {refresh} are replaced, percent-encoded",
    }),
    remote_key: Type.String({
      default: '',
      description:
        'Signs the remote address: expires=<seconds since 1970>, then signature=<hex of HMAC-SHA256 over all that stands before &signature> are added to it',
    }),
    executable: Type.String({
      default: '',
      description: 'Path of the browser; the first that is found in the usual places when empty',
    }),
    user: Type.String({
      pattern: '^[a-z_][a-z0-9_-]*$',
      default: 'nobody',
      description: 'Whom the browser runs as where Hostkeep runs as root; one of its own is better',
    }),
    sandbox: Type.String({
      enum: ['auto', 'required'],
      default: 'auto',
      description:
        "auto: without the browser's sandbox where this system has none, and said so in the log; required: then no pictures",
    }),
    site_address: HostPort(
      '',
      "The node's web server, asked for port 80 of the account's own domains; when empty, where the plugin webserver serves them, or else 127.0.0.1:80",
    ),
    site_tls_address: HostPort('', 'The same for port 443; port 443 of the host of site_address when empty'),
    public_addresses: Type.Boolean({
      default: true,
      description: 'Whether pages may load from public addresses, ports 80 and 443; private ones are refused always',
    }),
    dns_servers: Type.Array(Type.String(), {
      default: [],
      description: "Resolve the names that pages ask for; the system's when empty",
    }),
    pages: Type.Integer({ minimum: 1, maximum: 32, default: 3, description: 'Pages open at once' }),
    queue_limit: Type.Integer({
      minimum: 1,
      maximum: 10_000,
      default: 100,
      description: 'Pictures that may wait; an account has at most three quarters of it',
    }),
    idle_seconds: Type.Number({
      minimum: 0.1,
      default: 60,
      description: 'The browser ends when nothing was asked for so long',
    }),
    page_seconds: Type.Number({ minimum: 1, maximum: 120, default: 15 }),
    page_bytes: Type.Integer({
      minimum: 1024,
      default: 32 * MIB,
      description: 'What a page may send and receive; beyond it, it shows what it has',
    }),
    page_requests: Type.Integer({
      minimum: 1,
      default: 400,
      description: 'Requests, and connections, of a page; beyond it, it shows what it has',
    }),
    page_memory_bytes: Type.Integer({
      minimum: 128 * MIB,
      default: 768 * MIB,
      description: "Memory of a page's process; beyond it, it is ended",
    }),
    ttl_seconds: Type.Number({ minimum: 0.1, default: 3600, description: 'How long a picture is kept' }),
    failure_seconds: Type.Number({
      minimum: 0,
      default: 30,
      description: 'How long a site that could not be reached is not tried again',
    }),
    cache_bytes: Type.Integer({
      minimum: 0,
      default: 256 * MIB,
      description: 'Pictures on disk; the least recently used leave',
    }),
    memory_cache_bytes: Type.Integer({
      minimum: 0,
      default: 16 * MIB,
      description: 'Pictures, also scaled ones, kept ready in memory',
    }),
  },
  { additionalProperties: false },
);
export type Settings = Static<typeof ScreenshotsConfig>;

export const ScreenshotPath = Type.Object({
  path: Type.String({ description: '<domain> or <domain>/<path>; a percent-encoded ? begins the query of the site' }),
});
export type ScreenshotPath = Static<typeof ScreenshotPath>;

export const ScreenshotQuery = Type.Object({
  width: Type.Optional(
    Type.Integer({ minimum: 64, maximum: 1920, description: 'Pixels; the height follows. 1280 unless said' }),
  ),
  refresh: Type.Optional(
    Type.Boolean({ description: 'Takes a new picture; at most once a minute for a site, else 429' }),
  ),
});
export type ScreenshotQuery = Static<typeof ScreenshotQuery>;

export const ScreenshotUrl = Type.Object(
  { url: Type.String({ format: 'uri', description: 'Where the picture is, on the remote service' }) },
  {
    description:
      'With a remote service. Local pictures are image/png, 1280×800 scaled to the width, with ETag and Cache-Control: private',
  },
);
export type ScreenshotUrl = Static<typeof ScreenshotUrl>;

/** How a site is served, as its owner wants it. */
export interface SiteSettings {
  /** Names of files that answer for their folder, before those of the server. */
  readonly index: readonly string[];
  /** How long browsers keep kinds of files; 0: they ask each time. */
  readonly caching: readonly { readonly kind: FileKind; readonly seconds: number }[];
  /** Headers that are added to each answer. */
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  /** Whether folders without such a file show what is in them. */
  readonly listsFolders: boolean;
}

/** The settings of a site, as they are kept. */
export interface KeptSettings extends SiteSettings {
  /** The largest body of a request; `null` for that of the server, or of PHP. */
  readonly uploadMib: number | null;
}

/** The endings of each kind, as a pattern. */
export const ENDINGS = {
  pages: 'html?',
  styles: 'css',
  scripts: 'm?js',
  images: 'avif|bmp|gif|ico|jpe?g|png|svgz?|webp',
  fonts: 'eot|otf|ttc|ttf|woff2?',
  media: 'aac|flac|m4[av]|mov|mp[34]|og[agv]|opus|wav|web[am]',
  documents: 'csv|docx?|epub|od[pst]|pdf|pptx?|rtf|txt|xlsx?',
} as const;
export type FileKind = keyof typeof ENDINGS;
export const KINDS = Object.keys(ENDINGS) as readonly FileKind[];

export const MOST_INDEX = 10;
export const MOST_HEADERS = 30;
export const LONGEST_SECONDS = 31_536_000;
/** No hidden file. */
export const INDEX = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/;
/**
 * Headers of which each concerns its site alone. None frames the answer, keeps state, speaks for other ports or names, or is taken by
 * a server in front.
 */
export const HEADER = new RegExp(
  `^(?:${[
    'Access-Control-(?:Allow-(?:Credentials|Headers|Methods|Origin|Private-Network)|Expose-Headers|Max-Age)',
    'Content-(?:Language|Security-Policy(?:-Report-Only)?)',
    'Cross-Origin-(?:Embedder|Opener|Resource)-Policy(?:-Report-Only)?',
    'Document-Policy',
    'Feature-Policy',
    'Link',
    'Origin-Agent-Cluster',
    'Permissions-Policy',
    'Referrer-Policy',
    'Reporting-Endpoints',
    'Service-Worker-Allowed',
    'Timing-Allow-Origin',
    'X-(?!Accel|Lighttpd|LiteSpeed|Sendfile|Forwarded|Real-|Original-|Rewrite-|Hostkeep)[A-Za-z0-9-]{1,60}',
  ].join('|')})$`,
  'i',
);
/** Nothing that the configuration of a web server takes for a variable, a placeholder or an escape, even in quotes. */
export const HEADER_VALUE = /^(?! )(?!.* $)[ !"#%-[\]^_a-z|~]{1,1024}$/;

import { type ReplyOf } from '../../pages/kit/index.ts';

export type Listing = ReplyOf<'GET /api/files'>;
export type Entry = Listing['entries'][number];

/** Returns a link to a folder, or to a file marked in its folder. */
export const linkToPath = (kind: 'file' | 'folder', path: string): string =>
  `#${new URLSearchParams([[kind, path]]).toString()}`;

export const contentPath = (path: string): string => `/api/files/content?path=${encodeURIComponent(path)}`;

/** A small picture of a picture; plugin `thumbnails` has it. */
export const thumbnailPath = (path: string): string => `/api/thumbnails?path=${encodeURIComponent(path)}`;
export const SCALED = /^image\/(avif|gif|jpeg|png|webp)$/;

/** The largest files that the page edits or shows; larger ones are downloaded. */
const EDITABLE_BYTES = 8 << 20;
const PICTURE_BYTES = 32 << 20;

const PICTURES: Readonly<Record<string, string>> = {
  avif: 'image/avif',
  bmp: 'image/bmp',
  gif: 'image/gif',
  ico: 'image/x-icon',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  png: 'image/png',
  svg: 'image/svg+xml',
  webp: 'image/webp',
};
const TEXT =
  /(^|\.)(bat|cfg|conf|css|csv|env|gitignore|htaccess|html?|ini|js|json|jsx|less|log|map|md|mjs|php|pl|py|rb|rst|sass|scss|sh|sql|svg|toml|ts|tsx|txt|vue|xml|ya?ml)$/i;

/** Returns the media type of a picture that browsers show; `undefined` for all else. */
export function pictureType({ name, kind, size_bytes: size }: Entry): string | undefined {
  if (kind !== 'file' || size > PICTURE_BYTES) return undefined;
  return PICTURES[name.slice(name.lastIndexOf('.') + 1).toLowerCase()];
}

/** The endings of archives that can be unpacked. */
export const ARCHIVE = /\.(zip|tar\.gz|tgz|tar\.zst)$/i;

/** Whether a file is small enough to edit; whether it is text, its bytes say. */
export const isEditable = ({ kind, size_bytes: size }: Entry): boolean => kind === 'file' && size <= EDITABLE_BYTES;

/** Whether a file is text by its name. */
export const isTextByName = (entry: Entry): boolean => isEditable(entry) && TEXT.test(entry.name);

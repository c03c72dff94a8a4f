/** The formats of archives, by the ending of their names. */
export const FORMATS = ['zip', 'tar.gz', 'tar.zst'] as const;
export type Format = (typeof FORMATS)[number];

interface Programs {
  readonly program: string;
  /** From a tar archive at standard input to the format at standard output. */
  readonly pack: readonly string[];
  /** From an archive at standard input, which is a file, to a tar archive at standard output. */
  readonly unpack: readonly string[];
  /** The beginnings of such archives. */
  readonly magic: readonly string[];
}

/** Without a charset, bsdtar refuses names that are not ASCII. */
export const ENV = { LC_ALL: 'C.UTF-8' };
const BSDTAR = ['--create', '--file=-'];

/**
 * Programs by format. A file is only given to bsdtar when it begins as a zip archive does: one of the formats that it knows names
 * files of the machine to be read.
 */
export const PROGRAMS: Readonly<Record<Format, Programs>> = {
  zip: {
    program: 'bsdtar',
    pack: [...BSDTAR, '--format=zip', '@-'],
    unpack: [...BSDTAR, '--format=gnutar', '-P', '@-'],
    magic: ['PK\u0003\u0004', 'PK\u0005\u0006'],
  },
  'tar.gz': { program: 'gzip', pack: ['-c'], unpack: ['-dc'], magic: ['\u001f\u008b'] },
  'tar.zst': { program: 'zstd', pack: ['-qc'], unpack: ['-qdc'], magic: ['(\u00b5/\u00fd'] },
};

/** Bytes that tell the format. */
export const MAGIC_BYTES = 4;

/** Returns the format of what begins with these bytes; `undefined` for none that is known. */
export function formatFrom(start: Buffer): Format | undefined {
  const text = start.toString('latin1');
  return FORMATS.find((format) => PROGRAMS[format].magic.some((each) => text.startsWith(each)));
}

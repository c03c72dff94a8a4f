import { NamedObject, Type, type Static } from '../../../kernel/schema.ts';
import { Path } from '../schema.ts';
import { FORMATS } from './formats.ts';

const Paths = Type.Array(Path, { minItems: 1, maxItems: 1000, description: 'All in one folder' });
export const Compressing = Type.Object(
  {
    paths: Paths,
    to: Path,
    format: Type.String({ enum: [...FORMATS], default: 'zip' }),
  },
  { title: 'FileCompressing', examples: [{ paths: ['site'], to: 'site.zip', format: 'zip' }] },
);
export const Extracting = Type.Object(
  { from: Path, to: Type.String({ maxLength: 4096, description: 'A new folder' }) },
  { title: 'FileExtracting', examples: [{ from: 'site.zip', to: 'site' }] },
);
export const NewDownload = Type.Object(
  {
    paths: Paths,
    format: Type.Union([Type.String({ enum: [...FORMATS] }), Type.Null()], {
      default: null,
      description: 'Of an archive of all paths; null for the one file that `paths` names, as it is',
    }),
  },
  { title: 'NewFileDownload', examples: [{ paths: ['site'], format: 'zip' }] },
);
export type NewDownload = Static<typeof NewDownload>;
export const Download = NamedObject('FileDownload', {
  href: Type.String({ description: 'A path of this address; whoever has it can download without a login' }),
  expires_in: Type.Integer({ description: 'Seconds in which the download may begin' }),
});
export const DownloadParams = Type.Object({
  username: Type.String({ maxLength: 64 }),
  ticket: Type.String({ maxLength: 64 }),
});

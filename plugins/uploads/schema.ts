import type { IncomingBody } from '../../kernel/contract/incoming-body.ts';
import { NamedObject, Type, type Static } from '../../kernel/schema.ts';

/** The media type of what is sent to an upload. */
export const UPLOAD_TYPE = 'application/offset+octet-stream';
export const UploadBytes = Type.Unsafe<IncomingBody>({
  type: 'string',
  format: 'binary',
  contentMediaType: UPLOAD_TYPE,
});

export const UploadsConfig = Type.Object(
  {
    kept_minutes: Type.Integer({
      minimum: 1,
      maximum: 1440,
      default: 1440,
      description: 'Minutes without progress after which an upload that is not complete is removed',
    }),
    check_seconds: Type.Integer({
      minimum: 1,
      maximum: 3600,
      default: 300,
      description: 'Seconds after which it is looked again for uploads to remove',
    }),
    max_mib: Type.Integer({
      minimum: 1,
      maximum: 16_384,
      default: 16_384,
      description: 'MiB that one upload may have',
    }),
    open: Type.Integer({
      minimum: 1,
      maximum: 1000,
      default: 100,
      description: 'Uploads that an account may have begun and not completed',
    }),
    transfers: Type.Integer({
      minimum: 1,
      maximum: 64,
      default: 4,
      description: 'Uploads to which an account may send at once',
    }),
  },
  { additionalProperties: false },
);
export type UploadsConfig = Static<typeof UploadsConfig>;

export const UploadParams = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 64, description: 'As in the list of uploads' }),
});

export const Upload = NamedObject('Upload', {
  id: Type.String(),
  path: Type.String({ description: 'Where the file is to be, absolute' }),
  size_bytes: Type.Integer({ minimum: 0 }),
  offset_bytes: Type.Integer({ minimum: 0, description: 'How much of it has arrived; of a complete one, all' }),
  expires_at: Type.String({ format: 'date-time', description: 'When it is removed, unless more arrives before' }),
});
export type Upload = Static<typeof Upload>;

export const Uploads = NamedObject('Uploads', {
  uploads: Type.Array(Upload, { description: 'The one that was begun last is first' }),
});

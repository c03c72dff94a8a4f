import { Upload, type UploadOptions } from 'tus-js-client';

/** Sends a file by the client of the protocol's authors. Resolves with the upload, and with the bytes that it says were accepted. */
export function sendByTus(
  content: Buffer,
  token: string,
  options: UploadOptions,
): Promise<{ readonly upload: Upload; readonly accepted: number }> {
  return new Promise((resolve, reject) => {
    let accepted = 0;
    const upload = new Upload(content, {
      headers: { Authorization: `Bearer ${token}` },
      retryDelays: Array.from({ length: 20 }, () => 50),
      onChunkComplete: (_, bytes) => (accepted = bytes),
      onSuccess: () => resolve({ upload, accepted }),
      onError: reject,
      ...options,
    });
    upload.start();
  });
}

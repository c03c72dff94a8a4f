import { transfer, type BatchOutcome, type BatchToSend, type ReplyOf } from '../../pages/kit/index.ts';

/** Sends files in one request. */
export default async function sendBatch({ files, signal, onProgress }: BatchToSend): Promise<BatchOutcome> {
  const form = new FormData();
  form.append('files', JSON.stringify(files.map(({ path, mayReplace }) => ({ path, overwrite: mayReplace }))));
  for (const { file } of files) form.append('content', file, 'content');
  const answer = await transfer('/api/files/batch', { method: 'POST', body: form, signal, onProgress });
  return (JSON.parse(await answer.text()) as ReplyOf<'POST /api/files/batch'>).results;
}

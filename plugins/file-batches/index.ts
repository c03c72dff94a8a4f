import type { IncomingBody } from '../../kernel/contract/incoming-body.ts';
import { definePlugin } from '../../kernel/contract/plugin.ts';
import { freeRoom } from '../../kernel/areas/files/free-room.ts';
import { pathComponents } from '../../kernel/kit/files/client-path.ts';
import { bodyParts } from '../../kernel/kit/files/unfinished/body-parts.ts';
import { AccountTransfers } from '../../kernel/kit/waiting/account-transfers.ts';
import { fail } from './errors.ts';
import { BATCH } from './jobs.ts';
import { Batch, BatchResults, MAX_BYTES, MAX_FILES } from './schema.ts';

/** Requests of an account at a time, each of which is in memory. */
const REQUESTS = 4;

export default definePlugin({
  name: 'file-batches',
  description: 'Uploads of many small files in one request.',
  features: [],
  uses: ['quota'],
  errors: fail,
  routes: {
    upload: {
      method: 'POST',
      path: '/api/files/batch',
      at: 'home',
      feature: { any: [], all: ['filemanager'] },
      summary: 'Upload many small files',
      description:
        `At most ${MAX_FILES} files, and ${MAX_BYTES} bytes in all. The field \`files\` is JSON: a list of objects, each with the \`path\` of a ` +
        'file, and `overwrite`, which is false for a new file only. A part `content` follows for each, in the same order. Each file takes ' +
        'its place by itself: the reply says for each whether it is there.',
      headers: ['content-type'],
      body: Batch,
      reply: BatchResults,
      errors: ['files_unavailable', 'overloaded', 'batch_too_large', 'no_space'],
    },
  },
  setup(host) {
    const { gather, jobs, node } = host;
    const { virtual_root: virtualRoot } = node.config;
    const transfers = new AccountTransfers(REQUESTS);
    return {
      handlers: {
        upload: async (call) => {
          const { account, body } = call;
          const end = transfers.begin(account.id);
          try {
            const contentType = call.header('content-type');
            if (!/^multipart\/form-data;/i.test(contentType))
              throw fail.invalid_request('the body must be multipart/form-data');
            const bytes = await whole(body);
            const input = { contentType, virtualRoot, free: await freeRoom(host, account) };
            const results = await jobs.run(BATCH, account, input, { makesRoot: true, bytes });
            for (const { path, error } of results)
              if (error === null) void gather('uploaded', account, pathComponents(path, virtualRoot));
            return { results };
          } finally {
            end();
          }
        },
      },
    };
  },
});

/** Resolves with all that arrives. Errors: 413 `batch_too_large`. */
async function whole(body: IncomingBody): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let sizeBytes = 0;
  const assertFits = (size: number) => {
    if (size > MAX_BYTES) throw fail.batch_too_large(`a request has at most ${MAX_BYTES} bytes`);
  };
  assertFits(body.sizeBytes ?? 0);
  for await (const part of bodyParts(body)) {
    assertFits((sizeBytes += part.length));
    parts.push(part);
  }
  return Buffer.concat(parts);
}

import { definePlugin } from '../../kernel/contract/plugin.ts';
import { reply } from '../../kernel/contract/reply.ts';
import { pathComponents } from '../../kernel/kit/files/client-path.ts';
import { defineJob } from '../../kernel/kit/jobs/job.ts';
import { Type } from '../../kernel/schema.ts';
import { fail } from './errors.ts';
import type scale from './scale-job.ts';

const SCALE = defineJob<typeof scale>({
  beside: import.meta.url,
  script: 'scale-job',
  timeoutMs: 20_000,
  tooMuch: 'picture_unreadable',
});
/** Accounts whose pictures are made small at a time. */
const PROCESSES = 2;
const IDLE_MS = 10_000;
const LIMITS = { memoryMib: 512, openFiles: 128, fileMib: 0, replyMib: 4 };
const TYPE = 'image/webp';

export default definePlugin({
  name: 'thumbnails',
  description: 'Small pictures of those of the account, for its file manager.',
  features: [],
  errors: fail,
  routes: {
    thumbnail: {
      method: 'GET',
      path: '/api/thumbnails',
      at: 'home',
      feature: { any: [], all: ['filemanager'] },
      summary: 'Get a small picture of a picture of the account',
      description:
        'In WebP, 512 pixels wide or high at most, of a file in AVIF, GIF, JPEG, PNG or WebP: up to 64 MiB and 50 million pixels.',
      query: Type.Object({
        path: Type.String({ maxLength: 4096, description: 'Relative to the files root, or absolute as in replies' }),
      }),
      headers: ['if-none-match'],
      produces: [TYPE],
      reply: Type.Unknown(),
      errors: [
        'invalid_path',
        'permission_denied',
        'file_not_found',
        'picture_unreadable',
        'files_unavailable',
        'overloaded',
      ],
    },
  },
  setup({ jobs, node, onClose }) {
    const pool = jobs.open({ name: 'thumbnails', processes: PROCESSES, idleMs: IDLE_MS, limits: LIMITS });
    onClose(() => pool.close());
    return {
      handlers: {
        thumbnail: async (call) => {
          const components = pathComponents(call.query.path, node.config.virtual_root);
          if (components.length === 0) throw fail.invalid_path('the root of the account is no file');
          const input = { components, ifNoneMatch: call.header('if-none-match') };
          const { bytes, output } = await pool.run(SCALE, jobs.ownerOf(call.account), input, { signal: call.signal });
          const headers = { ETag: output.etag, 'Cache-Control': 'private, no-cache' };
          return reply(bytes, { type: TYPE, headers, ...(output.isKnown && { status: 304 }) });
        },
      },
    };
  },
});

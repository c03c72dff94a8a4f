import { definePlugin } from '../../kernel/contract/plugin.ts';
import { ready } from '../../kernel/contract/reply.ts';
import { Recurring } from '../../kernel/kit/waiting/recurring.ts';
import { fail } from './errors.ts';
import {
  assertType,
  headersFor,
  nothing,
  options,
  readChecksum,
  readCount,
  readMetadata,
  speaking,
  VERSION,
} from './protocol.ts';
import { uploadRoutes } from './routes.ts';
import { UploadsConfig } from './schema.ts';
import { Uploads } from './uploads.ts';

export default definePlugin({
  name: 'uploads',
  description: 'Uploads that go on after the connection broke, by the protocol tus 1.0.0.',
  features: [],
  uses: ['quota'],
  errors: fail,
  config: UploadsConfig,
  routes: uploadRoutes,
  setup(host) {
    const { config, log, node, onClose } = host;
    const uploads = new Uploads(host);
    const sweeping = new Recurring({
      run: () => uploads.sweep(),
      failed: (err) => log.warn({ err }, 'uploads that have expired could not be removed'),
      everyMs: config.check_seconds * 1000,
    });
    onClose(() => sweeping.close());
    if (node.isServing) void node.onLeader(() => sweeping.wake());
    return {
      handlers: {
        options: () => options(uploads.maxBytes),
        create: (call) =>
          speaking(call.header('tus-resumable'), async () => {
            if (call.header('upload-defer-length') !== '') throw fail.invalid_request('Upload-Length must be known');
            const sizeBytes = readCount('Upload-Length', call.header('upload-length'));
            const metadata = call.header('upload-metadata');
            const hasBytes = (call.body.sizeBytes ?? 0) > 0;
            if (hasBytes) assertType(call.header('content-type'));
            const first = { offset: 0, body: call.body, checksum: readChecksum(call.header('upload-checksum')) };
            const wanted = { ...readMetadata(metadata), sizeBytes, metadata };
            const upload = await uploads.create(call.account, wanted, hasBytes ? first : undefined);
            // nobody else knows its id
            if (call.signal.aborted && upload.offset_bytes < sizeBytes) await uploads.remove(call.account, upload.id);
            return ready(upload, { status: 201, headers: headersFor(upload) });
          }),
        list: async ({ account }) => ({ uploads: await uploads.list(account) }),
        show: (call) =>
          speaking(call.header('tus-resumable') || VERSION, async () => {
            const { upload, metadata } = await uploads.find(call.account, call.params.id);
            return ready(upload, { headers: headersFor(upload, metadata) });
          }),
        write: (call) =>
          speaking(call.header('tus-resumable'), async () => {
            assertType(call.header('content-type'));
            const offset = readCount('Upload-Offset', call.header('upload-offset'));
            const checksum = readChecksum(call.header('upload-checksum'));
            const upload = await uploads.write(call.account, call.params.id, { offset, body: call.body, checksum });
            return nothing(headersFor(upload));
          }),
        remove: (call) =>
          speaking(call.header('tus-resumable'), async () => {
            await uploads.remove(call.account, call.params.id);
            return nothing();
          }),
      },
    };
  },
});

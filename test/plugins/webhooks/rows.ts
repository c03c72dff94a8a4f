import { WebhookSink } from '../../support/webhook-sink.ts';
import type { PluginRows } from '../../support/plugin-rows.ts';

/** Nothing listens there, so its deliveries wait. */
const UNREACHABLE = { url: 'http://127.0.0.1:1/', secret: `whsec_${'A'.repeat(32)}` };
let firstId = '';

const rows: PluginRows = {
  surroundings: async () => {
    const sink = await WebhookSink.open();
    return {
      config: { webhooks: { ...sink.settings, endpoints: [...sink.endpoints, UNREACHABLE] } },
      rewritten: [[sink.host, 'hooks.example']],
      close: () => sink.close(),
    };
  },
  walk: {
    list: () => ({
      keep: ({ webhooks }) => void (firstId = (webhooks as unknown as readonly { id: string }[])[0]?.id ?? ''),
    }),
    attempts: () => ({ path: `/api/webhooks/${firstId}/attempts` }),
    test: () => ({ path: `/api/webhooks/${firstId}/test` }),
    redeliver: () => ({ path: `/api/webhooks/${firstId}/redeliver`, body: { event_id: null } }),
  },
  answered: 'anywhere',
  pages: { '/console/webhooks': ['Redeliver to 127.0.0.1:1#1', 'Deliveries to 127.0.0.1:1#1'] },
};
export default rows;

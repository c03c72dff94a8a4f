import { WebhookSink } from '../../support/webhook-sink.ts';
import type { PluginRows } from '../../support/plugin-rows.ts';

/** Nothing listens there, so its deliveries wait. */
const UNREACHABLE = { url: 'http://127.0.0.1:1/', secret: `whsec_${'A'.repeat(32)}` };
let [firstId, ownId] = ['', ''];

const rows: PluginRows = {
  surroundings: async () => {
    const sink = await WebhookSink.open();
    const endpoints = [...sink.endpoints, UNREACHABLE];
    return {
      config: { webhooks: { ...sink.settings, endpoints, allow_console: true } },
      rewritten: [[sink.host, 'hooks.example']],
      close: () => sink.close(),
    };
  },
  walk: {
    list: () => ({
      keep: ({ webhooks }) => void (firstId = (webhooks as unknown as readonly { id: string }[])[0]?.id ?? ''),
    }),
    add: () => ({
      body: { url: 'http://127.0.0.1:1/console', events: ['domain.*'] },
      keep: ({ id }) => void (ownId = String(id)),
    }),
    change: () => ({ path: `/api/webhooks/${ownId}`, body: { events: ['account.*'] } }),
    renewSecret: () => ({ path: `/api/webhooks/${ownId}/secret` }),
    removeSecret: () => ({ path: `/api/webhooks/${ownId}/previous-secret` }),
    remove: () => ({ path: `/api/webhooks/${ownId}` }),
    attempts: () => ({ path: `/api/webhooks/${firstId}/attempts` }),
    test: () => ({ path: `/api/webhooks/${firstId}/test` }),
    redeliver: () => ({ path: `/api/webhooks/${firstId}/redeliver`, body: { event_id: null } }),
  },
  answered: 'anywhere',
  pages: { '/console/webhooks': ['Add webhook', 'Redeliver to 127.0.0.1:1#1', 'Deliveries to 127.0.0.1:1#1'] },
};
export default rows;

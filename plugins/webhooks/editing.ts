import type { Host } from '../../kernel/contract/plugin.ts';
import type { Tx } from '../../kernel/store/store.ts';
import type { events as table } from './events.ts';
import type { OwnEndpoints } from './own-endpoints.ts';
import type { EndpointBody, EndpointChange, WebhooksConfig } from './schema.ts';

interface Caller {
  readonly account: { readonly username: string };
  readonly ip: string;
}
interface OfEndpoint extends Caller {
  readonly params: { readonly id: string };
}
type Change = Exclude<keyof typeof table, 'webhook.requeued'>;

/** Returns the handlers that change endpoints of the console. Each change and its event are one transaction. */
export function editing(host: Pick<Host<WebhooksConfig>, 'config' | 'store' | 'events' | 'identity'>) {
  const { config, store, events, identity } = host;
  const own = async (): Promise<OwnEndpoints> => {
    const [{ OwnEndpoints }, { endpointsIn }] = await Promise.all([
      import('./own-endpoints.ts'),
      import('./operations.ts'),
    ]);
    const configured = endpointsIn(config);
    const { allow_private: allowPrivate, allow_console: isAllowed } = config;
    return new OwnEndpoints({ keys: identity.keys, configured, allowPrivate, isAllowed });
  };
  const changed = <T>(
    { account, ip }: Caller,
    work: (
      tx: Tx,
      endpoints: OwnEndpoints,
    ) => Promise<{ type: Change | undefined; text: string; label: string; value: T }>,
  ): Promise<T> =>
    own().then((endpoints) =>
      store.write(async (tx) => {
        const { type, text, label, value } = await work(tx, endpoints);
        const told = { username: account.username, ip, text: `${text} ${label}`, data: { endpoint: label } };
        if (type !== undefined) await events.record(tx, { type, ...told });
        return value;
      }),
    );
  return {
    add: (call: Caller & { readonly body: EndpointBody }) =>
      changed(call, async (tx, endpoints) => {
        const { key, label, secret } = await endpoints.add(tx, call.body);
        const value = { id: key, endpoint: label, secret };
        return { type: 'webhook.added', text: 'added the webhook', label, value };
      }),
    change: (call: OfEndpoint & { readonly body: EndpointChange }) =>
      changed(call, async (tx, endpoints) => {
        const { id } = call.params;
        const label = await endpoints.change(tx, id, call.body);
        return { type: 'webhook.changed', text: 'changed the webhook', label, value: { id, changed: true } };
      }),
    renewSecret: (call: OfEndpoint) =>
      changed(call, async (tx, endpoints) => {
        const { id } = call.params;
        const { label, secret } = await endpoints.renewSecret(tx, id);
        return {
          type: 'webhook.secret_renewed',
          text: 'made a new secret for the webhook',
          label,
          value: { id, secret },
        };
      }),
    removeSecret: (call: OfEndpoint) =>
      changed(call, async (tx, endpoints) => {
        const { id } = call.params;
        const { label, isChanged } = await endpoints.forgetSecret(tx, id);
        const type = isChanged ? 'webhook.changed' : undefined;
        return { type, text: 'removed the former secret of the webhook', label, value: { id, changed: isChanged } };
      }),
    remove: (call: OfEndpoint) =>
      changed(call, async (tx, endpoints) => {
        const { id } = call.params;
        const label = await endpoints.remove(tx, id);
        return { type: 'webhook.removed', text: 'removed the webhook', label, value: { id, changed: true } };
      }),
  };
}

/** Operations on endpoints, for the command line and the API. */
import { errorMessage } from '../../kernel/errors.ts';
import type { Identity } from '../../kernel/identity/identity.ts';
import type { AuditLog } from '../../kernel/store/events/audit-log.ts';
import type { Store } from '../../kernel/store/store.ts';
import { deliveryBody, send } from './delivery/delivery.ts';
import { assertEndpoints } from './delivery/endpoint-faults.ts';
import { endpointNames } from './delivery/endpoint.ts';
import { latestAttempts } from './attempts.ts';
import { readOwn, type NamedEndpoint } from './own-endpoints.ts';
import {
  endpointSecrets,
  type AttemptList,
  type EndpointView,
  type TestedEndpoint,
  type WebhooksConfig,
} from './schema.ts';
import { hasten, requeue, type DeliveryQueue } from './store.ts';
import { fail } from './errors.ts';

/** Returns those of the configuration. */
export function endpointsIn(settings: WebhooksConfig): NamedEndpoint[] {
  assertEndpoints(settings);
  return settings.endpoints.map((config, i) => ({ config, isOwn: false, ...endpointNames(i, new URL(config.url)) }));
}

/** Resolves with those of the configuration, and with those of the console if the configuration allows them. */
export async function allEndpoints(
  settings: WebhooksConfig,
  { store, identity }: { readonly store: Store; readonly identity: Pick<Identity, 'keys'> },
): Promise<NamedEndpoint[]> {
  return [...endpointsIn(settings), ...(settings.allow_console ? await readOwn(store, identity.keys) : [])];
}

/** Resolves with how deliveries to an endpoint went, and what waits. */
export async function endpointView(queue: DeliveryQueue, endpoint: NamedEndpoint): Promise<EndpointView> {
  const { key, label, config, isOwn } = endpoint;
  const [state, waiting, next] = await Promise.all([queue.state(key), queue.waiting(key), queue.next(key)]);
  return {
    ...state,
    id: key,
    endpoint: label,
    events: config.events,
    waiting,
    delivered_at: timeOrNull(state.delivered_at),
    failed_at: timeOrNull(state.failed_at),
    next_attempt_at: timeOrNull(next?.due_at ?? null),
    editable: isOwn,
    has_previous_secret: config.previous_secret !== undefined,
  };
}

/** Resolves with the latest attempts to deliver to an endpoint. */
export async function attemptList(store: Store, { key }: NamedEndpoint): Promise<AttemptList> {
  const rows = await latestAttempts(store, key);
  return {
    attempts: rows.map(({ at, body, ...row }) => ({
      ...row,
      type: (JSON.parse(body) as { readonly type: string }).type,
      at: new Date(at).toISOString(),
      accepted: row.reason === '',
      payload: body,
    })),
  };
}

const timeOrNull = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());

/** Sends an event of the type `webhook.test`, and resolves with what the endpoint answers, or why it did not. */
export async function testEndpoint(
  { timeout_ms: timeoutMs, allow_private: allowPrivate }: WebhooksConfig,
  { key, label, config }: NamedEndpoint,
): Promise<TestedEndpoint> {
  const event = {
    id: 0,
    at: Date.now(),
    type: 'webhook.test',
    account_id: null,
    username: '',
    ip: '',
    node: '',
    data: {},
  };
  const body = deliveryBody({ ...event, line: 'An operator tests this webhook' });
  const startedMs = performance.now();
  const { status, reason } = await send(body, event.id, {
    url: new URL(config.url),
    secrets: endpointSecrets(config),
    timeoutMs,
    allowPrivate,
    userAgent: 'Hostkeep',
    signal: AbortSignal.timeout(2 * timeoutMs),
  }).then(
    (answer) => ({ status: answer.status, reason: null }),
    (error: unknown) => ({ status: null, reason: errorMessage(error) }),
  );
  const isAccepted = status !== null && status >= 200 && status < 300;
  return {
    id: key,
    endpoint: label,
    accepted: isAccepted,
    status,
    reason,
    ms: Math.round(performance.now() - startedMs),
  };
}

interface Redelivery {
  readonly endpoint: NamedEndpoint;
  /** `null` for all that wait. */
  readonly eventId: number | null;
  /** Whose address; empty for the command line. */
  readonly ip: string;
  readonly username?: string;
}

/**
 * Queues an event of the log once more, or has all that wait tried at once; resolves with their number. Records an event, by
 * which a running server notices; one that is not running delivers when it starts. Errors: 400 for an event that the log has not.
 */
export async function redeliver(
  { store, events }: { readonly store: Store; readonly events: AuditLog },
  { endpoint: { key, label }, eventId, ip, username = '' }: Redelivery,
): Promise<number> {
  const [found] = eventId === null ? [] : await events.after(eventId - 1, 1);
  if (eventId !== null && found?.id !== eventId)
    throw fail.invalid_request(`the log has no event ${eventId}; \`hostkeep events --json\` shows ids`);
  return store.write(async (tx) => {
    const count = found === undefined ? await hasten(tx, key) : 1;
    if (found !== undefined) await requeue(tx, { endpoint: key, eventId: found.id, body: deliveryBody(found) });
    if (count === 0) return 0;
    const text = `had ${found === undefined ? 'all that waits' : `event ${found.id}`} delivered again to ${label}`;
    const data = { endpoint: label, event_id: eventId };
    await events.record(tx, { type: 'webhook.requeued', username, text, ip, data });
    return count;
  });
}

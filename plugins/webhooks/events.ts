declare module '../../kernel/storage/audit-log.ts' {
  interface EventTypes {
    /** An operator had deliveries to an endpoint repeated; `event_id` is the event, `null` for all that were waiting. */
    'webhook.requeued': { readonly endpoint: string; readonly event_id: number | null };
  }
}

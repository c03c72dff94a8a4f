/** What this plugin records. */
export interface DomainEvent {
  readonly domain_id: number;
  readonly domain_url: string;
}

declare module '../../kernel/event-types.ts' {
  interface EventTypes {
    'domain.added': DomainEvent;
    'domain.removed': DomainEvent;
  }
}

/** The data of this plugin's events. */
interface DomainEvent {
  readonly domain_id: number;
  readonly domain_url: string;
}

declare module '../../kernel/storage/audit-log.ts' {
  interface EventTypes {
    'domain.added': DomainEvent;
    'domain.removed': DomainEvent;
  }
}

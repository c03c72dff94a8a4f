import { Badge, IconButton, t, Time, type ReplyOf } from '../../pages/kit/index.ts';

export type LoggedEvent = ReplyOf<'GET /api/events'>['events'][number];

export function EventLine({ event, onOpen }: { readonly event: LoggedEvent; readonly onOpen: () => void }) {
  return (
    <li>
      <span class="small soft number">
        <Time at={event.at} />
      </span>
      <span class="row apart">
        <span class="wrap">
          {event.username !== '' && (
            <>
              <b>{event.username}</b> ·{' '}
            </>
          )}
          {event.summary}
        </span>
        <span class="row small soft">
          <Badge>{event.type}</Badge>
          {event.node !== null && <span class="wrap">{event.node}</span>}
          <span class="wrap">{event.ip === '' ? t('events.commandLine') : event.ip}</span>
        </span>
      </span>
      <IconButton icon="right" label={t('events.open', { id: String(event.id) })} onClick={onOpen} />
    </li>
  );
}

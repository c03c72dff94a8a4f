import { useSignal } from '@preact/signals';
import {
  Answer,
  api,
  ask,
  at,
  attempt,
  Badge,
  Button,
  Card,
  changed,
  ConfirmDialog,
  DomainName,
  Empty,
  fillPath,
  Meter,
  Panel,
  t,
  textOr,
  Time,
  toast,
  toUnicode,
  useQuery,
} from '../../../pages/kit/index.ts';

/** Units in which resources are counted, by the end of their names. */
const UNIT_BYTES: Readonly<Record<string, number>> = { kib: 2 ** 10, mib: 2 ** 20 };

/** Shows the usage of an account beside the limits of its plan. */
export function AccountUsage({ username }: { readonly username: string }) {
  const report = useQuery(`usage ${username}`, (signal) =>
    api('GET /api/accounts/:username/usage', { params: { username }, signal }),
  );
  return (
    <Card title={t('accounts.usage')}>
      <Answer of={report} lines={4}>
        {({ usage, problems }) => (
          <div class="meters">
            {usage.map(({ resource, used, limit }) => {
              const factor = UNIT_BYTES[resource.split('_').at(-1) ?? ''] ?? 1;
              return (
                <Meter
                  key={resource}
                  label={textOr(`accounts.resource.${resource}`, resource)}
                  used={used * factor}
                  limit={limit * factor}
                  isBytes={factor > 1}
                />
              );
            })}
            {problems.map((problem) => (
              <Panel key={problem} kind="warn" icon="warn" title={t('accounts.usageUnknown')}>
                <p class="wrap small">{problem}</p>
              </Panel>
            ))}
          </div>
        )}
      </Answer>
    </Card>
  );
}

interface DomainList {
  readonly domains: readonly Domain[];
  readonly total: number;
}
interface Domain {
  readonly domain_id: number;
  readonly domain_url: string;
  readonly docroot: string;
  readonly suspended_by_operator: boolean;
}
/** Domains that are shown before the rest is asked for. */
const FIRST = 8;

/** Domains are of another plugin, which may be off. */
export function AccountDomains({ username }: { readonly username: string }) {
  const isWhole = useSignal(false);
  const list = useQuery(`domains ${username}`, () =>
    ask<DomainList>('GET', `/api/accounts/${encodeURIComponent(username)}/domains`),
  );
  const suspending = useSignal<Domain | undefined>(undefined);
  if (list.error?.code === 'not_found') return null;
  const turn = async ({ domain_url: name, suspended_by_operator: isHeld }: Domain) => {
    const path = `/api/accounts/${encodeURIComponent(username)}/domains/${encodeURIComponent(name)}/suspended`;
    await ask('PUT', path, { suspended: !isHeld });
    toast(t(isHeld ? 'accounts.domainLifted' : 'accounts.domainSuspended', { name: toUnicode(name) }));
    changed();
  };
  const lift = (domain: Domain) => attempt(() => turn(domain));
  const close = () => (suspending.value = undefined);
  return (
    <Card title={t('accounts.domains')} end={list.data && <span class="small soft number">{list.data.total}</span>}>
      <Answer of={list}>
        {({ domains, total }) =>
          total === 0 ? (
            <p class="soft">{t('accounts.noDomains')}</p>
          ) : (
            <div class="stack tight">
              <ul class="stack tight">
                {(isWhole.value ? domains : domains.slice(0, FIRST)).map((domain) => (
                  <li key={domain.domain_id} class="row apart nowrap">
                    <span class="stack tight">
                      <DomainName name={domain.domain_url} />
                      <code class="small soft wrap">{domain.docroot}</code>
                    </span>
                    <span class="row">
                      {domain.suspended_by_operator && <Badge tone="bad">{t('accounts.suspended')}</Badge>}
                      <Button
                        isSmall
                        onClick={() => (domain.suspended_by_operator ? lift(domain) : void (suspending.value = domain))}
                      >
                        {t(domain.suspended_by_operator ? 'accounts.unsuspend' : 'accounts.suspend')}
                        <span class="sr-only"> {toUnicode(domain.domain_url)}</span>
                      </Button>
                    </span>
                  </li>
                ))}
              </ul>
              {total > FIRST && !isWhole.value && (
                <button type="button" class="button small" onClick={() => (isWhole.value = true)}>
                  {t('accounts.showAll', { n: total })}
                </button>
              )}
            </div>
          )
        }
      </Answer>
      {suspending.value && <SuspendDomain domain={suspending.value} onConfirm={turn} onClose={close} />}
    </Card>
  );
}

interface SuspendDomainProps {
  readonly domain: Domain;
  readonly onConfirm: (domain: Domain) => Promise<void>;
  readonly onClose: () => void;
}
function SuspendDomain({ domain, onConfirm, onClose }: SuspendDomainProps) {
  const name = toUnicode(domain.domain_url);
  const confirm = async () => {
    await onConfirm(domain);
    onClose();
  };
  return (
    <ConfirmDialog
      title={t('accounts.suspendOne', { name })}
      action={t('accounts.suspend')}
      onConfirm={confirm}
      onClose={onClose}
    >
      <p class="wrap">{t('accounts.about.suspendDomain', { name })}</p>
    </ConfirmDialog>
  );
}

interface Activity {
  readonly events: readonly {
    readonly id: number;
    readonly at: string;
    readonly ip: string;
    readonly summary: string;
  }[];
}

export function AccountActivity({ username }: { readonly username: string }) {
  const log = useQuery(`activity ${username}`, () =>
    ask<Activity>('GET', fillPath('/api/events', {}, { account: username, limit: FIRST })),
  );
  if (log.error?.code === 'not_found') return null;
  return (
    <Card
      title={t('accounts.activity')}
      end={
        <a class="button small" href={`${at('/events')}#${new URLSearchParams([['account', username]])}`}>
          {t('accounts.allEvents')}
        </a>
      }
    >
      <Answer of={log} lines={5}>
        {({ events }) =>
          events.length === 0 ? (
            <Empty icon="clock" title={t('pages.nothingFound')} />
          ) : (
            <ul class="log narrow">
              {events.map(({ id, at: time, ip, summary }) => (
                <li key={id}>
                  <span class="small soft number">
                    <Time at={time} />
                  </span>
                  <span class="wrap">{summary}</span>
                  <span class="small soft number wrap">{ip}</span>
                </li>
              ))}
            </ul>
          )
        }
      </Answer>
    </Card>
  );
}

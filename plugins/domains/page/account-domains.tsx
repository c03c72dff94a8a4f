import { useSignal } from '@preact/signals';
import { useLocation } from 'preact-iso/router';
import {
  Answer,
  api,
  attempt,
  Badge,
  Button,
  Card,
  changed,
  ConfirmDialog,
  DomainName,
  IconButton,
  t,
  toast,
  toUnicode,
  useQuery,
} from '../../pages/kit/index.ts';
import { AddDomain } from './add-domain.tsx';
import { RemoveDomain } from './remove-domain.tsx';
import type { Domains } from './room.ts';

type Domain = Domains['domains'][number];

/** Domains that are shown before the rest is asked for. */
const FIRST = 8;

/** The domains of the account that an administrator looks at. */
export default function AccountDomains() {
  const { path } = useLocation();
  const username = decodeURIComponent(path.split('/').findLast((part) => part !== '') ?? '');
  const list = useQuery(`domains ${username}`, (signal) =>
    api('GET /api/accounts/:username/domains', { params: { username }, signal }),
  );
  const isWhole = useSignal(false);
  const dialog = useSignal<'add' | { readonly does: 'hold' | 'remove'; readonly domain: Domain } | undefined>(
    undefined,
  );
  const close = () => void (dialog.value = undefined);
  const shown = dialog.value;
  const turn = async ({ domain_url: name, suspended_by_operator: isHeld }: Domain) => {
    await api('PUT /api/accounts/:username/domains/:domain/suspended', {
      params: { username, domain: name },
      body: { suspended: !isHeld },
    });
    toast(t(isHeld ? 'domains.wasLifted' : 'domains.wasHeld', { name: toUnicode(name) }));
    changed();
  };
  return (
    <Card
      title={t('domains.title')}
      end={
        list.data && (
          <span class="row">
            <span class="small soft number">{list.data.total}</span>
            <Button isSmall icon="plus" onClick={() => void (dialog.value = 'add')}>
              {t('domains.add')}
            </Button>
          </span>
        )
      }
    >
      <Answer of={list}>
        {({ domains, total }) =>
          total === 0 ? (
            <p class="soft">{t('domains.noneOfAccount')}</p>
          ) : (
            <div class="stack tight">
              <ul class="stack tight">
                {(isWhole.value ? domains : domains.slice(0, FIRST)).map((domain) => (
                  <DomainRow
                    key={domain.domain_id}
                    domain={domain}
                    onHold={() =>
                      domain.suspended_by_operator
                        ? attempt(() => turn(domain))
                        : void (dialog.value = { does: 'hold', domain })
                    }
                    onRemove={() => void (dialog.value = { does: 'remove', domain })}
                  />
                ))}
              </ul>
              {total > FIRST && !isWhole.value && (
                <button type="button" class="button small" onClick={() => (isWhole.value = true)}>
                  {t('domains.showAll', { n: total })}
                </button>
              )}
            </div>
          )
        }
      </Answer>
      {shown === 'add' && list.data && (
        <AddDomain domains={list.data} username={username} onClose={close} onAdded={changed} />
      )}
      {typeof shown === 'object' && shown.does === 'hold' && (
        <HoldDomain domain={shown.domain} onConfirm={turn} onClose={close} />
      )}
      {typeof shown === 'object' && shown.does === 'remove' && (
        <RemoveDomain
          domain={shown.domain}
          all={list.data?.domains ?? []}
          username={username}
          onClose={close}
          onRemoved={changed}
        />
      )}
    </Card>
  );
}

interface DomainRowProps {
  readonly domain: Domain;
  readonly onHold: () => void;
  readonly onRemove: () => void;
}
function DomainRow({ domain, onHold, onRemove }: DomainRowProps) {
  const name = toUnicode(domain.domain_url);
  return (
    <li class="row apart nowrap">
      <span class="stack tight">
        <DomainName name={domain.domain_url} />
        <code class="small soft wrap">{domain.docroot}</code>
      </span>
      <span class={domain.suspended_by_operator ? 'row' : 'row nowrap'}>
        {domain.suspended_by_operator && <Badge tone="bad">{t('domains.suspended')}</Badge>}
        <Button isSmall onClick={onHold}>
          {t(domain.suspended_by_operator ? 'domains.lift' : 'domains.hold')}
          <span class="sr-only"> {name}</span>
        </Button>
        <IconButton isBad icon="trash" label={t('domains.removeOne', { name })} onClick={onRemove} />
      </span>
    </li>
  );
}

interface HoldDomainProps {
  readonly domain: Domain;
  readonly onConfirm: (domain: Domain) => Promise<void>;
  readonly onClose: () => void;
}
function HoldDomain({ domain, onConfirm, onClose }: HoldDomainProps) {
  const name = toUnicode(domain.domain_url);
  const confirm = async () => {
    await onConfirm(domain);
    onClose();
  };
  return (
    <ConfirmDialog
      title={t('domains.holdOne', { name })}
      action={t('domains.hold')}
      onConfirm={confirm}
      onClose={onClose}
    >
      <p class="wrap">{t('domains.holdAbout', { name })}</p>
    </ConfirmDialog>
  );
}

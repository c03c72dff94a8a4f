import { useSignal } from '@preact/signals';
import {
  Answer,
  api,
  attempt,
  Button,
  Card,
  changed,
  Empty,
  PageHead,
  Panel,
  Select,
  sendRemoval,
  t,
  Time,
  toast,
  toUnicode,
  useQuery,
  useRefresh,
  type ReplyOf,
} from '../../pages/kit/index.ts';

type State = ReplyOf<'GET /api/phpmyadmin'>;
const POLLED_MS = 30_000;

export default function PhpMyAdminPage() {
  const state = useQuery('phpmyadmin', (signal) => api('GET /api/phpmyadmin', { signal }));
  useRefresh(state, POLLED_MS);
  return (
    <>
      <PageHead title={t('phpmyadmin.title')} about={t('phpmyadmin.about')} />
      <Answer of={state} lines={5}>
        {(found) => <Found state={found} />}
      </Answer>
    </>
  );
}

function Found({ state }: { readonly state: State }) {
  const empty = (what: 'missing' | 'elsewhere' | 'noDomain') => (
    <Card>
      <Empty icon="database" title={t(`phpmyadmin.${what}`)}>
        {t(`phpmyadmin.${what}About`)}
      </Empty>
    </Card>
  );
  if (!state.is_installed) return empty('missing');
  if (!state.is_managed) return empty('elsewhere');
  if (state.domains.length === 0) return empty('noDomain');
  return (
    <div class="stack">
      {state.session && <OpenSession session={state.session} />}
      <OpenCard state={state} />
    </div>
  );
}

function OpenSession({ session }: { readonly session: NonNullable<State['session']> }) {
  const end = () =>
    attempt(async () => {
      await sendRemoval('DELETE /api/phpmyadmin');
      toast(t('phpmyadmin.wasEnded'));
      changed();
    });
  return (
    <Panel kind="accent" icon="info" title={t('phpmyadmin.isOpen', { name: toUnicode(session.domain_url) })}>
      <p>
        {t('phpmyadmin.since')} <Time at={session.created_at} />. {t('phpmyadmin.until')}{' '}
        <Time at={session.expires_at} />.
      </p>
      <Button onClick={end}>{t('phpmyadmin.end')}</Button>
    </Panel>
  );
}

function OpenCard({ state: { domains, session } }: { readonly state: State }) {
  const chosen = useSignal('');
  const isOpening = useSignal(false);
  const usable = domains.filter((each) => each.is_usable);
  const domain = chosen.value || (session?.domain_url ?? usable[0]?.domain_url ?? '');
  const open = async () => {
    // now, as browsers open a tab for a click only
    const tab = window.open('about:blank', '_blank');
    isOpening.value = true;
    await attempt(async () => {
      try {
        const { url } = await api('POST /api/phpmyadmin', { body: { domain_url: domain } });
        if (tab === null) return location.assign(url);
        tab.opener = null;
        tab.location.replace(url);
      } catch (error) {
        tab?.close();
        throw error;
      }
    });
    isOpening.value = false;
    changed();
  };
  if (usable.length === 0)
    return (
      <Card>
        <Empty icon="lock" title={t('phpmyadmin.noHttps')}>
          {t('phpmyadmin.noHttpsAbout')}
        </Empty>
      </Card>
    );
  return (
    <Card>
      <div class="stack">
        <Select
          label={t('phpmyadmin.domain')}
          value={domain}
          of={usable.map(({ domain_url: name }) => [name, toUnicode(name)] as const)}
          onChange={(value) => void (chosen.value = value)}
        />
        <p class="soft">{t('phpmyadmin.domainAbout')}</p>
        {session !== null && <p>{t('phpmyadmin.again')}</p>}
        <div class="row">
          <Button kind="primary" icon="open" isBusy={isOpening.value} onClick={open}>
            {t('phpmyadmin.open')}
          </Button>
        </div>
      </div>
    </Card>
  );
}

import { Answer, api, changed, Dialog, Panel, t, toast, useQuery, type ReplyOf } from '../../pages/kit/index.ts';

type Login = ReplyOf<'GET /api/database_info/login'>;

/** Says whether a site can log in to its database, and renews the login. */
export function LoginDialog({ site, onClose }: { readonly site: string; readonly onClose: () => void }) {
  const login = useQuery(`login ${site}`, (signal) =>
    api('GET /api/database_info/login', { query: { domain: site }, signal }),
  );
  const renew = async () => {
    const { database_user: user } = await api('POST /api/database_info/login', { body: { domain: site } });
    toast(t('websites.login.renewed', { name: site, user }));
    changed();
    onClose();
  };
  return (
    <Dialog
      title={t('websites.databaseOf', { name: site })}
      onClose={onClose}
      onSubmit={renew}
      submit={{ text: t('websites.login.renew'), isDisabled: login.data === undefined }}
    >
      <Answer of={login} lines={3}>
        {(data) => (
          <>
            <State login={data} />
            <p>{t('websites.login.renewAbout')}</p>
          </>
        )}
      </Answer>
    </Dialog>
  );
}

const STATES = ['valid', 'no_rights', 'other_user'] as const;

function State({ login }: { readonly login: Login }) {
  const state = STATES.find((each) => each === login.state) ?? 'refused';
  const isValid = state === 'valid';
  return (
    <Panel
      kind={isValid ? 'accent' : 'warn'}
      icon={isValid ? 'check' : 'warn'}
      title={t(`websites.login.state.${state}`)}
    >
      <p class="wrap">
        {t(`websites.login.state.${state}About`, { user: login.database_user, database: login.database_name })}
      </p>
    </Panel>
  );
}

import { useSignal } from '@preact/signals';
import {
  Answer,
  api,
  Button,
  Card,
  changed,
  Empty,
  FactsToCopy,
  PageHead,
  Panel,
  t,
  useQuery,
} from '../../pages/kit/index.ts';
import { AddLogin } from './add-login.tsx';
import { Connections } from './connections.tsx';
import { LoginDialog } from './login-dialogs.tsx';
import { LoginTable } from './login-table.tsx';
import { LoginSecret } from './login-secret.tsx';
import { hostOf } from './server.ts';
import type { Secret, Sftp } from './replies.ts';
import type { Opened } from './login-table.tsx';

type Shown = 'add' | Opened | { readonly dialog: 'secret'; readonly secret: Secret };

export default function SftpPage() {
  const dialog = useSignal<Shown | undefined>(undefined);
  const sftp = useQuery('sftp', (signal) => api('GET /api/sftp', { signal }));
  const close = () => void (dialog.value = undefined);
  const add = () => void (dialog.value = 'add');
  const showSecret = (secret: Secret) => {
    changed();
    dialog.value = { dialog: 'secret', secret };
  };
  const shown = dialog.value;
  const { logins = [], ftp_limit: limit = 0 } = sftp.data ?? {};
  const isFull = limit > 0 && logins.length >= limit;
  return (
    <>
      <PageHead title={t('sftp.title')} about={t('sftp.about')}>
        <Button kind="primary" icon="plus" isDisabled={isFull} onClick={add}>
          {t('sftp.add')}
        </Button>
      </PageHead>
      <div class="stack">
        {sftp.data?.server.is_running === false && (
          <Panel kind="warn" icon="warn" title={t('sftp.notRunning')}>
            <p>{t('sftp.notRunningAbout')}</p>
          </Panel>
        )}
        {isFull && <p class="soft">{t('sftp.full', { n: limit })}</p>}
        <Card title={t('sftp.logins')} isFlush>
          <Answer of={sftp} lines={3}>
            {({ logins: all }) =>
              all.length === 0 ? (
                <Empty
                  icon="folder"
                  title={t('sftp.none')}
                  action={
                    <Button icon="plus" onClick={add}>
                      {t('sftp.add')}
                    </Button>
                  }
                >
                  {t('sftp.noneAbout')}
                </Empty>
              ) : (
                <LoginTable logins={all} onOpen={(next) => void (dialog.value = next)} />
              )
            }
          </Answer>
        </Card>
        {sftp.data !== undefined && logins.length > 0 && (
          <>
            <Server server={sftp.data.server} />
            <Connections />
          </>
        )}
      </div>
      {shown === 'add' && <AddLogin prefix={sftp.data?.prefix ?? ''} onClose={close} onMade={showSecret} />}
      {typeof shown === 'object' && shown.dialog === 'secret' && sftp.data !== undefined && (
        <LoginSecret secret={shown.secret} server={sftp.data.server} onClose={close} />
      )}
      {typeof shown === 'object' && shown.dialog !== 'secret' && (
        <LoginDialog opened={shown} onClose={close} onSecret={showSecret} />
      )}
    </>
  );
}

function Server({ server }: { readonly server: Sftp['server'] }) {
  const lines = [
    [t('sftp.host'), hostOf(server)] as const,
    [t('sftp.port'), String(server.port)] as const,
    ...(server.ftps_port === null ? [] : [[t('sftp.ftpsPort'), String(server.ftps_port)] as const]),
    ...(server.fingerprint === '' ? [] : [[t('sftp.fingerprint'), server.fingerprint] as const]),
  ];
  return (
    <Card title={t('sftp.server')}>
      <p class="soft">{t('sftp.serverAbout')}</p>
      {server.ftps_port !== null && <p class="soft">{t('sftp.ftpsAbout')}</p>}
      <FactsToCopy lines={lines} />
    </Card>
  );
}

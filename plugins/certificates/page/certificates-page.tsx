import { useSignal } from '@preact/signals';
import {
  Answer,
  api,
  Badge,
  Card,
  changed,
  IconButton,
  PageHead,
  SitesTable,
  t,
  Time,
  toUnicode,
  useQuery,
  type Column,
} from '../../pages/kit/index.ts';
import { CertificateDialog } from './certificate-dialog.tsx';
import { UploadDialog } from './upload-dialog.tsx';
import type { Certificate } from './replies.ts';

const TONES = {
  off: undefined,
  web_server: 'warn',
  self_signed: 'warn',
  pending: 'warn',
  valid: 'good',
  expiring: 'warn',
  expired: 'bad',
} as const;
const STATES = {
  off: 'certificates.off',
  web_server: 'certificates.webServer',
  self_signed: 'certificates.selfSigned',
  pending: 'certificates.pending',
  valid: 'certificates.valid',
  expiring: 'certificates.expiring',
  expired: 'certificates.expired',
} as const;
type State = keyof typeof STATES;

export default function CertificatesPage() {
  const shown = useSignal<{ readonly domain: string; readonly uploads: boolean } | undefined>(undefined);
  const certificates = useQuery('certificates', (signal) => api('GET /api/certificates', { signal }));
  const close = () => void (shown.value = undefined);
  const dialog = shown.value;
  const chosen = certificates.data?.certificates.find(({ domain_url: name }) => name === dialog?.domain);
  return (
    <>
      <PageHead title={t('certificates.title')} about={t('certificates.about')} />
      <Card isFlush>
        <Answer of={certificates} lines={5}>
          {({ certificates: all }) => (
            <CertificateTable all={all} onOpen={(domain, uploads) => void (shown.value = { domain, uploads })} />
          )}
        </Answer>
      </Card>
      {dialog !== undefined && chosen !== undefined && !dialog.uploads && (
        <CertificateDialog
          certificate={chosen}
          isIssuing={certificates.data?.is_issuing === true}
          onChanged={changed}
          onClose={close}
        />
      )}
      {dialog?.uploads === true && <UploadDialog domain={dialog.domain} onChanged={changed} onClose={close} />}
    </>
  );
}

interface TableProps {
  readonly all: readonly Certificate[];
  readonly onOpen: (domain: string, uploads: boolean) => void;
}

function CertificateTable({ all, onOpen }: TableProps) {
  const columns: readonly Column<Certificate>[] = [
    {
      name: 'state',
      title: t('certificates.state'),
      by: ({ state }) => state,
      cell: (each) => <StateView {...each} />,
    },
    {
      name: 'issuer',
      title: t('certificates.issuer'),
      by: ({ issuer }) => issuer,
      cell: ({ issuer }) => issuer || '–',
    },
    {
      name: 'until',
      title: t('certificates.until'),
      by: ({ valid_to: at }) => at ?? '',
      cell: ({ valid_to: at }) => (at === null ? '–' : <Time at={at} />),
    },
  ];
  return (
    <SitesTable
      caption={t('certificates.title')}
      icon="lock"
      sites={all}
      columns={columns}
      noneAbout={t('certificates.noneAbout')}
      buttons={({ domain_url: name }) => (
        <>
          <IconButton
            icon="upload"
            label={t('certificates.uploadFor', { domain: toUnicode(name) })}
            onClick={() => onOpen(name, true)}
          />
          <IconButton
            icon="edit"
            label={t('certificates.change', { domain: toUnicode(name) })}
            onClick={() => onOpen(name, false)}
          />
        </>
      )}
    />
  );
}

function StateView({ state, last_error: problem, force_https: isForced }: Certificate) {
  const known = state as State;
  return (
    <span class="row">
      <Badge tone={TONES[known]}>{t(STATES[known])}</Badge>
      {isForced && <Badge>{t('certificates.forced')}</Badge>}
      {problem !== '' && <span class="small soft wrap">{problem}</span>}
    </span>
  );
}

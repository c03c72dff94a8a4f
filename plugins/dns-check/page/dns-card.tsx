import { useSignal } from '@preact/signals';
import {
  api,
  Answer,
  Badge,
  Card,
  ErrorPanel,
  Select,
  t,
  toUnicode,
  useDomainNames,
  useQuery,
} from '../../pages/kit/index.ts';

const TONES = { here: 'good', partly: 'warn', elsewhere: 'warn', none: 'bad', unknown: undefined } as const;
const STATES = {
  here: 'dns-check.here',
  partly: 'dns-check.partly',
  elsewhere: 'dns-check.elsewhere',
  none: 'dns-check.nowhere',
  unknown: 'dns-check.unknown',
} as const;
type State = keyof typeof STATES;

/** Where the names of a domain lead; asked once somebody chooses a domain. */
export default function DnsCard() {
  const chosen = useSignal('');
  const names = useDomainNames();
  if (names.error !== undefined) return <ErrorPanel error={names.error} onRetry={names.reload} />;
  if (names.data === undefined || names.data.length === 0) return null;
  return (
    <Card title={t('dns-check.title')}>
      <Select
        label={t('dns-check.domain')}
        value={chosen.value}
        of={[['', t('dns-check.choose')], ...names.data.map((name) => [name, toUnicode(name)] as const)]}
        onChange={(value) => (chosen.value = value)}
      />
      {chosen.value !== '' && <Names key={chosen.value} domain={chosen.value} />}
    </Card>
  );
}

function Names({ domain }: { readonly domain: string }) {
  const check = useQuery(`dns-check ${domain}`, (signal) =>
    api('GET /api/dns-check', { query: { domain_url: domain }, signal }),
  );
  return (
    <Answer of={check} lines={2}>
      {({ names, expected }) => (
        <>
          {names.map(({ name, state, addresses }) => (
            <p key={name} class="row">
              <span class="wrap">{toUnicode(name)}</span>
              <Badge tone={TONES[state as State]}>{t(STATES[state as State])}</Badge>
              <code class="small soft wrap">{addresses.join(', ')}</code>
            </p>
          ))}
          <p class="small soft wrap">{t('dns-check.expected', { addresses: expected.join(', ') })}</p>
        </>
      )}
    </Answer>
  );
}

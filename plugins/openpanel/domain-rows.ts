import { type Given, type Row, type Step, type Values } from './row.ts';
import { one } from './shapes.ts';

const OF_ACCOUNT = '/api/accounts/:username/domains';
type Owned = Readonly<Record<'domain_url' | 'username' | 'docroot', string>>;

export const domainView = ({ domain_id, domain_url, docroot }: Readonly<Record<string, unknown>>) => ({
  domain_id,
  domain_url,
  docroot,
  php_version: null,
});

/** OpenPanel answers as the command that it runs. */
const output = (stdout: string) => ({ stdout: `${stdout}\n`, stderr: '', returncode: 0 });
/** Finds whose domain it is, which no path of OpenPanel says. */
const SEARCH: Step = { calls: 'GET /api/domains', query: ({ domain: q }) => ({ q }), pages: 'domains' };
const found = ({ domain }: Given, [domains]: Values) =>
  one<Owned>(domains, ({ domain_url: name }) => name === domain, 'domain_not_found', 'domain');
const owned: Step['params'] = (given, values) => {
  const { domain_url: domain, username } = found(given, values);
  return { domain, username };
};

/** The rows that do something with a domain. */
const does = (verb: string, said: string, step: Omit<Step, 'params'>): Row => ({
  is: `POST /api/domains/${verb}/:domain`,
  steps: [SEARCH, { ...step, params: owned }],
  reply: (_, { domain }) => output(`Domain ${domain} ${said}`),
});
const suspends = (verb: string, suspended: boolean, said: string) =>
  does(verb, said, { calls: `PUT ${OF_ACCOUNT}/:domain/suspended`, body: () => ({ suspended }) });

/** Rows of the domains of all accounts. */
export const domainRows: readonly Row[] = [
  {
    is: 'GET /api/domains',
    isTaken: true,
    steps: [{ calls: 'GET /api/domains', pages: 'domains' }],
    reply: ([domains]) => ({
      domains: domains.map((each: Readonly<Record<string, unknown>>) => ({
        ...domainView(each),
        user_id: each['user_id'],
      })),
    }),
  },
  {
    is: 'POST /api/domains/new',
    takes: ['username!', 'domain!', 'docroot'],
    steps: [
      {
        calls: `POST ${OF_ACCOUNT}`,
        params: ({ username }) => ({ username }),
        body: ({ domain, docroot }) => ({ domain_url: domain, docroot }),
      },
    ],
    reply: ([{ domain_url: domain }]) => output(`Domain ${domain} added successfully`),
  },
  suspends('suspend', true, 'suspended'),
  suspends('unsuspend', false, 'unsuspended'),
  does('delete', 'deleted', { calls: `DELETE ${OF_ACCOUNT}/:domain` }),
  {
    is: 'GET /api/domains/docroot/:domain',
    steps: [SEARCH],
    reply: (values, given) => output(found(given, values).docroot),
  },
];

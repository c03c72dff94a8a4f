import { signal } from '@preact/signals';
import {
  at,
  Badge,
  bytes,
  Dialog,
  number,
  ownNode,
  percent,
  t,
  Time,
  type Column,
  type ReplyOf,
} from '../../pages/kit/index.ts';

export type ListedAccount = ReplyOf<'GET /api/accounts'>['accounts'][number];
/** The server samples them. */
const FIGURES = ['cpu_percent', 'memory_bytes', 'disk_kib', 'inodes'] as const;
type Figure = (typeof FIGURES)[number];
const CHOOSABLE = ['plan', 'state', 'node', ...FIGURES, 'created', 'email', 'locale', 'features', 'own'] as const;
type Choosable = (typeof CHOOSABLE)[number];
const STORED = 'hostkeep-account-columns';
const FIRST: readonly Choosable[] = ['plan', 'state', 'node', 'cpu_percent', 'memory_bytes', 'disk_kib', 'created'];

/** The columns that this browser shows. */
export const shownColumns = signal<readonly Choosable[]>(stored());

function stored(): readonly Choosable[] {
  try {
    const kept = JSON.parse(localStorage.getItem(STORED) ?? 'null') as unknown;
    return Array.isArray(kept) ? CHOOSABLE.filter((each) => kept.includes(each)) : FIRST;
  } catch {
    return FIRST; // what is stored is no choice of ours
  }
}

const TITLES = {
  plan: 'accounts.plan',
  state: 'accounts.state',
  node: 'pages.node',
  cpu_percent: 'accounts.processor',
  memory_bytes: 'accounts.memory',
  disk_kib: 'accounts.resource.disk_kib',
  inodes: 'accounts.resource.inodes',
  created: 'accounts.created',
  email: 'accounts.email',
  locale: 'pages.language',
  features: 'accounts.features',
  own: 'accounts.ownFeatures',
} as const satisfies Readonly<Record<Choosable, string>>;

/** Returns a column of a figure, by which the server sorts, the most first. */
function figure(name: Figure, text: (value: number) => string): Omit<Column<ListedAccount>, 'name' | 'title'> {
  const value = ({ usage }: ListedAccount) => usage?.[name] ?? null;
  return {
    isEnd: true,
    isMostFirst: true,
    by: (row) => value(row) ?? -1,
    cell: (row) => {
      const known = value(row);
      return known === null ? '–' : text(known);
    },
  };
}

/** Whether the table shows what accounts use. */
export const showsFigures = (): boolean => FIGURES.some((each) => shownColumns.value.includes(each));

/** `by` only says that the server sorts by it. */
const CELLS: Readonly<Record<Choosable, Omit<Column<ListedAccount>, 'name' | 'title'>>> = {
  plan: {
    by: ({ plan }) => plan ?? '',
    cell: ({ plan, role }) =>
      role === 'admin' ? <Badge tone="accent">{t('accounts.admin')}</Badge> : (plan ?? t('accounts.noPlan')),
  },
  state: {
    cell: ({ suspended }) => (
      <Badge tone={suspended ? 'bad' : 'good'}>{t(suspended ? 'accounts.suspended' : 'accounts.active')}</Badge>
    ),
  },
  node: { cell: ({ node }) => <span class="wrap">{node ?? '–'}</span> },
  cpu_percent: figure('cpu_percent', percent),
  memory_bytes: figure('memory_bytes', bytes),
  disk_kib: figure('disk_kib', (kib) => bytes(kib * 1024)),
  inodes: figure('inodes', number),
  created: { by: (row) => row.created_at, cell: (row) => <Time at={row.created_at} /> },
  email: { by: ({ email }) => email, cell: ({ email }) => <span class="wrap">{email === '' ? '–' : email}</span> },
  locale: { cell: ({ locale }) => locale },
  features: { isEnd: true, cell: ({ features }) => features.length },
  own: { isEnd: true, cell: ({ overrides }) => Object.keys(overrides).length },
};

/** A server by itself has no nodes to show. */
const choosable = (): readonly Choosable[] => CHOOSABLE.filter((each) => each !== 'node' || ownNode() !== '');

export function chosenColumns(): Column<ListedAccount>[] {
  return [
    {
      name: 'username',
      title: t('pages.username'),
      by: ({ username }) => username,
      cell: ({ username }) => <a href={at(`/accounts/${encodeURIComponent(username)}`)}>{username}</a>,
    },
    ...choosable()
      .filter((each) => shownColumns.value.includes(each))
      .map((name) => ({ name, title: t(TITLES[name]), ...CELLS[name] })),
  ];
}

export function ColumnsDialog({ onClose }: { readonly onClose: () => void }) {
  const toggle = (name: Choosable) => {
    const { value } = shownColumns;
    shownColumns.value = CHOOSABLE.filter((each) => (each === name ? !value.includes(each) : value.includes(each)));
    localStorage.setItem(STORED, JSON.stringify(shownColumns.value));
  };
  return (
    <Dialog title={t('accounts.columns')} onClose={onClose}>
      <ul class="stack tight">
        {choosable().map((name) => (
          <li key={name}>
            <label class="row">
              <input type="checkbox" checked={shownColumns.value.includes(name)} onChange={() => toggle(name)} />
              {t(TITLES[name])}
            </label>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

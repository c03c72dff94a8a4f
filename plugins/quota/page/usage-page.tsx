import { useEffect } from 'preact/hooks';
import {
  Answer,
  api,
  at,
  bytes,
  Card,
  Choices,
  Empty,
  Icon,
  mayUse,
  number,
  percent,
  t,
  Table,
  TabbedHead,
  Time,
  useAddressState,
  useQuery,
  type ReplyOf,
} from '../../pages/kit/index.ts';
import { squarified } from './treemap.ts';

type Usage = ReplyOf<'GET /api/largest-folders'>;
type Measure = 'bytes' | 'inodes';
interface Part {
  /** `undefined` for all that is in no folder of the list. */
  readonly name: string | undefined;
  readonly path: string;
  readonly bytes: number;
  readonly inodes: number;
}

/** The ratio of width to height for which the tiles are laid out. */
const RATIO = 2.5;
/** A tile that takes less than this share of width or height has no room for its name. */
const NAMED_PERCENT = 7;
/** How long after figures of before the new ones are asked for, which takes a second more. */
const RENEWED_MS = 2000;

export default function UsagePage() {
  const [{ folder, by }, set] = useAddressState('folder', 'by');
  const measure: Measure = by === 'inodes' ? 'inodes' : 'bytes';
  const usage = useQuery(`usage of ${folder}`, (signal) =>
    api('GET /api/largest-folders', { query: { folder }, signal }),
  );
  const { data, reload } = usage;
  useEffect(() => {
    if (data?.stale !== true) return;
    const timer = setTimeout(reload, RENEWED_MS);
    return () => clearTimeout(timer);
  }, [data]);
  const to = (path: string) => `#${new URLSearchParams({ folder: path, ...(by !== '' && { by }) })}`;
  return (
    <>
      <TabbedHead of="/files" />
      <Card
        isFlush
        title={t('quota.largest')}
        end={
          <Choices<Measure>
            label={t('quota.by')}
            of={[
              ['bytes', t('quota.disk')],
              ['inodes', t('quota.inodes')],
            ]}
            value={measure}
            onChange={(next) => set({ by: next === 'bytes' ? '' : next })}
          />
        }
      >
        <Answer of={usage} lines={8}>
          {(shown) => <Shown usage={shown} by={measure} to={to} />}
        </Answer>
      </Card>
    </>
  );
}

interface ShownProps {
  readonly usage: Usage;
  readonly by: Measure;
  readonly to: (path: string) => string;
}

function Shown({ usage, by, to }: ShownProps) {
  const parts = partsIn(usage).toSorted((a, b) => b[by] - a[by]);
  return (
    <>
      <div class="card-head">
        <Way path={usage.path} root={usage.root} to={to} />
        <span class="small soft">
          {bytes(usage.bytes)} · {t('quota.names', { n: usage.inodes })}
          {usage.stale && (
            <>
              {' · '}
              {t('quota.measured')} <Time at={usage.measured_at} isRelative />
            </>
          )}
        </span>
      </div>
      {parts.length === 0 ? (
        <Empty icon="folder" title={t('quota.nothing')} />
      ) : (
        <>
          <Treemap parts={parts} by={by} to={to} />
          <PartTable key={by} usage={usage} parts={parts} by={by} to={to} />
        </>
      )}
    </>
  );
}

/** Returns the folders of a folder, and what is in none of them. */
function partsIn({ path, folders, ...total }: Usage): Part[] {
  const rest = (by: Measure) =>
    Math.max(
      0,
      folders.reduce((left, folder) => left - folder[by], total[by]),
    );
  const all: Part[] = [...folders, { name: undefined, path, bytes: rest('bytes'), inodes: rest('inodes') }];
  return all.filter((part) => part.bytes > 0 || part.inodes > 0);
}

function Way({
  path,
  root,
  to,
}: {
  readonly path: string;
  readonly root: string;
  readonly to: (path: string) => string;
}) {
  const names = path.slice(root.length).split('/').filter(Boolean);
  const steps = names.map((name, i) => ({ name, path: `${root}/${names.slice(0, i + 1).join('/')}` }));
  return (
    <nav class="crumbs" aria-label={t('quota.way')}>
      <ol>
        {[{ name: t('quota.root'), path: '' }, ...steps].map((step, i) => (
          <li key={step.path}>
            {i > 0 && <Icon name="right" />}
            <a href={to(step.path)} aria-current={i === steps.length ? 'location' : undefined} class="wrap">
              {step.name}
            </a>
          </li>
        ))}
      </ol>
    </nav>
  );
}

interface PartsProps {
  readonly parts: readonly Part[];
  readonly by: Measure;
  readonly to: (path: string) => string;
}

/** For the eye and the pointer; the table says the same to everybody. */
function Treemap({ parts, by, to }: PartsProps) {
  const shown = parts.filter((part) => part[by] > 0);
  const tiles = squarified(
    shown.map((part) => part[by]),
    RATIO,
  );
  return (
    // A press would give the focus to what is hidden from screen readers.
    <div class="treemap" aria-hidden="true" onMouseDown={(event) => event.preventDefault()}>
      {shown.map((part, i) => {
        const { left = 0, top = 0, width = 0, height = 0 } = tiles[i] ?? {};
        const name = part.name ?? t('quota.rest');
        const style = { left: `${left}%`, top: `${top}%`, width: `${width}%`, height: `${height}%` };
        const text = width > NAMED_PERCENT && height > NAMED_PERCENT && (
          <>
            <span>{name}</span> <span class="small">{said(part[by], by)}</span>
          </>
        );
        const about = { key: name, class: 'treemap-tile', style, title: `${name}: ${said(part[by], by)}` };
        return part.name === undefined ? (
          <span {...about}>{text}</span>
        ) : (
          <a {...about} href={to(part.path)} tabIndex={-1}>
            {text}
          </a>
        );
      })}
    </div>
  );
}

const said = (value: number, by: Measure): string => (by === 'bytes' ? bytes(value) : number(value));

function PartTable({ usage, parts, by, to }: PartsProps & { readonly usage: Usage }) {
  return (
    <Table
      caption={t('quota.largest')}
      rows={parts}
      keyOf={({ name }) => name ?? ''}
      sortedBy={by}
      isDescending
      columns={[
        {
          name: 'name',
          title: t('quota.folder'),
          by: ({ name }) => name ?? '',
          cell: ({ name, path }) =>
            name === undefined ? (
              <span class="soft">{t('quota.rest')}</span>
            ) : (
              <a href={to(path)} class="wrap">
                {name}
              </a>
            ),
        },
        {
          name: 'bytes',
          title: t('quota.disk'),
          isEnd: true,
          isMostFirst: true,
          by: (part) => part.bytes,
          cell: (part) => bytes(part.bytes),
        },
        {
          name: 'inodes',
          title: t('quota.inodes'),
          isEnd: true,
          isMostFirst: true,
          by: (part) => part.inodes,
          cell: (part) => number(part.inodes),
        },
        {
          name: 'share',
          title: t('quota.share'),
          isEnd: true,
          cell: (part) => percent((part[by] / Math.max(1, usage[by])) * 100),
        },
        {
          name: 'open',
          title: '',
          isEnd: true,
          cell: ({ name, path }) =>
            mayUse(['filemanager']) && (
              <a
                href={`${at('/files')}#${new URLSearchParams({ folder: path })}`}
                aria-label={t('quota.openOne', { name: name ?? path })}
              >
                {t('quota.open')}
              </a>
            ),
        },
      ]}
    />
  );
}

import { useSignal } from '@preact/signals';
import {
  actionsColumn,
  at,
  Badge,
  Button,
  linkTo,
  number,
  pathAt,
  percent,
  Sparkline,
  t,
  Table,
  Time,
  type Column,
} from '../../pages/kit/index.ts';
import { DrainDialog, undrain } from './drain-dialog.tsx';
import { readCourse, type Figure, type Node } from './samples.ts';

const TONES = { up: 'good', draining: 'warn', down: 'bad' } as const;
/** A course of fewer samples, which are two minutes, does not fill its place yet. */
const SHORT = 24;
const WORST_FIRST = { down: 0, draining: 1, up: 2 } as const;

export function NodesTable({ nodes, own }: { readonly nodes: readonly Node[]; readonly own: string }) {
  const draining = useSignal<Node | undefined>(undefined);
  const newest = nodes
    .flatMap(({ version }) => version ?? [])
    .toSorted(new Intl.Collator('en', { numeric: true }).compare)
    .at(-1);
  const columns: readonly Column<Node>[] = [
    {
      name: 'node',
      title: t('fleet.node'),
      by: ({ name }) => name,
      cell: ({ name, address }) => (
        <span class="pair">
          <a class="wrap" href={linkTo(pathAt('/'), name)} aria-label={t('fleet.show', { name })}>
            {name}
          </a>
          <span class="small soft wrap">{name === own ? t('fleet.answers', { address }) : address}</span>
        </span>
      ),
    },
    {
      name: 'state',
      title: t('fleet.state'),
      by: ({ state }) => WORST_FIRST[state],
      cell: ({ state, seen_seconds_ago: seconds }) => (
        <span class="pair">
          <span>
            <Badge tone={TONES[state]}>{t(`fleet.state.${state}`)}</Badge>
          </span>
          <span class="small soft">
            {seconds === null ? t('fleet.never') : <Time at={new Date(Date.now() - seconds * 1000)} isRelative />}
          </span>
        </span>
      ),
    },
    {
      name: 'version',
      title: t('fleet.version'),
      by: ({ version }) => version ?? '',
      cell: ({ version }) => (
        <span class="row">
          {version ?? '–'}
          {version !== null && version !== newest && <Badge tone="warn">{t('fleet.older')}</Badge>}
        </span>
      ),
    },
    {
      name: 'accounts',
      title: t('fleet.accounts'),
      isEnd: true,
      by: ({ accounts }) => accounts ?? -1,
      cell: ({ name, accounts }) =>
        accounts === null ? (
          '–'
        ) : (
          <a href={`${at('/accounts')}#${new URLSearchParams({ node: name })}`}>{number(accounts)}</a>
        ),
    },
    figureColumn('cpu'),
    figureColumn('memory'),
    figureColumn('disk'),
    actionsColumn((node) => <DrainButton node={node} onDrain={() => void (draining.value = node)} />),
  ];
  return (
    <>
      <Table caption={t('fleet.nodes')} columns={columns} rows={nodes} keyOf={({ name }) => name} sortedBy="node" />
      {draining.value && (
        <DrainDialog node={draining.value} nodes={nodes} onClose={() => void (draining.value = undefined)} />
      )}
    </>
  );
}

function figureColumn(figure: Figure): Column<Node> {
  return {
    name: figure,
    title: t(`fleet.${figure}`),
    by: ({ name }) => readCourse(name, figure).at(-1) ?? -1,
    cell: (node) => {
      const course = readCourse(node.name, figure);
      const value = course.at(-1);
      if (value === undefined) return '–';
      return (
        <span class="figure">
          <span class="number">{percent(value)}</span>
          <Sparkline values={course} length={Math.max(SHORT, course.length)} />
        </span>
      );
    },
  };
}

/** Whether a node that is down takes new accounts matters when it is back. */
function DrainButton({ node, onDrain }: { readonly node: Node; readonly onDrain: () => void }) {
  const { name, draining } = node;
  return (
    <Button
      isSmall
      label={t(draining ? 'fleet.undrainOne' : 'fleet.drainOne', { name })}
      onClick={draining ? () => undrain(name) : onDrain}
    >
      {t(draining ? 'fleet.undrain' : 'fleet.drain')}
    </Button>
  );
}
